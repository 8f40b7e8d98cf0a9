package io.sluice.backpressure.nak;

import java.util.function.LongPredicate;

/*
 * Decides which NAKs count, and counts the others by their reason: another session, a receiver that is unknown or left behind, or
 * positions that cannot be. Owned by the controller's thread.
 */
final class NakFilter {
    private final long session;
    private final LongPredicate knownReceivers;
    private final SenderTimeline timeline;
    private final long[] leftBehind = new long[NakController.MAX_LEFT_BEHIND];
    private int leftBehindCount;

    private long otherSession;
    private long ignored;
    private long impossible;

    NakFilter(long session, LongPredicate knownReceivers, SenderTimeline timeline) {
        this.session = session;
        this.knownReceivers = knownReceivers;
        this.timeline = timeline;
    }

    boolean accepts(Nak nak) {
        if (nak.session() != session) {
            otherSession++;
            return false;
        }
        if (isLeftBehind(nak.receiver()) || !knownReceivers.test(nak.receiver())) {
            ignored++;
            return false;
        }
        if (isAhead(nak)) {
            timeline.readPosition(); // some may have been sent since the last look
            if (isAhead(nak)) {
                impossible++;
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a NAK names messages that were not sent. Where several senders feed a queue, its positions count the messages of all of
     * them, and no sender can check that.
     */
    private boolean isAhead(Nak nak) {
        long sent = timeline.sent();
        return nak.senders() == 1 && (nak.newestPosition() - sent > 0 || nak.consumedPosition() - sent > 0);
    }

    /** Ignores a receiver that is not left behind yet. With one more than {@code MAX_LEFT_BEHIND} the first is readmitted. */
    void leaveBehind(long receiver) {
        if (leftBehindCount == leftBehind.length) {
            readmit(leftBehind[0]);
        }
        leftBehind[leftBehindCount++] = receiver;
    }

    boolean readmit(long receiver) {
        for (int i = 0; i < leftBehindCount; i++) {
            if (leftBehind[i] == receiver) {
                System.arraycopy(leftBehind, i + 1, leftBehind, i, leftBehindCount - i - 1);
                leftBehindCount--;
                return true;
            }
        }
        return false;
    }

    boolean isLeftBehind(long receiver) {
        for (int i = 0; i < leftBehindCount; i++) {
            if (leftBehind[i] == receiver) {
                return true;
            }
        }
        return false;
    }

    /** Whether a receiver's messages other than NAKs are passed over. */
    boolean isIgnored(long receiver) {
        return isLeftBehind(receiver) || !knownReceivers.test(receiver);
    }

    long otherSession() {
        return otherSession;
    }

    long ignored() {
        return ignored;
    }

    long impossible() {
        return impossible;
    }
}
