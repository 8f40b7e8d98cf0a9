package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random joins and leaves on threads while all runs: declared chains of up to three levels, small rings, slow consumers,
 * workers, retained events, joins that cannot start. Each consumer must see each event from its join point on once, in order,
 * with the content that was published, and never before those that it follows. The seed decides the changes, the machine the
 * interleaving.
 */
@Tag("concurrency")
@Timeout(300)
class ChangingGraphThreadsTest {
    private static final int MOST_CHANGES = 24;

    @Test
    void whoeverJoinsAndLeavesEachSeesItsEventsWhole() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, MOST_CHANGES), program -> {
                    new Case(program).run();
                    return program.size();
                })
                .budget("io.sluice.model.changes", 24 * MOST_CHANGES)
                .run();
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, what, arguments));
        }
    }

    private static final class Case {
        final SeededProgram program;
        final long seed;
        final boolean single;
        final int retained;
        final RingBuffer<long[]> ring;
        final Pipeline<long[]> pipeline;
        final List<Node> present = new ArrayList<>();
        final List<Node> gone = new ArrayList<>();
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicBoolean refuses = new AtomicBoolean();

        SplittableRandom random;

        Case(SeededProgram program) {
            this.program = program;
            seed = program.seed();
            random = program.random();
            single = random.nextBoolean();
            int capacity = 4 << random.nextInt(4);
            retained = random.nextInt(capacity / 2 + 1);
            int idle = random.nextInt(4);
            ring = Rings.ringBuilder(single, capacity)
                    .retain(retained)
                    .producersIdle(YieldingIdleStrategy::new)
                    .consumersIdle(() -> idle(idle))
                    .build();
            pipeline = Pipeline.on(ring);
            pipeline.threads(task -> {
                if (refuses.getAndSet(false)) {
                    throw new IllegalStateException("no more threads");
                }
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            });
        }

        private static IdleStrategy idle(int which) {
            return switch (which) {
                case 0 -> new YieldingIdleStrategy();
                case 1 -> SignalledIdle.exact(5);
                case 2 -> SignalledIdle.timed();
                default -> new BackoffIdleStrategy();
            };
        }

        private void build() {
            Stage<long[]> stage = null;
            int levels = 1 + random.nextInt(3);
            for (int level = 0; level < levels; level++) {
                List<Node> before = List.copyOf(present.subList(Math.max(0, level - 1), level));
                Node node = new Node(this, before, random.nextInt(3) == 0);
                if (node.worker) {
                    stage = stage == null ? pipeline.handleEventsWithWorkerPool(node) : stage.thenWorkerPool(node);
                } else {
                    stage = stage == null ? pipeline.handleEventsWith(node) : stage.then(node);
                }
                present.add(node);
            }
            if (random.nextInt(4) == 0) {
                pipeline.clearEventsWith(event -> event[0] = -1);
            }
            pipeline.start();
            present.forEach(node -> node.consumer = pipeline.consumer(node));
        }

        void run() throws Exception {
            build();
            List<Rings.Caller> publishers = new ArrayList<>();
            for (int i = single ? 1 : 2; i > 0; i--) {
                publishers.add(new Rings.Caller(() -> {
                    try (Producer<long[]> producer = ring.producer()) {
                        while (!stop.get()) {
                            producer.publishEvent((event, sequence) -> event[0] = sequence ^ seed);
                        }
                    }
                }));
            }
            try {
                for (int step : program.steps()) {
                    random = program.random(step);
                    if (ring.failure() == null) {
                        change();
                    }
                }
            } finally {
                stop.set(true);
                present.forEach(node -> node.consumer().resume());
                if (ring.failure() != null) {
                    ring.close();
                }
            }
            for (Rings.Caller publisher : publishers) {
                Throwable thrown = publisher.result();
                check(thrown == null || ring.failure() != null, "a publisher: %s", thrown);
            }
            Ring.Leftover left = ring.drain(LONG);
            if (ring.failure() != null) {
                throw new AssertionError("failed: " + ring.failure(), ring.failure());
            }
            check(left.isNone(), "left: %s", left);
            long last = ring.cursor().get();
            ring.close();
            present.forEach(node -> node.checkHandledUpTo(last));
            gone.forEach(
                    node -> node.checkHandledUpTo(node.consumer().sequence().get()));
        }

        private void change() throws Exception {
            Node any = present.get(random.nextInt(present.size()));
            switch (random.nextInt(9)) {
                case 0 -> any.consumer().pause();
                case 8 -> overtake(any);
                case 1 -> present.forEach(node -> node.consumer().resume());
                case 2, 3 -> leave(any);
                case 4 -> LockSupport.parkNanos(random.nextInt(1_000_000));
                default -> {
                    if (present.size() < 7) {
                        join(any);
                    }
                }
            }
        }

        private void leave(Node node) {
            if (present.size() > 1) {
                node.leaves = true;
                check(node.consumer().remove(LONG) == Removal.LEFT, "%s does not leave", node.consumer());
                present.remove(node);
                gone.add(node);
            }
        }

        /** One joins far ahead of those that rest, behind one that then leaves. */
        private void overtake(Node between) throws Exception {
            between.upstream.stream()
                    .filter(present::contains)
                    .forEach(node -> node.consumer().pause());
            if (present.size() < 7) {
                join(between, List.of(between), List.of(), 3);
            }
            leave(between);
            LockSupport.parkNanos(1_000_000);
            present.forEach(node -> node.consumer().resume());
        }

        private void join(Node colleague) throws Exception {
            boolean shares = colleague.worker && random.nextBoolean();
            List<Node> after = new ArrayList<>();
            List<Node> before = new ArrayList<>();
            for (Node node : present) {
                switch (shares ? 3 : random.nextInt(4)) {
                    case 0 -> after.add(node);
                    case 1 -> before.add(node);
                    default -> {}
                }
            }
            join(colleague, after, before, shares ? 0 : random.nextInt(4));
        }

        /** How: 0 shares with a colleague, 1 from now on, 2 and 3 from a sequence. */
        private void join(Node colleague, List<Node> after, List<Node> before, int how) throws Exception {
            boolean shares = how == 0 && colleague.worker;
            Node joiner = new Node(this, shares ? List.of() : after, false);
            joiner.worker = shares;
            Join<long[]> join = pipeline.join(joiner);
            if (shares) {
                join.sharingWith(colleague.consumer());
            } else {
                after.forEach(node -> join.after(node.consumer()));
                before.forEach(node -> join.before(node.consumer()));
                if (how > 1) {
                    join.from(Math.max(0, ring.cursor().get() + 1 - random.nextInt(retained + 2)));
                }
            }
            boolean cannotStart = random.nextInt(8) == 0;
            refuses.set(cannotStart);
            ConsumerHandle joined;
            try {
                joined = join.start(LONG);
            } catch (IllegalArgumentException e) {
                String message = String.valueOf(e.getMessage());
                check(
                        message.contains("must make no cycle") || message.startsWith("join point "),
                        "refused: %s",
                        message);
                return;
            } catch (IllegalStateException e) {
                check(cannotStart && "no more threads".equals(e.getMessage()), "refused: %s", e.getMessage());
                return;
            } finally {
                refuses.set(false);
            }
            joiner.consumer = joined;
            present.add(joiner);
        }
    }

    /** A consumer that checks what it gets. All but the flags belongs to the consumer's thread, until that has ended. */
    private static final class Node implements EventHandler<long[]> {
        private final Case test;
        private final List<Node> upstream;
        private final SplittableRandom random;
        private final int slowness;

        boolean worker;
        volatile boolean leaves;
        volatile @Nullable ConsumerHandle consumer;
        volatile long first = -1;
        volatile long next = -1;

        Node(Case test, List<Node> upstream, boolean worker) {
            this.test = test;
            this.upstream = List.copyOf(upstream);
            this.worker = worker;
            this.random = test.random.split();
            this.slowness = random.nextInt(4) == 0 ? 4 : 64;
        }

        ConsumerHandle consumer() {
            return java.util.Objects.requireNonNull(consumer);
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            checkContent(event, sequence);
            if (next >= 0) {
                check(worker ? sequence >= next : sequence == next, "%d after %d", sequence, next - 1);
            }
            if (first < 0) {
                first = sequence;
            }
            for (Node one : upstream) {
                ConsumerHandle ahead = one.consumer;
                check(
                        one.leaves || ahead == null || ahead.sequence().get() >= sequence,
                        "%d before its upstream %s",
                        sequence,
                        ahead);
            }
            if (random.nextInt(slowness) == 0) {
                LockSupport.parkNanos(20_000);
            }
            checkContent(event, sequence);
            next = sequence + 1;
        }

        void checkHandledUpTo(long last) {
            long from = consumer().joinedFrom();
            if (first < 0) {
                check(worker || last < from, "%s handled nothing up to %d, from %d on", consumer(), last, from);
            } else {
                check(worker || first == from, "%s began at %d, joined from %d", consumer(), first, from);
                check(worker || next == last + 1, "%s handled up to %d of %d", consumer(), next - 1, last);
            }
        }

        private void checkContent(long[] event, long sequence) {
            check(event[0] == (sequence ^ test.seed), "the slot of %d holds %d", sequence, event[0] ^ test.seed);
        }
    }
}
