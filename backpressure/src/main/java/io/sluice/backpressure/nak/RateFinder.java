package io.sluice.backpressure.nak;

import io.sluice.backpressure.rate.RateLimiter;

/*
 * Finds the rate: asks the rate algorithm at each NAK that is acted upon and at each epoch of silence, and sets the limiter.
 *
 *   UNLIMITED --NAK--> LIMITED, overload   the last NAK is younger than the quiet time
 *                      LIMITED, silence    the algorithm answers once an epoch
 *                                          --the limit binds nobody for four epochs--> UNLIMITED
 *
 * Within a window only a NAK of a higher level is acted upon, or one of the receiver that governs the rate, or one that says full.
 * All cuts of an epoch are computed from the rate before the epoch, so they never compound. Owned by the controller's thread.
 */
final class RateFinder {
    private static final int RELEASE_EPOCHS = 4;
    private static final double NANOS_PER_SECOND = 1e9;

    private final RateAlgorithm algorithm;
    private final RateLimiter limiter;
    private final SenderTimeline timeline;
    private final ReceiverTable receivers;
    private final RateAlgorithm.Overload overload = new RateAlgorithm.Overload();

    private boolean limited;
    private double rate;
    private long lastNak;
    private long sentAtNak;

    private long epochStart;
    private double rateBeforeEpoch;
    private long windowStart;
    private int windowLevel; // the highest that was acted upon in this window
    private boolean governed;
    private long governor;

    private int silentEpochs;
    private long nextSilentEpoch;
    private int looseEpochs; // epochs in a row in which the limit bound nobody

    private long overloadEpochs;
    private long engagements;
    private long releases;

    RateFinder(RateAlgorithm algorithm, RateLimiter limiter, SenderTimeline timeline, ReceiverTable receivers) {
        this.algorithm = algorithm;
        this.limiter = limiter;
        this.timeline = timeline;
        this.receivers = receivers;
    }

    void startLimited(double messagesPerSecond) {
        limiter.setRate(messagesPerSecond);
        limited = true;
        rate = messagesPerSecond;
        engagements++;
        lastNak = timeline.time();
        sentAtNak = timeline.sent();
        silentEpochs = 1 + algorithm.plateauEpochs();
        looseEpochs = 0; // those of a limit before this one do not count
        nextSilentEpoch = timeline.time() + timeline.quietNanos();
        algorithm.start(messagesPerSecond);
    }

    /**
     * Takes in a NAK that counts.
     *
     * @param row what is known of its receiver, the NAK included
     * @param epoch the length of an epoch before this NAK changed the loop delay
     * @return whether it was acted upon
     */
    boolean onNak(Nak nak, ReceiverTable.Row row, long epoch) {
        long now = timeline.time();
        boolean wasQuiet = !limited || silentEpochs > 0;
        boolean firstOfEpoch = wasQuiet || isEpochOver(epoch);
        if (firstOfEpoch) {
            epochStart = now;
            rateBeforeEpoch = sendingRate(epoch);
            overloadEpochs++;
        }
        if (!limited) {
            limited = true;
            engagements++;
            rate = rateBeforeEpoch;
            governed = false;
        }
        lastNak = now;
        sentAtNak = timeline.sent();
        silentEpochs = 0;
        looseEpochs = 0;

        boolean sameGovernor = governed && governor == nak.receiver();
        boolean newWindow = wasQuiet || now - windowStart >= timeline.windowNanos();
        if (!newWindow && !sameGovernor && !isStronger(nak)) {
            return false;
        }
        windowLevel = newWindow ? nak.level() : Math.max(windowLevel, nak.level());
        if (newWindow) {
            windowStart = now;
        }
        governor = nak.receiver();
        governed = true;

        boolean mayRise = sameGovernor || wasQuiet;
        describe(nak, row, epoch, firstOfEpoch, mayRise);
        double answer = algorithm.onOverload(overload, rate);
        if (!mayRise && rate > 0) {
            answer = Math.min(answer, rate); // another receiver's NAK is no reason to speed up
        }
        if (receivers.isAnotherFull(nak.receiver(), now, timeline.quietNanos())) {
            answer = 0; // until its refresh is due, nobody else knows that it has room
        }
        apply(answer);
        return true;
    }

    private boolean isEpochOver(long epoch) {
        return timeline.time() - epochStart >= epoch - epoch / 8;
    }

    /**
     * Stronger than the NAKs that were acted upon in this window. A governor that was full may have said less since: full always counts.
     */
    private boolean isStronger(Nak nak) {
        return nak.level() > windowLevel || (nak.level() >= ReceiverTable.FULL && rate > 0);
    }

    private void describe(Nak nak, ReceiverTable.Row row, long epoch, boolean firstOfEpoch, boolean ownEstimateOnly) {
        ReceiverTable.Row group = receivers.group();
        overload.level = nak.level();
        overload.capacity = nak.capacity();
        overload.senders = nak.senders();
        overload.epochNanos = epoch;
        overload.rateBefore = rateBeforeEpoch;
        overload.firstOfEpoch = firstOfEpoch;
        // without an estimate of its own it is one of many that speak in turn
        overload.serviceRate = row.serviceRate < 0 && !ownEstimateOnly ? group.serviceRate : row.serviceRate;
        overload.longServiceRate = row.longServiceRate >= 0 ? row.longServiceRate : group.longServiceRate;
        long ownInFlight = Math.min(nak.capacity(), Math.max(0, timeline.sent() - nak.newestPosition()));
        double inFlight = nak.senders() == 1
                ? ownInFlight
                : row.arrivalRate >= 0
                        ? row.arrivalRate * timeline.loopDelayNanos() / NANOS_PER_SECOND
                        : (double) ownInFlight * nak.senders();
        overload.outstanding = nak.fill() + inFlight;
    }

    /** The present sending rate, messages a second: no more than the limit, no less than one message an epoch. */
    private double sendingRate(long epoch) {
        double measured = timeline.sendingRate(epoch);
        double now = limited && rate > 0 ? Math.min(rate, measured < 0 ? rate : measured) : measured;
        return Math.max(now, NANOS_PER_SECOND / epoch);
    }

    boolean isSilent() {
        return limited && timeline.time() - lastNak >= timeline.quietNanos();
    }

    /** Moves the rate on by silence if an epoch of it is over. Returns 1 if it did, else 0. */
    int onSilence() {
        long now = timeline.time();
        if (silentEpochs > 0 && now - nextSilentEpoch < 0) {
            return 0;
        }
        long epoch = timeline.epochNanos();
        silentEpochs++;
        nextSilentEpoch = now + epoch;
        double next = algorithm.onSilence(silentEpochs, rate, (double) (timeline.sent() - sentAtNak));
        if (silentEpochs > 1 + algorithm.plateauEpochs()) {
            next = Math.max(next, NANOS_PER_SECOND / epoch);
        }
        boolean loose = next > 2 * timeline.sendingRate(2 * epoch) && silentEpochs > algorithm.plateauEpochs();
        looseEpochs = loose ? looseEpochs + 1 : 0;
        if (looseEpochs >= RELEASE_EPOCHS || next >= RateLimiter.MAX_RATE) {
            limited = false;
            governed = false;
            releases++;
            limiter.setUnlimited();
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

    /** A receiver's NAKs do not count any more. */
    void forget(long receiver) {
        if (governed && governor == receiver) {
            governed = false;
        }
    }

    boolean isLimited() {
        return limited;
    }

    double rate() {
        return limited ? rate : Double.POSITIVE_INFINITY;
    }

    int plateauEpochs() {
        return algorithm.plateauEpochs();
    }

    long overloadEpochs() {
        return overloadEpochs;
    }

    long engagements() {
        return engagements;
    }

    long releases() {
        return releases;
    }
}
