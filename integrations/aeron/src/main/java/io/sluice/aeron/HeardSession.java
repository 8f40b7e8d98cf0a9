package io.sluice.aeron;

import io.aeron.Image;
import org.jspecify.annotations.Nullable;

/** A session that a receiver hears, or heard. For its thread. */
final class HeardSession {
    /** The next number that is due. Sessions of one sender share it. */
    static final class Numbers {
        /** 0 while any number may come. */
        long expected;

        Numbers(long expected) {
            this.expected = expected;
        }
    }

    final int id;
    final Numbers numbers;
    boolean present = true;
    boolean begun;
    long holeBefore; // in a replay: the number behind the hole that was told; 0 to tell it

    @Nullable
    Image image; // null when it has gone

    // its publication, as the newest image of it tells
    long correlationId;
    int initialTermId;
    long left; // the position at which its image has gone

    private long quietAt = -1;
    private long quietSince;

    HeardSession(int id, Numbers numbers) {
        this.id = id;
        this.numbers = numbers;
    }

    /** Whether a message is the first one with a number, or one that is not due. */
    boolean isIrregular(long number) {
        return number != FrameWriter.NO_NUMBER && (number != numbers.expected || !begun);
    }

    /**
     * Whether an image is of this session's publication, which comes again, and not of a new one with the same id. A new publication has a
     * first term of its own, drawn at random. If its channel names the term, it has another image, and begins before the position where
     * this one went.
     */
    boolean isOf(int initialTermId, long correlationId, long joinPosition) {
        return initialTermId == this.initialTermId && (correlationId == this.correlationId || joinPosition >= left);
    }

    /** Whether its image has stood at a position for so long, as others looked at it. */
    boolean isQuiet(long position, long now, long nanos) {
        if (position != quietAt) {
            quietAt = position;
            quietSince = now;
        }
        return now - quietSince >= nanos;
    }
}
