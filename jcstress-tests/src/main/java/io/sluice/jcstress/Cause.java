package io.sluice.jcstress;

/** A failure without a stack trace, cheap enough to be made for every sample. */
public final class Cause extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates a failure. */
    public Cause() {
        super("cause", null, false, false);
    }
}
