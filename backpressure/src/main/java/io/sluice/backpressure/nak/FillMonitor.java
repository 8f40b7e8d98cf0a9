package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import java.util.Arrays;
import org.agrona.concurrent.NanoClock;

/**
 * Watches how full a queue is, and sends a NAK when it is too full: at once when a level is reached, and again each refresh time
 * while the fill stays at or above the lowest level. Below the lowest level it sends nothing.
 *
 * <p>A level is reported at once again only after the fill has fallen below it by the hysteresis. Until then the refresh covers it.
 * So while the fill swings by less than the hysteresis there is at most one NAK each refresh time, and one more for each level
 * when an overload begins. When the fill swings by more, each level is reported again as it is reached.
 *
 * <p>The monitor belongs on the side that <em>fills</em> the queue. There it still sends NAKs when the consumer has stopped.
 *
 * <p>Guarantees: {@link #poll()} is called by one thread; it reads the clock only at or above the lowest level; it never
 * blocks and never allocates. The counters may be read by any thread if that thread otherwise sees the monitor's work
 * published; they are plain.
 */
public final class FillMonitor {
    /** The levels of Möller's article, in percent. */
    private static final int[] DEFAULT_LEVELS = {50, 75, 87, 100};

    private static final int MAX_LEVELS = 16;

    private final FillSource source;
    private final NakTransport transport;
    private final NanoClock clock;
    private final long stream;
    private final long receiver;
    private final long capacity;
    private final int[] levels;
    private final long[] reached;
    private final long[] rearmed;
    private final long refreshNanos;
    private final Nak nak = new Nak();

    private int senders = 1;
    private long session;
    private int reported; // levels reported and not re-armed
    private long lastSent;
    private long sent;
    private long refused;

    /**
     * Creates a monitor with levels 50, 75, 87 and 100 percent and a hysteresis of 12 percent.
     *
     * @param source what to watch
     * @param transport carries the NAKs
     * @param clock where the time comes from
     * @param stream the stream, the same at the sender
     * @param receiver the id of this receiver
     * @param refreshNanos time between two NAKs while overloaded, 1 or more
     * @throws IllegalArgumentException if an argument is out of range
     */
    public FillMonitor(
            FillSource source, NakTransport transport, NanoClock clock, long stream, long receiver, long refreshNanos) {
        this(source, transport, clock, stream, receiver, refreshNanos, 12, DEFAULT_LEVELS);
    }

    /**
     * Creates a monitor.
     *
     * @param source what to watch
     * @param transport carries the NAKs
     * @param clock where the time comes from
     * @param stream the stream, the same at the sender
     * @param receiver the id of this receiver
     * @param refreshNanos time between two NAKs while overloaded, 1 or more
     * @param hysteresis percent of the capacity that the fill must fall below a level before that level is reported at once again, 0 to 50
     * @param levels percent of the capacity, each 1 to 100, rising, 1 to 16 of them; 100 is one more where they end below it, since a
     *     full queue is said always
     * @throws IllegalArgumentException if an argument is out of range, or levels are out of order
     */
    public FillMonitor(
            FillSource source,
            NakTransport transport,
            NanoClock clock,
            long stream,
            long receiver,
            long refreshNanos,
            int hysteresis,
            int... levels) {
        this.source = Check.notNull(source, "source");
        this.transport = Check.notNull(transport, "transport");
        this.clock = Check.notNull(clock, "clock");
        this.stream = stream;
        this.receiver = receiver;
        session = source.session();
        capacity = source.capacity();
        Check.inRange(capacity, 1, Long.MAX_VALUE, "capacity of the source");
        Check.inRange(refreshNanos, 1, Long.MAX_VALUE, "refreshNanos");
        Check.inRange(hysteresis, 0, 50, "hysteresis");
        this.refreshNanos = refreshNanos;
        this.levels = withFull(levels);
        reached = new long[this.levels.length];
        rearmed = new long[this.levels.length];
        for (int i = 0; i < reached.length; i++) {
            reached[i] = ceilPercent(this.levels[i]);
            rearmed[i] = ceilPercent(Math.max(0, this.levels[i] - hysteresis));
        }
    }

    /**
     * Looks at the source, and sends a NAK if one is due. Call it after each batch that was put into the queue, and at least once
     * each refresh time.
     *
     * @return 1 if a NAK was sent, else 0
     */
    public int poll() {
        if (source.session() != session) {
            session = source.session();
            reported = 0; // the sender that starts again has heard nothing
        }
        long fill = Math.min(capacity, Math.max(0, source.fill()));
        int level = 0;
        while (level < reached.length && fill >= reached[level]) {
            level++;
        }
        while (reported > level && fill < rearmed[reported - 1]) {
            reported--;
        }
        if (level == 0) {
            return 0;
        }
        long now = clock.nanoTime();
        boolean news = level > reported;
        long since = now - lastSent;
        if (!news && since >= 0 && since < refreshNanos) { // a clock that stepped back counts as time for a refresh
            return 0;
        }
        // consumed is read before newest, so that it is not ahead of it while both move on
        nak.set(
                        stream,
                        receiver,
                        capacity,
                        fill,
                        levels[level - 1],
                        source.consumedPosition(),
                        source.newestPosition(),
                        now,
                        senders)
                .session(session);
        if (!transport.send(nak)) {
            refused++; // said again at the next poll, since nothing was marked as reported
            return 0;
        }
        reported = Math.max(reported, level);
        lastSent = now;
        sent++;
        return 1;
    }

    /**
     * Tells how many senders feed the queue, so that they can share its rate. With 1 a {@link NakController} believes no position that
     * it has not sent. With more it believes every position, since the queue's positions may count the messages of all senders.
     * Called by: the thread that polls.
     *
     * @param senders 1 or more; 1 at first
     * @throws IllegalArgumentException if it is below 1
     */
    public void senders(int senders) {
        Check.inRange(senders, 1, Integer.MAX_VALUE, "senders");
        this.senders = senders;
    }

    /**
     * NAKs sent.
     *
     * @return how many
     */
    public long sentNaks() {
        return sent;
    }

    /**
     * NAKs that the transport did not take; each was tried again at the next poll.
     *
     * @return how many
     */
    public long refusedNaks() {
        return refused;
    }

    /** The levels, and 100 behind them if it is missing: a receiver has no other level that says full. */
    private static int[] withFull(int[] levels) {
        Check.inRange(levels.length, 1, MAX_LEVELS, "number of levels");
        int previous = 0;
        for (int level : levels) {
            if (level <= previous || level > 100) {
                throw new IllegalArgumentException(
                        "levels must rise and be from 1 to 100, but were " + Arrays.toString(levels));
            }
            previous = level;
        }
        int[] all = Arrays.copyOf(levels, previous < 100 ? levels.length + 1 : levels.length);
        all[all.length - 1] = 100;
        return all;
    }

    /** The least fill that is {@code percent} of the capacity, at least 1; no product passes a long. */
    private long ceilPercent(int percent) {
        return Math.max(1, capacity / 100 * percent + (capacity % 100 * percent + 99) / 100);
    }
}
