package io.sluice.backpressure.nak;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/*
 * Notices which of the receivers that say signs of life fall silent, and which come back.
 *
 *   HEARD ──silent for too long──> SILENT ──anything it says──> BACK ──told──> HEARD
 *      └─────────── farewell ─────────┴──────> GONE ──a later sign──> HEARD
 *
 * A receiver that says only NAKs is not watched: it is silent while all is well. One that is GONE keeps its row for a while, so that a
 * sign that its farewell has overtaken does not bring it back. Nothing is told while packets are taken in: the handler is called
 * by tell() alone, and may leave receivers behind, which takes their rows away.
 *
 * Time is the sender's, less what it stood still: of a step, at most a quarter of the allowed silence counts. Owned by the
 * controller's thread.
 */
final class ReceiverWatch {
    private enum State {
        HEARD,
        SILENT,
        BACK,
        GONE
    }

    private static final class Row {
        final long receiver;
        State state = State.HEARD;
        long heardAt;
        long position;
        long silentNanos; // of the silence that has ended
        long farewellTime; // by the receiver's clock

        Row(long receiver) {
            this.receiver = receiver;
        }
    }

    private final SilentReceiverHandler handler;
    private final long afterNanos;
    private final long session;
    private final NakFilter filter;
    private final SenderTimeline timeline;
    private final Long2ObjectHashMap<Row> byReceiver = new Long2ObjectHashMap<>();
    private final List<Row> rows = new ArrayList<>(); // the same ones

    private long lastTime;
    private long now;
    private long listeningSince;
    private long nextDue = Long.MAX_VALUE; // nobody is silent before
    private boolean isAnyBack;
    private int silent;
    private int gone;
    private long silences;
    private long unwatched;

    ReceiverWatch(
            SilentReceiverHandler handler, long afterNanos, long session, NakFilter filter, SenderTimeline timeline) {
        this.handler = handler;
        this.afterNanos = afterNanos;
        this.session = session;
        this.filter = filter;
        this.timeline = timeline;
        lastTime = timeline.time();
    }

    /** Moves the time on. While nothing can be heard, the silence of all begins anew. */
    void advance(boolean listening) {
        long step = timeline.time() - lastTime;
        lastTime += step;
        now += Math.min(step, Math.max(1, afterNanos / 4));
        if (!listening) {
            listeningSince = now;
        }
    }

    /** Takes in what a receiver says, a NAK or a sign. */
    void heard(Nak nak) {
        Row row = byReceiver.get(nak.receiver());
        if (row == null) {
            if (nak.isSign() && !nak.isFarewell() && !filter.isIgnored(nak.receiver())) {
                add(nak);
            }
            return;
        }
        if (nak.isFarewell()) {
            leave(row);
            row.state = State.GONE;
            gone++;
            row.farewellTime = nak.timeNanos();
            row.heardAt = now;
            return;
        }
        if (row.state == State.GONE) {
            boolean overtaken = nak.timeNanos() - row.farewellTime <= 0 && now - row.heardAt < afterNanos;
            if (overtaken || !nak.isSign()) {
                return;
            }
            leave(row);
            row.state = State.HEARD;
        } else if (row.state == State.SILENT) {
            leave(row);
            row.state = State.BACK;
            row.silentNanos = now - since(row);
            isAnyBack = true;
        }
        keep(row, nak);
    }

    private void add(Nak nak) {
        if (rows.size() == NakController.MAX_WATCHED && !isOldestMissingForgotten()) {
            unwatched++;
            return;
        }
        Row row = new Row(nak.receiver());
        byReceiver.put(row.receiver, row);
        rows.add(row);
        keep(row, nak);
    }

    private void keep(Row row, Nak nak) {
        row.heardAt = now;
        row.position = nak.session() == session ? nak.consumedPosition() : SilentReceiverHandler.NO_POSITION;
        nextDue = Math.min(nextDue, now + afterNanos);
    }

    /** Makes room: forgets the one that has been silent or gone for longest. */
    private boolean isOldestMissingForgotten() {
        Row oldest = null;
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            boolean missing = row.state == State.SILENT || row.state == State.GONE;
            if (missing && (oldest == null || row.heardAt < oldest.heardAt)) {
                oldest = row;
            }
        }
        if (oldest == null) {
            return false;
        }
        forget(oldest.receiver);
        return true;
    }

    /** Watches a receiver no more, until its next sign. */
    void forget(long receiver) {
        @Nullable Row row = byReceiver.remove(receiver);
        if (row != null) {
            leave(row);
            rows.remove(row);
        }
    }

    /** Before a row changes its state, or goes. */
    private void leave(Row row) {
        silent -= row.state == State.SILENT ? 1 : 0;
        gone -= row.state == State.GONE ? 1 : 0;
    }

    /**
     * Tells which receivers are back, and which are silent. An exception of the handler reaches the
     * caller; the others are told at the next call.
     */
    void tell() {
        if (now < nextDue && !isAnyBack) {
            return;
        }
        long due = Long.MAX_VALUE;
        for (int i = rows.size() - 1; i >= 0; i--) {
            if (i >= rows.size()) {
                continue; // the handler has left some behind
            }
            Row row = rows.get(i);
            if (row.state == State.BACK) {
                row.state = State.HEARD;
                handler.onReturn(row.receiver, row.position, row.silentNanos);
                if (byReceiver.get(row.receiver) != row) {
                    continue; // the handler has left it behind: it is watched no more
                }
            }
            if (row.state == State.HEARD) {
                long silentFor = now - since(row);
                if (silentFor >= afterNanos) {
                    row.state = State.SILENT;
                    silent++;
                    silences++;
                    handler.onSilent(row.receiver, row.position, silentFor);
                } else {
                    due = Math.min(due, now + afterNanos - silentFor);
                }
            }
        }
        nextDue = due;
        isAnyBack = false;
    }

    /** Shows those that are silent. */
    void forEachSilent(SilentReceiverHandler shown) {
        for (int i = 0; i < rows.size() && silent > 0; i++) {
            Row row = rows.get(i);
            if (row.state == State.SILENT) {
                shown.onSilent(row.receiver, row.position, now - since(row));
            }
        }
    }

    /** When its silence began. */
    private long since(Row row) {
        return Math.max(row.heardAt, listeningSince);
    }

    int watched() {
        return rows.size() - gone;
    }

    int silentNow() {
        return silent;
    }

    long silences() {
        return silences;
    }

    long unwatched() {
        return unwatched;
    }
}
