package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.EventTranslatorBatch;
import io.sluice.ringbuffer.EventTranslatorTwoLongs;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingClosedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.SlotMarks;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input is refused at the call, with a message that names the argument, its value and what is allowed. */
@SuppressWarnings("NullAway") // nulls are the point
class BadInputTest {
    private static final EventHandler<long[]> NOTHING = (event, sequence, endOfBatch) -> {};

    private static void refused(ThrowingCallable call, Class<? extends Exception> type, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOf(type)
                .hasMessageContainingAll(parts)
                .hasMessageContaining(" must ");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 1000, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 30) + 1})
    void aCapacityThatIsNoPowerOfTwoInRange(int capacity) {
        refused(
                () -> RingBufferBuilder.of(() -> new long[1]).capacity(capacity),
                IllegalArgumentException.class,
                "capacity must be",
                "but was " + capacity,
                "a power of two from 1 to 1073741824");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 9, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void aClaimOfTooFewOrTooMany(int n) {
        for (boolean single : new boolean[] {true, false}) {
            Producer<long[]> producer = ring(single, 8).producer();
            EventTranslatorBatch<long[]> translator = (event, sequence, index) -> {};
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> producer.next(n),
                    () -> producer.next(n, 1),
                    () -> producer.tryNext(n),
                    () -> producer.tryNextUpTo(n),
                    () -> producer.publishEvents(translator, n),
                    () -> producer.tryPublishEvents(translator, n))) {
                refused(call, IllegalArgumentException.class, "n must be", "but was " + n, "1 to the capacity, 8");
            }
            assertThat(producer.next(8)).isEqualTo(7);
        }
    }

    @Test
    void nulls() {
        RingBuffer<long[]> ring = ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Producer<long[]> producer = ring.producer();
        RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> new long[1]);
        Stage<long[]> stage = pipeline.handleEventsWith(NOTHING);
        nul("factory", () -> RingBufferBuilder.of(null));
        nul("supplier", () -> builder.producersIdle(null));
        nul("supplier", () -> builder.consumersIdle(null));
        nul("factory.newInstance()", () -> RingBufferBuilder.of(() -> null).build());
        nul("consumersIdle.get()", () -> builder.consumersIdle(() -> null).build());
        nul(
                "producersIdle.get()",
                () -> Rings.ringBuilder(true, 2)
                        .producersIdle(() -> null)
                        .build()
                        .producer());
        nul("upstream", () -> ring.newBarrier((io.sluice.core.SequenceView[]) null));
        nul("upstream", () -> ring.newBarrier((io.sluice.core.SequenceView) null));
        nul("sequences", () -> ring.addGating((io.sluice.core.SequenceView[]) null));
        nul("sequence", () -> ring.addGating((io.sluice.core.SequenceView) null));
        nul("sequence", () -> ring.removeGating(null));
        nul("ring", () -> Pipeline.on(null));
        nul("handlers[1]", () -> pipeline.handleEventsWith((event, sequence, endOfBatch) -> {}, null));
        nul("handlers", () -> pipeline.handleEventsWith((EventHandler<long[]>[]) null));
        nul("handlers[0]", () -> pipeline.handleBatchesWith((BatchHandler<long[]>) null));
        nul("handlers[0]", () -> stage.then((EventHandler<long[]>) null));
        nul("other", () -> stage.and(null));
        nul("name", () -> pipeline.poller(null));
        nul("name", () -> pipeline.consumer(null, NOTHING));
        nul("name", () -> pipeline.batchConsumer(null, (events, lo, hi) -> hi));
        nul("name", () -> pipeline.clearer(null, event -> {}));
        nul("handler", () -> pipeline.consumer("x", null));
        nul("handler", () -> pipeline.batchConsumer("x", null));
        nul("clearer", () -> pipeline.clearer("x", null));
        nul("consumers", () -> pipeline.handleEventsWith((NewConsumer<long[]>[]) null));
        nul("consumers[0]", () -> pipeline.handleEventsWith((NewConsumer<long[]>) null));
        nul("consumers", () -> stage.then((NewConsumer<long[]>[]) null));
        nul("consumers[1]", () -> stage.then(pipeline.consumer("x", (event, sequence, endOfBatch) -> {}), null));
        nul("handlers", () -> pipeline.after((EventHandler<long[]>[]) null));
        nul("handler", () -> pipeline.after(NOTHING, null));
        nul("consumers", () -> pipeline.after((ConsumerHandle[]) null));
        nul("consumers[0]", () -> pipeline.after((ConsumerHandle) null));
        nul("policy", () -> pipeline.consumer("x", NOTHING).onFailure(null));
        nul("policy", () -> pipeline.onFailure(null));
        nul("thread", () -> pipeline.consumer("x", NOTHING).thread(null));
        nul("after", () -> pipeline.consumer("x", NOTHING).timeout(null));
        nul("factory", () -> pipeline.threads(null));
        nul("hook", () -> pipeline.onThreadStart(null));
        nul("name", () -> pipeline.oneThread(null));
        nul("supplier", () -> pipeline.idle("consumer-1", null));
        nul("handler", () -> pipeline.consumer(null));
        nul("translator", () -> producer.publishEvent((EventTranslator<long[]>) null));
        nul("translator", () -> producer.tryPublishEvent((EventTranslator<long[]>) null));
        nul("translator", () -> producer.publishEvents(null, 1));
        nul("translator", () -> producer.publishEvent((EventTranslatorTwoLongs<long[]>) null, 1, 2));
        nul("translator", () -> producer.tryPublishEvent((EventTranslatorTwoLongs<long[]>) null, 1, 2));
        nul("handler", () -> new EventPoller<>(newPollerNode()).poll(null, 1));
        assertThat(pipeline.consumers()).hasSize(1);
        assertThat(ring.leftover().openClaims()).isZero();
    }

    @Test
    void nullsWhereWorkIsSharedDividedShedClearedOrRecovered() {
        RingBuffer<long[]> ring = ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Stage<long[]> stage = pipeline.handleEventsWith(NOTHING);
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        nul("workers", () -> pipeline.handleEventsWithWorkerPool((EventHandler<long[]>[]) null));
        nul("workers[1]", () -> pipeline.handleEventsWithWorkerPool(other, null));
        nul("workers", () -> stage.thenWorkerPool((EventHandler<long[]>[]) null));
        nul("workers[0]", () -> stage.thenWorkerPool((EventHandler<long[]>) null));
        nul("key", () -> pipeline.handleEventsPartitionedBy(null, other));
        nul("handlers", () -> pipeline.handleEventsPartitionedBy(event -> 0, (EventHandler<long[]>[]) null));
        nul("handlers[1]", () -> pipeline.handleEventsPartitionedBy(event -> 0, other, null));
        nul("key", () -> stage.thenPartitionedBy(null, other));
        nul("handlers", () -> stage.thenPartitionedBy(event -> 0, (EventHandler<long[]>[]) null));
        nul("handlers[0]", () -> stage.thenPartitionedBy(event -> 0, (EventHandler<long[]>) null));
        nul("workers", () -> pipeline.handleEventsWithWorkerPool((NewConsumer<long[]>[]) null));
        nul("workers[0]", () -> stage.thenWorkerPool((NewConsumer<long[]>) null));
        nul("consumers", () -> pipeline.handleEventsPartitionedBy(event -> 0, (NewConsumer<long[]>[]) null));
        nul("handlers[0]", () -> stage.thenPartitionedBy(event -> 0, (NewConsumer<long[]>) null));
        nul("clearer", () -> pipeline.clearEventsWith((EventClearer<long[]>) null));
        nul("clearer", () -> pipeline.clearEventsWith((NewConsumer<long[]>) null));
        nul("handler", () -> Rings.ringBuilder(true, 4).shedding(null));
        nul("handler", () -> Rings.ringBuilder(true, 4).onAbandonedClaim(1, null));
        nul("name", () -> Rings.ringBuilder(true, 4).name(null));
        nul("ring", () -> StalledClaimDetector.of(null));
        nul("ring", () -> FollowedRing.of(null));
        nul("followers", () -> FollowedRing.of(ring(true, 4)).follow(null));
        nul("claim", () -> StalledClaimDetector.of(ring(true, 4)).tell(null));
        nul("ring", () -> RingMonitor.of(null));
        DroppingProducer<long[]> dropping =
                DroppingProducer.dropNewest(ring(true, 4).producer(), new long[1], event -> {});
        nul("translator", () -> dropping.publishEvent((EventTranslatorTwoLongs<long[]>) null, 1, 2));
        nul("producer", () -> DroppingProducer.dropOldest(null, 1));
        nul("producer", () -> DroppingProducer.dropNewest(null, new long[1], event -> {}));
        nul("handler", () -> pipeline.join((EventHandler<long[]>) null));
        nul("consumer", () -> pipeline.join((NewConsumer<long[]>) null));
        nul("name", () -> pipeline.joinPoller(null));
        Join<long[]> join = pipeline.join(other);
        nul("consumers", () -> join.after((ConsumerHandle[]) null));
        nul("consumers[1]", () -> join.after(pipeline.consumer(NOTHING), null));
        nul("consumers", () -> join.before((ConsumerHandle[]) null));
        nul("consumers[0]", () -> join.before((ConsumerHandle) null));
        nul("worker", () -> join.sharingWith(null));
        nul("supplier", () -> join.idle(null));
        assertThat(pipeline.consumers()).hasSize(1);
        pipeline.startProcessors().get(0).doWork();
        assertThatCode(() -> join.processor(0)).as("nothing of it has stayed").doesNotThrowAnyException();
    }

    @Test
    void numbersOutOfRangeWhereConsumersJoinOrEventsAreKeptOrShed() {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(true, 4);
        refused(
                () -> builder.retain(-1),
                IllegalArgumentException.class,
                "retain must be from 0 to 1073741823",
                "but was -1");
        refused(() -> builder.retain(4).build(), IllegalArgumentException.class, "4", "3");
        builder.retain(0);
        refused(
                () -> builder.onAbandonedClaim(0, claim -> {}),
                IllegalArgumentException.class,
                "afterNanos must be 1 or more",
                "but was 0");
        RingBuffer<long[]> shedding =
                builder.shedding((consumer, event, sequence) -> {}).build();
        refused(
                () -> DroppingProducer.dropOldest(shedding.producer(), -1),
                IllegalArgumentException.class,
                "timeoutNanos must be 0 or more",
                "but was -1");
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        Join<long[]> join = pipeline.join(NOTHING);
        refused(() -> join.from(-1), IllegalArgumentException.class, "sequence must be 0 or more", "but was -1");
        refused(
                () -> join.processor(0),
                IllegalStateException.class,
                "join must be called after the start",
                "has not started");
        ConsumerHandle stranger = Pipeline.on(ring(true, 4)).poller("stranger").consumer();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> join.after(stranger), () -> join.before(stranger), () -> join.sharingWith(stranger))) {
            refused(call, IllegalArgumentException.class, "consumer stranger", "another pipeline");
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static NewConsumer<long[]>[] newConsumers(int n) {
        return new NewConsumer[n];
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 30) + 1})
    void marksOfSlotsThatAreNoPowerOfTwoInRange(int capacity) {
        refused(
                () -> new SlotMarks(capacity),
                IllegalArgumentException.class,
                "capacity must be a power of two from 1 to 1073741824",
                "but was " + capacity);
    }

    private static ConsumerNode<long[]> newPollerNode() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 8));
        pipeline.poller("poller");
        @SuppressWarnings("unchecked")
        ConsumerNode<long[]> node = (ConsumerNode<long[]>) pipeline.consumers().get(0);
        return node;
    }

    private static void nul(String name, ThrowingCallable call) {
        refused(call, NullPointerException.class, name + " must not be null");
    }

    @Test
    void aHandlerGivenTwiceAndACycle() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 8));
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        refused(
                () -> pipeline.handleEventsWith(NOTHING, NOTHING),
                IllegalArgumentException.class,
                "handlers[1]",
                "once");
        Stage<long[]> stage = pipeline.handleEventsWith(NOTHING);
        refused(() -> pipeline.handleEventsWith(other, NOTHING), IllegalArgumentException.class, "handlers[1]", "once");
        refused(() -> stage.then(NOTHING), IllegalArgumentException.class, "handlers[0]", "cycle");
        Stage<long[]> second = stage.then(other);
        refused(() -> second.then(NOTHING), IllegalArgumentException.class, "handlers[0]", "cycle");
        refused(
                () -> pipeline.handleEventsWith(new Rings.Recorder[0]),
                IllegalArgumentException.class,
                "handlers must have 1 element or more",
                "had 0");
        refused(
                () -> pipeline.handleEventsWith(newConsumers(0)),
                IllegalArgumentException.class,
                "consumers must have 1 element or more",
                "had 0");
        refused(() -> pipeline.after(new Rings.Recorder[0]), IllegalArgumentException.class, "handlers must have");
        refused(() -> pipeline.after(new ConsumerHandle[0]), IllegalArgumentException.class, "consumers must have");
        refused(
                () -> pipeline.after(new Rings.Recorder()),
                IllegalArgumentException.class,
                "io.sluice.ringbuffer.Rings$Recorder",
                "2 declared");
        ConsumerHandle stranger = Pipeline.on(ring(true, 4)).poller("stranger").consumer();
        refused(
                () -> pipeline.after(stranger),
                IllegalArgumentException.class,
                "consumer stranger",
                "another pipeline");
        refused(
                () -> stage.and(Pipeline.on(ring(true, 8)).handleEventsWith(NOTHING)),
                IllegalArgumentException.class,
                "another pipeline");
        assertThat(pipeline.consumers()).hasSize(2);
    }

    @Test
    void publishingBeforeTheStartIsAllowedUpToTheCapacity() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Rings.Recorder handler = new Rings.Recorder();
            pipeline.handleEventsWith(handler);
            Producer<long[]> producer = ring.producer();
            publish(producer, 4);
            assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
            Rings.exhaust(pipeline.startProcessors().get(0));
            assertThat(handler.calls).contains("0!", "1!", "2!", "3!");
            assertThat(producer.tryNext(1)).isEqualTo(4);
        }
    }

    @Test
    void callsAfterTheEnd() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(NOTHING);
            Producer<long[]> producer = ring.producer();
            ring.close();
            ring.close();
            refused(() -> producer.next(1), RingClosedException.class, "CLOSED", "RUNNING");
            refused(() -> publish(producer, 1), RingClosedException.class, "CLOSED", "RUNNING");
            refused(ring::producer, RingClosedException.class, "CLOSED", "RUNNING");
            refused(pipeline::start, IllegalStateException.class, "is CLOSED", "RUNNING or DRAINING");
            assertThat(ring.state()).isEqualTo(State.CLOSED);
        }
    }

    @Test
    void buildingAfterTheStartOrAfterAClaim() {
        RingBuffer<long[]> ring = ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        refused(
                () -> Pipeline.on(ring),
                IllegalStateException.class,
                "must have at most one pipeline",
                "it has one already");
        refused(pipeline::start, IllegalStateException.class, "must have 1 consumer or more", "has no consumers");
        pipeline.handleEventsWith(NOTHING);
        publish(ring.producer(), 1);
        refused(
                () -> pipeline.poller("late"),
                IllegalStateException.class,
                "sequences up to 0 are claimed",
                "before the first");
        refused(
                () -> ring.addGating(() -> 0),
                IllegalStateException.class,
                "sequences up to 0 are claimed",
                "before the first");
        pipeline.startProcessors();
        refused(pipeline::start, IllegalStateException.class, "start() must be called once", "has started");
        refused(pipeline::startInvoked, IllegalStateException.class, "start() must be called once", "has started");
        refused(() -> pipeline.oneThread("x"), IllegalStateException.class, "oneThread", "before");
    }

    @Test
    void settingsOutOfRange() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        EventPoller<long[]> poller = pipeline.poller("taken");
        NewConsumer<long[]> settings = pipeline.consumer("taken", NOTHING);
        refused(() -> settings.batchLimit(0), IllegalArgumentException.class, "limit must be 1 or more", "but was 0");
        refused(() -> settings.timeout(0), IllegalArgumentException.class, "nanos must be 1 or more", "but was 0");
        refused(
                () -> settings.timeout(Duration.ZERO),
                IllegalArgumentException.class,
                "nanos must be 1 or more",
                "but was 0");
        refused(
                () -> settings.timeout(Duration.ofNanos(-1)),
                IllegalArgumentException.class,
                "nanos must be 1 or more",
                "but was -1");
        refused(
                () -> pipeline.handleEventsWith(settings),
                IllegalArgumentException.class,
                "name must be unused",
                "the name taken");
        refused(settings::handle, IllegalStateException.class, "handle()", "consumer taken is neither");
        assertThat(pipeline.consumers()).as("nothing is declared").hasSize(1);
        pipeline.handleEventsWith(NOTHING);
        refused(
                () -> pipeline.poller("taken"),
                IllegalArgumentException.class,
                "name must be unused",
                "the name taken");
        refused(
                () -> poller.poll(NOTHING::onEvent, 0),
                IllegalArgumentException.class,
                "limit must be 1 or more",
                "but was 0");
        refused(
                () -> pipeline.awaitHandled(-1, 0),
                IllegalArgumentException.class,
                "sequence must be 0 or more",
                "but was -1");
        pipeline.idle("nobody", SignalledIdle::exact);
        refused(pipeline::start, IllegalArgumentException.class, "thread nobody", "consumer-2");
    }

    /** A stage that is refused leaves nothing behind, whichever of its consumers is bad. */
    @Test
    void aStageWithOneBadConsumerIsRefusedAsAWhole() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        NewConsumer<long[]> good = pipeline.consumer("good", NOTHING);
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        refused(
                () -> pipeline.handleEventsWith(good, pipeline.consumer("good", other)),
                IllegalArgumentException.class,
                "name must be unused",
                "another consumer of the stage has the name good");
        refused(
                () -> pipeline.handleEventsWith(good, pipeline.consumer("twin", NOTHING)),
                IllegalArgumentException.class,
                "consumers[1]",
                "once");
        refused(
                () -> pipeline.handleEventsWith(good, pipeline.clearer("clear", event -> {})),
                IllegalArgumentException.class,
                "consumers[1]",
                "consumer clear clears them");
        refused(
                () -> pipeline.handleEventsWithWorkerPool(
                        good, pipeline.batchConsumer("ranges", (events, lo, hi) -> hi)),
                IllegalArgumentException.class,
                "workers[1] must have a handler of events, since the stage divides single events",
                "consumer ranges has a handler of ranges");
        refused(
                () -> pipeline.handleEventsPartitionedBy(
                        event -> 0, good, pipeline.batchConsumer("ranges", (events, lo, hi) -> hi)),
                IllegalArgumentException.class,
                "handlers[1] must have a handler of events, since the stage divides single events",
                "consumer ranges has a handler of ranges");
        refused(
                () -> pipeline.handleEventsWithWorkerPool(
                        good,
                        pipeline.consumer("rewinds", other)
                                .onFailure(FailurePolicies.rewindBatch(
                                        1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT))),
                IllegalArgumentException.class,
                "failure policy of worker rewinds",
                "rewinds batches");
        refused(() -> pipeline.clearEventsWith(good), IllegalArgumentException.class, "consumer good was not");
        assertThat(pipeline.consumers()).isEmpty();
        pipeline.handleEventsWith(good);
        assertThat(good.handle()).isSameAs(pipeline.consumer(NOTHING));
        refused(() -> pipeline.handleEventsWith(good), IllegalStateException.class, "consumers[0]", "already");
    }

    /** Nobody would be called: that must not be found out in production. */
    @Test
    void aTimeOutThatNoHandlerWouldHearOfIsRefused() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        NewConsumer<long[]> ranges = pipeline.batchConsumer("ranges", (events, lo, hi) -> hi);
        String where = "timeout must be set where a handler of events can hear of it, but consumer ";
        refused(
                () -> ranges.timeout(Duration.ofMillis(1)),
                IllegalArgumentException.class,
                where + "ranges has a handler of ranges");
        refused(
                () -> pipeline.clearer("clears", event -> {}).timeout(1),
                IllegalArgumentException.class,
                where + "clears clears events");
        pipeline.handleEventsWith(ranges);
        assertThat(pipeline.consumers()).hasSize(1);
    }

    @Test
    void settingsOfADeclaredConsumerAreFixed() throws Exception {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        NewConsumer<long[]> declared = pipeline.consumer("declared", NOTHING);
        NewConsumer<long[]> clears = pipeline.clearer("clears", event -> {});
        NewConsumer<long[]> joins = pipeline.consumer("joins", (event, sequence, endOfBatch) -> {});
        pipeline.handleEventsWith(declared);
        pipeline.clearEventsWith(clears);
        pipeline.startProcessors().forEach(EventProcessor::doWork);
        Join<long[]> join = pipeline.join(joins);
        joins.batchLimit(2); // not yet in the pipeline
        join.processor(0);
        for (NewConsumer<long[]> one : List.of(declared, clears, joins)) {
            for (var call : Map.<String, ThrowingCallable>of(
                            "onFailure", () -> one.onFailure(FailurePolicies.halt()),
                            "batchLimit", () -> one.batchLimit(1),
                            "timeout", () -> one.timeout(1),
                            "finishesEvents", one::finishesEvents,
                            "thread", () -> one.thread("other"))
                    .entrySet()) {
                refused(
                        call.getValue(),
                        IllegalStateException.class,
                        call.getKey() + " must come before the consumer is declared or joins",
                        one + " is in the pipeline already");
            }
        }
        refused(
                () -> pipeline.join(joins).processor(0),
                IllegalStateException.class,
                "consumer must be in no pipeline yet");
        refused(() -> pipeline.oneThread("x"), IllegalStateException.class, "oneThread", "before");
    }

    @Test
    void joinersWithAThreadOfOthersOrThatFinishEventsOrClearThem() {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        refused(
                () -> pipeline.join(pipeline.consumer("a", NOTHING).thread("shared")),
                IllegalArgumentException.class,
                "must have a thread of its own, since the threads of the start are fixed",
                "consumer a was made with thread(...)");
        refused(
                () -> pipeline.join(pipeline.consumer("a", NOTHING).finishesEvents()),
                IllegalArgumentException.class,
                "must finish no events, since its followers learn at the start who finishes events before them",
                "consumer a was made with finishesEvents()");
        refused(
                () -> pipeline.join(pipeline.clearer("clears", event -> {})),
                IllegalArgumentException.class,
                "consumer clears clears them");
    }

    @Test
    void whatIsSetOnlyBehindJoin() throws Exception {
        Pipeline<long[]> pipeline = Pipeline.on(ring(true, 4));
        pipeline.poller("first");
        pipeline.start();
        NewConsumer<long[]> finishes = pipeline.consumer("a", NOTHING);
        Join<long[]> join = pipeline.join(finishes);
        finishes.finishesEvents();
        refused(() -> join.start(0), IllegalArgumentException.class, "was made with finishesEvents()");
        NewConsumer<long[]> shares = pipeline.consumer("b", NOTHING);
        Join<long[]> other = pipeline.join(shares);
        shares.thread("shared");
        refused(() -> other.processor(0), IllegalArgumentException.class, "was made with thread(...)");
        refused(
                () -> pipeline.join(pipeline.consumer("c", NOTHING))
                        .idle(BusySpinIdleStrategy::new)
                        .processor(0),
                IllegalStateException.class,
                "idle must be set for a join that ends with start");
        refused(
                () -> pipeline.joinPoller("d").idle(BusySpinIdleStrategy::new).poller(0),
                IllegalStateException.class,
                "idle must be set for a join that ends with start");
        assertThat(pipeline.consumers()).hasSize(1);
    }

    @Test
    void timeLimits() throws Exception {
        RingBuffer<long[]> ring = ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        ConsumerHandle consumer = pipeline.consumer(NOTHING);
        publish(ring.producer(), 1);
        nul("limit", () -> ring.drain(null));
        nul("limit", () -> pipeline.drain(null));
        nul("limit", () -> pipeline.awaitHandled(0, null));
        nul("limit", () -> consumer.remove(null));
        nul("limit", () -> pipeline.join(new Rings.Recorder()).start(null));
        nul("limit", () -> ring.close(null));
        nul("limit", () -> pipeline.close(null));
        assertThat(ring.state()).as("nothing of it has an effect").isEqualTo(State.RUNNING);
        Duration past = Duration.ofSeconds(Long.MIN_VALUE);
        assertThat(pipeline.awaitHandled(0, past)).as("only looks").isFalse();
        Rings.exhaust(pipeline.startProcessors().get(0));
        assertThat(pipeline.awaitHandled(0, past)).isTrue();
        assertThat(consumer.remove(past)).isEqualTo(Removal.LEFT);
        assertThat(pipeline.drain(past).isNone()).isTrue();
        assertThat(ring.close(past).isNone()).isTrue();
    }

    /** A limit that no count of nanoseconds holds: it never passes, and is not taken for one that has passed. */
    @Test
    @Timeout(60)
    void timeLimitsWithoutEnd() throws Exception {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        RingBuffer<long[]> ring = ring(false, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean timedOut = new AtomicBoolean();
        EventHandler<long[]> waits = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                inside.countDown();
                goOn.await();
            }

            @Override
            public void onTimeout(long sequence) {
                timedOut.set(true);
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("waits", waits).timeout(ever));
        pipeline.start();
        publish(ring.producer(), 1);
        inside.await();
        List<Rings.Caller> callers = List.of(
                new Rings.Caller(
                        () -> assertThat(pipeline.awaitHandled(0, ever)).isTrue()),
                new Rings.Caller(() -> {
                    try {
                        ConsumerHandle joined =
                                pipeline.join(new Rings.Recorder()).start(ever);
                        assertThat(joined.joinedFrom()).isEqualTo(1);
                    } catch (TimeoutException e) {
                        throw new AssertionError(e);
                    }
                }));
        for (Rings.Caller caller : callers) {
            caller.awaitWaiting();
        }
        goOn.countDown();
        for (Rings.Caller caller : callers) {
            assertThat(caller.result()).isNull();
        }
        assertThat(pipeline.consumer(waits).remove(ever)).isEqualTo(Removal.LEFT);
        assertThat(pipeline.drain(ever).isNone()).isTrue();
        assertThat(pipeline.close(ever).isNone()).isTrue();
        assertThat(timedOut).isFalse();
    }

    @Test
    void publishingWhatIsNotClaimedOrNotNext() {
        Producer<long[]> single = ring(true, 8).producer();
        refused(() -> single.publish(0, 0), IllegalArgumentException.class, "publish(0, 0)", "none");
        single.next(3);
        for (long[] range : new long[][] {{1, 1}, {0, 3}, {1, 0}, {0, -1}, {-1, 0}, {Long.MIN_VALUE, Long.MAX_VALUE}}) {
            refused(
                    () -> single.publish(range[0], range[1]),
                    IllegalArgumentException.class,
                    "publish(" + range[0] + ", " + range[1] + ")",
                    "lo 0, hi from lo to 2");
        }
        single.publish(0, 1);
        refused(() -> single.publish(0, 1), IllegalArgumentException.class, "lo 2, hi from lo to 2");
        refused(() -> single.publish(1), IllegalArgumentException.class, "publish(1, 1)", "lo 2, hi from lo to 2");
        refused(() -> single.abort(1, 2), IllegalArgumentException.class, "abort(1, 2)", "lo 2");
        refused(() -> publish(single, 1), IllegalStateException.class, "claims 2 to 2 are open");
    }

    private static void refusedOpen(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(" must ");
    }

    @Test
    void publishingWhatIsNotClaimedWithManyProducers() {
        RingBuffer<long[]> ring = ring(false, 8);
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        refused(() -> one.publish(0, 0), IllegalArgumentException.class, "publish(0, 0)", "none");
        one.next(2);
        other.next(1);
        one.next(2);
        for (long[] range : new long[][] {{2, 2}, {1, 3}, {4, 5}, {1, 0}, {-1, 0}, {Long.MIN_VALUE, Long.MAX_VALUE}}) {
            refusedOpen(() -> one.publish(range[0], range[1]));
            refusedOpen(() -> one.abort(range[0], range[1]));
        }
        refusedOpen(() -> one.publish(2));
        refusedOpen(() -> one.publish(-1));
        refusedOpen(() -> one.publish(5));
        one.publish(3, 4); // any order
        refused(() -> one.publish(3), IllegalArgumentException.class, "publish(3, 3)", "open claims: 0 to 1");
        refused(() -> one.publish(3, 3), IllegalArgumentException.class, "publish(3, 3)", "open claims: 0 to 1");
        assertThat(ring.cursor().get()).isEqualTo(-1);
        one.publish(0, 1);
        other.abort(2, 2);
        assertThat(ring.cursor().get()).isEqualTo(4);
    }

    @Test
    void aSecondProducerOfASingleProducerRing() {
        RingBuffer<long[]> ring = ring(true, 4);
        Producer<long[]> first = ring.producer();
        refused(ring::producer, IllegalStateException.class, "one producer at a time", "its producer is in use");
        publish(first, 1);
        first.next(2);
        first.close();
        first.close();
        refused(() -> first.next(1), RingClosedException.class, "this producer is closed", "a new one");
        assertThat(first.tryNextUpTo(1)).isEqualTo(Producer.CLOSED);
        Producer<long[]> second = ring.producer();
        assertThat(second.next(1)).isEqualTo(3);
    }

    @Test
    void idleStrategiesThatWouldNeverWake() {
        refused(
                () -> Rings.ringBuilder(true, 4)
                        .producersIdle(SignalledIdle::exact)
                        .build()
                        .producer(),
                IllegalArgumentException.class,
                "producersIdle",
                "exact");
        Pipeline<long[]> unsignalled = Pipeline.on(ring(true, 4));
        unsignalled.handleEventsWith(NOTHING);
        unsignalled.idle("consumer-1", SignalledIdle::exact);
        refused(unsignalled::start, IllegalArgumentException.class, "consumer-1", "exact", "consumersIdle");
        SignalledIdle one = SignalledIdle.exact();
        Pipeline<long[]> shared =
                Pipeline.on(Rings.ringBuilder(true, 4).consumersIdle(() -> one).build());
        shared.handleEventsWith(NOTHING, (event, sequence, endOfBatch) -> {});
        refused(shared::start, IllegalArgumentException.class, "consumer-2", "consumer-1 too");
    }
}
