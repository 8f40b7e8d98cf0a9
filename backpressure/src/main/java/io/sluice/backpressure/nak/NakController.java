package io.sluice.backpressure.nak;

import io.sluice.backpressure.rate.RateLimiter;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Finds a sender's rate from NAKs alone: unlimited while nobody complains, slower at once when somebody does, faster again
 * while it stays silent. It sets the rate of a {@link RateLimiter} that the publishing threads acquire from.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>State of constant size, whatever the number of receivers; no receiver is registered, a dead one is silent and so
 *       changes nothing.
 *   <li>The first NAK acts at once. Within the {@linkplain #windowNanos() window} only a stronger one counts, and within an
 *       {@linkplain #epochNanos() epoch} every cut is computed from the rate before it: cuts are never compounded.
 *   <li>A receiver that is full pauses the sender until a refresh time after its last NAK.
 *   <li>A NAK counts only if it is of this {@linkplain Builder#session session}, of a receiver that is known and not left behind,
 *       and if its positions can be: nothing newer than what was sent has arrived anywhere, and with one sender nobody has
 *       handled more. What does not count is counted by its reason, changes nothing, and where the transport {@linkplain
 *       NakTransport#isGroup is a group} is sent back as an {@linkplain Nak#isEcho echo}, so that it silences no other receiver.
 *   <li>At most {@value #PACKETS_PER_MILLISECOND} packets are looked at in a millisecond, so that a flood takes a bounded
 *       share of the time.
 *   <li>No allocation after construction, no lock, no blocking.
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

    /*
     * Times are nanoseconds since construction, added up from the clock's steps forward, so that a clock that wraps or steps
     * back cannot turn them round.
     *
     *   UNLIMITED --NAK--> LIMITED (overload: since the last NAK less than the refresh time and some slack)
     *                      LIMITED (silence: one answer of the law an epoch) --the limit binds nobody--> UNLIMITED
     */
    private static final long MAX_WINDOW = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MIN_WINDOW = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long MAX_LOOP = TimeUnit.SECONDS.toNanos(10);
    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int SLOW_MEMORY_EPOCHS = 64;
    private static final int RELEASE_EPOCHS = 4;

    private final NakTransport transport;
    private final RateLimiter limiter;
    private final LongSupplier position;
    private final NanoClock clock;
    private final RateAlgorithm law;
    private final long refreshNanos;
    private final long session;
    private final LongPredicate known;
    private final SlowReceiverHandler slowHandler;
    private final long slowAfterNanos;
    private final Nak echo = new Nak();
    private final NakTransport.NakHandler handler = this::onNak;

    private final SendHistory history = new SendHistory();
    private final ReceiverTable table = new ReceiverTable();
    private final ReceiverTable.Row group = new ReceiverTable.Row();
    private final Nak groupNak = new Nak();
    private final RateAlgorithm.Overload overload = new RateAlgorithm.Overload();
    private final long[] leftBehind = new long[MAX_LEFT_BEHIND];
    private int leftBehindCount;

    private long lastClock;
    private long time;
    private long sent;
    private long budgetTime;
    private int budget = PACKETS_PER_MILLISECOND;

    private long loop;
    private long jitter;

    private boolean limited;
    private double rate;
    private long lastNak;
    private long sentAtNak;
    private long epochStart;
    private long windowStart;
    private int strongest;
    private long governor;
    private boolean governed;
    private double before;
    private int silentEpochs;
    private long nextStep;
    private int loose;

    private long slowReceiver;
    private long slowSince;
    private long slowHeard;
    private boolean slowTracked;
    private double slowService;

    private long naks;
    private long stale;
    private long ignored;
    private long otherSession;
    private long impossible;
    private long cuts;
    private long engagements;
    private long releases;

    private NakController(Builder builder) {
        transport = builder.transport;
        limiter = builder.limiter;
        position = builder.position;
        clock = builder.clock;
        law = builder.law.create();
        refreshNanos = builder.refreshNanos;
        session = builder.session;
        known = builder.known;
        slowHandler = builder.slowHandler;
        slowAfterNanos = builder.slowAfterNanos;
        lastClock = clock.nanoTime();
        sent = position.getAsLong();
    }

    /**
     * Starts to build a controller.
     *
     * @param transport where NAKs come from; its {@code receive} is called by the controller's thread
     * @param limiter whose rate is set; found unlimited, and nobody else sets it
     * @param position how many messages have been sent, or the position of the newest: read at each {@code doWork}, and when a
     *     NAK names a newer one. It counts a message before a receiver can have it, in the same unit as the receivers' positions
     * @param clock where the time comes from
     * @return a builder with the default law, a refresh time of 1 ms, and no handler for slow receivers
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
        private RateControl law = RateControl.ADAPTIVE;
        private long refreshNanos = MILLISECOND;
        private long session;
        private LongPredicate known = receiver -> true;
        private SlowReceiverHandler slowHandler = (receiver, rate, nanos) -> SlowReceiverHandler.Decision.KEEP;
        private long slowAfterNanos = Long.MAX_VALUE;

        private Builder(NakTransport transport, RateLimiter limiter, LongSupplier position, NanoClock clock) {
            this.transport = Objects.requireNonNull(transport, "transport");
            this.limiter = Objects.requireNonNull(limiter, "limiter");
            this.position = Objects.requireNonNull(position, "position");
            this.clock = Objects.requireNonNull(clock, "clock");
        }

        /**
         * Chooses the law.
         *
         * @param law {@link RateControl#ADAPTIVE} unless set
         * @return this
         */
        public Builder law(RateControl law) {
            this.law = Objects.requireNonNull(law, "law");
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
            if (refreshNanos < 1_000 || refreshNanos > MAX_LOOP) {
                throw new IllegalArgumentException(
                        "refreshNanos is " + refreshNanos + ", allowed: 1000 to " + MAX_LOOP);
            }
            this.refreshNanos = refreshNanos;
            return this;
        }

        /**
         * Tells which session of the sender this is. A sender whose positions start again takes a session that it never had,
         * such as a random number, and sends it with the data; receivers name it in their NAKs ({@link FillSource#session}). NAKs
         * of other sessions are ignored and {@linkplain NakController#otherSession counted}.
         *
         * @param session any number; 0 unless set, as receivers without sessions say
         * @return this
         */
        public Builder session(long session) {
            this.session = session;
            return this;
        }

        /**
         * Tells whose NAKs count. Without it everybody's do, so that no receiver needs to be registered.
         *
         * @param known called with the receiver's id for each NAK; others are ignored and counted
         * @return this
         */
        public Builder receivers(LongPredicate known) {
            this.known = Objects.requireNonNull(known, "known");
            return this;
        }

        /**
         * Sets who hears of a receiver that governs the rate for long.
         *
         * @param afterNanos for how long, 1 or more
         * @param handler called by the controller's thread, after the NAKs of a {@code doWork}
         * @return this
         * @throws IllegalArgumentException if {@code afterNanos} is below 1
         */
        public Builder onSlowReceiver(long afterNanos, SlowReceiverHandler handler) {
            if (afterNanos < 1) {
                throw new IllegalArgumentException("afterNanos is " + afterNanos + ", allowed: 1 or more");
            }
            slowAfterNanos = afterNanos;
            slowHandler = Objects.requireNonNull(handler, "handler");
            return this;
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
     * Takes in the NAKs that have arrived, and moves the rate on. One clock read and one read of the position; a poll of
     * the transport unless the packets of this millisecond are used up.
     *
     * @return packets looked at, and 1 for each change of the rate by silence
     */
    @Override
    public int doWork() {
        long clockNow = clock.nanoTime();
        long step = clockNow - lastClock;
        lastClock = clockNow;
        if (step > 0) {
            time += step;
        }
        sent = position.getAsLong();
        history.add(time, sent, Math.max(1, epochNanos() / 16));
        int work = 0;
        if (time - budgetTime >= MILLISECOND) {
            budgetTime = time;
            budget = PACKETS_PER_MILLISECOND;
        }
        if (budget > 0) {
            work = transport.receive(handler, budget);
            budget -= work;
        }
        if (limited && time - lastNak >= quietAfter()) {
            work += silence();
        }
        reportSlow();
        return work;
    }

    @Override
    public String roleName() {
        return "nak-controller";
    }

    /**
     * Ignores a receiver's NAKs from now on.
     *
     * @param receiver its id
     */
    public void leaveBehind(long receiver) {
        if (isLeftBehind(receiver)) {
            return;
        }
        if (leftBehindCount == MAX_LEFT_BEHIND) {
            takeBack(leftBehind[0]);
        }
        leftBehind[leftBehindCount++] = receiver;
        table.heedNoMore(receiver);
        if (governed && governor == receiver) {
            governed = false;
        }
        slowTracked = slowTracked && slowReceiver != receiver;
    }

    /**
     * Listens to a receiver again that was left behind.
     *
     * @param receiver its id
     * @return whether it was left behind
     */
    public boolean takeBack(long receiver) {
        for (int i = 0; i < leftBehindCount; i++) {
            if (leftBehind[i] == receiver) {
                System.arraycopy(leftBehind, i + 1, leftBehind, i, leftBehindCount - i - 1);
                leftBehindCount--;
                return true;
            }
        }
        return false;
    }

    /**
     * Tells whether a receiver is left behind.
     *
     * @param receiver its id
     * @return whether its NAKs are ignored
     */
    public boolean isLeftBehind(long receiver) {
        for (int i = 0; i < leftBehindCount; i++) {
            if (leftBehind[i] == receiver) {
                return true;
            }
        }
        return false;
    }

    /**
     * Starts with a limit instead of none, as if it had been found already; silence raises it, NAKs lower it.
     *
     * @param messagesPerSecond 1/64 to 100,000,000
     * @throws IllegalArgumentException if it is out of range, NaN or infinite
     */
    public void limit(double messagesPerSecond) {
        limiter.setRate(messagesPerSecond);
        limited = true;
        rate = messagesPerSecond;
        engagements++;
        lastNak = time;
        sentAtNak = sent;
        silentEpochs = 1 + law.plateauEpochs();
        nextStep = time + quietAfter();
        law.start(messagesPerSecond);
    }

    /**
     * Whether the rate is limited now.
     *
     * @return false at first, and when the limit has come to bind nobody
     */
    public boolean limited() {
        return limited;
    }

    /**
     * The limit.
     *
     * @return messages a second, 0 while paused, positive infinity if unlimited
     */
    public double rate() {
        return limited ? rate : Double.POSITIVE_INFINITY;
    }

    /**
     * The measured loop delay, from a message's sending to the arrival of a NAK that had seen it; smoothed.
     *
     * @return nanoseconds, 0 before the first NAK
     */
    public long loopNanos() {
        return loop;
    }

    /**
     * The time in which only a stronger NAK counts: the loop delay, 100 µs to 50 ms.
     *
     * @return nanoseconds
     */
    public long windowNanos() {
        return Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, loop));
    }

    /**
     * The unit of the law's time: the loop delay or the refresh time, whichever is longer.
     *
     * @return nanoseconds
     */
    public long epochNanos() {
        return Math.max(refreshNanos, loop);
    }

    /**
     * Epochs of silence after a NAK in which the rate stays near the last good one; steps come after them.
     *
     * @return how many
     */
    public int plateauEpochs() {
        return law.plateauEpochs();
    }

    /**
     * NAKs heard.
     *
     * @return how many, those that did not count included; echoes are not NAKs
     */
    public long naks() {
        return naks;
    }

    /**
     * NAKs that were older than another one of the same receiver.
     *
     * @return how many
     */
    public long stale() {
        return stale;
    }

    /**
     * NAKs of another session of the sender, such as the one before it started again.
     *
     * @return how many
     */
    public long otherSession() {
        return otherSession;
    }

    /**
     * NAKs whose positions cannot be: more arrived, or more handled, than was sent.
     *
     * @return how many
     */
    public long impossible() {
        return impossible;
    }

    /**
     * NAKs of receivers that are unknown or left behind.
     *
     * @return how many
     */
    public long ignored() {
        return ignored;
    }

    /**
     * Epochs of overload.
     *
     * @return how many
     */
    public long cuts() {
        return cuts;
    }

    /**
     * How often an unlimited sender was limited.
     *
     * @return how often
     */
    public long engagements() {
        return engagements;
    }

    /**
     * How often a limited sender became unlimited.
     *
     * @return how often
     */
    public long releases() {
        return releases;
    }

    private void onNak(Nak nak) {
        if (nak.isEcho()) {
            return; // a sender's, perhaps our own
        }
        naks++;
        if (!counts(nak)) {
            if (transport.isGroup()) {
                transport.send(echo.copy(nak).asEcho());
            }
            return;
        }
        long receiver = nak.receiver();
        long epoch = epochNanos();
        ReceiverTable.Row row = table.row(receiver);
        if (!row.update(nak, time, epoch)) {
            stale++;
            return;
        }
        row.level = nak.level();
        measureLoop(nak, row);
        updateGroup(nak, epoch);

        boolean quietBefore = !limited || silentEpochs > 0;
        boolean firstOfEpoch = quietBefore || time - epochStart >= epoch - epoch / 8;
        if (firstOfEpoch) {
            epochStart = time;
            before = sending(epoch);
            cuts++;
        }
        if (!limited) {
            limited = true;
            engagements++;
            rate = before;
            governed = false;
        }
        lastNak = time;
        sentAtNak = sent;
        silentEpochs = 0;
        loose = 0;

        boolean stronger = quietBefore || time - windowStart >= windowNanos() || nak.level() > strongest;
        boolean same = governed && governor == receiver;
        boolean mustPause = nak.level() >= 100 && rate > 0; // as strong as the governor was, who has said less since
        if (!stronger && !same && !mustPause) {
            return; // weaker than what was acted upon in this window
        }
        if (quietBefore || time - windowStart >= windowNanos()) {
            windowStart = time;
            strongest = nak.level();
        } else {
            strongest = Math.max(strongest, nak.level());
        }
        governor = receiver;
        governed = true;

        double service = row.service;
        if (service < 0 && !same && !quietBefore) {
            service = group.service; // one of many that speak in turn
        }
        overload.now = time;
        overload.level = nak.level();
        overload.capacity = nak.capacity();
        overload.senders = nak.senders();
        overload.service = service;
        overload.longService = row.longService >= 0 ? row.longService : group.longService;
        overload.epochNanos = epoch;
        overload.before = before;
        overload.first = firstOfEpoch;
        long inFlight = Math.min(nak.capacity(), Math.max(0, sent - nak.newest()));
        double allInFlight = nak.senders() == 1
                ? inFlight
                : row.arrival >= 0 ? row.arrival * loop / 1e9 : (double) inFlight * nak.senders();
        overload.outstanding = nak.fill() + allInFlight;
        double answer = law.onOverload(overload, rate);
        if (!same && !quietBefore && rate > 0) {
            answer = Math.min(answer, rate); // another receiver's NAK is no reason to speed up
        }
        if (table.isAnotherFull(receiver, time, quietAfter())) {
            answer = 0; // until its refresh is due, nobody else knows that it has room
        }
        apply(answer);
        trackSlow(receiver, row.longService);
    }

    private boolean counts(Nak nak) {
        if (nak.session() != session) {
            otherSession++;
            return false;
        }
        if (isLeftBehind(nak.receiver()) || !known.test(nak.receiver())) {
            ignored++;
            return false;
        }
        if (isAhead(nak)) {
            sent = position.getAsLong(); // some may have been sent since the last look
            if (isAhead(nak)) {
                impossible++;
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a NAK names messages that were not sent. A queue that several senders feed counts what it handled of all of them,
     * which none of them can check.
     */
    private boolean isAhead(Nak nak) {
        return nak.newest() - sent > 0 || (nak.senders() == 1 && nak.consumed() - sent > 0);
    }

    private int silence() {
        if (silentEpochs > 0 && time - nextStep < 0) {
            return 0;
        }
        long epoch = epochNanos();
        silentEpochs++;
        nextStep = time + epoch;
        double next = law.onSilence(silentEpochs, rate, (double) (sent - sentAtNak));
        if (silentEpochs > 1 + law.plateauEpochs()) {
            next = Math.max(next, 1e9 / epoch);
        }
        double sending = history.rate(2 * epoch);
        loose = next > 2 * sending && silentEpochs > law.plateauEpochs() ? loose + 1 : 0;
        if (loose >= RELEASE_EPOCHS || next >= RateLimiter.MAX_RATE) {
            limited = false;
            governed = false;
            releases++;
            limiter.unlimited();
        } else {
            apply(next);
        }
        return 1;
    }

    private void apply(double messagesPerSecond) {
        rate = Math.min(messagesPerSecond, RateLimiter.MAX_RATE);
        if (rate < RateLimiter.MIN_RATE) {
            limiter.pause();
        } else {
            limiter.setRate(rate);
        }
    }

    /** What is sent now, messages a second: no more than the limit, no less than one an epoch. */
    private double sending(long epoch) {
        double measured = history.rate(epoch);
        double now = limited && rate > 0 ? Math.min(rate, measured < 0 ? rate : measured) : measured;
        return Math.max(now, 1e9 / epoch);
    }

    /** A refresh that is on its time comes after this at the latest. */
    private long quietAfter() {
        return refreshNanos + refreshNanos / 4 + Math.min(refreshNanos / 4, 2 * jitter);
    }

    private void measureLoop(Nak nak, ReceiverTable.Row row) {
        if (!row.moved) {
            return; // nothing new had arrived, so its age says nothing of the loop
        }
        long sentTime = history.timeOf(nak.newest());
        if (sentTime < 0) {
            return;
        }
        long sample = Math.min(MAX_LOOP, time - sentTime);
        if (loop == 0) {
            loop = sample;
        } else {
            jitter += (Math.abs(sample - loop) - jitter) / 4;
            loop += (sample - loop) / 4;
        }
    }

    /**
     * The same estimates over the NAKs of all receivers, by the time of arrival: their positions are all ours. One that is behind
     * the others changes nothing, unless those ahead have been silent for some epochs: then it is one of them that counts.
     */
    private void updateGroup(Nak nak, long epoch) {
        groupNak.set(
                nak.stream(),
                0,
                nak.capacity(),
                nak.fill(),
                nak.level(),
                nak.consumed(),
                nak.newest(),
                time,
                nak.senders());
        group.update(groupNak, time, epoch);
    }

    private void trackSlow(long receiver, double service) {
        if (!slowTracked || slowReceiver != receiver || time - slowHeard > SLOW_MEMORY_EPOCHS * epochNanos()) {
            slowTracked = true;
            slowReceiver = receiver;
            slowSince = time;
        }
        slowHeard = time;
        slowService = service;
    }

    private void reportSlow() {
        if (slowTracked && limited && slowHeard - slowSince >= slowAfterNanos) {
            long nanos = slowHeard - slowSince;
            slowTracked = false;
            if (slowHandler.onSlowReceiver(slowReceiver, slowService, nanos)
                    == SlowReceiverHandler.Decision.LEAVE_BEHIND) {
                leaveBehind(slowReceiver);
            }
        }
    }
}
