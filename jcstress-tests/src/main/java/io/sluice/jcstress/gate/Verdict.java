package io.sluice.jcstress.gate;

import io.sluice.jcstress.twin.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of the tests and their twins so far, and whether they will do. Guarded by itself.
 */
final class Verdict {
    /**
     * How a twin fared.
     *
     * @param forks with how many JVMs a configuration it was caught, 0 if it survived
     * @param outcome the forbidden outcome that gave it away
     */
    record Fate(int forks, String outcome) {
        boolean caught() {
            return forks > 0;
        }
    }

    private final Map<StressTest, Sampled> tests = new LinkedHashMap<>();
    private final Map<StressTest, Map<Row, Fate>> twins = new LinkedHashMap<>();
    private final List<StressTest> notHere = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<Row> pinned = new ArrayList<>();

    synchronized void notHere(StressTest test) {
        notHere.add(test);
    }

    synchronized void sampled(StressTest test, Sampled more) {
        tests.merge(test, more, Sampled::plus);
    }

    synchronized void twin(StressTest test, Row row, Fate fate) {
        twins.computeIfAbsent(test, key -> new LinkedHashMap<>()).put(row, fate);
    }

    synchronized void problem(String problem) {
        problems.add(problem);
    }

    synchronized void pinned(Row row) {
        pinned.add(row);
    }

    /** Why a test fails, empty if it holds. */
    static List<String> reasons(StressTest test, Sampled sampled) {
        List<String> reasons = new ArrayList<>();
        if (sampled.total() == 0) {
            reasons.add("it did not run");
        }
        for (String outcome : sampled.forbidden()) {
            reasons.add(
                    "forbidden outcome '" + outcome + "', " + sampled.samples().getOrDefault(outcome, 0L) + " times");
        }
        reasons.addAll(sampled.errors());
        for (String outcome : sampled.neverSampled(test.overlap())) {
            reasons.add("the race was not met: outcome '" + outcome + "' never came about");
        }
        return reasons;
    }

    /** Whether a test was green but for a race that it did not meet. */
    synchronized boolean needsMore(StressTest test) {
        Sampled sampled = tests.getOrDefault(test, Sampled.NOTHING);
        return sampled.forbidden().isEmpty()
                && sampled.errors().isEmpty()
                && !sampled.neverSampled(test.overlap()).isEmpty();
    }

    synchronized long failed() {
        return problems.size()
                + tests.entrySet().stream()
                        .filter(one -> !reasons(one.getKey(), one.getValue()).isEmpty())
                        .count()
                + fates().stream().filter(fate -> !fate.caught()).count();
    }

    synchronized long passed() {
        return tests.entrySet().stream()
                        .filter(one -> reasons(one.getKey(), one.getValue()).isEmpty())
                        .count()
                + fates().stream().filter(Fate::caught).count();
    }

    private List<Fate> fates() {
        return twins.values().stream().flatMap(of -> of.values().stream()).toList();
    }

    /** The table, and the last line. */
    synchronized List<String> report() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%-48s %12s  %-8s %-9s %s", "test", "samples", "outcome", "controls", "claim"));
        tests.forEach((test, sampled) -> {
            Map<Row, Fate> of = twins.getOrDefault(test, Map.of());
            long caught = of.values().stream().filter(Fate::caught).count();
            List<String> reasons = reasons(test, sampled);
            lines.add(String.format(
                    Locale.ROOT,
                    "%-48s %,12d  %-8s %-9s %s",
                    test.shortName(),
                    sampled.total(),
                    reasons.isEmpty() ? "holds" : "FAILED",
                    of.isEmpty() ? "-" : caught + " of " + of.size(),
                    test.claim()));
            reasons.forEach(reason -> lines.add("    " + reason));
        });
        if (!twins.isEmpty()) {
            lines.add("");
            lines.add(String.format(Locale.ROOT, "%-36s %-34s %-44s %s", "control", "weakening", "test", "caught by"));
            twins.forEach((test, of) -> of.forEach((row, fate) -> lines.add(String.format(
                    Locale.ROOT,
                    "%-36s %-34s %-44s %s",
                    row.name(),
                    row.kind(),
                    test.shortName(),
                    fate.caught()
                            ? "outcome '" + fate.outcome() + "', forks " + fate.forks()
                            : "SURVIVED " + fate.outcome()))));
        }
        if (!pinned.isEmpty()) {
            lines.add("");
            lines.add(
                    "pinned by the scan of the byte code, since x86 and its compilers do not show them (not counted above):");
            pinned.forEach(
                    row -> lines.add("  " + row.name() + ": " + row.edits().get(0)));
        }
        if (!notHere.isEmpty()) {
            lines.add("");
            lines.add("not run here, for want of CPUs:");
            notHere.forEach(test ->
                    lines.add("  " + test.shortName() + " (needs " + test.actors() + " CPUs): " + test.claim()));
        }
        problems.forEach(problem -> lines.add("problem: " + problem));
        lines.add("");
        lines.add(passed() + " passed, " + failed() + " failed, 0 skipped");
        return lines;
    }
}
