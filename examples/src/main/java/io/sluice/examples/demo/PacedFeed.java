package io.sluice.examples.demo;

import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.cli.Interruption;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.ringbuffer.Producer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Publishes messages at the rate that the subscriber's NAKs allow: as fast as they come until somebody complains. Used by the
 * feed's thread, which also runs the controller: every few messages, and while it waits.
 *
 * <p>Near the limit the publisher collects messages, so each is copied into an event of a small pool first.
 */
final class PacedFeed {
    private static final int BATCH = 64;
    private static final long POLL_NANOS = 100_000;
    private static final long PARK_NANOS = 20_000;
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final MarketEvent[] pool = new MarketEvent[BATCH + 1];
    private final RateLimiter limiter = RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 2 * BATCH);
    private final NakController controller;
    private final PacedPublisher<MarketEvent> publisher;
    private final Interruption interruption;
    private long taken;
    private long published;
    private long polledAt;
    private double lowest = Double.POSITIVE_INFINITY;
    private boolean paused;
    private long pauses;

    /**
     * Creates it.
     *
     * @param producer where to publish
     * @param naks where NAKs come from
     * @param interruption ends waiting
     */
    PacedFeed(Producer<MarketEvent> producer, NakTransport naks, Interruption interruption) {
        this.interruption = interruption;
        for (int i = 0; i < pool.length; i++) {
            pool[i] = new MarketEvent();
        }
        controller = NakController.builder(naks, limiter, () -> published, SystemNanoClock.INSTANCE)
                .refreshNanos(Subscriber.REFRESH_NANOS)
                .build();
        publisher = PacedPublisher.on(limiter, BATCH, new Idle(), producer, (slot, sequence, message) -> {
            slot.copyFrom(message);
            published++;
        });
    }

    /**
     * Publishes the reader's current message, as soon as that is allowed.
     *
     * @return false if somebody wants to stop meanwhile; the message is not published then
     */
    boolean publish(FeedReader reader, long dueNanos) {
        MarketEvent message = pool[(int) (taken % pool.length)]; // as many as may be collected, and this one
        reader.copyTo(message);
        message.dueNanos(dueNanos);
        if (taken % BATCH == 0 || dueNanos - polledAt >= POLL_NANOS) {
            polledAt = dueNanos;
            poll();
        }
        while (!publisher.publish(message, PATIENCE_NANOS)) {
            if (stopping()) {
                return false;
            }
        }
        taken++;
        return true;
    }

    /**
     * Publishes the collected messages.
     *
     * @return false if somebody wants to stop before that is allowed
     */
    boolean flush() {
        while (!publisher.flush(PATIENCE_NANOS)) {
            if (stopping()) {
                return false;
            }
        }
        return true;
    }

    /** How it went. */
    LinkResult.Pace pace() {
        return new LinkResult.Pace(
                controller.receivedNaks(), controller.engagements(), controller.releases(), lowest, pauses);
    }

    private boolean stopping() {
        return interruption.requested() || Thread.currentThread().isInterrupted();
    }

    private void poll() {
        controller.doWork();
        double rate = limiter.rate();
        if (rate == 0 && !paused) {
            pauses++;
        } else if (rate > 0) {
            lowest = Math.min(lowest, rate);
        }
        paused = rate == 0;
    }

    /** Waits for permits: lets the controller hear what changes. */
    private final class Idle implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            poll();
            LockSupport.parkNanos(PARK_NANOS);
        }

        @Override
        public void reset() {}
    }
}
