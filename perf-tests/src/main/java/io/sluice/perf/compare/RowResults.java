package io.sluice.perf.compare;

import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.Further;
import io.sluice.perf.report.Link;
import io.sluice.perf.report.Own;
import io.sluice.perf.report.Role;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
import io.sluice.perf.report.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/** Makes the rows of a report from measurements. */
final class RowResults {
    private RowResults() {}

    /**
     * A row of a report.
     *
     * @param row what was measured
     * @param visited who took part
     * @param measurement what was found
     * @param jvm on which JVM
     * @param processor on which processor
     * @param asked how many near rounds were asked for
     * @param published what was published last
     * @param notes further lines for the reader
     * @return the row
     */
    static RowResult of(
            Row row,
            List<Visited> visited,
            Measurement measurement,
            String jvm,
            String processor,
            int asked,
            Published published,
            List<String> notes) {
        List<ContestantResult> contestants = new ArrayList<>();
        for (Visited one : visited) {
            Interval near = measurement.values(one.id());
            contestants.add(new ContestantResult(
                    one.id(),
                    one.label(),
                    one.entry().role(),
                    spread(measurement.ratio(one.id(), row.reference())),
                    near.rounds() == 0 ? 0 : near.median(),
                    hop(measurement, one.id()),
                    modes(measurement, one.id()),
                    Own.of(measurement.nearValues(one.id())),
                    further(measurement, one.id())));
        }
        List<TargetResult> targets = new BestPeer(
                        measurement,
                        id -> visited.stream().anyMatch(one -> one.id().equals(id)),
                        asked)
                .choose(row.targets(), target -> {
                    TargetResult.Guard guard = published.guard(row.id(), target, jvm, processor);
                    return target(target, visited, measurement, asked, guard);
                });
        return new RowResult(
                row.id(),
                row.title(),
                row.unit(),
                row.lessIsBetter(),
                jvm,
                row.reference(),
                row.topology().stream().map(Link::parse).toList(),
                contestants,
                targets,
                distributions(row, visited, measurement),
                notes);
    }

    private static TargetResult target(
            Target target, List<Visited> visited, Measurement measurement, int asked, TargetResult.Guard guard) {
        Interval ratio = measurement.ratio(target.figure(), target.contestant(), target.peer());
        Target.Limit limit = target.limit();
        Interval bare =
                limit == null ? Interval.NONE : measurement.ratio(target.figure(), limit.contestant(), target.peer());
        Map<String, Interval> toBare =
                limit == null ? Map.of() : toBare(target, limit.contestant(), visited, measurement);
        return new TargetResult(
                target.contestant(),
                target.peer(),
                target.figure().toString(),
                target.must(),
                target.stretch(),
                target.atMost(),
                spread(ratio),
                target.verdict(ratio, bare, toBare, asked, guard),
                limit == null || bare.rounds() == 0 ? "" : words(target, limit, bare, toBare),
                guard);
    }

    /**
     * The ratios of the shipped contestants to each variant of them: no target names these.
     *
     * @param contestants the ids of all
     * @param measurement what was found
     * @return a line for each variant that was near in a round with what is shipped
     */
    static List<String> toVariants(List<String> contestants, Measurement measurement) {
        List<String> lines = new ArrayList<>();
        for (String variant : contestants) {
            String shipped = Visited.shippedId(variant);
            Interval ratio = shipped.equals(variant) ? Interval.NONE : measurement.ratio(shipped, variant);
            if (ratio.rounds() > 0) {
                lines.add(shipped + ": " + spread(ratio).words(variant).strip());
            }
        }
        return lines;
    }

    /** The figures that stand beside the histograms of a contestant's samples. */
    private static List<Further> further(Measurement measurement, String contestant) {
        List<Further> further = new ArrayList<>();
        for (Figure figure : Figure.values()) {
            Interval values = figure.isBeside() ? measurement.values(figure, contestant) : Interval.NONE;
            if (values.rounds() > 0) {
                further.add(new Further(figure.toString(), figure.unit(), values.median()));
            }
        }
        return further;
    }

    /** The ratios of the target's contestant and of all peers to the contestant that is to be its limit. */
    private static Map<String, Interval> toBare(
            Target target, String bare, List<Visited> visited, Measurement measurement) {
        Map<String, Interval> ratios = new LinkedHashMap<>();
        for (Visited one : visited) {
            if (one.id().equals(target.contestant()) || one.entry().role() == Role.PEER) {
                ratios.put(one.id(), measurement.ratio(target.figure(), one.id(), bare));
            }
        }
        return ratios;
    }

    private static String words(Target target, Target.Limit limit, Interval bare, Map<String, Interval> toBare) {
        String better = target.beatenBy(toBare);
        if (!better.isEmpty()) {
            return String.format(
                    Locale.ROOT,
                    "%s: %s, which is no bound: %s has %s of it",
                    limit.contestant(),
                    spread(bare).words(),
                    better,
                    spread(toBare.getOrDefault(better, Interval.NONE)).words());
        }
        return String.format(
                Locale.ROOT,
                "%s, which does only what cannot be left out: %s; of that %s, to be kept: %.2f",
                limit.contestant(),
                spread(bare).words(),
                spread(toBare.getOrDefault(target.contestant(), Interval.NONE)).words(),
                limit.kept());
    }

    /** Curves of percentiles, of the samples with near cores, if the row measures times. */
    private static List<Distribution> distributions(Row row, List<Visited> visited, Measurement measurement) {
        List<Distribution> distributions = new ArrayList<>();
        if (row.isTime()) {
            for (Visited one : visited) {
                Histogram all = Times.histogram();
                for (Measurement.Sample sample : measurement.samples()) {
                    if (sample.contestant().equals(one.id())
                            && !sample.detail().isEmpty()
                            && measurement.isNear(sample)) {
                        all.add(Times.read(sample.detail()));
                    }
                }
                if (all.getTotalCount() > 0) {
                    distributions.add(Distribution.of(one.label(), row.unit(), all));
                }
            }
        }
        return distributions;
    }

    static Spread spread(Interval ratio) {
        return ratio.rounds() == 0
                ? Spread.NONE
                : new Spread(ratio.rounds(), ratio.jvms(), ratio.lower(), ratio.median(), ratio.upper());
    }

    private static double hop(Measurement measurement, String contestant) {
        double[] probes = measurement.samples().stream()
                .filter(sample -> sample.contestant().equals(contestant))
                .flatMapToDouble(sample -> DoubleStream.of(sample.hopBefore(), sample.hopAfter()))
                .toArray();
        return probes.length == 0 ? 0 : Quartiles.of(probes).median();
    }

    private static Map<String, Integer> modes(Measurement measurement, String contestant) {
        Map<String, Integer> modes = new LinkedHashMap<>();
        for (Measurement.Sample sample : measurement.samples()) {
            if (sample.contestant().equals(contestant)) {
                String before = mode(measurement.band(), sample.hopBefore());
                String after = mode(measurement.band(), sample.hopAfter());
                modes.merge(before.equals(after) ? before : "changing", 1, Integer::sum);
            }
        }
        return modes;
    }

    private static String mode(Band band, double hop) {
        return band.contains(hop) ? "near" : hop < band.low() ? "tight" : "far";
    }
}
