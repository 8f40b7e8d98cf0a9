package io.sluice.perf.ordered;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Times;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * The delay that the ordering adds. It runs from the earliest time at which item i could be put out until it was put out; the earliest time
 * is when the last of the items 0 to i was finished. Two workers, a microsecond of work an item.
 *
 * <p>A delay above {@link #PREEMPTED_NANOS} is that of a thread that did not run; it is counted apart, and is no part of the
 * figure. It is part of the detail. But where more than one in a thousand of a sample is so late, all of it counts: a percentile of 99
 * must not be had by leaving things out.
 */
final class Delay implements Contestant {
    /** A longer delay means that a thread did not run. It is two hundred times the time of a hand-over between neighbouring cores. */
    static final long PREEMPTED_NANOS = 10_000;

    private static final int EXCEPTIONS = 1_000;
    private static final int WORKERS = 2;
    private static final long WORK_NANOS = 1_000;
    private static final int MOST = 1 << 18;

    private final Lane.Maker maker;
    private final double percentile;
    private final long[] finished = new long[MOST + WORKERS];
    private final long[] released = new long[MOST + WORKERS];
    private String detail = "";

    private Delay(Lane.Maker maker, double percentile) throws InterruptedException {
        this.maker = maker;
        this.percentile = percentile;
        Rate.past(maker, WORKERS, Workload.working(WORK_NANOS));
    }

    static Entry entry(String id, String label, double percentile, Lane.Maker maker) {
        return new Entry(id, label, () -> new Delay(maker, percentile));
    }

    @Override
    public double sample(long nanos) throws InterruptedException {
        CheckedOutput checked = new CheckedOutput();
        Output output = (ticket, value) -> {
            released[(int) ticket] = System.nanoTime();
            checked.on(ticket, value);
        };
        long items;
        try (Lane lane = maker.make(output)) {
            items = Team.work(lane, output, WORKERS, this::work, nanos).items();
        }
        checked.check(items);
        Histogram all = delays(finished, released, (int) items);
        detail = Times.write(all);
        return percentile(all, percentile);
    }

    private long work(Lane lane, Item[] items, int worker, long until) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(worker);
        long done = 0;
        long ticket;
        do {
            ticket = lane.take(1);
            finished[(int) ticket] = Workload.work(random, WORK_NANOS);
            lane.complete(ticket, items[(int) ticket & (items.length - 1)].fill(ticket));
            done++;
        } while (finished[(int) ticket] - until < 0 && ticket < MOST - 1);
        return done;
    }

    static Histogram delays(long[] finished, long[] released, int items) {
        Histogram delays = Times.histogram();
        long possible = Long.MIN_VALUE;
        for (int i = 0; i < items; i++) {
            possible = i == 0 ? finished[0] : possible + Math.max(0, finished[i] - possible);
            Times.record(delays, released[i] - possible);
        }
        return delays;
    }

    /** A percentile of the delays that are not counted apart. */
    static double percentile(Histogram delays, double percentile) {
        if (preempted(delays) * EXCEPTIONS > delays.getTotalCount()) {
            return delays.getValueAtPercentile(percentile);
        }
        Histogram running = Times.histogram();
        delays.recordedValues().forEach(step -> {
            if (step.getValueIteratedTo() <= PREEMPTED_NANOS) {
                running.recordValueWithCount(step.getValueIteratedTo(), step.getCountAddedInThisIterationStep());
            }
        });
        return running.getValueAtPercentile(percentile);
    }

    /** The number of delays above {@link #PREEMPTED_NANOS}. */
    static long preempted(Histogram delays) {
        long apart = 0;
        for (var step : delays.recordedValues()) {
            apart += step.getValueIteratedTo() > PREEMPTED_NANOS ? step.getCountAddedInThisIterationStep() : 0;
        }
        return apart;
    }
}
