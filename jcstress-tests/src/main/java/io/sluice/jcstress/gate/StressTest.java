package io.sluice.jcstress.gate;

import io.sluice.jcstress.Proof;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * A jcstress test as the gate sees it.
 *
 * @param name the class as jcstress writes it, a nested one with a dot
 * @param actors how many CPUs it needs
 * @param claim what it proves
 * @param overlap outcomes that show that its race was met
 * @param twins the rows that it must catch
 */
record StressTest(String name, int actors, String claim, List<String> overlap, List<String> twins) {
    private static final String PACKAGE = "io.sluice.jcstress.";

    /** Its name without the prefix that all have in common. */
    String shortName() {
        return name.startsWith(PACKAGE) ? name.substring(PACKAGE.length()) : name;
    }

    /** A pattern for jcstress that selects these tests and no other. */
    static String selector(Collection<StressTest> tests) {
        return tests.stream()
                .map(test -> "^" + test.name().replace(".", "\\.") + "$")
                .collect(Collectors.joining("|"));
    }

    /** All tests that jcstress would run, by name. */
    static List<StressTest> all() throws ClassNotFoundException {
        List<StressTest> tests = new ArrayList<>();
        for (String name : new TreeSet<>(TestList.tests())) {
            TestInfo info = TestList.getInfo(name);
            tests.add(of(Class.forName(info.binaryName(), false, StressTest.class.getClassLoader()), info.threads()));
        }
        return tests;
    }

    /** Reads the annotations of a test class, and refuses one that could not fail. */
    static StressTest of(Class<?> type, int actors) {
        Proof proof = type.getAnnotation(Proof.class);
        if (proof == null) {
            throw new IllegalStateException(type.getName() + " has no Proof: every test of the gate needs one");
        }
        JCStressMeta shared =
                type.getAnnotation(JCStressMeta.class); // tests that differ in the ring only have the same outcomes
        Set<String> acceptable = Arrays.stream(
                        (shared == null ? type : shared.value()).getAnnotationsByType(Outcome.class))
                .filter(outcome -> outcome.expect() != Expect.FORBIDDEN)
                .flatMap(outcome -> Arrays.stream(outcome.id()))
                .collect(Collectors.toSet());
        if (proof.overlap().length == 0 || proof.twins().length == 0) {
            throw new IllegalStateException(type.getName() + " names no overlap or no twin: each test needs both");
        }
        for (String id : proof.overlap()) {
            if (!acceptable.contains(id)) {
                throw new IllegalStateException(type.getName() + ": overlap outcome '" + id
                        + "' is not among its acceptable outcomes " + new TreeSet<>(acceptable));
            }
        }
        return new StressTest(
                type.getCanonicalName(), actors, proof.claim(), List.of(proof.overlap()), List.of(proof.twins()));
    }
}
