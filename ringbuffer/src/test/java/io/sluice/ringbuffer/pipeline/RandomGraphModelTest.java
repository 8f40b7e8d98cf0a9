package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.EventTranslatorBatch;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Words;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random graphs, claims, publications, aborts and failures against a sequential model, on one thread: the seed decides who
 * takes the next step, so each case runs the same way again. After every step the model says exactly what the ring must
 * have answered: which claims fit, how far each consumer went, which callbacks it got, what is left.
 */
@Timeout(60)
class RandomGraphModelTest {
    private static final int STEPS = 256;
    private static final int MOST_SEQUENCES = STEPS * 16;

    @Test
    void everyCaseFollowsTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    new Case(program).run();
                    return program.size();
                })
                .budget("io.sluice.model.steps", 1_500 * STEPS)
                .run();
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, what, arguments));
        }
    }

    /** What a handler or a translator of this test throws. */
    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;

        Planned() {
            super("planned", null, false, false);
        }
    }

    private enum Status {
        FREE,
        OPEN,
        LIVE,
        ABORTED
    }

    private static final class Case {
        final SeededProgram program;
        final long seed;
        final int capacity;
        final boolean single;
        final boolean bytes;
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final List<Node> nodes = new ArrayList<>();
        final List<Producer<Object>> producers = new ArrayList<>();
        final Status[] status = new Status[MOST_SEQUENCES];
        final int[] owner = new int[MOST_SEQUENCES];

        long claimed = -1;
        long contiguous = -1;
        boolean failed;

        SplittableRandom random;

        Case(SeededProgram program) {
            this.program = program;
            seed = program.seed();
            random = program.random();
            capacity = 1 << random.nextInt(5);
            single = random.nextBoolean();
            bytes = new SplittableRandom(~seed).nextBoolean();
            RingBufferBuilder<Object> builder = Words.ring(bytes, 1).capacity(capacity);
            ring = (single ? builder.singleProducer() : builder).build();
            pipeline = Pipeline.on(ring).errorHandler(told -> {});
            Arrays.fill(status, Status.FREE);
        }

        // building

        private void build() {
            int count = 1 + random.nextInt(8);
            boolean mayHalt = random.nextInt(4) == 0;
            for (int i = 0; i < count; i++) {
                List<Node> upstream = new ArrayList<>();
                for (Node one : nodes) {
                    if (one.poller == null && random.nextInt(3) == 0) {
                        upstream.add(one);
                    }
                }
                Node node = new Node(this, i, upstream);
                boolean polled = random.nextInt(6) == 0;
                if (polled) {
                    node.poller = upstream.isEmpty()
                            ? pipeline.poller("p" + i)
                            : stage(upstream).thenPoller("p" + i);
                }
                upstream.forEach(one -> one.dependedOn = true);
                if (!polled) {
                    NewConsumer<Object> consumer =
                            pipeline.consumer("c" + i, node).onFailure(node::decide);
                    if (random.nextBoolean()) {
                        node.limit = random.nextInt(1, 7);
                        consumer.batchLimit(node.limit);
                    }
                    if (upstream.isEmpty()) {
                        pipeline.handleEventsWith(consumer);
                    } else {
                        stage(upstream).then(consumer);
                    }
                    if (mayHalt && random.nextInt(count) == 0) {
                        node.haltAt = random.nextLong(100);
                    }
                }
                nodes.add(node);
            }
            List<ConsumerHandle> consumers = pipeline.consumers();
            List<EventProcessor> processors = pipeline.startProcessors();
            int processor = 0;
            for (Node node : nodes) {
                node.consumer = consumers.get(node.index);
                node.processor = node.poller == null ? processors.get(processor++) : null;
            }
            for (int i = single ? 1 : 1 + random.nextInt(3); i > 0; i--) {
                producers.add(ring.producer());
            }
        }

        private Stage<Object> stage(List<Node> of) {
            return pipeline.after(of.toArray(Node[]::new));
        }

        // running

        void run() throws Exception {
            build();
            for (int step : program.steps()) {
                random = program.random(step);
                if (random.nextInt(2) == 0) {
                    produce();
                } else {
                    consume(nodes.get(random.nextInt(nodes.size())));
                }
                checkLeftover();
            }
            random = program.random(-1);
            finish();
        }

        private void finish() throws Exception {
            for (Producer<Object> producer : producers) {
                int index = producers.indexOf(producer);
                producer.close();
                for (int sequence = 0; sequence <= claimed; sequence++) {
                    if (status[sequence] == Status.OPEN && owner[sequence] == index) {
                        status[sequence] = Status.ABORTED;
                    }
                }
                moveContiguous();
                check(
                        producer.tryNext(1) == (failed ? Producer.FAILED : Producer.CLOSED),
                        "claim on a closed producer");
            }
            check(contiguous == claimed, "contiguous %d of %d claimed", contiguous, claimed);
            boolean again = true;
            for (int rounds = 0; again; rounds++) {
                check(rounds < 100_000, "the consumers never finish");
                again = false;
                for (Node node : nodes) {
                    again |= consume(node);
                }
            }
            checkLeftover();
            for (Node node : nodes) {
                check(
                        node.ended || node.progress() == node.available(),
                        "consumer %d stopped at %d of %d",
                        node.index,
                        node.progress(),
                        node.available());
                check(
                        node.consumer.state() == (node.halted ? State.FAILED : failed ? State.CLOSED : State.RUNNING),
                        "consumer %d is %s",
                        node.index,
                        node.consumer.state());
                node.checkAllHandled();
            }
            try {
                Ring.Leftover left = ring.drain(0);
                check(!failed && left.isNone(), "left after drain: %s", left);
            } catch (RingFailedException e) {
                check(failed && e.getCause() == ring.failure(), "drain threw %s", e);
            }
            check(ring.state() == (failed ? State.FAILED : State.DRAINING), "state %s", ring.state());
            ring.close();
        }

        // producers

        private void produce() {
            int index = random.nextInt(producers.size());
            Producer<Object> producer = producers.get(index);
            int n = 1 + random.nextInt(capacity);
            switch (random.nextInt(8)) {
                case 0 -> claim(index, n, n, producer.tryNext(n), Producer.FULL);
                case 1 -> claim(index, n, n, producer.next(n, 0), Producer.TIMED_OUT);
                case 2 -> {
                    int most = (int) Math.max(1, Math.min(n, room()));
                    claim(index, most, n, producer.tryNextUpTo(n), Producer.FULL);
                    if (!failed && room() >= 0 && claimed >= 0 && owner[(int) claimed] == index) {
                        check(producer.claimedFrom() <= claimed, "claimedFrom %d", producer.claimedFrom());
                    }
                }
                case 3, 4, 5 -> publishOpen(index, producer);
                default -> publishSafely(index, producer, n);
            }
        }

        private long room() {
            return capacity - (claimed - slowestLeaf());
        }

        private long slowestLeaf() {
            long slowest = Long.MAX_VALUE;
            for (Node node : nodes) {
                if (!node.dependedOn) {
                    slowest = Math.min(slowest, node.progress());
                }
            }
            return slowest;
        }

        /** The model's answer to a claim, before it is taken over. */
        private void claim(int index, int expected, int asked, long result, long none) {
            if (failed) {
                check(result == Producer.FAILED, "claim on a failed ring: %s", Producer.resultName(result));
            } else if (expected > room()) {
                check(result == none, "claim of %d with room for %d: %d", asked, room(), result);
            } else {
                check(result == claimed + expected, "claim of %d behind %d: %d", asked, claimed, result);
                take(index, expected, Status.OPEN);
            }
        }

        private void take(int index, int n, Status as) {
            for (int i = 0; i < n; i++) {
                claimed++;
                check(status[(int) claimed] == Status.FREE, "%d claimed twice", claimed);
                status[(int) claimed] = as;
                owner[(int) claimed] = index;
            }
            moveContiguous();
        }

        private void moveContiguous() {
            while (contiguous < claimed && status[(int) contiguous + 1] != Status.OPEN) {
                contiguous++;
            }
        }

        private boolean hasOpen(int index) {
            for (int sequence = 0; sequence <= claimed; sequence++) {
                if (status[sequence] == Status.OPEN && owner[sequence] == index) {
                    return true;
                }
            }
            return false;
        }

        /** A part of what the producer has open: in order with a single producer, anywhere with many. */
        private void publishOpen(int index, Producer<Object> producer) {
            List<Integer> open = new ArrayList<>();
            for (int sequence = 0; sequence <= claimed; sequence++) {
                if (status[sequence] == Status.OPEN && owner[sequence] == index) {
                    open.add(sequence);
                }
            }
            if (open.isEmpty()) {
                try {
                    producer.publish(claimed, claimed);
                } catch (IllegalArgumentException expected) {
                    return;
                }
                throw new AssertionError("published " + claimed + " without a claim");
            }
            int lo = open.get(single ? 0 : random.nextInt(open.size()));
            int hi = lo;
            while (hi < claimed && status[hi + 1] == Status.OPEN && owner[hi + 1] == index && random.nextInt(4) > 0) {
                hi++;
            }
            boolean abort = random.nextInt(4) == 0;
            for (int sequence = lo; sequence <= hi; sequence++) {
                Words.set(producer.get(sequence), sequence, 0, abort ? -1 : sequence ^ seed);
                status[sequence] = abort ? Status.ABORTED : Status.LIVE;
            }
            if (abort) {
                producer.abort(lo, hi);
            } else {
                producer.publish(lo, hi);
            }
            moveContiguous();
        }

        private void publishSafely(int index, Producer<Object> producer, int n) {
            boolean fails = random.nextInt(4) == 0;
            int form = random.nextInt(4);
            int count = form >= 2 ? n : 1;
            boolean waits = form % 2 == 0 && !failed && room() >= count;
            EventTranslatorLong<Object> one = (event, sequence, value) -> {
                Words.set(event, sequence, 0, fails ? -1 : sequence ^ value);
                if (fails) {
                    throw new Planned();
                }
            };
            EventTranslatorBatch<Object> several = (event, sequence, i) -> {
                check(sequence == claimed + 1 + i, "event %d of a batch behind %d is %d", i, claimed, sequence);
                Words.set(event, sequence, 0, sequence ^ seed);
                if (fails && i == count - 1) {
                    throw new Planned();
                }
            };
            long result;
            try {
                if (count == n && form >= 2) {
                    result = waits ? producer.publishEvents(several, n) : producer.tryPublishEvents(several, n);
                } else {
                    result = waits ? producer.publishEvent(one, seed) : producer.tryPublishEvent(one, seed);
                }
            } catch (Planned thrown) {
                check(fails && !failed && room() >= count, "the translator ran without room");
                take(index, count, Status.ABORTED);
                return;
            } catch (IllegalStateException refused) {
                check(single && hasOpen(index), "refused without an open claim: %s", refused);
                return;
            }
            check(!(single && hasOpen(index)), "published ahead of an open claim");
            if (failed) {
                check(result == Producer.FAILED, "publication on a failed ring: %s", Producer.resultName(result));
            } else if (room() < count) {
                check(result == Producer.FULL, "publication of %d with room for %d: %d", count, room(), result);
            } else {
                check(!fails && result == claimed + count, "publication of %d behind %d: %d", count, claimed, result);
                take(index, count, Status.LIVE);
            }
        }

        // consumers

        private boolean consume(Node node) throws Exception {
            long before = node.progress();
            long available = node.seenAvailable();
            int polled = 1 + random.nextInt(5);
            if (node.ended) {
                available = before; // what is published afterwards stays unhandled
            }
            long size = Math.min(available - before, node.poller == null ? node.batchSize() : polled);
            node.begin(before, before + size);
            long result;
            try {
                result = node.poller == null ? node.processor().doWork() : node.poller.poll(node::onEvent, polled);
            } catch (Planned thrown) {
                check(node.poller != null && node.thrownAt >= 0, "consumer %d let a failure through", node.index);
                check(
                        node.progress() == node.thrownAt - 1,
                        "poll stopped at %d, not before %d",
                        node.progress(),
                        node.thrownAt);
                return true;
            }
            if (ring.failure() instanceof AssertionError failure) {
                throw failure; // a check within a handler
            }
            if (node.halted) {
                check(result == 0 && node.progress() == before, "consumer %d moved on after it halted", node.index);
                check(ring.state() == State.FAILED, "state %s after a failure", ring.state());
                boolean now = !failed;
                failed = true;
                node.ended = true;
                return now; // the others hear of it in their next step
            }
            check(
                    result == size && node.progress() == before + size,
                    "consumer %d, with %d to %d before it, reported %d and stands at %d",
                    node.index,
                    before + 1,
                    before + size,
                    result,
                    node.progress());
            node.finish();
            // a failed ring: nothing is there, and nobody upstream makes more
            node.ended |= failed && size == 0 && node.upstream.stream().allMatch(one -> one.ended);
            return result > 0;
        }

        private void checkLeftover() {
            long unhandled = 0;
            int open = 0;
            long slowest = slowestLeaf();
            for (long sequence = slowest + 1; sequence <= claimed; sequence++) {
                unhandled += status[(int) sequence] == Status.LIVE ? 1 : 0;
                open += status[(int) sequence] == Status.OPEN ? 1 : 0;
            }
            Ring.Leftover left = ring.leftover();
            check(
                    left.unhandled() == unhandled && left.openClaims() == open,
                    "left %d unhandled, %d open, not %s",
                    unhandled,
                    open,
                    left);
            check(left.slowest().isEmpty() == (unhandled + open == 0), "slowest of %s", left);
            check(
                    ring.cursor().get() == contiguous,
                    "cursor %d, not %d",
                    ring.cursor().get(),
                    contiguous);
        }
    }

    /** A consumer: its handler, and the model of what it must be given. */
    private static final class Node implements EventHandler<Object> {
        final Case test;
        final int index;
        final List<Node> upstream;
        boolean dependedOn;
        long limit = Long.MAX_VALUE;
        long haltAt = -1;
        boolean halted;
        boolean ended;
        long thrownAt;
        long seen = -1;

        @Nullable
        EventPoller<Object> poller;

        @Nullable
        EventProcessor processor;

        @Nullable
        ConsumerHandle consumer;

        // everything handled or skipped for good, in order
        private final List<Long> done = new ArrayList<>();
        private final int[] failures = new int[MOST_SEQUENCES];

        // the batch under way
        private final List<Long> doneInBatch = new ArrayList<>();
        private long lo;
        private long hi;
        private long expected;
        private boolean startDue;
        private boolean endDue;
        private boolean rewound;
        private @Nullable Action decided;

        Node(Case test, int index, List<Node> upstream) {
            this.test = test;
            this.index = index;
            this.upstream = upstream;
        }

        EventProcessor processor() {
            return java.util.Objects.requireNonNull(processor);
        }

        long progress() {
            return java.util.Objects.requireNonNull(consumer).sequence().get();
        }

        long available() {
            long available = upstream.isEmpty() ? test.contiguous : Long.MAX_VALUE;
            for (Node one : upstream) {
                available = Math.min(available, one.progress());
            }
            return available;
        }

        /**
         * What the consumer sees of it. A barrier that reads several words remembers the answer until it is used up, so that
         * a batch may be shorter than it could be.
         */
        long seenAvailable() {
            boolean remembers = upstream.isEmpty() ? !test.single || test.bytes : upstream.size() > 1;
            if (!remembers || seen <= progress()) {
                seen = available();
            }
            return seen;
        }

        long batchSize() {
            long most = limit != Long.MAX_VALUE ? limit : dependedOn ? 128 : Long.MAX_VALUE;
            return Math.max(1, Math.min(test.capacity / 4, most));
        }

        private long nextLive(long from) {
            long sequence = from;
            while (sequence <= hi && test.status[(int) sequence] != Status.LIVE) {
                sequence++;
            }
            return sequence;
        }

        void begin(long before, long last) {
            lo = before + 1;
            hi = last;
            expected = nextLive(lo);
            startDue = poller == null && expected <= hi;
            endDue = startDue;
            thrownAt = -1;
            rewound = false;
            doneInBatch.clear();
        }

        @Override
        public void onBatchStart(long size, long available) {
            check(startDue && size == hi - lo + 1, "consumer %d: onBatchStart(%d) for %d to %d", index, size, lo, hi);
            check(available == seen - lo + 1, "consumer %d: %d available behind %d", index, available, lo - 1);
            startDue = false;
        }

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) {
            check(!startDue && sequence == expected, "consumer %d got %d, expected %d", index, sequence, expected);
            check(
                    Words.get(event, sequence, 0) == (sequence ^ test.seed),
                    "consumer %d found another event in %d",
                    index,
                    sequence);
            check(
                    endOfBatch == (nextLive(sequence + 1) > hi),
                    "consumer %d: endOfBatch %s at %d of %d to %d%s",
                    index,
                    endOfBatch,
                    sequence,
                    lo,
                    hi,
                    poller == null ? "" : ", polled");
            for (Node one : upstream) {
                check(
                        one.progress() >= sequence && one.done.contains(sequence),
                        "consumer %d got %d before its upstream %d",
                        index,
                        sequence,
                        one.index);
            }
            Action plan = plan(sequence);
            if (plan != null) {
                thrownAt = sequence;
                throw new Planned();
            }
            handled(sequence);
        }

        private void handled(long sequence) {
            doneInBatch.add(sequence);
            if (poller != null) {
                done.add(sequence); // also if a later event of the same poll fails
            }
            expected = nextLive(sequence + 1);
        }

        /** What goes wrong with this event now: decided by the seed alone, and a bounded number of times. */
        private @Nullable Action plan(long sequence) {
            if (sequence == haltAt) {
                return Action.HALT;
            }
            long mixed = new SplittableRandom(test.seed + index * 1_000_003L + sequence).nextLong();
            int times = (mixed & 7) == 0 ? 1 + (int) (mixed >>> 8 & 1) : 0;
            if (failures[(int) sequence] >= times) {
                return null;
            }
            failures[(int) sequence]++;
            return switch ((int) (mixed >>> 16 & 3)) {
                case 0 -> Action.SKIP;
                case 1 -> Action.RETRY_EVENT;
                default -> Action.REWIND_BATCH;
            };
        }

        Action decide(Throwable cause, @Nullable Object event, long sequence, int attempt) {
            check(cause instanceof Planned && sequence == thrownAt, "consumer %d: %s at %d", index, cause, sequence);
            check(event != null && event == test.ring.get(sequence), "the policy got another event");
            check(attempt >= 1, "attempt %d", attempt);
            check(
                    rewound || sequence == haltAt || attempt == failures[(int) sequence],
                    "attempt %d at %d, which failed %d times",
                    attempt,
                    sequence,
                    failures[(int) sequence]);
            long mixed = new SplittableRandom(test.seed + index * 1_000_003L + sequence).nextLong();
            Action action = sequence == haltAt
                    ? Action.HALT
                    : switch ((int) (mixed >>> 16 & 3)) {
                        case 0 -> Action.SKIP;
                        case 1 -> Action.RETRY_EVENT;
                        default -> Action.REWIND_BATCH;
                    };
            decided = action;
            switch (action) {
                case SKIP -> handled(sequence);
                case RETRY_EVENT -> {}
                case REWIND_BATCH -> {
                    rewound = true;
                    startDue = true;
                    doneInBatch.clear();
                    expected = nextLive(lo);
                }
                case HALT -> halted = true;
            }
            return action;
        }

        @Override
        public void onBatchEnd(long sequence) {
            check(
                    endDue && sequence == hi && expected > hi,
                    "consumer %d: onBatchEnd(%d), expected %d",
                    index,
                    sequence,
                    expected);
            endDue = false;
        }

        void finish() {
            check(!startDue && !endDue && expected > hi, "consumer %d: batch %d to %d is unfinished", index, lo, hi);
            if (poller == null) {
                done.addAll(doneInBatch);
            }
        }

        void checkAllHandled() {
            List<Long> live = new ArrayList<>();
            for (long sequence = 0; sequence <= progress(); sequence++) {
                if (test.status[(int) sequence] == Status.LIVE) {
                    live.add(sequence);
                }
            }
            check(done.equals(live), "consumer %d handled %s, live are %s", index, done, live);
            check(!halted || decided == Action.HALT, "consumer %d halted by %s", index, decided);
        }
    }
}
