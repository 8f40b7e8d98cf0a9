package io.sluice.perf.latency;

import io.sluice.perf.compare.Times;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The asking side of one sample: it sends a ping. When the ping is back, it takes its time, checks that it is the one that was sent, and
 * sends the next. Belongs to the asking thread; another thread may read the results after {@link #await}.
 */
final class Asker {
    private final Histogram histogram;
    private final long nanos;
    private final long pauseNanos;
    private final int uncounted;
    private final CountDownLatch done = new CountDownLatch(1);

    // the asking thread; read by others after an await of `done`
    private long number;
    private long sent;
    private long end;
    private @Nullable String fault;

    /**
     * @param histogram takes the times
     * @param nanos how long to measure
     * @param pauseNanos how long to wait between an answer and the next ping, 0 for not at all
     * @param uncounted so many pings come first, while threads and memory get ready
     */
    Asker(Histogram histogram, long nanos, long pauseNanos, int uncounted) {
        this.histogram = histogram;
        this.nanos = nanos;
        this.pauseNanos = pauseNanos;
        this.uncounted = uncounted;
    }

    /** The first ping; or, after {@link #answered}, the next. */
    long ping() {
        sent = System.nanoTime();
        return number;
    }

    /**
     * A ping is back.
     *
     * @return whether another is to be sent
     */
    boolean answered(long value) {
        long now = System.nanoTime();
        if (value != number) {
            fault = "ping " + number + " came back as " + value;
            done.countDown();
            return false;
        }
        if (number >= uncounted) {
            Times.record(histogram, now - sent);
        } else {
            end = now + nanos; // from the last uncounted one on
        }
        number++;
        if (number > uncounted && now - end >= 0) {
            done.countDown();
            return false;
        }
        if (pauseNanos > 0) {
            LockSupport.parkNanos(pauseNanos);
        }
        return true;
    }

    /** Waits for the end; any thread. */
    void await(long limitNanos) throws InterruptedException {
        if (!done.await(limitNanos, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("a ping did not come back in time");
        }
        if (fault != null) {
            throw new IllegalStateException(fault);
        }
    }

    /** The number of pings; after {@link #await}. */
    long pings() {
        return number;
    }
}
