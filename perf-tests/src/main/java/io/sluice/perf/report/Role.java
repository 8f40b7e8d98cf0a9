package io.sluice.perf.report;

/** The role of a contestant in its row. */
public enum Role {
    /** A contestant of Sluice. */
    SLUICE,
    /** Another library, or another way to do the same. */
    PEER,
    /** It does only the work that no implementation can leave out. */
    BOUND
}
