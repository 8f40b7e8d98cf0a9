package io.sluice.core.check;

/** Failures that come behind another failure: they are suppressed. */
public final class Failures {
    private Failures() {}

    /**
     * Takes the last step behind a failure. If that throws, the failure suppresses it. Any thread.
     *
     * @param first the failure
     * @param last the last step
     */
    public static void after(Throwable first, Runnable last) {
        try {
            last.run();
        } catch (Throwable t) {
            suppress(first, t);
        }
    }

    /**
     * Adds a later failure to the first one. Throws nothing: without memory for it, the first one is what counts. Any thread.
     *
     * @param first the first failure
     * @param later the one that it suppresses; may be the same
     * @return {@code first}
     */
    public static Throwable suppress(Throwable first, Throwable later) {
        if (later != first) { // nothing may suppress itself
            try {
                first.addSuppressed(later);
            } catch (Throwable t) {
                // no memory
            }
        }
        return first;
    }
}
