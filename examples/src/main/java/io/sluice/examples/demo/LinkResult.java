package io.sluice.examples.demo;

import io.sluice.batching.BatchStatistics;
import org.jspecify.annotations.Nullable;

/**
 * The counts of the network.
 *
 * @param sent what the publisher sent
 * @param subscriber what the subscriber got
 * @param pace how the feed was slowed by NAKs, or null if nobody listens to them
 */
record LinkResult(
        BatchStatistics.Snapshot sent,
        SubscriberResult subscriber,
        @Nullable Pace pace) {
    /**
     * How a feed was slowed.
     *
     * @param naks NAKs that were heard
     * @param limited how often a limit began
     * @param released how often it was lifted
     * @param lowest the lowest rate but a pause, messages a second; infinite if there was no limit
     * @param pauses how often the feed was stopped
     */
    record Pace(long naks, long limited, long released, double lowest, long pauses) {}
}
