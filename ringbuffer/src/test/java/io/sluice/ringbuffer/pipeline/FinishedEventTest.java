package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.Rings.Recorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that a handler marks finished: later stages pass over them. */
@Timeout(60)
class FinishedEventTest {
    /** Finishes some events, and writes all down. */
    private static final class Finisher extends Recorder {
        private final Pipeline<long[]> pipeline;
        private final LongPredicate finishes;

        Finisher(Pipeline<long[]> pipeline, LongPredicate finishes) {
            this.pipeline = pipeline;
            this.finishes = finishes;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
            super.onEvent(event, sequence, endOfBatch);
            if (finishes.test(sequence)) {
                pipeline.consumer(this).finish(sequence);
            }
        }
    }

    private static List<String> events(Recorder recorder) {
        return recorder.calls.stream()
                .filter(call -> Character.isDigit(call.charAt(0)))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void laterStagesPassOverFinishedEventsAndThoseBesideGetThem(boolean single) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(single, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher filter = new Finisher(pipeline, sequence -> sequence % 3 != 0);
        Recorder beside = new Recorder();
        Recorder behind = new Recorder();
        List<String> ranges = new ArrayList<>();
        Recorder last = new Recorder();
        Stage<long[]> stage =
                pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents());
        pipeline.handleEventsWith(beside);
        BatchHandler<long[]> batches = (events, lo, hi) -> {
            ranges.add(lo + " to " + hi);
            return hi;
        };
        stage.thenBatches(batches);
        stage.then(behind).and(pipeline.after(beside)).then(last);
        EventPoller<long[]> poller = stage.thenPoller("poller");
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 7);
        long aborted = producer.next(1);
        producer.abort(aborted, aborted);
        run.forEach(Rings::exhaust);
        run.forEach(Rings::exhaust);
        List<String> polled = new ArrayList<>();
        while (poller.poll((event, sequence, endOfBatch) -> polled.add(sequence + (endOfBatch ? "!" : "")), 4) > 0) {}
        assertThat(events(filter)).containsExactly("0", "1", "2", "3", "4", "5", "6!");
        assertThat(events(beside)).containsExactly("0", "1", "2", "3", "4", "5", "6!");
        assertThat(events(behind)).containsExactly("0", "3", "6!");
        assertThat(behind.calls).as("a batch ends as ever").endsWith("end 7");
        assertThat(events(last)).containsExactly("0", "3", "6!");
        assertThat(ranges).containsExactly("0 to 0", "3 to 3", "6 to 6");
        assertThat(polled).containsExactly("0", "3!", "6!");
        for (ConsumerHandle consumer : pipeline.consumers()) {
            assertThat(consumer.sequence().get()).as(consumer.name()).isEqualTo(7);
        }
        assertThat(ring.leftover().isNone() || ring.leftover().openProducers() == 1)
                .isTrue();
        ring.close();
    }

    @Test
    void workersAndPartitionsPassOverThemToo() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher first = new Finisher(pipeline, sequence -> sequence == 1);
        Finisher second = new Finisher(pipeline, sequence -> sequence == 4);
        Recorder workerA = new Recorder();
        Recorder even = new Recorder();
        Recorder odd = new Recorder();
        Stage<long[]> both = pipeline.handleEventsWith(
                pipeline.consumer("first", first).finishesEvents(),
                pipeline.consumer("second", second).finishesEvents());
        both.thenWorkerPool(workerA);
        both.thenPartitionedBy(event -> event[0], even, odd);
        List<EventProcessor> run = pipeline.startProcessors();
        Rings.publish(ring.producer(), 6);
        run.forEach(Rings::exhaust);
        assertThat(events(workerA)).containsExactly("0!", "2!", "3!", "5!");
        assertThat(events(even)).containsExactly("0", "2!");
        assertThat(events(odd)).containsExactly("3", "5!");
        for (EventProcessor one : run) {
            assertThat(one.sequence().get()).isEqualTo(5);
        }
        ring.close();
    }

    @Test
    void aWorkerFinishesEventsAndSoDoesOneThatJoins() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher a = new Finisher(pipeline, sequence -> sequence < 2);
        Recorder behind = new Recorder();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a).finishesEvents())
                .then(behind);
        List<EventProcessor> run = new ArrayList<>(pipeline.startProcessors());
        Finisher b = new Finisher(pipeline, sequence -> sequence == 4);
        EventProcessor joined =
                pipeline.join(b).sharingWith(pipeline.consumer(a)).processor(LONG);
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 3);
        Rings.exhaust(run.get(0));
        Rings.publish(producer, 3);
        Rings.exhaust(joined);
        Rings.exhaust(run.get(1));
        assertThat(events(behind)).containsExactly("2", "3", "5!");
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPollerPassesOverWhatAConsumerFinishedThatHasLeftSince(boolean leavesFirst) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher filter = new Finisher(pipeline, sequence -> sequence % 2 == 0);
        Stage<long[]> stage =
                pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents());
        EventPoller<long[]> poller = stage.thenPoller("poller");
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 4);
        run.forEach(Rings::exhaust);
        List<Long> polled = new ArrayList<>();
        EventHandler<long[]> reader = (event, sequence, endOfBatch) -> polled.add(sequence);
        if (!leavesFirst) {
            poller.poll(reader::onEvent, 1);
        }
        assertThat(pipeline.consumer(filter).remove(0)).isEqualTo(Removal.LEFT);
        Rings.publish(producer, 1);
        while (poller.poll(reader::onEvent, 9) > 0) {}
        assertThat(polled).containsExactly(1L, 3L, 4L);
        ring.close();
    }

    @Test
    void whoJoinsBehindAConsumerPassesOverWhatThatOnePassesOverAlsoIfTheFinisherHasLeft() throws Exception {
        RingBuffer<long[]> ring =
                RingBufferBuilder.of(() -> new long[1]).capacity(32).retain(8).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher filter = new Finisher(pipeline, sequence -> sequence % 2 == 0);
        Recorder behind = new Recorder();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 6);
        run.forEach(Rings::exhaust);
        assertThat(pipeline.consumer(filter).remove(0)).isEqualTo(Removal.LEFT);
        run.get(1).doWork(); // it follows the publications from now on
        Recorder late = new Recorder();
        EventProcessor runLate =
                pipeline.join(late).after(pipeline.consumer(behind)).from(1).processor(LONG);
        EventPoller<long[]> latePoller = pipeline.joinPoller("late")
                .after(pipeline.consumer(behind))
                .from(1)
                .poller(LONG);
        Rings.publish(producer, 1);
        run.forEach(Rings::exhaust);
        Rings.exhaust(runLate);
        List<Long> polled = new ArrayList<>();
        while (latePoller.poll((event, sequence, endOfBatch) -> polled.add(sequence), 9) > 0) {}
        assertThat(events(behind)).containsExactly("1", "3", "5!", "6!");
        assertThat(events(late)).containsExactly("1", "3", "5", "6!");
        assertThat(polled).containsExactly(1L, 3L, 5L, 6L);
        ring.close();
    }

    /** Two workers: the first that runs handles all that is published, and finishes the even events. */
    private static final class TwoWorkers {
        final RingBuffer<long[]> ring =
                RingBufferBuilder.of(() -> new long[1]).capacity(32).retain(8).build();
        final Pipeline<long[]> pipeline = Pipeline.on(ring);
        final Finisher a = new Finisher(pipeline, sequence -> sequence % 2 == 0);
        final Finisher b;
        final Recorder behind = new Recorder();
        final List<EventProcessor> run;
        final Producer<long[]> producer;

        /** Says whether the second one may finish events, too. */
        TwoWorkers(boolean both, boolean followed) {
            b = new Finisher(pipeline, sequence -> both && sequence % 2 == 0);
            NewConsumer<long[]> second = pipeline.consumer("b", b);
            Stage<long[]> stage = pipeline.handleEventsWithWorkerPool(
                    pipeline.consumer("a", a).finishesEvents(), both ? second.finishesEvents() : second);
            if (followed) {
                stage.then(behind);
            }
            run = pipeline.startProcessors();
            run.forEach(EventProcessor::doWork); // from now on each is at rest for who joins
            producer = ring.producer();
        }

        void handle(EventHandler<long[]> worker, EventProcessor by, int events) {
            Rings.publish(producer, events);
            Rings.exhaust(by);
            assertThat(pipeline.consumer(worker).lag()).isZero();
        }

        void leaves(EventHandler<long[]> worker) {
            assertThat(pipeline.consumer(worker).remove(0)).isEqualTo(Removal.LEFT);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoJoinsBehindWorkersPassesOverWhatAWorkerFinishedThatHasLeftSince(boolean both) throws Exception {
        TwoWorkers workers = new TwoWorkers(both, false);
        Pipeline<long[]> pipeline = workers.pipeline;
        workers.handle(workers.a, workers.run.get(0), 3);
        workers.leaves(workers.a);
        workers.handle(workers.b, workers.run.get(1), 3);
        Recorder late = new Recorder();
        EventProcessor runLate =
                pipeline.join(late).after(pipeline.consumer(workers.b)).from(0).processor(LONG);
        EventPoller<long[]> latePoller = pipeline.joinPoller("late")
                .after(pipeline.consumer(workers.b))
                .from(0)
                .poller(LONG);
        Recorder behindLate = new Recorder();
        EventProcessor runBehindLate =
                pipeline.join(behindLate).after(pipeline.consumer(late)).from(0).processor(LONG);
        Rings.exhaust(runLate);
        Rings.exhaust(runBehindLate);
        List<Long> polled = new ArrayList<>();
        while (latePoller.poll((event, sequence, endOfBatch) -> polled.add(sequence), 9) > 0) {}
        assertThat(events(late)).isEqualTo(both ? List.of("1", "3", "5!") : List.of("1", "3", "4", "5!"));
        assertThat(events(behindLate)).isEqualTo(events(late));
        assertThat(polled).isEqualTo(both ? List.of(1L, 3L, 5L) : List.of(1L, 3L, 4L, 5L));
        workers.ring.close();
    }

    @Test
    void whoJoinsBehindWorkersPassesOverWhatWorkersFinishedThatHadJoinedAndHaveLeft() throws Exception {
        TwoWorkers workers = new TwoWorkers(false, false);
        Pipeline<long[]> pipeline = workers.pipeline;
        Finisher c = new Finisher(pipeline, sequence -> sequence % 2 == 0);
        EventProcessor runC =
                pipeline.join(c).sharingWith(pipeline.consumer(workers.a)).processor(LONG);
        workers.leaves(workers.a);
        workers.handle(c, runC, 3);
        workers.leaves(c);
        Recorder d = new Recorder();
        EventProcessor runD =
                pipeline.join(d).sharingWith(pipeline.consumer(workers.b)).processor(LONG);
        workers.leaves(workers.b);
        workers.handle(d, runD, 2);
        Recorder late = new Recorder();
        EventProcessor runLate =
                pipeline.join(late).after(pipeline.consumer(d)).from(0).processor(LONG);
        Rings.exhaust(runLate);
        assertThat(events(late)).containsExactly("1", "3", "4!");
        workers.ring.close();
    }

    @Test
    void whoJoinsBehindAFollowerOfWorkersPassesOverWhatTheyFinishedAlsoIfTheStageHasLeft() throws Exception {
        TwoWorkers workers = new TwoWorkers(true, true);
        Pipeline<long[]> pipeline = workers.pipeline;
        workers.handle(workers.a, workers.run.get(0), 3);
        workers.leaves(workers.a);
        workers.handle(workers.b, workers.run.get(1), 3);
        Recorder between = new Recorder(); // between the workers and their follower
        EventProcessor runBetween = pipeline.join(between)
                .after(pipeline.consumer(workers.b))
                .before(pipeline.consumer(workers.behind))
                .from(0)
                .processor(LONG);
        workers.leaves(workers.b);
        Rings.exhaust(runBetween);
        Rings.exhaust(workers.run.get(2));
        Recorder late = new Recorder();
        EventProcessor runLate = pipeline.join(late)
                .after(pipeline.consumer(workers.behind))
                .from(0)
                .processor(LONG);
        Rings.exhaust(runLate);
        assertThat(events(between)).containsExactly("1", "3", "5!");
        assertThat(events(workers.behind)).containsExactly("1", "3", "5!");
        assertThat(events(late)).containsExactly("1", "3", "5!");
        workers.ring.close();
    }

    @Test
    void nobodyJoinsBehindWorkersAndBeforeOneBesideThemAlsoIfTheFinisherHasLeft() throws Exception {
        TwoWorkers workers = new TwoWorkers(false, false);
        Pipeline<long[]> pipeline = workers.pipeline;
        Recorder beside = new Recorder();
        pipeline.join(pipeline.consumer("beside", beside)).processor(LONG).doWork();
        workers.leaves(workers.a);
        assertThatThrownBy(() -> pipeline.join(pipeline.consumer("between", new Recorder()))
                        .after(pipeline.consumer(workers.b))
                        .before(pipeline.consumer(beside))
                        .processor(LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "before must name consumers that follow those that may finish events, as between does, but beside"
                                + " does not follow them all");
        workers.ring.close();
    }

    @Test
    void aWorkerFinishesNothingOutsideItsEvents() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> a = (event, sequence, endOfBatch) -> {};
        Recorder behind = new Recorder();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 3);
        Rings.exhaust(run.get(0));
        List<Throwable> thrown = new ArrayList<>();
        EventHandler<long[]> b = new EventHandler<>() {
            private void finish() {
                for (long event = 0; event < 5; event++) {
                    try {
                        pipeline.consumer(this).finish(event);
                    } catch (IllegalStateException e) {
                        thrown.add(e);
                    }
                }
            }

            @Override
            public void onStart() {
                finish();
            }

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

            @Override
            public void onShutdown() {
                finish();
            }
        };
        EventProcessor joined = pipeline.join(pipeline.consumer("b", b))
                .sharingWith(pipeline.consumer(a))
                .processor(LONG);
        joined.onStart();
        joined.onClose();
        Rings.exhaust(run.get(1));
        assertThat(events(behind)).containsExactly("0", "1", "2!");
        assertThat(thrown).hasSize(10);
        assertThat(thrown.get(0))
                .hasMessage(
                        "finish(0) must be called within an event or a batch, but was called by b outside an event, as from"
                                + " onStart, onTimeout or onShutdown");
        ring.close();
    }

    @Test
    void nobodyMakesProgressOutsideABatch() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Throwable> thrown = new ArrayList<>();
        Recorder handler = new Recorder() {
            @Override
            public void onStart() {
                try {
                    pipeline.consumer(this).progress(0);
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("handler", handler));
        pipeline.startProcessors().get(0).onStart();
        assertThat(thrown).hasSize(1);
        assertThat(thrown.get(0))
                .hasMessage(
                        "progress(0) must be called within an event or a batch, but was called by handler outside an event,"
                                + " as from onStart, onTimeout or onShutdown");
        ring.close();
    }

    @Test
    void manyLapsLaterAMarkMeansNothing() {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher filter = new Finisher(pipeline, sequence -> sequence < 4 || sequence == 9);
        Recorder behind = new Recorder();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 4; i++) {
            Rings.publish(producer, 4);
            Rings.exhaust(run.get(0));
            Rings.exhaust(run.get(1));
        }
        assertThat(events(behind))
                .containsExactly("4!", "5!", "6!", "7!", "8!", "10!", "11!", "12!", "13!", "14!", "15!");
        ring.close();
    }

    @Test
    void aRewindDoesNotTakeAMarkBack() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        int[] left = {1};
        Recorder filter = new Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 0 && left[0] == 1) {
                    pipeline.consumer(this).finish(0);
                }
                if (sequence == 2 && left[0]-- > 0) {
                    throw new IllegalStateException("planned");
                }
            }
        };
        Recorder behind = new Recorder();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter)
                        .finishesEvents()
                        .onFailure(FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, Action.HALT)))
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        Rings.publish(ring.producer(), 3);
        run.forEach(Rings::exhaust);
        assertThat(events(filter)).containsExactly("0", "1", "2!", "0", "1", "2!");
        assertThat(events(behind)).containsExactly("1", "2!");
        ring.close();
    }

    @Test
    void joinersFollowTheMarksOfThoseBeforeThem() throws Exception {
        RingBuffer<long[]> ring =
                RingBufferBuilder.of(() -> new long[1]).capacity(32).retain(8).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Finisher filter = new Finisher(pipeline, sequence -> sequence % 2 == 0);
        Recorder behind = new Recorder();
        Recorder beside = new Recorder();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(behind);
        pipeline.handleEventsWith(pipeline.consumer("beside", beside));
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 6);
        run.forEach(Rings::exhaust);
        Recorder late = new Recorder();
        EventProcessor runLate =
                pipeline.join(late).after(pipeline.consumer(filter)).from(1).processor(LONG);
        Recorder lateBeside = new Recorder();
        EventProcessor runBeside = pipeline.join(lateBeside).from(1).processor(LONG);
        Rings.publish(producer, 1);
        run.forEach(Rings::exhaust);
        Rings.exhaust(runLate);
        Rings.exhaust(runBeside);
        assertThat(events(late)).containsExactly("1", "3", "5!");
        assertThat(events(lateBeside)).containsExactly("1", "2", "3", "4", "5", "6!");
        assertThatThrownBy(() -> pipeline.join(pipeline.consumer("between", new Recorder()))
                        .after(pipeline.consumer(filter))
                        .before(pipeline.consumer(beside))
                        .processor(LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "before must name consumers that follow those that may finish events, as between does, but beside"
                                + " does not follow them all");
        pipeline.join(new Recorder())
                .after(pipeline.consumer(filter))
                .before(pipeline.consumer(behind))
                .processor(LONG);
        ring.close();
    }

    @Test
    void misuseIsRefused() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Throwable> thrown = new ArrayList<>();
        Recorder allowed = new Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                for (long at : new long[] {sequence - 3, sequence + 3}) {
                    try {
                        pipeline.consumer(this).finish(at);
                    } catch (IllegalArgumentException e) {
                        thrown.add(e);
                    }
                }
            }
        };
        Recorder notAllowed = new Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                try {
                    pipeline.consumer(this).finish(sequence);
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            }
        };
        NewConsumer<long[]> settled = pipeline.consumer("notAllowed", notAllowed);
        pipeline.handleEventsWith(pipeline.consumer("allowed", allowed).finishesEvents())
                .then(settled);
        assertThatThrownBy(() -> pipeline.consumer(allowed).finish(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must be called within the handler");
        Rings.publish(ring.producer(), 2);
        assertThatThrownBy(settled::finishesEvents)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("finishesEvents must come before the consumer is declared or joins,"
                        + " but consumer notAllowed is in the pipeline already");
        NewConsumer<long[]> late = pipeline.consumer("late", new Recorder()).finishesEvents();
        assertThatThrownBy(() -> pipeline.handleEventsWith(late))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before the first claim, but sequences up to 1 are claimed");
        List<EventProcessor> run = pipeline.startProcessors();
        assertThatThrownBy(settled::finishesEvents).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pipeline.join(late))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a consumer that joins must finish no events, since its followers learn at the start who finishes"
                                + " events before them, but consumer late was made with finishesEvents()");
        run.forEach(Rings::exhaust);
        assertThat(thrown).hasSize(6);
        assertThat(thrown.get(0)).hasMessage("sequence must be from 0 to 1, but was -3");
        assertThat(thrown.get(5))
                .hasMessageContaining("a consumer declared with finishesEvents(), but notAllowed was not");
        ring.close();
    }

    /** Threads: what is finished in time for the next stage is never seen there, all else is, once and in order. */
    @Tag("concurrency")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onThreads(boolean single) {
        int events = 50_000;
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(128).consumersIdle(SignalledIdle::exact);
        RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]>[] self = newHandlers(1);
        self[0] = (event, sequence, endOfBatch) -> {
            if (event[0] % 3 == 0) {
                pipeline.consumer(self[0]).finish(sequence);
            }
        };
        AtomicLong wrong = new AtomicLong();
        long[] expected = {0};
        pipeline.handleEventsWith(pipeline.consumer("filter", self[0]).finishesEvents())
                .then((EventHandler<long[]>) (event, sequence, endOfBatch) -> {
                    if (expected[0] % 3 == 0) {
                        expected[0]++;
                    }
                    if (event[0] != expected[0]++) {
                        wrong.incrementAndGet();
                    }
                });
        pipeline.start();
        Rings.publish(ring.producer(), events);
        assertThat(pipeline.awaitHandled(events - 1, LONG)).isTrue();
        ring.close();
        assertThat(wrong.get()).isZero();
        assertThat(expected[0]).isEqualTo(events);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of handlers
    private static EventHandler<long[]>[] newHandlers(int n) {
        return new EventHandler[n];
    }
}
