package io.sluice.aeron;

import io.aeron.Aeron;
import io.aeron.Counter;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.SilentReceiverHandler;
import io.sluice.core.check.Check;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Shows which receivers are silent among Aeron's counters, and so in {@code sluice stat --aeron}: one counter for each, whose value
 * is for how many milliseconds nothing was heard. Its label names the receiver, the stream, and the message up to which the
 * receiver had handled all. A counter goes when its receiver is heard again, is left behind, or is forgotten.
 *
 * <p>An agent for the thread of the {@link NakController}. Nothing blocks. It looks 100 times a second, and only while
 * somebody is silent. It allocates for a receiver that falls silent, and for a counter that is asked for again since the driver was lost.
 */
public final class SilentReceiverCounters implements Agent, AutoCloseable {
    /*
     * asked     the client that was asked for a row's counter, or null
     * counter   the driver's answer. The client closes it when it is lost, and the next client is asked. Its memory stays mapped for a
     *           while, so that a value that is stored meanwhile goes nowhere.
     */

    /** The type of these counters: {@value}. Aeron's own are below 1,000. */
    public static final int TYPE_ID = 5_101;

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AeronLink link;
    private final NakController controller;
    private final long stream;
    private final SilentReceiverHandler shown = this::onSilent;
    private final Long2ObjectHashMap<Row> rows = new Long2ObjectHashMap<>();
    private long lastLook = System.nanoTime() - INTERVAL_NANOS;
    private long look;
    private boolean closed;

    private static final class Row {
        final String label;
        final long position;

        private @Nullable Aeron asked;
        private @Nullable Counter counter;

        long registrationId;
        boolean refused;
        long look;

        Row(String label, long position) {
            this.label = label;
            this.position = position;
        }
    }

    /**
     * Makes an agent that has looked at nothing yet.
     *
     * @param link whose driver holds the counters
     * @param controller whose silent receivers are shown
     * @param stream the stream's name in the labels, as NAKs name it
     */
    public SilentReceiverCounters(AeronLink link, NakController controller, long stream) {
        this.link = Check.notNull(link, "link");
        this.controller = Check.notNull(controller, "controller");
        this.stream = stream;
    }

    /**
     * Looks which receivers are silent, if it is time.
     *
     * @return counters that were asked for, were given or were taken away
     */
    @Override
    public int doWork() {
        if (closed || (rows.isEmpty() && controller.silentReceivers() == 0)) {
            return 0;
        }
        long now = System.nanoTime();
        if (now - lastLook < INTERVAL_NANOS) {
            return 0;
        }
        lastLook = now;
        look++;
        controller.forEachSilent(shown);
        rows.values().removeIf(this::isHeard);
        return 1;
    }

    private void onSilent(long receiver, long position, long nanos) {
        Row row = rows.get(receiver);
        if (row == null || row.position != position) { // it was heard between two looks, and is silent again
            drop(row);
            row = new Row(label(receiver, position), position);
            rows.put(receiver, row);
        }
        row.look = look;
        Counter counter = counter(row);
        if (counter != null) {
            counter.setRelease(
                    Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos))); // release: cheap, and nothing waits for it
        }
    }

    private String label(long receiver, long position) {
        return "silent: receiver " + receiver + " of stream " + stream + ", ms; "
                + (position == SilentReceiverHandler.NO_POSITION ? "position unknown" : "handled " + position);
    }

    private @Nullable Counter counter(Row row) {
        Counter present = row.counter;
        if (present != null && !present.isClosed()) {
            return present;
        }
        Aeron client = link.aeron();
        row.counter = null;
        try {
            if (client != row.asked) {
                row.asked = null;
                if (!client.isClosed()) {
                    row.registrationId = client.asyncAddCounter(TYPE_ID, row.label);
                    row.asked = client;
                    row.refused = false;
                }
            } else if (!row.refused) {
                row.counter = client.getCounter(row.registrationId);
            }
        } catch (RegistrationException e) {
            row.refused = true; // told once; the receiver is told to the controller's handler all the same
            link.errors().onError(e);
        } catch (AeronException e) {
            row.asked = null; // the client is ending, or its way to the driver is full: asked again at the next look
        }
        return row.counter;
    }

    private boolean isHeard(Row row) {
        if (row.look == look) {
            return false;
        }
        drop(row);
        return true;
    }

    private void drop(@Nullable Row row) {
        if (row == null) {
            return;
        }
        Counter present = row.counter;
        Aeron client = row.asked;
        if (present != null) {
            present.close();
        } else if (client != null && !client.isClosed() && !row.refused) {
            client.asyncRemoveCounter(row.registrationId);
        }
    }

    @Override
    public String roleName() {
        return "silent-receiver-counters";
    }

    /** {@link #close()}. */
    @Override
    public void onClose() {
        close();
    }

    /** Takes all counters away. The controller's thread, or any one once that has ended; calling it again does nothing. */
    @Override
    public void close() {
        closed = true;
        rows.values().forEach(this::drop);
        rows.clear();
    }
}
