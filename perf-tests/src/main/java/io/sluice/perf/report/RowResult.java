package io.sluice.perf.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One comparison on one JVM.
 *
 * @param id as {@code --rows} names it
 * @param title what is done, one line
 * @param unit of the contestants' figures, such as {@code events/s} or {@code ns}
 * @param lessIsBetter whether the figures are times
 * @param jvm on which JVM
 * @param reference the id of the contestant that the ratios are to
 * @param topology who hands events to whom
 * @param contestants what each one reached
 * @param targets what was to be reached, and whether it was
 * @param distributions curves of percentiles, if the row measures times
 * @param notes further lines for the reader, such as how Sluice was configured
 */
public record RowResult(
        String id,
        String title,
        String unit,
        boolean lessIsBetter,
        String jvm,
        String reference,
        List<Link> topology,
        List<ContestantResult> contestants,
        List<TargetResult> targets,
        List<Distribution> distributions,
        List<String> notes) {
    /** Copies the lists. */
    public RowResult {
        topology = List.copyOf(topology);
        contestants = List.copyOf(contestants);
        targets = List.copyOf(targets);
        distributions = List.copyOf(distributions);
        notes = List.copyOf(notes);
    }

    /**
     * Whether every target is held of which both contestants took part; a target with too few near rounds is not held.
     *
     * @return false if one is missed or could not be measured
     */
    public boolean holds() {
        return measurable().stream().allMatch(TargetResult::holds);
    }

    /**
     * Whether a target was left without a verdict, since other programs ran.
     *
     * @return true if one was
     */
    public boolean unjudged() {
        return measurable().stream().anyMatch(target -> target.verdict() == TargetResult.Verdict.NOT_JUDGED);
    }

    /**
     * The same without verdicts, since other programs ran.
     *
     * @return the figures, not judged
     */
    public RowResult notJudged() {
        return new RowResult(
                id,
                title,
                unit,
                lessIsBetter,
                jvm,
                reference,
                topology,
                contestants,
                targets.stream().map(TargetResult::notJudged).toList(),
                distributions,
                notes);
    }

    /**
     * Whether a peer is better where it was not to be.
     *
     * @return true if a target is a loss
     */
    public boolean loses() {
        return measurable().stream().anyMatch(target -> target.verdict() == TargetResult.Verdict.LOSS);
    }

    /**
     * The targets whose contestants both took part. The other targets can not be measured.
     *
     * @return some of the targets, in their order
     */
    public List<TargetResult> measurable() {
        return targets.stream()
                .filter(target -> tookPart(target.contestant()) && tookPart(target.peer()))
                .toList();
    }

    private boolean tookPart(String contestant) {
        return find(contestant).isPresent();
    }

    /** The label of the contestant with this id, or the id if there is none. */
    String label(String contestant) {
        return find(contestant).map(ContestantResult::label).orElse(contestant);
    }

    /** The role of the contestant with this id; null if there is none. */
    @Nullable
    Role role(String contestant) {
        return find(contestant).map(ContestantResult::role).orElse(null);
    }

    private Optional<ContestantResult> find(String contestant) {
        return contestants.stream().filter(one -> one.id().equals(contestant)).findFirst();
    }

    /**
     * The lines below the figures: each target, the best peer, contestants with two speeds, and those without a figure that counts.
     *
     * @return sentences for people
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        measurable().forEach(target -> lines.add(target.sentence()));
        if (!bestPeer().isEmpty()) {
            lines.add(bestPeer());
        }
        lines.addAll(twoSpeeds());
        if (!unmeasured().isEmpty()) {
            lines.add(unmeasured());
        }
        return lines;
    }

    /**
     * The peer with the best figure, whether or not a target names it.
     *
     * @return a sentence; empty if no peer has a figure
     */
    String bestPeer() {
        Comparator<ContestantResult> byFigure = Comparator.comparingDouble(ContestantResult::nearMedian);
        return contestants.stream()
                .filter(one -> one.role() == Role.PEER && one.nearMedian() > 0)
                .max(lessIsBetter ? byFigure.reversed() : byFigure)
                .map(best -> "Best peer: " + best.label()
                        + (best.ratio().rounds() == 0 ? "" : ", " + best.ratio().words() + " of " + label(reference)))
                .orElse("");
    }

    /**
     * The contestants that have two speeds, and both speeds: no single figure describes such a contestant.
     *
     * @return a sentence for each
     */
    List<String> twoSpeeds() {
        List<String> lines = new ArrayList<>();
        for (ContestantResult one : contestants) {
            one.own().twoSpeeds().ifPresent(both -> lines.add(one.label() + " has two speeds: " + both.words(unit)));
        }
        return lines;
    }

    /**
     * Those without a figure that counts, for people: no sample had near cores.
     *
     * @return a sentence; empty if all were measured
     */
    String unmeasured() {
        String names = contestants.stream()
                .filter(one -> !one.hasFigure())
                .map(ContestantResult::label)
                .collect(Collectors.joining("; "));
        return names.isEmpty() ? "" : "Not measured, since no sample had near cores: " + names;
    }
}
