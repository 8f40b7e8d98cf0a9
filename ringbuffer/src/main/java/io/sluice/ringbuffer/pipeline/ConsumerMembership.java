package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.FollowedRing;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
 *                                          progress > g (release) --> a reader of it sees the new list
 *
 * A limit computed from the old list was computed from a progress of at most g. So a limit that does not know J is at most
 * g + capacity - retained, and J may be as low as g - retained. The lowest J is bounded by the highest g of any join, `base`, and
 * not by the present minimum only: a producer's limit may date from before another consumer joined further back.
 *
 * A joiner that others are to follow holds them too, and joins at the furthest of them: from there on it handles each event before
 * they do. Their new upstream is in their nodes before the hold ends; they rewire themselves.
 *
 * A leaver ends between two batches and unlinks itself. If no thread runs it, a thread that knows this unlinks it. Its dependents
 * follow its upstream from then on. A node that is linked and then cannot start is taken out as if it had not joined: the consumers
 * before which it has joined follow their former upstream again, and those that have joined behind it follow its upstream.
 *
 * The gating list has each consumer, from its declaration or join until it leaves. So no producer claims a slot that a present
 * consumer has yet to read, in any graph. A declared consumer is never ahead of its upstream, so the ends of the graph would do. But a
 * joiner may be ahead of its upstream: by `from`, by `before`, or by inheriting the upstream of a leaver that it was ahead of. The longer
 * list costs nothing that can be measured. It has each progress once: workers of a stage have one progress.
 *
 * Only a join that goes further back lets the minimum of the list fall, and `base` covers that. A join only adds, a leave only
 * removes.
 *
 * Workers of one stage are several nodes with one progress. A follower of one of them follows all, in its list of upstream
 * nodes. A hold of one of them holds all: their progress rests only while all of them do. A worker joins without any hold: it gets
 * the upstream of its colleagues, is put into the upstream lists of their followers, and only then takes its first event; the followers
 * go on with the same progress. A worker that leaves is only taken out of the lists, unless it is the last one: then everything taken
 * is done, and the stage leaves as any consumer does.
 *
 * Not promised: that a join ends while a handler does not return (it has a time limit), or while nobody runs the gating
 * consumer.
 */
final class ConsumerMembership<E> implements ConsumerNode.Owner<E> {
    /** Joins behind the slowest consumer that runs, or behind the furthest of those that are to follow. */
    static final long FROM_THE_SLOWEST = -1;

    /** Joins at the next publication. */
    static final long FROM_NOW = -2;

    private final FollowedRing<E> ring;
    private final PipelineSettings<E> settings;
    private final FailureReports reports;
    private final ConsumerRegistry<E> consumers;
    private final PipelineConsumers<E> followers;
    private final SignalWiring<E> signals;

    /** Held by a joiner while it waits, so a consumer's thread only ever tries. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Made beforehand, for a caller without memory. */
    private final Consumer<ConsumerNode<E>> leavesClosed = this::takeOutIfClosed;

    // under the lock
    private long base = -1;

    ConsumerMembership(
            FollowedRing<E> ring,
            PipelineSettings<E> settings,
            FailureReports reports,
            ConsumerRegistry<E> consumers,
            PipelineConsumers<E> followers,
            SignalWiring<E> signals) {
        this.ring = ring;
        this.settings = settings;
        this.reports = reports;
        this.consumers = consumers;
        this.followers = followers;
        this.signals = signals;
    }

    // the pipeline, as its consumers know it

    @Override
    public boolean hasStarted() {
        return settings.hasStarted();
    }

    @Override
    public FailurePolicy<? super E> policy() {
        return settings.policy;
    }

    @Override
    public void forEachConsumer(Consumer<ConsumerNode<E>> reader) {
        consumers.all().forEach(reader); // no iterator: allocates nothing
    }

    @Override
    public boolean report(ConsumerFailedException failure) {
        return reports.failed(failure);
    }

    // joining

    /**
     * Puts a node into the graph.
     *
     * @param from its first sequence, or {@link #FROM_THE_SLOWEST} or {@link #FROM_NOW}
     * @param idle the idle strategy of its thread, null if that is not signalled
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
        HeldConsumers<E> held = new HeldConsumers<>(ring);
        lock(node, timeoutNanos);
        try {
            forgetRefused();
            List<ConsumerNode<E>> before = withClearing(followers);
            List<ConsumerNode<E>> after = consumers.withColleagues(node.upstreamAcquire());
            node.follow(after, after);
            node.fixFinishedBefore();
            checkJoinable(node, before);
            consumers.checkIdleFree(idle);
            held.add(consumers.withColleagues(before));
            ConsumerNode<E> gate = before.isEmpty() || from != FROM_THE_SLOWEST ? consumers.slowest() : null;
            if (gate != null) {
                held.add(consumers.withColleagues(List.of(gate)));
            }
            held.hold(deadline, timeoutNanos);
            long known = (gate == null ? held.lowest() : gate.sequence.getAcquire()); // acquire: with its last progress
            base = Math.max(base, known);
            long joinAfter = before.isEmpty() ? known : HeldConsumers.furthest(before);
            if (from == FROM_NOW) {
                joinAfter = ring.cursor().get(); // acquire inside: the slots up to there
            } else if (from >= 0) {
                long lowest = Math.max(0, base + ring.window() - ring.capacity() + 1);
                long highest = ring.cursor().get() + 1; // acquire inside: the slots up to there
                if (from < lowest || from > highest) {
                    throw new IllegalArgumentException("join point must be from " + lowest + " to " + highest
                            + " (what the ring still holds, and the next event), but was " + from);
                }
                joinAfter = from - 1;
            }
            node.startAfter(joinAfter);
            link(node, consumers.withColleagues(before), idle);
        } catch (Throwable t) {
            refuse(node);
            throw t;
        } finally {
            held.release();
            lock.unlock();
            wakeBehind(node);
        }
        checkStillGoing(node);
    }

    private void checkStillGoing(ConsumerNode<E> joined) {
        State state = ring.state(); // after the node is among the ring's: its end finds the node, or is found here
        if (state == State.CLOSED || state == State.FAILED) {
            unlinkNow(joined);
            joined.end();
            throw HeldConsumers.ended(state);
        }
    }

    /** Adds the consumer that clears events: it follows each joiner too. */
    private List<ConsumerNode<E>> withClearing(List<ConsumerNode<E>> before) {
        ConsumerNode<E> clearing = consumers.clearing();
        if (clearing == null || before.contains(clearing)) {
            return before;
        }
        List<ConsumerNode<E>> all = new ArrayList<>(before);
        all.add(clearing);
        return all;
    }

    /**
     * Puts a worker into a stage of workers. No consumer rests for it.
     *
     * @param idle the idle strategy of its thread, null if that is not signalled
     */
    void joinWorkers(ConsumerNode<E> node, ConsumerNode<E> colleague, @Nullable SignalledIdle idle, long timeoutNanos)
            throws TimeoutException {
        ring.followers().checkMayWait("join");
        lock(node, timeoutNanos);
        try {
            forgetRefused();
            checkMember(colleague);
            node.follow(colleague.upstreamAcquire(), colleague.ownUpstream);
            checkJoinable(node, List.of());
            consumers.checkIdleFree(idle);
            node.startSharing(colleague);
            enter(node, idle);
            signals.connect(node, node.upstreamAcquire());
            node.upstreamAcquire().forEach(one -> one.ask(ConsumerNode.REWIRE));
            node.dependedOn = colleague.dependedOn;
            ConsumerRegistry.NewUpstreams<E> news = new ConsumerRegistry.NewUpstreams<>();
            for (ConsumerNode<E> one : consumers.all()) {
                if (one.upstreamAcquire().contains(colleague)) {
                    signals.connect(one, List.of(node));
                    news.add(one, node, false); // a stage of workers has run, if this one has not
                }
            }
            news.tell();
        } catch (Throwable t) {
            refuse(node);
            throw t;
        } finally {
            lock.unlock();
            wakeBehind(node);
        }
        checkStillGoing(node);
    }

    /** Wakes all after a join. If that is cut off, the caller gets no node that it could start: the join has failed. */
    private void wakeBehind(ConsumerNode<E> joined) {
        try {
            takeOutClosed();
            ring.wakeAll();
        } catch (Throwable t) {
            refuse(joined);
            throw t;
        }
    }

    /** Puts a joiner into the lists. So far only a walk over all consumers finds it. */
    private void enter(ConsumerNode<E> node, @Nullable SignalledIdle idle) {
        consumers.add(node);
        followers.add(node);
        if (idle != null) {
            node.idlesBy(idle);
            ring.wakeWithAll(idle);
        }
    }

    /** A join has failed, before any thread ran the node. Without memory to take the node out it only ends, and is taken out later. */
    private void refuse(ConsumerNode<E> node) {
        try {
            unlinkNow(node);
        } finally { // its wake-up may be cut off
            node.markLeft();
            node.markEnded();
        }
    }

    /** Takes out nodes that could not be taken out before, for lack of memory: no other node that has left is present. */
    private void forgetRefused() {
        for (ConsumerNode<E> one : consumers.all()) {
            if (one.hasLeft()) {
                unlink(one, false);
            }
        }
    }

    @Override
    public void takeOutRefused(ConsumerNode<E> left) {
        // A leaver is taken out before it has left, so one that has left and is still here was refused.
        // For a leaver this must not take the lock: the next one that leaves would find it taken, and stay.
        if (consumers.all().contains(left) && lock.tryLock()) {
            try {
                forgetRefused();
            } catch (Throwable t) {
                // still no memory: the next call does it
            } finally {
                lock.unlock();
                ring.wakeAll();
                takeOutClosed();
            }
        }
    }

    private void checkJoinable(ConsumerNode<E> node, List<ConsumerNode<E>> before) {
        State state = ring.state();
        if (state == State.CLOSED || state == State.FAILED) {
            throw HeldConsumers.ended(state);
        }
        node.rename(consumers.nameFor(node.settings));
        consumers.checkNameFree(node.name());
        consumers.checkHandlerNew(node);
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        for (ConsumerNode<E> one : upstream) {
            checkMember(one);
            if (!Collections.disjoint(ConsumerRegistry.withUpstream(one), before)) {
                throw new IllegalArgumentException("after and before must make no cycle, but " + one.name()
                        + (before.contains(one) ? " is named by both" : " follows a consumer that before(...) names"));
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

    void checkMember(ConsumerNode<E> node) {
        if (!consumers.all().contains(node)) {
            throw new IllegalArgumentException("consumer " + node.name() + " must be in the pipeline, but has left");
        }
    }

    private void link(ConsumerNode<E> node, List<ConsumerNode<E>> before, @Nullable SignalledIdle idle) {
        enter(node, idle);
        signals.connect(node, node.upstreamAcquire());
        for (ConsumerNode<E> one : node.upstreamAcquire()) {
            one.dependedOn = true;
            one.ask(ConsumerNode.REWIRE);
        }
        node.dependedOn = !before.isEmpty();
        ConsumerRegistry.NewUpstreams<E> news = new ConsumerRegistry.NewUpstreams<>();
        for (ConsumerNode<E> one : before) {
            signals.connect(one, List.of(node));
            news.add(one, node, true);
        }
        ring.gating().add(node.sequence); // the last that takes memory
        news.tell();
        signals.followNoPublications(before);
    }

    // leaving

    @Override
    public Removal remove(ConsumerNode<E> node, long timeoutNanos) {
        if (node.isInOwnHandler()) {
            node.ask(ConsumerNode.LEAVE);
            return node.hasLeft() ? Removal.LEFT : ring.state() == State.CLOSED ? Removal.NEVER : Removal.LATER;
        }
        long deadline = System.nanoTime() + Math.max(0, timeoutNanos);
        node.ask(ConsumerNode.LEAVE);
        ring.wakeAll();
        while (!node.hasLeft()) {
            if (node.isAtRest() || node.isUntouched() || node.isEnded()) {
                // No thread is in a batch: the processor is the caller's own, or its thread has died,
                // or it has not begun, or it was halted.
                if (tryUnlink(node)) {
                    node.end();
                    wake(node);
                    return Removal.LEFT;
                }
            }
            if (ring.state() == State.CLOSED) {
                awaitChanges(deadline);
                return node.hasLeft() ? Removal.LEFT : Removal.NEVER;
            }
            if (deadline - System.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                return node.hasLeft() ? Removal.LEFT : Removal.LATER;
            }
            ring.settleWakeUps();
            LockSupport.parkNanos(this, HeldConsumers.PARK_NANOS);
        }
        return Removal.LEFT;
    }

    /** Wakes the leaver's thread: it may have begun meanwhile and found the lock taken, and no other wake-up reaches it any more. */
    private void wake(ConsumerNode<E> left) {
        SignalledIdle idle = left.idle();
        if (idle != null) {
            idle.signal();
        }
    }

    /** Waits for a change under way. A ring may be closed because a leaver gates it no more, before the leaver is marked as left. */
    private void awaitChanges(long deadline) {
        try {
            if (lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean tryUnlink(ConsumerNode<E> node) {
        if (node.hasLeft()) {
            consumers.forgetClosed(); // if this was its last call
            return true; // on its behalf; its thread is woken by no change of the graph any more
        }
        if (!lock.tryLock()) {
            return false;
        }
        try {
            unlink(node, true);
        } finally {
            lock.unlock();
            ring.wakeAll();
            takeOutClosed();
        }
        return true;
    }

    /** Takes out a node that never ran, as if it had not joined; to be followed by its end. Without memory it is taken out later. */
    void unlinkNow(ConsumerNode<E> node) {
        lock.lock();
        try {
            unlink(node, false);
        } catch (Throwable t) { // who has called this tells why
            node.markLeft();
        } finally {
            lock.unlock();
            ring.wakeAll();
            takeOutClosed();
        }
    }

    /**
     * Takes a node out.
     *
     * @param ran whether all its followers get its upstream instead; if it never ran, followers that have it only because it has
     *     joined before them need not: they have their former upstream
     */
    private void unlink(ConsumerNode<E> node, boolean ran) {
        if (!consumers.all().contains(node)) {
            return;
        }
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        boolean stageStays = consumers.all().stream().anyMatch(other -> other != node && other.isColleagueOf(node));
        ConsumerRegistry.NewUpstreams<E> news = new ConsumerRegistry.NewUpstreams<>();
        for (ConsumerNode<E> one : consumers.all()) {
            if (one.upstreamAcquire().contains(node)) {
                boolean inherits = !stageStays && (ran || one.ownUpstream.contains(node));
                signals.connect(one, news.remove(one, node, inherits));
            }
        }
        news.tell();
        if (!stageStays) {
            ungate(node, upstream);
        }
        consumers.leaves(node);
        followers.remove(node);
        consumers.remove(node); // the last for which it would be tried again, if there was no memory
        try {
            signals.disconnect(node, upstream);
        } finally {
            node.markLeft();
        }
    }

    /** Ends the gating by a leaver. It may have been the last follower of some consumers. */
    private void ungate(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
        for (ConsumerNode<E> one : upstream) {
            one.dependedOn = consumers.all().stream()
                    .anyMatch(other -> other != node && other.upstreamAcquire().contains(one));
            one.ask(ConsumerNode.REWIRE);
        }
        ring.gating().remove(node.sequence);
    }

    /** Takes the lock for a joiner, once no other consumer may call its handler. */
    private void lock(ConsumerNode<E> joining, long limitNanos) throws TimeoutException {
        long deadline = System.nanoTime() + Math.max(0, limitNanos);
        consumers.awaitHandler(joining, deadline, limitNanos);
        boolean locked;
        try {
            locked = lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            locked = false;
        }
        if (!locked) {
            throw HeldConsumers.timedOut("another join or leave has not ended", limitNanos);
        }
    }

    /** Takes out nodes that were to leave when their loops were closed, and found another change under way. After each change. */
    private void takeOutClosed() {
        VarHandle.fullFence(); // full: the lock | who is closed, what is asked; pairs with markClosed
        consumers.all().forEach(leavesClosed); // no iterator: allocates nothing
    }

    private void takeOutIfClosed(ConsumerNode<E> node) {
        if (node.isLeftBehind() && ring.state() != State.CLOSED && tryUnlink(node)) { // else the lock's owner does it
            node.end(); // nobody else ends one whose thread has died
        }
    }
}
