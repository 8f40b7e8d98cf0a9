package io.sluice.perf.report;

import java.util.List;

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
     * Whether every target is held whose contestants both took part; one with too few near rounds is not.
     *
     * @return false if one is missed or could not be measured
     */
    public boolean holds() {
        return measurable().stream().allMatch(TargetResult::holds);
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
     * The targets whose contestants both took part. Of the others there is nothing to say.
     *
     * @return some of the targets, in their order
     */
    public List<TargetResult> measurable() {
        return targets.stream()
                .filter(target -> tookPart(target.contestant()) && tookPart(target.peer()))
                .toList();
    }

    private boolean tookPart(String contestant) {
        return contestants.stream().anyMatch(one -> one.id().equals(contestant));
    }

    /** The label of the contestant with this id, or the id if there is none. */
    String label(String contestant) {
        for (ContestantResult one : contestants) {
            if (one.id().equals(contestant)) {
                return one.label();
            }
        }
        return contestant;
    }
}
