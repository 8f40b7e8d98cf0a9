package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import org.agrona.concurrent.NanoClock;

/**
 * Says at an interval that a receiver lives, and at its end that it leaves. A receiver that is stopped or dead says neither, so the
 * sender can name it: {@link NakController.Builder#onSilentReceiver}. It stands beside a {@link FillMonitor}, which says NAK and is silent
 * while all is well, and may use the same transport.
 *
 * <p>Called by: one thread, the monitor's where they share a transport. Nothing here blocks or
 * allocates. Each {@link #poll} reads the clock.
 */
public final class LifeSigns {
    private final FillSource source;
    private final NakTransport transport;
    private final NanoClock clock;
    private final long stream;
    private final long receiver;
    private final long everyNanos;
    private final Nak sign = new Nak();

    private boolean said;
    private long saidAt;
    private boolean left;
    private long sent;
    private long refused;

    /**
     * Creates the signs of one receiver. The first one is due at once.
     *
     * @param source how full the receiver is and how far it has come, which each sign says
     * @param transport carries the signs
     * @param clock where the time comes from
     * @param stream the stream, the same at the sender
     * @param receiver the id of this receiver; no other receiver of the stream has it
     * @param everyNanos time between two signs, 1 or more; a third of the silence that the sender allows, or less
     * @throws IllegalArgumentException if {@code everyNanos} is below 1
     */
    public LifeSigns(
            FillSource source, NakTransport transport, NanoClock clock, long stream, long receiver, long everyNanos) {
        this.source = Check.notNull(source, "source");
        this.transport = Check.notNull(transport, "transport");
        this.clock = Check.notNull(clock, "clock");
        Check.inRange(everyNanos, 1, Long.MAX_VALUE, "everyNanos");
        this.stream = stream;
        this.receiver = receiver;
        this.everyNanos = everyNanos;
    }

    /**
     * Says a sign if one is due. One that the transport refuses is tried again at the next call. Call it several times in an interval.
     *
     * @return 1 if a sign was sent, else 0
     */
    public int poll() {
        long now = clock.nanoTime();
        long since = now - saidAt;
        if (left || (said && since >= 0 && since < everyNanos)) { // a clock that stepped back counts as time for a sign
            return 0;
        }
        if (!isSent(now, false)) {
            return 0;
        }
        said = true;
        saidAt = now;
        return 1;
    }

    /**
     * Says that this receiver leaves, so that it is not missed, and ends the signs. A farewell that is lost on its way, or refused, makes
     * it a silent receiver. A second farewell is not said.
     *
     * @return whether the transport took it; false also if nobody has heard a sign yet, or it was said before
     */
    public boolean farewell() {
        boolean first = said && !left;
        left = true;
        return first && isSent(clock.nanoTime(), true);
    }

    private boolean isSent(long now, boolean farewell) {
        long capacity = source.capacity();
        long fill = Math.min(capacity, Math.max(0, source.fill()));
        // the level is none, but has to be one until the NAK is a sign; consumed is read before newest
        sign.set(stream, receiver, capacity, fill, 1, source.consumedPosition(), source.newestPosition(), now, 1)
                .session(source.session())
                .asSign(farewell);
        boolean taken = transport.send(sign);
        sent += taken ? 1 : 0;
        refused += taken ? 0 : 1;
        return taken;
    }

    /**
     * Signs that were sent, the farewell included.
     *
     * @return how many
     */
    public long sentSigns() {
        return sent;
    }

    /**
     * Signs that the transport did not take.
     *
     * @return how many
     */
    public long refusedSigns() {
        return refused;
    }
}
