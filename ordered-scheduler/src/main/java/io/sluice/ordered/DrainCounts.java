package io.sluice.ordered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What drainers count on the way beside the common one. Written by the drainer only (the role travels by the slots' words, so
 * its plain reads are ordered), read by monitors: opaque. A ticket that is delivered touches none of it.
 */
final class DrainCounts {
    static final int FAILED = 0;
    static final int TRASHED = 1;
    static final int EXPIRED = 2;
    static final int DISCARDED = 3;
    static final int RETRIES = 4;
    static final int HAND_OVERS = 5;
    static final int HAND_OVERS_REFUSED = 6;
    private static final int KINDS = 7;

    private final long[] counts = new long[KINDS];
    private @Nullable Throwable discardFailure;

    void add(int kind, long delta) {
        COUNTS.setOpaque(counts, kind, counts[kind] + delta); // opaque: for monitors; the drainer is the only writer
    }

    void discardFailure(Throwable thrown) {
        if (discardFailure == null) {
            FAILURE.setRelease(this, thrown); // release: with the contents of the exception
        }
    }

    long get(int kind) {
        return (long) COUNTS.getOpaque(counts, kind); // opaque: for monitors
    }

    @Nullable
    Throwable discardFailure() {
        return (Throwable) FAILURE.getAcquire(this); // acquire: with the contents of the exception
    }

    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle FAILURE;

    static {
        try {
            FAILURE = MethodHandles.lookup().findVarHandle(DrainCounts.class, "discardFailure", Throwable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
