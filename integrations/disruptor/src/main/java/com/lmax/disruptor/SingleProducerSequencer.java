package com.lmax.disruptor;

import com.lmax.disruptor.util.Util;
import io.sluice.core.check.Check;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/* The producer's own fields: no other thread reads them, and the fields that other threads read stand 128 bytes away. */
abstract class SingleProducerPaddingBefore extends AbstractSequencer {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;

    SingleProducerPaddingBefore(int bufferSize, WaitStrategy waitStrategy) {
        super(bufferSize, waitStrategy);
    }
}

abstract class SingleProducerFields extends SingleProducerPaddingBefore {
    /** The last claimed sequence. */
    long claimed = INITIAL_CURSOR_VALUE;

    /** A lower bound of the gating sequences, also of the sequence at which a new one begins. */
    long gate = INITIAL_CURSOR_VALUE;

    SingleProducerFields(int bufferSize, WaitStrategy waitStrategy) {
        super(bufferSize, waitStrategy);
    }
}

/**
 * Claims for one producer. A claim is an addition, a publication one release store and the wait strategy's signal.
 *
 * <p>All methods that claim or publish belong to one thread. With {@code -ea} a claim by a second thread is an {@link
 * AssertionError} in version 4; in version 3 threads may take turns, if they see to the order themselves.
 */
public final class SingleProducerSequencer extends SingleProducerFields {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    private @Nullable Thread producer;

    /** The last claim that has waited for room. Of the producer; a thread that shuts down reads it. */
    private final Sequence waited = new Sequence();

    /** The thread that has made that claim. Published by it. */
    private @Nullable Thread waiter;

    /**
     * Creates a sequencer.
     *
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if {@code waitStrategy} is null
     */
    public SingleProducerSequencer(int bufferSize, WaitStrategy waitStrategy) {
        super(bufferSize, waitStrategy);
    }

    @Override
    public boolean hasAvailableCapacity(int requiredCapacity) {
        return roomUpTo(claimed + requiredCapacity - bufferSize);
    }

    private boolean roomUpTo(long wrapPoint) {
        if (wrapPoint > gate) {
            VarHandle.fullFence(); // full: whoever joins after this look at who gates sees what is published by now
            long room =
                    Util.getMinimumSequence(gatingSequences, claimed); // acquire in each get: the slot is given back
            gate = Math.min(
                    room, cursor.get()); // whoever joins then begins no lower; claims may be open behind the cursor
            return wrapPoint <= room;
        }
        return true;
    }

    @Override
    public long next() {
        return next(1);
    }

    @Override
    public long next(int n) {
        assert !VersionRing.ASSERTS_ONE_PRODUCER || oneProducer()
                : "the producer must be one thread, but was another one; ProducerType.MULTI serves several";
        if (n < 1 || n > bufferSize) {
            Check.inRange(n, 1, bufferSize, "n");
        }
        long next = claimed + n;
        if (next - bufferSize > gate) {
            awaitRoom(next);
        }
        claimed = next;
        return next;
    }

    private void awaitRoom(long next) {
        waiter = Thread.currentThread(); // plain: before the release of the claim
        try {
            for (int attempt = 0; !roomUpTo(next - bufferSize); ) {
                waited.set(next); // release: before the first pause
                attempt = RoomPause.pause(attempt);
                signalNowAndThen(attempt);
            }
        } catch (Throwable t) { // of a wait strategy, or a sequence, of the program's own
            waiter = null; // it waits no more: a shutdown need not wait for it
            throw t;
        }
    }

    @Override
    boolean hasWaitingProducer() {
        if (waited.get() <= cursor.get()) { // acquire: what is published was waited for before
            return false;
        }
        @Nullable Thread who = waiter; // plain: behind the acquire of the claim
        return who != null && who != Thread.currentThread() && who.isAlive(); // nobody else publishes that claim
    }

    @Override
    public long tryNext() throws InsufficientCapacityException {
        return tryNext(1);
    }

    @Override
    public long tryNext(int n) throws InsufficientCapacityException {
        Check.inRange(n, 1, Integer.MAX_VALUE, "n");
        if (!hasAvailableCapacity(n)) {
            throw InsufficientCapacityException.INSTANCE;
        }
        return claimed += n;
    }

    @Override
    public long remainingCapacity() {
        return bufferSize - (claimed - Util.getMinimumSequence(gatingSequences, claimed));
    }

    @Override
    public void claim(long sequence) {
        claimed = sequence;
        waited.set(Math.min(waited.get(), sequence)); // release: a claim that was given up is not waited for
        gate = Math.min(gate, sequence);
    }

    @Override
    public void publish(long sequence) {
        cursor.set(sequence); // release: publishes what was written into the slots; pairs with the barrier's acquire
        signalConsumers();
    }

    @Override
    public void publish(long lo, long hi) {
        publish(hi);
    }

    @Override
    public boolean isAvailable(long sequence) {
        long published = cursor.get();
        return sequence <= published && sequence > published - bufferSize;
    }

    @Override
    public long getHighestPublishedSequence(long nextSequence, long availableSequence) {
        return availableSequence;
    }

    private boolean oneProducer() {
        Thread caller = Thread.currentThread();
        if (producer == null) {
            producer = caller;
        }
        return producer == caller;
    }
}
