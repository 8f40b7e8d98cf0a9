package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The launcher prints a verb's help from {@code docs/verbs.md}, without a build; so the page must say what the verbs say. */
@Tag("once")
class VerbsPageTest {
    private static final Pattern HELP =
            Pattern.compile("<!-- help: ([a-z]+) -->\\R```text\\R(.*?)\\R```", Pattern.DOTALL);

    @Test
    void thePageHasTheHelpOfEveryVerb() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (Verb verb : ServiceLoader.load(Verb.class)) {
            expected.put(verb.name(), verb.usage().stripTrailing());
        }
        Map<String, String> written = new TreeMap<>();
        Matcher help = HELP.matcher(Files.readString(
                Path.of("").toAbsolutePath().resolveSibling("docs").resolve("verbs.md")));
        while (help.find()) {
            written.put(help.group(1), help.group(2));
        }
        assertThat(expected).isNotEmpty();
        assertThat(written)
                .as("docs/verbs.md: what follows 'help: VERB' is that verb's usage")
                .isEqualTo(expected);
    }
}
