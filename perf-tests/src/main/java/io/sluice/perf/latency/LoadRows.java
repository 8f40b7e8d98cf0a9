package io.sluice.perf.latency;

import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The rows of events at intended times: evenly at many rates, in bursts, and at a load that changes. */
public final class LoadRows implements RowTable {
    /**
     * A contestant with a greater median at an even load does not keep up. One that falls behind has thousands of events waiting, and is
     * far above this median.
     */
    static final double KEEPS_UP_NANOS = 20_000;

    private static final long MILLION = 1_000_000;
    private static final String SLOTS = ", 65536 slots, busy spin";

    /** Even loads in millions of events a second; for the last ones a clock can not be read for each event. */
    static final List<Integer> MILLIONS = List.of(1, 2, 5, 10, 15, 20, 30, 40, 60);

    private static final int LAST_EVENT_BY_EVENT = 30;

    /** Those of the plain command; the others are measured on request. */
    private static final List<Integer> USUAL = List.of(1, 5, 10);

    /**
     * Medians of JVMs that are made the same way are from 83 to 144 ns: few JVMs with many rounds each would say more of those
     * JVMs than of the ring.
     */
    private static final int USUAL_ROUNDS = 2;

    static final List<Integer> SIZES = List.of(10, 100, 1_000);
    static final List<Integer> BURST_MILLIONS = List.of(1, 5);

    private static final double PARITY = 1.05;
    private static final double AHEAD = 0.95;
    private static final double TAIL = 1.10;
    private static final double TAIL_AHEAD = 1.0;

    /** For the service loader. */
    public LoadRows() {}

    @Override
    public List<Row> rows() {
        return Stream.of(even(), List.of(openLoopByDefault()), uneven())
                .flatMap(List::stream)
                .toList();
    }

    /** The open loops, in the order of their loads. */
    static List<Row> even() {
        return Stream.of(Family.values())
                .flatMap(family -> MILLIONS.stream().map(millions -> openLoop(family, millions)))
                .toList();
    }

    /** The bursts, in the order of their sizes, and the loads that change. */
    static List<Row> uneven() {
        List<Row> rows = new ArrayList<>();
        for (Family family : Family.values()) {
            for (int millions : BURST_MILLIONS) {
                SIZES.forEach(size -> rows.add(bursts(family, size, millions)));
            }
            rows.add(changingLoad(family));
        }
        return rows;
    }

    static String openLoopId(Family family, int millions) {
        return "open-loop-" + millions + "m" + family.suffix;
    }

    static String burstsId(Family family, int size, int millions) {
        return "bursts-" + size + "-" + millions + "m" + family.suffix;
    }

    private static Row openLoop(Family family, int millions) {
        boolean eights = millions > LAST_EVENT_BY_EVENT;
        Pace pace = eights ? Pace.eights(millions * MILLION) : Pace.even(millions * MILLION);
        Target.Field field = new Target.Field(family.peers(), KEEPS_UP_NANOS);
        Row.Builder row = Row.of(
                        Row.COMPARE,
                        openLoopId(family, millions),
                        "ns",
                        "open loop at " + millions + " million events a second"
                                + (eights ? ", due by eights, one in eight timed" : "") + SLOTS)
                .contestants(family.lmax, () -> family.all(lane -> new OpenLoop(lane, pace)))
                .targets(Stream.of(
                                family.toBest(Figure.MEDIAN, PARITY, AHEAD, KEEPS_UP_NANOS),
                                family.toBest(Figure.P90, TAIL, TAIL_AHEAD, KEEPS_UP_NANOS),
                                family.toBest(Figure.QUIET_P99, TAIL, TAIL_AHEAD, KEEPS_UP_NANOS))
                        .flatMap(targets -> targets)
                        .toArray(Target[]::new))
                .notes(measurement -> measurement.behind(field, Labels::nanos))
                .topology("sender->receiver");
        boolean usual = family == Family.SINGLE && USUAL.contains(millions);
        return (usual ? row.freshJvmsAfter(USUAL_ROUNDS) : row.onRequest()).build();
    }

    /** The open loop with the default idle strategies: it is no line of a curve, since the others spin. */
    private static Row openLoopByDefault() {
        return Row.of(
                        Row.COMPARE,
                        openLoopId(Family.SINGLE, 1) + "-default",
                        "ns",
                        "open loop at 1 million events a second, 65536 slots, each ring with its default idle strategy")
                .contestants("lmax-default", () -> Entries.defaults(lane -> new OpenLoop(lane, Pace.even(MILLION))))
                .targets(Target.atMost("sluice-default", "lmax-default", 1.0, 1.0))
                .topology("sender->receiver")
                .freshJvmsAfter(USUAL_ROUNDS)
                .build();
    }

    private static Row bursts(Family family, int size, int millions) {
        Pace pace = Pace.bursts(millions * MILLION, size);
        return onRequest(
                        burstsId(family, size, millions),
                        "bursts of " + size + " events back to back, " + millions + " million a second in the mean")
                .contestants(family.lmax, () -> family.objectsAndBound(lane -> new OpenLoop(lane, pace)))
                .targets(Stream.of(
                                family.toBest(Figure.MEDIAN, PARITY, AHEAD, Double.POSITIVE_INFINITY),
                                family.toBest(Figure.LAST_OF_BURST, PARITY, AHEAD, Double.POSITIVE_INFINITY))
                        .flatMap(targets -> targets)
                        .toArray(Target[]::new))
                .build();
    }

    private static Row changingLoad(Family family) {
        Target fast = Target.atLeast(family.sluice, family.lmax, 2, 3).on(Figure.FAST_PHASES);
        return onRequest(
                        "changing-load" + family.suffix,
                        "open loop, every 5 ms in turn at 5 million events a second and as fast as it goes")
                .contestants(family.lmax, () -> family.objects(ChangingLoad::new))
                .targets(Stream.concat(
                                family.toBest(Figure.MEDIAN, 1.25, PARITY, Double.POSITIVE_INFINITY), Stream.of(fast))
                        .toArray(Target[]::new))
                .build();
    }

    private static Row.Builder onRequest(String id, String title) {
        return Row.of(Row.COMPARE, id, "ns", title + SLOTS).onRequest().topology("sender->receiver");
    }
}
