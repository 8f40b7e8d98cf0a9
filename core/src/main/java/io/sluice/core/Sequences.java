package io.sluice.core;

/** Minima over sequences. */
public final class Sequences {
    private Sequences() {}

    /**
     * The lowest of the views' values, each read with acquire: the caller sees all that their writers did up to that
     * value. The values are read one after another; since sequences only grow, the result is never above the true
     * minimum at the time of return.
     *
     * @param views the sequences
     * @param none what to return if there are none, also the highest value that is returned
     * @return the minimum
     */
    public static long minimum(SequenceView[] views, long none) {
        long minimum = none;
        for (SequenceView view : views) {
            minimum = Math.min(minimum, view.get()); // acquire, by the contract of SequenceView
        }
        return minimum;
    }
}
