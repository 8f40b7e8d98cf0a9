package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.ReadThenSet;

/** What is broken in the module backpressure. */
final class BackpressureRows extends Rows {
    private static final String LIMITER = "io.sluice.backpressure.MultiWriterLimiter";

    BackpressureRows() {
        limiter();
    }

    private void limiter() {
        lincheck("limiter-cas", Kind.CAS_TO_SET, "LimiterLincheckTest")
                .at(LIMITER, "tryAcquire")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }
}
