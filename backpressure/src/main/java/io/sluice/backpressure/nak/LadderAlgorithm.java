package io.sluice.backpressure.nak;

/* See RateControl.LADDER. */
final class LadderAlgorithm extends RateAlgorithm {
    private double lowest;

    @Override
    double onOverload(Overload o, double current) {
        double factor = o.level >= 100 ? 0.125 : o.level >= 87 ? 0.5 : o.level >= 75 ? 0.75 : 0.875;
        double rate = o.rateBefore * factor;
        lowest = rate;
        return o.firstOfEpoch ? rate : Math.min(rate, current);
    }

    @Override
    double onSilence(int epochs, double current, double sent) {
        return Math.max(current, lowest / 8) * (1 + Math.min(epochs, 10) / 100.0);
    }

    @Override
    void start(double rate) {
        lowest = rate;
    }
}
