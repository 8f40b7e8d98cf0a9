package io.sluice.jcstress;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.perf.code.MachineCode;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Machine code in tests: where it can not be read, a test is skipped, or fails where it must run. */
final class CodeBytes {
    private CodeBytes() {}

    /** Skips the test where the bytes cannot be read; fails it where they could be, and the continuous build says so. */
    static void assumeAvailable() {
        decide(MachineCode.isX86(), MachineCode::hasObjdump, System.getenv("CI"));
    }

    static void decide(boolean amd64, BooleanSupplier objdump, @Nullable String ci) {
        assumeTrue(amd64, "needs x86-64");
        boolean there = objdump.getAsBoolean();
        if (!there && "true".equals(ci)) {
            throw new AssertionError(
                    "CI=true on x86-64, and no objdump on the PATH: nothing would look at the machine code;"
                            + " install binutils");
        }
        assumeTrue(there, "needs objdump");
    }
}
