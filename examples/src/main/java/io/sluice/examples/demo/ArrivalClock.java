package io.sluice.examples.demo;

import io.sluice.core.Sequence;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * Times the way of each message from the books to the subscriber, and from the feed to the subscriber. The books' thread notes
 * when a message was due and when it left the books; the subscriber's checking thread looks that up when the message comes.
 * Both run in one process, so they read one clock; the datagrams carry no times.
 *
 * <p>The table holds the newest {@value #SIZE} messages. A message that arrives when its entry is written over is not timed.
 */
final class ArrivalClock {
    /** Messages that can be on their way and still be timed: more than ring, socket and queue hold. */
    static final int SIZE = 1 << 18;

    private final AtomicLongArray dueNanos = new AtomicLongArray(SIZE);
    private final AtomicLongArray leftNanos = new AtomicLongArray(SIZE);
    private final Sequence newest = new Sequence(-1);
    private final Histogram fromBooksNanos = Latency.histogram();
    private final Histogram fromFeedNanos = Latency.histogram();

    /** Notes a message that leaves the books. The books' thread, for each message in order. */
    void left(long sequence, long due, long left) {
        int at = slot(sequence);
        dueNanos.setRelease(at, due); // release: not before the entry in front of it was published
        leftNanos.setRelease(at, left); // release: as above
        newest.setRelease(sequence); // release: whoever sees it sees the entry
    }

    /** Times a message that has come. The subscriber's checking thread. */
    void arrived(long sequence, long now) {
        if (sequence > newest.getAcquire()) { // acquire: pairs with left()
            return; // nobody noted it: not sent by the books of this process
        }
        int at = slot(sequence);
        long due = dueNanos.getAcquire(at); // acquire: read before the newest is looked at again
        long left = leftNanos.getAcquire(at); // acquire: as above
        if (newest.getAcquire() + 1 - sequence < SIZE) { // acquire: if not yet at the next lap, the entry was whole
            Latency.record(fromBooksNanos, now - left);
            Latency.record(fromFeedNanos, now - due);
        }
    }

    /** From the books to the subscriber. To be read when both threads have ended. */
    Histogram fromBooksNanos() {
        return fromBooksNanos;
    }

    /** From when a message was due to the subscriber. To be read when both threads have ended. */
    Histogram fromFeedNanos() {
        return fromFeedNanos;
    }

    private static int slot(long sequence) {
        return (int) sequence & (SIZE - 1);
    }
}
