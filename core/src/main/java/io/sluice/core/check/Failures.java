package io.sluice.core.check;

/** Failures that come behind another failure: they are suppressed. */
public final class Failures {
    private Failures() {}

    /**
     * Does what is to be done behind a failure. If that throws, the failure suppresses it. Any thread.
     *
     * @param first what is told
     * @param last what is to be done
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
     * @param first what is told
     * @param later what it is told with; may be the same
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
