package io.sluice.ringbuffer.pipeline;

/** The outcome of {@link ConsumerHandle#remove}. */
public enum Removal {
    /** It has left: it gates nothing, and nobody follows it. Its handler's {@code onShutdown} may be at work yet, or due. */
    LEFT,

    /** It leaves after its present batch, or when it is next run or polled, or once it is closed. */
    LATER,

    /** It never leaves, since the ring was closed before. */
    NEVER
}
