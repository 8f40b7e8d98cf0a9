package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * A ring for one producer at a time. Publication is the cursor: one word, written by the producer with release, acquired by
 * the consumers. Parallel stamps beside the objects were measured slower here.
 */
class SingleProducerRing<E> extends ObjectRing<E> {
    final Sequence cursor = new Sequence();

    // under the lock `setup`; read by drain and monitors under the same lock
    private @Nullable SingleProducer<E> producer;
    private boolean making;

    SingleProducerRing(RingSettings<E> settings) {
        super(settings);
    }

    @Override
    public Producer<E> producer() {
        beginMaking();
        try {
            SingleProducer<E> made = newProducer(); // the user's code: not under the lock, or a close would wait for it
            synchronized (setup) {
                checkRunning(); // it may have ended meanwhile
                producer = made;
                return made;
            }
        } finally {
            synchronized (setup) {
                making = false;
            }
        }
    }

    private void beginMaking() {
        synchronized (setup) {
            checkRunning();
            if (making || (producer != null && !producer.isClosed())) {
                throw new IllegalStateException(
                        "a ring with a single producer must have one producer at a time, but its producer is "
                                + (making ? "being made" : "in use: close the last one first"));
            }
            making = true;
        }
    }

    /** By one thread at a time, while the ring has no producer that is open: the last one published or aborted all that it claimed. */
    SingleProducer<E> newProducer() {
        return ProducerSpecializer.single(this, cursor);
    }

    final @Nullable SingleProducer<E> current() {
        synchronized (setup) {
            return producer;
        }
    }

    @Override
    public SequenceView cursor() {
        return cursor;
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return Barriers.behind(new SequenceView[] {cursor});
    }

    @Override
    public long highestClaimed() {
        SingleProducer<E> last = current();
        return last == null ? Sequence.INITIAL : last.claimedOpaque();
    }

    @Override
    public boolean isPublished(long sequence) {
        return sequence <= cursor.getAcquire(); // acquire: the abort marks of published slots are read next
    }

    @Override
    int openProducers() {
        SingleProducer<E> last = current();
        if (last == null || last.isClosed() || last.hasEnded()) {
            return 0;
        }
        return state() == State.RUNNING || !last.isQuiescent() ? 1 : 0;
    }

    @Override
    public AbandonedClaim openClaimAt(long sequence, long stoodNanos) {
        SingleProducer<E> owner = current();
        Thread thread = owner == null ? null : owner.owner();
        return claim(
                sequence,
                Math.max(sequence, highestClaimed()),
                owner,
                thread == null ? List.of() : List.of(thread),
                stoodNanos);
    }

    @Override
    void closeClaims() {
        // the producer reads the life-cycle word at each claim
    }
}
