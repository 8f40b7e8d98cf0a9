package io.sluice.aeron;

import io.aeron.Publication;
import io.sluice.core.OpaqueCounters;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that sends the events of a ring to an Aeron publication: {@code pipeline.batchConsumer("out", sender)}. On a ring
 * of messages {@link RingMessages#handler} makes one. It sends the events that are there, and no timer makes an event wait. Its processor
 * is an agent that may run on the pipeline's threads or on a {@code Runner} of the application.
 *
 * <p>An event that fits into one frame is encoded straight into the publication's log. A longer one is encoded into a buffer, and
 * Aeron cuts it into fragments. Messages carry a number in the frame's reserved value, from 1 on without a hole, so a receiver sees
 * what is missing. A message that a policy drops takes its number with it.
 *
 * <p>When Aeron does not take an event, the sender hands it back, and the pipeline brings it again after the idle strategy of its
 * runner. So the ring fills up, and its publishers feel the back pressure. Policies may drop instead, or fail the ring. Each answer
 * of Aeron is {@linkplain #count counted}.
 *
 * <p>Called by: the consumer's thread, unless a method says otherwise. Nothing here blocks, and nothing allocates but for a publication
 * that is opened, and once for messages longer than a frame. A message costs Aeron's claim and commit, and an opaque store.
 *
 * @param <E> the events' type
 */
public final class AeronSender<E> implements BatchHandler<E>, AutoCloseable {
    /*
     *   opening ──the driver answers──> open ──CLOSED, MAX_POSITION_EXCEEDED──> opening (a new session), or the consumer fails
     *
     * number   the next message's. It moves on when a message is sent or dropped, so that an event that is handed back keeps its number.
     *
     * FrameWriter puts messages into the log. SenderSessions remembers which sessions were ours.
     *
     * onBatch hands back from the first event that does not go, also where that one fails: so the progress of those before it is
     * published, those in an earlier part of the batch with them. The failure is owed until the event comes again as the first one. So a
     * failure policy that tries again repeats no message.
     */

    private static final int ADMIN_TRIES = 3;

    private static final int DROPPED = SendResult.NUMBER;
    private static final int UNENCODABLE = DROPPED + 1;
    private static final int REOPENED = DROPPED + 2;

    /** The policy for an event that cannot go now. */
    public enum Refused {
        /** It waits in the ring, and holds up the events behind it. */
        WAIT,
        /** It is dropped and counted, with its number: receivers see the gap. */
        DROP,
        /** The consumer fails with a {@link PublicationEndedException}. */
        FAIL
    }

    /** The policy for a sender whose publication has ended. */
    public enum Ended {
        /** It opens a new one, on which numbers go on. Meanwhile events wait. */
        REOPEN,
        /** The consumer fails with a {@link PublicationEndedException}. */
        FAIL
    }

    private final AeronLink link;
    private final String channel;
    private final int streamId;
    private final PublicationOpener opener;
    private final Refused whenNotConnected;
    private final Refused whenBackPressured;
    private final Ended whenEnded;
    private final @Nullable ErrorHandler skipUnencodable;
    private final SenderListener listener;
    final FrameWriter<E> writer;
    private final SenderSessions sessions = new SenderSessions();

    // the sender's thread
    private final OpaqueCounters counts = new OpaqueCounters(REOPENED + 1);
    private @Nullable Publication publication;
    private @Nullable Throwable owed;
    private long number;
    private long reached;
    private boolean closed;

    private AeronSender(Builder<E> builder) {
        link = builder.link;
        channel = builder.channel;
        streamId = builder.streamId;
        whenNotConnected = builder.whenNotConnected;
        whenBackPressured = builder.whenBackPressured;
        whenEnded = builder.whenEnded;
        skipUnencodable = builder.skipUnencodable;
        listener = builder.listener;
        number = builder.firstNumber;
        boolean numbered = !builder.concurrent;
        writer = new FrameWriter<>(builder.encoder, numbered, number - 1);
        opener = new PublicationOpener(link, channel, streamId, numbered);
    }

    /**
     * Begins a sender.
     *
     * @param link what it sends by
     * @param channel the channel, as Aeron spells it: {@code aeron:ipc}, {@code aeron:udp?endpoint=...}
     * @param streamId the stream
     * @param encoder turns events into messages
     * @param <E> the events' type
     * @return a builder
     */
    public static <E> Builder<E> builder(
            AeronLink link, String channel, int streamId, EventEncoder<? super E> encoder) {
        return new Builder<>(link, channel, streamId, encoder);
    }

    /**
     * Settings of a sender. For one thread.
     *
     * @param <E> the events' type
     */
    public static final class Builder<E> {
        private final AeronLink link;
        private final String channel;
        private final int streamId;
        private final EventEncoder<? super E> encoder;
        private boolean concurrent;
        private long firstNumber = 1;
        private Refused whenNotConnected = Refused.WAIT;
        private Refused whenBackPressured = Refused.WAIT;
        private Ended whenEnded = Ended.REOPEN;
        private @Nullable ErrorHandler skipUnencodable;
        private SenderListener listener = new SenderListener() {};

        private Builder(AeronLink link, String channel, int streamId, EventEncoder<? super E> encoder) {
            this.link = Check.notNull(link, "link");
            this.channel = Check.notNull(channel, "channel");
            this.streamId = streamId;
            this.encoder = Check.notNull(encoder, "encoder");
        }

        /**
         * Uses a publication that several senders of the link share, instead of one of its own. Its messages have no numbers, so that
         * receivers see no gaps, and NAKs have no positions.
         *
         * @return this
         */
        public Builder<E> concurrent() {
            concurrent = true;
            return this;
        }

        /**
         * Sets the number of the first message, for a sender that goes on where another one ended.
         *
         * @param first 1 or more; 1 unless set
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder<E> firstNumber(long first) {
            Check.inRange(first, 1, Long.MAX_VALUE, "first");
            firstNumber = first;
            return this;
        }

        /**
         * Chooses the policy for an event while no subscriber is there, or the driver is lost.
         *
         * @param policy {@link Refused#WAIT} unless set
         * @return this
         */
        public Builder<E> whenNotConnected(Refused policy) {
            whenNotConnected = Check.notNull(policy, "policy");
            return this;
        }

        /**
         * Chooses the policy for an event while a subscriber holds the publication.
         *
         * @param policy {@link Refused#WAIT} unless set
         * @return this
         */
        public Builder<E> whenBackPressured(Refused policy) {
            whenBackPressured = Check.notNull(policy, "policy");
            return this;
        }

        /**
         * Chooses the policy for the end of its publication: closed, revoked, or at its last position.
         *
         * @param policy {@link Ended#REOPEN} unless set; a closed link fails the consumer all the same
         * @return this
         */
        public Builder<E> whenEnded(Ended policy) {
            whenEnded = Check.notNull(policy, "policy");
            return this;
        }

        /**
         * Passes over events whose encoder throws, or whose message is longer than Aeron can send, instead of failing. They are counted,
         * and take their number with them.
         *
         * @param told told what was thrown, on the sender's thread; what it throws fails the consumer at that event
         * @return this
         */
        public Builder<E> skipUnencodable(ErrorHandler told) {
            skipUnencodable = Check.notNull(told, "told");
            return this;
        }

        /**
         * Sets the listener that is told of new sessions.
         *
         * @param told called by the sender's thread
         * @return this
         */
        public Builder<E> listener(SenderListener told) {
            listener = Check.notNull(told, "told");
            return this;
        }

        /**
         * Builds the sender, for one consumer. Its publication is opened when it is first called with an event, or by {@link
         * AeronSender#open}.
         *
         * @return the sender
         */
        public AeronSender<E> build() {
            return new AeronSender<>(this);
        }
    }

    // the sender's thread

    /**
     * Opens the publication if it is not open. Asks the driver, and does not wait for its answer. Before the pipeline starts any thread
     * may call it, then only the consumer's.
     *
     * @return whether it is open
     * @throws io.aeron.exceptions.RegistrationException if the driver refuses the channel
     * @throws PublicationEndedException if it was open, has ended, and is not to be opened again
     */
    public boolean open() {
        Publication present = publication;
        if (present != null && present.isClosed() && !closed) {
            ended(SendResult.CLOSED, present);
            present = null;
        }
        return (present == null ? opened() : present) != null;
    }

    private @Nullable Publication opened() {
        Publication opened = closed ? null : opener.poll();
        if (opened == null) {
            return null;
        }
        publication = opened;
        sessions.add(opened.sessionId());
        listener.onOpen(opened.sessionId(), number);
        return opened;
    }

    /**
     * Sends events.
     *
     * @return the last one that was sent or dropped; the rest is to come again
     * @throws PublicationEndedException as the policies say
     * @throws Exception what the encoder throws, unless such events are skipped
     */
    @Override
    public long onBatch(RingBuffer<E> ring, long lo, long hi) throws Exception {
        Throwable failure = owed;
        owed = null;
        if (failure != null && lo == reached) {
            LangUtil.rethrowUnchecked(failure);
        } else if (failure != null && lo > reached) {
            link.errors().onError(failure); // its event was shed meanwhile: the one that comes now is not at fault
        } // else the sender has joined again further back: its event comes again
        reached = lo;
        try {
            while (reached <= hi && continueSending(ring, hi)) {}
        } catch (Throwable t) {
            owed = t;
        }
        return reached - 1;
    }

    /** Sends up to the first event that is refused or cannot be encoded. Returns whether that one, too, need not come again. */
    private boolean continueSending(RingBuffer<E> ring, long hi) throws Exception {
        Publication to = publication == null ? opened() : publication;
        if (to == null) {
            return isPassed((closed || !link.isConnected()) && isUnconnected(ring), hi);
        }
        SendResult result;
        try {
            result = send(to, ring, hi);
        } catch (Exception e) {
            return isPassed(isSkipped(e), hi);
        }
        return result == SendResult.SENT || isPassed(isRefused(result, to), hi);
    }

    private boolean isPassed(boolean passed, long hi) {
        if (passed) {
            reached = writer.next(reached, hi);
        }
        return passed;
    }

    /**
     * Sends from {@link #reached} on. The number is in a local variable meanwhile: each store waits in the core's store buffer behind those
     * of the messages, whose lines come from the subscriber's core.
     */
    private SendResult send(Publication to, RingBuffer<E> ring, long hi) throws Exception {
        long sequence = reached;
        long next = number;
        int tries = ADMIN_TRIES;
        writer.begin();
        try {
            while (sequence <= hi) {
                int length = writer.length(to, ring.get(sequence), sequence);
                if (length == 0) {
                    sequence = writer.next(sequence, hi);
                    continue;
                }
                long code;
                try {
                    code = writer.write(to, ring, sequence, hi, length, next);
                } finally {
                    next += writer.messages();
                    sequence += writer.passed();
                }
                if (code > 0) {
                    tries = ADMIN_TRIES;
                    continue;
                }
                SendResult result = SendResult.of(code);
                counts.add(result.place, 1);
                if (result != SendResult.ADMIN_ACTION || --tries == 0) {
                    return result;
                }
            }
            return SendResult.SENT;
        } finally {
            counts.add(SendResult.SENT.place, next - number);
            reached = sequence;
            number = next;
        }
    }

    /** An event that cannot be encoded is passed over, or its failure thrown. */
    private boolean isSkipped(Exception e) throws Exception {
        ErrorHandler told = skipUnencodable;
        if (told == null) {
            throw e;
        }
        told.onError(e); // first: if it throws, the event comes again
        counts.add(UNENCODABLE, 1);
        number++;
        return true;
    }

    private boolean isRefused(SendResult result, Publication from) {
        return switch (result) {
            case NOT_CONNECTED -> isDropped(whenNotConnected, result);
            case BACK_PRESSURED -> isDropped(whenBackPressured, result);
            case CLOSED, MAX_POSITION_EXCEEDED -> {
                ended(result, from);
                yield false;
            }
            case ADMIN_ACTION, SENT -> false;
        };
    }

    /** The driver is lost, or the link or this sender is closed. */
    private boolean isUnconnected(RingBuffer<E> ring) throws Exception {
        if (closed || link.isClosed()) {
            throw new PublicationEndedException(SendResult.CLOSED, channel, streamId);
        }
        try {
            if (writer.isNone(ring.get(reached), reached)) {
                return true;
            }
        } catch (Exception e) {
            return isSkipped(e);
        }
        counts.add(SendResult.NOT_CONNECTED.place, 1);
        return isDropped(whenNotConnected, SendResult.NOT_CONNECTED);
    }

    private boolean isDropped(Refused policy, SendResult result) {
        if (policy == Refused.FAIL) {
            throw new PublicationEndedException(result, channel, streamId);
        }
        if (policy == Refused.WAIT) {
            return false;
        }
        counts.add(DROPPED, 1);
        number++;
        return true;
    }

    private void ended(SendResult result, Publication from) {
        if (whenEnded == Ended.FAIL || link.isClosed()) {
            throw new PublicationEndedException(result, channel, streamId);
        }
        publication = null;
        CloseHelper.close(link.errors(), from);
        opener.again();
        counts.add(REOPENED, 1);
        listener.onEnd(from.sessionId(), result, number);
    }

    /**
     * Closes the publication. Its messages still reach their subscribers. Called once the consumer has ended, by
     * any thread; calling it again does nothing.
     */
    @Override
    public void close() {
        closed = true;
        Publication open = publication;
        opener.cancel();
        CloseHelper.close(link.errors(), open);
        publication =
                open == null || open.isClosed() ? null : open; // what Aeron does not close now can be closed later
    }

    /** The open publication. The sender's thread; for tests, which end it from below. */
    @Nullable
    Publication publication() {
        return publication;
    }

    // any thread

    /**
     * The number of the newest message that a receiver can have: the position for a {@code NakController}. Any thread; an opaque read.
     *
     * @return 0 or more; below the first number at first
     */
    public long position() {
        return writer.position();
    }

    /**
     * How often Aeron gave an answer. Any thread; a recent value.
     *
     * @param result the answer
     * @return 0 or more
     */
    public long count(SendResult result) {
        return counts.get(result.place);
    }

    /**
     * How many events a policy dropped. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long dropped() {
        return counts.get(DROPPED);
    }

    /**
     * How many events could not be encoded and were passed over. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long unencodable() {
        return counts.get(UNENCODABLE);
    }

    /**
     * How often a publication had ended and was opened again. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long reopened() {
        return counts.get(REOPENED);
    }

    /**
     * The Aeron session of the newest publication. Any thread.
     *
     * @return the session
     * @throws IllegalStateException if none has been opened yet
     */
    public int sessionId() {
        return sessions.newest();
    }

    /** Whether a session is, or was, of this sender. Any thread. */
    boolean hasSession(int sessionId) {
        return sessions.has(sessionId);
    }
}
