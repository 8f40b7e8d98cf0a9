package io.sluice.core.access;

/*
 * Each compare-and-set takes the claim word's cache line from the other core. Producers that claim as fast as they can spend their
 * time on that line. So a claim that loses waits a little, and the others claim from their own cache meanwhile. Producers that
 * claim now and then lose now and then, and must not wait for it. The time from the end of one loss, with its wait, to the next tells
 * the two apart:
 *
 *   2 us and more    no wait
 *   less             4 spin hints, then 8, 16, and 32 each time
 *
 * One word says when the last loss ended and how long its claim waited: the time with its lowest bits replaced. Where producers
 * share a word, a claim that loses while others race waits as they do.
 */
/** The wait of a claim that has lost a compare-and-set to another producer's claim. */
public final class ClaimRace {
    static final long RECENT_NANOS = 2_000;
    static final int FEWEST_HINTS = 4;
    static final int MOST_HINTS = 32;

    private static final long HINTS_MASK = 63;

    private ClaimRace() {}

    /**
     * Waits if losses are frequent: {@value #MOST_HINTS} spin hints at most, about a microsecond. Reads the clock. Neither blocks nor
     * allocates.
     *
     * @param lastLoss what this returned at the last loss of a claim, 0 if there was none; if threads share it, any of theirs
     * @return what to hand over at the next loss
     */
    public static long lost(long lastLoss) {
        int waited = hints(lastLoss, System.nanoTime());
        for (int hints = waited; hints > 0; hints--) {
            Thread.onSpinWait();
        }
        return word(System.nanoTime(), waited);
    }

    /** How many hints a claim waits that loses at the time `now`. */
    static int hints(long lastLoss, long now) {
        int longer = Math.max(FEWEST_HINTS, 2 * (int) (lastLoss & HINTS_MASK));
        return now - lastLoss < RECENT_NANOS ? Math.min(longer, MOST_HINTS) : 0;
    }

    /** The word of a loss that ended at a time. */
    static long word(long end, int waited) {
        return (end & ~HINTS_MASK) | waited;
    }
}
