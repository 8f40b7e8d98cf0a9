package com.lmax.disruptor;

import io.sluice.core.check.Check;

/**
 * Takes events when its caller asks, instead of in a loop of its own. One thread polls.
 *
 * @param <T> the type of the events
 */
public class EventPoller<T> {
    /**
     * Handles polled events.
     *
     * @param <T> the type of the events
     */
    public interface Handler<T> {
        /**
         * Handles one event.
         *
         * @param event the event
         * @param sequence its sequence
         * @param endOfBatch whether it is the last that was available
         * @return whether this poll goes on
         * @throws Exception whatever goes to the caller of {@code poll}
         */
        boolean onEvent(T event, long sequence, boolean endOfBatch) throws Exception;
    }

    /** The result of a poll. */
    public enum PollState {
        /** Events were handled. */
        PROCESSING,
        /** Events are claimed or published beyond what the poller may take. With one producer they are published. */
        GATING,
        /** Nothing is claimed or published beyond what was handled. */
        IDLE
    }

    private final DataProvider<T> dataProvider;
    private final Sequencer sequencer;
    private final Sequence sequence;
    private final Sequence gatingSequence;

    /**
     * Creates a poller.
     *
     * @param dataProvider gives the events
     * @param sequencer the ring's
     * @param sequence the poller's progress
     * @param gatingSequence whom it follows
     */
    public EventPoller(DataProvider<T> dataProvider, Sequencer sequencer, Sequence sequence, Sequence gatingSequence) {
        this.dataProvider = Check.notNull(dataProvider, "dataProvider");
        this.sequencer = Check.notNull(sequencer, "sequencer");
        this.sequence = Check.notNull(sequence, "sequence");
        this.gatingSequence = Check.notNull(gatingSequence, "gatingSequence");
    }

    /**
     * Hands out the available events, until the handler returns false or throws. Never waits. The progress is stored once, at
     * the end; an event from which the handler threw comes again.
     *
     * @param eventHandler who handles it
     * @return what was found
     * @throws Exception what the handler throws
     */
    public PollState poll(Handler<T> eventHandler) throws Exception {
        long handled = sequence.get();
        long available = sequencer.getHighestPublishedSequence(handled + 1, gatingSequence.get());
        if (available <= handled) {
            return sequencer.getCursor() > handled ? PollState.GATING : PollState.IDLE;
        }
        try {
            boolean goOn = true;
            while (goOn && handled < available) {
                long next = handled + 1;
                goOn = eventHandler.onEvent(dataProvider.get(next), next, next == available);
                handled = next;
            }
        } finally {
            sequence.set(handled); // release: gives the slots back
        }
        return PollState.PROCESSING;
    }

    /**
     * Creates a poller.
     *
     * @param dataProvider gives the events
     * @param sequencer the ring's
     * @param sequence the poller's progress
     * @param cursorSequence the ring's cursor
     * @param gatingSequences whom it follows; none to follow the cursor
     * @param <T> the type of the events
     * @return a new poller
     */
    public static <T> EventPoller<T> newInstance(
            DataProvider<T> dataProvider,
            Sequencer sequencer,
            Sequence sequence,
            Sequence cursorSequence,
            Sequence... gatingSequences) {
        Sequence gate = switch (gatingSequences.length) {
            case 0 -> cursorSequence;
            case 1 -> gatingSequences[0];
            default -> new FixedSequenceGroup(gatingSequences);
        };
        return new EventPoller<>(dataProvider, sequencer, sequence, gate);
    }

    /**
     * How far it has come. Any thread.
     *
     * @return its progress; add it to the ring's gating sequences, else producers do not wait for it
     */
    public Sequence getSequence() {
        return sequence;
    }
}
