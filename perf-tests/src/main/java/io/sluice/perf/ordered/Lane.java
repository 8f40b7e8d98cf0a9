package io.sluice.perf.ordered;

/** A way to put out in order the items that several threads complete in any order. */
interface Lane extends AutoCloseable {
    /** The number of tickets that may be outstanding, in every lane. */
    int WINDOW = 1024;

    /** Makes a lane that has not run yet. */
    @FunctionalInterface
    interface Maker {
        /** Makes it. */
        Lane make(Output output);
    }

    /**
     * Takes tickets. Any worker, unless the lane is for one.
     *
     * @param count how many, 1 to 64
     * @return the first of so many in a row
     * @throws InterruptedException if interrupted while it waits for room
     */
    long take(int count) throws InterruptedException;

    /**
     * Completes a ticket. Once for each, by any worker.
     *
     * @param ticket the ticket
     * @param item its item, filled
     */
    void complete(long ticket, Item item);

    /**
     * Waits until so many items have been put out, and makes the writes of the output visible to the caller.
     *
     * @param total how many in all
     */
    void awaitOutput(long total);

    @Override
    default void close() {}
}
