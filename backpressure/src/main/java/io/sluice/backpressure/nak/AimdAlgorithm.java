package io.sluice.backpressure.nak;

/* See RateControl.AIMD. */
final class AimdAlgorithm extends RateAlgorithm {
    private double step;
    private double floor;

    @Override
    double onOverload(Overload o, double current) {
        step = Math.max(step, o.rateBefore / 64);
        if (o.level >= 100) {
            floor = o.rateBefore / 2;
            return 0;
        }
        return o.firstOfEpoch ? o.rateBefore / 2 : current;
    }

    @Override
    double onSilence(int epochs, double current, double sent) {
        return Math.max(current, floor / 8) + step;
    }

    @Override
    void start(double rate) {
        step = Math.max(step, rate / 64);
    }
}
