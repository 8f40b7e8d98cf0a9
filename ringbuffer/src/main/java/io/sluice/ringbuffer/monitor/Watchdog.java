package io.sluice.ringbuffer.monitor;

import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.ProducerCounters;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches a ring: logs its dump when it has stood still with work to do, and offers the dump from outside as {@link RingMXBean}.
 *
 * <p>A ring stands still with work to do while its slowest consumer makes no progress, though there are published events that it has
 * not handled, or a producer waits for room. That is logged once, as a warning of the logger {@code io.sluice.ringbuffer}, and again
 * after progress. A ring that cannot be looked at, since a gating sequence of the program's own throws, is logged too: once, until it
 * can. A consumer that is paused stands still too: the dump says so. A claim that nobody publishes is no work: see {@link
 * RingBufferBuilder#onAbandonedClaim}.
 *
 * <p>One daemon thread, {@code sluice-watchdog}, watches all rings of a class loader, four times within the time of each, at least once
 * a second. It reads sequences: producers and consumers do not notice it. It ends with the last watchdog. A watchdog ends by {@link
 * #close}, with its ring, and when its ring is garbage: it does not keep the ring alive.
 *
 * <p>The system property {@code io.sluice.watchdog} sets a watchdog on each ring that is built; its value is the time in seconds. If no
 * thread can be started, the logger says so, and the next ring tries again.
 *
 * <p>Thread-safe.
 */
public final class Watchdog implements AutoCloseable {
    static final System.Logger LOG = System.getLogger("io.sluice.ringbuffer");

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final long LOOKS = 4;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    /** Held through each start: of two at once, the later one finds the watchdog that the earlier one has begun, and ends it. */
    private static final Object STARTS = new Object();

    // under the lock of ALL
    private static final List<Watchdog> ALL = new ArrayList<>();
    private static @Nullable Thread thread;

    private final WeakReference<FollowedRing<?>> ring;
    private final String name;

    // under the lock of this
    private long afterNanos = TimeUnit.SECONDS.toNanos(10);
    private boolean isOn;
    private boolean isShown;
    private @Nullable RingBean bean;
    private boolean waits;
    private boolean stands;
    private boolean told;
    private boolean failed;
    private long handled;
    private long since;

    private Watchdog(FollowedRing<?> ring) {
        this.ring = new WeakReference<>(ring);
        this.name = ring.name();
    }

    /**
     * A watchdog that does not watch yet.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind, in any state
     * @return a new watchdog, with 10 s
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     */
    public static Watchdog on(RingBuffer<?> ring) {
        return new Watchdog(FollowedRing.of(Check.notNull(ring, "ring")));
    }

    /**
     * Sets how long the ring must have stood still. May be changed while it watches.
     *
     * @param time from 1 ms to 1 day
     * @return this
     * @throws IllegalArgumentException if the time is out of its range
     */
    public synchronized Watchdog after(Duration time) {
        afterNanos = checked(Check.notNull(time, "time")).toNanos();
        return this;
    }

    static Duration checked(Duration time) {
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "time must be from " + SHORTEST + " to " + LONGEST + ", but was " + time);
        }
        return time;
    }

    /**
     * Begins to watch, in place of any other watchdog of the ring. Its bean is there a moment later.
     *
     * @return this
     * @throws OutOfMemoryError if there is no room for a thread; then it begins with the next watchdog that finds one
     */
    public Watchdog start() {
        synchronized (STARTS) {
            List<Watchdog> others;
            synchronized (ALL) {
                others = ALL.stream()
                        .filter(one -> one.ring.refersTo(ring.get()))
                        .toList();
            }
            others.forEach(Watchdog::close);
            synchronized (this) {
                isOn = true;
            }
            synchronized (ALL) {
                ALL.add(this);
                ALL.notifyAll();
                if (thread == null) {
                    Thread watching = new Thread(null, Watchdog::watchAll, "sluice-watchdog", 0, false);
                    watching.setDaemon(true);
                    watching.setContextClassLoader(Watchdog.class.getClassLoader()); // not that of whoever is first
                    watching.start(); // may find no room for a thread: then the next watchdog tries again
                    thread = watching;
                }
            }
        }
        return this;
    }

    /** Ends watching, and removes the bean. Does nothing if it does not watch. */
    @Override
    public void close() {
        synchronized (ALL) {
            ALL.remove(this);
            ALL.notifyAll();
        }
        synchronized (this) {
            isOn = false;
            stands = false;
            failed = false;
            isShown = false;
            if (bean != null) {
                bean.unregister();
                bean = null;
            }
        }
    }

    /**
     * Describes the ring in words, as {@link RingMonitor#dump}. Of a ring that stands still it knows since when.
     *
     * @return several lines, each ended by a line feed
     * @throws IllegalStateException if the ring is garbage
     */
    public synchronized String dump() {
        return (stands ? monitor().stoodSince(since) : monitor()).dump();
    }

    String name() {
        return name;
    }

    RingMonitor monitor() {
        FollowedRing<?> watched = ring.get();
        if (watched == null) {
            throw new IllegalStateException("ring " + name + " must be in use, but it is garbage");
        }
        return RingMonitor.of(watched);
    }

    // the thread

    private static void watchAll() {
        while (true) {
            long pause = LONGEST_PAUSE_MILLIS;
            List<Watchdog> all = List.of();
            try {
                synchronized (ALL) {
                    all = List.copyOf(ALL);
                }
            } catch (Throwable t) {
                // no memory for a look: the next one comes
            }
            for (int i = 0; i < all.size(); i++) { // an iterator would need memory
                try {
                    pause = Math.min(pause, all.get(i).watch());
                } catch (Throwable t) {
                    // no memory, or a logger that throws: the next look comes
                }
            }
            synchronized (ALL) {
                if (ALL.isEmpty()) {
                    thread = null;
                    return;
                }
                try {
                    ALL.wait(pause);
                } catch (InterruptedException e) {
                    // the library interrupts no watchdog: looks at once
                }
            }
        }
    }

    /** One look. Returns how many milliseconds later the next one is due. */
    private long watch() {
        FollowedRing<?> watched = ring.get();
        if (watched == null || watched.state() == State.CLOSED || watched.state() == State.FAILED) {
            close();
            return LONGEST_PAUSE_MILLIS;
        }
        String text;
        long pause;
        synchronized (this) {
            if (isOn && !isShown) {
                isShown = true;
                show();
            }
            text = isOn ? lookOrSay(watched) : null;
            pause = Math.max(1, TimeUnit.NANOSECONDS.toMillis(afterNanos / LOOKS));
        }
        if (text != null) {
            tell(text);
        }
        return pause;
    }

    /** As {@link #look} now. A failure is logged once, until a look succeeds: the other rings are watched all the same. */
    private @Nullable String lookOrSay(FollowedRing<?> watched) {
        try {
            String text = look(watched, System.nanoTime());
            failed = false;
            return text;
        } catch (Throwable t) { // a gating sequence that throws, or no memory
            if (!failed) {
                LOG.log(System.Logger.Level.WARNING, "ring " + name + " is watched, but cannot be looked at", t);
                failed = true; // behind the log: where that throws, the next look tries again
            }
            return null;
        }
    }

    private void tell(String text) {
        try {
            LOG.log(System.Logger.Level.WARNING, text);
        } catch (Throwable t) {
            synchronized (this) {
                told = false; // the next look tries again
            }
            throw t;
        }
    }

    private void show() {
        try {
            bean = RingBean.register(this);
        } catch (Throwable t) { // a JVM without JMX, or a native image that cannot make such a bean
            LOG.log(System.Logger.Level.WARNING, "ring " + name + " is watched, but JMX does not show it", t);
        }
    }

    /** The text to log of a ring at a time of {@link System#nanoTime}: null for nothing, or nothing new. */
    synchronized @Nullable String look(FollowedRing<?> watched, long now) {
        long gate = watched.gating()
                .minimum(Long.MAX_VALUE); // acquire inside; first, so that it is not ahead of the cursor
        waits = false;
        watched.forEachProducer(this::see);
        if (!waits && watched.cursor().get() <= gate) { // acquire inside
            stands = false;
        } else if (!stands || handled != gate) {
            stands = true;
            told = false;
            handled = gate;
            since = now;
        } else if (!told && now - since >= afterNanos) {
            String text = "ring " + name + " has stood still with work to do for " + RingDump.time(now - since) + '\n'
                    + dump();
            told = true; // last: where the dump fails, the next look tries again
            return text;
        }
        return null;
    }

    private void see(ProducerCounters counters) {
        waits |= counters.isWaiting();
    }
}
