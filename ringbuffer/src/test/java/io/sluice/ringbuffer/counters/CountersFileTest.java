package io.sluice.ringbuffer.counters;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.Allocated;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file of counters: what is in it, for whom, and what is refused. */
@Timeout(60)
class CountersFileTest {
    @TempDir
    Path folder;

    private final RingBuffer<long[]> ring = ringBuilder(true, 16).name("orders").build();
    private final EventPoller<long[]> poller = Pipeline.on(ring).poller("books");

    private static Map<String, Long> values(CountersFileReader reader) {
        Map<String, Long> values = new TreeMap<>();
        reader.forEach((counter, number, consumer, label, value) ->
                values.put(number + "/" + consumer + " " + counter.title() + " [" + label + "]", value));
        return values;
    }

    @Test
    void aReaderSeesWhatWasWritten() throws Exception {
        Path path = folder.resolve("counters");
        long before = System.currentTimeMillis();
        CountersFile file = CountersFile.create(path, 20);
        CountersFileReader reader = CountersFileReader.open(path);
        assertThat(values(reader)).isEmpty();
        file.add(RingMonitor.of(ring));
        publish(ring.producer(), 5);
        poller.poll((event, sequence, endOfBatch) -> {}, 2);
        assertThat(values(reader)).hasSize(20).containsEntry("0/-1 published [orders: published]", 0L);
        file.update();
        assertThat(values(reader))
                .hasSize(20)
                .containsEntry("0/-1 state [orders]", 0L)
                .containsEntry("0/-1 capacity [orders: capacity]", 16L)
                .containsEntry("0/-1 published [orders: published]", 5L)
                .containsEntry("0/-1 handled [orders: handled]", 2L)
                .containsEntry("0/-1 fill [orders: fill]", 3L)
                .containsEntry("0/0 state [books]", 0L)
                .containsEntry("0/0 sequence [orders, consumer books: sequence]", 1L)
                .containsEntry("0/0 lag [orders, consumer books: lag]", 3L)
                .containsEntry("0/0 batches [orders, consumer books: batches]", 1L)
                .containsEntry("0/0 batchSize50 [orders, consumer books: batchSize50]", 3L);
        assertThat(reader.process()).isEqualTo(ProcessHandle.current().pid());
        assertThat(reader.startedMillis()).isBetween(before, System.currentTimeMillis());
        assertThat(reader.updatedMillis()).isBetween(reader.startedMillis(), System.currentTimeMillis());
        assertThat(reader.isFinished()).isFalse();
        file.close();
        file.close();
        assertThat(reader.isFinished()).isTrue();
        assertThat(values(reader)).containsEntry("0/-1 published [orders: published]", 5L);
        reader.close();
        assertThatThrownBy(reader::process)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the reader must be open, but is closed");
        assertThatThrownBy(file::update)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the counters file must be open, but is closed");
    }

    /** The layout is as documented: Agrona's own reader finds the counters. */
    @Test
    void agronasReaderReadsIt() throws Exception {
        Path path = folder.resolve("counters");
        try (CountersFile file = CountersFile.create(path, 30)) {
            file.add(RingMonitor.of(ring));
        }
        byte[] bytes = Files.readAllBytes(path);
        assertThat(bytes).hasSize(128 + 30 * 640);
        SafeBuffer all = SafeBuffer.allocateDirect(bytes.length);
        all.putBytes(0, bytes);
        CountersReader reader = new CountersReader(
                new SafeBuffer(all, 128, 30 * CountersReader.METADATA_LENGTH),
                new SafeBuffer(all, 128 + 30 * CountersReader.METADATA_LENGTH, 30 * CountersReader.COUNTER_LENGTH));
        List<String> found = new ArrayList<>();
        reader.forEach((value, id, label) -> {
            if (reader.getCounterTypeId(id) == RingCounter.CAPACITY.typeId()) {
                found.add(label + "=" + value);
            }
        });
        assertThat(found).containsExactly("orders: capacity=16");
    }

    @Test
    void ringsComeAndGo() throws Exception {
        Path path = folder.resolve("counters");
        try (CountersFile file = CountersFile.create(path, 20);
                CountersFileReader reader = CountersFileReader.open(path)) {
            RingMonitor monitor = RingMonitor.of(ring);
            file.add(monitor);
            assertThatThrownBy(() -> file.add(monitor))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("monitor of ring orders must be added once, but is in the file already");
            RingBuffer<long[]> sameName = ringBuilder(true, 4).name("orders").build();
            assertThatThrownBy(() -> file.add(RingMonitor.of(sameName)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "ring name must be one that no other ring of the file has, but orders is in the file already");
            RingBuffer<long[]> large = ringBuilder(true, 4).name("trades").build();
            assertThatThrownBy(() -> file.add(RingMonitor.of(large)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the file must hold ten counters for each ring and ten for each consumer, but holds 20: no room for"
                                    + " the counters of trades");
            assertThat(file.remove(monitor)).isTrue();
            assertThat(file.remove(monitor)).isFalse();
            assertThat(values(reader)).isEmpty();
        }
    }

    /** All others are written meanwhile, and a scheduled executor goes on: it ends a task that throws. */
    @Test
    void whoJoinsAFullFileWaitsForTheRoomOfWhoHasLeft() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> changes = ringBuilder(true, 16).name("trades").build();
        Pipeline<long[]> pipeline = Pipeline.on(changes);
        EventHandler<long[]> one = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("A", one));
        pipeline.startProcessors().get(0).doWork();
        try (CountersFile file = CountersFile.create(path, 40);
                CountersFileReader reader = CountersFileReader.open(path)) {
            file.add(RingMonitor.of(changes));
            file.add(RingMonitor.of(ring));
            assertThat(values(reader)).hasSize(40);
            pipeline.join(pipeline.consumer("B", other)).processor(0);
            assertThat(pipeline.consumer(one).remove(0)).isEqualTo(Removal.LEFT);
            publish(changes.producer(), 2);
            publish(ring.producer(), 5);
            List<String> logged = logged(() -> {
                for (int update = 0; update < 3; update++) {
                    file.update();
                }
            });
            assertThat(logged)
                    .containsExactly(
                            "the file must hold ten counters for each ring and ten for each consumer, but holds 40: no room for"
                                    + " the counters of trades, consumer B");
            assertThat(values(reader))
                    .hasSize(30)
                    .containsEntry("0/-1 published [trades: published]", 2L)
                    .containsEntry("1/-1 published [orders: published]", 5L)
                    .containsKey("1/0 state [books]");
            Rings.await("the room of A", () -> {
                file.update();
                return values(reader).size() == 40;
            });
            assertThat(values(reader))
                    .containsEntry("0/1 state [B]", 0L)
                    .containsEntry("0/1 lag [trades, consumer B: lag]", 2L);
        } finally {
            changes.close();
        }
    }

    /** Its figures stay as they were. The log is told once, and again once it could be read meanwhile. */
    @Test
    void aRingThatCannotBeReadDoesNotKeepTheOthersFromBeingWritten() throws Exception {
        boolean[] broken = {false};
        RingBuffer<long[]> trades = unreadableWhile(broken);
        Path path = folder.resolve("counters");
        try (CountersFile file = CountersFile.create(path, 30);
                CountersFileReader reader = CountersFileReader.open(path)) {
            file.add(RingMonitor.of(trades));
            file.add(RingMonitor.of(ring));
            Producer<long[]> ofTrades = trades.producer();
            Producer<long[]> ofOrders = ring.producer();
            for (int round = 1; round <= 2; round++) {
                publish(ofTrades, 2);
                publish(ofOrders, 5);
                broken[0] = true;
                List<String> logged = logged(() -> {
                    for (int update = 0; update < 3; update++) {
                        file.update();
                    }
                });
                assertThat(logged)
                        .containsExactly(
                                "ring trades is in the counters file, but cannot be read: its figures stay as they were");
                assertThat(values(reader))
                        .containsEntry("0/-1 published [trades: published]", 2L * (round - 1))
                        .containsEntry("1/-1 published [orders: published]", 5L * round);
                broken[0] = false;
                assertThat(logged(file::update)).isEmpty();
                assertThat(values(reader)).containsEntry("0/-1 published [trades: published]", 2L * round);
            }
        }
    }

    /** The ring "trades", one of whose gating sequences throws while it is told to. */
    private static RingBuffer<long[]> unreadableWhile(boolean[] broken) {
        RingBuffer<long[]> trades = ringBuilder(true, 16).name("trades").build();
        trades.addGating(() -> {
            if (broken[0]) {
                throw new IllegalStateException("planned");
            }
            return -1;
        });
        return trades;
    }

    /** An update comes where the log throws too; the next one tells it. */
    @Test
    void aRingThatCannotBeReadIsToldAgainWhereTheLogHasThrown() throws Exception {
        boolean[] broken = {false};
        RingBuffer<long[]> trades = unreadableWhile(broken);
        Path path = folder.resolve("counters");
        Logger logger = Logger.getLogger("io.sluice.ringbuffer");
        try (CountersFile file = CountersFile.create(path, 30);
                CountersFileReader reader = CountersFileReader.open(path)) {
            file.add(RingMonitor.of(trades));
            file.add(RingMonitor.of(ring));
            broken[0] = true;
            publish(ring.producer(), 5);
            logger.setFilter(line -> {
                throw new IllegalStateException("no log");
            });
            file.update();
            assertThat(values(reader)).containsEntry("1/-1 published [orders: published]", 5L);
            assertThat(logged(file::update)).hasSize(1);
            assertThat(logged(file::update)).isEmpty();
        } finally {
            logger.setFilter(null);
        }
    }

    /** What was thrown says nothing of itself: only the cause is missing. */
    @Test
    @SuppressWarnings("OverrideThrowableToString") // on purpose
    void aFailureThatCannotBePutIntoWordsKeepsNoFiguresFromBeingWritten() throws Exception {
        RingBuffer<long[]> fails = ringBuilder(true, 16).name("trades").build();
        Pipeline<long[]> pipeline = Pipeline.on(fails).errorHandler(failure -> {});
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            if (sequence == 3) {
                throw new IllegalStateException() {
                    @Override
                    public String toString() {
                        throw new UnsupportedOperationException("planned");
                    }
                };
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("journal", handler));
        Path path = folder.resolve("counters");
        try (CountersFile file = CountersFile.create(path, 41);
                CountersFileReader reader = CountersFileReader.open(path)) {
            file.add(RingMonitor.of(fails));
            file.add(RingMonitor.of(ring));
            pipeline.start();
            publish(fails.producer(), 5);
            publish(ring.producer(), 5);
            Rings.await("the ring has failed", () -> fails.failure() != null);
            List<String> logged = logged(() -> {
                for (int update = 0; update < 3; update++) {
                    file.update();
                }
            });
            assertThat(logged).hasSize(1);
            assertThat(values(reader))
                    .hasSize(40)
                    .containsEntry("0/-1 state [trades]", 3L)
                    .containsEntry("0/0 state [journal]", 3L)
                    .containsEntry("0/0 failures [trades, consumer journal: failures]", 1L)
                    .containsEntry("1/-1 published [orders: published]", 5L);
        } finally {
            pipeline.close();
        }
    }

    private static List<String> logged(Runnable body) {
        List<String> messages = new ArrayList<>();
        Logger logger = Logger.getLogger("io.sluice.ringbuffer");
        Filter before = logger.getFilter();
        logger.setFilter(logRecord -> {
            messages.add(logRecord.getMessage());
            return false;
        });
        try {
            body.run();
        } finally {
            logger.setFilter(before);
        }
        return messages;
    }

    /** A counter more: it comes with the failure, once, and goes with the ring. */
    @Test
    void theCauseOfAFailureIsWritten() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> fails = ringBuilder(true, 16).name("trades").build();
        Pipeline<long[]> pipeline = Pipeline.on(fails).errorHandler(failure -> {});
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            if (sequence == 3) {
                throw new java.io.UncheckedIOException(
                        "no\nspace", new IOException("device " + "x".repeat(400) + " is full"));
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("journal", handler));
        try (CountersFile file = CountersFile.create(path, 22);
                CountersFileReader reader = CountersFileReader.open(path);
                CountersFile full = CountersFile.create(folder.resolve("full"), 20);
                CountersFileReader ofFull = CountersFileReader.open(folder.resolve("full"))) {
            RingMonitor monitor = RingMonitor.of(fails);
            assertThat(monitor.failure()).isNull();
            file.add(monitor);
            full.add(RingMonitor.of(fails));
            assertThat(values(reader)).hasSize(20);
            pipeline.start();
            publish(fails.producer(), 5);
            Rings.await("the ring has failed", () -> fails.failure() != null);
            for (int update = 0; update < 3; update++) {
                file.update();
                full.update();
            }
            String begin = "consumer journal at sequence 3: java.io.UncheckedIOException: no space, caused by"
                    + " java.io.IOException: device xx";
            assertThat(monitor.failure())
                    .startsWith(begin)
                    .endsWith("x is full")
                    .doesNotContain("\n");
            assertThat(values(reader))
                    .hasSize(21)
                    .containsEntry("0/-1 state [trades]", 3L)
                    .anySatisfy((name, value) -> {
                        assertThat(name).startsWith("0/-1 failure [" + begin);
                        assertThat(value).isEqualTo(1);
                    });
            assertThat(values(ofFull)).as("no room for it").hasSize(20).containsEntry("0/-1 state [trades]", 3L);
            assertThat(file.remove(monitor)).isTrue();
            assertThat(values(reader)).isEmpty();
        } finally {
            pipeline.close();
        }
    }

    @Test
    void anotherVersionIsRefusedByItsNumber() throws Exception {
        Path path = folder.resolve("counters");
        try (CountersFile file = CountersFile.create(path, 2)) {
            file.update();
        }
        byte[] bytes = Files.readAllBytes(path);
        SafeBuffer header = new SafeBuffer(bytes);
        assertThat(header.getLong(0)).isEqualTo(0x534c_5549_4345_0002L);
        header.putLong(0, 0x534c_5549_4345_0001L);
        Files.write(path, bytes);
        assertThatThrownBy(() -> CountersFileReader.open(path))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("counters file " + path + " must have layout version 2, but has 1");
    }

    @Test
    @Tag("once")
    void anUpdateMakesNoGarbage() throws Exception {
        try (CountersFile file = CountersFile.create(folder.resolve("counters"), 20)) {
            file.add(RingMonitor.of(ring));
            assertThat(Allocated.least(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            file.update();
                        }
                    }))
                    .isZero();
        }
    }

    @Test
    void whatIsNoCountersFileIsRefused() throws IOException {
        Path path = folder.resolve("other");
        Files.write(path, new byte[10]);
        assertThatThrownBy(() -> CountersFileReader.open(path))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a counters file must be from 128 to ")
                .hasMessageContaining("a counters file must be");
        Files.write(path, new byte[128 + 640]);
        assertThatThrownBy(() -> CountersFileReader.open(path))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("file must be a counters file, but the first bytes of ");
        assertThatThrownBy(() -> CountersFile.create(path, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("capacity must be from 1 to 100000, but was 0");
        try (CountersFile file = CountersFile.create(path, 2)) {
            file.update();
        }
        byte[] cut = Files.readAllBytes(path);
        Files.write(path, Arrays.copyOf(cut, cut.length - 1));
        assertThatThrownBy(() -> CountersFileReader.open(path)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Run in a JVM without flags. */
    static final class WithoutFlags {
        private WithoutFlags() {}

        public static void main(String[] arguments) throws Exception {
            RingBuffer<long[]> ring = ringBuilder(true, 16).name("orders").build();
            System.out.print(RingMonitor.of(ring).dump());
            Path path = Path.of(arguments[0]);
            try (CountersFile file = CountersFile.create(path, 20);
                    CountersFileReader reader = CountersFileReader.open(path)) {
                file.add(RingMonitor.of(ring));
                publish(ring.producer(), 5);
                file.update();
                System.out.println(values(reader).get("0/-1 published [orders: published]"));
            }
        }
    }

    /** No option, and no warning. */
    @Test
    @Tag("once")
    void theFileNeedsNoOptionOfTheJvm() throws Exception {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        WithoutFlags.class.getName(),
                        folder.resolve("counters").toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(out).lines())
                .containsExactly(
                        "ring orders: RUNNING, 0 of 16 slots in use, 0 published, 0 handled; 0 stalls, 0 refused, 0 dropped",
                        "5");
    }
}
