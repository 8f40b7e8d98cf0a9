package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The rows of round trips and of events at intended times. */
public final class LatencyRows implements RowTable {
    private static final String BLOCKING = "lmax-blocking";

    /** For the service loader. */
    public LatencyRows() {}

    @Override
    public List<Row> rows() {
        Function<Lane.Transport, Contestant> backToBack = lane -> new RoundTrip(lane, 0);
        return List.of(
                roundTrip("round-trip", "busy spin")
                        .contestants("raw", () -> {
                            var entries = new ArrayList<>(Entries.spinning(backToBack));
                            entries.add(Entries.raw(backToBack));
                            return entries;
                        })
                        .targets(Target.atMost("sluice", "raw", 1.4, 1.2))
                        .build(),
                roundTrip("round-trip-blocking", "blocking, back to back")
                        .contestants(BLOCKING, () -> Entries.blocking(backToBack))
                        .targets(Target.atMost("sluice-exact", BLOCKING, 0.5, 0.5))
                        .build(),
                roundTrip("round-trip-blocking-1ms", "blocking, 1 ms between pings")
                        .contestants(
                                BLOCKING,
                                () -> Entries.blocking(lane -> new RoundTrip(lane, TimeUnit.MILLISECONDS.toNanos(1))))
                        .targets(Target.atMost("sluice-exact", BLOCKING, 1.1, 1.1))
                        .build(),
                openLoop(1),
                openLoop(5),
                openLoop(10));
    }

    /** Two rings, two threads, one ping on its way. */
    private static Row.Builder roundTrip(String id, String idle) {
        return Row.of(Row.COMPARE, id, "ns", "round trip over two rings of 65536 slots, " + idle)
                .topology("asking->echoing", "echoing->asking");
    }

    /**
     * Medians of JVMs that are made the same way are from 83 to 144 ns: few JVMs with many rounds each would say more of those
     * JVMs than of the ring.
     */
    private static Row openLoop(int millions) {
        return Row.of(
                        Row.COMPARE,
                        "open-loop-" + millions + "m",
                        "ns",
                        "open loop at " + millions + " million events a second, 65536 slots, busy spin")
                .contestants("lmax", () -> Entries.spinning(lane -> new OpenLoop(lane, millions * 1_000_000L)))
                .freshJvmsAfter(2)
                .targets(
                        Target.atMost("sluice", "lmax", 1.05, 0.95),
                        Target.atMost("sluice", "jctools-spsc", 1.05, 0.95),
                        Target.atMost("sluice", "agrona-queue", 1.05, 0.95))
                .topology("sender->receiver")
                .build();
    }
}
