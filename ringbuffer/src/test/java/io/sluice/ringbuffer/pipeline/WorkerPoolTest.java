package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.Rings.Recorder;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that share the events of a ring: each event once, in whatever order, handed on without gaps. */
@Timeout(60)
class WorkerPoolTest {
    @SuppressWarnings("StaticAssignmentOfThrowable") // to be recognized
    private static final RuntimeException PLANNED = new IllegalArgumentException("planned");

    /** Writes down what it handles, and does what the test wants while it is at it. */
    private static final class Worker implements EventHandler<long[]> {
        final List<Long> handled = new ArrayList<>();
        LongConsumer meanwhile = sequence -> {};

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            assertThat(endOfBatch).isTrue();
            handled.add(sequence);
            meanwhile.accept(sequence);
        }
    }

    /** A ring of eight slots with two workers and one that follows them, run by hand. */
    private static final class Two {
        final RingBuffer<long[]> ring;
        final Pipeline<long[]> pipeline;
        final Worker a = new Worker();
        final Worker b = new Worker();
        final Recorder follower = new Recorder();
        final EventProcessor runA;
        final EventProcessor runB;
        final EventProcessor runFollower;
        final Producer<long[]> producer;

        Two(boolean single, int capacity) {
            ring = Rings.ring(single, capacity);
            pipeline = Pipeline.on(ring);
            pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a), pipeline.consumer("b", b))
                    .then(follower);
            pipeline.onFailure((cause, event, sequence, attempt) -> Action.HALT);
            List<EventProcessor> processors = pipeline.startProcessors();
            runA = processors.get(0);
            runB = processors.get(1);
            runFollower = processors.get(2);
            producer = ring.producer();
        }

        long progress() {
            return runA.sequence().get();
        }
    }

    private static List<Long> upTo(long from, long to) {
        List<Long> all = new ArrayList<>();
        for (long sequence = from; sequence <= to; sequence++) {
            all.add(sequence);
        }
        return all;
    }

    private static List<Long> events(Recorder recorder) {
        return recorder.calls.stream()
                .filter(call -> Character.isDigit(call.charAt(0)))
                .map(call -> Long.parseLong(call.replace("!", "")))
                .toList();
    }

    // each event once

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowWorkerHoldsBackOnlyWhatIsBehindItsEvent(boolean single) {
        Two two = new Two(single, 8);
        Rings.publish(two.producer, 6);
        two.a.meanwhile = at -> {
            if (at == 0) { // a is at event 0; meanwhile b handles all the others
                Rings.exhaust(two.runB);
                assertThat(two.b.handled).isEqualTo(upTo(1, 5));
                assertThat(two.progress()).isEqualTo(-1);
                assertThat(two.runFollower.doWork()).isZero();
                Rings.publish(two.producer, 2);
                assertThat(two.producer.tryNext(1))
                        .as("nothing is given back yet")
                        .isEqualTo(Producer.FULL);
            }
        };
        assertThat(two.runA.doWork())
                .as("event 0; then the limit, a quarter of the ring")
                .isEqualTo(2);
        assertThat(two.a.handled).containsExactly(0L, 6L);
        assertThat(two.progress()).as("all that is done without a gap").isEqualTo(6);
        Rings.exhaust(two.runFollower);
        assertThat(events(two.follower)).isEqualTo(upTo(0, 6));
        Rings.publish(two.producer, 7);
        assertThat(two.producer.tryNext(1)).isEqualTo(Producer.FULL);
        Rings.exhaust(two.runB);
        Rings.exhaust(two.runFollower);
        assertThat(events(two.follower)).isEqualTo(upTo(0, 14));
        two.ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGapIsClosedByWhoeverFinishesLast(boolean single) {
        Two two = new Two(single, 16);
        Rings.publish(two.producer, 4);
        two.a.meanwhile = at -> {
            if (at == 0) {
                two.b.meanwhile = then -> {
                    if (then == 1) {
                        two.b.meanwhile = nothing -> {};
                        assertThat(two.progress()).isEqualTo(-1);
                    }
                };
                assertThat(two.runB.doWork()).isEqualTo(3);
                assertThat(two.progress()).as("0 is still under way").isEqualTo(-1);
            }
        };
        assertThat(two.runA.doWork()).isEqualTo(1);
        assertThat(two.progress()).isEqualTo(3);
        two.ring.close();
    }

    @Test
    void manyLapsWithOneSlotEach() {
        for (boolean single : new boolean[] {true, false}) {
            for (int capacity : new int[] {1, 2, 4}) {
                Two two = new Two(single, capacity);
                for (int i = 0; i < 50; i++) {
                    while (two.producer.tryPublishEvent((event, sequence) -> event[0] = sequence) >= 0) {}
                    (i % 2 == 0 ? two.runA : two.runB).doWork();
                    Rings.exhaust(two.runA);
                    Rings.exhaust(two.runB);
                    Rings.exhaust(two.runFollower);
                }
                List<Long> all = new ArrayList<>(two.a.handled);
                all.addAll(two.b.handled);
                assertThat(all).containsExactlyInAnyOrderElementsOf(upTo(0, 50L * capacity - 1));
                assertThat(two.b.handled).isNotEmpty();
                assertThat(events(two.follower)).isEqualTo(upTo(0, 50L * capacity - 1));
                two.ring.close();
            }
        }
    }

    @Test
    void everyEventIsABatchOfItsOwn() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Recorder worker = new Recorder();
        pipeline.handleEventsWithWorkerPool(worker);
        EventProcessor run = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), 2);
        assertThat(run.doWork()).isEqualTo(2);
        assertThat(worker.calls).containsExactly("onStart", "start 1/2", "0!", "end 0", "start 1/1", "1!", "end 1");
        run.onClose();
        assertThat(worker.calls).endsWith("onShutdown");
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortedEventsArePassedOverAndHandedOn(boolean single) {
        Two two = new Two(single, 16);
        long hi = two.producer.next(6);
        two.producer.abort(hi - 5, hi - 5);
        two.producer.publish(hi - 4, hi - 3);
        two.producer.abort(hi - 2, hi);
        Rings.exhaust(two.runB);
        assertThat(two.b.handled).containsExactly(1L, 2L);
        assertThat(two.progress()).isEqualTo(5);
        Rings.exhaust(two.runFollower);
        assertThat(events(two.follower)).containsExactly(1L, 2L);
        two.ring.close();
    }

    @Test
    void aStageBehindWorkersFollowsAllOfThemByWhicheverItIsNamed() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Recorder first = new Recorder();
        Worker a = new Worker();
        Worker b = new Worker();
        Recorder last = new Recorder();
        pipeline.handleEventsWith(first).thenWorkerPool(a, b);
        pipeline.after(b).then(last);
        List<EventProcessor> run = pipeline.startProcessors();
        Rings.publish(ring.producer(), 3);
        Rings.exhaust(run.get(1));
        assertThat(a.handled).as("behind the first").isEmpty();
        Rings.exhaust(run.get(0));
        a.meanwhile = at -> {
            Rings.exhaust(run.get(2));
            Rings.exhaust(run.get(3));
            assertThat(events(last)).isEmpty();
        };
        Rings.exhaust(run.get(1));
        Rings.exhaust(run.get(3));
        assertThat(events(last)).isEqualTo(upTo(0, 2));
        assertThat(b.handled).containsExactly(1L, 2L);
        ring.close();
    }

    @Test
    void workersMayShareAThreadAndTheWholePipelineMay() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring).oneThread("all");
        Worker a = new Worker();
        Worker b = new Worker();
        Recorder last = new Recorder();
        pipeline.handleEventsWithWorkerPool(a, b).then(last);
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 100);
        assertThat(pipeline.awaitHandled(99, LONG)).isTrue();
        ring.close();
        assertThat(a.handled.size() + b.handled.size()).isEqualTo(100);
        assertThat(events(last)).isEqualTo(upTo(0, 99));
    }

    // failures

    @Test
    void aSkippedEventIsHandedOn() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> reported = new ArrayList<>();
        Worker a = new Worker();
        a.meanwhile = at -> {
            if (at == 1) {
                throw PLANNED;
            }
        };
        pipeline.onFailure(FailurePolicies.skip(
                (cause, sequence, attempt) -> reported.add(cause.getMessage() + sequence + "/" + attempt)));
        pipeline.handleEventsWithWorkerPool(a);
        EventProcessor run = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), 3);
        Rings.exhaust(run);
        assertThat(reported).containsExactly("planned1/1");
        assertThat(run.sequence().get()).isEqualTo(2);
        ring.close();
    }

    @Test
    void aFailingEventIsRetriedByTheWorkerThatTookIt() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Integer> attempts = new ArrayList<>();
        Worker a = new Worker();
        a.meanwhile = at -> {
            if (at < 2) {
                throw PLANNED;
            }
        };
        Worker b = new Worker();
        pipeline.onFailure(
                FailurePolicies.retryEvent(2, (cause, sequence, attempt) -> attempts.add(attempt), Action.SKIP));
        pipeline.handleEventsWithWorkerPool(a, b);
        List<EventProcessor> run = pipeline.startProcessors();
        Rings.publish(ring.producer(), 3);
        Rings.exhaust(run.get(0));
        assertThat(a.handled).containsExactly(0L, 0L, 0L, 1L, 1L, 1L, 2L);
        assertThat(attempts).as("counted for each event anew").containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(b.handled).isEmpty();
        assertThat(run.get(1).sequence().get()).isEqualTo(2);
        ring.close();
    }

    @Test
    void haltLeavesAGapAndFailsTheStage() {
        for (boolean single : new boolean[] {true, false}) {
            Two two = new Two(single, 16);
            Rings.publish(two.producer, 6);
            two.a.meanwhile = at -> {
                if (at == 0) {
                    two.b.meanwhile = then -> {
                        two.b.meanwhile = nothing -> {};
                        assertThat(two.runB.sequence().get()).isEqualTo(-1);
                    };
                    assertThat(two.runB.doWork()).isEqualTo(4); // 1 to 4
                    two.a.meanwhile = next -> {
                        if (next == 5) {
                            throw PLANNED;
                        }
                    };
                }
            };
            assertThat(two.runA.doWork()).isEqualTo(1);
            assertThat(two.ring.state()).isEqualTo(State.FAILED);
            assertThat(two.ring.failure()).isSameAs(PLANNED);
            assertThat(two.pipeline.consumer(two.a).state()).isEqualTo(State.FAILED);
            assertThat(two.runA.isDone()).isTrue();
            assertThat(two.runB.doWork()).as("the stage is over").isZero();
            assertThat(two.runB.isDone()).isTrue();
            assertThat(two.pipeline.consumer(two.b).state()).isEqualTo(State.CLOSED);
            assertThat(two.progress()).as("before the failing event").isEqualTo(4);
            Rings.exhaust(two.runFollower);
            assertThat(events(two.follower)).isEqualTo(upTo(0, 4));
            assertThat(two.runFollower.isDone()).isTrue();
            assertThatThrownBy(() -> two.producer.next(1))
                    .isInstanceOf(RingFailedException.class)
                    .hasCause(PLANNED);
            assertThat(two.ring.leftover().unhandled()).isEqualTo(1);
            two.ring.close();
        }
    }

    @Test
    void whatIsBehindAFailedEventIsNotHandedOnThoughItIsDone() {
        Two two = new Two(true, 16);
        Rings.publish(two.producer, 5);
        two.a.meanwhile = at -> {
            assertThat(two.runB.doWork()).isEqualTo(4); // 1 to 4
            throw PLANNED;
        };
        assertThat(two.runA.doWork()).isZero();
        assertThat(two.progress()).isEqualTo(-1);
        assertThat(two.runFollower.doWork()).isZero();
        two.runB.doWork();
        two.runFollower.doWork();
        assertThat(two.runFollower.isDone()).isTrue();
        assertThat(two.follower.calls).containsExactly("onStart");
        two.ring.close();
        assertThat(two.ring.leftover().unhandled()).isEqualTo(5);
    }

    @Test
    void anErrorHaltsAndSoDoesAPolicyThatFailsOrRewinds() {
        for (String how : new String[] {"error", "throws", "rewinds"}) {
            RingBuffer<long[]> ring = Rings.ring(true, 16);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Worker a = new Worker();
            Throwable thrown = how.equals("error") ? new AssertionError(how) : new IllegalStateException(how);
            a.meanwhile = at -> {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            };
            pipeline.handleEventsWithWorkerPool(
                    pipeline.consumer("a", a).onFailure((cause, event, sequence, attempt) -> {
                        if (how.equals("throws")) {
                            throw PLANNED;
                        }
                        return how.equals("rewinds") ? Action.REWIND_BATCH : Action.SKIP;
                    }));
            EventProcessor run = pipeline.startProcessors().get(0);
            Rings.publish(ring.producer(), 2);
            assertThat(run.doWork()).isZero();
            assertThat(ring.failure()).as(how).isSameAs(thrown);
            assertThat(a.handled).containsExactly(0L);
            assertThat(thrown.getSuppressed()).hasSize(how.equals("error") ? 0 : 1);
            if (how.equals("rewinds")) {
                assertThat(thrown.getSuppressed()[0])
                        .hasMessageContaining("worker a must return SKIP, RETRY_EVENT or HALT");
            }
            ring.close();
        }
    }

    @Test
    void aPolicyThatRewindsIsRefused() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Worker a = new Worker();
        var rewinds = FailurePolicies.<long[]>rewindBatch(1, (cause, sequence, attempt) -> {}, Action.HALT);
        assertThatThrownBy(() -> pipeline.handleEventsWithWorkerPool(
                        pipeline.consumer("a", a).onFailure(rewinds)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("failure policy of worker a must skip, retry or halt");
        assertThat(pipeline.consumers()).isEmpty();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a));
        pipeline.onFailure(rewinds);
        assertThatThrownBy(pipeline::startProcessors)
                .as("the pipeline's policy")
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("failure policy of worker a must skip, retry or halt");
        pipeline.onFailure(FailurePolicies.halt());
        pipeline.startProcessors();
        assertThatThrownBy(
                        () -> pipeline.join(pipeline.consumer("b", new Worker()).onFailure(rewinds))
                                .sharingWith(pipeline.consumer(a))
                                .processor(0))
                .hasMessageContaining("failure policy of worker b must skip, retry or halt");
        pipeline.join(pipeline.consumer("late", new Worker()).onFailure(FailurePolicies.halt()))
                .sharingWith(pipeline.consumer(a))
                .processor(0);
        ring.close();
    }

    @Test
    void failuresAroundTheEventGoToThePolicyWithoutAnEvent() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> reported = new ArrayList<>();
        Recorder worker = new Recorder() {
            @Override
            public void onBatchStart(long size, long available) {
                super.onBatchStart(size, available);
                throw PLANNED;
            }

            @Override
            public void onBatchEnd(long sequence) throws Exception {
                super.onBatchEnd(sequence);
                throw PLANNED;
            }
        };
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("worker", worker)
                .onFailure((cause, event, sequence, attempt) -> {
                    reported.add((event == null ? "no event " : "event ") + sequence + "/" + attempt);
                    return attempt < 2 ? Action.RETRY_EVENT : Action.SKIP;
                }));
        EventProcessor run = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), 1);
        Rings.exhaust(run);
        assertThat(reported).containsExactly("no event 0/1", "no event 0/2", "no event 0/1", "no event 0/2");
        assertThat(worker.calls).containsExactly("onStart", "start 1/1", "start 1/1", "0!", "end 0", "end 0");
        assertThat(run.sequence().get()).isZero();
        ring.close();
    }

    // coming and going

    @Test
    void aWorkerLeavesBetweenTwoEventsAndItsColleaguesGoOn() {
        for (boolean single : new boolean[] {true, false}) {
            Two two = new Two(single, 16);
            Rings.publish(two.producer, 4);
            ConsumerHandle a = two.pipeline.consumer(two.a);
            two.a.meanwhile =
                    at -> assertThat(a.remove(LONG)).as("not from within").isEqualTo(Removal.LATER);
            assertThat(two.runA.doWork()).as("its event is done first").isEqualTo(1);
            assertThat(two.runA.doWork()).isZero();
            assertThat(two.runA.isDone()).isTrue();
            assertThat(two.pipeline.consumers())
                    .extracting(ConsumerHandle::name)
                    .doesNotContain("a");
            assertThat(two.progress()).isZero();
            Rings.exhaust(two.runB);
            Rings.exhaust(two.runFollower);
            assertThat(two.b.handled).isEqualTo(upTo(1, 3));
            assertThat(events(two.follower)).isEqualTo(upTo(0, 3));
            two.ring.close();
            assertThat(two.runFollower.sequence().get()).isEqualTo(3);
        }
    }

    @Test
    void withTheLastWorkerTheStageLeaves() {
        for (boolean single : new boolean[] {true, false}) {
            Two two = new Two(single, 8);
            Rings.publish(two.producer, 2);
            Rings.exhaust(two.runA);
            assertThat(two.pipeline.consumer(two.a).remove(LONG)).isEqualTo(Removal.LEFT);
            two.runB.doWork();
            assertThat(two.pipeline.consumer(two.b).remove(LONG)).isEqualTo(Removal.LEFT);
            assertThat(two.pipeline.consumers()).hasSize(1);
            Rings.publish(two.producer, 6);
            assertThat(two.producer.tryNext(1)).as("the follower gates").isEqualTo(Producer.FULL);
            Rings.exhaust(two.runFollower);
            assertThat(events(two.follower)).as("follows the publications now").isEqualTo(upTo(0, 7));
            Rings.publish(two.producer, 8);
            Rings.exhaust(two.runFollower);
            assertThat(two.runFollower.sequence().get()).isEqualTo(15);
            two.ring.close();
        }
    }

    @Test
    void aWorkerFinishesItsRetriesBeforeItLeavesOrIsHalted() {
        for (boolean halted : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = Rings.ring(true, 16);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Worker a = new Worker();
            Worker b = new Worker();
            pipeline.handleEventsWithWorkerPool(a, b);
            pipeline.onFailure((cause, event, sequence, attempt) -> attempt < 5 ? Action.RETRY_EVENT : Action.SKIP);
            List<EventProcessor> run = pipeline.startProcessors();
            a.meanwhile = at -> {
                if (halted) {
                    run.get(0).halt();
                } else {
                    assertThat(pipeline.consumer(a).remove(0)).isEqualTo(Removal.LATER);
                }
                throw PLANNED;
            };
            Rings.publish(ring.producer(), 2);
            assertThat(run.get(0).doWork()).isEqualTo(1);
            assertThat(a.handled).containsExactly(0L, 0L, 0L, 0L, 0L);
            assertThat(run.get(0).doWork()).isZero();
            assertThat(run.get(0).isDone()).isTrue();
            Rings.exhaust(run.get(1));
            assertThat(b.handled).containsExactly(1L);
            assertThat(run.get(1).sequence().get()).isEqualTo(1);
            ring.close();
        }
    }

    @Test
    @Timeout(20)
    void closeEndsAnEndlessRetryAndTellsWhatIsLeft() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch failed = new CountDownLatch(10);
        Worker a = new Worker();
        a.meanwhile = at -> {
            failed.countDown();
            throw PLANNED;
        };
        pipeline.handleEventsWithWorkerPool(
                pipeline.consumer("a", a).onFailure((cause, event, sequence, attempt) -> Action.RETRY_EVENT));
        pipeline.start();
        Rings.publish(ring.producer(), 3);
        Rings.await("some retries", () -> failed.getCount() == 0);
        ring.close();
        assertThat(ring.leftover().unhandled()).isEqualTo(3);
        assertThat(ring.leftover().slowest()).isEqualTo("a");
        assertThat(pipeline.consumer(a).state()).isEqualTo(State.CLOSED);
    }

    @Test
    void oneHaltedWorkerOwesNothingAndAPublisherIsToldWhenAllAre() throws Exception {
        Two two = new Two(false, 4);
        two.runA.halt();
        assertThat(two.runA.doWork()).isZero();
        Rings.publish(two.producer, 4);
        Rings.exhaust(two.runB);
        Rings.exhaust(two.runFollower);
        assertThat(two.follower.calls).contains("3!");
        Rings.publish(two.producer, 4);
        Rings.onOwnThread(() -> assertThat(two.ring.producer().next(1, 1_000_000))
                .as("b may still go on")
                .isEqualTo(Producer.TIMED_OUT));
        two.runB.halt();
        two.runB.doWork();
        assertThatThrownBy(() -> Rings.onOwnThread(() -> two.ring.producer().next(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended");
        two.ring.close();
    }

    @Test
    void aWorkerWhoseThreadHasEndedOwesNothingAndIsRemoved() throws Exception {
        Two two = new Two(false, 16);
        Rings.publish(two.producer, 1);
        Rings.onOwnThread(() -> two.runA.doWork());
        assertThat(two.a.handled).containsExactly(0L);
        assertThat(two.pipeline.consumer(two.a).remove(LONG)).isEqualTo(Removal.LEFT);
        Rings.publish(two.producer, 3);
        Rings.exhaust(two.runB);
        assertThat(two.progress()).isEqualTo(3);
        two.ring.close();
    }

    @Test
    void aWorkerJoinsWhileItsColleaguesAreInTheirEvents() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Worker a = new Worker();
        a.meanwhile = at -> {
            if (at == 0) {
                inside.countDown();
                Rings.await("the joiner's work", () -> goOn.getCount() == 0);
            }
        };
        Recorder last = new Recorder();
        pipeline.handleEventsWithWorkerPool(a).then(last);
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 3);
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        Worker b = new Worker();
        ConsumerHandle joined = pipeline.join(pipeline.consumer("b", b))
                .sharingWith(pipeline.consumer(a))
                .start(LONG);
        assertThat(joined.joinedFrom()).isEqualTo(1);
        Rings.publish(producer, 2);
        // what b has done is not handed on, so the counts say that it is done
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.await("b's work", () -> monitor.sample().consumer(2).handled() == 4);
        assertThat(monitor.consumer(2).name()).isEqualTo("b");
        assertThat(joined.sequence().get()).isEqualTo(-1);
        goOn.countDown();
        assertThat(pipeline.awaitHandled(4, LONG)).isTrue();
        assertThat(joined.remove(LONG)).isEqualTo(Removal.LEFT);
        Rings.publish(producer, 1);
        assertThat(pipeline.awaitHandled(5, LONG)).isTrue();
        ring.close();
        assertThat(a.handled).containsExactly(0L, 5L);
        assertThat(b.handled).isEqualTo(upTo(1, 4));
        assertThat(events(last)).isEqualTo(upTo(0, 5));
    }

    @Test
    void aJoinedWorkerIsWaitedForByThoseWhoFollowWhenTheRingFails() throws Exception {
        Two two = new Two(true, 16);
        Worker c = new Worker();
        EventProcessor runC = two.pipeline
                .join(two.pipeline.consumer("c", c))
                .sharingWith(two.pipeline.consumer(two.b))
                .processor(0);
        Rings.publish(two.producer, 2);
        c.meanwhile = at -> {
            if (at == 0) {
                two.a.meanwhile = then -> {
                    throw PLANNED;
                };
                two.runA.doWork(); // fails at 1
                two.runB.doWork();
                assertThat(two.runB.isDone()).isTrue();
                two.runFollower.doWork();
                assertThat(two.runFollower.isDone()).as("c has not ended").isFalse();
            }
        };
        assertThat(runC.doWork()).isEqualTo(1);
        assertThat(runC.isDone()).isTrue();
        Rings.exhaust(two.runFollower);
        two.runFollower.doWork();
        assertThat(two.runFollower.isDone()).isTrue();
        assertThat(events(two.follower)).containsExactly(0L);
        two.ring.close();
    }

    @Test
    void othersJoinBehindAndBeforeWorkers() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            Two two = new Two(single, 16);
            List<EventProcessor> run = List.of(two.runA, two.runB, two.runFollower);
            Rings.publish(two.producer, 3);
            run.forEach(Rings::exhaust);
            Rings.publish(two.producer, 2);
            Recorder behind = new Recorder();
            EventProcessor runBehind = two.pipeline
                    .join(two.pipeline.consumer("behind", behind))
                    .after(two.pipeline.consumer(two.b))
                    .processor(0);
            Recorder before = new Recorder();
            EventProcessor runBefore = two.pipeline
                    .join(two.pipeline.consumer("before", before))
                    .before(two.pipeline.consumer(two.a))
                    .processor(0);
            run.forEach(Rings::exhaust);
            assertThat(two.progress()).as("waits for the one before").isEqualTo(2);
            Rings.exhaust(runBefore);
            assertThat(events(before)).isEqualTo(upTo(3, 4));
            assertThat(runBehind.doWork()).isZero();
            run.forEach(Rings::exhaust);
            Rings.exhaust(runBehind);
            assertThat(events(behind)).isEqualTo(upTo(3, 4));
            assertThat(events(two.follower)).isEqualTo(upTo(0, 4));
            // and leave again
            assertThat(two.pipeline.consumer(before).remove(LONG)).isEqualTo(Removal.LEFT);
            assertThat(two.pipeline.consumer(behind).remove(LONG)).isEqualTo(Removal.LEFT);
            Rings.publish(two.producer, 16);
            run.forEach(Rings::exhaust);
            assertThat(events(two.follower)).isEqualTo(upTo(0, 20));
            assertThat(two.a.handled.size() + two.b.handled.size()).isEqualTo(21);
            two.ring.close();
        }
    }

    /** Progress rests only while no worker can move it. */
    @Test
    void aJoinerWaitsForEveryWorkerOfTheStageThatGates() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Worker a = new Worker();
        Worker b = new Worker();
        b.meanwhile = at -> {
            inside.countDown();
            Rings.await("the joiner", () -> goOn.getCount() == 0);
        };
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a), pipeline.consumer("b", b));
        List<EventProcessor> run = pipeline.startProcessors();
        Rings.publish(ring.producer(), 1);
        Rings.Caller caller = new Rings.Caller(() -> run.get(1).doWork());
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(run.get(0).doWork()).as("a is at rest on this thread").isZero();
        assertThatThrownBy(() -> pipeline.join(new Recorder()).processor(1_000_000))
                .isInstanceOf(TimeoutException.class)
                .hasMessage(
                        "a join must find the others at rest, but consumer b did not finish its batch within 1.0 ms: nothing has joined");
        goOn.countDown();
        assertThat(caller.result()).isNull();
        Recorder late = new Recorder();
        pipeline.join(late).processor(LONG);
        assertThat(pipeline.consumer(late).joinedFrom()).isEqualTo(1);
        ring.close();
    }

    @Test
    void aPausedWorkerTakesNothingAndOwesNothing() {
        Two two = new Two(true, 16);
        ConsumerHandle a = two.pipeline.consumer(two.a);
        Rings.publish(two.producer, 4);
        two.a.meanwhile = at -> a.pause();
        assertThat(two.runA.doWork()).isEqualTo(1);
        assertThat(two.runA.doWork()).isZero();
        Rings.exhaust(two.runB);
        assertThat(two.progress()).isEqualTo(3);
        two.pipeline.consumer(two.b).pause();
        Rings.publish(two.producer, 1);
        assertThat(two.runB.doWork()).isZero();
        a.resume();
        assertThat(two.runA.doWork()).isEqualTo(1);
        assertThat(two.progress()).isEqualTo(4);
        two.ring.close();
    }

    // what is seen from outside

    @Test
    void monitorAndDumpTellTheWorkersApart() {
        Two two = new Two(true, 8);
        RingMonitor monitor = RingMonitor.of(two.ring);
        Rings.publish(two.producer, 8);
        two.a.meanwhile = at -> {
            if (at == 0) {
                Rings.exhaust(two.runB);
                monitor.sample();
                assertThat(monitor.consumer(0).handled()).isZero();
                assertThat(monitor.consumer(1).handled()).isEqualTo(7);
                assertThat(monitor.consumer(1).batches()).isEqualTo(7);
                assertThat(monitor.consumer(1).lag()).as("the stage's").isEqualTo(8);
                String dump = monitor.dump();
                assertThat(dump)
                        .contains("  consumer a: at -1, 8 behind, a worker, handles 0, here for at least")
                        .contains("  consumer b: at -1, 8 behind, a worker, waits for an event")
                        .contains("  consumer Recorder: at -1, 8 behind, waits for a at -1");
                assertThat(two.ring.leftover().slowest()).isEqualTo("a");
            }
        };
        two.runA.doWork();
        monitor.sample();
        assertThat(monitor.consumer(0).handled() + monitor.consumer(1).handled())
                .isEqualTo(8);
        assertThat(monitor.consumer(0).lag()).isZero();
        two.ring.close();
        assertThat(monitor.dump()).contains("consumer a: at 7, 0 behind,");
    }

    @Test
    void aWorkersTimeOutComesOnce() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Recorder worker = new Recorder();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("worker", worker).timeout(1));
        EventProcessor run = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), 1);
        for (int i = 0; i < 100; i++) {
            run.doWork();
        }
        assertThat(worker.calls).containsExactly("onStart", "start 1/1", "0!", "end 0", "timeout 0");
        ring.close();
    }

    // bad input

    @Test
    void badDeclarationsAreRefused() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Worker a = new Worker();
        assertThatThrownBy(() -> pipeline.handleEventsWithWorkerPool(new Worker[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workers must have 1 element or more, but had 0");
        assertThatThrownBy(() -> pipeline.handleEventsWithWorkerPool(a, a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("workers[1] must be declared once");
        Stage<long[]> stage = pipeline.handleEventsWithWorkerPool(a);
        assertThatThrownBy(() -> stage.thenWorkerPool(new Worker(), a))
                .hasMessageStartingWith("workers[1] must be declared once");
        pipeline.startProcessors();
        assertThatThrownBy(() -> stage.thenWorkerPool(new Worker())).isInstanceOf(IllegalStateException.class);
        ring.close();
    }

    /** The consumer that clears events follows all workers, those that come and go included. */
    @Test
    void clearingFollowsTheWorkers() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Worker a = new Worker();
        Worker b = new Worker();
        pipeline.handleEventsWithWorkerPool(a, b);
        List<Long> cleared = new ArrayList<>();
        pipeline.clearEventsWith(event -> cleared.add(event[0]));
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 3);
        a.meanwhile = at -> {
            Rings.exhaust(run.get(1));
            Rings.exhaust(run.get(2));
            assertThat(cleared).isEmpty();
        };
        Rings.exhaust(run.get(0));
        Rings.exhaust(run.get(2));
        assertThat(cleared).containsExactly(0L, 1L, 2L);
        assertThat(pipeline.consumer(a).remove(LONG)).isEqualTo(Removal.LEFT);
        Worker c = new Worker();
        EventProcessor joined =
                pipeline.join(c).sharingWith(pipeline.consumer(b)).processor(LONG);
        Rings.publish(producer, 2);
        Rings.exhaust(joined);
        Rings.exhaust(run.get(2));
        assertThat(c.handled).isEqualTo(upTo(3, 4));
        assertThat(cleared).hasSize(5);
        ring.close();
    }

    @Test
    void badJoinsAreRefused() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Worker a = new Worker();
        Recorder other = new Recorder();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("a", a)).then(other);
        assertThatThrownBy(() -> pipeline.join(new Worker())
                        .sharingWith(pipeline.consumer(a))
                        .processor(0))
                .as("before the start")
                .isInstanceOf(IllegalStateException.class);
        EventProcessor runA = pipeline.startProcessors().get(0);
        assertThatThrownBy(() -> pipeline.join(new Worker()).sharingWith(pipeline.consumer(other)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "sharingWith must name a worker, since workers share the events, but consumer Recorder is none");
        List<Join<long[]>> mixed = List.of(
                pipeline.join(new Worker()).from(0),
                pipeline.join(new Worker()).fromNow(),
                pipeline.join(new Worker()).after(pipeline.consumer(other)),
                pipeline.join(new Worker()).before(pipeline.consumer(other)),
                pipeline.join(pipeline.batchConsumer("late", (events, lo, hi) -> hi)));
        for (Join<long[]> join : mixed) {
            assertThatThrownBy(() -> join.sharingWith(pipeline.consumer(a)).processor(0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageMatching(
                            "sharingWith\\(a\\) must be (the only setting, since a worker has the place of its colleagues|for a handler of events, since workers take single events).*, but .*");
        }
        assertThatThrownBy(
                        () -> pipeline.join(a).sharingWith(pipeline.consumer(a)).processor(0))
                .as("twice")
                .isInstanceOf(IllegalArgumentException.class);
        ConsumerHandle left = pipeline.consumer(a);
        Join<long[]> late = pipeline.join(new Worker()).sharingWith(left);
        runA.doWork();
        assertThat(left.remove(LONG)).isEqualTo(Removal.LEFT);
        assertThatThrownBy(() -> late.processor(0)).hasMessage("consumer a must be in the pipeline, but has left");
        ring.close();
    }

    @Test
    void aWorkerCanNeitherPublishProgressNorWaitForItself() {
        Two two = new Two(true, 4);
        List<Throwable> thrown = new ArrayList<>();
        two.a.meanwhile = at -> {
            for (Runnable call : List.<Runnable>of(
                    () -> two.pipeline.consumer(two.a).progress(at),
                    () -> two.producer.next(1),
                    () -> two.pipeline.awaitHandled(0, LONG),
                    () -> two.ring.drain(0))) {
                try {
                    call.run();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            }
        };
        Rings.publish(two.producer, 4);
        assertThat(two.runA.doWork()).isEqualTo(1);
        assertThat(thrown).hasSize(4);
        assertThat(thrown.get(0)).hasMessageContaining("but was called from worker a");
        assertThat(thrown.get(1)).hasMessageContaining("it would wait for itself");
        two.ring.close();
    }
}
