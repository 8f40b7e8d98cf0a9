package io.sluice.perf.lab;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.jmh.JmhContestant;
import java.util.List;

/** Rows for tests, each with one whose sums are wrong. */
public final class BrokenRows implements RowTable {
    static final String COUNTER = "lab-broken-counter";
    static final String JMH = "lab-broken-jmh";
    static final String JOBS = "lab-broken-jobs";

    /** For the service loader. */
    public BrokenRows() {}

    @Override
    public List<Row> rows() {
        return List.of(
                row(COUNTER, new Entry("broken", "loses one", () -> new Contended(1, false, LosesOne::new))),
                row(
                        JMH,
                        JmhContestant.entry(
                                "broken",
                                "loses one",
                                () -> () -> new Addition(new LosesOne()),
                                Addition.EACH,
                                List.of())),
                row(JOBS, new Entry("broken", "does nothing", () -> new Pi(new Idle(), 5))));
    }

    private static Row row(String id, Entry broken) {
        return Row.of("lab-test", id, "ns", "one of two is broken")
                .contestants(
                        "sound",
                        () -> List.of(
                                new Entry("sound", "sound", () -> new Contended(1, false, Counters.Plain::new)),
                                broken))
                .onRequest()
                .build();
    }

    /** Says one less than there were. */
    private static final class LosesOne implements Contended.Shared {
        private final Counters.Plain counter = new Counters.Plain();

        @Override
        public void add(int times) {
            counter.add(times);
        }

        @Override
        public long count() {
            return counter.count() - 1;
        }
    }

    /** Does no job. */
    private static final class Idle implements Pi.Crew {
        @Override
        public Pi.Done all(int jobs) {
            return Pi.done(List.of(new Tally()));
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
