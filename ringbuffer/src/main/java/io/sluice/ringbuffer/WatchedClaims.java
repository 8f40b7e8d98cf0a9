package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/** The claims of a ring, as a {@link StalledClaimDetector} sees them. Each of this library's rings implements it. Any thread. */
interface WatchedClaims {
    /** The ring seen through this interface; refuses null, and a ring that was not built by {@link RingBufferBuilder}. */
    static WatchedClaims of(RingBuffer<?> ring) {
        if (!(Check.notNull(ring, "ring") instanceof WatchedClaims own)) {
            throw new IllegalArgumentException("ring must be one of RingBufferBuilder.of, but was a "
                    + ring.getClass().getName());
        }
        return own;
    }

    /** The highest sequence up to which everything is published or aborted. */
    SequenceView cursor();

    /** The highest sequence claimed. Exact once no producer can claim any more. */
    long highestClaimed();

    /** Whether a slot, which is not reused before the call returns, holds this sequence published. */
    boolean isPublished(long sequence);

    /** The open claim that begins at a sequence, and its owner as far as it is known. */
    AbandonedClaim openClaimAt(long sequence, long stoodNanos);

    /** As {@link #openClaimAt}, of a claim that was in the way once, however long ago; null if it is published or aborted by now. */
    default @Nullable AbandonedClaim stillOpenAt(long sequence, long stoodNanos) {
        AbandonedClaim claim = openClaimAt(sequence, stoodNanos);
        boolean open = cursor().get() < sequence; // acquire inside, behind the look; a slot in use again is published
        return open ? claim : null;
    }

    /** How long a consumer stands before a claim until it tells the handler, in nanoseconds. */
    long abandonedAfterNanos();

    /** The handler that consumers tell of abandoned claims that they stand before; null where nobody looks. */
    @Nullable
    AbandonedClaimHandler abandonedHandler();
}
