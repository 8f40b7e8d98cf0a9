package io.sluice.perf.lab;

import io.sluice.perf.jmh.JmhContestant;

/** One addition to a counter, by one thread. JMH times it. */
final class Addition implements JmhContestant.Operation {
    private final Contended.Shared shared;

    Addition(Contended.Shared shared) {
        this.shared = shared;
    }

    @Override
    public long run() {
        shared.add(1);
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
