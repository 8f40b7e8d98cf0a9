package io.sluice.ringbuffer;

/**
 * The claim word of a ring with many producers: {@code next << 1 | CLOSED}. Claims move it by CAS. The end of RUNNING sets CLOSED by
 * CAS too, so the order of the two decides which claims were granted before the end: drain is exact.
 */
final class ClaimWord {
    private static final long CLOSED = 1;

    private ClaimWord() {}

    static boolean isClosed(long word) {
        return (word & CLOSED) != 0;
    }

    static long closed(long word) {
        return word | CLOSED;
    }

    /** The next sequence to be claimed. */
    static long next(long word) {
        return word >> 1;
    }

    /** The word of a ring that is not closed. */
    static long open(long next) {
        return next << 1;
    }
}
