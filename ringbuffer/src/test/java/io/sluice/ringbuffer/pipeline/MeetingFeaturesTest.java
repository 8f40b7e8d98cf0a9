package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins that fail half-way, waits on a ring that has failed, and calls from within a handler. */
@Timeout(60)
class MeetingFeaturesTest {
    private static final EventHandler<long[]> QUIET = (event, sequence, endOfBatch) -> {};

    private static Pipeline<long[]> quiet(RingBuffer<long[]> ring) {
        return Pipeline.on(ring).errorHandler(told -> {});
    }

    // a join whose handler fails to say whether it extends its batches

    private static final class FailsToSay implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

        @Override
        public boolean extendsBatch() {
            throw new IllegalArgumentException("planned");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJoinWhoseHandlerFailsToSayWhetherItExtendsBatchesLeavesNothingBehind(boolean thread) throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        Pipeline<long[]> pipeline = quiet(ring);
        pipeline.handleEventsWith(QUIET);
        EventProcessor first = pipeline.startProcessors().get(0);
        first.doWork();
        Join<long[]> join = pipeline.join(pipeline.consumer("broken", new FailsToSay()));
        assertThatThrownBy(() -> {
                    if (thread) {
                        join.start(Rings.LONG);
                    } else {
                        join.processor(Rings.LONG);
                    }
                })
                .hasMessage("planned");
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).doesNotContain("broken");
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 3; i++) {
            publish(producer, 8); // refused, were the broken one in the way
            Rings.exhaust(first);
        }
        pipeline.join(pipeline.consumer("broken", QUIET_TOO)).processor(Rings.LONG); // its name is free again
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerThatCouldNotJoinMayTryAgain(boolean sameJoin) throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        Pipeline<long[]> pipeline = quiet(ring);
        pipeline.handleEventsWith(QUIET);
        pipeline.startProcessors().get(0).doWork();
        boolean[] failed = {false};
        NewConsumer<long[]> consumer = pipeline.consumer("second time", new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

            @Override
            public boolean extendsBatch() {
                if (!failed[0]) {
                    failed[0] = true;
                    throw new IllegalArgumentException("planned");
                }
                return false;
            }
        });
        Join<long[]> join = pipeline.join(consumer);
        assertThatThrownBy(() -> join.processor(Rings.LONG)).hasMessage("planned");
        assertThatThrownBy(consumer::handle).isInstanceOf(IllegalStateException.class);
        EventProcessor processor = (sameJoin ? join : pipeline.join(consumer)).processor(Rings.LONG);
        assertThat(processor.roleName()).isEqualTo("second time");
        assertThat(consumer.handle().state()).isEqualTo(State.RUNNING);
        ring.close();
    }

    private static final EventHandler<long[]> QUIET_TOO = (event, sequence, endOfBatch) -> {};

    private static final class OfOneClass implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {}
    }

    /** Both look for a name before one of them has joined: the consumer that they need at rest is in its handler until then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void twoHandlersWithoutANameThatJoinAtOnceGetANameEach(boolean ofOneClass) throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Pipeline<long[]> pipeline = quiet(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                inside.countDown();
                goOn.await();
            });
            pipeline.start();
            publish(ring.producer(), 1);
            inside.await();
            List<Rings.Caller> callers = new ArrayList<>();
            for (EventHandler<long[]> handler :
                    ofOneClass ? List.of(new OfOneClass(), new OfOneClass()) : List.of(QUIET, QUIET_TOO)) {
                callers.add(new Rings.Caller(() -> {
                    try {
                        pipeline.join(handler).start(Rings.LONG);
                    } catch (TimeoutException e) {
                        throw new AssertionError(e);
                    }
                }));
            }
            callers.forEach(Rings.Caller::awaitWaiting);
            goOn.countDown();
            for (Rings.Caller caller : callers) {
                assertThat(caller.result()).isNull();
            }
            assertThat(pipeline.consumers())
                    .extracting(ConsumerHandle::name)
                    .doesNotHaveDuplicates()
                    .hasSize(3);
        }
    }

    /** As if another thread had closed the ring between the join and the start of the joiner's thread. */
    @Test
    @Tag("concurrency")
    void aHandlerThatJoinsAFailedRingIsNotStartedBehindTheRingsClose() throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        Pipeline<long[]> pipeline = quiet(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            throw new IllegalStateException("planned");
        });
        pipeline.start();
        List<String> calls = new CopyOnWriteArrayList<>();
        Join<long[]> join = pipeline.join(pipeline.consumer("late", new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

            @Override
            public boolean extendsBatch() {
                publish(ring.producer(), 1);
                Rings.await("the failure", () -> ring.state() == State.FAILED);
                ring.close();
                return false;
            }

            @Override
            public void onStart() {
                calls.add("onStart");
            }

            @Override
            public void onShutdown() {
                calls.add("onShutdown");
            }
        }));
        assertThatThrownBy(() -> join.start(Rings.LONG))
                .hasMessage("the ring must be RUNNING or DRAINING for a join, but is FAILED");
        ring.close();
        assertThat(calls).isEmpty();
    }

    // awaitHandled on a ring that has failed

    /** Why a consumer beside the failed one does not go on. */
    private enum Beside {
        UNPOLLED,
        PAUSED,
        UNSTARTED,
        DEAD
    }

    /** Declares a consumer that fails at 5; with what. */
    private static Throwable declareFailing(Pipeline<long[]> pipeline) {
        IllegalStateException cause = new IllegalStateException("planned");
        EventHandler<long[]> failing = (event, sequence, endOfBatch) -> {
            if (sequence == 5) {
                throw cause;
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("failing", failing).batchLimit(1));
        return cause;
    }

    @ParameterizedTest
    @EnumSource(Beside.class)
    void awaitHandledThrowsTheCauseAtOnceBesideAConsumerThatDoesNotGoOn(Beside beside) throws Exception {
        for (long awaited : new long[] {3, 7}) {
            RingBuffer<long[]> ring = ringBuilder(true, 32).build();
            Pipeline<long[]> pipeline = quiet(ring);
            Throwable cause = declareFailing(pipeline);
            boolean polled = beside == Beside.UNPOLLED;
            EventPoller<long[]> poller = polled ? pipeline.poller("poller") : null;
            if (!polled) {
                pipeline.handleEventsWith(QUIET);
            }
            List<EventProcessor> processors = pipeline.startProcessors();
            if (beside == Beside.PAUSED) {
                processors.get(1).doWork();
                pipeline.consumer(QUIET).pause();
            } else if (beside == Beside.DEAD) {
                Rings.onOwnThread(() -> processors.get(1).doWork());
            }
            publish(ring.producer(), 8);
            Rings.onOwnThread(() -> Rings.exhaust(processors.get(0)));
            assertThat(ring.state()).isEqualTo(State.FAILED);
            assertThatThrownBy(() -> pipeline.awaitHandled(awaited, TimeUnit.HOURS.toNanos(1)))
                    .isInstanceOf(RingFailedException.class)
                    .hasCause(cause);
            if (poller != null) {
                poller.poll(QUIET::onEvent, 8);
            } else if (beside != Beside.PAUSED) {
                Rings.exhaust(processors.get(1));
            }
            if (awaited == 3 && beside != Beside.PAUSED) {
                assertThat(pipeline.awaitHandled(awaited, 0))
                        .as("finished by all in the end")
                        .isTrue();
            }
        }
    }

    /** A consumer that still runs has its time; but when that is over, the cause is told, not false. */
    @Test
    void awaitHandledOnAFailedRingThatRunsLateThrowsTheCause() throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 32).build();
        Pipeline<long[]> pipeline = quiet(ring);
        Throwable cause = declareFailing(pipeline);
        EventPoller<long[]> poller = pipeline.poller("poller");
        poller.poll(QUIET::onEvent, 1); // this thread is its runner, and lives
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 8);
        Rings.exhaust(processor);
        Rings.onOwnThread(() -> assertThatThrownBy(() -> pipeline.awaitHandled(3, 1_000_000))
                .isInstanceOf(RingFailedException.class)
                .hasCause(cause));
        poller.poll(QUIET::onEvent, 8);
        assertThat(pipeline.awaitHandled(3, 0)).isTrue();
    }

    @Test
    void awaitHandledOnAClosedRingDoesNotWaitForAConsumerThatNobodyRan() {
        RingBuffer<long[]> ring = ringBuilder(true, 32).build();
        Pipeline<long[]> pipeline = quiet(ring);
        pipeline.handleEventsWith(QUIET);
        pipeline.startProcessors();
        publish(ring.producer(), 1);
        ring.close();
        assertThat(pipeline.awaitHandled(0, TimeUnit.HOURS.toNanos(1))).isFalse();
    }

    // idle strategies

    @Test
    @Tag("concurrency")
    void aJoinIsRefusedTheIdleStrategyOfAnotherThread() throws Exception {
        List<SignalledIdle> idles = new ArrayList<>();
        RingBuffer<long[]> ring = ringBuilder(true, 32)
                .consumersIdle(() -> {
                    SignalledIdle idle = SignalledIdle.exact(0);
                    idles.add(idle);
                    return idle;
                })
                .build();
        try (Pipeline<long[]> pipeline = quiet(ring)) {
            EventHandler<long[]> worker = (event, sequence, endOfBatch) -> {};
            pipeline.handleEventsWith(pipeline.consumer("first", QUIET)).thenWorkerPool(worker);
            pipeline.start();
            for (SignalledIdle taken : idles.subList(1, 3)) {
                assertThatThrownBy(
                                () -> pipeline.join(QUIET_TOO).idle(() -> taken).start(Rings.LONG))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("is that of the thread of consumer ")
                        .hasMessageContaining("each thread must have an idle strategy of its own");
                assertThatThrownBy(() -> pipeline.join(QUIET_TOO)
                                .sharingWith(pipeline.consumer(worker))
                                .idle(() -> taken)
                                .start(Rings.LONG))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(pipeline.consumers()).hasSize(2);
            ConsumerHandle joined =
                    pipeline.join(QUIET_TOO).idle(() -> SignalledIdle.exact(0)).start(Rings.LONG);
            assertThat(joined.remove(Rings.LONG)).isEqualTo(Removal.LEFT);
            publish(ring.producer(), 40);
            assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
        }
    }

    @Test
    void anExactIdleStrategyOnATimedRingIsRefusedBeforeAnythingHasChanged() {
        RingBuffer<long[]> ring =
                ringBuilder(true, 32).consumersIdle(SignalledIdle::timed).build();
        Pipeline<long[]> pipeline = quiet(ring);
        pipeline.handleEventsWith(QUIET);
        pipeline.startProcessors().get(0).doWork();
        ConsumerNode<?> node = (ConsumerNode<?>) pipeline.consumers().get(0);
        assertThatThrownBy(() -> pipeline.join(QUIET_TOO)
                        .after(pipeline.consumer(QUIET))
                        .idle(SignalledIdle::exact)
                        .start(Rings.LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a timed strategy, since this group makes no fence");
        assertThat(node.downstream).as("a group for whom nobody joined").isNull();
        assertThat(pipeline.consumers()).hasSize(1);
        ring.close();
    }

    // calls from within a handler

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPollFromWithinAPollIsRefusedAndNothingIsHandedOverTwice(boolean shedding) throws Exception {
        RingBufferBuilder<long[]> builder = ringBuilder(true, 8);
        RingBuffer<long[]> ring = (shedding ? builder.shedding((consumer, event, sequence) -> {}) : builder).build();
        EventPoller<long[]> poller = quiet(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        List<Long> handled = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        EventHandler<long[]> nesting = (event, sequence, endOfBatch) -> {
            handled.add(sequence);
            if (sequence == 2) {
                try {
                    poller.poll((inner, number, end) -> handled.add(number), 8);
                } catch (IllegalStateException e) {
                    refused.add(e.getMessage());
                }
                long free = producer.tryNext(8); // the slots are still read
                assertThat(Producer.resultName(free)).isEqualTo("FULL");
            }
        };
        assertThat(poller.poll(nesting::onEvent, 8)).isEqualTo(8);
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(refused)
                .containsExactly(
                        "poll must be called once the handler of poller has returned, but the handler is at work: it would"
                                + " hand out the same events again");
        publish(producer, 1);
        assertThat(poller.poll(QUIET::onEvent, 8)).as("afterwards").isEqualTo(1);
    }

    /** After a handler that threw the poller is free again. */
    @Test
    void aPollAfterOneThatThrewIsNoPollFromWithin() throws Exception {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        EventPoller<long[]> poller = quiet(ring).poller("poller");
        publish(ring.producer(), 2);
        assertThatThrownBy(() -> poller.poll(
                        (event, sequence, endOfBatch) -> {
                            throw new IllegalArgumentException("planned");
                        },
                        8))
                .hasMessage("planned");
        assertThat(poller.poll(QUIET::onEvent, 8)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProcessorWorkedFromWithinItsHandlerIsRefused(boolean workers) {
        RingBuffer<long[]> ring = ringBuilder(true, 8).build();
        Pipeline<long[]> pipeline = quiet(ring);
        List<EventProcessor> processors = new ArrayList<>();
        List<Long> handled = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        EventHandler<long[]> nesting = (event, sequence, endOfBatch) -> {
            handled.add(sequence);
            try {
                processors.get(0).doWork();
            } catch (IllegalStateException e) {
                refused.add(e.getMessage());
            }
        };
        if (workers) {
            pipeline.handleEventsWithWorkerPool(pipeline.consumer("nesting", nesting));
        } else {
            pipeline.handleEventsWith(pipeline.consumer("nesting", nesting));
        }
        processors.addAll(pipeline.startProcessors());
        publish(ring.producer(), 3);
        Rings.exhaust(processors.get(0));
        assertThat(handled).containsExactly(0L, 1L, 2L);
        assertThat(refused)
                .hasSize(3)
                .allMatch(text -> text.startsWith("doWork must be called once the handler of nesting has returned"));
    }

    // changes at run time together with parking: every consumer is parked for good unless it is woken

    private static Pipeline<long[]> parked(List<Long> first, List<Long> second, EventHandler<long[]>[] handlers) {
        RingBuffer<long[]> ring = ringBuilder(false, 64)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .producersIdle(BusySpinIdleStrategy::new)
                .build();
        Pipeline<long[]> pipeline = quiet(ring);
        handlers[0] = (event, sequence, endOfBatch) -> first.add(sequence);
        handlers[1] = (event, sequence, endOfBatch) -> second.add(sequence);
        pipeline.handleEventsWith(pipeline.consumer("first", handlers[0]))
                .then(pipeline.consumer("second", handlers[1]));
        pipeline.start();
        return pipeline;
    }

    private static void awaitAllParked(Pipeline<long[]> pipeline) {
        Rings.await(
                "all parked",
                () -> pipeline.consumers().stream()
                        .map(one -> (ConsumerNode<?>) one)
                        .allMatch(node -> node.idle() != null
                                && node.idle().parkedSince() != SignalledIdle.NO_DEADLINE
                                && node.runner() != null
                                && node.runner().getState() == Thread.State.WAITING));
    }

    private static void publishAndAwait(Pipeline<long[]> pipeline, Producer<long[]> producer) {
        awaitAllParked(pipeline);
        long last = producer.publishEvent((event, sequence) -> event[0] = sequence);
        assertThat(pipeline.awaitHandled(last, Rings.LONG))
                .as("woken for " + last)
                .isTrue();
    }

    @Test
    @Tag("concurrency")
    @SuppressWarnings({"unchecked", "rawtypes"})
    void parkedConsumersAreWokenAfterEachChangeOfTheGraph() throws Exception {
        List<Long> first = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Long> second = java.util.Collections.synchronizedList(new ArrayList<>());
        EventHandler<long[]>[] handlers = new EventHandler[2];
        try (Pipeline<long[]> pipeline = parked(first, second, handlers)) {
            Producer<long[]> producer = pipeline.ring().producer();
            publishAndAwait(pipeline, producer);
            ConsumerHandle one = pipeline.consumer(handlers[0]);
            ConsumerHandle two = pipeline.consumer(handlers[1]);

            awaitAllParked(pipeline);
            EventHandler<long[]> between = (event, sequence, endOfBatch) -> {};
            ConsumerHandle joined = pipeline.join(pipeline.consumer("between", between))
                    .after(one)
                    .before(two)
                    .start(Rings.LONG);
            publishAndAwait(pipeline, producer);
            publishAndAwait(pipeline, producer);

            awaitAllParked(pipeline);
            assertThat(joined.remove(Rings.LONG)).isEqualTo(Removal.LEFT);
            publishAndAwait(pipeline, producer);

            awaitAllParked(pipeline);
            EventHandler<long[]> beside = (event, sequence, endOfBatch) -> {};
            ConsumerHandle ahead = pipeline.join(pipeline.consumer("ahead", beside))
                    .before(one)
                    .start(Rings.LONG);
            publishAndAwait(pipeline, producer);

            awaitAllParked(pipeline);
            assertThat(one.remove(Rings.LONG)).isEqualTo(Removal.LEFT); // its follower follows the one ahead
            publishAndAwait(pipeline, producer);

            awaitAllParked(pipeline);
            assertThat(ahead.remove(Rings.LONG)).isEqualTo(Removal.LEFT); // now the publications
            publishAndAwait(pipeline, producer);

            awaitAllParked(pipeline);
            two.pause();
            long last = producer.publishEvent((event, sequence) -> event[0] = sequence);
            Rings.await("the pause", () -> two.lag() == 1);
            two.resume();
            assertThat(pipeline.awaitHandled(last, Rings.LONG)).isTrue();
            publishAndAwait(pipeline, producer);
            List<Long> all = new ArrayList<>();
            for (long sequence = 0; sequence <= last + 1; sequence++) {
                all.add(sequence);
            }
            assertThat(second).containsExactlyElementsOf(all);
        }
    }

    /** A pause that finds its consumer parked, and holds it parked: a resume is all that wakes it. */
    @Test
    @Tag("concurrency")
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aConsumerThatParksWhileItIsPausedIsWokenByResumeAndByRemoveAndByClose() throws Exception {
        for (String end : List.of("resume", "remove", "close")) {
            List<Long> first = java.util.Collections.synchronizedList(new ArrayList<>());
            EventHandler<long[]>[] handlers = new EventHandler[2];
            try (Pipeline<long[]> pipeline = parked(first, new ArrayList<>(), handlers)) {
                Producer<long[]> producer = pipeline.ring().producer();
                publishAndAwait(pipeline, producer);
                ConsumerHandle two = pipeline.consumer(handlers[1]);
                two.pause();
                long last = producer.publishEvent((event, sequence) -> event[0] = sequence);
                Rings.await("first", () -> first.size() == 2);
                awaitAllParked(pipeline);
                assertThat(two.lag()).isEqualTo(1);
                switch (end) {
                    case "resume" -> two.resume();
                    case "remove" -> assertThat(two.remove(Rings.LONG)).isEqualTo(Removal.LEFT);
                    default -> pipeline.ring().close();
                }
                if (!end.equals("close")) {
                    assertThat(pipeline.awaitHandled(last, Rings.LONG)).isTrue();
                    publishAndAwait(pipeline, producer);
                }
            }
        }
    }
}
