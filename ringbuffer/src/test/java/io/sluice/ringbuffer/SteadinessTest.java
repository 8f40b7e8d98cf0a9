package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * After the warm-up of the guide (a ring of the same kind, with handlers of the same classes, has been through all of it) a
 * ring's first full ring, abort, failure, park, join and leave make no compiled code of Sluice void: nothing of publish and
 * consume falls back to the interpreter. A child JVM does it, and the flight recorder of the JDK watches. The control is the
 * same without what is rare in the warm-up.
 */
@Tag("once")
@Timeout(120)
class SteadinessTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"single", "multi"})
    void nothingRareMakesCompiledCodeVoidAfterTheWarmUp(String kind) throws Exception {
        List<String> found = List.of();
        for (int warmUps = 6; warmUps <= 48; warmUps *= 2) { // compilers that are late, as on a busy machine, get more
            found = deoptimizations(kind, "all", warmUps);
            if (found.isEmpty()) {
                return;
            }
        }
        assertThat(found).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"single", "multi"})
    void withoutWhatIsRareInTheWarmUpItWouldBeSeen(String kind) throws Exception {
        List<String> found = List.of();
        for (int warmUps = 6; found.isEmpty() && warmUps <= 48; warmUps *= 2) { // code must be compiled to be made void
            found = deoptimizations(kind, "common", warmUps);
        }
        assertThat(found).isNotEmpty();
    }

    private List<String> deoptimizations(String kind, String warmUp, int warmUps) throws Exception {
        Path output = folder.resolve(kind + "-" + warmUp + ".txt");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Child.class.getName(),
                        kind,
                        warmUp,
                        folder.resolve("recording.jfr").toString(),
                        Integer.toString(warmUps))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(child.waitFor(100, TimeUnit.SECONDS))
                    .as("the child ends")
                    .isTrue();
        } finally {
            child.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(child.exitValue()).as(String.join(File.pathSeparator, lines)).isZero();
        assertThat(lines).contains("done");
        return lines.stream().filter(line -> line.startsWith("deoptimized ")).toList();
    }

    /** What the child JVM runs. */
    static final class Child {
        private static final long WAIT = -1;
        private static final long FAIL = -2;
        private static final int COMMON = 50_000;
        private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

        private static volatile boolean waiting;
        private static volatile boolean goOn;

        private Child() {}

        static final class Books implements EventHandler<long[]> {
            long sum;

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                if (event[0] >= 0) {
                    sum += event[0];
                } else if (event[0] == FAIL) {
                    throw new IllegalStateException("on purpose");
                } else {
                    waiting = true;
                    await(() -> goOn);
                    waiting = false;
                }
            }
        }

        static final class Late implements EventHandler<long[]> {
            long sum;

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                sum += event[0];
            }
        }

        private interface Condition {
            boolean holds();
        }

        private static void await(Condition condition) {
            long started = System.nanoTime();
            while (!condition.holds()) {
                if (System.nanoTime() - started > PATIENCE) {
                    throw new AssertionError("waited in vain");
                }
                LockSupport.parkNanos(50_000);
            }
        }

        public static void main(String[] arguments) throws Exception {
            boolean single = arguments[0].equals("single");
            for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
                round(single, arguments[1].equals("all"), () -> {});
            }
            // What has been asked for is compiled by now, or soon: the recording is to see what is made void, not made.
            TimeUnit.MILLISECONDS.sleep(500);
            try (Recording recording = new Recording()) {
                recording.enable("jdk.Deoptimization").withoutThreshold();
                round(single, true, recording::start);
                recording.stop();
                recording.dump(Path.of(arguments[2]));
            }
            for (RecordedEvent event : RecordingFile.readAllEvents(Path.of(arguments[2]))) {
                if (!event.getEventType().getName().equals("jdk.Deoptimization")) {
                    continue;
                }
                RecordedMethod method = event.getValue("method");
                String type = method.getType().getName();
                if (type.startsWith("io.sluice.") && !type.contains("SteadinessTest")) {
                    System.out.println(String.format(
                            Locale.ROOT,
                            "deoptimized %s.%s, line %d: %s, %s",
                            type,
                            method.getName(),
                            event.getInt("lineNumber"),
                            event.getString("reason"),
                            event.getString("action")));
                }
            }
            System.out.println("done");
        }

        private static void round(boolean single, boolean rare, Runnable begun) throws Exception {
            RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> new long[1])
                    .capacity(64)
                    .retain(8)
                    .consumersIdle(SignalledIdle::exact);
            RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder).build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> {}));
            pipeline.handleEventsWith(new Books());
            Thread[] runner = new Thread[1];
            pipeline.threads(work -> {
                Thread thread = new Thread(work);
                runner[0] = runner[0] == null ? thread : runner[0];
                return thread;
            });
            try (pipeline) {
                pipeline.start();
                Producer<long[]> producer = ring.producer();
                common(producer);
                begun.run();
                if (rare) {
                    fullRing(producer);
                    aborts(producer);
                    publish(producer, FAIL);
                    parked(pipeline, producer, runner[0]);
                    common(producer);
                    ConsumerHandle late =
                            pipeline.join(pipeline.consumer("late", new Late())).start(PATIENCE);
                    common(producer);
                    check(late.remove(PATIENCE) == Removal.LEFT);
                    fullRing(producer);
                }
                common(producer);
                check(pipeline.awaitHandled(ring.cursor().get(), PATIENCE));
            }
        }

        private static void check(boolean done) {
            if (!done) {
                throw new AssertionError("waited in vain");
            }
        }

        private static long publish(Producer<long[]> producer, long value) {
            return producer.publishEvent((event, sequence, of) -> event[0] = of, value);
        }

        private static void common(Producer<long[]> producer) {
            for (int i = 0; i < COMMON; i++) {
                publish(producer, i);
            }
        }

        private static void fullRing(Producer<long[]> producer) throws InterruptedException {
            goOn = false;
            publish(producer, WAIT);
            await(() -> waiting);
            while (producer.tryPublishEvent((event, sequence) -> event[0] = 1) >= 0) {}
            Thread helper = new Thread(() -> goOn = true);
            helper.start();
            publish(producer, 1); // waits for room, unless the other thread was quicker
            helper.join();
        }

        private static void aborts(Producer<long[]> producer) {
            for (int i = 0; i < 20; i++) {
                long hi = producer.next(2);
                producer.abort(hi - 1, hi);
                publish(producer, 1);
            }
        }

        private static void parked(Pipeline<long[]> pipeline, Producer<long[]> producer, Thread runner) {
            for (int i = 0; i < 20; i++) {
                await(() -> runner.getState() == Thread.State.WAITING);
                check(pipeline.awaitHandled(publish(producer, 1), PATIENCE));
            }
        }
    }
}
