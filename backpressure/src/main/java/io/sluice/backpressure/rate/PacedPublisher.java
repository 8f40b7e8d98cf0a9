package io.sluice.backpressure.rate;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;

/**
 * Applies a {@link RateLimiter} to a ring's producer, or to anything else that sends. While the limit allows it, each message
 * goes at once. Near the limit messages are collected, and go as a batch when there are permits for all of them. Only a full
 * batch makes the publisher wait or refuse.
 *
 * <p>A message that was taken waits in the batch until the next publish, {@link #tryFlush} or {@link #flush}: a thread that may
 * fall silent calls {@code tryFlush} in its duty cycle. Messages go in the order in which they were taken.
 *
 * <p>Called by: one thread, the limiter's acquiring thread. Unlimited, a publish reads no clock. Nothing is allocated after
 * construction. If sending throws, the exception reaches the caller and the messages of the batch are not sent again. Neither the
 * sender nor the idle strategy may publish or flush with this publisher: they get an {@link IllegalStateException}.
 *
 * @param <T> what is sent
 */
public final class PacedPublisher<T> {
    private final RateLimiter limiter;
    private final IdleStrategy idle;
    private final BatchSender<? super T> sender;
    private final int maxBatch;
    private final ArrayList<T> batch;
    private final List<T> view;
    private boolean sending;
    private boolean waiting;

    /**
     * Sends a batch.
     *
     * @param <T> what is sent
     */
    @FunctionalInterface
    public interface BatchSender<T> {
        /**
         * Sends messages in their order.
         *
         * @param batch one or more; read-only, valid during the call only
         */
        void send(List<? extends T> batch);
    }

    /**
     * Creates a publisher.
     *
     * @param limiter whose permits are taken, one for each message
     * @param maxBatch messages collected at most, 1 to the limiter's {@link RateLimiter#maxAcquire}
     * @param idle what to do while waiting
     * @param sender what sends
     * @throws IllegalArgumentException if {@code maxBatch} is out of range, or {@code idle} one that has to be
     *     signalled
     */
    public PacedPublisher(RateLimiter limiter, int maxBatch, IdleStrategy idle, BatchSender<? super T> sender) {
        this.limiter = Check.notNull(limiter, "limiter");
        this.idle = Check.notNull(idle, "idle");
        LimiterBase.checkWakesByItself(idle);
        this.sender = Check.notNull(sender, "sender");
        if (maxBatch < 1 || maxBatch > limiter.maxAcquire()) {
            throw new IllegalArgumentException("maxBatch must be from 1 to the limiter's maxAcquire "
                    + limiter.maxAcquire() + ", but was " + maxBatch);
        }
        this.maxBatch = maxBatch;
        batch = new ArrayList<>(maxBatch);
        view = Collections.unmodifiableList(batch);
    }

    /**
     * Creates a publisher on a ring.
     *
     * @param limiter whose permits are taken, one for each event
     * @param maxBatch messages collected at most, 1 to the limiter's {@link RateLimiter#maxAcquire}
     * @param idle what to do while waiting for permits; the producer has its own for room
     * @param producer publishes the events; its thread calls the publisher
     * @param translator fills an event
     * @param <E> the ring's event
     * @param <T> what is sent
     * @return a publisher
     * @throws IllegalArgumentException if {@code maxBatch} is out of range, or {@code idle} one that has to be
     *     signalled
     */
    public static <E, T> PacedPublisher<T> on(
            RateLimiter limiter,
            int maxBatch,
            IdleStrategy idle,
            Producer<E> producer,
            EventTranslatorOneArg<? super E, ? super T> translator) {
        Check.notNull(producer, "producer");
        Check.notNull(translator, "translator");
        return new PacedPublisher<>(limiter, maxBatch, idle, batch -> {
            for (int i = 0; i < batch.size(); i++) {
                producer.publishEvent(translator, batch.get(i));
            }
        });
    }

    /**
     * Sends or collects a message if that is possible now. Never waits for permits.
     *
     * @param message what
     * @return whether it was taken
     */
    public boolean tryPublish(T message) {
        return publish(message, 0);
    }

    /**
     * Sends or collects a message, waiting while the batch is full and the limit does not let it go.
     *
     * @param message what
     * @return whether it was taken; false only if the thread is interrupted, whose flag stays set
     */
    public boolean publish(T message) {
        return publish(message, Long.MAX_VALUE);
    }

    /**
     * Sends or collects a message, waiting no longer than a time.
     *
     * @param message what
     * @param timeoutNanos how long to wait at most; 0 for not at all; {@link Long#MAX_VALUE} for as long as it takes
     * @return whether it was taken; false after the time or when the thread is interrupted
     * @throws IllegalArgumentException if {@code timeoutNanos} is negative
     */
    public boolean publish(T message, long timeoutNanos) {
        Check.notNull(message, "message");
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        checkNotSending("publish");
        checkNotWaiting("publish");
        if (batch.size() == maxBatch && !acquire(maxBatch, timeoutNanos)) {
            return false;
        }
        if (batch.size() == maxBatch) {
            send();
        }
        batch.add(message);
        tryFlush();
        return true;
    }

    /**
     * Sends what was collected if there are permits for all of it.
     *
     * @return whether nothing is left
     */
    public boolean tryFlush() {
        return flush(0);
    }

    /**
     * Sends what was collected, waiting for permits.
     *
     * @param timeoutNanos how long to wait at most; 0 for not at all; {@link Long#MAX_VALUE} for as long as it takes
     * @return whether nothing is left; false after the time or when the thread is interrupted
     * @throws IllegalArgumentException if {@code timeoutNanos} is negative
     */
    public boolean flush(long timeoutNanos) {
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        checkNotSending("flush");
        checkNotWaiting("flush");
        if (batch.isEmpty()) {
            return true;
        }
        if (!acquire(batch.size(), timeoutNanos)) {
            return false;
        }
        send();
        return true;
    }

    /**
     * As {@link #flush(long)}.
     *
     * @param limit how long to wait at most; 0 for not at all
     * @return as there
     * @throws IllegalArgumentException if it is negative
     */
    public boolean flush(Duration limit) {
        return flush(Check.nanos(limit, "limit"));
    }

    /**
     * Tells when a message would be sent if it were published now. It takes no permit. Behind a full batch of as many messages as the
     * limiter's {@link RateLimiter#maxAcquire} it tells when that batch would be sent: the message then waits for one more permit.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} while paused; 0 if it, or that batch, would go at once
     */
    public long nanosUntilSent() {
        return limiter.nanosUntil(Math.min(batch.size() + 1, limiter.maxAcquire()));
    }

    /**
     * Messages taken and not sent yet.
     *
     * @return 0 to the largest batch
     */
    public int pending() {
        return batch.size();
    }

    private boolean acquire(int permits, long timeoutNanos) {
        waiting = true;
        try {
            return limiter.acquire(permits, timeoutNanos, idle);
        } finally {
            waiting = false;
        }
    }

    private void send() {
        sending = true;
        try {
            sender.send(view);
        } finally {
            sending = false;
            batch.clear();
        }
    }

    private void checkNotSending(String call) {
        if (sending) {
            throw new IllegalStateException(call + " must be called once the sender has returned, but the sender is at"
                    + " work: the same messages would go again");
        }
    }

    private void checkNotWaiting(String call) {
        if (waiting) {
            throw new IllegalStateException(call + " must be called once the wait for permits has ended, but its idle"
                    + " strategy is at work: the permits would be for other messages");
        }
    }
}
