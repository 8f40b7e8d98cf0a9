package io.sluice.batching;

import io.sluice.core.FailurePolicy;
import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import io.sluice.core.check.Check;
import java.io.Closeable;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages from a queue and sends them in batches. Use it where you have a queue and no ring. It is the double loop of
 * Martin Thompson, <em>Smart Batching</em> (2011). The outer loop waits for a message. The inner loop adds more messages until the
 * batch is full or the queue is empty. Then the batch goes out. Messages that arrive meanwhile make the next batch.
 *
 * <p>{@link #doWork()} does one round; it is called by one thread, an Agrona agent runner's or that of {@link
 * #run(IdleStrategy)}. While a send is under way nothing is taken from the queue. So a bounded queue fills up and refuses its
 * producers: that is the back pressure.
 *
 * <p>Cost of a message: the queue's poll and the encoding; no allocation here. A send blocks as long as the sink does.
 *
 * <p>Failures go to the {@link FailurePolicy}, with the element's number since the start as its sequence:
 *
 * <ul>
 *   <li>of the encoder, with the element: {@code SKIP} drops the element; {@code RETRY_EVENT} and {@code REWIND_BATCH} try it
 *       again in the next round.
 *   <li>of the sink, also when idle, or of the header's encoder, with a null element and a {@link SinkException}:
 *       {@code SKIP} drops the messages that were not taken, since the policy was asked about them, and not about one event as that of a
 *       {@link BatchingHandler}; {@code RETRY_EVENT} and {@code REWIND_BATCH} offer them again in the next round, from where the
 *       sink stopped. {@link BatchSink#endOfBatch} is called in any case for what the sink has taken: in the next round, or after a
 *       {@code SKIP} of a failed end at the end of the next round that sends something.
 *   <li>{@code HALT}, an {@link Error}, or a policy that throws or gives no answer: {@link #doWork()} throws {@link
 *       AgentTerminationException}, now and always. A {@link io.sluice.core.Runner} tells it to its error handler, and ends the
 *       batcher. Messages that were not sent stay where they are; see {@link #pendingMessages()}.
 * </ul>
 *
 * @param <E> the elements' type
 */
public final class Batcher<E> implements RunnerAgent {
    private final Drainable<E> source;
    private final BatchBuilder<E> builder;
    private final BatchSink sink;
    private final FailurePolicy<? super E> failurePolicy;
    private final int most; // elements of a round
    private final Consumer<E> take = this::hold;

    private @Nullable E held;
    private long sequence;
    int attempt; // tests set it: so many failures take too long
    private boolean working;
    private boolean roundOpen;
    private boolean endPutOff; // it failed and was skipped: an element that is held is tried before it
    private @Nullable Throwable failure;

    /**
     * Makes a batcher over a queue.
     *
     * @param queue where messages come from; this is its only consumer
     * @param encoder turns elements into bytes
     * @param sink the device; closed by {@link #onClose()}
     * @param config how batches are made
     * @param failurePolicy what to do about failures
     * @throws IllegalArgumentException if header, buffer and the sink's longest batch do not go together
     */
    public Batcher(
            Queue<E> queue,
            MessageEncoder<? super E> encoder,
            BatchSink sink,
            BatchingConfig config,
            FailurePolicy<? super E> failurePolicy) {
        this(polling(queue), encoder, sink, config, failurePolicy);
    }

    /**
     * Makes a batcher over a drainable source.
     *
     * @param source where messages come from; this is its only consumer
     * @param encoder turns elements into bytes
     * @param sink the device; closed by {@link #onClose()}
     * @param config how batches are made
     * @param failurePolicy what to do about failures
     * @throws IllegalArgumentException if header, buffer and the sink's longest batch do not go together
     */
    public Batcher(
            Drainable<E> source,
            MessageEncoder<? super E> encoder,
            BatchSink sink,
            BatchingConfig config,
            FailurePolicy<? super E> failurePolicy) {
        this.source = Check.notNull(source, "source");
        this.sink = sink;
        this.failurePolicy = Check.notNull(failurePolicy, "failurePolicy");
        builder = new BatchBuilder<>(encoder, sink, config);
        most = config.maxMessages;
    }

    /**
     * Sends one batch, if there is anything to send.
     *
     * @return how many messages were taken from the source, or 1 if something was tried again
     * @throws AgentTerminationException if the failure policy has halted this batcher
     * @throws IllegalStateException if it is called by this batcher's own source, encoder, header's encoder, sink or failure policy; this
     *     changes nothing
     */
    @Override
    public int doWork() {
        if (failure != null) {
            throw new AgentTerminationException(failure);
        }
        builder.checkOutside("doWork");
        if (working) {
            throw new IllegalStateException("doWork must be called between rounds, but was called within one");
        }
        working = true;
        int work = 0;
        try {
            boolean again = roundOpen && !endPutOff && builder.needsRetry();
            if (again) {
                builder.flush(); // what the last round could not send
                finishRound();
            }
            long before = builder.takenBatches();
            // A round ends with the first full batch, so that a source that is never empty does not keep us here.
            // Where elements make no message, it ends with as many of them as a batch may have messages.
            while (work < most && builder.takenBatches() == before && (held != null || source.drain(take, 1) > 0)) {
                roundOpen = true;
                addHeld();
                work++;
                if (builder.isFull()) {
                    builder.sendFull();
                }
            }
            if (roundOpen) {
                builder.flush();
                finishRound();
            } else if (attempt == 0 || isIdleDue()) {
                builder.tellIdle();
                attempt = 0;
            }
            return again ? work + 1 : work;
        } catch (Throwable e) {
            onFailure(e);
            return Math.max(1, work);
        } finally {
            working = false; // a store: it needs no stack
        }
    }

    /** Whether the sink wants to be called now, or does not say when: a sink that waits before it tries again has not succeeded. */
    private boolean isIdleDue() {
        long after = sink.idleAfterNanos();
        return after <= 0 || after == Long.MAX_VALUE;
    }

    /**
     * Runs until the thread is interrupted, or the failure policy halts. The last round ends before this returns; messages
     * that arrive later stay in the queue. The interrupt status stays set. An interrupt within a round may fail it: a {@link
     * java.nio.channels.FileChannel}, and a socket's channel that blocks, closes itself when its thread is interrupted. For a batcher
     * over such a sink use a {@link io.sluice.core.Runner}, whose {@code stop} interrupts nobody.
     *
     * @param idleStrategy what to do while there is nothing to send
     * @throws AgentTerminationException if the failure policy has halted this batcher
     */
    public void run(IdleStrategy idleStrategy) {
        Check.notNull(idleStrategy, "idleStrategy");
        while (!Thread.currentThread().isInterrupted()) {
            int work = doWork();
            if (work == 0 && idleStrategy instanceof SignalledIdle signalled) {
                signalled.deadline(deadline()); // a sink may owe something, such as a force, though nothing arrives
            }
            idleStrategy.idle(work);
        }
    }

    /** Always false: a batcher ends when its runner stops it, or by its failure policy. */
    @Override
    public boolean isDone() {
        return false;
    }

    /** The time at which the sink wants {@link BatchSink#onIdle()} although no message arrives: see {@link BatchSink#idleAfterNanos()}. */
    @Override
    public long deadline() {
        long after = sink.idleAfterNanos();
        return after == Long.MAX_VALUE
                ? SignalledIdle.NO_DEADLINE
                : System.nanoTime() + Math.min(Math.max(after, 0), Long.MAX_VALUE / 2);
    }

    @Override
    public String roleName() {
        return "batcher";
    }

    /**
     * How many messages are in a batch that was not yet taken in full, and an element that could not yet be encoded.
     *
     * @return the number, 0 or more
     */
    public int pendingMessages() {
        return builder.pendingMessages() + (held == null ? 0 : 1);
    }

    /**
     * How many messages were dropped because the failure policy said {@code SKIP} to a failing sink.
     *
     * @return the number, 0 or more
     */
    public long discardedMessages() {
        return builder.discardedMessages();
    }

    /**
     * Tries once more to send what a failing sink has not taken, and then an element that is in no batch yet, unless this batcher has
     * halted. Then calls {@link BatchSink#onShutdown()} and closes the sink, whatever failed before. The interrupt status of the thread
     * is put aside meanwhile, since channels close themselves where it is set.
     *
     * @throws UncheckedIOException if the sink fails, or the encoder; {@link #pendingMessages()} says how many messages are left, and
     *     the message names an element that is in no batch by its number
     * @throws IllegalStateException if an encoder or the sink of this batcher calls it; this changes nothing
     */
    @Override
    public void onClose() {
        builder.checkOutside("onClose");
        boolean interrupted = Thread.interrupted(); // a channel would close itself instead of writing
        Closeable end = sink::onShutdown; // closed first, whatever is left; a failure of each is kept
        try (sink;
                end) {
            if (failure == null && (pendingMessages() > 0 || builder.needsRetry())) {
                builder.flush();
                if (held != null) {
                    addHeld();
                    builder.flush();
                }
                finishRound();
            }
        } catch (Exception e) {
            String last = " messages left" + (held == null ? "" : ", the last of element " + sequence);
            throw BatchingHandler.unchecked("the batcher was closed with " + pendingMessages() + last, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void hold(E element) {
        held = element;
    }

    private void addHeld() throws Exception {
        endPutOff = false;
        builder.add(Objects.requireNonNull(held, "the source handed over no element"), sequence);
        held = null;
        sequence++;
        attempt = 0;
    }

    private void finishRound() {
        roundOpen = false;
        attempt = 0;
    }

    private void onFailure(Throwable cause) {
        boolean ofSink = cause instanceof SinkException;
        attempt = Math.min(attempt, Integer.MAX_VALUE - 1) + 1;
        FailurePolicy.Action action;
        try {
            action = Check.notNull(
                    failurePolicy.onFailure(cause, ofSink ? null : held, sequence, attempt),
                    "the failure policy's action");
        } catch (Throwable e) {
            if (e != cause) {
                cause.addSuppressed(e);
            }
            action = FailurePolicy.Action.HALT;
        }
        if (cause instanceof Error || action == FailurePolicy.Action.HALT) {
            failure = cause;
            throw new AgentTerminationException(cause);
        }
        if (action == FailurePolicy.Action.SKIP) {
            attempt = 0;
            if (ofSink) {
                boolean endFailed = builder.pendingMessages() == 0;
                builder.discardPending();
                endPutOff = endFailed;
                roundOpen = held != null || (builder.owesEnd() && !endFailed);
            } else if (held != null) {
                held = null;
                sequence++;
            }
        }
    }

    private static <E> Drainable<E> polling(Queue<E> queue) {
        Check.notNull(queue, "queue");
        return (consumer, limit) -> {
            E element = queue.poll();
            if (element == null) {
                return 0;
            }
            consumer.accept(element);
            return 1;
        };
    }
}
