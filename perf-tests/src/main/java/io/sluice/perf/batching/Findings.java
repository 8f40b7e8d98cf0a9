package io.sluice.perf.batching;

import java.util.List;

/**
 * What a bench found, for those who run it under a roof of their own.
 *
 * @param tables what was measured
 * @param checks what had to hold
 */
public record Findings(List<Table> tables, List<Check> checks) {
    /** Copies the lists. */
    public Findings {
        tables = List.copyOf(tables);
        checks = List.copyOf(checks);
    }
}
