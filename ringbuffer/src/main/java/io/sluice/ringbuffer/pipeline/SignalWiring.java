package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.FollowedRing;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/*
 * The wake-ups, where idle strategies can be signalled: publications wake the consumers that follow them, progress wakes
 * dependents on other threads, and the ring's end wakes everyone. All under the lock of the membership, or before the start.
 */
final class SignalWiring<E> {
    private final FollowedRing<E> ring;
    private final List<ConsumerNode<E>> nodes;

    /**
     * Wires nothing yet.
     *
     * @param nodes all consumers that are present, as they are at any time
     */
    SignalWiring(FollowedRing<E> ring, List<ConsumerNode<E>> nodes) {
        this.ring = ring;
        this.nodes = nodes;
    }

    /** At the start: for all consumers at once. */
    void connectAll(Map<ConsumerNode<E>, String> threadOf, Map<String, IdleStrategy> idleOf) {
        idleOf.forEach(this::checkCanBeSignalled); // before anything is changed: the start may be tried again
        threadOf.forEach((node, thread) -> {
            SignalledIdle signalled = idleOf.get(thread) instanceof SignalledIdle idle ? idle : null;
            if (signalled != null) {
                ring.wakeWithAll(signalled);
            }
            node.idlesBy(signalled); // null too: a start that was refused may have set another one
        });
        threadOf.keySet().forEach(node -> connect(node, node.upstreamAcquire())); // once all idle strategies are known
    }

    private void checkCanBeSignalled(String thread, IdleStrategy by) {
        if (by instanceof SignalledIdle idle) {
            SignalGroup publications = ring.publicationSignals();
            if (publications == null) {
                throw new IllegalArgumentException(
                        "consumersIdle of the ring must be a SignalledIdle for the idle strategy of thread " + thread
                                + ", " + idle + ", but the ring was built without");
            }
            publications.checkAdmits(idle);
        }
    }

    /** Makes the publications, or the progress of its upstream, wake a consumer that can be signalled. */
    void connect(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
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

    /** Stops signalling consumers that no longer follow the publications. If there is no memory for that, they are woken needlessly. */
    void followNoPublications(List<ConsumerNode<E>> joined) {
        try {
            for (ConsumerNode<E> one : joined) {
                SignalledIdle waits = one.idle();
                if (one.upstreamAcquire().size() == 1 && waits != null) {
                    unlessFollowed(null, waits, ring.publicationSignals());
                }
            }
        } catch (Throwable t) {
            // the join is done all the same
        }
    }

    /** Takes the signals down that led to it and from it. By now others signal its followers. */
    void disconnect(ConsumerNode<E> node, List<ConsumerNode<E>> upstream) {
        SignalGroup woken = node.downstream;
        if (woken != null) {
            for (ConsumerNode<E> one : nodes) {
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
        if (nodes.stream().noneMatch(other -> other.idle() == idle)) {
            ring.stopWaking(idle);
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
     * @param followed the consumer whose progress the group announces, null for the publications
     */
    private void unlessFollowed(
            @Nullable ConsumerNode<E> followed, SignalledIdle idle, @Nullable SignalGroup announced) {
        if (announced != null && nodes.stream().noneMatch(other -> other.idle() == idle && follows(other, followed))) {
            announced.remove(idle);
        }
    }

    private boolean follows(ConsumerNode<E> node, @Nullable ConsumerNode<E> followed) {
        List<ConsumerNode<E>> upstream = node.upstreamAcquire();
        return followed == null ? upstream.isEmpty() : upstream.contains(followed);
    }
}
