package io.sluice.perf.ordered;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Items a second through a library's stage, with the same work as through a lane. */
final class StageRate implements Contestant {
    private static final int STARTED_WITH = 100;

    private final Stage stage;
    private final int workers;
    private final long workNanos;

    private StageRate(Stage stage, int workers, long workNanos) throws Exception {
        this.stage = stage;
        this.workers = workers;
        this.workNanos = workNanos;
        long[] next = {0};
        // loads the library, which may take longer than a sample
        stage.run(() -> next[0] < STARTED_WITH ? next[0]++ : -1, workers, item -> item, value -> {});
    }

    static List<Entry> entries(int workers, long workNanos) {
        List<Entry> entries = new ArrayList<>();
        for (Stage stage : Stage.available()) {
            entries.add(new Entry(stage.id(), stage.label(), () -> new StageRate(stage, workers, workNanos)));
        }
        return entries;
    }

    @Override
    public double sample(long nanos) throws Exception {
        CheckedOutput output = new CheckedOutput();
        long[] next = {0};
        long begin = System.nanoTime();
        stage.run(
                () -> System.nanoTime() - begin < nanos ? next[0]++ : -1,
                workers,
                item -> {
                    Workload.work(ThreadLocalRandom.current(), workNanos);
                    return Item.of(item);
                },
                value -> output.on(Item.ticket(value), value));
        long end = System.nanoTime();
        output.check(next[0]);
        return next[0] * 1e9 / (end - begin);
    }
}
