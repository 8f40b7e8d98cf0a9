package io.sluice.perf.flow;

/** Producers on one side, consumers on the other, and what lies between them; used for one sample and then closed. */
public interface Exchange extends AutoCloseable {
    /** Where one producing thread publishes. */
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
     * Whether every consumer has handled so many events. With acquire: the sums are final then.
     *
     * @param events in all, from all producers
     * @return whether that is so
     */
    boolean isHandled(long events);

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
