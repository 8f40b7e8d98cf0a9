package io.sluice.aeron;

import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.core.RunnerAgent;
import io.sluice.core.check.Check;
import io.sluice.core.check.Failures;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.jspecify.annotations.Nullable;

/**
 * An agent that polls an Aeron subscription and hands each message to a {@link MessageSink}, such as a ring. A sink that is full leaves the
 * message with Aeron; so Aeron's flow control holds the sender, and nothing is lost.
 *
 * <p>Order and delivery. The messages of one session come in the order in which they were sent, each once: Aeron gives that order, and the
 * numbers that an {@link AeronSender} puts on its messages show it. A missing number is told and counted; a number that comes again is
 * counted and passed over. Between sessions nothing is promised, unless they are of {@linkplain Builder#oneSender one sender}: then numbers
 * go on from session to session, also when sender or receiver have started again, and each number is handed on once. A session that ends is
 * read to its end before those behind it have a gap.
 *
 * <p>Called by: one thread, but for the counters. Nothing blocks. Nothing is allocated but for sessions that come and go, and for a
 * buffer for each session whose messages are longer than a frame.
 */
public final class AeronReceiver extends ReceiverCounts implements RunnerAgent, AutoCloseable {
    /*
     * Images come and go on the thread that runs the link. They are put into a queue, and the receiver's thread takes them out: before it
     * polls, and when a message comes from an image that it does not know yet. Aeron calls the handler after it has removed an image, but
     * also after it has added one: a message tells of an image that the queue does not tell of yet. So a
     * session is told before its first message.
     *
     * An image may take the place of another one with the same session id, but not within a poll: Aeron polls the images that it finds at
     * the beginning. The end of the one before is in the queue then. So the image is looked up with its first message in each poll; after
     * that the session id tells which image it is.
     *
     * An exception inside Aeron's poll must not leave it: Aeron would go on behind the message. It is kept, and doWork throws it.
     */

    private final AeronLink link;
    private final MessageSink sink;
    private final ReceiverListener listener;
    private final int fragmentLimit;
    private final HeardSession.@Nullable Numbers ofOneSender;
    private final @Nullable FillMonitor monitor;
    private final @Nullable LifeSigns signs;
    final HeardStream live;
    private final @Nullable HeardStream replay;
    private final ControlledFragmentHandler handler = this::onFragment;
    final ConcurrentLinkedQueue<HeardStream.Change> changes = new ConcurrentLinkedQueue<>();

    private HeardStream polled;
    private boolean polling;
    private @Nullable Throwable thrown;
    private long taken;
    private long toldTo; // the end of the gap that was told; 0 to tell it again
    private boolean done;

    private AeronReceiver(Builder builder) {
        link = builder.link;
        sink = builder.sink;
        listener = builder.listener;
        fragmentLimit = builder.fragmentLimit;
        monitor = builder.monitor;
        ofOneSender = builder.firstExpected == 0 ? null : new HeardSession.Numbers(builder.firstExpected);
        signs = builder.signs;
        live = new HeardStream(link, builder.channel, builder.streamId, ofOneSender, changes, this::onMessage);
        replay = builder.replayChannel == null
                ? null
                : new HeardStream(
                        link, builder.replayChannel, builder.replayStreamId, ofOneSender, changes, this::onMessage);
        polled = live;
    }

    /**
     * Begins a receiver.
     *
     * @param link what it receives by
     * @param channel the channel, as Aeron spells it
     * @param streamId the stream
     * @param sink takes the messages
     * @param listener told of sessions, gaps, and messages that the sink cannot understand
     * @return a builder
     */
    public static Builder builder(
            AeronLink link, String channel, int streamId, MessageSink sink, ReceiverListener listener) {
        return new Builder(link, channel, streamId, sink, listener);
    }

    /** Settings of a receiver. For one thread. */
    public static final class Builder {
        private final AeronLink link;
        private final String channel;
        private final int streamId;
        private final MessageSink sink;
        private final ReceiverListener listener;
        private int fragmentLimit = 64;
        private long firstExpected;
        private @Nullable String replayChannel;
        private int replayStreamId;
        private @Nullable FillMonitor monitor;
        private @Nullable LifeSigns signs;

        private Builder(AeronLink link, String channel, int streamId, MessageSink sink, ReceiverListener listener) {
            this.link = Check.notNull(link, "link");
            this.channel = Check.notNull(channel, "channel");
            this.streamId = streamId;
            this.sink = Check.notNull(sink, "sink");
            this.listener = Check.notNull(listener, "listener");
        }

        /**
         * Sets how many fragments one call of {@link AeronReceiver#doWork} takes.
         *
         * @param fragments 1 or more; 64 unless set
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder fragmentLimit(int fragments) {
            Check.inRange(fragments, 1, Integer.MAX_VALUE, "fragments");
            fragmentLimit = fragments;
            return this;
        }

        /**
         * Takes all sessions for those of one sender whose numbers go on when it starts again or opens a new publication. A number below
         * the one that is due is passed over, and counted as repeated. A message above it waits with Aeron while another session may still
         * bring the number that is due: as long as that session has messages with lower numbers to read, and by UDP until its end has
         * come, or until nothing of it has come for ten seconds. The gap is told only then; with {@link #fillGapsFrom} it is told at once.
         *
         * @param firstDue the first number that is wanted, 1 or more: one more than the last one handled
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder oneSender(long firstDue) {
            Check.inRange(firstDue, 1, Long.MAX_VALUE, "firstDue");
            firstExpected = firstDue;
            return this;
        }

        /**
         * Has gaps filled from a second subscription, on which messages are sent once more, with their numbers. A message behind a gap
         * stays with Aeron until the gap is filled, or {@linkplain AeronReceiver#acceptGap given up}; {@link ReceiverListener#onGap}
         * says what to ask for: once; the rest again, when a live session comes or any session goes; and each hole in a replay, once
         * for each session that has it. Aeron's flow control may hold the sender meanwhile. Wants {@link #oneSender}.
         *
         * @param fromChannel the channel
         * @param fromStreamId the stream
         * @return this
         */
        public Builder fillGapsFrom(String fromChannel, int fromStreamId) {
            replayChannel = Check.notNull(fromChannel, "fromChannel");
            replayStreamId = fromStreamId;
            return this;
        }

        /**
         * Has a monitor say NAK when the ring behind the sink fills up. It is called after each poll, on the receiver's thread.
         *
         * @param watching a monitor of {@link RingSink#fillSource}
         * @return this
         */
        public Builder monitor(FillMonitor watching) {
            monitor = Check.notNull(watching, "watching");
            return this;
        }

        /**
         * Has the receiver say that it lives, and farewell when it is closed, so that its sender can name it when it is stopped or
         * dead. Called after each poll, on the receiver's thread.
         *
         * @param said signs of this receiver, of {@link RingSink#fillSource} like the monitor
         * @return this
         */
        public Builder lifeSigns(LifeSigns said) {
            signs = Check.notNull(said, "said");
            return this;
        }

        /**
         * Builds it. Its subscription is opened by its first calls.
         *
         * @return a receiver that must be run, for instance by a {@code Runner}
         * @throws IllegalArgumentException if gaps are to be filled and the sender is not one
         */
        public AeronReceiver build() {
            if (replayChannel != null && firstExpected == 0) {
                throw new IllegalArgumentException(
                        "fillGapsFrom must come with oneSender, but several senders may be heard");
            }
            return new AeronReceiver(this);
        }
    }

    // the receiver's thread

    /**
     * Polls once. Opens the subscription while it is not open.
     *
     * @return how many fragments were taken, and NAKs and signs of life said
     * @throws io.aeron.exceptions.RegistrationException if the driver refuses the channel
     * @throws RuntimeException what the producer of the ring behind the sink throws; the message stays with Aeron
     * @throws IllegalStateException if a sink or a listener calls it while a message is handed over, which would come again. A sink
     *     that does not catch it has not understood its message: that is passed over, and the listener is told
     */
    @Override
    public int doWork() {
        if (done) {
            return 0;
        }
        if (polling) {
            throw new IllegalStateException(
                    "doWork must not be called from within a sink or listener that it calls, but was");
        }
        int work = tellChanges();
        try {
            work += replay == null ? 0 : poll(replay);
            work += poll(live);
        } catch (Throwable t) { // a sender is to hear of a receiver whose ring refuses messages
            Failures.after(t, this::say);
            throw t;
        }
        return work + say();
    }

    private int say() {
        return (monitor == null ? 0 : monitor.poll()) + (signs == null ? 0 : signs.poll());
    }

    private int poll(HeardStream stream) {
        polled = stream;
        Subscription subscription = done ? null : stream.poll(); // done: its listener may have closed it
        polling = true;
        stream.beginPoll();
        int fragments;
        try {
            fragments = subscription == null ? 0 : subscription.controlledPoll(handler, fragmentLimit);
        } finally {
            polling = false;
        }
        if (taken != 0) {
            counts.add(RECEIVED, taken);
            taken = 0;
        }
        Throwable failure = thrown;
        if (failure != null) {
            thrown = null;
            LangUtil.rethrowUnchecked(failure);
        }
        return fragments;
    }

    @Override
    public int eventsSinceIdle(int work) {
        return work >= fragmentLimit ? 0 : work; // after a full poll there may be more
    }

    private Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        if (done || thrown != null) {
            return Action.ABORT; // an image before this one in the same poll has ended it
        }
        try {
            return (header.flags() & FrameDescriptor.UNFRAGMENTED) == FrameDescriptor.UNFRAGMENTED
                    ? onMessage(buffer, offset, length, header)
                    : polled.onFragment(buffer, offset, length, header);
        } catch (Throwable t) { // no memory to collect fragments
            thrown = t;
            return Action.ABORT;
        }
    }

    private Action onMessage(DirectBuffer buffer, int offset, int length, Header header) {
        try {
            int sessionId = header.sessionId();
            long number = header.reservedValue();
            HeardSession session = polled.current(sessionId);
            if (session == null || session.isIrregular(number)) {
                Image image = (Image) header.context(); // Aeron puts it there
                if (session == null) { // its image's first message in this poll, or one behind that of another image
                    session = polled.heard(image);
                    session = session != null ? session : told(image);
                }
                Action other = session.isIrregular(number) ? irregular(session, number, image) : null;
                if (other != null) {
                    return other;
                }
            }
            return !done ? handOver(buffer, offset, length, session, number) : Action.ABORT;
        } catch (Throwable t) {
            thrown = t;
            return Action.ABORT;
        }
    }

    /** The session of an image that was not heard yet, or is gone. */
    private HeardSession told(Image image) {
        tellChanges();
        if (polled.heard(image) == null && !image.isClosed()) { // it was added, and is not in the queue yet
            onChange(new HeardStream.Change(polled, true, image, image.joinPosition(), false));
        }
        return polled.session(image.sessionId());
    }

    private Action handOver(DirectBuffer buffer, int offset, int length, HeardSession session, long number) {
        MessageSink.Taken result;
        try {
            result = sink.onMessage(buffer, offset, length, session.id, number);
        } catch (Exception e) {
            if (e instanceof RingFailure ring) { // the message is not at fault
                thrown = ring.failure;
                return Action.ABORT;
            }
            counts.add(BAD, 1);
            tell(() -> listener.onBadMessage(session.id, number, e));
            result = MessageSink.Taken.TAKEN;
            taken--;
        }
        if (result == MessageSink.Taken.TAKEN) {
            taken++;
            if (number != FrameWriter.NO_NUMBER) {
                session.numbers.expected = number + 1;
            }
            return Action.CONTINUE;
        }
        done |= result == MessageSink.Taken.ENDED;
        counts.add(HELD, !done ? 1 : 0);
        return Action.ABORT;
    }

    /** For the first number of a session, or one that is not due: the action instead of handing it over, null to hand it over. */
    private @Nullable Action irregular(HeardSession session, long number, Image image) {
        if (!session.begun) {
            session.begun = true;
            tell(() -> listener.onFirst(session.id, number));
        }
        long expected = session.numbers.expected;
        if (expected == 0 || number == expected) {
            session.numbers.expected = number; // it stays due while the sink is full
            return null;
        }
        if (number < expected) {
            counts.add(REPEATED, 1);
            return Action.CONTINUE;
        }
        if (replay != null) {
            // a hole in a replay is news too, once: messages that fill it make it smaller, and its end stays
            if (polled == replay ? number != session.holeBefore : number - 1 > toldTo) {
                session.holeBefore = number; // of this session only: the next replay may have the hole too
                toldTo = Math.max(toldTo, number - 1);
                tell(() -> listener.onGap(session.id, expected, number - 1));
            }
            counts.add(HELD, 1);
            return Action.ABORT;
        }
        if (ofOneSender != null && polled.mayBringBefore(number, image)) {
            counts.add(HELD, 1);
            return Action.ABORT;
        }
        counts.add(MISSING, number - expected);
        session.numbers.expected = number;
        tell(() -> listener.onGap(session.id, expected, number - 1));
        return null;
    }

    /**
     * Gives up a gap that cannot be filled, or its first part: the missing numbers before {@code next} are counted. A
     * message above {@code next} still waits, and the rest of the gap is told. Called by: the receiver's thread.
     *
     * @param next the number that is due from now on
     * @throws IllegalArgumentException if it is below the one that is due now
     * @throws IllegalStateException if the receiver does not fill gaps
     */
    public void acceptGap(long next) {
        HeardSession.Numbers numbers = ofOneSender;
        if (numbers == null || replay == null) {
            throw new IllegalStateException("acceptGap must be for a receiver that fills gaps, but this one does not");
        }
        Check.inRange(next, numbers.expected, Long.MAX_VALUE, "next");
        counts.add(MISSING, next - numbers.expected);
        numbers.expected = next;
        tellAgain();
    }

    /** Has the missing numbers told again, also those that each waiting replay has left out. */
    private void tellAgain() {
        toldTo = 0;
        if (replay != null) {
            replay.tellHolesAgain();
        }
    }

    private int tellChanges() {
        int told = 0;
        for (HeardStream.Change change = changes.poll(); change != null; change = changes.poll()) {
            onChange(change);
            told++;
        }
        return told;
    }

    private void onChange(HeardStream.Change change) {
        Image image = change.image();
        int id = image.sessionId();
        if (change.isNew() && change.stream().heard(image) != null) {
            return; // told with its first message
        }
        if (change.stream() == live || !change.isNew()) {
            tellAgain(); // who was asked may be gone: what is open has to be asked for again
        }
        if (change.isNew()) {
            change.stream().came(id, image.initialTermId(), image.correlationId(), change.position(), image);
            tell(() -> listener.onAvailable(id, image.sourceIdentity(), change.position()));
        } else {
            change.stream().went(id, change.position(), image);
            counts.add(GONE, 1);
            tell(() -> listener.onUnavailable(id, image.sourceIdentity(), change.position(), change.revoked()));
        }
    }

    private void tell(Runnable what) {
        try {
            what.run();
        } catch (Exception e) { // also a checked one, which a listener in another language may throw
            link.errors().onError(e);
        }
    }

    /** Whether the sink has ended. The receiver's thread. */
    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public String roleName() {
        return "aeron-receiver";
    }

    /** {@link #close()}. */
    @Override
    public void onClose() {
        close();
    }

    /**
     * Closes the subscriptions, and says farewell if it says signs of life. Messages that were not taken stay with Aeron, and are gone with
     * it. The receiver's thread, or any once it has ended. Close the transport of the signs behind it.
     */
    @Override
    public void close() {
        done = true;
        CloseHelper.closeAll(
                live::close, replay == null ? null : replay::close, signs == null ? null : signs::farewell);
    }

    /**
     * Whether a session is heard now. The receiver's thread.
     *
     * @return true from the available session on until it is gone, or this receiver has ended or is closed
     */
    public boolean isConnected() {
        return !done && (live.isAnyPresent() || (replay != null && replay.isAnyPresent()));
    }
}
