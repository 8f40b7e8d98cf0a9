package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * How Lincheck is run here: model checking, small scenarios, 1,000 executions a test, which is a thousandth of what Lincheck makes
 * unless told otherwise. The system property {@code io.sluice.lincheck.executions} sets another number; {@code ./sluice prove}
 * sets 1,000,000, in 100 scenarios as Lincheck would.
 */
final class Interleavings {
    private static final int LEAST = 1_000;
    private static final int EXECUTIONS = Integer.getInteger("io.sluice.lincheck.executions", LEAST);

    /** Shares nothing; 128 calls deep, which would be taken for a livelock. */
    private static final ManagedStrategyGuarantee LOOKS_DOWN_THE_STACK = ManagedStrategyGuaranteeKt.forClasses(
                    "io.sluice.ordered.StackRoom")
            .allMethods()
            .ignore();

    private static final int SCENARIOS = EXECUTIONS > LEAST ? 100 : 10;

    private Interleavings() {}

    /**
     * Runs the operations of a class in many interleavings, and demands that each could come from its specification. Prints
     * how many executions there were, and fails below the floor: a checker that runs nothing finds nothing.
     *
     * @param leastExecutions the floor; there are fewer than asked for where all interleavings of a scenario have been tried
     */
    static void check(
            Class<?> operations, Class<?> specification, int threads, int operationsEach, long leastExecutions) {
        if (EXECUTIONS < LEAST) {
            throw new IllegalArgumentException(
                    "io.sluice.lincheck.executions must be " + LEAST + " or more, but was " + EXECUTIONS);
        }
        long before = CountingVerifier.executions();
        new ModelCheckingOptions()
                .threads(threads)
                .actorsPerThread(operationsEach)
                .actorsBefore(0) // a producer belongs to the thread of its first claim
                .actorsAfter(0)
                .iterations(SCENARIOS)
                .invocationsPerIteration(EXECUTIONS / SCENARIOS)
                .minimizeFailedScenario(false)
                .addGuarantee(LOOKS_DOWN_THE_STACK)
                .sequentialSpecification(specification)
                .verifier(CountingVerifier.class)
                .check(operations);
        long executions = CountingVerifier.executions() - before;
        System.out.println("lincheck " + operations.getSimpleName() + ": " + executions + " executions");
        assertThat(executions).as("executions of " + operations).isGreaterThanOrEqualTo(leastExecutions);
    }
}
