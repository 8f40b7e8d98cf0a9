package io.sluice.jcstress;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.verifier.LinearizabilityVerifier;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/** Lincheck's verifier of linearizability, which also counts the executions that it is given. */
public final class CountingVerifier implements Verifier {
    private static final AtomicLong EXECUTIONS = new AtomicLong();

    private final Verifier verifier;

    /** Called by Lincheck. */
    public CountingVerifier(Class<?> sequentialSpecification) {
        verifier = new LinearizabilityVerifier(sequentialSpecification);
    }

    static long executions() {
        return EXECUTIONS.get();
    }

    @Override
    public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
        EXECUTIONS.incrementAndGet();
        return verifier.verifyResults(scenario, results);
    }
}
