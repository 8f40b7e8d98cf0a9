package io.sluice.ringbuffer;

import io.sluice.core.SignalledIdle;
import io.sluice.core.check.Check;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Finds an open claim that blocks the publications: it is neither published nor aborted. For a program that polls, or that
 * decides on a thread of its own. With {@link RingBufferBuilder#onAbandonedClaim} the consumers look by themselves.
 *
 * <p>Claims carry no time stamp. Age counts from when this detector first saw the claim in the way.
 *
 * <p>A detector belongs to one thread at a time. Any number may look at one ring. A look takes a lock that producers take when they
 * are made and closed, never when they claim or publish. It allocates where it finds a claim.
 */
public final class StalledClaimDetector {
    private static final long NOWHERE = -1;

    private final WatchedClaims ring;
    private final long limitNanos;

    private long at = NOWHERE;
    private long since;
    private long told = NOWHERE;
    private long lookAgain = System.nanoTime();
    private boolean putOff; // a look, since the last one was a moment ago

    StalledClaimDetector(WatchedClaims ring) {
        this.ring = ring;
        this.limitNanos = ring.abandonedAfterNanos();
    }

    /**
     * A detector that has seen nothing yet.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind
     * @return a new detector
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     */
    public static StalledClaimDetector of(RingBuffer<?> ring) {
        return new StalledClaimDetector(WatchedClaims.of(ring));
    }

    /**
     * The open claim that blocks the publications, if earlier looks have seen it block for the time given. Call it now and then:
     * the first look only starts the count.
     *
     * @param standsForNanos how long it must have stood there, in nanoseconds; 0 or less for any open claim
     * @return the claim, null if none has stood in the way for so long
     */
    public @Nullable AbandonedClaim look(long standsForNanos) {
        return look(standsForNanos, System.nanoTime());
    }

    /**
     * As {@link #look(long)}.
     *
     * @param standsFor how long it must have stood there; 0 or less for any open claim
     * @return the claim, null if none has stood in the way for so long
     */
    public @Nullable AbandonedClaim look(Duration standsFor) {
        return look(Check.nanos(standsFor, "standsFor"));
    }

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

    // for a consumer, by the ring's settings

    /**
     * For a consumer: as {@link #look(long)}, by the limit that the ring was built with, eight times within it, and only for a claim
     * that the handler was not told of yet.
     *
     * @return the claim to {@link #tell} of, null if there is none
     */
    public @Nullable AbandonedClaim dueClaim() {
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

    /**
     * For a consumer: tells the handler that the ring was built with, once a claim.
     *
     * @param claim what {@link #dueClaim} returned
     * @throws Exception what the handler throws
     * @throws NullPointerException if {@code claim} is null
     */
    public void tell(AbandonedClaim claim) throws Exception {
        told = Check.notNull(claim, "claim").lowest();
        AbandonedClaimHandler handler = ring.abandonedHandler();
        if (handler != null) {
            handler.onAbandonedClaim(claim);
        }
    }

    /**
     * For a consumer: when to look again at the latest. A look that was put off is made up for: a claim that nobody publishes
     * wakes no consumer that parks without a deadline.
     *
     * @return a time of {@link System#nanoTime()}; {@link SignalledIdle#NO_DEADLINE} if nothing is in the way
     */
    public long due() {
        if (putOff) {
            return lookAgain;
        }
        return at == NOWHERE || at == told ? SignalledIdle.NO_DEADLINE : since + limitNanos;
    }

    /** For a consumer: forgets what was in the way, since it rests. */
    public void forget() {
        at = NOWHERE;
        putOff = false;
    }
}
