package io.sluice.examples.demo;

import org.HdrHistogram.Histogram;

/**
 * How long messages took from stage to stage, in nanoseconds.
 *
 * @param feedToJournal from when a message was due until the end of its batch in the journal, {@code force} included
 * @param journalToBooks from then until the books had it
 * @param booksToSubscriber from then until the subscriber handled it
 * @param whole from when a message was due until the subscriber handled it
 * @param endOfBatch how long the journal took for the end of each batch, {@code force} included
 */
record Stages(
        Histogram feedToJournal,
        Histogram journalToBooks,
        Histogram booksToSubscriber,
        Histogram whole,
        Histogram endOfBatch) {

    /** Nothing timed. */
    static Stages none() {
        return new Stages(
                Latency.histogram(),
                Latency.histogram(),
                Latency.histogram(),
                Latency.histogram(),
                Latency.histogram());
    }
}
