package io.sluice.ringbuffer;

/** The holder of an open claim, as an {@link AbandonedClaim} sees it. Any thread may call each method. */
interface ClaimOwner {
    /** The claim may not be aborted on its owner's behalf: the ring does not track claims. */
    long NOT_ALLOWED = -1;

    /** Whether the owner's thread has ended. Then all that it did is visible. */
    boolean hasEnded();

    /**
     * Aborts all its open claims and closes it. Only once its thread has ended.
     *
     * @return how many sequences it aborted; 0 if another has done it
     */
    long abortAll();

    /**
     * Aborts one claim while its thread lives. On a ring that tracks claims.
     *
     * @return how many sequences it aborted, 0 if the owner was quicker; {@link #NOT_ALLOWED} on other rings
     */
    long abortForOwner(long lo, long hi);
}
