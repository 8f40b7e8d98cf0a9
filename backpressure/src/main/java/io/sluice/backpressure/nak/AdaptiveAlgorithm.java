package io.sluice.backpressure.nak;

/* See RateControl.ADAPTIVE. */
final class AdaptiveAlgorithm extends RateAlgorithm {
    /** The part of the service rate that is sent while the receiver drains its surplus. */
    static final double DRAIN = 0.92;
    /** Sent on the plateau. */
    static final double PLATEAU = 0.97;

    private static final int PLATEAU_EPOCHS = 4;
    private static final int TRICKLE_EPOCHS = 3;
    private static final double[] STEPS = {1.01, 1.02, 1.04, 1.08, 1.16, 1.25};

    private double resume;
    private double lastGood;
    private double headroom;
    private double epochNanos = 1;
    private boolean stopped;

    @Override
    double onOverload(Overload o, double current) {
        epochNanos = o.epochNanos;
        double room = Math.max(0, o.capacity - o.outstanding);
        headroom = room / o.senders;
        double safe = headroom * 1e9 / o.epochNanos; // as much as fits if the receiver stops for an epoch
        double rate;
        if (o.serviceRate >= 0) {
            double own = o.serviceRate / o.senders;
            stopped = own * o.epochNanos < 1e9 * o.capacity / 1000;
            if (!stopped) {
                lastGood = own;
            }
            resume = PLATEAU * own;
            rate = Math.min(DRAIN * own, safe);
        } else {
            stopped = false;
            lastGood = Math.max(lastGood, o.rateBefore / 2);
            double known = o.longServiceRate >= 0 ? PLATEAU * o.longServiceRate / o.senders : 0.85 * o.rateBefore;
            if (o.firstOfEpoch) {
                resume = o.senders > 1 && o.longServiceRate >= 0
                        ? Math.max(o.rateBefore / 8, known)
                        : Math.max(o.rateBefore / 2, Math.min(known, PLATEAU * o.rateBefore));
            }
            rate = Math.min(o.rateBefore / 2, safe / 2);
            if (!o.firstOfEpoch) {
                rate = Math.min(rate, current);
            }
        }
        return o.level >= 100 ? 0 : rate;
    }

    @Override
    double onSilence(int epochs, double current, double sent) {
        if (stopped) {
            if (epochs <= TRICKLE_EPOCHS) {
                // The NAKs may have been lost: a quarter of what may still fit, so that it never overflows.
                return Math.max(0, headroom - sent) / 4 * 1e9 / epochNanos;
            }
            stopped = false;
            resume = Math.max(resume, PLATEAU * lastGood);
            return Math.max(resume, current);
        }
        if (epochs <= PLATEAU_EPOCHS) {
            return Math.max(resume, epochs == 1 ? 0 : current);
        }
        return current * STEPS[Math.min(epochs - PLATEAU_EPOCHS, STEPS.length) - 1];
    }

    @Override
    int plateauEpochs() {
        return PLATEAU_EPOCHS;
    }

    @Override
    void start(double rate) {
        resume = rate;
        lastGood = rate;
    }
}
