package io.sluice.ringbuffer;

import io.sluice.core.SignalledIdle;
import org.jspecify.annotations.Nullable;

/**
 * Remembers since when the publications have stood before the same open claim. One thread's own; the clock is the looker's, so
 * that no claim reads one, and a claim is as old as its looker has seen it stand in the way.
 */
final class GapWatch {
    private static final long NOWHERE = -1;

    private final ObjectRing<?> ring;
    private final long limitNanos;

    private long at = NOWHERE;
    private long since;
    private long told = NOWHERE;
    private long lookAgain = System.nanoTime();
    private boolean putOff; // a look, since the last one was a moment ago

    /** For a consumer, by the ring's settings. */
    GapWatch(ObjectRing<?> ring) {
        this.ring = ring;
        this.limitNanos = ring.abandonedAfterNanos;
    }

    /** The claim in the way, if it has been there for so long; null if none is. */
    @Nullable
    AbandonedClaim look(long limit, long now) {
        long published = ring.cursor().get(); // acquire inside
        if (ring.highestClaimed() <= published) {
            at = NOWHERE;
            return null;
        }
        if (at != published + 1) {
            at = published + 1;
            since = now;
        }
        long stood = now - since;
        if (stood < limit) {
            return null;
        }
        AbandonedClaim claim = ring.openClaimAt(at, stood);
        return ring.isPublished(at) ? null : claim; // published meanwhile, perhaps: then who had it is not known
    }

    /** As {@link #look}, eight times in the limit, and for a claim that was not told yet. */
    @Nullable
    AbandonedClaim lookNowAndThen() {
        long now = System.nanoTime();
        putOff = now - lookAgain < 0;
        if (putOff) {
            return null;
        }
        AbandonedClaim claim = look(limitNanos, now);
        lookAgain = now + Math.max(1, limitNanos / 8);
        long due = due();
        if (due != SignalledIdle.NO_DEADLINE && due - lookAgain < 0) {
            lookAgain = due;
        }
        return at == told ? null : claim;
    }

    void tell(AbandonedClaim claim) throws Exception {
        told = claim.lowest();
        AbandonedClaimHandler handler = ring.abandonedHandler;
        if (handler != null) {
            handler.onAbandonedClaim(claim);
        }
    }

    /**
     * When to look again at the latest, a time of System.nanoTime; NO_DEADLINE if nothing is in the way. A look that was put
     * off is made up for: a consumer that parks without a deadline is not woken by a claim that nobody publishes.
     */
    long due() {
        if (putOff) {
            return lookAgain;
        }
        return at == NOWHERE || at == told ? SignalledIdle.NO_DEADLINE : since + limitNanos;
    }

    void forget() {
        at = NOWHERE;
        putOff = false;
    }
}
