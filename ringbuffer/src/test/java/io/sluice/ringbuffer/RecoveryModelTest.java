package io.sluice.ringbuffer;

import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventClearer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random claims, publications, aborts, deaths of owners, aborts on their behalf, joins, leaves, pauses, shedding and clearing
 * against a sequential model, on slots of objects or of bytes. Producers have threads of their own, which do one step at a time, so
 * each case runs the same way
 * again; a death is the end of such a thread. After every step the model says what must have been answered.
 */
@Tag("once")
@Timeout(60)
class RecoveryModelTest {
    private static final int STEPS = 200;
    private static final int MOST_SEQUENCES = STEPS * 16;

    @Test
    void everyCaseFollowsTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    try (Case one = new Case(program)) {
                        one.run();
                    }
                    return program.size();
                })
                .budget("io.sluice.model.steps", 400 * STEPS)
                .run();
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, what, arguments));
        }
    }

    private enum Status {
        FREE,
        OPEN,
        LIVE,
        ABORTED
    }

    /** A producer and its thread. */
    private static final class Owner {
        final Producer<Object> producer;
        final List<Long> lost = new ArrayList<>();
        private final SynchronousQueue<Callable<Long>> steps = new SynchronousQueue<>();
        private final SynchronousQueue<Object> answers = new SynchronousQueue<>();
        private final Thread thread;
        boolean dead;

        Owner(Producer<Object> producer) {
            this.producer = producer;
            thread = new Thread(() -> {
                try {
                    for (Callable<Long> step = steps.take(); step != NOTHING; step = steps.take()) {
                        Object answer;
                        try {
                            answer = step.call();
                        } catch (Throwable t) {
                            answer = t;
                        }
                        answers.put(answer);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private static final Callable<Long> NOTHING = () -> 0L;

        /** What the step gave, or throws what it threw. */
        long does(Callable<Long> step) throws Exception {
            steps.put(step);
            Object answer = answers.poll(20, TimeUnit.SECONDS);
            if (answer instanceof RuntimeException e) {
                throw e;
            } else if (answer instanceof Error e) {
                throw e;
            }
            check(answer instanceof Long, "a step gave %s", answer);
            return (Long) answer;
        }

        void die() throws InterruptedException {
            steps.put(NOTHING);
            thread.join(20_000);
            check(!thread.isAlive(), "a thread did not end");
            dead = true;
        }
    }

    private static final class Clearer implements EventClearer<Object> {
        @Override
        public void clear(Object event) {
            throw new AssertionError("cleared without a sequence");
        }

        @Override
        public void clear(Object event, long sequence) {
            Words.set(event, sequence, 0, 0);
        }
    }

    /** A poller and what it has passed. */
    private static final class Node {
        final EventPoller<Object> poller;
        final List<Node> upstream;
        final long joinedFrom;
        final List<Long> passed = new ArrayList<>();
        final long over; // requests to drop up to there were over when it joined
        boolean paused;

        Node(EventPoller<Object> poller, List<Node> upstream, long over) {
            this.poller = poller;
            this.upstream = new ArrayList<>(upstream);
            this.over = upstream.isEmpty() ? over : -1;
            this.joinedFrom = poller.consumer().joinedFrom();
        }

        long progress() {
            return poller.sequence().get();
        }
    }

    private static final class Case implements AutoCloseable {
        final SeededProgram program;
        final int capacity;
        final int retained;
        final int window;
        final boolean single;
        final boolean tracked;
        final boolean sheds;
        final boolean clears;
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final EventProcessor clearing;
        final List<Owner> owners = new ArrayList<>();
        final List<Owner> all = new ArrayList<>();
        final List<Node> nodes = new ArrayList<>();
        final Status[] status = new Status[MOST_SEQUENCES];
        final Owner[] ownerOf = new Owner[MOST_SEQUENCES];

        Node passing;
        long claimed = -1;
        long contiguous = -1;
        long asked = -1;
        long mostLimit; // of claims: who joined further back lowered it for those only that look again
        long base = -1; // of joins: where the slowest was
        long shedCount;
        int names;

        SplittableRandom random;

        Case(SeededProgram program) throws Exception {
            this.program = program;
            random = program.random();
            capacity = 2 << random.nextInt(4);
            retained = random.nextInt(3) == 0 ? random.nextInt(capacity / 2) : 0;
            window = capacity - retained;
            single = random.nextBoolean();
            tracked = random.nextBoolean();
            sheds = random.nextInt(3) == 0;
            clears = random.nextInt(3) == 0;
            boolean bytes = new SplittableRandom(~program.seed()).nextBoolean();
            RingBufferBuilder<Object> builder =
                    Words.ring(bytes, 1).capacity(capacity).retain(retained);
            if (single) {
                builder.singleProducer();
            }
            if (tracked) {
                builder.trackClaims();
            }
            if (sheds) {
                builder.shedding((consumer, event, sequence) -> {
                    check(sequence <= asked, "%d shed, asked for %d", sequence, asked);
                    check(
                            asked > passing.over || !passing.upstream.isEmpty(),
                            "%d shed by %s, for a request that was over at its join from %d",
                            sequence,
                            passing.poller.consumer().name(),
                            passing.joinedFrom);
                    shedCount++;
                    pass(event, sequence);
                });
            }
            ring = builder.build();
            pipeline = Pipeline.on(ring).errorHandler(told -> {});
            if (clears) {
                pipeline.clearEventsWith(new Clearer());
            }
            nodes.add(new Node(pipeline.poller("p"), List.of(), -1));
            List<EventProcessor> processors = pipeline.startProcessors();
            clearing = clears ? processors.get(0) : null;
            if (clears) {
                clearing.doWork();
            }
            poll(nodes.get(0));
            Arrays.fill(status, Status.FREE);
        }

        void run() throws Exception {
            for (int step : program.steps()) {
                random = program.random(step);
                step();
            }
            random = program.random(-1);
            end();
        }

        private void step() throws Exception {
            int dice = random.nextInt(100);
            if (dice < 45) {
                Owner owner = owner();
                if (dice < 15) {
                    claim(owner);
                } else if (dice < 33) {
                    settle(owner);
                } else if (dice < 38 && sheds) {
                    publishByShedding(owner);
                } else if (dice < 42) {
                    owner.die();
                    owners.remove(owner);
                }
            } else if (dice < 55) {
                recover();
            } else if (dice < 85) {
                poll(nodes.get(random.nextInt(nodes.size())));
            } else if (dice < 88) {
                Node node = nodes.get(random.nextInt(nodes.size()));
                node.paused = !node.paused;
                if (node.paused) {
                    node.poller.consumer().pause();
                } else {
                    node.poller.consumer().resume();
                }
            } else if (dice < 92 && nodes.size() < 5) {
                join();
            } else if (dice < 94 && nodes.size() > 1) {
                leave(nodes.get(random.nextInt(nodes.size())));
            } else if (clears) {
                clear();
            }
            checkLeftover();
        }

        // producers

        /** One that lives; a new one where there is none, which on a ring with a single producer needs the last one closed. */
        private Owner owner() throws Exception {
            while (owners.isEmpty() && single && !all.isEmpty()) {
                Owner last = all.get(all.size() - 1);
                if (hasOpen(last)) {
                    recover();
                } else {
                    last.producer.close(); // its thread has ended
                    break;
                }
            }
            if (owners.isEmpty() || (!single && owners.size() < 3 && random.nextInt(4) == 0)) {
                Owner owner = new Owner(ring.producer());
                owners.add(owner);
                all.add(owner);
            }
            return owners.get(random.nextInt(owners.size()));
        }

        private boolean hasOpen(Owner owner) {
            return !open(owner).isEmpty();
        }

        private List<Integer> open(Owner owner) {
            List<Integer> open = new ArrayList<>();
            for (int i = 0; i <= claimed; i++) {
                if (status[i] == Status.OPEN && ownerOf[i] == owner) {
                    open.add(i);
                }
            }
            return open;
        }

        private long slowest() {
            long slowest = clears ? clearing.sequence().get() : Long.MAX_VALUE;
            for (Node node : nodes) {
                slowest = Math.min(slowest, node.progress());
            }
            return slowest;
        }

        private long room() {
            mostLimit = Math.max(mostLimit, slowest() + window);
            return slowest() + window - claimed;
        }

        private void claim(Owner owner) throws Exception {
            int n = 1 + random.nextInt(window);
            long result = owner.does(() -> owner.producer.tryNext(n));
            if (result == Producer.FULL) {
                check(n > room(), "claim of %d with room for %d", n, room());
                return;
            }
            boolean fits = n <= room() || claimed + n <= mostLimit;
            check(fits && result == claimed + n, "claim of %d behind %d: %d", n, claimed, result);
            for (int i = 0; i < n; i++) {
                take(owner, Status.OPEN);
            }
        }

        private void take(Owner owner, Status as) {
            claimed++;
            status[(int) claimed] = as;
            ownerOf[(int) claimed] = owner;
        }

        private void moveContiguous() {
            while (contiguous < claimed && status[(int) contiguous + 1] != Status.OPEN) {
                contiguous++;
            }
        }

        /** Publishes or aborts a part of what it has open, or of what it has lost. */
        private void settle(Owner owner) throws Exception {
            if (!owner.lost.isEmpty() && random.nextInt(2) == 0) {
                long lost = owner.lost.get(owner.lost.size() - 1);
                if (random.nextBoolean()) {
                    checkLost(owner, () -> Words.get(owner.producer.get(lost), lost, 0));
                }
                checkLost(owner, () -> {
                    owner.producer.publish(lost, lost);
                    return 0L;
                });
                return;
            }
            List<Integer> open = open(owner);
            if (open.isEmpty()) {
                return;
            }
            int lo = open.get(single ? 0 : random.nextInt(open.size()));
            int hi = lo;
            while (hi < claimed && status[hi + 1] == Status.OPEN && ownerOf[hi + 1] == owner && random.nextInt(4) > 0) {
                hi++;
            }
            boolean abort = random.nextInt(4) == 0;
            int first = lo;
            int last = hi;
            owner.does(() -> {
                for (int i = first; i <= last; i++) {
                    Object event = owner.producer.get(i);
                    check(!clears || Words.get(event, i, 0) == 0, "%d was claimed before it was cleared", i);
                    Words.set(event, i, 0, i + 1L);
                }
                if (abort) {
                    owner.producer.abort(first, last);
                } else {
                    owner.producer.publish(first, last);
                }
                return 0L;
            });
            Arrays.fill(status, lo, hi + 1, abort ? Status.ABORTED : Status.LIVE);
            moveContiguous();
        }

        private void checkLost(Owner owner, Callable<Long> step) throws Exception {
            try {
                owner.does(step);
            } catch (ClaimAbortedException expected) {
                return;
            }
            throw new AssertionError("a lost claim is still its owner's");
        }

        private void publishByShedding(Owner owner) throws Exception {
            if (single && hasOpen(owner)) {
                return;
            }
            boolean fits = room() >= 1;
            DroppingProducer<Object> dropping = DroppingProducer.dropOldest(owner.producer, 0);
            long result = owner.does(
                    () -> dropping.publishEvent((event, sequence) -> Words.set(event, sequence, 0, sequence + 1)));
            if (fits || (result >= 0 && claimed < mostLimit)) {
                check(result == claimed + 1, "published %d behind %d", result, claimed);
                take(owner, Status.LIVE);
                moveContiguous();
            } else {
                check(result == Producer.TIMED_OUT, "published %d without room", result);
                asked = Math.max(asked, claimed + 1 - window);
            }
        }

        /** Whoever stands in the way is named, and aborted where that is allowed. */
        private void recover() throws Exception {
            AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
            if (contiguous == claimed) {
                check(claim == null, "a claim that is not: %s", claim);
                return;
            }
            Owner owner = ownerOf[(int) contiguous + 1];
            check(claim != null && claim.lowest() == contiguous + 1, "%s instead of %d", claim, contiguous + 1);
            long highest = claim.lowest();
            while (highest < claimed
                    && status[(int) highest + 1] == Status.OPEN
                    && ownerOf[(int) highest + 1] == owner) {
                highest++;
            }
            check(claim.threads().contains(owner.thread), "%s instead of %s", claim, owner.thread);
            if (owner.dead) {
                List<Integer> open = open(owner);
                check(claim.isOwnerKnown() && claim.highest() == highest, "%s instead of to %d", claim, highest);
                check(claim.abort() == open.size(), "not all of %s was aborted", open);
                open.forEach(i -> status[i] = Status.ABORTED);
            } else if (tracked) {
                check(claim.isOwnerKnown() && claim.highest() == highest, "%s instead of to %d", claim, highest);
                long aborted = claim.abort();
                check(aborted == highest - claim.lowest() + 1, "%d of %s were aborted", aborted, claim);
                for (long i = claim.lowest(); i <= highest; i++) {
                    status[(int) i] = Status.ABORTED;
                    owner.lost.add(i);
                }
                check(claim.abort() == 0, "aborted twice");
            } else {
                try {
                    claim.abort();
                } catch (IllegalStateException expected) {
                    return;
                }
                throw new AssertionError("aborted though its owner lives");
            }
            moveContiguous();
        }

        // consumers

        private long available(Node node) {
            long available = node.upstream.isEmpty() ? contiguous : Long.MAX_VALUE;
            for (Node one : node.upstream) {
                available = Math.min(available, one.progress());
            }
            return available;
        }

        private void poll(Node node) throws Exception {
            long available = Math.max(available(node), node.progress());
            int limit = 1 + random.nextInt(capacity);
            long before = node.progress();
            long expected = before;
            if (!node.paused) {
                for (long polled = 0; polled < limit && expected < available; ) {
                    long from = expected;
                    if (sheds && asked > expected) {
                        expected = Math.min(asked, available);
                    }
                    if (expected < available) {
                        expected = sheds ? expected + 1 : Math.min(available, expected + (long) limit);
                    }
                    polled += expected - from;
                }
            }
            passing = node;
            int polled = node.poller.poll((event, sequence, endOfBatch) -> pass(event, sequence), limit);
            // What it has seen of its upstream may be older than what the model knows, but not if that was nothing new.
            check(
                    node.progress() <= Math.max(expected, sheds ? available : expected)
                            && (node.progress() > before) == (expected > before)
                            && polled == node.progress() - before,
                    "polled from %d to %d instead of to %d",
                    before,
                    node.progress(),
                    expected);
        }

        private void pass(Object event, long sequence) {
            long held = Words.get(event, sequence, 0);
            check(held == sequence + 1, "%d holds %d", sequence, held);
            check(status[(int) sequence] == Status.LIVE, "%d is %s", sequence, status[(int) sequence]);
            passing.passed.add(sequence);
        }

        private void join() throws Exception {
            List<Node> upstream = new ArrayList<>();
            List<Node> before = new ArrayList<>();
            for (Node node : nodes) {
                if (random.nextInt(3) == 0) {
                    upstream.add(node);
                }
            }
            for (Node node : nodes) {
                if (!upstream.contains(node)
                        && random.nextInt(3) == 0
                        && upstream.stream().noneMatch(one -> isBehind(one, node))) {
                    before.add(node);
                }
            }
            room(); // the most that anybody may know of
            long expected = clears ? clearing.sequence().get() : before.isEmpty() ? slowest() : -1;
            long lowest = clears ? clearing.sequence().get() : Long.MAX_VALUE;
            for (Node node : before) {
                expected = Math.max(expected, node.progress());
                lowest = Math.min(lowest, node.progress());
            }
            Join<Object> join = pipeline.joinPoller("p" + ++names)
                    .after(consumers(upstream))
                    .before(consumers(before));
            boolean from = retained > 0 && random.nextBoolean();
            base = Math.max(base, from || lowest == Long.MAX_VALUE ? slowest() : lowest);
            if (from) {
                long oldest = Math.max(0, base - retained + 1);
                expected = oldest - 1 + random.nextInt((int) Math.min(retained, contiguous + 1 - oldest) + 1);
                join.from(expected + 1);
            }
            Node joined = new Node(join.poller(Rings.LONG), upstream, contiguous - window);
            check(joined.joinedFrom == expected + 1, "joined from %d instead of %d", joined.joinedFrom, expected + 1);
            before.forEach(node -> node.upstream.add(joined));
            nodes.add(joined);
            poll(joined);
        }

        private static boolean isBehind(Node node, Node other) {
            return node.upstream.stream().anyMatch(one -> one == other || isBehind(one, other));
        }

        private static ConsumerHandle[] consumers(List<Node> of) {
            return of.stream().map(node -> node.poller.consumer()).toArray(ConsumerHandle[]::new);
        }

        private void leave(Node node) {
            check(node.poller.consumer().remove(0) == Removal.LEFT, "it did not leave");
            checkPassed(node);
            nodes.remove(node);
            for (Node one : nodes) {
                if (one.upstream.remove(node)) {
                    node.upstream.stream()
                            .filter(up -> !one.upstream.contains(up))
                            .forEach(one.upstream::add);
                }
            }
        }

        private void checkPassed(Node node) {
            List<Long> live = new ArrayList<>();
            for (long i = node.joinedFrom; i <= node.progress(); i++) {
                if (status[(int) i] == Status.LIVE) {
                    live.add(i);
                }
            }
            check(node.passed.equals(live), "passed %s, live are %s", node.passed, live);
        }

        private void clear() {
            long slowest = Long.MAX_VALUE;
            for (Node node : nodes) {
                slowest = Math.min(slowest, node.progress());
            }
            slowest = Math.max(slowest, clearing.sequence().get()); // who joined further back finds all whole
            Rings.exhaust(clearing);
            check(
                    clearing.sequence().get() == slowest,
                    "cleared to %d instead of %d",
                    clearing.sequence().get(),
                    slowest);
        }

        // the end

        private void checkLeftover() {
            long unhandled = 0;
            long open = 0;
            for (long i = Math.max(0, slowest() + 1); i <= claimed; i++) {
                unhandled += status[(int) i] == Status.LIVE ? 1 : 0;
                open += status[(int) i] == Status.OPEN ? 1 : 0;
            }
            Ring.Leftover left = ring.leftover();
            check(
                    left.unhandled() == unhandled && left.openClaims() == open,
                    "%s instead of %d unhandled, %d open",
                    left,
                    unhandled,
                    open);
        }

        private void end() throws Exception {
            for (Node node : nodes) {
                node.poller.consumer().resume();
                node.paused = false;
            }
            for (Owner owner : owners) {
                owner.die();
            }
            while (contiguous < claimed) {
                recover();
            }
            boolean again = true;
            while (again) {
                again = false;
                for (Node node : nodes) {
                    long before = node.progress();
                    poll(node);
                    again |= node.progress() > before;
                }
            }
            if (clears) {
                clear();
            }
            checkLeftover();
            nodes.forEach(this::checkPassed);
            check(slowest() == claimed, "the end is at %d of %d", slowest(), claimed);
            long shed = 0;
            RingMonitor monitor = RingMonitor.of(ring);
            for (int i = 0; i < monitor.consumers(); i++) {
                shed += monitor.consumer(i).shed();
            }
            check(shed <= shedCount, "%d counted as shed, %d were", shed, shedCount);
            check(sheds || shedCount == 0, "shed without having been asked");
            ring.close();
        }

        @Override
        public void close() {
            for (Owner owner : all) {
                if (!owner.dead) {
                    owner.thread.interrupt();
                }
            }
        }
    }
}
