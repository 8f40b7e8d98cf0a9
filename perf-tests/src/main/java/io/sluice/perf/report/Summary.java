package io.sluice.perf.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The summary of the rows of a comparison. A row counts once for each JVM, by the worst of its targets that sets Sluice beside a peer.
 * Targets beside a bound, or beside Sluice itself, do not count.
 */
final class Summary {
    private Summary() {}

    /** The worst of a row's targets. */
    private record Worst(RowResult row, TargetResult target) {
        /** Above 1 where Sluice is better by the median, whichever way the figures go. */
        double advantage() {
            double median = target.ratio().median();
            return target.atMost() ? 1 / median : median;
        }

        boolean isAhead() {
            return target.atMost() ? target.ratio().upper() < 1 : target.ratio().lower() > 1;
        }

        boolean isBehind() {
            return target.atMost() ? target.ratio().lower() > 1 : target.ratio().upper() < 1;
        }

        String words(boolean naming) {
            return String.format(
                    Locale.ROOT,
                    "%s%s at %.2f of %s%s",
                    row.id(),
                    naming ? " on " + row.jvm() : "",
                    target.ratio().median(),
                    row.label(target.peer()),
                    target.atMost() ? ", a time" : "");
        }
    }

    /** Some sentences. */
    static String of(List<RowResult> rows) {
        List<Worst> all = new ArrayList<>();
        for (RowResult row : rows) {
            row.targets().stream()
                    .filter(target -> target.ratio().rounds() > 0
                            && target.verdict() != TargetResult.Verdict.NOT_MEASURED
                            && row.role(target.contestant()) == Role.SLUICE
                            && row.role(target.peer()) == Role.PEER)
                    .map(target -> new Worst(row, target))
                    .min(Comparator.comparingDouble(Worst::advantage))
                    .ifPresent(all::add);
        }
        return beside(all, rows) + targets(rows);
    }

    private static String beside(List<Worst> all, List<RowResult> rows) {
        if (all.isEmpty()) {
            return "No row sets Sluice beside a peer with enough near rounds.";
        }
        long ahead = all.stream().filter(Worst::isAhead).count();
        long behind = all.stream().filter(Worst::isBehind).count();
        boolean naming = rows.stream().map(RowResult::jvm).distinct().count() > 1;
        Worst worst =
                all.stream().min(Comparator.comparingDouble(Worst::advantage)).orElseThrow();
        int others = rows.size() - all.size();
        return String.format(
                Locale.ROOT,
                "Of %d %s with a peer Sluice is ahead in %d, level in %d, behind in %d; the worst is %s.%s",
                all.size(),
                all.size() == 1 ? "row" : "rows",
                ahead,
                all.size() - ahead - behind,
                behind,
                worst.words(naming),
                others == 0
                        ? ""
                        : " " + others
                                + (others == 1 ? " more has" : " more have")
                                + " no peer in a target, or too few near rounds.");
    }

    private static String targets(List<RowResult> rows) {
        Map<TargetResult.Verdict, Long> verdicts = rows.stream()
                .flatMap(row -> row.measurable().stream())
                .collect(Collectors.groupingBy(TargetResult::verdict, TreeMap::new, Collectors.counting()));
        return verdicts.isEmpty()
                ? ""
                : " Targets: "
                        + verdicts.entrySet().stream()
                                .map(one -> one.getValue() + " " + words(one.getKey()))
                                .collect(Collectors.joining(", "))
                        + ".";
    }

    private static String words(TargetResult.Verdict verdict) {
        return switch (verdict) {
            case HOLDS -> "held";
            case LOSS -> "lost";
            case MISSED, OUT_OF_REACH, FALLEN_BACK, NO_PEER, NOT_MEASURED, NOT_JUDGED -> verdict.toString();
        };
    }
}
