package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.jfr.Stacks;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler's failure is never silent: who is told what, and how often. */
@Tag("once")
@Timeout(60)
class FailureReportTest {
    private final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());

    /** How a handler is run. */
    private enum Kind {
        EVENTS,
        BATCHES,
        WORKER,
        PARTITION
    }

    @SuppressWarnings("StaticAssignmentOfThrowable") // one that each handler can throw, and that tests compare with
    private static final ArithmeticException PLANNED = new ArithmeticException("/ by zero");

    private static final class FailsAt implements EventHandler<long[]>, BatchHandler<long[]> {
        private final long fatal;

        FailsAt(long fatal) {
            this.fatal = fatal;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            if (sequence == fatal) {
                throw PLANNED;
            }
        }

        @Override
        public long onBatch(RingBuffer<long[]> ring, long lo, long hi) {
            if (lo <= fatal && fatal <= hi) {
                throw PLANNED;
            }
            return hi;
        }
    }

    private static RingBuffer<long[]> orders() {
        return ringBuilder(true, 64).name("orders").build();
    }

    private Pipeline<long[]> pipeline(RingBuffer<long[]> ring) {
        return Pipeline.on(ring).errorHandler(told::add);
    }

    private static void declare(Pipeline<long[]> pipeline, Kind kind, FailsAt handler) {
        NewConsumer<long[]> risk =
                kind == Kind.BATCHES ? pipeline.batchConsumer("risk", handler) : pipeline.consumer("risk", handler);
        risk.batchLimit(1);
        switch (kind) {
            case EVENTS, BATCHES -> pipeline.handleEventsWith(risk);
            case WORKER -> pipeline.handleEventsWithWorkerPool(risk);
            case PARTITION -> pipeline.handleEventsPartitionedBy(event -> 0, risk);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theErrorHandlerIsToldOnceWhichConsumerFailedAtWhichSequence(Kind kind) {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        declare(pipeline, kind, new FailsAt(5));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 8);
        Rings.exhaust(processor);
        processor.onClose();
        assertThat(told).singleElement().satisfies(report -> {
            assertThat(report)
                    .hasMessage("ring orders: consumer risk failed at sequence 5")
                    .hasCause(PLANNED);
            ConsumerFailedException failure = (ConsumerFailedException) report;
            assertThat(failure.ring()).isEqualTo("orders");
            assertThat(failure.consumer()).isEqualTo("risk");
            assertThat(failure.sequence()).isEqualTo(5);
        });
        assertThatThrownBy(() -> pipeline.drain(0))
                .isInstanceOf(RingFailedException.class)
                .hasCause(PLANNED)
                .hasMessageContaining("unhandled=3");
        assertThatThrownBy(() -> ring.drain(0)).isInstanceOf(RingFailedException.class);
        assertThat(RingMonitor.of(ring).dump())
                .contains(
                        "consumer risk: at 4, 3 behind, failed at sequence 5 by\n    java.lang.ArithmeticException: / by zero\n")
                .contains("        at " + FailureReportTest.class.getName());
        told.clear();
        pipeline.close();
        pipeline.close();
        assertThat(told)
                .as("what close left, once")
                .singleElement()
                .satisfies(
                        report -> assertThat(report)
                                .isInstanceOf(EventsLeftException.class)
                                .hasMessage(
                                        "ring orders: closed with 3 events unhandled and 0 claims open; the slowest consumer is risk"));
        assertThat(((EventsLeftException) told.get(0)).leftover()).isEqualTo(ring.leftover());
    }

    @Test
    void aRingThatIsClosedWithNothingLeftReportsNothing() {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        declare(pipeline, Kind.EVENTS, new FailsAt(99));
        pipeline.start();
        publish(ring.producer(), 8);
        assertThat(pipeline.awaitHandled(7, Rings.LONG)).isTrue();
        pipeline.close();
        assertThat(told).isEmpty();
    }

    @Test
    void openClaimsAndEventsThatNobodyPolledAreReportedByClose() {
        RingBuffer<long[]> ring = orders();
        pipeline(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        publish(producer, 2);
        producer.next(1);
        ring.close();
        ring.close();
        assertThat(told)
                .singleElement()
                .satisfies(
                        report -> assertThat(report)
                                .hasMessage(
                                        "ring orders: closed with 2 events unhandled and 1 claims open; the slowest consumer is poller"));
    }

    /** Close names its thread, and waits for it no longer than it may. */
    @Test
    @Tag("concurrency")
    void closeNamesAHandlerThatDoesNotReturn() throws Exception {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Thread> runner = new AtomicReference<>();
        EventHandler<long[]> stuck = (event, sequence, endOfBatch) -> {
            runner.set(Thread.currentThread());
            inside.countDown();
            goOn.await();
        };
        EventHandler<long[]> quick = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("stuck", stuck), pipeline.consumer("quick", quick));
        pipeline.start();
        publish(ring.producer(), 1);
        inside.await();
        Rings.await("the handler's wait", () -> runner.get().getState() == Thread.State.WAITING);
        Rings.await(
                "the other consumer", () -> pipeline.consumer(quick).sequence().get() == 0);
        assertThat(ring.leftover().running()).as("before the close").isEmpty();
        Ring.Leftover left = pipeline.close(Duration.ofMillis(50));
        assertThat(ring.state()).isEqualTo(State.CLOSED);
        assertThat(left.running()).containsExactly("sluice-stuck (WAITING)");
        assertThat(left.isNone()).isFalse();
        assertThat(left.unhandled()).isEqualTo(1);
        assertThat(left.slowest()).isEqualTo("stuck");
        assertThat(told)
                .singleElement()
                .satisfies(report -> assertThat(report)
                        .isInstanceOf(EventsLeftException.class)
                        .hasMessage(
                                "ring orders: closed with 1 events unhandled and 0 claims open; the slowest consumer is"
                                        + " stuck; still inside their handlers are [sluice-stuck (WAITING)]"));
        assertThat(((EventsLeftException) told.get(0)).leftover()).isEqualTo(left);
        goOn.countDown();
        assertThat(ring.close(Duration.ofNanos(Rings.LONG)).isNone())
                .as("its batch ends")
                .isTrue();
        assertThat(runner.get().isAlive()).isFalse();
        assertThat(pipeline.consumer(stuck).state()).isEqualTo(State.CLOSED);
        ring.close();
        assertThat(told).as("told once").hasSize(1);
    }

    /** Where nothing else is left, a handler that has published its progress and does not return is reported too. */
    @Test
    @Tag("concurrency")
    void closeReportsAHandlerThatIsAllThatIsLeft() throws Exception {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> stuck = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                pipeline.consumer(this).progress(sequence);
                inside.countDown();
                goOn.await();
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("stuck", stuck));
        pipeline.start();
        publish(ring.producer(), 1);
        inside.await();
        Ring.Leftover left = ring.close(Duration.ZERO);
        assertThat(left.unhandled()).isZero();
        assertThat(left.running()).singleElement().asString().startsWith("sluice-stuck (");
        assertThat(left.isNone()).isFalse();
        assertThat(told)
                .singleElement()
                .satisfies(
                        report -> assertThat(report)
                                .hasMessageStartingWith(
                                        "ring orders: closed with 0 events unhandled and 0 claims open; still inside their handlers are [sluice-stuck ("));
        goOn.countDown();
        assertThat(ring.close(Duration.ofNanos(Rings.LONG)).isNone()).isTrue();
    }

    @Test
    void eachOfTwoConsumersThatFailIsReported() {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        FailsAt first = new FailsAt(0);
        FailsAt second = new FailsAt(2);
        pipeline.handleEventsWith(pipeline.consumer("first", first), pipeline.consumer("second", second));
        List<EventProcessor> processors = pipeline.startProcessors();
        publish(ring.producer(), 8);
        processors.forEach(Rings::exhaust);
        assertThat(told)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "ring orders: consumer first failed at sequence 0",
                        "ring orders: consumer second failed at sequence 2");
        assertThat(((ConsumerFailedException) told.get(1)).sequence()).isEqualTo(2);
    }

    /** Throws where there is no event. */
    private static final class FailsIn implements EventHandler<long[]> {
        private final String fatal;

        FailsIn(String fatal) {
            this.fatal = fatal;
        }

        private void fail(String place) {
            if (place.equals(fatal)) {
                throw PLANNED;
            }
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

        @Override
        public void onStart() {
            fail("onStart");
        }

        @Override
        public void onShutdown() {
            fail("onShutdown");
        }

        @Override
        public void onTimeout(long sequence) {
            fail("onTimeout");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onShutdown", "onTimeout"})
    void aFailureWhereThereIsNoEventIsReportedToo(String place) {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        FailsIn handler = new FailsIn(place);
        pipeline.handleEventsWith(pipeline.consumer("risk", handler).timeout(1));
        pipeline.start();
        if (!place.equals("onShutdown")) {
            Rings.await("the failure", () -> ring.state() == State.FAILED);
        }
        pipeline.close();
        assertThat(told)
                .singleElement()
                .satisfies(report -> assertThat(report)
                        .hasMessage("ring orders: consumer risk failed in " + place)
                        .hasCause(PLANNED));
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.dump()).as("in the same words").contains(" behind, failed in " + place + " by\n");
        if (!place.equals("onShutdown")) { // the ring is closed by then
            assertThat(monitor.failure()).isEqualTo("consumer risk in " + place + ": " + PLANNED);
        }
    }

    @Test
    void aFailureThatThePolicyPassesOverIsNotReportedButOneThatThePolicyHaltsIs() {
        RingBuffer<long[]> ring = orders();
        Pipeline<long[]> pipeline = pipeline(ring);
        declare(pipeline, Kind.EVENTS, new FailsAt(1));
        List<Integer> attempts = new ArrayList<>();
        pipeline.onFailure(
                FailurePolicies.retryEvent(2, (cause, sequence, attempt) -> attempts.add(attempt), Action.HALT));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 2);
        Rings.exhaust(processor);
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(told).hasSize(1);
    }

    @Test
    void aThreadThatFailsIsReportedAndNotThrownToItsUncaughtHandler() {
        List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
        for (boolean byHook : new boolean[] {true, false}) {
            told.clear();
            IdleStrategy throwing = new IdleStrategy() {
                @Override
                public void idle(int workCount) {
                    idle();
                }

                @Override
                public void idle() {
                    if (!byHook) {
                        throw PLANNED;
                    }
                    Thread.onSpinWait();
                }

                @Override
                public void reset() {}
            };
            RingBuffer<long[]> ring = ringBuilder(true, 64)
                    .name("orders")
                    .consumersIdle(() -> throwing)
                    .build();
            Pipeline<long[]> pipeline = pipeline(ring).threads(body -> {
                Thread thread = new Thread(body);
                thread.setUncaughtExceptionHandler((one, thrown) -> uncaught.add(thrown));
                return thread;
            });
            declare(pipeline, Kind.EVENTS, new FailsAt(99));
            if (byHook) {
                pipeline.onThreadStart(name -> {
                    throw PLANNED;
                });
            }
            pipeline.start();
            Rings.await("the failure", () -> ring.state() == State.FAILED);
            pipeline.close();
            assertThat(told)
                    .singleElement()
                    .satisfies(report -> assertThat(report)
                            .hasMessage("ring orders: thread risk failed")
                            .hasCause(PLANNED));
            assertThat(uncaught).isEmpty();
        }
    }

    // the logger

    private static List<LogRecord> logged(Runnable body) {
        List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger("io.sluice.ringbuffer");
        Handler recording = new Handler() {
            @Override
            public void publish(LogRecord record) {
                records.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(recording);
        logger.setUseParentHandlers(false);
        try {
            body.run();
        } finally {
            logger.removeHandler(recording);
            logger.setUseParentHandlers(true);
        }
        return records;
    }

    private static void fail(Pipeline<long[]> pipeline) {
        declare(pipeline, Kind.EVENTS, new FailsAt(1));
        pipeline.start();
        publish(pipeline.ring().producer(), 3);
        Rings.await("the failure", () -> pipeline.ring().state() == State.FAILED);
        pipeline.close();
    }

    @Test
    void withoutAnErrorHandlerThePlatformsLoggerIsTold() {
        List<LogRecord> records = logged(() -> fail(Pipeline.on(orders())));
        assertThat(records)
                .extracting(record -> record.getLevel() + " " + record.getMessage() + " " + record.getThrown())
                .containsExactly(
                        Level.SEVERE + " ring orders: consumer risk failed at sequence 1 " + PLANNED,
                        Level.WARNING
                                + " ring orders: closed with 2 events unhandled and 0 claims open; the slowest consumer is risk null");
    }

    @Test
    void anErrorHandlerThatThrowsIsLoggedWithWhatItWasTold() {
        IllegalStateException own = new IllegalStateException("by the error handler");
        ErrorHandler throwing = error -> {
            throw own;
        };
        RingBuffer<long[]> ring = orders();
        List<LogRecord> records = logged(() -> fail(Pipeline.on(ring).errorHandler(throwing)));
        assertThat(records)
                .extracting(record -> record.getMessage() + " " + record.getThrown())
                .containsSubsequence(
                        "ring orders: consumer risk failed at sequence 1 " + PLANNED, "the error handler threw " + own);
        assertThat(ring.failure()).isSameAs(PLANNED);
    }

    @Test
    void anErrorHandlerIsNotLoggedBesides() {
        assertThat(logged(() -> fail(Pipeline.on(orders()).errorHandler(told::add))))
                .isEmpty();
        assertThat(told).hasSize(2);
    }

    // JFR

    @TempDir
    Path folder;

    @Test
    void theJfrEventNamesSequenceMessageAndStack() throws Exception {
        Path file = folder.resolve("failure.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.sluice.HandlerFailure").withoutThreshold();
            recording.start();
            fail(Pipeline.on(orders()).errorHandler(told::add));
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.sluice.HandlerFailure"))
                .toList();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getString("consumer")).isEqualTo("risk");
            assertThat(event.getLong("sequence")).isEqualTo(1);
            assertThat(event.getString("action")).isEqualTo("HALT");
            assertThat(event.getString("cause")).isEqualTo("java.lang.ArithmeticException");
            assertThat(event.getString("message")).isEqualTo("/ by zero");
            assertThat(event.getString("stack"))
                    .startsWith("java.lang.ArithmeticException: / by zero\n    at ")
                    .contains(FailureReportTest.class.getName());
        });
    }

    @Test
    void aStackInWordsIsBoundedAndHasItsCauses() {
        Throwable deep = new IllegalStateException("deep");
        StackTraceElement frame = new StackTraceElement("a.B", "c", "B.java", 7);
        StackTraceElement[] frames = new StackTraceElement[100];
        java.util.Arrays.fill(frames, frame);
        deep.setStackTrace(frames);
        String text = Stacks.text(new RuntimeException("outer", deep), "  ");
        assertThat(text)
                .startsWith("  java.lang.RuntimeException: outer\n      at io.sluice.")
                .contains("\n  caused by java.lang.IllegalStateException: deep\n      at a.B.c(B.java:7)\n")
                .endsWith("      ... 36 more\n");
        Throwable one = new IllegalStateException("one");
        one.initCause(new IllegalStateException("other", one));
        assertThat(Stacks.text(one, "").lines().filter(line -> line.contains("one")))
                .hasSizeLessThan(10);
    }
}
