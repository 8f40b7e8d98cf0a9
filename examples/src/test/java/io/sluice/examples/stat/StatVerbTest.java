package io.sluice.examples.stat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronNakTransport;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.EventEncoder;
import io.sluice.aeron.SilentReceiverCounters;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.cli.Main;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.counters.CountersFile;
import io.sluice.ringbuffer.counters.CountersFileReader;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
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
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
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
                    .startsWith("""
                            ring a "ring": RUNNING
                              slots       1 of 8 in use (13 %)
                              published   4
                              handled     3
                              producers   0 waiting, 0 stalls in 0.000 s
                              claims      0 refused, 0 dropped
                              consumer             state    events a second      events handled   lag now
                              books                RUNNING                -                   3         1
                                                                  events in a batch:
                              consumer                   batches   50 % <=   99 % <=   parks failures   shed
                              books                            1         3         3       0        0      0
                            """)
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

    @Test
    void theCountersOfAMediaDriverAreShownWithThem() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .name("orders")
                .capacity(8)
                .build();
        Path directory;
        try (AeronLink link = AeronLink.embedded(e -> {})
                        .threads(ThreadingMode.INVOKER)
                        .start();
                CountersFile file = CountersFile.create(path, 40)) {
            directory = link.directory();
            file.add(RingMonitor.of(ring));
            link.aeron().addSubscription("aeron:ipc", 77);
            link.doWork();
            assertThat(stat(path.toString(), "--once", "--aeron", directory.toString()))
                    .contains("ring orders: RUNNING\n")
                    .containsPattern("\naeron " + directory + "\n( +-?\\d+  .+\n)+process ");
            assertThat(stat(path.toString(), "--once", "--json", "--aeron", directory.toString()))
                    .containsPattern("\"rings\":\\[.*],\"aeron\":\\[\\{\"label\":\".+\",\"value\":-?\\d+}.*]}\n$");
            assertThatThrownBy(() -> stat(path.toString(), "--aeron"))
                    .isInstanceOf(UsageException.class)
                    .hasMessage("--aeron must have a directory behind it, but it is the last argument");
            assertThatThrownBy(() -> stat(path.toString(), "--aeron", folder.toString()))
                    .isInstanceOf(UsageException.class)
                    .hasMessageStartingWith("DIR must be the directory of a media driver, but ");
        }
    }

    /** A driver that is started again deletes the directory of the one before, and makes another file. */
    @Test
    void aDriverThatIsStartedAgainIsShownInPlaceOfTheOneBefore() throws Exception {
        String directory = folder.resolve("driver").toString();
        AeronLink first = driver(directory);
        try (AeronCounters counters = AeronCounters.open(directory)) {
            first.aeron().addCounter(1_001, "of the first one").set(7);
            assertThat(counters.text()).startsWith("aeron " + directory + "\n").contains("  7  of the first one\n");
            first.close();
            assertThat(counters.text()).isEqualTo("aeron " + directory + ", where no driver is now\n");
            assertThat(counters.json()).isEqualTo("[]");
            try (AeronLink second = driver(directory)) {
                second.aeron().addCounter(1_001, "of the second one").set(8);
                assertThat(counters.text())
                        .startsWith("aeron " + directory + "\n")
                        .contains("  8  of the second one\n")
                        .doesNotContain("of the first one");
                assertThat(counters.json()).contains("of the second one").doesNotContain("of the first one");
            }
        } finally {
            first.close();
        }
    }

    private static AeronLink driver(String directory) {
        return AeronLink.embedded(e -> {})
                .threads(ThreadingMode.INVOKER)
                .driver(context -> context.aeronDirectoryName(directory))
                .start();
    }

    @Test
    void aSilentReceiverIsAmongThemUntilItIsHeardAgain() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .name("orders")
                .capacity(8)
                .build();
        long[] now = {0};
        NanoClock clock = () -> now[0];
        try (AeronLink link = AeronLink.embedded(e -> {})
                        .threads(ThreadingMode.INVOKER)
                        .start();
                CountersFile file = CountersFile.create(path, 40);
                AeronSender<long[]> sender = AeronSender.<long[]>builder(
                                link, "aeron:ipc", 76, EventEncoder.fixed(8, (event, buffer, offset) -> {}))
                        .build();
                AeronNakTransport at = AeronNakTransport.atSender(link, "aeron:ipc", 77, 5, sender);
                AeronNakTransport says = AeronNakTransport.atReceiver(link, "aeron:ipc", 77, 5)) {
            file.add(RingMonitor.of(ring));
            NakController controller = NakController.builder(
                            at, RateLimiter.singleWriter(clock, 64), sender::position, clock)
                    .onSilentReceiver(50_000_000, (receiver, position, nanos) -> {})
                    .build();
            SilentReceiverCounters counters = new SilentReceiverCounters(link, controller, 5);
            LifeSigns signs = new LifeSigns(
                    FillSource.of(ring, Pipeline.on(ring).poller("in").consumer()), says, clock, 5, 3, 10_000_000);
            String[] options = {
                path.toString(), "--once", "--aeron", link.directory().toString()
            };
            boolean[] speaks = {true};
            Runnable turn = () -> {
                now[0] += 1_000_000;
                link.doWork();
                controller.doWork();
                counters.doWork();
                if (speaks[0]) {
                    signs.poll();
                }
            };
            while (controller.receivedSigns() < 3) {
                turn.run();
            }
            assertThat(stat(options)).doesNotContain("silent: ");
            speaks[0] = false;
            while (!stat(options).contains("silent: ")) {
                turn.run();
            }
            assertThat(stat(options)).containsPattern("\n +[1-9]\\d*  silent: receiver 3 of stream 5, ms; handled 0\n");
            speaks[0] = true;
            while (stat(options).contains("silent: ")) {
                turn.run();
            }
            assertThat(controller.silences()).isEqualTo(1);
            counters.close();
        }
    }

    /** Two looks give events a second, by the writer's own times; one look, or a ring that is new, gives none. */
    @Test
    void ratesComeFromTwoLooks() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .name("orders")
                .capacity(1024)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        try (CountersFile file = CountersFile.create(path, 40);
                CountersFileReader reader = CountersFileReader.open(path)) {
            file.add(RingMonitor.of(ring));
            file.update();
            Figures before = Figures.of(reader);
            for (int i = 0; i < 1_000; i++) {
                producer.publishEvent((event, sequence) -> event[0] = sequence);
            }
            poller.poll((event, sequence, endOfBatch) -> {}, 500);
            RingBuffer<long[]> second = RingBufferBuilder.of(() -> new long[1])
                    .name("new")
                    .capacity(8)
                    .build();
            file.add(RingMonitor.of(second));
            do {
                file.update();
            } while (Figures.of(reader).updatedMillis() <= before.updatedMillis());
            Figures after = Figures.of(reader);
            double seconds = (after.updatedMillis() - before.updatedMillis()) / 1e3;
            Rates rates = Rates.between(before, after);
            assertThat(rates.published(0)).isCloseTo(1_000 / seconds, withinPercentage(0.001));
            assertThat(rates.handled(0, 0)).isCloseTo(500 / seconds, withinPercentage(0.001));
            assertThat(rates.published(1)).isNaN();
            assertThat(Rates.between(after, after).published(0)).isNaN();
            assertThat(Rates.NONE.handled(0, 0)).isNaN();
            String figure = FiguresTable.fit(Math.round(1_000 / seconds), 15);
            assertThat(new FiguresTable(after, rates).text())
                    .contains("\n  published   1,000 (" + figure + " a second)\n")
                    .containsPattern("\n  books +RUNNING +[1-9][0-9,]* +500 +500\n")
                    .contains("ring new: RUNNING\n")
                    .contains("\n  published   0\n");
            assertThat(after.json(rates))
                    .contains(String.format(
                            java.util.Locale.ROOT, "\"dropped\":0,\"publishedPerSecond\":%.1f,", 1_000 / seconds))
                    .contains("\"shed\":0,\"handledPerSecond\":")
                    .contains("\"dropped\":0,\"consumers\":[]");
        }
    }

    @Test
    void theCauseOfAFailureIsShown() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .name("a ring with a name that is longer than what a terminal of eighty columns can show")
                .capacity(8)
                .singleProducer()
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            throw new IllegalStateException("the disk that holds the journal of this exchange is full, and nobody has"
                    + " freed any of it" + "!".repeat(100));
        };
        pipeline.handleEventsWith(pipeline.consumer("journal of the whole exchange", handler));
        pipeline.start();
        ring.producer().publishEvent((event, sequence) -> event[0] = sequence);
        while (ring.failure() == null) {
            Thread.onSpinWait();
        }
        try (CountersFile file = CountersFile.create(path, 40)) {
            file.add(RingMonitor.of(ring));
        } finally {
            pipeline.close();
        }
        String text = stat(path.toString());
        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(FiguresTable.WIDTH));
        assertThat(text).startsWith("""
                        ring a ring with a name that is longer than what a terminal of...: FAILED
                          failed by   consumer journal of the whole exchange at sequence 0:
                                      java.lang.IllegalStateException: the disk that holds the journal
                        """).containsPattern("\n  journal of the wh... FAILED +- +0 +1\n");
        assertThat(stat("--json", path.toString()))
                .contains(
                        ",\"failure\":\"consumer journal of the whole exchange at sequence 0: java.lang.IllegalState");
    }

    @Test
    void numbersAreShortenedToTheirWidth() {
        assertThat(FiguresTable.fit(0, 5)).isEqualTo("0");
        assertThat(FiguresTable.fit(12_345, 6)).isEqualTo("12,345");
        assertThat(FiguresTable.fit(123_456, 6)).isEqualTo("123.5k");
        assertThat(FiguresTable.fit(1_234_567, 6)).isEqualTo("1.2M");
        for (int width = 6; width < 20; width++) {
            assertThat(FiguresTable.fit(Long.MAX_VALUE, width)).hasSizeLessThanOrEqualTo(width);
            assertThat(FiguresTable.fit(999_999_999_999L, width)).hasSizeLessThanOrEqualTo(width);
        }
    }

    /** The figures of another process change while one looks; when it is killed, the look ends and says so. */
    @Test
    @Tag("once")
    void anotherProcessIsWatchedToItsEnd() throws Exception {
        Path path = folder.resolve("counters");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
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
                    .satisfies(text -> assertThat(text.lines())
                            .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(FiguresTable.WIDTH)))
                    .contains("\nprocess " + process.pid() + " has ended without closing its counters, updated ");
        } finally {
            process.destroyForcibly();
        }
    }

    /** As in {@code ./sluice stat FILE | head}: it would go on for as long as the process runs. */
    @Test
    void whereNobodyReadsWhatItSaysItEnds() throws Exception {
        Path path = folder.resolve("counters");
        PrintStream closed = new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                true,
                StandardCharsets.UTF_8);
        try (CountersFile file = CountersFile.create(path, 20)) {
            file.update();
            assertThat(new StatVerb(closed).run(List.of(path.toString()))).isEqualTo(Verb.DONE);
        }
    }

    /** The first look finds a time that is an hour ahead, as before the system's clock was set right. */
    @Test
    void eventsASecondAreShownAlsoOnceTheClockWasSetBack() throws Exception {
        Path path = folder.resolve("counters");
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .name("orders")
                .capacity(8)
                .singleProducer()
                .build();
        Thread thread = new Thread(() -> {
            try {
                verb.run(List.of("--json", path.toString()));
            } catch (Exception e) {
                new PrintStream(bytes, true, StandardCharsets.UTF_8).println(e);
            }
        });
        try (CountersFile file = CountersFile.create(path, 20)) {
            file.add(RingMonitor.of(ring));
            file.update();
            setAnHourAhead(path);
            thread.start();
            awaitSaid("\"running\":true", thread, () -> {});
            awaitSaid("publishedPerSecond", thread, file::update);
            assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("\"publishedPerSecond\":0.0");
        }
        thread.join();
    }

    /** Ends by the class's time-out if it never happens. */
    private void awaitSaid(String text, Thread thread, Runnable meanwhile) {
        while (!bytes.toString(StandardCharsets.UTF_8).contains(text)
                && thread.isAlive()
                && !Thread.currentThread().isInterrupted()) {
            meanwhile.run();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static void setAnHourAhead(Path path) throws IOException {
        long ahead = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        ByteBuffer time = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.write(time.putLong(0, ahead), 24);
        }
        try (CountersFileReader reader = CountersFileReader.open(path)) {
            assertThat(reader.updatedMillis()).isEqualTo(ahead);
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
                .hasMessage("FILE must be the counters file of a process, but none is given");
        assertThatThrownBy(() -> verb.run(List.of("a", "b")))
                .isInstanceOf(UsageException.class)
                .hasMessage("FILE must be given once, but 'a' and 'b' are given");
        assertThatThrownBy(() -> verb.run(List.of("--twice", "a")))
                .isInstanceOf(UsageException.class)
                .hasMessage("option must be --once, --json or --aeron, but was '--twice'");
        assertThatThrownBy(() -> verb.run(List.of(folder.resolve("none").toString())))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith("none' does not exist");
        assertThatThrownBy(() -> verb.run(List.of(other.toString())))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("other' cannot be read as one: ")
                .hasMessageContaining("has 4 bytes");
    }
}
