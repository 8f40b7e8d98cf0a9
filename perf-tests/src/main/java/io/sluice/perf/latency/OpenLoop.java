package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Events sent at intended times, so many a second, whether or not the one before has arrived. An event's latency runs from when
 * it was to be sent, not from when its sender got to it: what waits behind a pause counts (no coordinated omission). The figure
 * is the median in nanoseconds; the detail is the histogram. Events must arrive in order, and all of them.
 */
final class OpenLoop implements Contestant {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int SENDING_CORE = 0;
    private static final int RECEIVING_CORE = 1;
    /** One in so many events comes first and is not counted, while threads and memory get ready. */
    private static final int UNCOUNTED_SHARE = 10;

    private final Lane.Transport transport;
    private final long perSecond;
    private final Histogram histogram = Times.histogram();

    /**
     * @param transport makes the lane
     * @param perSecond events a second
     */
    OpenLoop(Lane.Transport transport, long perSecond) {
        this.transport = transport;
        this.perSecond = perSecond;
    }

    /** Takes the times. Belongs to the receiving thread; read by another after an await of {@code done}. */
    private static final class Arrivals implements Lane.Receiver {
        final CountDownLatch done = new CountDownLatch(1);
        private final Histogram histogram;
        private final long uncounted;
        private final long count;
        private long expected;
        private long sum;
        private @Nullable String fault;

        Arrivals(Histogram histogram, long uncounted, long count) {
            this.histogram = histogram;
            this.uncounted = uncounted;
            this.count = count;
        }

        @Override
        public void received(long value, long due) {
            long now = System.nanoTime();
            if (value != expected && fault == null) {
                fault = "event " + expected + " arrived as " + value;
            }
            sum += value;
            if (++expected > uncounted) {
                Times.record(histogram, now - due);
            }
            if (expected == count) {
                done.countDown();
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        histogram.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        long counted = Math.max(1, nanos * perSecond / TimeUnit.SECONDS.toNanos(1));
        long uncounted = counted / UNCOUNTED_SHARE;
        long count = counted + uncounted;
        Arrivals arrivals = new Arrivals(histogram, uncounted, count);
        Thread sending;
        boolean inTime;
        try (Lane lane = transport.open(arrivals, RECEIVING_CORE)) {
            sending = new Thread(() -> send(lane, count), "sender");
            sending.setDaemon(true);
            sending.start();
            inTime = arrivals.done.await(nanos + LIMIT_NANOS, TimeUnit.NANOSECONDS);
        }
        LaneThread.join(sending);
        if (!inTime) {
            throw new IllegalStateException("not all of " + count + " events arrived in time");
        }
        if (arrivals.fault != null) {
            throw new IllegalStateException(arrivals.fault);
        }
        long expected = count * (count - 1) / 2;
        if (arrivals.sum != expected) {
            throw new IllegalStateException("the events' sum is " + arrivals.sum + ", sent was " + expected);
        }
        histogram.setEndTimeStamp(System.currentTimeMillis());
        return (double) histogram.getValueAtPercentile(50);
    }

    private void send(Lane lane, long count) {
        Pinning.pin(SENDING_CORE);
        Lane.Sender to = lane.sender();
        double interval = 1e9 / perSecond;
        long start = System.nanoTime() + LEAD_NANOS;
        for (long value = 0; value < count; value++) {
            long due = start + (long) (value * interval);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            to.send(value, due);
        }
    }

    @Override
    public String detail() {
        return Times.write(histogram);
    }
}
