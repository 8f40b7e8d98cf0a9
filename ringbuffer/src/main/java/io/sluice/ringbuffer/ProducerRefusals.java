package io.sluice.ringbuffer;

import org.jspecify.annotations.Nullable;

/** The refusals of all kinds of producers: to a caller that may not use them so, or would wait in vain. */
final class ProducerRefusals {
    private ProducerRefusals() {}

    /** Refuses the calling thread, unless the producer was closed before any thread had claimed: then it is closed for all. */
    static void checkClosedUnused(boolean closedUnused, Thread bound) {
        if (!closedUnused) {
            throw new IllegalStateException("a producer must be used by one thread only, but the producer of " + bound
                    + " was used by " + Thread.currentThread() + ": each thread takes its own from the ring");
        }
    }

    static IllegalStateException waitsForItself(long open) {
        return new IllegalStateException(
                "a producer that waits for room must have no open claim in the way, but the ring is full and sequence "
                        + open
                        + " is claimed by this producer and still open, so it would wait for itself: publish or abort it first, or use the try forms");
    }

    static void checkMayClose(@Nullable Thread bound) {
        if (bound != null && bound != Thread.currentThread() && bound.isAlive()) { // who sees its end sees all it did
            throw new IllegalStateException(
                    "a producer must be closed by its own thread, or by any once that has ended, but the producer of "
                            + bound + " was closed by " + Thread.currentThread());
        }
    }
}
