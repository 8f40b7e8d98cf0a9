package io.sluice.perf.flow;

/** Producers on one side, consumers on the other, and what lies between them. */
public interface Exchange extends AutoCloseable {
    /** The place where one producing thread publishes. */
    @FunctionalInterface
    interface Source {
        /**
         * Publishes, waiting for room where there is none.
         *
         * @param from the first payload; the others count up from it
         * @param count how many, a multiple of 10
         */
        void produce(long from, int count);
    }

    /**
     * The source of one producer; called on its thread.
     *
     * @param producer 0 and up
     * @return its source
     */
    Source source(int producer);

    /**
     * The number of events that every consumer has handled, from all producers together. With acquire: the sums hold these events. A
     * consumer may tell its progress after each event or after many.
     *
     * @return the number of the slowest consumer
     */
    long handled();

    /**
     * Whether every consumer has handled so many events: the sums are final then, if no more are published.
     *
     * @param events in all, from all producers
     * @return whether that is so
     */
    default boolean isHandled(long events) {
        return handled() >= events;
    }

    /**
     * The sums of the payloads that the consumers saw.
     *
     * @return one for each consumer that sees every event
     */
    long[] sums();

    /** Ends the consumers. */
    @Override
    void close();
}
