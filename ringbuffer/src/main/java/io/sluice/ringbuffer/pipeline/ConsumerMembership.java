package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.FollowedRing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * How consumers come and go while the ring runs, without a fence on the producers' path.
 *
 *   joiner                                 a gating consumer          a producer's refresh
 *   ask(HOLD)                         -->  between two batches:
 *                                          CAS HOLD | HELD, rests
 *   HELD seen (acquire); its progress g
 *   is fixed, and so is minimum <= g
 *   J := where to join
 *   gating list := with J (release)                                   list, sequences, list again (acquire each);
 *   withdraw(HOLD | HELD) (atomic)    -->  goes on (acquire)          from the start if the list has changed
 *                                          progress > g (release) --> whoever sees it sees the new list
 *
 * A limit computed from the old list was computed from a progress of at most g. So no limit is above g + capacity - retained
 * without knowing J, and J may be as low as g - retained. The lowest J is bounded by the highest g of any join, `base`, and
 * not by the present minimum only: producers' limits date from before somebody joined further back.
 *
 * A joiner that others are to follow holds them too, and joins at the furthest of them: what they handle from there on it has
 * handled before. Their new upstream is in the node before the hold ends; they rewire themselves.
 *
 * A leaver ends between two batches and unlinks itself, or is unlinked by whoever knows that no thread runs it. Its dependents
 * follow its upstream from then on. One that is linked and then cannot start is taken out as if it had not joined: its
 * dependents follow what they followed before.
 *
 * Who gates. The invariant, for each consumer c that is present:
 *
 *   c gates, or at least one consumer follows c, and each that follows c was declared to before the start.
 *
 * A declared follower starts with c and never passes it. So some gating consumer is at c or behind it, by induction along the
 * graph, and no producer claims a slot that c has yet to read. A follower that came later gives no such bound: it may join
 * ahead of c (`from`, `before`), or come from a leaver that it was ahead of. Each change keeps the invariant:
 *
 *   declaration   the new consumer gates. What it follows gates no more: it is followed by declared ones only.
 *   join          the newcomer gates, and so does each that it follows. Who follows the newcomer is new behind it, not behind
 *                 others.
 *   leave         each that the leaver followed gates, whoever else follows it. The leaver's dependents are new behind these.
 *   worker        a stage is one consumer here: its workers have one progress. Who joins or leaves a stage that stays changes
 *                 nothing.
 *
 * A consumer that gates does so until it leaves. The list has each progress at most once, so a producer's refresh reads as many
 * words as there are consumers at the most, and in a graph that never changed as many as there are leaves.
 *
 * No change lets the minimum of the list fall, but a join that goes further back, which `base` covers. A join only adds; a leave
 * puts others in the leaver's place, in one step, and one that did not gate before was not behind the leaver.
 *
 * Workers of one stage are several nodes with one progress. Who follows one of them follows all, in its list of upstream
 * nodes, and so does who is held: their progress rests only while all of them do. A worker joins without any hold: it follows
 * what its colleagues follow, is put into the lists of those who follow them, and only then takes its first event; the
 * progress that they see does not change hands. A worker that leaves is only taken out of the lists, unless it is the last one:
 * then everything taken is done, and the stage leaves as any consumer does.
 *
 * Not promised: that a join ends while a handler does not return (it has a time limit), or while nobody runs the gating
 * consumer.
 */
final class ConsumerMembership<E> {
    private static final long HOLD_PARK_NANOS = 20_000;

    private final Pipeline<E> pipeline;
    private final FollowedRing<E> ring;

    /** Held by a joiner while it waits, so a consumer's thread only ever tries. */
    private final ReentrantLock lock = new ReentrantLock();

    // under the lock
    private long base = -1;

    ConsumerMembership(Pipeline<E> pipeline, FollowedRing<E> ring) {
        this.pipeline = pipeline;
        this.ring = ring;
    }

    // joining

    /**
     * Puts a node into the graph.
     *
     * @param from its first sequence, -1 for now
     * @param idle what its thread will idle by, null if that is not signalled
     */
    void join(
            ConsumerNode<E> node,
            List<ConsumerNode<E>> followers,
            long from,
            @Nullable SignalledIdle idle,
            long timeoutNanos)
            throws TimeoutException {
        ring.followers().checkMayWait("join");
        long deadline = System.nanoTime() + Math.max(0, timeoutNanos);
        lock(deadline, "another join or leave");
        List<ConsumerNode<E>> held = new ArrayList<>();
        try {
            List<ConsumerNode<E>> before = withClearing(followers);
            node.follow(withColleagues(node.upstreamAcquire()));
            node.fixFinishedBefore();
            checkJoinable(node, before);
            checkFree(idle);
            held.addAll(withColleagues(before));
            ConsumerNode<E> gate = before.isEmpty() || from >= 0 ? slowestGate() : null;
            if (gate != null && !held.contains(gate)) {
                held.addAll(withColleagues(List.of(gate)));
            }
            hold(held, deadline);
            long known = (gate == null ? lowest(held) : gate.sequence.getAcquire()); // acquire: with its last progress
            base = Math.max(base, known);
            long joinAfter = before.isEmpty() ? known : highest(before);
            if (from >= 0) {
                long lowest = Math.max(0, base - retained() + 1);
                long highest = ring.cursor().get() + 1; // acquire inside: the slots up to there
                if (from < lowest || from > highest) {
                    throw new IllegalArgumentException("from must be from " + lowest + " to " + highest
                            + ", what the ring still holds and the next event, but was " + from);
                }
                joinAfter = from - 1;
            }
            node.startAfter(joinAfter);
            link(node, withColleagues(before), idle);
        } finally {
            held.forEach(one -> one.withdraw(ConsumerNode.HOLD | ConsumerNode.HELD));
            lock.unlock();
            ring.wakeAll();
        }
        checkStillGoing(node);
    }

    private void checkStillGoing(ConsumerNode<E> joined) {
        State state = ring.state(); // after the node is among the ring's: its end finds the node, or is found here
        if (state == State.CLOSED || state == State.FAILED) {
            unlinkNow(joined);
            joined.end();
            throw ended(state);
        }
    }

    private static IllegalStateException ended(State state) {
        return new IllegalStateException("the ring must be RUNNING or DRAINING for a join, but is " + state);
    }

    /** Whoever joins is followed by the consumer that clears events, too. */
    private List<ConsumerNode<E>> withClearing(List<ConsumerNode<E>> before) {
        ConsumerNode<E> clearing = pipeline.clearing();
        if (clearing == null || before.contains(clearing)) {
            return before;
        }
        List<ConsumerNode<E>> all = new ArrayList<>(before);
        all.add(clearing);
        return all;
    }

    /**
     * Puts a worker into a stage of workers. Nobody rests for it.
     *
     * @param idle what its thread will idle by, null if that is not signalled
     */
    void joinWorkers(ConsumerNode<E> node, ConsumerNode<E> colleague, @Nullable SignalledIdle idle, long timeoutNanos)
            throws TimeoutException {
        ring.followers().checkMayWait("join");
        lock(System.nanoTime() + Math.max(0, timeoutNanos), "another join or leave");
        try {
            checkMember(colleague);
            node.follow(colleague.upstreamAcquire());
            checkJoinable(node, List.of());
            checkFree(idle);
            node.startSharing(colleague);
            if (idle != null) {
                node.idlesBy(idle);
                ring.wakeWithAll(idle);
            }
            signal(node, node.upstreamAcquire());
            node.upstreamAcquire().forEach(one -> one.ask(ConsumerNode.REWIRE));
            node.dependedOn = colleague.dependedOn;
            for (ConsumerNode<E> one : pipeline.nodes()) {
                if (one.upstreamAcquire().contains(colleague)) {
                    List<ConsumerNode<E>> follows = new ArrayList<>(one.upstreamAcquire());
                    follows.add(node);
                    signal(one, List.of(node));
                    one.follow(List.copyOf(follows));
                    one.ask(ConsumerNode.REWIRE);
                }
            }
            pipeline.nodes().add(node);
            pipeline.members().add(node);
        } finally {
            lock.unlock();
            ring.wakeAll();
        }
        checkStillGoing(node);
    }

    /** The nodes, and all workers of the stages that they are of. */
    List<ConsumerNode<E>> withColleagues(List<ConsumerNode<E>> some) {
        Set<ConsumerNode<E>> all = new LinkedHashSet<>(some);
        for (ConsumerNode<E> one : some) {
            for (ConsumerNode<E> other : pipeline.nodes()) {
                if (other.isColleagueOf(one)) {
                    all.add(other);
                }
            }
        }
        return List.copyOf(all);
    }

    private int retained() {
        return ring.slots().length - ring.window();
    }

    private void checkJoinable(ConsumerNode<E> node, List<ConsumerNode<E>> before) {
        State state = ring.state();
        if (state == State.CLOSED || state == State.FAILED) {
            throw ended(state);
        }
        pipeline.checkNewcomer(node);
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        for (ConsumerNode<E> one : upstream) {
            checkMember(one);
            if (!Collections.disjoint(withUpstream(one), before)) {
                throw new IllegalArgumentException("after and before must make no cycle, but after " + one.name()
                        + " is, or follows, one that it is to be before");
            }
        }
        before.forEach(this::checkMember);
        for (ConsumerNode<E> one : before) {
            if (!one.finishedBefore().containsAll(node.finishedBefore())) {
                throw new IllegalArgumentException(
                        "before must name consumers that follow those that may finish events, as " + node.name()
                                + " does, but " + one.name() + " does not follow them all");
            }
        }
    }

    /** An idle strategy has one thread: its fields are that thread's, and it unparks no other. */
    private void checkFree(@Nullable SignalledIdle idle) {
        for (ConsumerNode<E> one : pipeline.nodes()) {
            if (idle != null && one.idle() == idle) {
                throw new IllegalArgumentException("each thread must have an idle strategy of its own, but " + idle
                        + " is that of the thread of consumer " + one.name() + " too");
            }
        }
    }

    private void checkMember(ConsumerNode<E> node) {
        if (!pipeline.nodes().contains(node)) {
            throw new IllegalArgumentException("consumer " + node.name() + " must be in the pipeline, but has left");
        }
    }

    /** A consumer and all that it follows, directly or through others. A walk over nodes, not over the ways to them. */
    private Set<ConsumerNode<E>> withUpstream(ConsumerNode<E> node) {
        Set<ConsumerNode<E>> met = new LinkedHashSet<>(List.of(node));
        Deque<ConsumerNode<E>> due = new ArrayDeque<>(met);
        while (!due.isEmpty()) {
            for (ConsumerNode<E> one : due.pop().upstreamAcquire()) {
                if (met.add(one)) {
                    due.push(one);
                }
            }
        }
        return met;
    }

    /** The gating consumer with the least progress; one that runs, if there is one. */
    private ConsumerNode<E> slowestGate() {
        ConsumerNode<E> slowest = null;
        for (ConsumerNode<E> node : pipeline.nodes()) {
            if (ring.gating().contains(node.sequence) && (slowest == null || isBetterGate(node, slowest))) {
                slowest = node;
            }
        }
        if (slowest == null) {
            throw new IllegalStateException(
                    "a consumer must gate the ring during a join, but no consumer gates it, so producers overwrite at any time");
        }
        return slowest;
    }

    private boolean isBetterGate(ConsumerNode<E> node, ConsumerNode<E> than) {
        if (node.isRun() != than.isRun()) {
            return node.isRun();
        }
        return node.sequence.getAcquire() < than.sequence.getAcquire(); // acquire: for a fair comparison
    }

    private void hold(List<ConsumerNode<E>> nodes, long deadline) throws TimeoutException {
        nodes.forEach(node -> node.ask(ConsumerNode.HOLD));
        ring.wakeAll();
        for (ConsumerNode<E> node : nodes) {
            while (!node.isHeld()) {
                if (node.isAtRest()) {
                    node.confirmHold();
                } else if (ring.state() == State.CLOSED) {
                    throw ended(State.CLOSED);
                } else if (deadline - System.nanoTime() <= 0
                        || Thread.currentThread().isInterrupted()) {
                    throw new TimeoutException("consumer " + node.name()
                            + (node.isRun() ? " did not finish its batch" : " is not run by any thread")
                            + " within the time: nothing has joined");
                } else {
                    LockSupport.parkNanos(this, HOLD_PARK_NANOS);
                }
            }
        }
    }

    private long lowest(List<ConsumerNode<E>> nodes) {
        long lowest = Long.MAX_VALUE;
        for (ConsumerNode<E> node : nodes) {
            lowest = Math.min(lowest, node.sequence.getAcquire()); // acquire: held, with its last progress
        }
        return lowest;
    }

    private long highest(List<ConsumerNode<E>> nodes) {
        long highest = -1;
        for (ConsumerNode<E> node : nodes) {
            highest = Math.max(highest, node.reached()); // held, with its last progress
        }
        return highest;
    }

    private void link(ConsumerNode<E> node, List<ConsumerNode<E>> before, @Nullable SignalledIdle idle) {
        Set<SequenceView> gates = new LinkedHashSet<>(List.of(node.sequence)); // workers share one
        if (idle != null) {
            node.idlesBy(idle);
            ring.wakeWithAll(idle);
        }
        signal(node, node.upstreamAcquire());
        for (ConsumerNode<E> one : node.upstreamAcquire()) {
            one.dependedOn = true;
            one.ask(ConsumerNode.REWIRE);
            if (!ring.gating().contains(one.sequence)) {
                gates.add(one.sequence);
            }
        }
        node.dependedOn = !before.isEmpty();
        for (ConsumerNode<E> one : before) {
            List<ConsumerNode<E>> behind = new ArrayList<>(one.upstreamAcquire());
            behind.add(node);
            signal(one, List.of(node));
            one.follow(List.copyOf(behind));
            one.ask(ConsumerNode.REWIRE);
            SignalledIdle waits = one.idle();
            if (behind.size() == 1 && waits != null) {
                unlessFollowed(
                        null,
                        waits,
                        ring.publicationSignals()); // it followed the publications; it rests now, and is woken
            }
        }
        pipeline.nodes().add(node);
        pipeline.members().add(node);
        ring.gating().replace(node.sequence, List.copyOf(gates)); // it was not there: only adds
    }

    /** Makes the publications, or the progress of its upstream, wake a consumer that can be signalled. */
    private void signal(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
        SignalledIdle idle = node.idle();
        SignalGroup publications = ring.publicationSignals();
        if (idle == null || publications == null) {
            return;
        }
        if (upstream.isEmpty()) {
            publications.add(idle);
        }
        for (ConsumerNode<E> one : upstream) {
            if (one.idle() != idle) { // consumers of one thread need no signal from each other
                if (one.downstream == null) {
                    one.downstream = publications.empty();
                }
                one.downstream.add(idle);
            }
        }
    }

    // leaving

    boolean remove(ConsumerNode<E> node, long timeoutNanos) {
        if (node.isInOwnHandler()) {
            node.ask(ConsumerNode.LEAVE);
            return false;
        }
        long deadline = System.nanoTime() + Math.max(0, timeoutNanos);
        node.ask(ConsumerNode.LEAVE);
        ring.wakeAll();
        while (!node.hasLeft()) {
            if (node.isAtRest() || node.isUntouched() || node.isEnded()) {
                // Nobody is in a batch: it is the caller's own, or its thread has died, or none has begun, or it was
                // halted.
                if (tryUnlink(node)) {
                    node.end();
                    wake(node);
                    return true;
                }
            }
            if (ring.state() == State.CLOSED) {
                awaitChanges(deadline);
                return node.hasLeft();
            }
            if (deadline - System.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                return node.hasLeft();
            }
            LockSupport.parkNanos(this, HOLD_PARK_NANOS);
        }
        return true;
    }

    /** A thread that begins meanwhile may have found the lock taken, and is woken with nobody else any more. */
    private void wake(ConsumerNode<E> left) {
        SignalledIdle idle = left.idle();
        if (idle != null) {
            idle.signal();
        }
    }

    /** A ring may be closed because a leaver gates it no more, while that one is still about to say that it has left. */
    private void awaitChanges(long deadline) {
        try {
            if (lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Between two batches of the node, by its thread or in its stead; false if the graph is changed by another. */
    boolean tryUnlink(ConsumerNode<E> node) {
        if (node.hasLeft()) {
            return true; // in its stead; its thread is woken by no change of the graph any more
        }
        if (!lock.tryLock()) {
            return false;
        }
        try {
            unlink(node, true);
        } finally {
            lock.unlock();
            ring.wakeAll();
        }
        return true;
    }

    /** Takes out one that never ran, as if it had not joined. */
    void unlinkNow(ConsumerNode<E> node) {
        lock.lock();
        try {
            unlink(node, false);
        } finally {
            lock.unlock();
            ring.wakeAll();
        }
    }

    /**
     * Takes a node out.
     *
     * @param ran whether those that follow it follow its upstream instead; if it never ran, they need not: they have what they
     *     followed before it joined
     */
    private void unlink(ConsumerNode<E> node, boolean ran) {
        if (!pipeline.nodes().remove(node)) {
            return;
        }
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        boolean stageStays = pipeline.nodes().stream().anyMatch(other -> other.isColleagueOf(node));
        for (ConsumerNode<E> one : pipeline.nodes()) {
            if (one.upstreamAcquire().contains(node)) {
                Set<ConsumerNode<E>> behind = new LinkedHashSet<>(one.upstreamAcquire());
                behind.remove(node);
                if (!stageStays && (ran || node.work != null)) { // a stage of workers has run, if this one has not
                    behind.addAll(upstream);
                }
                List<ConsumerNode<E>> follows = List.copyOf(behind);
                signal(one, follows);
                one.follow(follows);
                one.ask(ConsumerNode.REWIRE);
            }
        }
        if (!stageStays) {
            ungate(node, upstream);
        }
        pipeline.members().remove(node);
        disconnect(node, upstream);
        node.markLeft();
    }

    /** Takes the leaver out of the list, and puts in what it followed: who follows these now may be ahead of them. */
    private void ungate(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
        Set<SequenceView> gates = new LinkedHashSet<>(); // workers share one
        for (ConsumerNode<E> one : upstream) {
            one.dependedOn = pipeline.nodes().stream()
                    .anyMatch(other -> other.upstreamAcquire().contains(one));
            one.ask(ConsumerNode.REWIRE);
            if (!ring.gating().contains(one.sequence)) {
                gates.add(one.sequence);
            }
        }
        ring.gating().replace(node.sequence, List.copyOf(gates));
    }

    /** Takes the signals down that led to it and from it. Who followed it is woken by others by now. */
    private void disconnect(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
        SignalGroup woken = node.downstream;
        if (woken != null) {
            for (ConsumerNode<E> one : pipeline.nodes()) {
                SignalledIdle waits = one.idle();
                if (waits != null) {
                    woken.remove(waits); // else that one would keep the group, and raise it with each park
                }
            }
        }
        SignalledIdle idle = node.idle();
        if (idle == null) {
            return;
        }
        if (pipeline.nodes().stream().noneMatch(other -> other.idle() == idle)) {
            ring.wakeNoMore(idle);
        }
        if (upstream.isEmpty()) {
            unlessFollowed(null, idle, ring.publicationSignals());
        }
        for (ConsumerNode<E> one : upstream) {
            unlessFollowed(one, idle, one.downstream);
        }
    }

    /**
     * Takes an idle strategy out of a group, unless another consumer of its thread needs it there.
     *
     * @param followed whose progress the group announces, null for the publications
     */
    private void unlessFollowed(
            @Nullable ConsumerNode<E> followed, SignalledIdle idle, @Nullable SignalGroup announced) {
        if (announced != null
                && pipeline.nodes().stream().noneMatch(other -> other.idle() == idle && follows(other, followed))) {
            announced.remove(idle);
        }
    }

    private boolean follows(ConsumerNode<E> node, @Nullable ConsumerNode<E> followed) {
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        return followed == null ? upstream.isEmpty() : upstream.contains(followed);
    }

    private void lock(long deadline, String by) throws TimeoutException {
        boolean locked;
        try {
            locked = lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            locked = false;
        }
        if (!locked) {
            throw new TimeoutException(by + " has not ended within the time: nothing has joined");
        }
    }
}
