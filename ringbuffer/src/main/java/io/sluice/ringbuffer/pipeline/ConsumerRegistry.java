package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalledIdle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The consumers that are present in a pipeline, by name and by handler. Changed by the building thread, then under the lock of the membership. */
final class ConsumerRegistry<E> {
    private final List<ConsumerNode<E>> present = new CopyOnWriteArrayList<>();
    private @Nullable ConsumerNode<E> clearing;

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
    }

    // by name

    /** The name that was given, or one after the handler's class, or {@code consumer-N}. */
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

    /** A consumer and all that it follows, directly or through others. A walk over nodes, not over the ways to them. */
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

    /** Whom some consumers are to follow. Noted first, which takes memory, and then told, which takes none: so all are told, or nobody is. */
    static final class NewUpstreams<E> {
        private final List<ConsumerNode<E>> nodes = new ArrayList<>();
        private final List<List<ConsumerNode<E>>> upstreams = new ArrayList<>();

        void note(ConsumerNode<E> node, Collection<ConsumerNode<E>> upstream) {
            nodes.add(node);
            upstreams.add(List.copyOf(upstream));
        }

        void tell() {
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).follow(upstreams.get(i));
                nodes.get(i).ask(ConsumerNode.REWIRE);
            }
        }
    }
}
