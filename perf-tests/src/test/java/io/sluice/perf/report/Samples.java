package io.sluice.perf.report;

import io.sluice.perf.report.TargetResult.Guard;
import io.sluice.perf.report.TargetResult.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/** Reports for tests, with every part filled and texts that are hard to write. */
final class Samples {
    static final String HARD = "<b>&\"'\u00df\u4e2d]]></style>";

    private Samples() {}

    static Report report(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Machine machine = new Machine(
                "Imagined CPU " + HARD,
                2,
                "Linux 6.1 amd64",
                List.of(jvm("OpenJDK 17"), jvm("OpenJDK 25")),
                new Clock("tsc", 22.5, 10),
                "1.2.3-SNAPSHOT",
                "0123456789abcdef+",
                List.of(new Library("LMAX Disruptor", "4.5.6"), new Library("Agrona", "7.8.9")),
                "./sluice bench compare --rows '" + HARD + "'",
                0.25,
                "pinned");
        return Report.of(
                "Comparison " + HARD,
                "2026-11-21T08:00:00Z",
                true,
                machine,
                List.of(rate("1p1c", "OpenJDK 17", random), rate("1p1c", "OpenJDK 25", random), trip(random)));
    }

    private static RowResult rate(String id, String jvm, SplittableRandom random) {
        return new RowResult(
                id,
                "one producer, one consumer " + HARD,
                "events/s",
                false,
                jvm,
                "lmax",
                List.of(new Link("producer", "a"), new Link("producer", "b"), new Link("a", "c"), new Link("b", "c")),
                List.of(
                        contestant("sluice", "Sluice SINGLE", 1.7 + random.nextDouble(), 250e6),
                        contestant("lmax", "LMAX Disruptor SINGLE", 1, 150e6),
                        contestant("queue", "Agrona ManyToOneConcurrentArrayQueue, a long name " + HARD, 0.05, 1e6),
                        new ContestantResult("none", "never near", Role.PEER, Spread.NONE, 0, 54, Map.of("far", 9))),
                List.of(
                        new TargetResult(
                                "sluice",
                                "lmax",
                                "median",
                                1.7,
                                2.5,
                                false,
                                new Spread(30, 10, 1.6, 1.8, 2),
                                Verdict.HOLDS,
                                "",
                                new Guard("2026-11-01", 1.9, false)),
                        new TargetResult(
                                "queue",
                                "lmax",
                                "p90",
                                1.5,
                                2,
                                false,
                                new Spread(31, 10, 0.04, 0.05, 0.06),
                                Verdict.LOSS,
                                "",
                                Guard.NONE),
                        new TargetResult(
                                "none",
                                "lmax",
                                "median",
                                5,
                                10,
                                false,
                                Spread.NONE,
                                Verdict.NOT_MEASURED,
                                "",
                                Guard.NONE)),
                List.of(),
                List.of("configuration " + HARD));
    }

    private static RowResult trip(SplittableRandom random) {
        return new RowResult(
                "round-trip",
                "there and back",
                "ns",
                true,
                "OpenJDK 17",
                "raw",
                List.of(new Link("ping", "pong"), new Link("pong", "ping")),
                List.of(
                        contestant("sluice", "Sluice SINGLE", 1.3, 170),
                        contestant("raw", "raw ping-pong", 1, 130),
                        contestant("blocking", "blocking", 570, 74_000)),
                List.of(new TargetResult(
                        "sluice",
                        "raw",
                        "median",
                        1.4,
                        1.2,
                        true,
                        new Spread(30, 10, 1.2, 1.5, 1.7),
                        Verdict.OUT_OF_REACH,
                        "bare: 1.45",
                        Guard.NONE)),
                List.of(distribution("Sluice", 170, random), distribution("raw", 130, random)),
                List.of());
    }

    private static ContestantResult contestant(String id, String label, double median, double own) {
        Map<String, Integer> modes = new LinkedHashMap<>();
        modes.put("near", 31);
        modes.put("far", 4);
        return new ContestantResult(
                id,
                label,
                role(id),
                new Spread(31, 10, median * 0.9, median, median * 1.1),
                own,
                54,
                modes,
                Own.of(new double[] {own * 0.5, own * 0.51, own * 0.49, own, own * 1.01, own * 1.02, own * 1.03}),
                List.of());
    }

    static Role role(String id) {
        return id.startsWith("sluice") ? Role.SLUICE : id.equals("raw") ? Role.BOUND : Role.PEER;
    }

    private static Jvm jvm(String name) {
        return new Jvm(name, "Imagined Vendor", "G1", List.of("-Xmx512m"));
    }

    private static Distribution distribution(String name, long least, SplittableRandom random) {
        Histogram histogram = new Histogram(3);
        for (int i = 0; i < 100_000; i++) {
            histogram.recordValue(least + (long) (20 / (random.nextDouble() + 1e-5)));
        }
        return Distribution.of(name, "ns", histogram);
    }
}
