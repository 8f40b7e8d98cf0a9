package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalledIdle;
import io.sluice.core.check.Check;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The consumers present in a pipeline, by name and by handler. Changed by the building thread, then under the lock of the membership. */
final class ConsumerRegistry<E> {
    private final List<ConsumerNode<E>> present = new CopyOnWriteArrayList<>();
    private @Nullable ConsumerNode<E> clearing;

    /** Consumers that left before their loops were closed: these may still call the handlers, unless nobody holds them. Any thread. */
    private final List<WeakReference<ConsumerNode<E>>> leavers = new CopyOnWriteArrayList<>();

    /** Made beforehand, for a caller without memory. */
    private final Predicate<WeakReference<ConsumerNode<E>>> isOver = ConsumerRegistry::isOver;

    /** All that are present, as they are at any time. */
    List<ConsumerNode<E>> all() {
        return present;
    }

    void add(ConsumerNode<E> node) {
        present.add(node);
        if (node.kind == ConsumerKind.CLEARER) {
            clearing = node;
        }
    }

    /** Whether it was there. */
    boolean remove(ConsumerNode<E> node) {
        return present.remove(node);
    }

    /** The consumer that clears events, null if there is none or it has left. */
    @Nullable
    ConsumerNode<E> clearing() {
        return clearing != null && present.contains(clearing) ? clearing : null;
    }

    // by progress

    /** The consumer with the least progress; one that runs, if there is one. */
    ConsumerNode<E> slowest() {
        ConsumerNode<E> slowest = null;
        for (ConsumerNode<E> node : present) {
            if (slowest == null || isBetterGate(node, slowest)) {
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

    /** An idle strategy has one thread: its fields are that thread's, and it unparks no other. */
    void checkIdleFree(@Nullable SignalledIdle idle) {
        for (ConsumerNode<E> one : all()) {
            if (idle != null && one.idle() == idle) {
                throw new IllegalArgumentException("each thread must have an idle strategy of its own, but " + idle
                        + " is that of the thread of consumer " + one.name() + " too");
            }
        }
    }

    // by handler

    @Nullable
    ConsumerNode<E> find(Object handler) {
        for (ConsumerNode<E> node : present) {
            if (node.handler == handler) {
                return node;
            }
        }
        return null;
    }

    /** The consumer of a handler that has to be there. */
    ConsumerNode<E> of(Object handler) {
        ConsumerNode<E> found = find(handler);
        if (found == null) {
            throw new IllegalArgumentException("handler must be one of the " + present.size()
                    + " declared before, but this " + handler.getClass().getName() + " is not in the pipeline");
        }
        return found;
    }

    void checkHandlerNew(ConsumerNode<E> node) {
        if (find(node.handler) != null) {
            throw new IllegalArgumentException("handler of " + node.name() + " must be declared once, but this handler "
                    + node.handler.getClass().getName() + " is in the pipeline already");
        }
        ConsumerNode<E> former = leaverOf(node.handler);
        if (former != null) {
            throw new IllegalStateException("handler of " + node.name() + " must be free, but consumer " + former.name()
                    + " has just left and is not closed yet: join again");
        }
    }

    /** Called before a consumer leaves. One that no thread runs never calls its handler. */
    void leaves(ConsumerNode<E> node) {
        if (node.isRun() && node.kind != ConsumerKind.POLLER) {
            leavers.add(new WeakReference<>(node));
        }
        forgetClosed(); // behind the addition: it may have been closed before
    }

    /** Frees the handlers of leavers that are closed, or whose threads have died. */
    void forgetClosed() {
        leavers.removeIf(isOver);
    }

    private static <E> boolean isOver(WeakReference<ConsumerNode<E>> leaver) {
        ConsumerNode<E> node = leaver.get();
        Thread runner = node == null ? null : node.runner();
        return node == null || node.isClosed() || (runner != null && !runner.isAlive());
    }

    /** Waits until no consumer that has left may call the joiner's handler. */
    void awaitHandler(ConsumerNode<E> joining, long deadline, long limitNanos) throws TimeoutException {
        ConsumerNode<E> former;
        while ((former = leaverOf(joining.handler)) != null) {
            checkClosedByAnother(joining, former);
            if (deadline - System.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                throw HeldConsumers.timedOut(
                        "consumer " + former.name()
                                + ", which has left and has the same handler, was not closed behind its onShutdown",
                        limitNanos);
            }
            LockSupport.parkNanos(this, HeldConsumers.PARK_NANOS);
        }
    }

    private static void checkClosedByAnother(ConsumerNode<?> joining, ConsumerNode<?> former) {
        if (former.isRunBy(Thread.currentThread())) {
            throw new IllegalStateException("handler of " + joining.name()
                    + " must be shut down before it joins again, but this thread has not closed the processor of consumer "
                    + former.name() + ", which has left: call its onClose first, or doWork of the agent that runs all");
        }
    }

    private @Nullable ConsumerNode<E> leaverOf(Object handler) {
        forgetClosed();
        for (WeakReference<ConsumerNode<E>> one : leavers) {
            ConsumerNode<E> node = one.get();
            if (node != null && node.handler == handler) {
                return node;
            }
        }
        return null;
    }

    // by handle

    /** The consumers of these handles, which must be of the pipeline that has this owner. */
    @SuppressWarnings("unchecked") // the pipeline's own nodes are for its type of events
    static <E> List<ConsumerNode<E>> ownNodes(ConsumerNode.Owner<E> owner, ConsumerHandle... consumers) {
        List<ConsumerNode<E>> found = new ArrayList<>();
        for (int i = 0; i < Check.notNull(consumers, "consumers").length; i++) {
            ConsumerHandle consumer = Check.notNull(consumers[i], "consumers[" + i + "]");
            if (!(consumer instanceof ConsumerNode<?> node) || node.owner != owner) {
                throw new IllegalArgumentException("consumers must be of this pipeline, but consumer " + consumer.name()
                        + " is of another pipeline");
            }
            found.add((ConsumerNode<E>) node);
        }
        return found;
    }

    // by name

    /** The given name, or one after the handler's class, or {@code consumer-N}. */
    String nameFor(NewConsumer<E> consumer) {
        if (consumer.name != null) {
            return consumer.name;
        }
        Class<?> type = consumer.handler.getClass();
        String simple = type.isHidden() || type.isAnonymousClass() ? "" : type.getSimpleName();
        if (!simple.isEmpty() && !nameTaken(simple)) {
            return simple;
        }
        int number = present.size() + 1;
        while (nameTaken("consumer-" + number)) {
            number++;
        }
        return "consumer-" + number;
    }

    void checkNameFree(String name) {
        if (nameTaken(name)) {
            throw new IllegalArgumentException("name must be unused, but another consumer has the name " + name);
        }
    }

    private boolean nameTaken(String name) {
        return present.stream().anyMatch(node -> node.name().equals(name));
    }

    // by place in the graph

    /** A consumer and all that it follows, directly or through others. Walks over the nodes, not over the paths to them. */
    static <E> Set<ConsumerNode<E>> withUpstream(ConsumerNode<E> node) {
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

    /** The nodes, and all workers of the stages that they are of. */
    List<ConsumerNode<E>> withColleagues(List<ConsumerNode<E>> some) {
        Set<ConsumerNode<E>> all = new LinkedHashSet<>(some);
        for (ConsumerNode<E> one : some) {
            for (ConsumerNode<E> other : present) {
                if (other.isColleagueOf(one)) {
                    all.add(other);
                }
            }
        }
        return List.copyOf(all);
    }

    /** New upstreams of some consumers. Noted first, which takes memory, and then told, which takes none: so all are told, or none. */
    static final class NewUpstreams<E> {
        private final List<ConsumerNode<E>> nodes = new ArrayList<>();
        private final List<List<ConsumerNode<E>>> upstreams = new ArrayList<>();
        private final List<List<ConsumerNode<E>>> ownUpstreams = new ArrayList<>();

        /**
         * Notes that a consumer is to follow one more.
         *
         * @param only whether for the one reason that the other has joined before it
         */
        void add(ConsumerNode<E> node, ConsumerNode<E> more, boolean only) {
            note(node, List.of(), List.of(more), only ? List.of() : List.of(more));
        }

        /**
         * Notes that a consumer is to follow one less.
         *
         * @param inherits whether it is to get the upstream of that one instead, with the reasons that that one has
         * @return its new upstream
         */
        List<ConsumerNode<E>> remove(ConsumerNode<E> node, ConsumerNode<E> less, boolean inherits) {
            return inherits
                    ? note(node, List.of(less), less.upstreamAcquire(), less.ownUpstream)
                    : note(node, List.of(less), List.of(), List.of());
        }

        private List<ConsumerNode<E>> note(
                ConsumerNode<E> node,
                List<ConsumerNode<E>> less,
                List<ConsumerNode<E>> more,
                List<ConsumerNode<E>> moreOfItsOwn) {
            List<ConsumerNode<E>> upstream = changed(node.upstreamAcquire(), less, more);
            nodes.add(node);
            upstreams.add(upstream);
            ownUpstreams.add(changed(node.ownUpstream, less, moreOfItsOwn));
            return upstream;
        }

        private static <E> List<ConsumerNode<E>> changed(
                List<ConsumerNode<E>> some, List<ConsumerNode<E>> less, List<ConsumerNode<E>> more) {
            Set<ConsumerNode<E>> changed = new LinkedHashSet<>(some);
            changed.removeAll(less);
            changed.addAll(more);
            return List.copyOf(changed);
        }

        void tell() {
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).follow(upstreams.get(i), ownUpstreams.get(i));
                nodes.get(i).ask(ConsumerNode.REWIRE);
            }
        }
    }
}
