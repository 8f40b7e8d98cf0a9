package io.sluice.jcstress.twin;

/** The kinds of weakening. */
public enum Kind {
    /** A release store, or a publication, made plain. */
    RELEASE_TO_PLAIN("release to plain"),
    /** An acquire read made plain. */
    ACQUIRE_TO_PLAIN("acquire to plain"),
    /** A volatile access made a release or an acquire: the store may wait in the store buffer. */
    VOLATILE_TO_RELEASE("volatile to release"),
    /** A release store, or an acquire read, made opaque: not to be seen on x86, pinned by the scan of the byte code. */
    TO_OPAQUE("release or acquire to opaque"),
    /** A compare-and-set that reads, compares and then stores. */
    CAS_TO_SET("compare-and-set to get, then set"),
    /** An atomic addition that reads, and then stores. */
    ADD_SPLIT("addition split in two"),
    /** An atomic exchange that reads, and then stores. */
    EXCHANGE_SPLIT("exchange split in two"),
    /** A full fence left out. */
    FENCE_REMOVED("fence left out"),
    /** A second look left out. */
    RECHECK_REMOVED("second look left out"),
    /** A slot published when it is claimed, before it is filled. */
    PUBLISHED_EARLY("published before it is filled"),
    /** Progress published before the slots were read. */
    PROGRESS_EARLY("progress published early"),
    /** Two steps in the wrong order. */
    ORDER_SWAPPED("order of two steps swapped"),
    /** Somebody who must be waited for is not. */
    GATE_IGNORED("gating sequence ignored"),
    /** A step left out. */
    STEP_REMOVED("step left out"),
    /** A bound that is one too low or one too high. */
    OFF_BY_ONE("off by one"),
    /** A branch that is taken where it must not be, or the other way round. */
    WRONG_BRANCH("wrong branch"),
    /** An interrupt that is not seen, not kept, or not cleared. */
    INTERRUPT_LOST("interrupt lost"),
    /** A reference that is kept when its object is done with. */
    REFERENCE_KEPT("reference kept");

    private final String text;

    Kind(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
