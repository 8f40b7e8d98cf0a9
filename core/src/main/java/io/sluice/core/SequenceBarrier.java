package io.sluice.core;

/** Tells a consumer how far it may go. Called by the one consumer that owns it; never blocks, never throws. */
@FunctionalInterface
public interface SequenceBarrier {
    /**
     * The highest sequence that may be read, all from {@code next} on included. Reads with acquire: the contents of every
     * slot up to the returned sequence are visible to the caller.
     *
     * @param next the sequence that the caller wants to read next, 0 or more
     * @return the highest sequence available; a value below {@code next} means that none is yet
     */
    long available(long next);
}
