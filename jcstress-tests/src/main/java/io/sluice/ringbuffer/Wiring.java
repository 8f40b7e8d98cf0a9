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
        ((ConsumerNode<?>) upstream).downstream = group;
    }
}
