package io.sluice.perf.ordered;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;

/**
 * Items a second through a lane. Before the first sample other outputs have gone through the same code, as in any real program,
 * so that nothing is compiled for one of them only.
 */
final class Rate implements Contestant {
    private static final long PAST_NANOS = 20_000_000;

    private final Lane.Maker maker;
    private final int workers;
    private final Workload workload;
    private final boolean ordered;

    private Rate(Lane.Maker maker, int workers, Workload workload, boolean ordered) throws InterruptedException {
        this.maker = maker;
        this.workers = workers;
        this.workload = workload;
        this.ordered = ordered;
        past(maker, workers, workload);
    }

    static Entry entry(String id, String label, int workers, Workload workload, Lane.Maker maker) {
        return new Entry(id, label, () -> new Rate(maker, workers, workload, true));
    }

    /** A contestant whose items come in any order; its lane checks them itself. */
    static Entry unordered(String id, String label, int workers, Workload workload) {
        return new Entry(id, label, () -> new Rate(output -> new UnorderedLane(), workers, workload, false));
    }

    static void past(Lane.Maker maker, int workers, Workload workload) throws InterruptedException {
        long[] seen = new long[3];
        Output[] others = {
            (ticket, value) -> seen[0] += value,
            (ticket, value) -> seen[1] ^= ticket,
            (ticket, value) -> seen[2] = Math.max(seen[2], value)
        };
        for (Output other : others) {
            try (Lane lane = maker.make(other)) {
                Team.work(lane, other, workers, workload, PAST_NANOS);
            }
        }
    }

    @Override
    public double sample(long nanos) throws InterruptedException {
        CheckedOutput output = new CheckedOutput();
        try (Lane lane = maker.make(output)) {
            Team.Done done = Team.work(lane, output, workers, workload, nanos);
            if (ordered) {
                output.check(done.items());
            }
            return done.perSecond();
        }
    }
}
