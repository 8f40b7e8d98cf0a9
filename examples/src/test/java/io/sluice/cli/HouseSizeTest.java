package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How large the library is. The numbers below fall, and rise only with a feature. {@code docs/notes/size.md} shows what each part takes.
 */
@Tag("once")
@Tag("any-jdk")
class HouseSizeTest {
    /** Lines without comments, imports, package declarations and empty lines. */
    private static final int MOST_LINES_OF_CODE = 26_351;

    /** The face of the Disruptor is given, so it counts apart: in both versions. */
    private static final List<String> FACES = List.of("integrations/disruptor", "integrations/disruptor-3");

    /** A line of a module descriptor that exports a package to the face. */
    private static final Pattern TO_THE_FACE = Pattern.compile("(?m)^\\s+com\\.lmax\\.disruptor[,;]$");

    /** A line of the table of the parts. */
    private static final Pattern A_PART = Pattern.compile("(?m)^\\| `[^|]+\\| ([\\d,]+) \\|");

    private static final Pattern A_PUBLIC_TYPE =
            Pattern.compile("(?m)^public (?:(?:final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum) ");

    /** Types of each package of the ring, and how many of them are public. */
    private static final Map<String, List<Integer>> MOST_TYPES = Map.of(
            "ring", List.of(79, 35),
            "counters", List.of(4, 3),
            "jfr", List.of(3, 2),
            "monitor", List.of(6, 4),
            "pipeline", List.of(47, 19),
            "specialize", List.of(1, 1));

    private static final int MOST_LINES_OF_THE_FACE = 3_594;

    /** All lines of its file. */
    private static final int MOST_LINES_OF_A_CLASS = 500;

    @Test
    void theLibraryGrowsNoLarger() throws IOException {
        int code = 0;
        int face = 0;
        for (Path file : sources()) {
            String source = Repository.read(file);
            int lines = linesOfCode(source);
            if (FACES.stream()
                    .anyMatch(module -> file.startsWith(Repository.root().resolve(module)))) {
                face += lines;
            } else {
                int forTheFace = (int) TO_THE_FACE.matcher(source).results().count();
                face += forTheFace;
                code += lines - forTheFace;
            }
        }
        assertThat(code).as("lines of code").isBetween(10_000, MOST_LINES_OF_CODE);
        assertThat(face).as("lines of the face").isBetween(1_000, MOST_LINES_OF_THE_FACE);
    }

    @Test
    void thePageShowsTheNumberAndItsParts() throws IOException {
        String page = Repository.read(Repository.root().resolve("docs/notes/size.md"));
        assertThat(page).contains(String.format(Locale.ROOT, "The library has %,d lines of code", MOST_LINES_OF_CODE));
        String parts = page.substring(page.indexOf("## Lines of code by part"), page.indexOf("## What was removed"));
        int sum = A_PART.matcher(parts)
                .results()
                .mapToInt(part -> Integer.parseInt(part.group(1).replace(",", "")))
                .sum();
        assertThat(sum).as("the parts together").isEqualTo(MOST_LINES_OF_CODE);
    }

    @Test
    void noRoomOfTheRingFillsUp() throws IOException {
        Map<String, String> rooms = new TreeMap<>();
        Path sources = Repository.root().resolve("ringbuffer/src/main/java/io/sluice/ringbuffer");
        for (Path file : Repository.files(sources)) {
            String name = file.getFileName().toString();
            if (name.endsWith(".java") && !name.equals("package-info.java")) {
                String room = sources.relativize(file.resolveSibling("")).toString();
                boolean open = A_PUBLIC_TYPE.matcher(Repository.read(file)).find();
                rooms.merge(room.isEmpty() ? "ring" : room, open ? "public " : "own ", String::concat);
            }
        }
        assertThat(rooms.keySet()).containsExactlyInAnyOrderElementsOf(MOST_TYPES.keySet());
        MOST_TYPES.forEach((room, most) -> {
            String types = rooms.get(room);
            assertThat(types.split(" ").length).as("types in " + room).isLessThanOrEqualTo(most.get(0));
            assertThat(types.split("public ", -1).length - 1)
                    .as("public types in " + room)
                    .isLessThanOrEqualTo(most.get(1));
        });
    }

    @Test
    void classesAreShort() throws IOException {
        Map<String, Integer> tooLong = new TreeMap<>();
        for (Path file : sources()) {
            int lines = (int) Repository.read(file).lines().count();
            String name = file.getFileName().toString();
            if (lines > MOST_LINES_OF_A_CLASS) {
                tooLong.put(name, lines);
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void commentsAreNotCounted() {
        assertThat(
                        linesOfCode(
                                "package a;\n\nimport b;\n\n/* one\n two */\n// three\n/** four */\nclass A {\n    int a; // five\n}\n"))
                .isEqualTo(3);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : Repository.libraryModules()) {
            for (String folder : List.of("java", "java22")) { // java22: for JDK 22 and newer
                Path part =
                        Repository.root().resolve(module).resolve("src/main").resolve(folder);
                if (Files.isDirectory(part)) {
                    Repository.files(part).stream()
                            .filter(file -> file.toString().endsWith(".java"))
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static int linesOfCode(String source) {
        int code = 0;
        boolean inComment = false;
        for (String line : source.lines().map(String::strip).toList()) {
            if (inComment) {
                inComment = !line.contains("*/");
            } else if (line.startsWith("/*")) {
                inComment = !line.contains("*/");
            } else if (!(line.isEmpty()
                    || line.startsWith("//")
                    || line.startsWith("import ")
                    || line.startsWith("package "))) {
                code++;
            }
        }
        return code;
    }
}
