package io.sluice.ringbuffer;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;

/** What {@code Pipeline.start} does for a dependent that parks, for tests that run the processors by hand. */
public final class Wiring {
    private Wiring() {}

    /**
     * Has a consumer's progress wake an idle strategy. To be called before its processor is made.
     *
     * @param upstream the consumer
     * @param idle what its dependent parks by
     */
    public static void wakeOnProgress(Consumer upstream, SignalledIdle idle) {
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
        ((ObjectRing<?>) ring).wakeOnEnd(idle);
        quiet(ring);
    }

    /**
     * Whoever is added to a group has its word raised, until the next signal: so sends that, as in a ring in use, while nobody
     * waits. Without it the first signal of a test would look at everybody in any case.
     *
     * @param ring the ring
     */
    public static void quiet(RingBuffer<?> ring) {
        ObjectRing<?> objects = (ObjectRing<?>) ring;
        if (objects.signals != null) {
            objects.signals.signal();
        }
        objects.wakeAll();
    }
}
