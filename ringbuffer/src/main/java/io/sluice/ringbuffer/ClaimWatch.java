package io.sluice.ringbuffer;

import org.jspecify.annotations.Nullable;

/**
 * Looks for claims that are neither published nor aborted, for a program that polls, or that wants to decide from a thread of
 * its own; {@link RingBuffer.Builder#onAbandonedClaim} has consumers do it. What a claim's age is, is what this watch has seen:
 * no clock is read for a claim.
 *
 * <p>A watch belongs to one thread at a time. Any number may look at one ring. A look takes a lock that producers take when they
 * are made and closed, never when they claim or publish; it allocates where it finds a claim.
 */
public final class ClaimWatch {
    private final GapWatch gap;

    private ClaimWatch(ObjectRing<?> ring) {
        this.gap = new GapWatch(ring);
    }

    /**
     * A watch that has seen nothing yet.
     *
     * @param ring one of this library's object rings
     * @return a new watch
     * @throws IllegalArgumentException if the ring is of the caller's own making
     */
    public static ClaimWatch of(RingBuffer<?> ring) {
        if (!(Check.notNull(ring, "ring") instanceof ObjectRing<?> objectRing)) {
            throw new IllegalArgumentException(
                    "ring of " + ring.getClass() + ": allowed are rings of RingBuffer.builder");
        }
        return new ClaimWatch(objectRing);
    }

    /**
     * The claim that the publications stand before, if earlier looks have seen it there for so long. To be called now and then:
     * the first look only begins to count.
     *
     * @param limitNanos how long it must have stood there, in nanoseconds; 0 or less for any open claim
     * @return the claim, null if none has stood in the way for so long
     */
    public @Nullable AbandonedClaim look(long limitNanos) {
        return gap.look(limitNanos, System.nanoTime());
    }
}
