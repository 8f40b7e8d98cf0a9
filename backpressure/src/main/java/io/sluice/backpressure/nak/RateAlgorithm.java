package io.sluice.backpressure.nak;

/*
 * Answers each NAK that is acted upon, and each epoch of silence, with the rate of this sender: messages a second, 0 for a pause.
 * Called by the controller's thread.
 */
abstract class RateAlgorithm {
    /* The meaning of a NAK, as the RateFinder works it out; one object, reused. */
    static final class Overload {
        int level;
        double capacity;
        /** Messages in the receiver's queue and on their way to it, from all senders, as far as is known. */
        double outstanding;

        int senders;
        /** Messages a second that the receiver handles, from two of its NAKs a few epochs apart; negative if unknown. */
        double serviceRate;
        /** The same over a longer time. A lower bound, since the queue may have been empty in it; negative if unknown. */
        double longServiceRate;

        double epochNanos;
        /** Messages a second that this sender sent when the epoch began. */
        double rateBefore;
        /** Whether this is the first NAK of an epoch. A later one may only lower the rate, or knows more. */
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

    /** Begins with a rate, as if it were the last good one. */
    abstract void start(double rate);

    /** Epochs of silence on the plateau: the rate rises after them. */
    int plateauEpochs() {
        return 0;
    }
}
