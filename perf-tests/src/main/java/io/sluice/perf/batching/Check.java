package io.sluice.perf.batching;

import io.sluice.cli.Verb;
import java.io.PrintStream;
import java.util.List;

/**
 * Something that has to hold.
 *
 * @param what in words, with the figures that were measured
 * @param holds whether it does
 */
record Check(String what, boolean holds) {
    /** Says how a run has ended; returns its exit status. */
    static int conclude(List<Check> checks, boolean complete, PrintStream out) {
        if (!complete) {
            out.println("stopped before the end: this is what there was by then");
            return Verb.INTERRUPTED;
        }
        boolean all = checks.stream().allMatch(Check::holds);
        out.println(all ? "everything that must hold is held" : "not everything that must hold is held");
        return all ? Verb.DONE : Verb.CHECK_FAILED;
    }
}
