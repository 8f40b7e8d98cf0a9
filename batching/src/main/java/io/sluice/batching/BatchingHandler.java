package io.sluice.batching;

import io.sluice.ringbuffer.pipeline.EventHandler;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Gathers the events of a ring into batches for a device. Events that arrive during a send go out together in the next one.
 * Nothing waits for a timer: a batch goes out as soon as it is full, or as the ring has no further event.
 *
 * <p>The thread that runs the handler's processor calls all methods; {@link #close()} is called when that has ended. An event
 * costs its encoding, and no allocation. A send blocks as long as the sink does; where the sink takes nothing, up to the
 * configured time-out.
 *
 * <p>The encoder, the header's encoder and the sink must not call {@link #onEvent}, {@link #onBatchEnd}, {@link #onShutdown()} or {@link
 * #discardPending()} of their own handler: an {@link IllegalStateException} refuses that and changes nothing.
 *
 * <p>Failures are thrown to the processor, whose {@link io.sluice.core.FailurePolicy} decides:
 *
 * <ul>
 *   <li>An encoder that throws, or returns a length that is not allowed, concerns its event alone. The messages before it
 *       are unharmed and are sent at the end of the batch, whether the event is tried again or skipped.
 *   <li>A sink that fails concerns the messages that it did not take; {@link SinkException} says which. They stay, and are
 *       offered again from where the sink stopped, before anything else, at the next event, at the end of the next batch, or
 *       at the end of all events. So {@code RETRY_EVENT} and {@code REWIND_BATCH} try again, and {@code SKIP} goes on without
 *       losing them; an event that is skipped because the messages before it could not be sent is lost, and the policy was
 *       told so. {@code SKIP} does not drop them, as it does in a {@link Batcher}: the policy was asked about the event at hand, and
 *       this handler does not hear the answer. {@link #discardPending()} gives them up; the policy may call it before it answers
 *       {@code SKIP}. A header's encoder that throws counts as such a sink.
 *   <li>The end of a batch ({@link BatchSink#endOfBatch}) is owed for what the sink has taken until it succeeds, whatever is
 *       discarded.
 *   <li>An event that is delivered again, by a retry or a rewind, and is in the batch or taken already, is not encoded again:
 *       nothing is sent twice. This does not hold across another start: see {@link #onStart()}.
 * </ul>
 *
 * @param <E> the events' type
 */
public final class BatchingHandler<E> implements EventHandler<E>, AutoCloseable {
    private final BatchSink sink;
    private final BatchBuilder<E> builder;
    private long encodedSequence = -1;
    private long takenSequence = -1;

    /**
     * Makes a handler.
     *
     * @param encoder turns events into bytes
     * @param sink the device; closed by {@link #close()}
     * @param config how batches are made
     * @throws IllegalArgumentException if header, buffer and the sink's longest batch do not go together
     */
    public BatchingHandler(MessageEncoder<? super E> encoder, BatchSink sink, BatchingConfig config) {
        this.sink = sink;
        builder = new BatchBuilder<>(encoder, sink, config);
    }

    /**
     * Begins anew. So a handler can serve one ring after the other, and a consumer that joins again further back: each
     * event behind a start is sent, also one whose sequence was sent before it. Messages that a failing sink has left
     * before the start go out first; until then a {@link SinkException} names the sequences that they had.
     */
    @Override
    public void onStart() {
        encodedSequence = -1;
        takenSequence = -1;
    }

    @Override
    public void onEvent(E event, long sequence, boolean endOfBatch) throws Exception {
        // A redelivered event that is in the batch, or on the wire, already is only a reason to try again to send.
        if (sequence > encodedSequence) {
            builder.add(event, sequence);
            encodedSequence = sequence;
        }
        if (endOfBatch) {
            builder.flush();
            takenSequence = encodedSequence;
        } else if (builder.isFull()) {
            builder.sendFull();
        }
    }

    /** Always true: events that arrive while a batch is handled join it. */
    @Override
    public boolean extendsBatch() {
        return true;
    }

    /** Sends what is left of a batch whose last event was skipped. */
    @Override
    public void onBatchEnd(long sequence) throws Exception {
        builder.flush();
        takenSequence = encodedSequence;
    }

    /**
     * Calls {@link BatchSink#onIdle()}, for work such as a timed {@code force}.
     *
     * @throws UncheckedIOException if the sink fails
     */
    @Override
    public void onTimeout(long sequence) {
        try {
            sink.onIdle();
        } catch (Exception e) {
            throw unchecked("the sink failed when idle", e);
        }
    }

    /** How long until the sink wants {@link BatchSink#onIdle()} although no event arrives: see {@link BatchSink#idleAfterNanos()}. */
    @Override
    public long timeoutAfterNanos() {
        return sink.idleAfterNanos();
    }

    /**
     * Tries once more to send what a failing sink has not taken, then calls {@link BatchSink#onShutdown()}, also if the sink
     * fails again. The interrupt status of the thread is put aside meanwhile, since channels close themselves where it is set.
     *
     * @throws UncheckedIOException if the sink fails again; {@link #pendingMessages()} says how many messages are left
     * @throws IllegalStateException if an encoder or the sink of this handler calls it; this changes nothing
     */
    @Override
    public void onShutdown() {
        builder.checkOutside("onShutdown");
        boolean interrupted = Thread.interrupted(); // a channel would close itself instead of writing
        Closeable end = sink::onShutdown; // whatever is left: a sink beside the one that failed may owe a force
        try (end) {
            if (isAnyLeft()) {
                builder.flush();
                takenSequence = encodedSequence;
            }
        } catch (Exception e) {
            throw unchecked(isAnyLeft() ? "messages are left at the end" : "the sink failed at the end", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isAnyLeft() {
        return builder.pendingMessages() > 0 || builder.needsRetry();
    }

    /**
     * How many messages are in a batch that was not yet taken in full.
     *
     * @return the number, 0 or more
     */
    public int pendingMessages() {
        return builder.pendingMessages();
    }

    /**
     * Gives up the messages that the sink has not taken, whole or in part; for a failure policy that prefers new events to
     * old ones. A device that was sent a part of a message never gets its rest. The end is still owed for what the sink has taken; it
     * comes with the next batch.
     *
     * @return how many messages were dropped
     * @throws IllegalStateException if an encoder or the sink of this handler calls it; this changes nothing
     */
    public int discardPending() {
        return builder.discardPending();
    }

    /**
     * How many messages were dropped by {@link #discardPending()}.
     *
     * @return the number, 0 or more
     */
    public long discardedMessages() {
        return builder.discardedMessages();
    }

    /**
     * The last event that was in a batch when a batch of events last ended with success. The messages up to it were taken and ended, or
     * given up by {@link #discardPending()}.
     *
     * @return its sequence, -1 if there is none since the handler was last started
     */
    public long takenSequence() {
        return takenSequence;
    }

    /**
     * Closes the sink. Call it when the processor has ended.
     *
     * @throws IOException if the sink fails to close
     */
    @Override
    public void close() throws IOException {
        sink.close();
    }

    static UncheckedIOException unchecked(String message, Exception cause) {
        return new UncheckedIOException(
                message + ": " + cause, cause instanceof IOException io ? io : new IOException(cause));
    }
}
