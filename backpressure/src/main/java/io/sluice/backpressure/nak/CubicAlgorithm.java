package io.sluice.backpressure.nak;

/* See RateControl.CUBIC. */
final class CubicAlgorithm extends RateAlgorithm {
    private static final double BETA = 0.7;
    private static final double BACK_EPOCHS = 8;

    private double top;
    private double rate;

    @Override
    double onOverload(Overload o, double current) {
        if (o.firstOfEpoch) {
            top = o.rateBefore;
            rate = BETA * top;
        }
        return o.level >= 100 ? 0 : rate;
    }

    @Override
    double onSilence(int epochs, double current, double sent) {
        double x = (epochs - BACK_EPOCHS) / BACK_EPOCHS;
        return Math.max(rate, top * (1 + (1 - BETA) * x * x * x));
    }

    @Override
    int plateauEpochs() {
        return (int) BACK_EPOCHS;
    }

    @Override
    void start(double rate) {
        top = rate;
        this.rate = BETA * rate;
    }
}
