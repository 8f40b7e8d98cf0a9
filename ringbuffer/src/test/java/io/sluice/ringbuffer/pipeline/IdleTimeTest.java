package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Since when nothing has come, for a consumer that wants to be told of a lull. */
@Timeout(60)
class IdleTimeTest {
    private static final long AFTER = TimeUnit.HOURS.toNanos(1);

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);

    /** Owes something after each event, as a journal that is to force before long. */
    private static final class Owing implements EventHandler<long[]> {
        private final long after;
        private boolean owes;
        int handled;
        int asked;
        int told;

        Owing(long after) {
            this.after = after;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            owes = true;
            handled++;
        }

        @Override
        public long timeoutAfterNanos() {
            asked++;
            return owes ? after : Long.MAX_VALUE;
        }

        @Override
        public void onTimeout(long sequence) {
            owes = false;
            told++;
        }
    }

    /** Else a pause would be taken for a lull, and its thread would come back for the time-out that passed meanwhile. */
    @Test
    void theTimeBeginsAgainBehindAPause() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("books", handler).timeout(AFTER));
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.doWork();
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
        ConsumerHandle consumer = pipeline.consumers().get(0);
        consumer.pause();
        processor.doWork();
        assertThat(processor.deadline()).as("while it rests").isEqualTo(SignalledIdle.NO_DEADLINE);
        consumer.resume();
        long resumed = System.nanoTime();
        processor.doWork();
        assertThat(processor.deadline() - AFTER - resumed)
                .as("since the resume")
                .isNotNegative();
        ring.close();
    }

    /** It is tried again behind the pause: a thread that came back for it until then would park for no more than a moment. */
    @Test
    void whatAHandlerHasLeftUndoneIsNotDueWhileItsConsumerIsPaused() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        long[] taken = {0};
        pipeline.handleEventsWith(pipeline.batchConsumer("books", (events, lo, hi) -> lo - 1 + taken[0]));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 1);
        assertThat(processor.doWork()).isZero();
        assertThat(processor.deadline()).as("it is called again before long").isNotEqualTo(SignalledIdle.NO_DEADLINE);
        ConsumerHandle consumer = pipeline.consumers().get(0);
        consumer.pause();
        assertThat(processor.doWork()).isZero();
        assertThat(processor.deadline()).as("while it rests").isEqualTo(SignalledIdle.NO_DEADLINE);
        consumer.resume();
        taken[0] = 1;
        assertThat(processor.doWork()).isEqualTo(1);
        ring.close();
    }

    /** Else its thread would come back each 100 µs, for as long as the other one takes nothing. */
    @Test
    void whatAHandlerHasLeftUndoneIsNotDueOnceItsConsumerIsPutBehindAnotherOne() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        long[] taken = {0};
        pipeline.handleEventsWith(pipeline.batchConsumer("books", (events, lo, hi) -> lo - 1 + taken[0]));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 1);
        assertThat(processor.doWork()).isZero();
        EventProcessor first = pipeline.join(
                        pipeline.consumer("first", (long[] event, long sequence, boolean endOfBatch) -> {}))
                .before(pipeline.consumers().get(0))
                .processor(0);
        assertThat(processor.doWork()).isZero();
        assertThat(processor.deadline()).as("while it waits for the other").isEqualTo(SignalledIdle.NO_DEADLINE);
        taken[0] = 1;
        assertThat(first.doWork() + processor.doWork()).as("what both handle").isPositive();
        ring.close();
    }

    // a handler's own time

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAHandlerOwesComesInTimeWhileItsConsumerIsPaused(boolean worker) {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Owing handler = new Owing(SOON);
        EventProcessor processor = processor(pipeline, handler, worker);
        publish(ring.producer(), 1);
        assertThat(processor.doWork()).isEqualTo(1);
        pipeline.consumer(handler).pause();
        Rings.await("the time-out", () -> processor.doWork() == 0 && handler.told > 0);
        processor.doWork();
        assertThat(processor.deadline()).as("when nothing is owed").isEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(handler.told).isEqualTo(1);
        ring.close();
    }

    @Test
    void whatAHandlerOwesComesInTimeWhileItTakesNoMessage() {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(256).singleProducer().build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        boolean[] owes = {false};
        List<Long> told = new ArrayList<>();
        ControlledMessageHandler handler = new ControlledMessageHandler() {
            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                owes[0] |= type == 1;
                return type == 1 ? Action.CONTINUE : Action.ABORT;
            }

            @Override
            public long timeoutAfterNanos() {
                return owes[0] ? SOON : Long.MAX_VALUE;
            }

            @Override
            public void onTimeout(long sequence) {
                owes[0] = false;
                told.add(sequence);
            }
        };
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer nothing = SafeBuffer.allocate(0);
        producer.offer(1, nothing, 0, 0);
        assertThat(processor.doWork()).isEqualTo(1);
        producer.offer(2, nothing, 0, 0);
        Rings.await("the time-out", () -> processor.doWork() == 0 && !told.isEmpty());
        processor.doWork();
        assertThat(told).containsExactly(0L);
        ring.close();
    }

    /** Neither what is owed comes later for it, nor does the thread come back before it is due. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noPausePutsOffWhatAHandlerOwes(boolean worker) {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Owing handler = new Owing(AFTER);
        EventProcessor processor = processor(pipeline, handler, worker);
        ConsumerHandle consumer = pipeline.consumer(handler);
        Producer<long[]> producer = ring.producer();
        for (boolean pausedAtOnce : new boolean[] {true, false}) {
            publish(producer, 1);
            assertThat(processor.doWork()).isEqualTo(1);
            handler.asked = 0;
            if (!pausedAtOnce) {
                processor.doWork();
            }
            consumer.pause();
            processor.doWork();
            long due = processor.deadline();
            assertThat(due).isNotEqualTo(SignalledIdle.NO_DEADLINE);
            for (int pause = 0; pause < 3; pause++) {
                consumer.pause();
                processor.doWork();
                assertThat(processor.deadline()).as("while it is paused").isEqualTo(due);
                consumer.resume();
                processor.doWork();
                assertThat(processor.deadline()).as("behind the pause").isEqualTo(due);
            }
            assertThat(handler.asked).isEqualTo(1);
        }
        ring.close();
    }

    /** Else the runner of the others would never park again: what it had been asked to come for has passed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyComesForWhatAConsumerOwedThatHasLeft(boolean removed) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Owing owing = new Owing(AFTER);
        EventHandler<long[]> stays = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(owing, stays);
        RunnerAgent agent = pipeline.startInvoked();
        agent.onStart();
        publish(ring.producer(), 1);
        assertThat(agent.doWork()).isEqualTo(2);
        assertThat(agent.doWork()).isZero();
        assertThat(agent.deadline()).as("while it is owed").isNotEqualTo(SignalledIdle.NO_DEADLINE);
        if (removed) {
            assertThat(pipeline.consumer(owing).remove(0)).isEqualTo(Removal.LEFT);
        } else {
            ring.close(Duration.ZERO);
        }
        agent.doWork();
        assertThat(agent.deadline()).as("once it has left").isEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(agent.isDone()).isEqualTo(!removed);
        agent.onClose();
        ring.close();
    }

    /** Its thread parks up to the deadline at most. With the later of both it would come too late for the earlier. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThreadComesBackForTheEarlierOfItsTwoTimeOuts(boolean handlersFirst) {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Owing handler = new Owing(handlersFirst ? AFTER : 3 * AFTER);
        pipeline.handleEventsWith(pipeline.consumer("books", handler).timeout(handlersFirst ? 3 * AFTER : AFTER));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 1);
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(processor.doWork()).isZero();
        long left = processor.deadline() - System.nanoTime();
        assertThat(left).isLessThanOrEqualTo(AFTER).isGreaterThan(0);
        ring.close();
    }

    private static EventProcessor processor(Pipeline<long[]> pipeline, Owing handler, boolean worker) {
        if (worker) {
            pipeline.handleEventsWithWorkerPool(handler);
        } else {
            pipeline.handleEventsWith(handler);
        }
        return pipeline.startProcessors().get(0);
    }

    /** Its upstream stands still, so more may come, and it has not ended. Without the time-out its thread would spin for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTimeOutComesOnARingThatHasFailedToo(boolean owed) {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
        EventHandler<long[]> before = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> beside = (event, sequence, endOfBatch) -> {
            if (sequence == 1) {
                throw new IllegalStateException("planned");
            }
        };
        Owing behind = new Owing(owed ? SOON : Long.MAX_VALUE);
        NewConsumer<long[]> waits = pipeline.consumer("behind", behind);
        pipeline.handleEventsWith(before, beside);
        pipeline.after(before).then(owed ? waits : waits.timeout(SOON));
        List<EventProcessor> processors = pipeline.startProcessors();
        EventProcessor first = processors.get(0);
        EventProcessor fails = processors.get(1);
        EventProcessor idle = processors.get(2);
        Producer<long[]> producer = ring.producer();
        publish(producer, 1);
        processors.forEach(EventProcessor::doWork);
        assertThat(idle.doWork()).isZero();
        pipeline.consumer(before).pause();
        publish(producer, 1);
        fails.doWork();
        assertThat(ring.state()).isEqualTo(State.FAILED);

        Rings.await("the time-out", () -> idle.doWork() == 0 && behind.told > 0);
        assertThat(idle.deadline()).isEqualTo(SignalledIdle.NO_DEADLINE);

        pipeline.consumer(before).resume();
        Rings.exhaust(first);
        Rings.exhaust(idle);
        assertThat(behind.handled).isEqualTo(2);
        assertThat(idle.isDone()).isTrue();
        ring.close();
    }

    /** The rest for another's join is no pause: else who joins and leaves again and again puts the time-out off for ever. */
    @Test
    @Tag("concurrency")
    void aJoinPutsOffNoTimeOutAndTheThreadNeedNotComeBackMeanwhile() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> books = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("books", books).timeout(AFTER));
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.doWork();
        long due = processor.deadline();
        Rings.Caller joins = new Rings.Caller(() -> join(pipeline));
        boolean rested = false;
        while (joins.thread.isAlive()) {
            processor.doWork();
            rested |= processor.deadline() == SignalledIdle.NO_DEADLINE;
        }
        assertThat(joins.result()).isNull();
        assertThat(rested).isTrue();
        processor.doWork();
        assertThat(processor.deadline()).isEqualTo(due);
    }

    private static EventPoller<long[]> join(Pipeline<long[]> pipeline) {
        try {
            return pipeline.joinPoller("late").poller(Rings.LONG);
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("concurrency")
    void thoseWhoJoinAndLeavePutOffNoReportOfAnOpenClaim() throws Exception {
        int[] told = {0};
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(16)
                .trackClaims()
                .onAbandonedClaim(Duration.ofMillis(300), claim -> told[0]++)
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        ring.producer().next();
        AtomicBoolean ends = new AtomicBoolean();
        Rings.Caller joins = new Rings.Caller(() -> {
            while (!ends.get()) {
                join(pipeline).consumer().remove(Rings.LONG);
            }
        });
        long began = System.nanoTime();
        while (joins.thread.isAlive()) {
            processor.doWork();
            if (told[0] > 0 || System.nanoTime() - began > Rings.LONG) {
                ends.set(true);
            }
        }
        assertThat(told[0]).isEqualTo(1);
        assertThat(joins.result()).isNull();
    }

    /** By key, aborted, or finished by somebody before it. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "finished", "aborted", "worker", "shed"})
    void batchesOfWhichAHandlerGetsNothingPutOffNothingThatItOwes(String what) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(16).singleProducer();
        RingBuffer<long[]> ring =
                (what.equals("shed") ? builder.shedding((consumer, event, sequence) -> {}) : builder).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Owing owing = new Owing(SOON);
        EventHandler<long[]> other = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                if (what.equals("finished") && event[0] == 1) {
                    pipeline.consumer(this).finish(sequence);
                }
            }
        };
        switch (what) {
            case "key" -> pipeline.handleEventsPartitionedBy(event -> event[0], owing, other);
            case "worker" -> pipeline.handleEventsWithWorkerPool(owing);
            default ->
                pipeline.handleEventsWith(pipeline.consumer("other", other).finishesEvents())
                        .then(owing);
        }
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        DroppingProducer<long[]> dropping = what.equals("shed") ? DroppingProducer.dropOldest(producer, 0) : null;
        producer.publishEvent((event, sequence) -> event[0] = 0);
        processors.forEach(EventProcessor::doWork);
        assertThat(owing.handled).isEqualTo(1);
        long began = System.nanoTime();
        while (owing.told == 0 && System.nanoTime() - began < Rings.LONG) {
            if (dropping != null) {
                while (dropping.publishEvent((event, sequence) -> event[0] = 1) >= 0) {}
            } else if (what.equals("aborted") || what.equals("worker")) {
                long sequence = producer.next();
                producer.abort(sequence, sequence);
            } else {
                producer.publishEvent((event, sequence) -> event[0] = 1);
            }
            processors.forEach(EventProcessor::doWork);
            if (dropping != null && owing.handled > 1) {
                break; // what was not dropped is its own
            }
        }
        assertThat(owing.told).isEqualTo(1);
        assertThat(owing.handled).isEqualTo(1);
    }

    @Test
    void messagesThatWereAbortedPutOffNothingThatAHandlerOwes() {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(1 << 10).singleProducer().build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        int[] told = {0};
        pipeline.handleEventsWith(new MessageHandler() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {}

            @Override
            public long timeoutAfterNanos() {
                return SOON;
            }

            @Override
            public void onTimeout(long sequence) {
                told[0]++;
            }
        });
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        producer.commit(producer.tryClaim(1, 8));
        processor.doWork();
        long began = System.nanoTime();
        while (told[0] == 0 && System.nanoTime() - began < Rings.LONG) {
            producer.abort(producer.tryClaim(1, 8));
            processor.doWork();
        }
        assertThat(told[0]).isPositive();
    }
}
