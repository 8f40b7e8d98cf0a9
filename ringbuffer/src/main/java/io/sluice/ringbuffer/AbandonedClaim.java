package io.sluice.ringbuffer;

import io.sluice.ringbuffer.jfr.RingEvents;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A claim that is neither published nor aborted, while the consumers wait for it: its owner, its sequences, and how long it has
 * stood in the way. Found by a {@link StalledClaimDetector}, or told to an {@link AbandonedClaimHandler}. Any thread.
 *
 * <p>The owner is known for sure on a ring with a single producer, on one built with {@link RingBufferBuilder#trackClaims}, and
 * where the owner's thread has ended. Elsewhere several living producers may be the owner: {@link #threads} names them all. An
 * object of this class never changes: it tells what was found. Only {@link #abort} looks for the owner anew, where it was not known.
 */
public final class AbandonedClaim {
    private final String ring;
    private final boolean tracked;
    private final long lowest;
    private final long highest;
    private final @Nullable ClaimOwner owner;
    private final List<Thread> threads;
    private final long stoodNanos;

    /** The same claim as it is at that time; null if it is published or aborted by then. */
    private final Supplier<@Nullable AbandonedClaim> anew;

    AbandonedClaim(
            String ring,
            boolean tracked,
            long lowest,
            long highest,
            @Nullable ClaimOwner owner,
            List<Thread> threads,
            long stoodNanos,
            Supplier<@Nullable AbandonedClaim> anew) {
        this.ring = ring;
        this.tracked = tracked;
        this.lowest = lowest;
        this.highest = highest;
        this.owner = owner;
        this.threads = List.copyOf(threads);
        this.stoodNanos = stoodNanos;
        this.anew = anew;
    }

    /**
     * The first of its open sequences: the one that the consumers wait for.
     *
     * @return 0 or more
     */
    public long lowest() {
        return lowest;
    }

    /**
     * The last of its open sequences that follow without a gap. Where the owner is not known for sure, they may be those of several
     * owners.
     *
     * @return {@link #lowest} or more
     */
    public long highest() {
        return highest;
    }

    /**
     * Whether the owner is known for sure.
     *
     * @return true if {@link #threads} is its owner
     */
    public boolean isOwnerKnown() {
        return owner != null;
    }

    /**
     * The thread of its owner; where that is not known for sure, each thread that may be the owner.
     *
     * @return one thread, or several, or none if nobody is known
     */
    public List<Thread> threads() {
        return threads;
    }

    /**
     * For how long it has been seen to stand in the way.
     *
     * @return nanoseconds, 0 or more
     */
    public long stoodNanos() {
        return stoodNanos;
    }

    /**
     * Aborts it on its owner's behalf: consumers pass over it. Allowed if the owner's thread has ended: then all its open claims
     * are aborted, and its producer is closed. Allowed too on a ring built with {@link RingBufferBuilder#trackClaims}: then
     * these sequences are aborted, and their slots get new events from the event factory. An owner that publishes at the same time
     * wins, or gets a {@link ClaimAbortedException}. An owner that publishes later gets that exception.
     *
     * <p>May be called again, and later: a refused abort may be allowed by then, since the owner is known or its thread has ended.
     *
     * <p>Takes a lock, and allocates. Never waits for the owner.
     *
     * @return how many sequences were aborted; 0 if the owner was quicker, or another has done it
     * @throws IllegalStateException if it is not allowed; the message says why. Then nothing is aborted
     */
    public long abort() {
        AbandonedClaim now = owner == null ? anew.get() : this; // an owner that is known stays the same
        if (now == null) {
            return 0;
        }
        ClaimOwner of = now.owner;
        long aborted = ClaimOwner.NOT_ALLOWED;
        if (of != null) {
            aborted = of.hasEnded() ? of.abortAll() : of.abortForOwner(lowest, highest); // no more than was told of
        }
        if (aborted == ClaimOwner.NOT_ALLOWED) {
            throw new IllegalStateException(now.refusal());
        }
        if (aborted > 0) {
            RingEvents.claimAborted(ring, now.names(), lowest, aborted);
        }
        return aborted;
    }

    private String refusal() {
        if (tracked) {
            return "the owner of " + range() + " must be known for an abort, but its thread is within the claim:"
                    + " try again";
        }
        return "abort of " + range()
                + " must wait until its thread has ended, or be on a ring built with trackClaims, but "
                + (owner != null
                        ? "its owner's thread, " + livingNames() + ", had not ended and may still publish it"
                        : "it is not known for sure whose it is, and may still be published by "
                                + (threads.isEmpty() ? "a living thread" : livingNames()));
    }

    private String range() {
        return lowest == highest ? "sequence " + lowest : "sequences " + lowest + " to " + highest;
    }

    private String names() {
        return threads.stream()
                .map(thread -> thread.getName() + " (" + thread.getState() + ")")
                .collect(Collectors.joining(" or "));
    }

    /** The names of threads that were alive a moment ago: one that has terminated since was ending then. */
    private String livingNames() {
        return threads.stream()
                .map(thread -> {
                    Thread.State state = thread.getState();
                    return thread.getName() + (state == Thread.State.TERMINATED ? " (ending)" : " (" + state + ")");
                })
                .collect(Collectors.joining(" or "));
    }

    /** In words: ring, range, owner, since when. */
    @Override
    public String toString() {
        return "ring " + ring + ": " + describe();
    }

    /**
     * In words, without the ring: range, owner, since when.
     *
     * @return a part of a sentence
     */
    public String describe() {
        return range() + " claimed"
                + (threads.isEmpty() ? "" : " by " + (isOwnerKnown() ? "" : "perhaps ") + names())
                + " and neither published nor aborted for at least "
                + TimeUnit.NANOSECONDS.toMillis(stoodNanos) + " ms";
    }
}
