package io.sluice.perf.lab;

import io.sluice.perf.jmh.JmhContestant;

/** Additions to a counter, by one thread. JMH times {@value #EACH} at a time, as many as several threads do between two looks at the clock. */
final class Addition implements JmhContestant.Operation {
    static final int EACH = Contended.CHECK_EVERY;

    private final Contended.Shared shared;

    Addition(Contended.Shared shared) {
        this.shared = shared;
    }

    @Override
    public long run() {
        shared.add(EACH);
        return 0;
    }

    @Override
    public void check(long operations) {
        if (shared.count() != operations) {
            throw new IllegalStateException(
                    "JMH counted " + operations + " additions, but the counter has " + shared.count());
        }
    }
}
