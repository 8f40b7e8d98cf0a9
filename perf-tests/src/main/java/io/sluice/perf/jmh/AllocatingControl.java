package io.sluice.perf.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The control of the allocation gate: allocates one object an operation, which the gate must see. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
public class AllocatingControl {
    /** For the JMH runner. */
    public AllocatingControl() {}

    /**
     * Allocates.
     *
     * @return a new object
     */
    @Benchmark
    public Object allocate() {
        return new Object();
    }
}
