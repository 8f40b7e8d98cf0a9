package io.sluice.perf.report;

/** What a contestant is in its row. */
public enum Role {
    /** A contestant of Sluice. */
    SLUICE,
    /** Another library, or another way to do the same. */
    PEER,
    /** It does only what no implementation can leave out. */
    BOUND
}
