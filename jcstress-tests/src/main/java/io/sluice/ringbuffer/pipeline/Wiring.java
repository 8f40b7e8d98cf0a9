package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBuffer;

/** What the ring does inside, step by step, for tests that do the rest by hand. */
public final class Wiring {
    private Wiring() {}

    /**
     * Has a consumer's progress wake an idle strategy. To be called before its processor is made.
     *
     * @param upstream the consumer
     * @param idle what its dependent parks by
     */
    public static void wakeOnProgress(ConsumerHandle upstream, SignalledIdle idle) {
        SignalGroup group = new SignalGroup(true);
        group.add(idle);
        group.signal(); // as below
        ((ConsumerNode<?>) upstream).downstream = group;
    }

    /**
     * Has whatever wakes all consumers of a ring, as a resumption does, wake an idle strategy.
     *
     * @param ring the ring
     * @param idle what a consumer parks by
     */
    public static void wakeWithAll(RingBuffer<?> ring, SignalledIdle idle) {
        FollowedRing.of(ring).wakeWithAll(idle);
        quiet(ring);
    }

    /**
     * Whoever is added to a group has its word raised, until the next signal: so sends that, as in a ring in use, while nobody
     * waits. Without it the first signal of a test would look at everybody in any case.
     *
     * @param ring the ring
     */
    public static void quiet(RingBuffer<?> ring) {
        FollowedRing<?> followed = FollowedRing.of(ring);
        SignalGroup publications = followed.publicationSignals();
        if (publications != null) {
            publications.signal();
        }
        followed.wakeAll();
    }

    /**
     * What a thread does that begins to run a consumer.
     *
     * @param consumer the consumer
     * @return whether it finds that something is asked of the consumer
     */
    public static boolean takesOver(ConsumerHandle consumer) {
        ConsumerNode<?> node = (ConsumerNode<?>) consumer;
        node.runBy(Thread.currentThread());
        return node.control() != 0;
    }

    /**
     * What a thread does that takes a consumer out.
     *
     * @param consumer the consumer
     * @return whether it finds that nobody runs the consumer, so that it may act on its behalf
     */
    public static boolean mayTakeOut(ConsumerHandle consumer) {
        ConsumerNode<?> node = (ConsumerNode<?>) consumer;
        node.ask(ConsumerNode.LEAVE);
        return node.isUntouched();
    }
}
