package io.sluice.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulateVerbTest {
    @TempDir
    Path folder;

    private static String run(int status, String... arguments) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            assertThat(new SimulateVerb(out).run(List.of(arguments))).isEqualTo(status);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void printsEveryRateControlSideBySide() throws Exception {
        String text = run(Verb.DONE, "G2");
        assertThat(text).contains("adaptive", "aimd", "cubic", "ladder", "D 100 ms, stop of 200 ms");
        assertThat(text.strip().lines().reduce((a, b) -> b)).hasValue("simulate: 18 passed, 0 failed, 0 skipped");
    }

    @Test
    void dependsOnScenarioControlAndSeedAlone() throws Exception {
        Path json = folder.resolve("a.json");
        Path again = folder.resolve("b.json");
        Path other = folder.resolve("c.json");
        String text = run(Verb.DONE, "g10", "--control", "adaptive", "--seed", "5", "--json", json.toString());
        assertThat(run(Verb.DONE, "g10", "--control", "ADAPTIVE", "--seed", "5", "--json", again.toString()))
                .isEqualTo(text);
        run(Verb.DONE, "g10", "--control", "adaptive", "--seed", "6", "--json", other.toString());
        assertThat(Files.readString(again)).isEqualTo(Files.readString(json)).isNotEqualTo(Files.readString(other));
        assertThat(Files.readString(json)).contains("\"scenario\": \"G10\"", "\"rate\": [", "\"drops\": [");
    }

    @Test
    void plotsRateFillNaksAndDrops() throws Exception {
        Path html = folder.resolve("g4.html");
        run(Verb.DONE, "G4", "--html", html.toString());
        String page = Files.readString(html);
        assertThat(page).contains("sent, messages/s", "fill, %", "NAKs so far", "drops so far");
        assertThat(page.split("<svg", -1)).hasSize(1 + 12 * 4);
        assertThat(page.split("<polyline", -1)).hasSize(1 + 12 * 4 * 4);
    }

    /** docs/plots holds what the simulator draws today. */
    @Test
    void thePlotsOfTheDocumentationAreThoseOfSeedOne() throws Exception {
        Path here = Path.of("").toAbsolutePath();
        Path root = Files.isRegularFile(here.resolve("sluice")) ? here : here.getParent();
        for (String shown : List.of("g2-12.svg", "g5-5.svg")) {
            run(Verb.DONE, shown.substring(0, 2), "--svg", folder.toString());
            assertThat(Files.readString(folder.resolve(shown)))
                    .as(shown)
                    .startsWith("<svg xmlns")
                    .isEqualTo(Files.readString(root.resolve("docs/plots").resolve(shown)));
        }
    }

    @Test
    void refusesBadInput() {
        assertBad("the scenario must be all or one of G1, G2, G2B");
        assertBad("but was 'G99'", "G99");
        assertBad("'G2' is one too many", "G1", "G2");
        assertBad("but one was '--controls'", "G1", "--controls", "x");
        assertBad("--control must be adaptive, aimd, cubic or ladder, but was 'x'", "G1", "--control", "x");
        assertBad("--seed must be a whole number of 64 bits, but was '1.5'", "G1", "--seed", "1.5");
        assertBad("--seed must have a value, but none follows", "G1", "--seed");
        assertBad(
                "cannot be written",
                "G1",
                "--control",
                "aimd",
                "--json",
                folder.resolve("no/such").toString());
    }

    private static void assertBad(String message, String... arguments) {
        assertThatThrownBy(() -> new SimulateVerb(
                                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8))
                        .run(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }
}
