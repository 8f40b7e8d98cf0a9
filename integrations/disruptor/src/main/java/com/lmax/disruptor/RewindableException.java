package com.lmax.disruptor;

import org.jspecify.annotations.Nullable;

/** Thrown by a {@link RewindableEventHandler} to have its batch handed out again, if its {@link BatchRewindStrategy} agrees. */
public class RewindableException extends Throwable {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param cause why the event cannot be handled now; may be null
     */
    public RewindableException(@Nullable Throwable cause) {
        super(cause);
    }
}
