package io.sluice.perf.ordered;

/** What is done in order. */
@FunctionalInterface
interface Output {
    /**
     * Takes the next item. One call at a time, each seeing what those before did.
     *
     * @param ticket the item's number
     * @param value what the work on it came to
     */
    void on(long ticket, long value);
}
