package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** The rows of round trips. */
public final class LatencyRows implements RowTable {
    private static final String BLOCKING = "lmax-blocking";
    private static final String EXACT = "sluice-exact";

    /** For the service loader. */
    public LatencyRows() {}

    @Override
    public List<Row> rows() {
        Function<Lane.Transport, Contestant> backToBack = lane -> new RoundTrip(lane, 0);
        return List.of(
                roundTrip("round-trip", "busy spin")
                        .contestants("raw", () -> {
                            var entries = new ArrayList<>(Entries.spinning(backToBack));
                            entries.add(Entries.bytes(Entries.BYTES, Long.BYTES, backToBack));
                            entries.add(Entries.raw(backToBack));
                            return entries;
                        })
                        .targets(roundTripTargets())
                        .build(),
                roundTrip("round-trip-blocking", "blocking, back to back")
                        .contestants(BLOCKING, () -> Entries.blocking(backToBack))
                        .targets(
                                Target.atMost(EXACT, Entries.PHASED, 1.0, 0.9),
                                Target.atMost(Entries.PARKING, BLOCKING, 1.1, 0.9),
                                Target.atMost(Entries.PARKING, Entries.LITE, 1.1, 0.9))
                        .build(),
                roundTrip("round-trip-blocking-1ms", "blocking, 1 ms between pings")
                        .contestants(
                                BLOCKING,
                                () -> Entries.blocking(lane -> new RoundTrip(lane, TimeUnit.MILLISECONDS.toNanos(1))))
                        .targets(
                                Target.atMost(EXACT, BLOCKING, 1.1, 1.1),
                                Target.atMost(EXACT, Entries.LITE, 1.1, 1.1),
                                Target.atMost(EXACT, Entries.PHASED, 1.1, 1.1))
                        .build());
    }

    /** To the bound, and to every peer, also in the tails. */
    private static Target[] roundTripTargets() {
        Stream<Target> peers = Stream.of("lmax", "jctools-spsc", Entries.AGRONA_RING, Entries.AGRONA_QUEUE)
                .flatMap(peer -> Stream.of(
                        Target.atMost("sluice", peer, 1.0, 0.9),
                        Target.atMost("sluice", peer, 1.10, 1.0).on(Figure.P90),
                        Target.atMost("sluice", peer, 1.10, 1.0).on(Figure.QUIET_P99)));
        return Stream.concat(
                        Stream.of(
                                Target.atMost("sluice", "raw", 1.4, 1.2),
                                Target.atMost(Entries.BYTES, "raw", 1.15, 1.05)),
                        peers)
                .toArray(Target[]::new);
    }

    /** Two rings, two threads, one ping on its way. */
    private static Row.Builder roundTrip(String id, String idle) {
        return Row.of(Row.COMPARE, id, "ns", "round trip over two rings of 65536 slots, " + idle)
                .topology("asking->echoing", "echoing->asking");
    }
}
