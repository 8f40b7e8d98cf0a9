package io.sluice.jcstress.gate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of one test, over all configurations.
 *
 * @param configurations how many JVMs ran it
 * @param samples how often each outcome came about
 * @param forbidden outcomes that must not come about, and did
 * @param errors what went wrong beside outcomes: a JVM that failed, an exception of an actor
 */
record Sampled(int configurations, Map<String, Long> samples, List<String> forbidden, List<String> errors) {
    static final Sampled NOTHING = new Sampled(0, Map.of(), List.of(), List.of());

    Sampled {
        samples = Map.copyOf(samples);
        forbidden = List.copyOf(forbidden);
        errors = List.copyOf(errors);
    }

    long total() {
        return samples.values().stream().mapToLong(Long::longValue).sum();
    }

    List<String> neverSampled(List<String> outcomes) {
        return outcomes.stream()
                .filter(outcome -> samples.getOrDefault(outcome, 0L) == 0)
                .toList();
    }

    /** This one and a further run of the same test. */
    Sampled plus(Sampled more) {
        Map<String, Long> sum = new TreeMap<>(samples);
        more.samples.forEach((outcome, count) -> sum.merge(outcome, count, Long::sum));
        return new Sampled(
                configurations + more.configurations,
                sum,
                java.util.stream.Stream.concat(forbidden.stream(), more.forbidden.stream())
                        .distinct()
                        .toList(),
                java.util.stream.Stream.concat(errors.stream(), more.errors.stream())
                        .distinct()
                        .toList());
    }
}
