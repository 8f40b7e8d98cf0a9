package io.sluice.ringbuffer.monitor;

import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Permission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a watchdog speaks, by a clock of the test's own; then once with the real thread, its bean, and its end. */
class WatchdogTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    // when it speaks

    private long now = -TimeUnit.DAYS.toNanos(1); // nanoTime may be negative

    private @Nullable String lookAfter(Watchdog watchdog, RingBuffer<?> ring, long seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
        return watchdog.look(FollowedRing.of(ring), now);
    }

    private static Watchdog after10(RingBuffer<?> ring) {
        return Watchdog.on(ring).after(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStandstillIsSaidOnceAndAgainAfterProgress(boolean single) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 8).name("orders").build();
        EventPoller<long[]> books = Pipeline.on(ring).poller("books");
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 3);
        assertThat(lookAfter(watchdog, ring, 100))
                .as("time counts from the first look on")
                .isNull();
        assertThat(lookAfter(watchdog, ring, 9)).isNull();
        assertThat(lookAfter(watchdog, ring, 1))
                .startsWith(
                        "ring orders has stood still with work to do for 10.0 s\nring orders: RUNNING, 3 of 8 slots in use")
                .contains("\n  consumer books: at -1, 3 behind, ");
        assertThat(lookAfter(watchdog, ring, 100)).as("said already").isNull();

        books.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(lookAfter(watchdog, ring, 9)).as("progress").isNull();
        assertThat(lookAfter(watchdog, ring, 9)).isNull();
        assertThat(lookAfter(watchdog, ring, 1)).startsWith("ring orders has stood still with work to do for 10.0 s\n");
        ring.close();
    }

    /** What it saw before it was closed counts for nothing: neither the time, nor that it was said. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStandstillIsSaidAgainByAWatchdogThatWatchesAgainAfterItsClose(boolean saidBefore) {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("orders").build();
        Pipeline.on(ring).poller("books");
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 3);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        if (saidBefore) {
            assertThat(lookAfter(watchdog, ring, 10)).isNotNull();
        }
        watchdog.close();
        assertThat(lookAfter(watchdog, ring, 100))
                .as("time counts from the first look on")
                .isNull();
        assertThat(lookAfter(watchdog, ring, 9)).isNull();
        assertThat(lookAfter(watchdog, ring, 1)).startsWith("ring orders has stood still with work to do for 10.0 s\n");
        ring.close();
    }

    @Test
    void aRingWithoutWorkDoesNotStandStill() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        EventPoller<long[]> books = Pipeline.on(ring).poller("books");
        Watchdog watchdog = after10(ring);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        assertThat(lookAfter(watchdog, ring, 100)).isNull();
        publish(ring.producer(), 2);
        assertThat(lookAfter(watchdog, ring, 100))
                .as("time counts from the first look that sees work")
                .isNull();
        books.poll((event, sequence, endOfBatch) -> {}, 2);
        assertThat(lookAfter(watchdog, ring, 100)).isNull();
        assertThat(lookAfter(watchdog, ring, 100)).isNull();
        ring.close();
    }

    @Test
    void aRingWithoutConsumersDoesNotStandStill() {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 20);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        assertThat(lookAfter(watchdog, ring, 100)).isNull();
    }

    /** One that others overtake counts: its slots do not come back. */
    @Test
    void aSlowRingDoesNotStandStillButOneOfWhichOneConsumerStandsDoes() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> stands = pipeline.poller("stands");
        EventPoller<long[]> goes = pipeline.poller("goes");
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 20);
        goes.poll((event, sequence, endOfBatch) -> {}, 14);
        for (int i = 0; i < 10; i++) {
            stands.poll((event, sequence, endOfBatch) -> {}, 1);
            assertThat(lookAfter(watchdog, ring, 11)).isNull();
        }
        goes.poll((event, sequence, endOfBatch) -> {}, 5);
        assertThat(lookAfter(watchdog, ring, 11)).contains("consumer stands: at 9, 10 behind");
        ring.close();
    }

    /** "since" is when the slowest stopped. */
    @Test
    void aDumpDoesNotSayOfAConsumerThatMovesThatItHasStoodStill() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.poller("stands");
        EventPoller<long[]> goes = pipeline.poller("goes");
        pipeline.handleEventsWithWorkerPool((event, sequence, endOfBatch) -> {});
        EventProcessor worker = pipeline.startProcessors().get(0);
        Watchdog watchdog = after10(ring);
        now = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
        Producer<long[]> producer = ring.producer();
        publish(producer, 1);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        publish(producer, 1);
        goes.poll((event, sequence, endOfBatch) -> {}, 64);
        Rings.exhaust(worker);
        String dump = lookAfter(watchdog, ring, 10);
        assertThat(dump).containsPattern("consumer stands: .*, here for at least 3[56]\\d\\d\\.\\d s");
        assertThat(dump.lines().filter(line -> line.contains("here for at least 3")))
                .as("consumers that have stood for an hour")
                .singleElement()
                .asString()
                .contains("consumer stands: ");
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aProducerThatWaitsBehindAnOpenClaimIsWork() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 2);
        Pipeline.on(ring).poller("books");
        long open = ring.producer().next(1);
        Watchdog watchdog = after10(ring);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        assertThat(lookAfter(watchdog, ring, 100))
                .as("nobody waits for anything")
                .isNull();
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 2));
        Rings.await("a producer that waits", () -> RingMonitor.of(ring).producersWaiting() == 1);
        assertThat(lookAfter(watchdog, ring, 1)).isNull();
        assertThat(lookAfter(watchdog, ring, 10))
                .contains("  producer on thread " + waiter.thread.getName() + ": waits for room for sequence 2")
                .contains("sequence " + open);
        ring.close();
        assertThat(waiter.result()).isNotNull();
    }

    @Test
    @Tag("concurrency")
    void aRingWithoutWorkDoesNotStandStillAlsoWhereAProducerHasWaited() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 2);
        EventPoller<long[]> books = Pipeline.on(ring).poller("books");
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 2);
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 1));
        Rings.await("a producer that waits", () -> RingMonitor.of(ring).producersWaiting() == 1);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        books.poll((event, sequence, endOfBatch) -> {}, 2);
        assertThat(waiter.result()).isNull();
        books.poll((event, sequence, endOfBatch) -> {}, 2);
        for (int i = 0; i < 3; i++) {
            assertThat(lookAfter(watchdog, ring, 100)).isNull();
        }
        ring.close();
    }

    @Test
    void aConsumerThatIsPausedIsNamedAsSuch() {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        EventPoller<long[]> books = Pipeline.on(ring).poller("books");
        publish(ring.producer(), 3);
        books.consumer().pause();
        Watchdog watchdog = after10(ring);
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        assertThat(lookAfter(watchdog, ring, 10)).contains("consumer books: at -1, 3 behind, paused, ");
        books.consumer().resume();
        assertThat(watchdog.dump()).doesNotContain("paused");
        ring.close();
    }

    /** As where there is no memory for it for a moment. */
    @Test
    void aStandstillWhoseDumpFailsIsSaidByTheNextLook() {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("orders").build();
        int[] reads = {0};
        ring.addGating(() -> {
            if (reads[0]++ == 1) { // behind the look itself
                throw new IllegalStateException("planned");
            }
            return -1;
        });
        Watchdog watchdog = after10(ring);
        publish(ring.producer(), 3);
        reads[0] = 2;
        assertThat(lookAfter(watchdog, ring, 0)).isNull();
        reads[0] = 0;
        assertThatThrownBy(() -> lookAfter(watchdog, ring, 10)).hasMessage("planned");
        assertThat(lookAfter(watchdog, ring, 1)).startsWith("ring orders has stood still with work to do for 11.0 s\n");
        assertThat(lookAfter(watchdog, ring, 100)).as("said already").isNull();
    }

    @Test
    void theTimeHasARange() {
        Watchdog watchdog = Watchdog.on(Rings.ring(true, 2));
        watchdog.after(Duration.ofMillis(1)).after(Duration.ofDays(1));
        for (Duration wrong : List.of(
                Duration.ofNanos(999_999),
                Duration.ofDays(-1),
                Duration.ofDays(1).plusNanos(1))) {
            assertThatThrownBy(() -> watchdog.after(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("time must be from PT0.001S to PT24H, but was " + wrong);
        }
    }

    // the thread, the log and the bean

    private static List<String> logged(Body body) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("io.sluice.ringbuffer");
        Handler recording = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(record.getLevel() + " " + record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(recording);
        logger.setUseParentHandlers(false);
        try {
            body.run(lines);
        } finally {
            logger.removeHandler(recording);
            logger.setUseParentHandlers(true);
        }
        return lines;
    }

    private interface Body {
        void run(List<String> lines) throws Exception;
    }

    private static Set<String> beans(String pattern) throws Exception {
        return SERVER.queryNames(new ObjectName("io.sluice:type=Ring,name=" + pattern), null).stream()
                .map(ObjectName::toString)
                .collect(Collectors.toSet());
    }

    private static void awaitBeans(String pattern, String... names) {
        Rings.await("the beans " + List.of(names), () -> {
            try {
                return beans(pattern).equals(Set.of(names));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    @Tag("concurrency")
    void aRealRingThatStandsStillIsLoggedOnce() throws Exception {
        List<String> lines = logged(said -> {
            RingBuffer<long[]> ring = Rings.ringBuilder(false, 4).name("real").build();
            EventPoller<long[]> books = Pipeline.on(ring).poller("books");
            try (Watchdog watchdog =
                    Watchdog.on(ring).after(Duration.ofMillis(50)).start()) {
                publish(ring.producer(), 2);
                Rings.await("a word", () -> !said.isEmpty());
                assertThat(watchdog.dump()).contains("consumer books: at -1, 2 behind");
                books.poll((event, sequence, endOfBatch) -> {}, 1);
                Rings.await("another word", () -> said.size() == 2);
                books.poll((event, sequence, endOfBatch) -> {}, 1);
            }
            ring.close();
        });
        assertThat(lines)
                .hasSize(2)
                .allMatch(line -> line.startsWith("WARNING ring real has stood still with work to do for "))
                .allMatch(line -> line.contains("\nring real: RUNNING, "));
    }

    /** As one whose file system is full for a moment. */
    @Test
    @Tag("concurrency")
    void aStandstillIsLoggedByALaterLookWhereTheLoggerThrew() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 4).name("unheard").build();
        Pipeline.on(ring).poller("books");
        publish(ring.producer(), 2);
        AtomicInteger asked = new AtomicInteger();
        List<String> lines = logged(said -> {
            Logger.getLogger("io.sluice.ringbuffer").setFilter(record -> {
                if (asked.incrementAndGet() == 1) {
                    throw new IllegalStateException("planned");
                }
                return true;
            });
            Watchdog watchdog = Watchdog.on(ring).after(Duration.ofMillis(50)).start();
            try {
                Rings.await("a word", () -> !said.isEmpty());
            } finally {
                watchdog.close();
                Logger.getLogger("io.sluice.ringbuffer").setFilter(null);
            }
        });
        ring.close();
        assertThat(asked).hasValue(2);
        assertThat(lines).singleElement().asString().startsWith("WARNING ring unheard has stood still with work to do");
    }

    @Test
    @Tag("concurrency")
    void aRingThatFailsToBeLookedAtDoesNotKeepOthersFromBeingWatched() throws Exception {
        List<String> lines = logged(said -> {
            RingBuffer<long[]> broken =
                    Rings.ringBuilder(true, 4).name("broken").build();
            AtomicInteger looks = new AtomicInteger();
            broken.addGating(() -> {
                looks.incrementAndGet();
                throw new IllegalStateException("planned");
            });
            RingBuffer<long[]> ring = Rings.ringBuilder(true, 4).name("behind").build();
            Pipeline.on(ring).poller("books");
            publish(ring.producer(), 2);
            Watchdog first = Watchdog.on(broken).after(Duration.ofMillis(50)).start();
            Watchdog second = Watchdog.on(ring).after(Duration.ofMillis(50)).start();
            try {
                Rings.await(
                        "a word of the other ring",
                        () -> said.stream().anyMatch(line -> line.contains("ring behind has stood still")));
            } finally {
                first.close();
                second.close();
            }
            assertThat(looks).as("looks at the broken ring").hasValueGreaterThan(1);
            ring.close();
        });
        assertThat(lines)
                .filteredOn(line -> line.contains("ring broken"))
                .containsExactly("WARNING ring broken is watched, but cannot be looked at");
    }

    @Test
    @Tag("concurrency")
    void theBeanShowsTheRing() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("shown").build();
        EventPoller<long[]> books = Pipeline.on(ring).poller("books");
        publish(ring.producer(), 3);
        books.poll((event, sequence, endOfBatch) -> {}, 1);
        try (Watchdog watchdog = Watchdog.on(ring)) {
            watchdog.start();
            awaitBeans("shown", "io.sluice:type=Ring,name=shown");
            ObjectName name = new ObjectName("io.sluice:type=Ring,name=shown");
            RingMXBean bean = JMX.newMXBeanProxy(SERVER, name, RingMXBean.class);
            assertThat(bean.getState()).isEqualTo("RUNNING");
            assertThat(bean.getCapacity()).isEqualTo(8);
            assertThat(bean.getCursor()).isEqualTo(2);
            assertThat(bean.getConsumerLags()).isEqualTo(Map.of("books", 2L));
            assertThat(bean.dump())
                    .startsWith("ring shown: RUNNING, 2 of 8 slots in use")
                    .contains("consumer books: at 0");
            assertThat(SERVER.getAttribute(name, "State")).isEqualTo("RUNNING");
            assertThat((String) SERVER.invoke(name, "dump", null, null)).startsWith("ring shown: ");
        }
        assertThat(beans("shown*")).isEmpty();
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a,b=c:d", "a\"b", "*", "a?", "a\nb", "a\\,b", "Größe 1/2", "\"quoted\""})
    @Tag("concurrency")
    void namesThatJmxWouldMisreadAreQuoted(String name) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name(name).build();
        try (Watchdog watchdog = Watchdog.on(ring)) {
            watchdog.start();
            Supplier<List<String>> shown = () -> SERVER.queryNames(null, null).stream()
                    .filter(one -> one.getDomain().equals("io.sluice"))
                    .map(one -> one.getKeyProperty("name"))
                    .map(one -> one.startsWith("\"") ? ObjectName.unquote(one) : one)
                    .filter(name::equals)
                    .toList();
            Rings.await("the bean", () -> !shown.get().isEmpty());
            assertThat(shown.get()).hasSize(1);
        }
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aSecondRingOfOneNameHasANumberAndTheEndTakesTheBeans() throws Exception {
        RingBuffer<long[]> first = Rings.ringBuilder(true, 8).name("twice").build();
        RingBuffer<long[]> second = Rings.ringBuilder(true, 16).name("twice").build();
        Watchdog.on(first).start();
        awaitBeans("twice,*", "io.sluice:type=Ring,name=twice");
        Watchdog.on(second).after(Duration.ofMillis(40)).start();
        awaitBeans("twice,*", "io.sluice:type=Ring,name=twice", "io.sluice:type=Ring,name=twice,number=2");
        assertThat(SERVER.getAttribute(new ObjectName("io.sluice:type=Ring,name=twice,number=2"), "Capacity"))
                .isEqualTo(16L);
        second.close();
        awaitBeans("twice,*", "io.sluice:type=Ring,name=twice");
        first.close();
        awaitBeans("twice,*");
        Rings.await("the thread's end", () -> !Program.threadLives());
    }

    @Test
    @Tag("concurrency")
    void aRingHasOneWatchdogAndItsThreadEndsWithTheLast() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("one").build();
        Watchdog first = Watchdog.on(ring).start();
        awaitBeans("one,*", "io.sluice:type=Ring,name=one");
        Watchdog second = Watchdog.on(ring).start();
        awaitBeans("one,*", "io.sluice:type=Ring,name=one");
        first.close();
        assertThat(beans("one,*")).hasSize(1);
        assertThat(Program.threadLives()).isTrue();
        second.close();
        second.close();
        assertThat(beans("one,*")).isEmpty();
        Rings.await("the thread's end", () -> !Program.threadLives());
        second.start();
        awaitBeans("one,*", "io.sluice:type=Ring,name=one");
        ring.close();
        awaitBeans("one,*");
    }

    /** Both have looked for others before either has begun. */
    @Test
    @Tag("concurrency")
    void aWatchdogThatTwoThreadsStartAtOnceIsEndedByOneClose() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("both").build();
        Watchdog watchdog = Watchdog.on(ring);
        List<Rings.Caller> starts = new ArrayList<>();
        synchronized (watchdog) { // they wait for it inside
            starts.add(new Rings.Caller(watchdog::start));
            starts.add(new Rings.Caller(watchdog::start));
            Rings.await(
                    "two that start",
                    () -> starts.stream().allMatch(one -> one.thread.getState() == Thread.State.BLOCKED));
        }
        for (Rings.Caller start : starts) {
            assertThat(start.result()).isNull();
        }
        awaitBeans("both,*", "io.sluice:type=Ring,name=both");
        watchdog.close();
        try {
            assertThat(beans("both,*")).isEmpty();
            Rings.await("the thread's end", () -> !Program.threadLives());
        } finally {
            ring.close();
        }
    }

    @Test
    @Tag("concurrency")
    void aRingThatIsGarbageLeaves() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("garbage").build();
        Pipeline.on(ring).poller("books");
        publish(ring.producer(), 2);
        Watchdog watchdog = Watchdog.on(ring).after(Duration.ofMillis(40)).start();
        awaitBeans("garbage", "io.sluice:type=Ring,name=garbage");
        WeakReference<RingBuffer<?>> reference = new WeakReference<>(ring);
        ring = null;
        Rings.await("the ring to be collected", () -> {
            System.gc();
            return reference.get() == null;
        });
        awaitBeans("garbage");
        assertThatThrownBy(watchdog::dump)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("ring garbage must be in use, but it is garbage");
    }

    // the switch, in a JVM of its own

    /** Makes a ring, and knows nothing of a watchdog. Nor does it use JMX, which not every JVM has. */
    static final class Program {
        private Program() {}

        static boolean threadLives() {
            return Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(one -> one.getName().equals("sluice-watchdog"));
        }

        public static void main(String[] arguments) throws Exception {
            RingBuffer<long[]> ring = Rings.ringBuilder(true, 8).name("unaware").build();
            Pipeline.on(ring).poller("books");
            publish(ring.producer(), 2);
            for (int i = 0; i < 100 && threadLives() != arguments[0].equals("watched"); i++) {
                Thread.sleep(10);
            }
            System.err.println(threadLives() ? "there is a thread" : "there is no thread");
            if (arguments[0].equals("watched")) {
                Thread.sleep(60_000); // the test ends it before
            }
        }
    }

    /** Builds a ring while no thread can be made, and then another one. */
    static final class WithoutThreads {
        private WithoutThreads() {}

        @SuppressWarnings("removal") // nothing else keeps one thread from making others
        public static void main(String[] arguments) throws Exception {
            System.getLogger("before").log(System.Logger.Level.INFO, "the logging makes a thread of its own");
            boolean[] refuses = {true};
            System.setSecurityManager(new SecurityManager() {
                @Override
                public void checkPermission(Permission permission) {}

                @Override
                public void checkAccess(ThreadGroup group) {
                    if (refuses[0] && Thread.currentThread().getName().equals("main")) {
                        throw new SecurityException("no thread for you");
                    }
                }
            });
            RingBuffer<long[]> first = Rings.ringBuilder(true, 8).name("first").build();
            Pipeline.on(first).poller("books");
            publish(first.producer(), 2);
            System.err.println("built, " + (Program.threadLives() ? "watched" : "not watched"));
            refuses[0] = false;
            RingBuffer<long[]> second =
                    Rings.ringBuilder(true, 8).name("second").build();
            Thread.sleep(60_000); // the test ends it before
            second.close();
        }
    }

    private static Process start(String property, String argument, String... flags) throws Exception {
        return start(Program.class, property, argument, flags);
    }

    private static Process start(Class<?> program, String property, String argument, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(flags));
        command.add(program.getName());
        command.add(argument);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_TOOL_OPTIONS", property);
        return builder.start();
    }

    @Test
    @Tag("once")
    void aSystemPropertyWatchesRingsThatKnowNothingOfIt() throws Exception {
        Process process = start("-Dio.sluice.watchdog=0.05", "watched");
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            String line = output.readLine();
            while (line != null && !line.contains("ring unaware has stood still with work to do for ")) {
                line = output.readLine();
            }
            assertThat(line).isNotNull();
            assertThat(output.readLine()).startsWith("ring unaware: RUNNING, 2 of 8 slots in use");
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "ten", "86400.1", "NaN"})
    @Tag("once")
    void aWrongPropertyIsSaidAndWatchesNothing(String value) throws Exception {
        Process process = start("-Dio.sluice.watchdog=" + value, "unwatched");
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output)
                .contains("no ring is watched: io.sluice.watchdog must be from 0.001 to 86400 seconds, but was '"
                        + value + "'")
                .contains("there is no thread");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    @Tag("once")
    void aJvmWithoutJmxSaysSoAndWatchesAllTheSame() throws Exception {
        Process process =
                start("-Dio.sluice.watchdog=0.05", "watched", "--limit-modules", "java.logging,jdk.unsupported");
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            StringBuilder said = new StringBuilder();
            String line = output.readLine();
            while (line != null && !line.contains("ring unaware has stood still")) {
                said.append(line).append('\n');
                line = output.readLine();
            }
            assertThat(said).contains("ring unaware is watched, but JMX does not show it");
            assertThat(line).as(said.toString()).isNotNull();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Tag("once")
    void aRingIsBuiltWhereNoThreadIsToBeHadAndItsWatchdogBeginsWithTheNext() throws Exception {
        assumeTrue(Runtime.version().feature() < 24, "a security manager stands for the lack of threads");
        Process process = start(WithoutThreads.class, "-Dio.sluice.watchdog=0.05", "", "-Djava.security.manager=allow");
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            StringBuilder said = new StringBuilder();
            String line = output.readLine();
            while (line != null && !line.contains("ring first has stood still with work to do")) {
                said.append(line).append('\n');
                line = output.readLine();
            }
            assertThat(line).as(said.toString()).isNotNull();
            assertThat(said)
                    .contains("ring first is not watched until the watchdog of another ring has begun")
                    .contains("built, not watched");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Tag("once")
    void withoutThePropertyNothingIsWatched() throws Exception {
        Process process = start("-Dunrelated=true", "unwatched");
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("there is no thread").doesNotContain("watched:");
    }
}
