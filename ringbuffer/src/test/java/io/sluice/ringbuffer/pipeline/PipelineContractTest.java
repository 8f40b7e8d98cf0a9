package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.EventTranslatorBatch;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One behaviour, whatever the producers, the graph and the waiting: every event exactly once for each consumer, in order,
 * whole, after its upstreams and before its slot is reused; batches as announced; and drain knows when nothing is left.
 *
 * <p>All that the checks read and write in an event is plain memory, so they also prove that publication, progress and the
 * reuse of slots carry it along. Handlers fail with an {@link AssertionError}, which halts them and fails the ring.
 */
@Tag("concurrency")
@SuppressWarnings("ThreadPriorityCheck") // yields where more threads than cores would else spin against each other
class PipelineContractTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    enum Producers {
        SINGLE(1),
        MULTI_1(1),
        MULTI_3(3);

        final int count;

        Producers(int count) {
            this.count = count;
        }
    }

    enum Shape {
        ONE(1),
        PARALLEL(3),
        CHAIN(3),
        DIAMOND(4),
        BATCH(1),
        POLLER(1),
        ONE_THREAD(3),
        INVOKED(4);

        final int consumers;

        Shape(int consumers) {
            this.consumers = consumers;
        }

        boolean needsOneThread() {
            return this != PARALLEL && this != CHAIN && this != DIAMOND;
        }
    }

    enum Idle {
        BUSY_SPIN,
        YIELDING,
        BACK_OFF,
        SIGNALLED_EXACT,
        SIGNALLED_TIMED;

        IdleStrategy create() {
            return switch (this) {
                case BUSY_SPIN -> new BusySpinIdleStrategy();
                case YIELDING -> new YieldingIdleStrategy();
                case BACK_OFF -> new BackoffIdleStrategy();
                case SIGNALLED_EXACT -> SignalledIdle.exact(10);
                case SIGNALLED_TIMED -> SignalledIdle.timed();
            };
        }
    }

    record Combination(Producers producers, Shape shape, Idle idle, int capacity, boolean bytes) {}

    /** Several words that belong together, and a mark for each consumer that has handled the event. */
    private static final class Event {
        /** How many words an event has before the marks of its consumers. */
        private static final int WORDS = 5;

        final Object event;
        final long sequence;

        Event(Object event, long sequence) {
            this.event = event;
            this.sequence = sequence;
        }

        static int words(int consumers) {
            return WORDS + consumers;
        }

        private long word(int index) {
            return Words.get(event, sequence, index);
        }

        void fill(long producer, long value) {
            long product = value * 0x9E3779B97F4A7C15L;
            long[] words = {producer, value, product, ~value, producer ^ value ^ product ^ ~value};
            for (int i = 0; i < WORDS; i++) {
                Words.set(event, sequence, i, words[i]);
            }
        }

        boolean isWhole() {
            long value = value();
            return word(2) == value * 0x9E3779B97F4A7C15L
                    && word(3) == ~value
                    && word(4) == (producer() ^ value ^ word(2) ^ word(3));
        }

        int producer() {
            return (int) word(0);
        }

        long value() {
            return word(1);
        }

        long handled(int consumer) {
            return word(WORDS + consumer);
        }

        void setHandled(int consumer, long mark) {
            Words.set(event, sequence, WORDS + consumer, mark);
        }
    }

    // the combinations

    /**
     * Every producer, shape and idle strategy, each with one capacity, another in each run; the slow tests take all. A failure
     * names its combination, and the seed that the capacities come from.
     */
    static Stream<Combination> all() {
        SplittableRandom random = new SplittableRandom(SEED);
        return combinations(1).map(one -> {
            int capacity = new int[] {1, 2, 4, 64}[random.nextInt(4)];
            return new Combination(one.producers, one.shape, one.idle, capacity, one.bytes);
        });
    }

    static Stream<Combination> tiny() {
        return combinations(1, 2, 4);
    }

    private static Stream<Combination> combinations(int... capacities) {
        List<Combination> all = new ArrayList<>();
        for (Producers producers : Producers.values()) {
            for (Shape shape : Shape.values()) {
                for (Idle idle : Idle.values()) {
                    for (int capacity : capacities) {
                        all.add(new Combination(producers, shape, idle, capacity, false));
                        all.add(new Combination(producers, shape, idle, capacity, true));
                    }
                }
            }
        }
        return all.stream();
    }

    /**
     * Both sides spin, on two threads at most. They yield when spinning does not help, since on a machine with other work
     * one of them is often not running.
     */
    static Stream<Combination> spinning() {
        return tiny().filter(
                        one -> one.idle == Idle.YIELDING && one.producers.count == 1 && one.shape.needsOneThread());
    }

    static Stream<Combination> spinningOne() {
        return spinning().filter(one -> one.shape == Shape.ONE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void contractHolds(Combination combination) throws Exception {
        try {
            run(combination, 1_000, 100);
        } catch (AssertionError e) {
            throw new AssertionError("-Dsluice.seed=" + SEED + " fails: " + e.getMessage(), e);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("spinningOne")
    void contractHoldsForAMillionEvents(Combination combination) throws Exception {
        assertThat(run(combination, 1_000_000, 100_000)).isGreaterThanOrEqualTo(1_000_000);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("spinning")
    void contractHoldsForAMillionEventsInEachShape(Combination combination) throws Exception {
        assertThat(run(combination, 1_000_000, 100_000)).isGreaterThanOrEqualTo(1_000_000);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("tiny")
    void contractHoldsForTwoSeconds(Combination combination) throws Exception {
        run(combination, 20_000, 2_000);
    }

    // a run

    private static long run(Combination combination, long events, long limitMillis) throws Exception {
        Shape shape = combination.shape;
        RingBufferBuilder<Object> builder = Words.ring(combination.bytes, Event.words(shape.consumers))
                .capacity(combination.capacity)
                .consumersIdle(combination.idle::create)
                .producersIdle(
                        combination.idle == Idle.BUSY_SPIN ? BusySpinIdleStrategy::new : YieldingIdleStrategy::new);
        RingBuffer<Object> ring =
                (combination.producers == Producers.SINGLE ? builder.singleProducer() : builder).build();
        Pipeline<Object> pipeline = Pipeline.on(ring);
        Checks checks = new Checks(combination);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);

        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread runner = startConsumers(shape, pipeline, checks, stop, failure);
        List<Publisher> publishers = new ArrayList<>();
        for (int i = 0; i < combination.producers.count; i++) {
            publishers.add(new Publisher(
                    ring.producer(), i, combination, events / combination.producers.count, deadline, failure));
        }
        publishers.forEach(Thread::start);
        for (Publisher publisher : publishers) {
            publisher.join();
        }
        Ring.Leftover left = pipeline.drain(TimeUnit.SECONDS.toNanos(60));
        stop.set(true);
        if (runner != null) {
            runner.join();
        }
        ring.close();

        if (ring.failure() != null || failure.get() != null) {
            throw new AssertionError(combination + " failed", ring.failure() != null ? ring.failure() : failure.get());
        }
        assertThat(left).as("left, %s", combination).isEqualTo(new Ring.Leftover(0, 0, 0, "", List.of()));
        for (Check check : checks.all) {
            for (Publisher publisher : publishers) {
                assertThat(check.nextValue[publisher.index])
                        .as("events of producer %d at consumer %d, %s", publisher.index, check.index, combination)
                        .isEqualTo(publisher.published);
            }
        }
        assertThat(publishers).allMatch(publisher -> publisher.published > 0);
        return publishers.stream().mapToLong(publisher -> publisher.published).sum();
    }

    private static @Nullable Thread startConsumers(
            Shape shape,
            Pipeline<Object> pipeline,
            Checks checks,
            AtomicBoolean stop,
            AtomicReference<@Nullable Throwable> failure) {
        switch (shape) {
            case ONE -> pipeline.handleEventsWith(checks.handler());
            case PARALLEL -> pipeline.handleEventsWith(checks.handler(), checks.handler(), checks.handler());
            case CHAIN, ONE_THREAD ->
                pipeline.handleEventsWith(checks.handler())
                        .then(checks.handler(0))
                        .then(checks.handler(1));
            case DIAMOND, INVOKED ->
                pipeline.handleEventsWith(checks.consumer(pipeline))
                        .then(checks.consumer(pipeline, 0), checks.consumer(pipeline, 0))
                        .then(checks.consumer(pipeline, 1, 2));
            case BATCH -> pipeline.handleBatchesWith(checks.batchHandler());
            case POLLER -> {
                EventPoller<Object> poller = pipeline.poller("poller");
                Check check = checks.handler();
                check.announced = false;
                return started(
                        () -> {
                            int polls = 0;
                            while (!stop.get()) {
                                int limit = 1 + polls++ % 7;
                                int polled = poller.poll(check::onEvent, limit);
                                check.polled(polled, limit);
                                if (polled == 0) {
                                    Thread.yield();
                                }
                            }
                        },
                        failure);
            }
        }
        if (shape == Shape.ONE_THREAD) {
            pipeline.oneThread("all");
        }
        if (shape == Shape.INVOKED) {
            Agent agent = pipeline.startInvoked();
            return started(
                    () -> {
                        while (!stop.get()) {
                            if (agent.doWork() == 0) {
                                Thread.yield();
                            }
                        }
                    },
                    failure);
        }
        pipeline.start();
        return null;
    }

    private interface Body {
        void run() throws Exception;
    }

    private static Thread started(Body body, AtomicReference<@Nullable Throwable> failure) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        });
        thread.start();
        return thread;
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(java.util.Locale.ROOT, what, arguments));
        }
    }

    // both sides

    /** Publishes in every form in turn, and looks whether each slot has been handled by everyone before it is reused. */
    private static final class Publisher extends Thread {
        final int index;
        long published;

        private final Producer<Object> producer;
        private final int capacity;
        private final int consumers;
        private final long events;
        private final long deadline;
        private final AtomicReference<@Nullable Throwable> failure;

        private final EventTranslator<Object> plain = this::fill;
        private final EventTranslatorLong<Object> withLong = (event, sequence, value) -> fill(event, sequence);
        private final EventTranslatorOneArg<Object, Object> withOne = (event, sequence, a) -> fill(event, sequence);
        private final EventTranslatorBatch<Object> batch = (event, sequence, i) -> fill(event, sequence);

        Publisher(
                Producer<Object> producer,
                int index,
                Combination combination,
                long events,
                long deadline,
                AtomicReference<@Nullable Throwable> failure) {
            this.producer = producer;
            this.index = index;
            this.capacity = combination.capacity;
            this.consumers = combination.shape.consumers;
            this.events = events;
            this.deadline = deadline;
            this.failure = failure;
        }

        private void fill(Object slot, long sequence) {
            Event event = new Event(slot, sequence);
            for (int consumer = 0; consumer < consumers; consumer++) {
                long expected = sequence < capacity ? 0 : sequence - capacity + 1;
                check(
                        event.handled(consumer) == expected,
                        "slot of %d claimed before consumer %d has handled %d: its mark is %d",
                        sequence,
                        consumer,
                        sequence - capacity,
                        event.handled(consumer));
            }
            event.fill(index, published++);
        }

        @Override
        public void run() {
            try (Producer<Object> closing = producer) {
                // At least once, however late this thread begins.
                for (int form = 0;
                        published < events
                                && failure.get() == null
                                && (published == 0 || System.nanoTime() - deadline < 0);
                        form++) {
                    publish(closing, form & 7);
                }
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        }

        private void publish(Producer<Object> to, int form) {
            switch (form) {
                case 0 -> to.publishEvent(plain);
                case 1 -> {
                    while (to.tryPublishEvent(withLong, 0) == Producer.FULL) {
                        Thread.yield();
                    }
                }
                case 2 -> to.publishEvents(batch, Math.min(3, capacity));
                case 3 -> {
                    long hi = to.next(Math.min(2, capacity), TimeUnit.MICROSECONDS.toNanos(50));
                    if (hi >= 0) {
                        publishInParts(to, hi);
                    }
                }
                case 4 -> {
                    long hi = to.tryNextUpTo(Math.min(5, capacity));
                    if (hi >= 0) {
                        publishInParts(to, hi);
                    }
                }
                default -> to.publishEvent(withOne, "");
            }
        }

        private void publishInParts(Producer<Object> to, long hi) {
            long lo = to.claimedFrom();
            for (long sequence = lo; sequence <= hi; sequence++) {
                fill(to.get(sequence), sequence);
            }
            long middle = (lo + hi) / 2;
            to.publish(lo, middle);
            if (middle < hi) {
                to.publish(middle + 1, hi);
            }
        }
    }

    private static final class Checks {
        final List<Check> all = new ArrayList<>();
        private final Combination combination;

        Checks(Combination combination) {
            this.combination = combination;
        }

        Check handler(int... upstream) {
            Check check = new Check(all.size(), combination, upstream);
            all.add(check);
            return check;
        }

        /** With the limit that its check expects. */
        NewConsumer<Object> consumer(Pipeline<Object> pipeline, int... upstream) {
            Check check = handler(upstream);
            NewConsumer<Object> consumer = pipeline.consumer("check-" + check.index, check);
            return check.batchLimit > 0 ? consumer.batchLimit(check.batchLimit) : consumer;
        }

        BatchHandler<Object> batchHandler() {
            Check check = handler();
            return (ring, lo, hi) -> {
                // now and then not all of it
                long last = hi > lo && (lo & 3) == 0 ? hi - 1 : hi;
                check.onBatchStart(hi - lo + 1, hi - lo + 1);
                for (long sequence = lo; sequence <= last; sequence++) {
                    check.onEvent(ring.get(sequence), sequence, sequence == hi);
                }
                if (last == hi) {
                    check.onBatchEnd(hi);
                } else {
                    check.inBatch = false;
                }
                return last;
            };
        }
    }

    /** A consumer that checks all that it is given. One thread's own. */
    private static final class Check implements EventHandler<Object> {
        final int index;
        final long batchLimit;
        final long[] nextValue;
        boolean announced = true;
        boolean inBatch;

        private final int[] upstream;
        private final long longestBatch;
        private long nextSequence;
        private long batchEnd;
        private boolean lastWasEnd = true;

        Check(int index, Combination combination, int[] upstream) {
            this.index = index;
            this.upstream = upstream;
            this.nextValue = new long[combination.producers.count];
            this.batchLimit = combination.shape == Shape.DIAMOND ? 3 : 0;
            this.longestBatch = Math.max(1, combination.capacity / 4);
        }

        @Override
        public void onBatchStart(long size, long available) {
            check(!inBatch && size >= 1 && available >= size, "batch of %d, available %d", size, available);
            check(size <= longestBatch && (batchLimit == 0 || size <= batchLimit), "batch of %d is too long", size);
            inBatch = true;
            batchEnd = nextSequence + size - 1;
        }

        @Override
        public void onEvent(Object slot, long sequence, boolean endOfBatch) {
            Event event = new Event(slot, sequence);
            check(sequence == nextSequence, "consumer %d got %d, expected %d", index, sequence, nextSequence);
            check(event.isWhole(), "consumer %d found event %d torn", index, sequence);
            int producer = event.producer();
            check(
                    event.value() == nextValue[producer],
                    "consumer %d got value %d of producer %d, expected %d",
                    index,
                    event.value(),
                    producer,
                    nextValue[producer]);
            for (int one : upstream) {
                check(
                        event.handled(one) == sequence + 1,
                        "consumer %d got %d before its upstream %d, which has handled %d",
                        index,
                        sequence,
                        one,
                        event.handled(one) - 1);
            }
            if (announced) {
                check(inBatch && endOfBatch == (sequence == batchEnd), "endOfBatch %s at %d", endOfBatch, sequence);
            }
            lastWasEnd = endOfBatch;
            nextValue[producer]++;
            nextSequence++;
            event.setHandled(index, sequence + 1);
        }

        @Override
        public void onBatchEnd(long sequence) {
            check(inBatch && sequence == batchEnd && nextSequence == sequence + 1, "onBatchEnd at %d", sequence);
            inBatch = false;
        }

        void polled(int count, int limit) {
            check(count >= 0 && count <= limit && lastWasEnd, "poll of %d, end of batch %s", count, lastWasEnd);
        }
    }
}
