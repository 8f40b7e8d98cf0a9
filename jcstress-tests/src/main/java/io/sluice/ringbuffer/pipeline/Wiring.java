package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBuffer;

/** Internal steps of a ring, one by one, for tests that do the rest by hand. */
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
     * Has each event that wakes all consumers of a ring, such as a resumption, wake an idle strategy.
     *
     * @param ring the ring
     * @param idle what a consumer parks by
     */
    public static void wakeWithAll(RingBuffer<?> ring, SignalledIdle idle) {
        FollowedRing.of(ring).wakeWithAll(idle);
        quiet(ring);
    }

    /**
     * A group raises its word when a member is added, until the next signal. This sends that signal while nobody waits, as
     * in a ring in use. Without it the first signal of a test would look at all members in any case.
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
     * Takes the steps of a thread that begins to run a consumer.
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
     * Takes the steps of a thread that takes a consumer out.
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
