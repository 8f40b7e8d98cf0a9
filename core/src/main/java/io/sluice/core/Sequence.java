package io.sluice.core;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * The value stands alone on its cache lines, and on the neighbouring lines that the hardware prefetcher pulls in: 128 bytes
 * of padding on either side. Padding goes through a chain of superclasses, because the JVM lays out a superclass's fields
 * before those of its subclasses but may reorder fields within one class.
 */
abstract class PaddingBefore {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

abstract class PaddedValue extends PaddingBefore {
    static final VarHandle VALUE = VarHandles.field(MethodHandles.lookup(), PaddedValue.class, "value", long.class);

    @SuppressWarnings("unused")
    private long value;
}

abstract class PaddingAfter extends PaddedValue {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

/**
 * A counter shared between threads, alone on its cache lines. The memory order of each access is in the method's name, as
 * in {@link VarHandle}; which one is right is decided, and said, by the caller.
 *
 * <p>Guarantees: every method may be called by any thread, never blocks and never allocates. On x86 plain, opaque, acquire
 * and release accesses are single moves; {@link #setVolatile}, {@link #compareAndSet} and {@link #getAndAdd} are locked
 * instructions.
 *
 * <p>A sequence is inclusive: the last one finished, {@link #INITIAL} for none.
 */
public final class Sequence extends PaddingAfter implements SequenceView {
    /** The value before the first sequence: {@value}. */
    public static final long INITIAL = -1L;

    /** Creates a sequence at {@link #INITIAL}. */
    public Sequence() {
        this(INITIAL);
    }

    /**
     * Creates a sequence.
     *
     * @param initial its first value, visible to every thread that gets the object by a release or through a final field
     */
    public Sequence(long initial) {
        VALUE.setRelease(this, initial); // release: pairs with the first acquire of whoever is handed the object
    }

    @Override
    public long get() {
        return (long) VALUE.getAcquire(this); // acquire: the interface SequenceView promises it
    }

    /**
     * Reads without any order: only for the thread that writes, or before the object is shared.
     *
     * @return the value
     */
    public long getPlain() {
        return (long) VALUE.get(this);
    }

    /**
     * Reads a recent value without ordering anything else: for monitors.
     *
     * @return the value
     */
    public long getOpaque() {
        return (long) VALUE.getOpaque(this);
    }

    /**
     * Reads with acquire: the caller then sees all that the writer did before it released this value.
     *
     * @return the value
     */
    public long getAcquire() {
        return (long) VALUE.getAcquire(this);
    }

    /**
     * Reads in the total order of volatile accesses.
     *
     * @return the value
     */
    public long getVolatile() {
        return (long) VALUE.getVolatile(this);
    }

    /**
     * Writes without any order.
     *
     * @param value the new value
     */
    public void setPlain(long value) {
        VALUE.set(this, value);
    }

    /**
     * Writes so that monitors see it soon, ordering nothing else.
     *
     * @param value the new value
     */
    public void setOpaque(long value) {
        VALUE.setOpaque(this, value);
    }

    /**
     * Writes with release: a thread that acquires this value sees everything that the caller did before.
     *
     * @param value the new value
     */
    public void setRelease(long value) {
        VALUE.setRelease(this, value);
    }

    /**
     * Writes in the total order of volatile accesses: a full fence.
     *
     * @param value the new value
     */
    public void setVolatile(long value) {
        VALUE.setVolatile(this, value);
    }

    /**
     * Writes {@code update} if the value is {@code expected}, as one volatile access.
     *
     * @param expected what the value must be
     * @param update the new value
     * @return whether it was written
     */
    public boolean compareAndSet(long expected, long update) {
        return VALUE.compareAndSet(this, expected, update);
    }

    /**
     * Adds, as one volatile access.
     *
     * @param delta what to add; overflow wraps
     * @return the value before
     */
    public long getAndAdd(long delta) {
        return (long) VALUE.getAndAdd(this, delta);
    }

    /**
     * Raises the value to {@code update}, as one volatile access, unless it is there or beyond. Lock-free.
     *
     * @param update the value to reach
     */
    public void raiseTo(long update) {
        long value = getOpaque();
        while (value < update && !compareAndSet(value, update)) {
            value = getOpaque();
        }
    }

    @Override
    public String toString() {
        return Long.toString(getOpaque());
    }
}
