package io.sluice.perf.latency;

import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import io.sluice.perf.report.svg.Labels;
import java.util.List;
import java.util.stream.Stream;

/** The rows of messages of 8 bytes at intended times: fixed slots and messages beside the best of Agrona's ring and queue. */
public final class WordRows implements RowTable {
    /** Even loads in millions of messages a second. */
    static final List<Integer> MILLIONS = List.of(1, 5, 10, 20);

    /** Sizes of bursts, at a million messages a second in the mean. */
    static final List<Integer> SIZES = List.of(10, 100);

    private static final long MILLION = 1_000_000;
    private static final List<String> PEERS = List.of(Entries.AGRONA_RING, Entries.AGRONA_QUEUE);
    private static final double PARITY = 1.0;
    private static final double AHEAD = 0.9;

    /** For the service loader. */
    public WordRows() {}

    @Override
    public List<Row> rows() {
        return Stream.concat(
                        MILLIONS.stream().map(WordRows::openLoop),
                        SIZES.stream().map(WordRows::bursts))
                .toList();
    }

    private static Row openLoop(int millions) {
        Target.Field field = new Target.Field(PEERS, LoadRows.KEEPS_UP_NANOS);
        return row(
                        "bytes-open-loop-" + millions + "m",
                        "open loop at " + millions + " million messages a second",
                        Pace.even(millions * MILLION),
                        field)
                .notes(measurement -> measurement.behind(field, Labels::nanos))
                .build();
    }

    private static Row bursts(int size) {
        return row(
                        "bytes-bursts-" + size + "-1m",
                        "bursts of " + size + " messages back to back, 1 million a second in the mean",
                        Pace.bursts(MILLION, size),
                        new Target.Field(PEERS, Double.POSITIVE_INFINITY))
                .build();
    }

    private static Row.Builder row(String id, String title, Pace pace, Target.Field field) {
        return Row.of(Row.COMPARE, id, "ns", title + ", 8 bytes each, room for 65536, busy spin")
                .contestants(Entries.AGRONA_RING, () -> Entries.words(lane -> OpenLoop.ofWords(lane, pace)))
                .targets(Stream.of(Entries.BYTES, Entries.MESSAGES)
                        .map(own -> Target.atMost(own, Entries.AGRONA_RING, PARITY, AHEAD))
                        .flatMap(target -> target.toBestOf(field).stream())
                        .toArray(Target[]::new))
                .onRequest()
                .topology("sender->receiver");
    }
}
