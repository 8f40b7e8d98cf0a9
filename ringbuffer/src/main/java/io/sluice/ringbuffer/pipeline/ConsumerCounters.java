package io.sluice.ringbuffer.pipeline;

import io.sluice.core.OpaqueCounters;
import io.sluice.ringbuffer.Follower;

/**
 * The counters of a consumer; its thread writes, any thread reads. A batch is one opaque store: to the bucket of its size, so that
 * the buckets are both the number of batches and their sizes.
 */
final class ConsumerCounters {
    /** Of the sizes of batches: see {@link Follower#BATCH_BUCKETS}. */
    static final int BUCKETS = Follower.BATCH_BUCKETS;

    private static final int FAILURES = BUCKETS;
    private static final int SHED = BUCKETS + 1;

    /** The event that a worker is handling. */
    private static final int EVENT = BUCKETS + 2;

    /** The value of {@link #event} between two events. */
    static final long NO_EVENT = Follower.NO_EVENT;

    private final OpaqueCounters counts = new OpaqueCounters(BUCKETS + 3);

    ConsumerCounters() {
        event(NO_EVENT);
    }

    /** A batch of a size of 1 or more is finished. */
    void batch(int size) {
        counts.add(Integer.SIZE - Integer.numberOfLeadingZeros(size), 1);
    }

    void failure() {
        counts.add(FAILURES, 1);
    }

    void shed(long events) {
        counts.add(SHED, events);
    }

    /** A worker's own: which event it is handling, or {@link #NO_EVENT}. */
    void event(long sequence) {
        counts.set(EVENT, sequence);
    }

    long event() {
        return counts.get(EVENT);
    }

    long batches(int bucket) {
        return counts.get(bucket);
    }

    long batches() {
        long all = 0;
        for (int bucket = 1; bucket < BUCKETS; bucket++) {
            all += counts.get(bucket);
        }
        return all;
    }

    long failures() {
        return counts.get(FAILURES);
    }

    long shed() {
        return counts.get(SHED);
    }
}
