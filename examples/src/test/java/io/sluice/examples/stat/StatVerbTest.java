package io.sluice.examples.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Main;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.counters.CountersFile;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice stat}: exact figures of a ring that stands still, a soak in another process, its end, and bad input. */
@Timeout(100)
class StatVerbTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final StatVerb verb = new StatVerb(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    @TempDir
    private Path folder;

    private String stat(String... arguments) throws Exception {
        bytes.reset();
        assertThat(verb.run(List.of(arguments))).isEqualTo(Verb.DONE);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theFiguresAreShown() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBuffer.builder(() -> new long[1])
                .name("a \"ring\"")
                .capacity(8)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 4; i++) {
            producer.publishEvent((event, sequence) -> event[0] = sequence);
        }
        poller.poll((event, sequence, endOfBatch) -> {}, 3);
        try (CountersFile file = CountersFile.create(path, 20)) {
            file.add(RingMonitor.of(ring));
            assertThat(stat(path.toString(), "--once"))
                    .contains("ring a \"ring\": RUNNING, fill 1 of 8 (13 %), published 4, handled 3\n")
                    .contains("  producers: 0 waiting, 0 stalls in 0.000 s, 0 refused, 0 dropped\n")
                    .containsPattern("\n  books +RUNNING +3 +1 +1 +3 +3 +0 +0 +0\n")
                    .containsPattern("\nprocess \\d+ is running, updated \\d+\\.\\d s ago\n$");
            assertThat(stat("--json", "--once", path.toString()))
                    .startsWith(
                            "{\"process\":" + ProcessHandle.current().pid() + ",\"running\":true,\"updatedMillis\":")
                    .contains("\"rings\":[{\"name\":\"a \\\"ring\\\"\",\"state\":\"RUNNING\",\"capacity\":8,\"fill\":1,"
                            + "\"published\":4,\"handled\":3,\"stalls\":0,\"stalledNanos\":0,\"producersWaiting\":0,"
                            + "\"refused\":0,\"dropped\":0,\"consumers\":[{\"name\":\"books\",\"state\":\"RUNNING\","
                            + "\"sequence\":2,\"lag\":1,\"handled\":3,\"batches\":1,\"batchSize50\":3,\"batchSize99\":3,"
                            + "\"parks\":0,\"failures\":0,\"shed\":0}]}]}\n");
        }
        assertThat(stat(path.toString())) // ends by itself, the file being closed
                .containsPattern("\nprocess \\d+ has closed its counters, updated \\d+\\.\\d s ago\n$");
    }

    /** The figures of another process change while one looks; when it is killed, the look ends and says so. */
    @Test
    @Tag("once")
    void anotherProcessIsWatchedToItsEnd() throws Exception {
        Path path = folder.resolve("counters");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-exports",
                        "java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        "soak",
                        "--minutes",
                        "10",
                        "--seed",
                        "7",
                        "--counters",
                        path.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        try {
            while (process.isAlive() && !shows(path, "\"name\":\"soak\"")) {
                LockSupport.parkNanos(20_000_000);
            }
            String first = stat(path.toString(), "--once", "--json");
            assertThat(first).startsWith("{\"process\":" + process.pid() + ",\"running\":true,");
            while (process.isAlive()
                    && stat(path.toString(), "--once", "--json").equals(first)) {
                LockSupport.parkNanos(20_000_000);
            }
            assertThat(process.isAlive())
                    .as(Files.readString(folder.resolve("output")))
                    .isTrue();
            process.destroyForcibly();
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            assertThat(stat(path.toString()))
                    .contains("ring soak: ")
                    .contains("\nprocess " + process.pid() + " has ended without closing its counters, updated ");
        } finally {
            process.destroyForcibly();
        }
    }

    private boolean shows(Path path, String text) throws Exception {
        try {
            return Files.exists(path)
                    && stat(path.toString(), "--once", "--json").contains(text);
        } catch (UsageException e) {
            return false; // not all of it is there yet
        }
    }

    @Test
    void badInputIsRefused() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "text");
        assertThatThrownBy(() -> verb.run(List.of()))
                .isInstanceOf(UsageException.class)
                .hasMessage("no FILE given; the counters file of a process is needed");
        assertThatThrownBy(() -> verb.run(List.of("a", "b")))
                .isInstanceOf(UsageException.class)
                .hasMessage("two files, 'a' and 'b'; allowed is one");
        assertThatThrownBy(() -> verb.run(List.of("--twice", "a")))
                .isInstanceOf(UsageException.class)
                .hasMessage("unknown option '--twice'; allowed are --once and --json");
        assertThatThrownBy(() -> verb.run(List.of(folder.resolve("none").toString())))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith("none' is not there; the counters file of a process is needed");
        assertThatThrownBy(() -> verb.run(List.of(other.toString())))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("other' can not be read as counters: ")
                .hasMessageContaining("has 4 bytes");
    }
}
