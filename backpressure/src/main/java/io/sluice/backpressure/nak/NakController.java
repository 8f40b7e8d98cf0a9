package io.sluice.backpressure.nak;

import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rate of a sender from NAKs alone. Without NAKs the sender is unlimited. The first NAK makes it slower at once; silence
 * makes it faster again. The controller sets the rate of a {@link RateLimiter}, from which the publishing threads acquire permits.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>Its state has a bounded size, whatever the number of receivers. No receiver has to register. A dead receiver is silent, and
 *       so changes nothing; {@link Builder#onSilentReceiver} tells of it. With that it keeps a row for each of up to {@value
 *       #MAX_WATCHED} receivers that say signs of life.
 *   <li>The first NAK acts at once. Within the {@linkplain #windowNanos() window} only a stronger one counts, and within an
 *       {@linkplain #epochNanos() epoch} every cut is computed from the rate before it: cuts are never compounded.
 *   <li>A receiver that is full pauses the sender until a refresh time after its last NAK. With {@link RateControl#LADDER} the
 *       sender goes on at an eighth of the rate or less instead.
 *   <li>A NAK counts only if it is of this {@linkplain Builder#session session}, if its receiver is known and not left behind, and,
 *       with one sender, if its positions can be: no more has arrived or was handled than was sent. A NAK that does not count
 *       changes nothing and is counted by its reason. Where the transport {@linkplain NakTransport#isGroup is a group}, it is sent
 *       back as an {@linkplain Nak#isEcho echo}, so that it silences no other receiver.
 *   <li>At most {@value #PACKETS_PER_MILLISECOND} packets are looked at in a millisecond, so that a flood takes a bounded
 *       share of the time.
 *   <li>No allocation after construction but for a receiver that says its first sign of life, no lock, no blocking.
 * </ul>
 *
 * <p>It is an Agrona agent: {@link #doWork()} is called by one thread, at least a few times an epoch. All methods but
 * {@link #roleName()} belong to that thread; other threads read the rate from the limiter.
 */
public final class NakController implements Agent {
    /** NAK packets looked at in a millisecond, at most: {@value}. */
    public static final int PACKETS_PER_MILLISECOND = 32;

    /** How many receivers can be left behind at a time: {@value}; with one more, the first one is taken back. */
    public static final int MAX_LEFT_BEHIND = 16;

    /** How many receivers can be watched at a time: {@value}; a further one takes the place of one that is silent. */
    public static final int MAX_WATCHED = 1024;

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final NakTransport transport;
    private final SenderTimeline timeline;
    private final NakFilter filter;
    private final RateFinder finder;
    private final SlowReceiverTracker slowReceivers;
    private final ReceiverTable receivers = new ReceiverTable();
    private final Nak echo = new Nak();
    private final NakTransport.NakHandler handler = this::onNak;
    private final @Nullable ReceiverWatch watch;

    private long budgetStart;
    private int budget = PACKETS_PER_MILLISECOND;
    private long receivedNaks;
    private long staleNaks;
    private long receivedSigns;

    private NakController(Builder builder) {
        transport = builder.transport;
        timeline = new SenderTimeline(builder.clock, builder.position, builder.refreshNanos);
        filter = new NakFilter(builder.session, builder.knownReceivers, timeline);
        finder = new RateFinder(builder.rateControl.algorithm(), builder.limiter, timeline, receivers);
        slowReceivers = new SlowReceiverTracker(builder.slowHandler, builder.slowAfterNanos, timeline);
        SilentReceiverHandler silentHandler = builder.silentHandler;
        watch = silentHandler == null
                ? null
                : new ReceiverWatch(silentHandler, builder.silentAfterNanos, builder.session, filter, timeline);
    }

    /**
     * Starts to build a controller.
     *
     * @param transport where NAKs come from; its {@code receive} is called by the controller's thread
     * @param limiter whose rate is set; found unlimited, and nobody else sets it
     * @param position how many messages have been sent, or the position of the newest: read at each {@code doWork}, and when a
     *     NAK names a newer one. It counts a message before a receiver can have it, in the same unit as the receivers' positions
     * @param clock where the time comes from
     * @return a builder with the default rate control, a refresh time of 1 ms, and no handler for slow receivers
     */
    public static Builder builder(NakTransport transport, RateLimiter limiter, LongSupplier position, NanoClock clock) {
        return new Builder(transport, limiter, position, clock);
    }

    /** Settings of a controller. Called by: one thread. */
    public static final class Builder {
        private final NakTransport transport;
        private final RateLimiter limiter;
        private final LongSupplier position;
        private final NanoClock clock;
        private RateControl rateControl = RateControl.ADAPTIVE;
        private long refreshNanos = MILLISECOND;
        private long session;
        private LongPredicate knownReceivers = receiver -> true;
        private SlowReceiverHandler slowHandler = (receiver, rate, nanos) -> SlowReceiverHandler.Decision.KEEP;
        private long slowAfterNanos = Long.MAX_VALUE;
        private @Nullable SilentReceiverHandler silentHandler;
        private long silentAfterNanos;

        private Builder(NakTransport transport, RateLimiter limiter, LongSupplier position, NanoClock clock) {
            this.transport = Check.notNull(transport, "transport");
            this.limiter = Check.notNull(limiter, "limiter");
            this.position = Check.notNull(position, "position");
            this.clock = Check.notNull(clock, "clock");
        }

        /**
         * Chooses how NAKs and silence become a rate.
         *
         * @param rateControl {@link RateControl#ADAPTIVE} unless set
         * @return this
         */
        public Builder rateControl(RateControl rateControl) {
            this.rateControl = Check.notNull(rateControl, "rateControl");
            return this;
        }

        /**
         * Tells the refresh time of the receivers' monitors. Twice the one-way delay of the link, or 1 ms if that is more,
         * is a good one.
         *
         * @param refreshNanos nanoseconds, 1,000 to 10,000,000,000; not shorter than that of any receiver
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder refreshNanos(long refreshNanos) {
            Check.inRange(refreshNanos, 1_000, SenderTimeline.MAX_LOOP_DELAY, "refreshNanos");
            this.refreshNanos = refreshNanos;
            return this;
        }

        /**
         * As {@link #refreshNanos}.
         *
         * @param time 1 µs to 10 s; not shorter than that of any receiver
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder refreshTime(Duration time) {
            return refreshNanos(Check.nanos(time, "time"));
        }

        /**
         * Tells which session of the sender this is. A sender whose positions start again takes a session that it never had,
         * such as a random number, and sends it with the data; receivers name it in their NAKs ({@link FillSource#session}). NAKs
         * of other sessions are ignored and {@linkplain NakController#otherSessionNaks counted}.
         *
         * @param session any number; 0 unless set, as receivers without sessions say
         * @return this
         */
        public Builder session(long session) {
            this.session = session;
            return this;
        }

        /**
         * Tells whose NAKs count. Unless set, those of all receivers do, and no receiver needs to be registered.
         *
         * @param knownReceivers called with the receiver's id for each NAK; NAKs of others are ignored and counted
         * @return this
         */
        public Builder knownReceivers(LongPredicate knownReceivers) {
            this.knownReceivers = Check.notNull(knownReceivers, "knownReceivers");
            return this;
        }

        /**
         * Sets the handler that is called when one receiver has governed the rate for long.
         *
         * @param afterNanos for how long, nanoseconds, 1 or more
         * @param handler called by the controller's thread, after the NAKs of a {@code doWork}
         * @return this
         * @throws IllegalArgumentException if {@code afterNanos} is below 1
         */
        public Builder onSlowReceiver(long afterNanos, SlowReceiverHandler handler) {
            Check.inRange(afterNanos, 1, Long.MAX_VALUE, "afterNanos");
            slowAfterNanos = afterNanos;
            slowHandler = Check.notNull(handler, "handler");
            return this;
        }

        /**
         * As {@link #onSlowReceiver(long, SlowReceiverHandler)}.
         *
         * @param after for how long, 1 ns or more
         * @param handler as there
         * @return this
         * @throws IllegalArgumentException as there
         */
        public Builder onSlowReceiver(Duration after, SlowReceiverHandler handler) {
            return onSlowReceiver(Check.nanos(after, "after"), handler);
        }

        /**
         * Has receivers watched that say {@linkplain LifeSigns signs of life}, and sets the handler that is told when one of them falls
         * silent. A receiver is watched from its first sign on, until its farewell or until it is left behind. Unless set, signs are
         * passed over.
         *
         * <p>Time in which this side did not look does not count: a pause between two calls of {@code doWork} counts for at most a
         * quarter of {@code afterNanos}. While the transport {@linkplain NakTransport#isListening hears nothing}, or packets wait that
         * were not looked at, nobody is taken for silent.
         *
         * @param afterNanos the longest silence, nanoseconds, 1,000 to 3,600,000,000,000; three times the interval of the signs or
         *     more, since a sign may be lost
         * @param handler called by the controller's thread, after the packets of a {@code doWork}
         * @return this
         * @throws IllegalArgumentException if {@code afterNanos} is out of range
         */
        public Builder onSilentReceiver(long afterNanos, SilentReceiverHandler handler) {
            Check.inRange(afterNanos, 1_000, TimeUnit.HOURS.toNanos(1), "afterNanos");
            silentAfterNanos = afterNanos;
            silentHandler = Check.notNull(handler, "handler");
            return this;
        }

        /**
         * As {@link #onSilentReceiver(long, SilentReceiverHandler)}.
         *
         * @param after the longest silence, 1 µs to 1 h; three times the interval of the signs or more
         * @param handler as there
         * @return this
         * @throws IllegalArgumentException as there
         */
        public Builder onSilentReceiver(Duration after, SilentReceiverHandler handler) {
            return onSilentReceiver(Check.nanos(after, "after"), handler);
        }

        /**
         * Builds it.
         *
         * @return a controller that has not limited anything yet
         */
        public NakController build() {
            return new NakController(this);
        }
    }

    /**
     * Takes in the NAKs that have arrived, and moves the rate on. It costs one clock read, one read of the position, and a poll of
     * the transport unless the packets of this millisecond are used up. If the transport throws, silence is acted upon all the same.
     *
     * @return packets looked at, and 1 for each change of the rate by silence
     */
    @Override
    public int doWork() {
        timeline.advance();
        if (timeline.time() - budgetStart >= MILLISECOND) {
            budgetStart = timeline.time();
            budget = PACKETS_PER_MILLISECOND;
        }
        if (watch != null) {
            watch.advance(transport.isListening());
        }
        int work = 0;
        try {
            work = budget > 0 ? transport.receive(handler, budget) : 0;
            budget -= work;
        } finally { // also where it throws at each call: else a limit would stay for ever
            work += finder.isSilent() ? finder.onSilence() : 0;
        }
        if (finder.isLimited() && slowReceivers.mustLeaveBehind()) {
            leaveBehind(slowReceivers.receiver());
        }
        if (watch != null && budget > 0) { // else more may wait, signs of life among them
            watch.tell();
        }
        return work;
    }

    private void onNak(Nak nak) {
        if (nak.isEcho()) {
            return; // sent by a sender, perhaps by this one
        }
        if (watch != null) {
            watch.heard(nak);
        }
        if (nak.isSign()) {
            receivedSigns++;
            return;
        }
        receivedNaks++;
        if (!filter.accepts(nak)) {
            if (transport.isGroup()) {
                transport.send(echo.copy(nak).asEcho());
            }
            return;
        }
        long now = timeline.time();
        long epoch = timeline.epochNanos(); // before this NAK changes the loop delay
        ReceiverTable.Row row = receivers.row(nak.receiver());
        if (!row.update(nak, now, epoch)) {
            staleNaks++;
            return;
        }
        row.level = nak.level();
        if (row.newestMoved) { // else nothing new had arrived, and the NAK's age says nothing about the loop
            timeline.measureLoopDelay(nak.newestPosition());
        }
        receivers.updateGroup(nak, now, epoch);
        if (finder.onNak(nak, row, epoch)) {
            slowReceivers.governedBy(nak.receiver(), row.longServiceRate);
        }
    }

    @Override
    public String roleName() {
        return "nak-controller";
    }

    /**
     * Ignores a receiver's NAKs and signs of life from now on.
     *
     * @param receiver its id
     */
    public void leaveBehind(long receiver) {
        if (filter.isLeftBehind(receiver)) {
            return;
        }
        filter.leaveBehind(receiver);
        receivers.forgetLevel(receiver);
        finder.forget(receiver);
        slowReceivers.forget(receiver);
        if (watch != null) {
            watch.forget(receiver);
        }
    }

    /**
     * Listens again to a receiver that was left behind.
     *
     * @param receiver its id
     * @return whether it was left behind
     */
    public boolean readmit(long receiver) {
        return filter.readmit(receiver);
    }

    /**
     * Tells whether a receiver is left behind.
     *
     * @param receiver its id
     * @return whether its NAKs are ignored
     */
    public boolean isLeftBehind(long receiver) {
        return filter.isLeftBehind(receiver);
    }

    /**
     * Starts with a limit instead of none, as if it had been found already. Silence raises it, NAKs lower it.
     *
     * @param messagesPerSecond {@link RateLimiter#MIN_RATE} to {@link RateLimiter#MAX_RATE}
     * @throws IllegalArgumentException if it is out of range, NaN or infinite
     */
    public void startLimited(double messagesPerSecond) {
        finder.startLimited(messagesPerSecond);
    }

    /**
     * Tells whether the rate is limited now.
     *
     * @return false at first, and once the limit is no longer reached
     */
    public boolean isLimited() {
        return finder.isLimited();
    }

    /** {@return the limit: messages a second, 0 while paused, positive infinity if unlimited} */
    public double rate() {
        return finder.rate();
    }

    /**
     * The measured loop delay, smoothed: from the sending of a message to the arrival of a NAK that had seen it.
     *
     * @return nanoseconds, 0 before the first NAK
     */
    public long loopDelayNanos() {
        return timeline.loopDelayNanos();
    }

    /**
     * The window, in which only a stronger NAK counts: the loop delay, but 100 µs to 50 ms.
     *
     * @return nanoseconds
     */
    public long windowNanos() {
        return timeline.windowNanos();
    }

    /**
     * The epoch, which is the time unit of a rate control: the loop delay or the refresh time, whichever is longer.
     *
     * @return nanoseconds
     */
    public long epochNanos() {
        return timeline.epochNanos();
    }

    /**
     * Epochs of silence after a NAK in which the rate stays near the last good one. The rate rises after them.
     *
     * @return how many
     */
    public int plateauEpochs() {
        return finder.plateauEpochs();
    }

    /** {@return how many NAKs arrived, those that did not count included} Echoes and signs of life are no NAKs. */
    public long receivedNaks() {
        return receivedNaks;
    }

    /** {@return how many NAKs were older than another NAK of the same receiver} */
    public long staleNaks() {
        return staleNaks;
    }

    /** {@return how many NAKs were of another session of the sender, such as the one before it started again} */
    public long otherSessionNaks() {
        return filter.otherSession();
    }

    /** {@return how many NAKs of queues with one sender had positions that cannot be: more arrived or was handled than was sent} */
    public long impossibleNaks() {
        return filter.impossible();
    }

    /** {@return how many NAKs were of receivers that are unknown or left behind} */
    public long ignoredNaks() {
        return filter.ignored();
    }

    /** {@return how many signs of life arrived, farewells included} */
    public long receivedSigns() {
        return receivedSigns;
    }

    /**
     * Receivers that are watched now: they have said a sign of life and no farewell. Those that are silent are among them.
     *
     * @return how many; 0 without {@link Builder#onSilentReceiver}
     */
    public int watchedReceivers() {
        return watch == null ? 0 : watch.watched();
    }

    /**
     * Receivers that are silent now: they were heard, have said no farewell, and have said nothing for the set time.
     *
     * @return how many; 0 without {@link Builder#onSilentReceiver}
     */
    public int silentReceivers() {
        return watch == null ? 0 : watch.silentNow();
    }

    /**
     * Shows the receivers that are silent now. Costs a look at each that is watched; nothing is allocated.
     *
     * @param shown its {@code onSilent} is called for each with what is known now; must not change the controller
     */
    public void forEachSilent(SilentReceiverHandler shown) {
        Check.notNull(shown, "shown");
        if (watch != null) {
            watch.forEachSilent(shown);
        }
    }

    /** {@return how often a receiver fell silent; 0 without {@link Builder#onSilentReceiver}} */
    public long silences() {
        return watch == null ? 0 : watch.silences();
    }

    /** {@return how many signs of life were of receivers that could not be watched, since {@value #MAX_WATCHED} others are} */
    public long unwatchedSigns() {
        return watch == null ? 0 : watch.unwatched();
    }

    /** {@return how many epochs had at least one NAK that counted} The rate is cut once in each. */
    public long overloadEpochs() {
        return finder.overloadEpochs();
    }

    /** {@return how often an unlimited sender was limited} */
    public long engagements() {
        return finder.engagements();
    }

    /** {@return how often a limited sender became unlimited} */
    public long releases() {
        return finder.releases();
    }
}
