package io.sluice.batching.journal;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** How far a journal is written, and how far it is forced. The appending thread sets it, any thread reads it. */
final class JournalProgress {
    // The two share a cache line: one thread writes both, seldom more than once a batch.

    @SuppressWarnings("UnusedVariable") // by VarHandle
    private long written = -1;

    @SuppressWarnings("UnusedVariable") // by VarHandle
    private long durable = -1;

    void setWritten(long sequence) {
        WRITTEN.setRelease(this, sequence); // release: after the write; pairs with the acquire in written()
    }

    void setDurable(long sequence) {
        DURABLE.setRelease(this, sequence); // release: after the force; pairs with the acquire in durable()
    }

    long written() {
        return (long) WRITTEN.getAcquire(this); // acquire: the file holds what the releasing thread wrote
    }

    long durable() {
        return (long) DURABLE.getAcquire(this); // acquire: the device holds what the releasing thread forced
    }

    private static final VarHandle WRITTEN =
            VarHandles.field(MethodHandles.lookup(), JournalProgress.class, "written", long.class);
    private static final VarHandle DURABLE =
            VarHandles.field(MethodHandles.lookup(), JournalProgress.class, "durable", long.class);
}
