package io.sluice.ringbuffer.pipeline;

import io.sluice.core.Runner;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;

/** Starts a pipeline's consumers, on threads or without, and waits for the threads' end. */
final class PipelineThreads<E> {
    /** How often a thread that waits for the ends looks whether a signal is owed. */
    private static final long LOOK_NANOS = 20_000_000;

    private final FollowedRing<E> ring;
    private final PipelineSettings<E> settings;
    private final FailureReports reports;
    private final ConsumerRegistry<E> consumers;
    private final SignalWiring<E> signals;

    // Under the lock of this. Under it threads are started, but no other code of the user is at work.
    // Else whoever closes, drains or awaits would wait for that, whatever the limit.
    private List<Thread> threads = List.of();

    PipelineThreads(
            FollowedRing<E> ring,
            PipelineSettings<E> settings,
            FailureReports reports,
            ConsumerRegistry<E> consumers,
            SignalWiring<E> signals) {
        this.ring = ring;
        this.settings = settings;
        this.reports = reports;
        this.consumers = consumers;
        this.signals = signals;
    }

    // the start

    void start() {
        begin();
        try {
            startThreads();
        } finally {
            endStart();
        }
    }

    private void startThreads() {
        checkGraph();
        Map<String, List<ConsumerNode<E>>> groups = new LinkedHashMap<>();
        for (ConsumerNode<E> node : consumers.all()) {
            if (node.kind != ConsumerKind.POLLER) {
                groups.computeIfAbsent(settings.threadOf(node), name -> new ArrayList<>())
                        .add(node);
            }
        }
        for (String thread : settings.idles.keySet()) {
            if (!groups.containsKey(thread)) {
                throw new IllegalArgumentException("thread must be one of " + groups.keySet()
                        + ", but an idle strategy is set for thread " + thread);
            }
        }
        Map<ConsumerNode<E>, String> threadOf = new LinkedHashMap<>();
        Map<String, IdleStrategy> idleOf = new LinkedHashMap<>();
        groups.forEach((thread, members) -> {
            members.forEach(node -> threadOf.put(node, thread));
            Supplier<? extends IdleStrategy> own = settings.idles.get(thread);
            IdleStrategy idle =
                    Check.notNull((own == null ? ring.consumersIdle() : own).get(), "idle strategy of " + thread);
            idleOf.forEach((other, taken) -> {
                if (taken == idle && idle instanceof SignalledIdle) {
                    throw new IllegalArgumentException(
                            "each thread must have an idle strategy of its own, but the one of thread " + thread + ", "
                                    + idle + ", is that of thread " + other + " too");
                }
            });
            idleOf.put(thread, idle);
        });
        signals.connectAll(threadOf, idleOf);
        List<Thread> made = new ArrayList<>();
        groups.forEach((thread, members) ->
                made.add(makeThread(thread, Check.notNull(idleOf.get(thread), thread), loops(members))));
        synchronized (this) {
            checkRing(); // it may have ended meanwhile
            settings.markStarted();
            threads = made;
            Iterator<List<ConsumerNode<E>>> members = groups.values().iterator();
            for (Thread thread : made) {
                try {
                    thread.start();
                    members.next().forEach(node -> node.threaded = true);
                } catch (Throwable t) {
                    // Its consumers will never run: publishers, and whoever awaits them, must not wait in silence.
                    ring.fail(t);
                    throw t;
                }
            }
        }
    }

    /** Starts without threads. */
    List<AbstractLoop<E>> startLoops() {
        begin();
        try {
            checkGraph();
            List<AbstractLoop<E>> loops = loops(consumers.all().stream()
                    .filter(node -> node.kind != ConsumerKind.POLLER)
                    .toList());
            synchronized (this) {
                checkRing(); // it may have ended meanwhile
                settings.markStarted();
            }
            return loops;
        } finally {
            endStart();
        }
    }

    private synchronized void begin() {
        checkRing();
        if (settings.isBegun()) {
            throw new IllegalStateException("start() must be called once, but the pipeline " + settings.progress());
        }
        settings.starting(true);
    }

    private synchronized void endStart() {
        settings.starting(false);
    }

    private void checkRing() {
        State state = ring.state();
        if (state == State.CLOSED || state == State.FAILED) {
            throw new IllegalStateException("the ring must be RUNNING or DRAINING for start(), but is " + state);
        }
    }

    private void checkGraph() {
        ConsumerNode<E> clearing = consumers.clearing();
        if (consumers.all().size() == (clearing == null ? 0 : 1)) {
            throw new IllegalStateException(
                    "a pipeline must have 1 consumer or more before start(), but has no consumers");
        }
        consumers.all().forEach(ConsumerNode::checkPolicy);
        if (clearing != null) {
            followLeaves(clearing);
        }
        consumers.all().forEach(ConsumerNode::fixFinishedBefore);
    }

    /** Only now are all consumers declared. */
    private void followLeaves(ConsumerNode<E> node) {
        List<ConsumerNode<E>> leaves = new ArrayList<>(consumers.all());
        leaves.remove(node);
        for (ConsumerNode<E> one : consumers.all()) {
            if (one != node) {
                leaves.removeAll(one.upstreamAcquire());
            }
        }
        List<ConsumerNode<E>> behind = List.copyOf(leaves);
        node.follow(behind, behind);
        for (ConsumerNode<E> leaf : leaves) {
            leaf.dependedOn = true;
        }
    }

    /** Declares while no start begins: the start has all of a stage, or the stage is refused. */
    synchronized <T> T declare(Supplier<T> declaration) {
        return declaration.get();
    }

    synchronized void checkDeclarable() {
        if (settings.isBegun()) {
            throw new IllegalStateException(
                    "a consumer must be declared before the start, but the pipeline " + settings.progress());
        }
    }

    synchronized void checkStarted(String what) {
        if (!settings.hasStarted()) {
            throw new IllegalStateException(what + " must be called after the start, but the pipeline "
                    + (settings.isBegun() ? "is being started" : "has not started: declare the consumer instead"));
        }
    }

    void startJoined(ConsumerNode<E> node, IdleStrategy idle) {
        Thread thread = makeThread(node.name(), idle, loops(List.of(node)));
        synchronized (this) {
            State state = ring.state(); // close() looks for threads after it has set the state, under this lock
            if (state == State.CLOSED || state == State.FAILED) { // one that has failed stays so through close()
                throw HeldConsumers.ended(state);
            }
            List<Thread> alive = new ArrayList<>(threads);
            alive.removeIf(one -> one.getState() == Thread.State.TERMINATED);
            alive.add(thread);
            thread.start();
            node.threaded = true;
            threads = alive;
        }
    }

    /** The loop of a consumer that somebody else runs. */
    AbstractLoop<E> loop(ConsumerNode<E> node) {
        return loops(List.of(node)).get(0);
    }

    @SuppressWarnings("unchecked") // handlers were declared for events of this type
    private List<AbstractLoop<E>> loops(List<ConsumerNode<E>> members) {
        List<AbstractLoop<E>> loops = new ArrayList<>();
        for (ConsumerNode<E> node : members) {
            loops.add(
                    switch (node.kind) {
                        case EVENTS, WORKER, PARTITION ->
                            LoopSpecializer.eventLoop(node, (EventHandler<? super E>) node.handler);
                        case BATCHES -> new BatchLoop<>(node, (BatchHandler<E>) node.handler);
                        case CLEARER -> LoopSpecializer.clearingLoop(node, (EventClearer<? super E>) node.handler);
                        case POLLER -> throw new IllegalStateException("a loop for poller " + node.name());
                    });
        }
        return loops;
    }

    private Thread makeThread(String name, IdleStrategy idle, List<AbstractLoop<E>> loops) {
        Runner runner = new Runner(name, idle, cause -> failThread(name, cause), loops, settings.pollBackOff);
        Consumer<String> first = settings.threadStart;
        Thread thread = settings.factory.newThread(() -> {
            try {
                first.accept(name);
            } catch (Throwable t) {
                failThread(name, t);
            }
            try {
                runner.run();
            } catch (Throwable t) {
                // by its idle strategy: it has failed the ring, before the consumers ended, and was reported
            }
        });
        if (thread == null) {
            throw new IllegalArgumentException("thread factory must give a new thread, but gave null for " + name);
        }
        if (settings.namesThreads) {
            thread.setName("sluice-" + name);
        }
        if (VirtualThreads.isVirtual(thread) && Runner.spins(idle)) {
            throw new IllegalArgumentException("idle strategy of virtual thread " + name + " must park, but "
                    + idle.alias() + " spins: take a parking one, or a platform thread");
        }
        return thread;
    }

    /** What the handlers throw goes elsewhere: this is by the hook of the thread, or by its idle strategy. */
    private void failThread(String name, Throwable cause) {
        ring.fail(cause);
        reports.failed(new IllegalStateException("ring " + ring.name() + ": thread " + name + " failed", cause));
    }

    // the end

    /** A thread of this pipeline, whatever it is running, can not wait for its own consumers. */
    void checkNotOwnThread(String call) {
        List<Thread> own;
        synchronized (this) {
            own = threads;
        }
        if (own.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    call + " must be called on a thread that runs no consumer of this ring, but was called on "
                            + Thread.currentThread() + ", which does and would wait for itself: use any other thread");
        }
    }

    /**
     * Waits for the threads of a ring that has ended.
     *
     * @param limitNanos how long, 0 or more
     * @return those that are still inside a handler
     */
    List<String> awaitEnd(long limitNanos) {
        List<Thread> waitFor;
        synchronized (this) {
            if (!settings.hasStarted()) {
                settings.markStarted(); // a pipeline of a closed ring never starts
                consumers.all().forEach(ConsumerNode::end);
                return List.of();
            }
            consumers.all().stream()
                    .filter(node -> node.kind == ConsumerKind.POLLER)
                    .forEach(ConsumerNode::end); // whether or not somebody still polls
            waitFor = threads;
        }
        long started = System.nanoTime();
        boolean interrupted = false;
        for (Thread thread : waitFor) {
            long left;
            while (thread.isAlive() && (left = limitNanos - (System.nanoTime() - started)) > 0) {
                ring.settleWakeUps();
                try {
                    TimeUnit.NANOSECONDS.timedJoin(thread, Math.min(left, LOOK_NANOS));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return waitFor.stream()
                .filter(Thread::isAlive)
                .map(thread -> thread.getName() + " (" + thread.getState() + ")")
                .toList();
    }

    /** Of a ring that has ended: whether every consumer has ended too, is paused, or is run by no thread. */
    synchronized boolean noConsumerRuns() {
        for (ConsumerNode<E> node : consumers.all()) {
            Thread runner = node.runner();
            boolean isRun = runner == null ? node.threaded : runner.isAlive();
            if (isRun && !node.isEnded() && !node.isPaused()) {
                return false;
            }
        }
        return true;
    }
}
