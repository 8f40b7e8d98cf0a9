package io.sluice.examples.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Interruption;
import io.sluice.cli.Main;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice soak}: a short one, its end by a signal, its usage, and that its ledger sees what it is there to see. */
class SoakVerbTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final SoakVerb verb = new SoakVerb(
            new PrintStream(bytes, true, StandardCharsets.UTF_8), new PrintStream(bytes, true, StandardCharsets.UTF_8));

    @TempDir
    private Path folder;

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    @Tag("concurrency")
    void aShortSoakLosesNothing()
            throws Exception { // on busy processors a round takes a second, and not each has joins
        int status = verb.run(TimeUnit.SECONDS.toNanos(8), 42, new Interruption("test"));
        assertThat(status).as(output()).isEqualTo(Verb.DONE);
        assertThat(output())
                .contains(
                        "lost 0, doubled 0, out of order 0\n",
                        "torn 0, wrong checksums 0, outside a membership 0, stuck 0\n",
                        "seed 42\n")
                .containsPattern("published [1-9]")
                .containsPattern("consumers joined [1-9]\\d*, left [1-9]")
                .containsPattern("(?s)[1-9]\\d* passed, 0 failed, 0 skipped\n$");
    }

    @Test
    @Tag("concurrency")
    void whoIsAskedToEndReportsWhatThereIs() throws Exception {
        Interruption interruption = new Interruption("test");
        interruption.request();
        int status = verb.run(TimeUnit.HOURS.toNanos(1), 42, interruption);
        assertThat(status).isEqualTo(Verb.INTERRUPTED);
        assertThat(output())
                .startsWith("interrupted\n")
                .contains("seed 42\n")
                .endsWith("1 passed, 0 failed, 0 skipped\n");
    }

    @Test
    @Tag("once")
    void aSignalEndsItWithTheReport() throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        "soak",
                        "--minutes",
                        "10",
                        "--seed",
                        "7")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            // The hook is there once the verb runs; before that the signal would just end the JVM.
            while (process.isAlive() && !threads(process).contains("sluice-soak-producer")) {
                LockSupport.parkNanos(50_000_000);
            }
            process.destroy();
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isEqualTo(143);
        assertThat(text)
                .contains("interrupted\n", "lost 0, doubled 0, out of order 0\n", "seed 7\n")
                .contains(" passed, 0 failed, 0 skipped\n");
    }

    /** What jstack says of a process. */
    private String threads(Process process) throws Exception {
        Path dump = folder.resolve("threads");
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        "Thread.print")
                .redirectErrorStream(true)
                .redirectOutput(dump.toFile())
                .start();
        jcmd.waitFor(60, TimeUnit.SECONDS);
        return Files.readString(dump, StandardCharsets.UTF_8);
    }

    @Test
    void badUsageIsRefused() {
        for (String minutes : List.of("0", "-1", "NaN", "x", "10081")) {
            assertThatThrownBy(() -> verb.run(List.of("--minutes", minutes)))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("--minutes must be above 0 and at most 10080, but was '" + minutes + "'");
        }
        assertThatThrownBy(() -> verb.run(List.of("--seed", "1.5")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--seed must be a whole number of 64 bits, but was '1.5'");
        assertThatThrownBy(() -> verb.run(List.of("--seed")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--seed must have a value, but none follows");
        assertThatThrownBy(() -> verb.run(List.of("--hours", "1")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--hours");
    }

    // the ledger

    private static final long SEED = 3;

    private static void enter(Ledger ledger, int producer, long number, long sequence) {
        SoakEvent event = new SoakEvent();
        event.fill(SEED, producer, number, sequence);
        ledger.enter(event, SEED, sequence);
    }

    @Test
    void aLedgerOfWhatCameInOrderIsClean() {
        Ledger ledger = new Ledger(2);
        enter(ledger, 0, 0, 0);
        enter(ledger, 1, 0, 2);
        enter(ledger, 0, 1, 3);
        assertThat(ledger.lost(0, 0, 2) + ledger.lost(1, 0, 1)).isZero();
        assertThat(ledger.strays(0, 0, 2) + ledger.strays(1, 0, 1)).isZero();
        assertThat(ledger.doubled + ledger.outOfOrder + ledger.torn).isZero();
        assertThat(ledger.sum(0)).isEqualTo(SoakEvent.check(SEED, 0, 0, 0) + SoakEvent.check(SEED, 0, 1, 3));
    }

    @Test
    void aLedgerSeesWhatIsLost() {
        Ledger ledger = new Ledger(1);
        enter(ledger, 0, 0, 0);
        enter(ledger, 0, 3, 1);
        assertThat(ledger.lost(0, 0, 4)).isEqualTo(2);
        assertThat(ledger.lost(0, 0, 6)).isEqualTo(4);
        assertThat(new Ledger(1).lost(0, 2, 6)).isEqualTo(4);
    }

    @Test
    void aLedgerBeginsAndEndsWithTheMembership() {
        Ledger ledger = new Ledger(1);
        enter(ledger, 0, 5, 7);
        enter(ledger, 0, 6, 8);
        assertThat(ledger.lost(0, 5, 7) + ledger.strays(0, 5, 7)).isZero();
        assertThat(ledger.lost(0, 3, 8)).isEqualTo(3);
        assertThat(ledger.strays(0, 6, 7)).isEqualTo(1);
        assertThat(ledger.strays(0, 5, 6)).isEqualTo(1);
        assertThat(new Ledger(1).strays(0, 5, 6)).isZero();
    }

    @Test
    void aLedgerSeesWhatIsDoubledOrOutOfOrder() {
        Ledger ledger = new Ledger(1);
        enter(ledger, 0, 0, 0);
        enter(ledger, 0, 0, 1);
        assertThat(ledger.doubled).isEqualTo(1);
        enter(ledger, 0, 2, 2);
        enter(ledger, 0, 1, 3);
        assertThat(ledger.outOfOrder).isEqualTo(1);
        enter(ledger, 0, 3, 3);
        assertThat(ledger.outOfOrder).isEqualTo(2);
        assertThat(ledger.lost(0, 0, 4)).isZero();
    }

    @Test
    void aLedgerSeesWhatIsTorn() {
        Ledger ledger = new Ledger(1);
        SoakEvent event = new SoakEvent();
        event.fill(SEED, 0, 0, 0);
        event.number = 1;
        ledger.enter(event, SEED, 0);
        event.fill(SEED, 0, 0, 0);
        ledger.enter(event, SEED, 1);
        assertThat(ledger.torn).isEqualTo(2);
    }
}
