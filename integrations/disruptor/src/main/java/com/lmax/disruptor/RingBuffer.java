package com.lmax.disruptor;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.core.check.Check;

/**
 * A ring of events that are made once and used again and again.
 *
 * <p>Claims and publications are those of its sequencer: one release store for a publication, and a compare-and-set for a claim
 * where there are many producers. Nothing allocates after the ring has been created.
 *
 * @param <E> the type of the events
 */
public final class RingBuffer<E> extends VersionRing<E> implements Cursored, EventSequencer<E> {
    /** The cursor before the first claim. */
    public static final long INITIAL_CURSOR_VALUE = Sequence.INITIAL_VALUE;

    static {
        OtherJar.tell();
    }

    private RingBuffer(EventFactory<E> factory, AbstractSequencer sequencer) {
        super(factory, sequencer);
    }

    /**
     * Creates a ring for any number of producers.
     *
     * @param factory makes the events
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @param <E> the type of the events
     * @return a new ring
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if an argument is null
     */
    public static <E> RingBuffer<E> createMultiProducer(
            EventFactory<E> factory, int bufferSize, WaitStrategy waitStrategy) {
        return new RingBuffer<>(factory, new MultiProducerSequencer(bufferSize, waitStrategy));
    }

    /**
     * Creates a ring for any number of producers, with a {@link BlockingWaitStrategy}.
     *
     * @param factory makes the events
     * @param bufferSize the number of slots, a power of two
     * @param <E> the type of the events
     * @return a new ring
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     */
    public static <E> RingBuffer<E> createMultiProducer(EventFactory<E> factory, int bufferSize) {
        return createMultiProducer(factory, bufferSize, new BlockingWaitStrategy());
    }

    /**
     * Creates a ring for one producer.
     *
     * @param factory makes the events
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @param <E> the type of the events
     * @return a new ring
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if an argument is null
     */
    public static <E> RingBuffer<E> createSingleProducer(
            EventFactory<E> factory, int bufferSize, WaitStrategy waitStrategy) {
        return new RingBuffer<>(factory, new SingleProducerSequencer(bufferSize, waitStrategy));
    }

    /**
     * Creates a ring for one producer, with a {@link BlockingWaitStrategy}.
     *
     * @param factory makes the events
     * @param bufferSize the number of slots, a power of two
     * @param <E> the type of the events
     * @return a new ring
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     */
    public static <E> RingBuffer<E> createSingleProducer(EventFactory<E> factory, int bufferSize) {
        return createSingleProducer(factory, bufferSize, new BlockingWaitStrategy());
    }

    /**
     * Creates a ring.
     *
     * @param producerType for one producer or for many
     * @param factory makes the events
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @param <E> the type of the events
     * @return a new ring
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if an argument is null
     */
    public static <E> RingBuffer<E> create(
            ProducerType producerType, EventFactory<E> factory, int bufferSize, WaitStrategy waitStrategy) {
        return switch (Check.notNull(producerType, "producerType")) {
            case SINGLE -> createSingleProducer(factory, bufferSize, waitStrategy);
            case MULTI -> createMultiProducer(factory, bufferSize, waitStrategy);
        };
    }

    // ---- slots

    /**
     * Sets the sequence from which claims go on, and gives its event. Only before the ring is in use.
     *
     * @param sequence the last claimed sequence from now on
     * @return its event
     */
    public E claimAndGetPreallocated(long sequence) {
        sequencer.claim(sequence);
        return get(sequence);
    }

    /**
     * Whether a sequence is published and its slot not used again. Any thread.
     *
     * @param sequence the sequence
     * @return whether its event may be read
     */
    public boolean isAvailable(long sequence) {
        return sequencer.isAvailable(sequence);
    }

    // ---- claims

    @Override
    public long next() {
        return sequencer.next();
    }

    @Override
    public long next(int n) {
        return sequencer.next(n);
    }

    @Override
    public long tryNext() throws InsufficientCapacityException {
        return sequencer.tryNext();
    }

    @Override
    public long tryNext(int n) throws InsufficientCapacityException {
        return sequencer.tryNext(n);
    }

    @Override
    public void publish(long sequence) {
        sequencer.publish(sequence);
    }

    @Override
    public void publish(long lo, long hi) {
        sequencer.publish(lo, hi);
    }

    @Override
    public long getCursor() {
        return sequencer.getCursor();
    }

    @Override
    public int getBufferSize() {
        return mask + 1;
    }

    @Override
    public boolean hasAvailableCapacity(int requiredCapacity) {
        return sequencer.hasAvailableCapacity(requiredCapacity);
    }

    @Override
    public long remainingCapacity() {
        return sequencer.remainingCapacity();
    }

    // ---- consumers

    /**
     * Adds sequences that claims wait for. Each is set to the cursor, and no event behind that is written over before the sequence
     * has passed it, unless one producer holds more claims than there are slots. Any thread.
     *
     * @param gatingSequences the progress of consumers
     */
    public void addGatingSequences(Sequence... gatingSequences) {
        sequencer.addGatingSequences(gatingSequences);
    }

    /**
     * Takes a gating sequence out. Any thread.
     *
     * @param sequence the sequence
     * @return whether it was one
     */
    public boolean removeGatingSequence(Sequence sequence) {
        return sequencer.removeGatingSequence(sequence);
    }

    /**
     * The lowest gating sequence. Any thread.
     *
     * @return it, or the cursor if there is none or all are beyond
     */
    public long getMinimumGatingSequence() {
        return sequencer.getMinimumSequence();
    }

    /**
     * Makes a barrier for a consumer.
     *
     * @param sequencesToTrack whom it follows; none to follow the cursor
     * @return a new barrier
     */
    public SequenceBarrier newBarrier(Sequence... sequencesToTrack) {
        return sequencer.newBarrier(sequencesToTrack);
    }

    /**
     * Makes a poller. Its progress does not gate claims until it is added to the gating sequences.
     *
     * @param gatingSequences whom it follows; none to follow the cursor
     * @return a new poller, at the start
     */
    public EventPoller<E> newPoller(Sequence... gatingSequences) {
        return sequencer.newPoller(this, gatingSequences);
    }

    @Override
    public String toString() {
        return "RingBuffer{bufferSize=" + (mask + 1) + ", sequencer=" + sequencer + '}';
    }
}
