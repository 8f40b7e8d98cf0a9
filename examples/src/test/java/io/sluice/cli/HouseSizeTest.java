package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How large the library is. The numbers below may fall, never rise: whoever needs more room finds it elsewhere.
 */
@Tag("once")
class HouseSizeTest {
    /** Lines without comments, imports, package declarations and empty lines. */
    private static final int MOST_LINES_OF_CODE = 23_592;

    /** The face of the Disruptor is given, so it counts apart: in both versions. */
    private static final List<String> FACES = List.of("integrations/disruptor", "integrations/disruptor-3");

    /** A line of a module descriptor that exports a package to the face. */
    private static final Pattern TO_THE_FACE = Pattern.compile("(?m)^\\s+com\\.lmax\\.disruptor[,;]$");

    private static final int MOST_LINES_OF_THE_FACE = 3_153;

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
            Path folder = Repository.root()
                    .resolve(module)
                    .resolve("src")
                    .resolve("main")
                    .resolve("java");
            Repository.files(folder).stream()
                    .filter(file -> file.toString().endsWith(".java"))
                    .forEach(sources::add);
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
