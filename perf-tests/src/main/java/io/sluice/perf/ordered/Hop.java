package io.sluice.perf.ordered;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Probe;
import java.util.concurrent.TimeUnit;

/** One way between the cores: the unit in which delays are measured. */
final class Hop implements Contestant {
    @Override
    public double sample(long nanos) throws InterruptedException {
        return Probe.oneWayNanos(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
}
