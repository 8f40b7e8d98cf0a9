package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/memory-model.md has a row for each field that is accessed through a VarHandle, and no other. */
@Tag("once")
class MemoryModelTest {
    private static final Pattern FIELD = Pattern.compile("findVarHandle\\(\\s*(\\w+)\\.class,\\s*\"(\\w+)\"");
    private static final Pattern ARRAY = Pattern.compile("VarHandle (\\w+) = MethodHandles.arrayElementVarHandle");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+\\.\\w+(?:\\[])?)` \\|");

    @Test
    void theTableAndTheCodeAgree() throws IOException {
        Set<String> inCode = new TreeSet<>();
        for (String module : Repository.libraryModules()) {
            Path sources = Repository.root().resolve(module).resolve("src/main/java");
            for (Path file : Repository.files(sources)) {
                String text = Repository.read(file);
                FIELD.matcher(text).results().forEach(found -> inCode.add(found.group(1) + "." + found.group(2)));
                ARRAY.matcher(text).results().forEach(found -> inCode.add(arrayOf(file, text, found.group(1))));
            }
        }
        Set<String> inTable = new TreeSet<>();
        ROW.matcher(Repository.read(Repository.root().resolve("docs/memory-model.md")))
                .results()
                .forEach(found -> inTable.add(found.group(1)));
        assertThat(inCode).hasSizeGreaterThan(15);
        assertThat(inTable).containsExactlyElementsOf(inCode);
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
