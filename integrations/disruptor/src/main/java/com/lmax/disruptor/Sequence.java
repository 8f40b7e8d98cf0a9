package com.lmax.disruptor;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/* The value stands alone on its cache lines: 128 bytes of padding on either side, through a chain of superclasses. */
abstract class SequencePaddingBefore {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

abstract class SequenceValue extends SequencePaddingBefore {
    static final VarHandle VALUE = VarHandles.field(MethodHandles.lookup(), SequenceValue.class, "value", long.class);

    long value;
}

abstract class SequencePaddingAfter extends SequenceValue {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

/**
 * A counter that threads share, alone on its cache lines: the progress of a consumer, or a cursor.
 *
 * <p>Any thread may call any method. None blocks, none allocates.
 */
public class Sequence extends SequencePaddingAfter {
    static final long INITIAL_VALUE = -1L;

    /** Creates a sequence at -1. */
    public Sequence() {
        this(INITIAL_VALUE);
    }

    /**
     * Creates a sequence.
     *
     * @param initialValue its first value
     */
    public Sequence(long initialValue) {
        value = initialValue;
        VarHandle.releaseFence(); // release: pairs with the first acquire of whoever is handed the object
    }

    /**
     * Reads with acquire: what the writer did before is visible to the caller.
     *
     * @return the value
     */
    public long get() {
        return (long) VALUE.getAcquire(this); // acquire: pairs with set
    }

    /**
     * Writes with release: what the caller did before is visible to a thread that reads the value.
     *
     * @param value the new value
     */
    public void set(long value) {
        VALUE.setRelease(this, value); // release: pairs with get
    }

    /**
     * Writes with a full fence: no read after it, of whatever mode, goes before the write.
     *
     * @param value the new value
     */
    public void setVolatile(long value) {
        VALUE.setRelease(this, value); // release: pairs with get
        VarHandle.fullFence(); // full: a volatile store orders no plain or opaque read behind it
    }

    /**
     * Writes {@code newValue} if the value is {@code expectedValue}. A full fence.
     *
     * @param expectedValue what the value must be
     * @param newValue the new value
     * @return whether it was written
     */
    public boolean compareAndSet(long expectedValue, long newValue) {
        return VALUE.compareAndSet(this, expectedValue, newValue);
    }

    /**
     * Adds one. A full fence.
     *
     * @return the value after it
     */
    public long incrementAndGet() {
        return addAndGet(1);
    }

    /**
     * Adds. A full fence.
     *
     * @param increment what to add
     * @return the value after it
     */
    public long addAndGet(long increment) {
        return getAndAdd(increment) + increment;
    }

    /**
     * Adds. A full fence.
     *
     * @param increment what to add
     * @return the value before
     */
    public long getAndAdd(long increment) {
        return (long) VALUE.getAndAdd(this, increment);
    }

    @Override
    public String toString() {
        return Long.toString(get());
    }
}
