package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Words;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random graphs on threads: grouping, idle strategies, batch limits, producers, aborts, failures and the kind of slots by seed, the
 * interleaving by the machine. What producers published, in the order of the sequences, is the sequential model that every
 * consumer's record must equal; where a consumer halts, the record ends there, and the others' where the graph allows.
 */
@Tag("concurrency")
class ConcurrentGraphModelTest {
    private static final int MOST_EVENTS = 2_000;

    /** A step is room for one more sequence of each producer. */
    @Test
    void everyCaseFollowsTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, MOST_EVENTS), program -> {
                    new Case(program.seed()).run(program.size());
                    return program.size();
                })
                .budget("io.sluice.model.steps", 60 * MOST_EVENTS)
                .run();
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, what, arguments));
        }
    }

    /** What handlers and translators of this test throw. */
    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;

        Planned() {
            super("planned", null, false, false);
        }
    }

    /** Plain memory of a slot of either kind: the words belong together, the marks say who has handled which sequence here. */
    private static final class Event {
        private static final int MIXED = 1;
        private static final int MARKS = 2;
        private static final int MOST_CONSUMERS = 8;
        static final int WORDS = MARKS + MOST_CONSUMERS;

        private final Object event;
        private final long place;

        /** What is at hand under a sequence. */
        Event(Object event, long place) {
            this.event = event;
            this.place = place;
        }

        /** Which sequence was filled in here last, -1 if none was. */
        long sequence() {
            return Words.get(event, place, 0) - 1;
        }

        long mixed() {
            return Words.get(event, place, MIXED);
        }

        void set(long sequence, long mixed) {
            Words.set(event, place, 0, sequence + 1);
            Words.set(event, place, MIXED, mixed);
        }

        long mark(int consumer) {
            return Words.get(event, place, MARKS + consumer);
        }

        void mark(int consumer, long value) {
            Words.set(event, place, MARKS + consumer, value);
        }
    }

    private static final class Case {
        final long seed;
        final SplittableRandom random;
        final int capacity;
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final List<Node> nodes = new ArrayList<>();
        final boolean single;

        Case(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            capacity = 1 << random.nextInt(7);
            single = random.nextBoolean();
            int idle = random.nextInt(4);
            boolean bytes = new SplittableRandom(~seed).nextBoolean();
            RingBufferBuilder<Object> builder = Words.ring(bytes, Event.WORDS)
                    .capacity(capacity)
                    .producersIdle(YieldingIdleStrategy::new)
                    .consumersIdle(() -> idle(idle));
            ring = (single ? builder.singleProducer() : builder).build();
            pipeline = Pipeline.on(ring).errorHandler(told -> {});
        }

        private static IdleStrategy idle(int which) {
            return switch (which) {
                case 0 -> new YieldingIdleStrategy();
                case 1 -> SignalledIdle.exact(5);
                case 2 -> SignalledIdle.timed();
                default -> new BackoffIdleStrategy();
            };
        }

        void run(int events) throws InterruptedException {
            int count = random.nextInt(1, 9);
            boolean mayHalt = random.nextInt(4) == 0;
            for (int i = 0; i < count; i++) {
                List<Node> upstream = new ArrayList<>();
                for (Node one : nodes) {
                    if (random.nextInt(3) == 0) {
                        upstream.add(one);
                    }
                }
                Node node = new Node(this, i, upstream);
                NewConsumer<Object> consumer = pipeline.consumer("c" + i, node).onFailure(node::decide);
                if (random.nextBoolean()) {
                    consumer.batchLimit(random.nextInt(1, 9));
                }
                if (random.nextBoolean()) {
                    consumer.thread("t" + random.nextInt(3));
                }
                if (upstream.isEmpty()) {
                    pipeline.handleEventsWith(consumer);
                } else {
                    pipeline.after(upstream.toArray(Node[]::new)).then(consumer);
                }
                if (mayHalt && random.nextInt(count) == 0) {
                    node.haltAt = random.nextLong(events);
                }
                nodes.add(node);
            }
            pipeline.start();
            List<Publisher> publishers = new ArrayList<>();
            for (int i = single ? 1 : random.nextInt(1, 4); i > 0; i--) {
                publishers.add(new Publisher(this, ring.producer(), random.split(), events));
            }
            publishers.forEach(Thread::start);
            for (Publisher publisher : publishers) {
                publisher.join();
            }
            try {
                Ring.Leftover left = pipeline.drain(TimeUnit.SECONDS.toNanos(30));
                check(left.isNone(), "left: %s", left);
            } catch (RingFailedException failed) {
                check(failed.getCause() == ring.failure(), "another cause: %s", failed.getCause());
                long began = System.nanoTime();
                try {
                    check(
                            !pipeline.awaitHandled(Long.MAX_VALUE, TimeUnit.SECONDS.toNanos(30)),
                            "handled the end of time");
                    throw new AssertionError("awaitHandled of a failed ring returned");
                } catch (RingFailedException expected) {
                    check(expected.getCause() == ring.failure(), "another cause: %s", expected.getCause());
                }
                check(
                        System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30),
                        "the consumers of a failed ring never ended");
            }
            State state = ring.state();
            ring.close();
            for (Publisher publisher : publishers) {
                Throwable failure = publisher.failure.get();
                if (failure != null) {
                    throw new AssertionError("a publisher failed: " + failure, failure);
                }
            }
            if (ring.failure() instanceof AssertionError failure) {
                throw failure; // a check within a handler
            }
            check(state == State.FAILED == nodes.stream().anyMatch(node -> node.halted), "state %s", state);
            compare(publishers);
        }

        private void compare(List<Publisher> publishers) {
            List<Long> live = new ArrayList<>();
            publishers.forEach(publisher -> live.addAll(publisher.live));
            live.sort(null);
            long cursor = ring.cursor().get();
            for (Node node : nodes) {
                long progress = pipeline.consumer(node).sequence().get();
                long end = node.upstream.isEmpty() ? cursor : Long.MAX_VALUE;
                for (Node one : node.upstream) {
                    end = Math.min(end, pipeline.consumer(one).sequence().get());
                }
                // ends before it: what came after the consumers of a failed ring had ended,
                // and aborted slots behind a drain
                long handled = ring.state() == State.FAILED ? progress : Long.MAX_VALUE;
                boolean right = node.halted ? progress < node.haltAt : progress <= end;
                check(right, "consumer %d at %d of %d", node.index, progress, end);
                List<Long> expected =
                        live.stream().filter(sequence -> sequence <= handled).toList();
                assertThat(node.done)
                        .as("consumer %d of %d", node.index, nodes.size())
                        .isEqualTo(expected);
            }
        }
    }

    private static final class Publisher extends Thread {
        final List<Long> live = new ArrayList<>();
        final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        private final Case test;
        private final Producer<Object> producer;
        private final SplittableRandom random;
        private final int events;

        Publisher(Case test, Producer<Object> producer, SplittableRandom random, int events) {
            this.test = test;
            this.producer = producer;
            this.random = random;
            this.events = events;
        }

        private void fill(Event event, long sequence) {
            check(event.sequence() < sequence, "slot of %d holds %d", sequence, event.sequence());
            for (Node node : test.nodes) {
                check(
                        event.mark(node.index) == event.sequence() + 1 || event.mixed() == 0,
                        "slot of %d reused before %d",
                        sequence,
                        node.index);
            }
            event.set(sequence, (sequence ^ test.seed) | 1);
        }

        /** An aborted slot: everything in it is wrong, and nobody may see it. */
        private static void spoil(Event event) {
            event.set(-1, 0);
        }

        @Override
        public void run() {
            try (Producer<Object> closing = producer) {
                long claimed = 0;
                while (claimed < events) {
                    claimed += step(closing);
                }
            } catch (RingFailedException expected) {
                check(test.ring.failure() == expected.getCause(), "refused by %s", expected);
            } catch (Throwable t) {
                failure.set(t);
            }
        }

        private int step(Producer<Object> to) {
            int n = random.nextInt(1, Math.min(test.capacity, 8) + 1);
            boolean fails = random.nextInt(8) == 0;
            if (random.nextBoolean()) {
                try {
                    long hi = to.publishEvents(
                            (slot, sequence, index) -> {
                                Event event = new Event(slot, sequence);
                                fill(event, sequence);
                                if (fails) {
                                    spoil(event);
                                }
                                if (fails && index == n - 1) {
                                    throw new Planned();
                                }
                            },
                            n);
                    for (long sequence = hi - n + 1; sequence <= hi; sequence++) {
                        live.add(sequence);
                    }
                } catch (Planned expected) {
                    check(fails, "threw unasked");
                }
                return n;
            }
            long hi = to.next(n);
            long lo = hi - n + 1;
            while (lo <= hi) {
                long to2 = random.nextLong(lo, hi + 1);
                boolean abort = random.nextInt(4) == 0;
                for (long sequence = lo; sequence <= to2; sequence++) {
                    Event event = new Event(to.get(sequence), sequence);
                    fill(event, sequence);
                    if (abort) {
                        spoil(event);
                    } else {
                        live.add(sequence);
                    }
                }
                if (abort) {
                    to.abort(lo, to2);
                } else {
                    to.publish(lo, to2);
                }
                lo = to2 + 1;
            }
            return n;
        }
    }

    private static final class Node implements EventHandler<Object> {
        final Case test;
        final int index;
        final List<Node> upstream;
        final List<Long> done = new ArrayList<>();
        long haltAt = Long.MAX_VALUE;
        boolean halted;

        private final List<Long> batch = new ArrayList<>();
        private long progress = -1;
        private long hi;
        private boolean ended = true;
        private boolean rewound;
        private boolean skippedLast;
        private final Map<Long, Integer> failures = new HashMap<>();

        Node(Case test, int index, List<Node> upstream) {
            this.test = test;
            this.index = index;
            this.upstream = upstream;
        }

        @Override
        public void onBatchStart(long size, long available) {
            long before = test.pipeline.consumer(this).sequence().get();
            check(before >= progress && size >= 1 && available >= size, "batch of %d behind %d", size, before);
            check(rewound || batch.isEmpty(), "batch begins within a batch");
            check(size <= Math.max(1, test.capacity / 4), "batch of %d", size);
            progress = before;
            hi = before + size;
            rewound = false;
            ended = false;
            batch.clear();
        }

        @Override
        public void onEvent(Object slot, long sequence, boolean endOfBatch) {
            Event event = new Event(slot, sequence);
            long last = batch.isEmpty() ? progress : batch.get(batch.size() - 1);
            check(sequence > last && sequence <= hi && !ended, "%d got %d behind %d, to %d", index, sequence, last, hi);
            check(
                    event.sequence() == sequence && event.mixed() == ((sequence ^ test.seed) | 1),
                    "%d found %d in %d",
                    index,
                    event.sequence(),
                    sequence);
            for (Node one : upstream) {
                check(event.mark(one.index) == sequence + 1, "%d got %d before %d", index, sequence, one.index);
            }
            // also if it fails: the slot is not reused before it is handled or skipped
            event.mark(index, sequence + 1);
            if (sequence >= haltAt) {
                haltAt = sequence;
                throw new Planned();
            }
            long mixed = new SplittableRandom(test.seed + index * 1_000_003L + sequence).nextLong();
            int times = (mixed & 31) == 0 ? 1 + (int) (mixed >>> 8 & 1) : 0;
            int failed = failures.getOrDefault(sequence, 0);
            if (failed < times) {
                failures.put(sequence, failed + 1);
                throw new Planned();
            }
            batch.add(sequence);
            ended = endOfBatch;
            skippedLast = false;
        }

        Action decide(Throwable cause, @Nullable Object event, long sequence, int attempt) {
            if (sequence >= haltAt) {
                halted = true;
                return Action.HALT;
            }
            long mixed = new SplittableRandom(test.seed + index * 1_000_003L + sequence).nextLong();
            switch ((int) (mixed >>> 16 & 3)) {
                case 0 -> {
                    batch.add(sequence);
                    skippedLast = true;
                    ended = false; // the end of the batch, or the next event, tells whether it was the last
                    return Action.SKIP;
                }
                case 1 -> {
                    return Action.RETRY_EVENT;
                }
                default -> {
                    rewound = true;
                    return Action.REWIND_BATCH;
                }
            }
        }

        @Override
        public void onBatchEnd(long sequence) {
            check(sequence == hi && !batch.isEmpty(), "%d ends a batch at %d of %d", index, sequence, hi);
            check(ended || skippedLast, "%d: no event of the batch to %d was its last", index, hi);
            done.addAll(batch);
            batch.clear();
        }
    }
}
