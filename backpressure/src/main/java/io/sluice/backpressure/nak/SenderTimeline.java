package io.sluice.backpressure.nak;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;

/*
 * The sender's knowledge about itself: its time, its position, and the loop delay.
 *
 * Time is nanoseconds since construction. It adds up the forward steps of the clock, so it never goes back, though the clock wraps
 * or steps back. The loop delay runs from the sending of a message to the arrival of a NAK that had seen it. All other times of the
 * controller derive from it and from the refresh time:
 *
 *   window   the loop delay, 100 us to 50 ms          only a stronger NAK counts within it
 *   epoch    the loop delay or the refresh time       the unit of a rate algorithm's time
 *   quiet    the refresh time plus some slack         after it, the absence of NAKs means silence
 *
 * Owned by the controller's thread.
 */
final class SenderTimeline {
    static final long MAX_LOOP_DELAY = TimeUnit.SECONDS.toNanos(10);

    private static final long MAX_WINDOW = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MIN_WINDOW = TimeUnit.MICROSECONDS.toNanos(100);

    private final NanoClock clock;
    private final LongSupplier position;
    private final long refreshNanos;
    private final SendHistory history = new SendHistory();

    private long lastClock;
    private long time;
    private long sent;
    private long loopDelay;
    private long jitter;

    SenderTimeline(NanoClock clock, LongSupplier position, long refreshNanos) {
        this.clock = clock;
        this.position = position;
        this.refreshNanos = refreshNanos;
        lastClock = clock.nanoTime();
        sent = position.getAsLong();
    }

    /** Reads the clock and the position. */
    void advance() {
        long clockNow = clock.nanoTime();
        long step = clockNow - lastClock;
        lastClock = clockNow;
        if (step > 0) {
            time += step;
        }
        readPosition();
        history.add(time, sent, Math.max(1, epochNanos() / 16));
    }

    /** Reads the position again: some messages may have been sent since. */
    void readPosition() {
        sent = position.getAsLong();
    }

    long time() {
        return time;
    }

    /** The position as it was read last. */
    long sent() {
        return sent;
    }

    long loopDelayNanos() {
        return loopDelay;
    }

    long windowNanos() {
        return Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, loopDelay));
    }

    long epochNanos() {
        return Math.max(refreshNanos, loopDelay);
    }

    /** A refresh that is on time comes after this at the latest. */
    long quietNanos() {
        return refreshNanos + refreshNanos / 4 + Math.min(refreshNanos / 4, 2 * jitter);
    }

    /** Messages a second that were sent over about the last {@code nanos}; negative if unknown. */
    double sendingRate(long nanos) {
        return history.rate(nanos);
    }

    /** Takes in a NAK that had seen a position, and smooths the loop delay by its age. */
    void measureLoopDelay(long seenPosition) {
        long sentTime = history.timeOf(seenPosition);
        if (sentTime < 0) {
            return;
        }
        long sample = Math.min(MAX_LOOP_DELAY, time - sentTime);
        if (loopDelay == 0) {
            loopDelay = sample;
        } else {
            jitter += (Math.abs(sample - loopDelay) - jitter) / 4;
            loopDelay += (sample - loopDelay) / 4;
        }
    }
}
