package com.lmax.disruptor;

/** A handler that is told of the start and the end of its processor. Both methods are called by the processor's thread. */
public interface LifecycleAware {
    /** Called once, before the first event. */
    void onStart();

    /** Called once, after the last event. */
    void onShutdown();
}
