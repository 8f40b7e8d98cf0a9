package io.sluice.core;

/**
 * A sequence that can be read. Sequences are inclusive: the value is the last one finished, {@code -1} for none.
 *
 * <p>Barriers accept views of the user's own making, for progress that is made elsewhere.
 */
@FunctionalInterface
public interface SequenceView {
    /**
     * The current value, read with acquire: the caller then sees all that the writer did before it released this value.
     * Any thread; never blocks.
     *
     * @return the last sequence finished, {@code -1} if none is
     */
    long get();
}
