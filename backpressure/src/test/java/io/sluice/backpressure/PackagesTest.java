package io.sluice.backpressure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The four packages know each other in one direction only. */
class PackagesTest {
    private static final Map<String, Set<String>> MAY_USE =
            Map.of("admission", Set.of(), "rate", Set.of(), "nak", Set.of("rate"), "flow", Set.of("rate"));

    private static final Pattern PACKAGE = Pattern.compile("io\\.sluice\\.backpressure\\.([a-z]+)\\.[A-Z]");

    @Test
    void eachUsesOnlyWhatItMay() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        Path module = here.endsWith("backpressure") ? here : here.resolve("backpressure");
        Path root = module.resolve("src/main/java/io/sluice/backpressure");
        Set<String> found = new TreeSet<>();
        for (Path source : sources(root)) {
            String own = root.relativize(source).getName(0).toString();
            found.add(own);
            assertThat(MAY_USE).as("packages of the module").containsKey(own);
            if (source.endsWith("package-info.java")) {
                continue; // its links are no use
            }
            Matcher used = PACKAGE.matcher(Files.readString(source));
            while (used.find()) {
                if (!used.group(1).equals(own)) {
                    assertThat(MAY_USE.get(own))
                            .as(source.getFileName().toString())
                            .contains(used.group(1));
                }
            }
        }
        assertThat(found).isEqualTo(new TreeSet<>(MAY_USE.keySet()));
    }

    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
