package io.sluice.backpressure.nak;

/*
 * A law sees overload signals and epochs of silence, and answers with this sender's rate in messages a second, 0 for a pause.
 * It is called by the controller's thread. Times are nanoseconds of the controller's own count, which never runs backwards.
 */
abstract class RateAlgorithm {
    /* What a NAK means, worked out by the controller; reused. */
    static final class Overload {
        int level;
        double capacity;
        /** What the receiver's queue holds plus what is under way to it, from all senders, as far as it is known. */
        double outstanding;

        int senders;
        /** Messages a second that the receiver handles, from two NAKs of it a few epochs apart; negative if unknown. */
        double serviceRate;
        /** The same over a longer time, in which its queue may have been empty: a lower bound; negative if unknown. */
        double longServiceRate;

        double epochNanos;
        /** What this sender sent when the epoch began, messages a second. */
        double rateBefore;
        /** Whether this is the first NAK of an epoch; others may only lower what the first one brought, or know more. */
        boolean firstOfEpoch;
    }

    /** Answers a NAK. */
    abstract double onOverload(Overload overload, double current);

    /**
     * Answers an epoch of silence.
     *
     * @param epochs how many there have been since the last NAK, this one included, 1 or more
     * @param current the rate, 0 while paused
     * @param sent messages sent since the last NAK
     */
    abstract double onSilence(int epochs, double current, double sent);

    /** Takes a rate to begin with, as the last good one. */
    abstract void start(double rate);

    /** The last epoch of silence that is part of the plateau: steps come after it. */
    int plateauEpochs() {
        return 0;
    }
}
