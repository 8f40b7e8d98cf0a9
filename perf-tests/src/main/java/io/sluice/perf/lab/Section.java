package io.sluice.perf.lab;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Findings;
import io.sluice.perf.batching.Table;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Measurement.Sample;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.jmh.JmhContestant;
import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of an experiment on this machine.
 *
 * @param name of the experiment
 * @param title what is done
 * @param unit of the figures
 * @param article title and date
 * @param claim what the article says
 * @param shows what the experiment shows
 * @param cores which rounds count, by the distance of the cores
 * @param figures one for each contestant that was measured
 * @param verdicts one for each order that must hold
 * @param notes further notes
 * @param traces what was seen over time, where the experiment has that
 * @param plots what a bench under this roof shows
 * @param tables what a bench under this roof has measured
 * @param checks what had to hold there
 * @param failure why it could not be measured, or what did not add up; empty if all did
 * @param repeated whether it was measured twice, since an order was contradicted at first
 */
record Section(
        String name,
        String title,
        String unit,
        String article,
        String claim,
        List<String> shows,
        String cores,
        List<Figure> figures,
        List<Verdict> verdicts,
        List<String> notes,
        List<Trace> traces,
        @JsonIgnore List<Findings.Plot> plots,
        List<Table> tables,
        List<Check> checks,
        String failure,
        boolean repeated) {
    /** Fewer rounds near each other, or of a pair, say nothing. */
    private static final int LEAST_ROUNDS = 4;

    Section {
        shows = List.copyOf(shows);
        figures = List.copyOf(figures);
        verdicts = List.copyOf(verdicts);
        notes = List.copyOf(notes);
        traces = List.copyOf(traces);
        plots = List.copyOf(plots);
        tables = List.copyOf(tables);
        checks = List.copyOf(checks);
    }

    /**
     * A contestant's figure.
     *
     * @param id its id
     * @param label for people
     * @param rounds how many samples
     * @param lower their lower quartile
     * @param median their median
     * @param upper their upper quartile
     * @param published the published figure; 0 if there is none
     * @param then the published figure as it was published, on what, and when; empty if there is none
     */
    record Figure(
            String id,
            String label,
            int rounds,
            double lower,
            double median,
            double upper,
            double published,
            String then) {
        /** The ratio to the published figure; 0 if there is none. */
        double ratio() {
            return published == 0 ? 0 : median / published;
        }
    }

    /** The outcome of an order that must hold. */
    enum Outcome {
        /** Three of four rounds have it, or more. */
        HOLDS("holds"),
        /** The rounds do not agree. */
        OPEN("not clear"),
        /** Three of four rounds contradict it, or more. */
        CONTRADICTED("contradicted");

        final String words;

        Outcome(String words) {
            this.words = words;
        }
    }

    /**
     * An order and the ratios of its rounds.
     *
     * @param less who must have the smaller figure
     * @param more who must have the greater
     * @param slack how many times as large the smaller may be
     * @param rounds how many had both
     * @param lower the lower quartile of the ratios less to more; 0 without a round
     * @param median their median
     * @param upper their upper quartile
     * @param outcome what they say; too few rounds leave it open
     */
    record Verdict(
            String less,
            String more,
            double slack,
            int rounds,
            double lower,
            double median,
            double upper,
            Outcome outcome) {
        static Verdict of(Experiment.Must must, double[] ratios) {
            if (ratios.length == 0) {
                return new Verdict(must.less(), must.more(), must.slack(), 0, 0, 0, 0, Outcome.OPEN);
            }
            Quartiles all = Quartiles.of(ratios);
            Outcome outcome = ratios.length < LEAST_ROUNDS
                    ? Outcome.OPEN
                    : all.lower() > must.slack()
                            ? Outcome.CONTRADICTED
                            : all.upper() <= must.slack() ? Outcome.HOLDS : Outcome.OPEN;
            return new Verdict(
                    must.less(),
                    must.more(),
                    must.slack(),
                    all.count(),
                    all.lower(),
                    all.median(),
                    all.upper(),
                    outcome);
        }
    }

    /** The section of an experiment that could not be measured, or whose sums were wrong. */
    static Section failed(Topic topic, String failure) {
        return new Section(
                topic.name(),
                topic.title(),
                "",
                topic.article(),
                topic.claim(),
                topic.shows(),
                "",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                failure,
                false);
    }

    /** The section of a bench under this roof. */
    static Section of(Roofed bench, Findings findings, boolean repeated) {
        return new Section(
                bench.name(),
                bench.title(),
                "",
                bench.article(),
                bench.claim(),
                bench.shows(),
                "as they are; this bench looks for noise by itself",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                findings.plots(),
                findings.tables(),
                findings.checks(),
                "",
                repeated);
    }

    /** The section of an experiment with samples. Near and far cores are never mixed where one of the two has enough rounds. */
    static Section of(Experiment experiment, Measurement measurement, int availableCores, boolean repeated) {
        List<Sample> all = measurement.samples();
        List<Sample> near = all.stream().filter(Section::isNear).toList();
        List<Sample> far = all.stream().filter(Section::isFar).toList();
        boolean nearCounts = isEnough(experiment, near, all);
        boolean farCounts = !nearCounts && isEnough(experiment, far, all);
        List<Sample> counted = nearCounts ? near : farCounts ? far : all;
        String cores = availableCores < 2
                ? "one core: threads take turns on it"
                : nearCounts
                        ? near.size() + " of " + all.size()
                                + " samples had the cores near each other at both ends; only they count"
                        : farCounts
                                ? far.size() + " of " + all.size()
                                        + " samples had the cores far from each other at both ends; only they count"
                                : "all samples count: " + near.size() + " of " + all.size()
                                        + " had the cores near each other, which is too few, and " + far.size()
                                        + " had them far";
        List<Figure> figures = new ArrayList<>();
        for (Entry entry : experiment.row().entries()) {
            double[] values = of(counted, entry.id());
            if (values.length > 0) {
                Quartiles quartiles = Quartiles.of(values);
                Optional<Experiment.Published> published = experiment.published().stream()
                        .filter(one -> one.contestant().equals(entry.id()))
                        .findFirst();
                figures.add(new Figure(
                        entry.id(),
                        entry.label(),
                        quartiles.count(),
                        quartiles.lower(),
                        quartiles.median(),
                        quartiles.upper(),
                        published.map(Experiment.Published::value).orElse(0.0),
                        published.map(Experiment.Published::then).orElse("")));
            }
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Experiment.Must must : experiment.musts()) {
            if (must.cores() <= availableCores && of(all, must.less()).length > 0 && of(all, must.more()).length > 0) {
                verdicts.add(Verdict.of(must, ratios(counted, must.less(), must.more())));
            }
        }
        List<String> notes = new ArrayList<>(experiment.row().notes(measurement));
        notes.addAll(byJmh(experiment, all));
        notes.addAll(others(experiment, near, far));
        notes.addAll(Fit.of(experiment, Settings.room()).notes());
        return new Section(
                experiment.name(),
                experiment.title(),
                experiment.row().unit(),
                experiment.article(),
                experiment.claim(),
                experiment.shows(),
                cores,
                figures,
                verdicts,
                notes,
                Trace.of(experiment.row().entries(), counted),
                List.of(),
                List.of(),
                List.of(),
                "",
                repeated);
    }

    /** Whether all measured contestants, and each order between two of them, have enough rounds among some samples. */
    private static boolean isEnough(Experiment experiment, List<Sample> some, List<Sample> all) {
        Set<String> measured = all.stream().map(Sample::contestant).collect(Collectors.toSet());
        return measured.stream().allMatch(id -> of(some, id).length >= LEAST_ROUNDS)
                && experiment.musts().stream()
                        .filter(must -> measured.contains(must.less()) && measured.contains(must.more()))
                        .allMatch(must -> ratios(some, must.less(), must.more()).length >= LEAST_ROUNDS);
    }

    private static double[] of(List<Sample> samples, String contestant) {
        return samples.stream()
                .filter(sample -> sample.contestant().equals(contestant))
                .mapToDouble(Sample::value)
                .toArray();
    }

    /** The contestants whose single operations JMH timed. */
    private static List<String> byJmh(Experiment experiment, List<Sample> all) {
        String labels = experiment.row().entries().stream()
                .filter(entry -> JmhContestant.times(entry) && of(all, entry.id()).length > 0)
                .map(Entry::label)
                .collect(Collectors.joining("; "));
        return labels.isEmpty() ? List.of() : List.of("Timed by JMH, in one thread: " + labels + ".");
    }

    /** The figures with near cores beside those with far cores; the two are never mixed. */
    private static List<String> others(Experiment experiment, List<Sample> near, List<Sample> far) {
        String medians = experiment.row().entries().stream()
                .filter(entry -> of(near, entry.id()).length > 0 && of(far, entry.id()).length > 0)
                .map(entry -> entry.label() + " " + median(near, entry.id()) + " and " + median(far, entry.id()))
                .collect(Collectors.joining("; "));
        return medians.isEmpty()
                ? List.of()
                : List.of(
                        "Medians and quartiles with the cores near each other and with them far, and of how many samples: "
                                + medians + ".");
    }

    private static String median(List<Sample> samples, String contestant) {
        Quartiles all = Quartiles.of(of(samples, contestant));
        return Labels.nanos(all.median()) + " (" + Labels.nanos(all.lower()) + " to " + Labels.nanos(all.upper()) + ", "
                + all.count() + ")";
    }

    private static boolean isNear(Sample sample) {
        return Band.NEIGHBOURS.contains(sample.hopBefore()) && Band.NEIGHBOURS.contains(sample.hopAfter());
    }

    private static boolean isFar(Sample sample) {
        return sample.hopBefore() > Band.NEIGHBOURS.high() && sample.hopAfter() > Band.NEIGHBOURS.high();
    }

    /** Paired within rounds. */
    private static double[] ratios(List<Sample> samples, String less, String more) {
        Map<Integer, Double> below = new HashMap<>();
        for (Sample sample : samples) {
            if (sample.contestant().equals(more)) {
                below.put(sample.round(), sample.value());
            }
        }
        return samples.stream()
                .filter(sample -> sample.contestant().equals(less) && below.containsKey(sample.round()))
                .mapToDouble(sample -> sample.value() / below.getOrDefault(sample.round(), Double.NaN))
                .toArray();
    }

    /** Whether an order was contradicted, or a check did not hold. */
    boolean isContradicted() {
        return verdicts.stream().anyMatch(verdict -> verdict.outcome() == Outcome.CONTRADICTED)
                || checks.stream().anyMatch(check -> !check.holds());
    }

    /** Whether nothing is wrong with it. */
    boolean isSound() {
        return failure.isEmpty() && !isContradicted();
    }
}
