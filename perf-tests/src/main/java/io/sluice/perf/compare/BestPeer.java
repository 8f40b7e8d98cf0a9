package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult;
import io.sluice.perf.report.TargetResult.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Chooses, of targets to several peers, those that count. Among the targets of one contestant and figure to a {@link Target.Field}, the
 * target to the best peer that keeps up counts. The best peer is the one beside which the contestant's ratio is the worst over the whole
 * run. Choosing for each round would favour the peers, since the luckiest of several always wins.
 */
final class BestPeer {
    private record Group(String contestant, Figure figure, Target.Field field) {}

    private final Measurement measurement;
    private final Predicate<String> tookPart;
    private final int asked;

    /**
     * Chooses for one measurement.
     *
     * @param measurement what was found
     * @param tookPart whether the contestant of an id took part
     * @param asked how many near rounds were asked for
     */
    BestPeer(Measurement measurement, Predicate<String> tookPart, int asked) {
        this.measurement = measurement;
        this.tookPart = tookPart;
        this.asked = asked;
    }

    /**
     * The results that count, in the order of their targets.
     *
     * @param targets of a row
     * @param result judges one target as if its peer were the only one
     * @return one for each target without a field, and one for each contestant and figure with one
     */
    List<TargetResult> choose(List<Target> targets, Function<Target, TargetResult> result) {
        Map<Object, List<Target>> groups = new LinkedHashMap<>();
        for (Target target : targets) {
            Target.Field field = target.field();
            Object key = field == null ? target : new Group(target.contestant(), target.figure(), field);
            groups.computeIfAbsent(key, other -> new ArrayList<>()).add(target);
        }
        return groups.values().stream().map(group -> best(group, result)).toList();
    }

    private TargetResult best(List<Target> group, Function<Target, TargetResult> result) {
        Target.Field field = group.get(0).field();
        if (field == null) {
            return result.apply(group.get(0));
        }
        List<Target> there =
                group.stream().filter(target -> tookPart.test(target.peer())).toList();
        if (there.isEmpty()) {
            return result.apply(group.get(0));
        }
        List<Target> left = there.stream()
                .filter(target -> measurement.keepsUp(target.peer(), field))
                .toList();
        if (left.isEmpty()) {
            return nobody(there.get(0), result);
        }
        TargetResult best = left.stream().map(result).max(worstFirst()).orElseThrow();
        return left.size() == 1
                ? best
                : best.bestOf(left.stream().map(Target::peer).toList());
    }

    private static TargetResult nobody(Target target, Function<Target, TargetResult> result) {
        return result.apply(target).without(Verdict.NO_PEER);
    }

    /** A peer with too few rounds goes before all others, so that nothing is said then; else the one with the worst ratio. */
    private Comparator<TargetResult> worstFirst() {
        return Comparator.<TargetResult>comparingInt(one -> one.ratio().rounds() < asked ? 1 : 0)
                .thenComparingDouble(one ->
                        one.atMost() ? one.ratio().median() : -one.ratio().median());
    }
}
