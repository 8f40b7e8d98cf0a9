package com.lmax.disruptor;

/** Claims and publishes sequences. {@link SingleProducerSequencer} serves one thread, {@link MultiProducerSequencer} any number. */
public interface Sequenced {
    /**
     * The size of the ring.
     *
     * @return the number of slots
     */
    int getBufferSize();

    /**
     * Whether so many slots are free. With other producers the answer may be old when it arrives, or a claim of several may wait for
     * these slots.
     *
     * @param requiredCapacity how many
     * @return whether a claim of so many would not wait
     */
    boolean hasAvailableCapacity(int requiredCapacity);

    /**
     * How many slots are free.
     *
     * @return from 0 to the size of the ring; lower than 0 after {@link Sequencer#claim} beyond what the ring holds
     */
    long remainingCapacity();

    /**
     * Claims the next sequence. Waits while the ring is full: it spins, yields, then parks.
     *
     * @return the sequence, which the caller must publish
     */
    long next();

    /**
     * Claims the next {@code n} sequences. Waits while the ring has no room for all of them.
     *
     * @param n how many, from 1 to the size of the ring
     * @return the highest of them; the caller must publish all
     * @throws IllegalArgumentException if {@code n} is out of its range
     */
    long next(int n);

    /**
     * Claims the next sequence if there is room, and no claim of several slots that came before waits for it. Never waits for room; a
     * claim that keeps losing to other producers' spins for about a microsecond before it tries again.
     *
     * @return the sequence, which the caller must publish
     * @throws InsufficientCapacityException if there is no room
     */
    long tryNext() throws InsufficientCapacityException;

    /**
     * Claims the next {@code n} sequences if there is room for all. Waits no more than {@link #tryNext()}.
     *
     * @param n how many, 1 or more
     * @return the highest of them; the caller must publish all
     * @throws InsufficientCapacityException if there is no room for all
     * @throws IllegalArgumentException if {@code n} is lower than 1
     */
    long tryNext(int n) throws InsufficientCapacityException;

    /**
     * Publishes a claimed sequence: one release store, and the wait strategy's signal.
     *
     * @param sequence what was claimed
     */
    void publish(long sequence);

    /**
     * Publishes claimed sequences.
     *
     * @param lo the lowest
     * @param hi the highest
     */
    void publish(long lo, long hi);
}
