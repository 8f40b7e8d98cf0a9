package com.lmax.disruptor;

/** Coordinates claims and publications with readers. */
public interface Sequencer extends Cursored, Sequenced {
    /** The cursor before the first claim. */
    long INITIAL_CURSOR_VALUE = -1L;

    /**
     * Sets the sequence from which claims go on. Only before the ring is in use.
     *
     * @param sequence the last claimed sequence from now on
     */
    void claim(long sequence);

    /**
     * Whether a sequence is published and its slot not used again. Any thread; never blocks.
     *
     * @param sequence the sequence
     * @return whether its event may be read
     */
    boolean isAvailable(long sequence);

    /**
     * Adds sequences that claims wait for. Each is set to the cursor, and no event behind that is written over before the sequence
     * has passed it, unless one producer holds more claims than there are slots. Any thread.
     *
     * @param gatingSequences the progress of consumers
     */
    void addGatingSequences(Sequence... gatingSequences);

    /**
     * Takes a gating sequence out. Any thread.
     *
     * @param sequence the sequence
     * @return whether it was one
     */
    boolean removeGatingSequence(Sequence sequence);

    /**
     * Makes a barrier for a consumer.
     *
     * @param sequencesToTrack whom it follows; none to follow the cursor
     * @return a new barrier
     */
    SequenceBarrier newBarrier(Sequence... sequencesToTrack);

    /**
     * The lowest gating sequence.
     *
     * @return it, or the cursor if there is none or all are beyond
     */
    long getMinimumSequence();

    /**
     * How far a consumer may read: the highest sequence up to which all are published.
     *
     * @param nextSequence where it begins
     * @param availableSequence how far to look
     * @return the highest; {@code nextSequence - 1} if the first is not published
     */
    long getHighestPublishedSequence(long nextSequence, long availableSequence);

    /**
     * Makes a poller.
     *
     * @param provider gives the events
     * @param gatingSequences whom it follows; none to follow the cursor
     * @param <T> the type of the events
     * @return a new poller, at the start
     */
    <T> EventPoller<T> newPoller(DataProvider<T> provider, Sequence... gatingSequences);
}
