package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Pings to and fro over two lanes between two threads. The figure is the median time of a round trip in nanoseconds; the detail is the
 * histogram. Every answer must be the ping that was sent, and the sum that the echoing side saw must be the sum of the pings.
 */
final class RoundTrip implements Contestant {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int UNCOUNTED = 2_000;
    private static final int UNCOUNTED_WITH_PAUSES = 5;
    private static final int ASKING_CORE = 0;
    private static final int ECHOING_CORE = 1;

    private final Lane.Transport transport;
    private final long pauseNanos;
    private final Histogram histogram = Times.histogram();

    /**
     * @param transport makes both lanes
     * @param pauseNanos how long the asking side waits between an answer and the next ping
     */
    RoundTrip(Lane.Transport transport, long pauseNanos) {
        this.transport = transport;
        this.pauseNanos = pauseNanos;
    }

    /** Answers each ping by the same. Belongs to the echoing thread. */
    private static final class Echo implements Lane.Receiver {
        private final CompletableFuture<Lane> back;
        private Lane.@Nullable Sender sender;
        private long sum;

        Echo(CompletableFuture<Lane> back) {
            this.back = back;
        }

        @Override
        public void received(long value, long time) {
            sum += value;
            Lane.Sender to = sender;
            if (to == null) {
                to = back.join().sender(); // waits until the sample's thread has opened it
                sender = to;
            }
            to.send(value, time);
        }
    }

    /** Hands answers to the asker, and its pings to the echoing side. Belongs to the asking thread. */
    private static final class Answers implements Lane.Receiver {
        private final Asker asker;
        private final Lane there;
        private Lane.@Nullable Sender sender;

        Answers(Asker asker, Lane there) {
            this.asker = asker;
            this.there = there;
        }

        @Override
        public void begin() {
            Lane.Sender to = there.sender();
            sender = to;
            to.send(asker.ping(), 0);
        }

        @Override
        public void received(long value, long time) {
            Lane.Sender to = sender;
            if (to != null && asker.answered(value)) {
                to.send(asker.ping(), 0);
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        histogram.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        Asker asker = new Asker(histogram, nanos, pauseNanos, pauseNanos > 0 ? UNCOUNTED_WITH_PAUSES : UNCOUNTED);
        CompletableFuture<Lane> way = new CompletableFuture<>();
        Echo echo = new Echo(way);
        try (Lane there = transport.open(echo, ECHOING_CORE);
                Lane back = transport.open(new Answers(asker, there), ASKING_CORE)) {
            way.complete(back);
            asker.await(nanos + LIMIT_NANOS);
        }
        histogram.setEndTimeStamp(System.currentTimeMillis());
        long expected = asker.pings() * (asker.pings() - 1) / 2;
        if (echo.sum != expected) {
            throw new IllegalStateException("the pings' sum is " + echo.sum + ", sent was " + expected);
        }
        return (double) histogram.getValueAtPercentile(50);
    }

    @Override
    public String detail() {
        return Times.write(histogram);
    }
}
