package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** How Lincheck is run here: model checking, small scenarios, as many executions as stated. */
final class Interleavings {
    private static final int SCENARIOS = 10;
    private static final int EXECUTIONS_EACH = 100;

    private Interleavings() {}

    /**
     * Runs the operations of a class in many interleavings, and demands that each could come from its specification. Prints
     * how many executions there were, and fails below the floor: a checker that runs nothing finds nothing.
     */
    static void check(
            Class<?> operations, Class<?> specification, int threads, int operationsEach, long leastExecutions) {
        long before = CountingVerifier.executions();
        new ModelCheckingOptions()
                .threads(threads)
                .actorsPerThread(operationsEach)
                .actorsBefore(0) // a producer belongs to the thread of its first claim
                .actorsAfter(0)
                .iterations(SCENARIOS)
                .invocationsPerIteration(EXECUTIONS_EACH)
                .minimizeFailedScenario(false)
                .sequentialSpecification(specification)
                .verifier(CountingVerifier.class)
                .check(operations);
        long executions = CountingVerifier.executions() - before;
        System.out.println("lincheck " + operations.getSimpleName() + ": " + executions + " executions");
        assertThat(executions).as("executions of " + operations).isGreaterThanOrEqualTo(leastExecutions);
    }
}
