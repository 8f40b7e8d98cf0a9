package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import java.util.SplittableRandom;
import org.agrona.concurrent.NanoClock;

/**
 * Keeps a thousand receivers from saying the same thing: each waits a random time before it speaks and is silent if another one
 * has said as much or more in the meantime. The random time is that of RFC 5401, section 4.2 (truncated exponential, so that
 * few speak early), shortened by the level: at 100 percent there is no waiting.
 *
 * <p>It stands between a {@link FillMonitor} and a transport on which receivers hear each other, such as multicast. The
 * back-off is part of the loop delay, so buffers must be larger by what is sent meanwhile.
 *
 * <p>Only what the sender acts on silences anybody. A NAK of another {@linkplain Nak#session() session} of the sender silences
 * nobody. A NAK that the sender does not act on comes back as an {@linkplain Nak#isEcho() echo}, where the transport {@linkplain
 * NakTransport#isGroup() is a group}: its receiver then silences nobody for a second, or 64 longest back-offs if that is more, and
 * a NAK that it has silenced waits again. So a receiver that was left behind costs the others one back-off at most.
 *
 * <p>Called by: the monitor's thread. Nothing here allocates or blocks; {@link #send} and {@link #poll} read the clock.
 */
public final class NakSuppression implements NakTransport {
    private static final long SECOND = 1_000_000_000L;
    private static final int BACK_OFFS = 64;

    private final NakTransport transport;
    private final NanoClock clock;
    private final long maxBackOffNanos;
    private final double lambda;
    private final double spread;
    private final SplittableRandom random;
    private final long receiver;
    private final NakHandler overhear = this::overheard;
    private final NakHandler nobody = nak -> {};

    private NakHandler outer = nobody;
    private final Nak pending = new Nak();
    private boolean waiting;
    private long waitingSince;
    private double part; // of the longest back-off, 0 to 1
    private boolean heard;
    private long heardFrom;
    private long heardSession;
    private long heardAt;
    private int heardLevel;
    private boolean silenced; // pending is what was silenced, by this receiver
    private long silencedBy;
    private final long[] unheeded = new long[NakController.MAX_LEFT_BEHIND]; // whom the sender does not heed
    private final long[] unheededAt = new long[NakController.MAX_LEFT_BEHIND];
    private int unheededCount;
    private int unheededNext;
    private final long unheededNanos;
    private long suppressed;
    private long echoes;

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
        unheededNanos = Math.max(SECOND, BACK_OFFS * maxBackOffNanos);
        lambda = Math.log(groupSize) + 1;
        spread = Math.exp(lambda) - 1;
        random = new SplittableRandom(seed);
    }

    /**
     * Takes a NAK to be sent after its back-off; a newer one replaces it and goes when the older one would have gone, or sooner.
     *
     * @return false only if the transport refused one that must not wait
     */
    @Override
    public boolean send(Nak nak) {
        long now = clock.nanoTime();
        if (share(nak.level()) == 0) {
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
                silence(heardFrom);
            } else {
                suppressed++;
            }
            return true;
        }
        pending.copy(nak);
        silenced = false;
        if (!waiting) {
            await(now);
        }
        return poll() >= 0;
    }

    /**
     * Sends what has waited long enough. Call it as often as {@link FillMonitor#poll}.
     *
     * @return 1 if a NAK was sent, else 0
     */
    public int poll() {
        if (!waiting) {
            return 0;
        }
        long waited = clock.nanoTime() - waitingSince;
        if (waited >= 0 && waited < part * share(pending.level()) * maxBackOffNanos) {
            return 0;
        }
        if (!transport.send(pending)) {
            return 0; // tried again at the next poll
        }
        waiting = false;
        return 1;
    }

    /**
     * Hears what others say, echoes of the sender included, and passes it on.
     *
     * @param handler who gets it too
     */
    @Override
    public int receive(NakHandler handler, int limit) {
        outer = handler;
        try {
            return transport.receive(overhear, limit);
        } finally {
            outer = nobody;
        }
    }

    /**
     * NAKs that were not sent because another receiver had said it.
     *
     * @return how many
     */
    public long suppressedNaks() {
        return suppressed;
    }

    /**
     * NAKs of this receiver that came back from the sender, which does not act on them: it has left this receiver behind, does
     * not know it, is in another session, or has not sent what the NAK names.
     *
     * @return how many
     */
    public long echoedNaks() {
        return echoes;
    }

    /** Whether the transport underneath is one. */
    @Override
    public boolean isGroup() {
        return transport.isGroup();
    }

    private void overheard(Nak nak) {
        long now = clock.nanoTime();
        if (nak.isEcho()) {
            echoed(nak.receiver(), now);
        } else if (nak.receiver() != receiver && !isUnheeded(nak.receiver(), now)) {
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
                silence(nak.receiver());
            }
        }
        outer.onNak(nak);
    }

    /** The sender does not act on what a receiver says: neither do we. */
    private void echoed(long of, long now) {
        if (of == receiver) {
            echoes++;
            return;
        }
        remember(of, now);
        if (heard && heardFrom == of) {
            heard = false;
        }
        if (silenced && silencedBy == of) {
            silenced = false;
            suppressed--;
            await(now); // a new back-off: others were silenced by the same receiver
        }
    }

    private void await(long now) {
        waiting = true;
        waitingSince = now;
        part = Math.log1p(random.nextDouble() * spread) / lambda;
    }

    private void silence(long by) {
        suppressed++;
        silenced = true;
        silencedBy = by;
    }

    private void remember(long of, long now) {
        int at = 0;
        while (at < unheededCount && unheeded[at] != of) {
            at++;
        }
        if (at == unheededCount) {
            if (unheededCount < unheeded.length) {
                unheededCount++;
            } else { // the one that was noted first is forgotten: it may silence us once more
                at = unheededNext;
                unheededNext = (unheededNext + 1) % unheeded.length;
            }
        }
        unheeded[at] = of;
        unheededAt[at] = now;
    }

    private boolean isUnheeded(long other, long now) {
        for (int i = 0; i < unheededCount; i++) {
            if (unheeded[i] == other) {
                return now - unheededAt[i] >= 0 && now - unheededAt[i] < unheededNanos;
            }
        }
        return false;
    }

    /** The part of the longest back-off that a level may wait: all below 75 percent, half, a quarter, nothing when full. */
    private static double share(int level) {
        return level >= 100 ? 0 : level >= 87 ? 0.25 : level >= 75 ? 0.5 : 1;
    }
}
