package com.lmax.disruptor;

/** The answer to a {@link RewindableException}. */
public enum RewindAction {
    /** The batch is handed out again from its first event. */
    REWIND,

    /** The exception goes to the exception handler, and the next event follows. */
    THROW
}
