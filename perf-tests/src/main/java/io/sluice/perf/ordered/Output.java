package io.sluice.perf.ordered;

/** The output, which is done in order. */
@FunctionalInterface
interface Output {
    /**
     * Takes the next item. One call at a time; each call sees the writes of those before.
     *
     * @param ticket the item's number
     * @param value what the work on it came to
     */
    void on(long ticket, long value);
}
