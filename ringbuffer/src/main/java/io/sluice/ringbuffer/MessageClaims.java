package io.sluice.ringbuffer;

import org.jspecify.annotations.Nullable;

/*
 * The part that both kinds of producers of messages add to a producer of sequences: a claim of sequences that lie side by side, with the
 * padding that this needs, and one such claim open at a time. So the claim is open or it is not; no part of it needs a record of its own.
 */
interface MessageClaims {
    /**
     * Claims sequences side by side, if this producer knows already that there is room.
     *
     * @return the first of them; -1 if {@link #blockSlow} is to find out
     */
    long blockFast(int units);

    /**
     * Claims sequences side by side.
     *
     * @param timeoutNanos how long to wait: 0 not at all
     * @return the first of them, or the result constant of a refusal
     */
    long blockSlow(int units, long timeoutNanos);

    /** As {@link #blockSlow} without waiting; a lack of room is not counted as a refusal. */
    long blockIfRoom(int units);

    /** This producer, as one of sequences. */
    AbstractProducer<Messages> producer();

    /** Refuses another thread than the producer's own. Always true, for an assertion. */
    boolean ownedByCaller();

    /** The first sequence of the open claim, behind its padding; -1 if nothing is claimed. */
    long openBlock();

    /** Publishes the open claim, whose headers are written. */
    void publishBlock();

    /** Makes the open claim a record that no handler gets. */
    void abortBlock();

    /** Whether the open claim still is the one that ends at `hi`. */
    boolean isOpenUpTo(long hi);

    /** Aborts the open claim, if it still is the one that ends at `hi`. */
    default void abortCopied(long hi) {
        if (isOpenUpTo(hi)) {
            abortBlock();
        }
    }

    /** Refuses to go on if a buffer that was copied into the claim has settled it. */
    default void checkOpenUpTo(long hi) {
        if (!isOpenUpTo(hi)) {
            ownedByCaller(); // another thread learns of its mistake, not of what it has led to
            throw settledWithin();
        }
    }

    /** Whether other producers have the open claim's place already, where nobody gates. */
    boolean isOvertaken();

    /** Writes the padding of the open claim, if it has any, once more: an abort was cut off. */
    void padAgain();

    /** The open claim of a ring that tracks claims; null elsewhere. */
    @Nullable
    OpenMessage tracked();

    /** Whether the last claim was aborted on this producer's behalf, and it learns of that now. On a ring that tracks claims. */
    boolean learnOfLoss();

    /** Sends the signal that a publication owes since it was cut off. */
    void settleWakeUp();

    /** Aborts the open claim if it begins in a range: {@link ClaimOwner#abortForOwner}. */
    long abortForOwner(long lo, long hi);

    /** The refusal of a second claim. */
    static IllegalStateException stillOpen(long from, long to) {
        return new IllegalStateException("a producer of messages must have one claim open at a time, but sequences "
                + from + " to " + to + " are open: commit or abort them first");
    }

    /** A buffer that was offered has closed the producer, or has committed or aborted its claim. */
    static IllegalStateException settledWithin() {
        return new IllegalStateException(
                "close, commit and abort must be called outside of the buffers that are offered, but were called within one: the claim was settled there, and nothing was published behind it");
    }

    /** Ends the producer. */
    void close();
}
