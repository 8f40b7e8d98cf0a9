package io.sluice.ringbuffer;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * The threads that a ring wakes, and the signals that it owes. A stack overflow may cut a publication off behind its release, and before
 * its signal: then the event is out and its consumers sleep. The producer can not signal there without stack. So it stores `owed`, which
 * takes none. Each thread that waits sends the signal, at each step of its wait: for room, for a drain, for an event to be handled, for
 * the end of the consumers, for those that rest or leave. So does the producer, where it publishes the same again, or closes.
 *
 * A signal to all that is cut off may have kept another thread, which found the group's word lowered, from waking them. It is owed too.
 */
final class WakeUps {
    private final @Nullable SignalGroup publications;
    private final SignalGroup everyone = new SignalGroup(true);

    /**
     * A signal is owed. Written true by any thread that was cut off; false by the thread about to signal. Volatile: behind the publication;
     * a field, since the call of a VarHandle takes stack, and there may be none left.
     */
    volatile boolean owed;

    /** The consumers that publications wake, null where consumers never block. */
    WakeUps(@Nullable SignalGroup publications) {
        this.publications = publications;
    }

    /** Wakes all threads that are to hear of the end of the ring, or of a consumer. */
    void wakeAll() {
        try {
            everyone.signal();
        } catch (Throwable t) {
            owed = true;
            throw t;
        }
    }

    void add(SignalledIdle idle) {
        everyone.add(idle);
    }

    void remove(SignalledIdle idle) {
        everyone.remove(idle);
    }

    /** Sends the signal of a publication off the hot path. If that is cut off, others send it. */
    void signal() {
        owed = true; // behind the publication, whose release it follows
        settle();
    }

    /** Sends the signals that are owed, if there are any. If that is cut off, they stay owed, and the caller does not fail. */
    void settle() {
        if ((boolean) OWED.getOpaque(this) // opaque: a look; the exchange orders
                && (boolean) OWED.getAndSet(this, false)) { // exchange: behind the publication that owes it
            try {
                if (publications != null) {
                    publications.signal();
                }
                everyone.signal();
            } catch (Throwable t) {
                owed = true;
            }
        }
    }

    private static final VarHandle OWED =
            VarHandles.field(MethodHandles.lookup(), WakeUps.class, "owed", boolean.class);
}
