package com.lmax.disruptor;

/** A {@link WorkHandler} that gives slots back before it returns. */
public interface EventReleaseAware {
    /**
     * Called once, before the first event.
     *
     * @param eventReleaser gives the slot of the event in hand back
     */
    void setEventReleaser(EventReleaser eventReleaser);
}
