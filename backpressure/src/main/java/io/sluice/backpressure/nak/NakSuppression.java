package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import java.util.SplittableRandom;
import org.agrona.concurrent.NanoClock;

/**
 * Keeps a thousand receivers from sending the same NAK. Each receiver waits a random time before it sends, and is silent if another
 * receiver has sent a NAK of the same level or a higher one in the meantime. The random time is that of RFC 5401, section 4.2: it is
 * distributed as a truncated exponential, so that few send early. A higher level shortens it; at 100 percent there is none.
 *
 * <p>It stands between a {@link FillMonitor} and a transport on which receivers hear each other, such as multicast. The back-off is
 * part of the loop delay, so a buffer must also hold what is sent during the longest back-off.
 *
 * <p>A receiver is silenced only by NAKs that the sender acts on. A NAK of another {@linkplain Nak#session() session} silences nobody.
 * The sender returns a NAK that it does not act on as an {@linkplain Nak#isEcho() echo}, where the transport {@linkplain
 * NakTransport#isGroup() is a group}. The receiver named in an echo silences nobody for a second, or for 64 longest back-offs if that
 * is more. A NAK that this receiver had silenced waits for a new back-off, if it is no older than two longest back-offs and a
 * millisecond. An older one may no longer be true, and is not said: a receiver that is still too full says so at the next refresh. So a
 * receiver that was left behind costs the others one back-off or one refresh at most.
 *
 * <p>Called by: the monitor's thread. Nothing here allocates or blocks; {@link #send} and {@link #poll} read the clock.
 */
public final class NakSuppression implements NakTransport {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLISECOND = 1_000_000L;
    private static final int IGNORED_BACK_OFFS = 64;

    private final NakTransport transport;
    private final NanoClock clock;
    private final long maxBackOffNanos;
    private final double lambda;
    private final double spread;
    private final SplittableRandom random;
    private final long receiver;
    private final NakHandler overhear = this::onOverheard;
    private final NakHandler nobody = nak -> {};

    private NakHandler outerHandler = nobody;
    private final Nak pending = new Nak();
    private long pendingSince; // when the monitor said it
    private boolean waiting;
    private long waitingSince;
    private double backOffPart; // of the longest back-off, 0 to 1
    private boolean heard;
    private long heardFrom;
    private long heardSession;
    private long heardAt;
    private int heardLevel;
    private boolean silenced; // pending is what was silenced, by this receiver
    private long silencedBy;
    private final long[] ignoredReceivers = new long[NakController.MAX_LEFT_BEHIND]; // whose NAKs the sender ignores
    private final long[] ignoredSince = new long[NakController.MAX_LEFT_BEHIND];
    private int ignoredCount;
    private int ignoredNext;
    private final long ignoredNanos;
    private long suppressedNaks;
    private long echoedNaks;

    /**
     * Creates a suppression for one receiver.
     *
     * @param transport where NAKs go to, and where those of others come from
     * @param clock where the time comes from
     * @param receiver this receiver's id; its own NAKs, when heard, do not silence it
     * @param groupSize about how many receivers there are, 1 to 1,000,000
     * @param maxBackOffNanos the longest wait, 0 to 10 s; four times the delay between receivers is a good one
     * @param seed of the random times, different for each receiver
     * @throws IllegalArgumentException if an argument is out of range
     */
    public NakSuppression(
            NakTransport transport, NanoClock clock, long receiver, int groupSize, long maxBackOffNanos, long seed) {
        this.transport = Check.notNull(transport, "transport");
        this.clock = Check.notNull(clock, "clock");
        Check.inRange(groupSize, 1, 1_000_000, "groupSize");
        Check.inRange(maxBackOffNanos, 0, 10 * SECOND, "maxBackOffNanos");
        this.receiver = receiver;
        this.maxBackOffNanos = maxBackOffNanos;
        ignoredNanos = Math.max(SECOND, IGNORED_BACK_OFFS * maxBackOffNanos);
        lambda = Math.log(groupSize) + 1;
        spread = Math.exp(lambda) - 1;
        random = new SplittableRandom(seed);
    }

    /**
     * Takes a NAK to be sent after its back-off; a newer one replaces it and goes when the older one would have gone, or sooner. A sign of
     * life goes at once.
     *
     * @return false only if the transport refused one that must not wait
     */
    @Override
    public boolean send(Nak nak) {
        if (nak.isSign()) {
            return transport.send(nak); // each receiver's own, so nobody can say it for another one
        }
        long now = clock.nanoTime();
        if (backOffShare(nak.level()) == 0) {
            waiting = false;
            silenced = false;
            return transport.send(nak);
        }
        if (heard
                && now - heardAt >= 0
                && now - heardAt < maxBackOffNanos
                && heardLevel >= nak.level()
                && heardSession == nak.session()) {
            if (!waiting) {
                pending.copy(nak);
                pendingSince = now;
                markSilenced(heardFrom);
            } else {
                suppressedNaks++;
            }
            return true;
        }
        pending.copy(nak);
        pendingSince = now;
        silenced = false;
        if (!waiting) {
            startBackOff(now);
        }
        return poll() >= 0;
    }

    /**
     * Sends what has waited long enough. Call it as often as {@link FillMonitor#poll}. A NAK that the transport refuses is
     * tried again, until it may no longer be true.
     *
     * @return 1 if a NAK was sent, else 0
     */
    public int poll() {
        if (!waiting) {
            return 0;
        }
        long now = clock.nanoTime();
        long waited = now - waitingSince;
        if (waited >= 0 && waited < backOffPart * backOffShare(pending.level()) * maxBackOffNanos) {
            return 0;
        }
        boolean sent = transport.send(pending);
        waiting = !sent && isFresh(now);
        return sent ? 1 : 0;
    }

    /**
     * Hears the NAKs of others and the echoes of the sender, and passes them on.
     *
     * @param handler who gets it too
     */
    @Override
    public int receive(NakHandler handler, int limit) {
        outerHandler = handler;
        try {
            return transport.receive(overhear, limit);
        } finally {
            outerHandler = nobody;
        }
    }

    /**
     * NAKs that were not sent because another receiver had sent one.
     *
     * @return how many
     */
    public long suppressedNaks() {
        return suppressedNaks;
    }

    /**
     * NAKs of this receiver that the sender returned as echoes. The sender does not act on them: it has left this receiver behind,
     * does not know it, is in another session, or has not sent what the NAK names.
     *
     * @return how many
     */
    public long echoedNaks() {
        return echoedNaks;
    }

    /** Whether the transport underneath is one. */
    @Override
    public boolean isGroup() {
        return transport.isGroup();
    }

    @Override
    public boolean isListening() {
        return transport.isListening();
    }

    private void onOverheard(Nak nak) {
        if (nak.isSign()) {
            outerHandler.onNak(nak); // complains of nothing, so it silences nobody
            return;
        }
        long now = clock.nanoTime();
        if (nak.isEcho()) {
            onEcho(nak.receiver(), now);
        } else if (nak.receiver() != receiver && !isIgnored(nak.receiver(), now)) {
            if (!heard
                    || now - heardAt >= maxBackOffNanos
                    || nak.level() >= heardLevel
                    || nak.session() != heardSession) {
                heard = true;
                heardFrom = nak.receiver();
                heardSession = nak.session();
                heardAt = now;
                heardLevel = nak.level();
            }
            if (waiting
                    && nak.stream() == pending.stream()
                    && nak.session() == pending.session()
                    && nak.level() >= pending.level()) {
                waiting = false;
                markSilenced(nak.receiver());
            }
        }
        outerHandler.onNak(nak);
    }

    /** The sender does not act on the NAKs of a receiver: they silence nobody here either. */
    private void onEcho(long of, long now) {
        if (of == receiver) {
            echoedNaks++;
            return;
        }
        rememberIgnored(of, now);
        if (heard && heardFrom == of) {
            heard = false;
        }
        if (silenced && silencedBy == of && isFresh(now)) {
            silenced = false;
            suppressedNaks--;
            startBackOff(now); // a new back-off: others were silenced by the same receiver
        }
    }

    /** Whether the pending NAK may still be true: it may wait a back-off, and the echo of the NAK that silenced it takes less. */
    private boolean isFresh(long now) {
        return now - pendingSince >= 0 && now - pendingSince <= 2 * maxBackOffNanos + MILLISECOND;
    }

    private void startBackOff(long now) {
        waiting = true;
        waitingSince = now;
        backOffPart = Math.log1p(random.nextDouble() * spread) / lambda;
    }

    private void markSilenced(long by) {
        suppressedNaks++;
        silenced = true;
        silencedBy = by;
    }

    private void rememberIgnored(long of, long now) {
        int at = 0;
        while (at < ignoredCount && ignoredReceivers[at] != of) {
            at++;
        }
        if (at == ignoredCount) {
            if (ignoredCount < ignoredReceivers.length) {
                ignoredCount++;
            } else { // the oldest is forgotten: it may silence us once more
                at = ignoredNext;
                ignoredNext = (ignoredNext + 1) % ignoredReceivers.length;
            }
        }
        ignoredReceivers[at] = of;
        ignoredSince[at] = now;
    }

    private boolean isIgnored(long other, long now) {
        for (int i = 0; i < ignoredCount; i++) {
            if (ignoredReceivers[i] == other) {
                return now - ignoredSince[i] >= 0 && now - ignoredSince[i] < ignoredNanos;
            }
        }
        return false;
    }

    /** The part of the longest back-off that a level waits at most: all below 75 percent, then half, a quarter, nothing when full. */
    private static double backOffShare(int level) {
        return level >= 100 ? 0 : level >= 87 ? 0.25 : level >= 75 ? 0.5 : 1;
    }
}
