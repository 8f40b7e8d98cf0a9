package io.sluice.perf.jmh;

import io.sluice.perf.Pinning;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** JMH's loop around the operation of a {@link JmhContestant}. There is one such operation in a JVM, so the call of it is inlined. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OperationLoop {
    /** Set by the contestant's thread, and got by the thread that JMH starts. */
    private static final AtomicReference<JmhContestant.@Nullable Operation> NEXT = new AtomicReference<>();

    private JmhContestant.Operation operation = JmhContestant.Operation.NONE;

    /** For the JMH runner. */
    public OperationLoop() {}

    /** Sets the operation that is measured next. */
    static void next(JmhContestant.Operation operation) {
        NEXT.set(operation);
    }

    /** Takes the operation, in the thread that will run it, which is bound to the first processor. */
    @Setup
    public void take() {
        JmhContestant.Operation given = NEXT.getAndSet(null);
        if (given == null) {
            throw new IllegalStateException("an operation must be given, but was not; ./sluice lab gives some");
        }
        operation = given;
        Pinning.pin(0);
    }

    /**
     * Runs the operation.
     *
     * @return what it came to
     * @throws Exception what the operation throws
     */
    @Benchmark
    public long operation() throws Exception {
        return operation.run();
    }
}
