package io.sluice.perf.lab;

import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Measurement.Sample;
import io.sluice.perf.compare.Quartiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an experiment has shown here.
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
 * @param notes what else there is to say
 * @param traces what was seen over time, where the experiment has that
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
     * @param then the published figure as it was published
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
        /** How many times the published figure; 0 if there is none. */
        double ratio() {
            return published == 0 ? 0 : median / published;
        }
    }

    /** What became of an order that must hold. */
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

    /** An experiment that could not be measured, or whose sums were wrong. */
    static Section failed(Experiment experiment, String failure) {
        return new Section(
                experiment.name(),
                experiment.row().title(),
                experiment.row().unit(),
                experiment.article(),
                experiment.claim(),
                experiment.shows(),
                "",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                failure,
                false);
    }

    /** Of samples. */
    static Section of(Experiment experiment, Measurement measurement, int availableCores, boolean repeated) {
        List<Sample> all = measurement.samples();
        List<Sample> near = all.stream().filter(Section::isNear).toList();
        boolean enough = experiment.row().entries().stream()
                        .allMatch(entry -> near.stream()
                                        .filter(sample -> sample.contestant().equals(entry.id()))
                                        .count()
                                >= LEAST_ROUNDS)
                && experiment.musts().stream()
                        .allMatch(must -> ratios(near, must.less(), must.more()).length >= LEAST_ROUNDS);
        List<Sample> counted = enough ? near : all;
        String cores = availableCores < 2
                ? "one core: threads take turns on it"
                : enough
                        ? near.size() + " of " + all.size()
                                + " samples had the cores near each other at both ends; only they count"
                        : "all samples count: " + near.size() + " of " + all.size()
                                + " had the cores near each other, which is too few";
        List<Figure> figures = new ArrayList<>();
        for (Entry entry : experiment.row().entries()) {
            double[] values = counted.stream()
                    .filter(sample -> sample.contestant().equals(entry.id()))
                    .mapToDouble(Sample::value)
                    .toArray();
            if (values.length > 0) {
                Quartiles quartiles = Quartiles.of(values);
                Experiment.Published published = experiment.published().stream()
                        .filter(one -> one.contestant().equals(entry.id()))
                        .findFirst()
                        .orElse(new Experiment.Published(entry.id(), 0, ""));
                figures.add(new Figure(
                        entry.id(),
                        entry.label(),
                        quartiles.count(),
                        quartiles.lower(),
                        quartiles.median(),
                        quartiles.upper(),
                        published.value(),
                        published.words()));
            }
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (Experiment.Must must : experiment.musts()) {
            if (must.cores() <= availableCores) {
                verdicts.add(Verdict.of(must, ratios(counted, must.less(), must.more())));
            }
        }
        return new Section(
                experiment.name(),
                experiment.row().title(),
                experiment.row().unit(),
                experiment.article(),
                experiment.claim(),
                experiment.shows(),
                cores,
                figures,
                verdicts,
                experiment.row().notes(measurement),
                Trace.of(experiment.row().entries(), counted),
                "",
                repeated);
    }

    private static boolean isNear(Sample sample) {
        return Band.NEIGHBOURS.contains(sample.hopBefore()) && Band.NEIGHBOURS.contains(sample.hopAfter());
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

    /** Whether an order was contradicted. */
    boolean isContradicted() {
        return verdicts.stream().anyMatch(verdict -> verdict.outcome() == Outcome.CONTRADICTED);
    }

    /** Whether nothing is wrong with it. */
    boolean isSound() {
        return failure.isEmpty() && !isContradicted();
    }
}
