package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/memory-model.md has a row for each field that is accessed through a VarHandle, and no other. */
@Tag("once")
class MemoryModelTest {
    private static final Pattern FIELD = Pattern.compile(
            "(?:findVarHandle\\(|VarHandles\\.field\\(\\s*MethodHandles\\.lookup\\(\\),)\\s*(\\w+)\\.class,\\s*\"(\\w+)\"");
    private static final Pattern ARRAY = Pattern.compile("VarHandle (\\w+) = MethodHandles.arrayElementVarHandle");
    private static final Pattern VIEW = Pattern.compile("VarHandle \\w+ =\\s*MethodHandles.byteBufferViewVarHandle");
    private static final Pattern TIED =
            Pattern.compile("(?m)^\\| `(\\w+\\.\\w+(?:\\[])?)` \\| \\[`(\\w+)`]\\((\\S+)\\) \\| (.*) \\| (.*) \\|$");
    private static final Pattern LINK = Pattern.compile("\\[(\\w+)]\\(([^)]+)\\)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+\\.\\w+(?:\\[])?)` \\|");

    @Test
    void theTableAndTheCodeAgree() throws IOException {
        Set<String> inCode = new TreeSet<>();
        for (String module : Repository.libraryModules()) {
            Path sources = Repository.root().resolve(module).resolve("src/main/java");
            for (Path file : Repository.files(sources)) {
                String text = Repository.read(file);
                FIELD.matcher(text).results().forEach(found -> inCode.add(found.group(1) + "." + found.group(2)));
                if (module.equals("ringbuffer") && VIEW.matcher(text).find()) {
                    inCode.add(file.getFileName().toString().replace(".java", "") + ".memory[]");
                }
                ARRAY.matcher(text).results().forEach(found -> inCode.add(arrayOf(file, text, found.group(1))));
            }
        }
        Set<String> inTable = new TreeSet<>();
        ROW.matcher(text()[0]).results().forEach(found -> inTable.add(found.group(1)));
        assertThat(inCode).hasSizeGreaterThan(15);
        assertThat(inTable).containsExactlyElementsOf(inCode);
    }

    /** Every field of core and ringbuffer is tied to its handle, which the file declares, and to tests and models that exist. */
    @Test
    void everyFieldOfTheRingIsTiedToCodeTestAndModel() throws IOException {
        Set<String> tied = new TreeSet<>();
        for (MatchResult row : TIED.matcher(text()[1]).results().toList()) {
            assertThat(tied.add(row.group(1))).as("one row for " + row.group(1)).isTrue();
            assertThat(Repository.read(linked(row.group(3))))
                    .as(row.group(1))
                    .containsPattern("VarHandle " + row.group(2) + "\\b");
            List<MatchResult> tests = LINK.matcher(row.group(4)).results().toList();
            assertThat(tests).as("tests of " + row.group(1)).isNotEmpty();
            for (MatchResult test : tests) {
                assertThat(Repository.read(linked(test.group(2)))).containsPattern("@\\w*Test\\b[\\s\\S]*void ");
            }
            if (!row.group(5).equals("none")) {
                MatchResult model =
                        LINK.matcher(row.group(5)).results().findFirst().orElseThrow();
                assertThat(linked(model.group(2).replace(".md", ".tla"))).isRegularFile();
            }
        }
        Set<String> expected = new TreeSet<>();
        String table = text()[0];
        String ring = table.substring(table.indexOf("## core"), table.indexOf("## batching"));
        ROW.matcher(ring).results().forEach(found -> expected.add(found.group(1)));
        assertThat(tied).hasSizeGreaterThan(15).containsExactlyElementsOf(expected);
    }

    private static Path linked(String target) {
        return Repository.root().resolve("docs").resolve(target).normalize();
    }

    /** The tables of the fields, and the one that says where each is shown. */
    private static String[] text() throws IOException {
        String[] parts = Repository.read(Repository.root().resolve("docs/memory-model.md"))
                .split("## Where it is shown", -1);
        assertThat(parts).hasSize(2);
        return parts;
    }

    /** A handle for elements is named after its array: WORDS for words, or STAMP for stamps. */
    private static String arrayOf(Path file, String text, String handle) {
        String name = handle.toLowerCase(Locale.ROOT);
        String field = Pattern.compile("\\[\\] " + name + "\\b").matcher(text).find() ? name : name + "s";
        assertThat(text)
                .as(file + ": the array that " + handle + " accesses")
                .containsPattern("\\[\\] " + field + "\\b");
        return file.getFileName().toString().replace(".java", "") + "." + field + "[]";
    }
}
