package io.sluice.backpressure.nak;

import java.util.ArrayList;
import java.util.List;

/**
 * The model of who is silent, as {@link NakController.Builder#onSilentReceiver} says it: one look at all receivers each time, no due
 * times, no states in between. What is told of it is written down as text, as {@link #teller} writes down what the controller tells.
 */
final class SilenceModel {
    private static final class Known {
        long heardAt;
        long position;
        boolean silent;
        boolean gone;
        long farewell;
    }

    private final long afterNanos;
    private final long session;
    private final Known[] known;
    private final List<String> told = new ArrayList<>();
    private long clock;
    private long time;
    private long listeningSince;
    private long signs;
    private long silences;
    private long returns;

    /** The sender starts at a time. */
    SilenceModel(long afterNanos, long session, int receivers, long now) {
        this.afterNanos = afterNanos;
        this.session = session;
        known = new Known[receivers];
        clock = now;
    }

    /** Writes down what a controller tells. */
    static SilentReceiverHandler teller(List<String> told) {
        return new SilentReceiverHandler() {
            @Override
            public void onSilent(long receiver, long position, long nanos) {
                told.add("silent " + receiver + " at " + position + " for " + nanos);
            }

            @Override
            public void onReturn(long receiver, long position, long nanos) {
                told.add("back " + receiver + " at " + position + " after " + nanos);
            }
        };
    }

    /** The controller is called: of the time since then, at most a quarter of the allowed silence counts. */
    void called(long now, boolean listening) {
        time += Math.min(now - clock, afterNanos / 4);
        clock = now;
        if (!listening) {
            listeningSince = time;
        }
    }

    /** It hears something that is no echo. */
    void heard(Nak nak, boolean leftBehind) {
        signs += nak.isSign() ? 1 : 0;
        int receiver = (int) nak.receiver();
        Known one = known[receiver];
        if (one == null) {
            if (!nak.isSign() || nak.isFarewell() || leftBehind) {
                return;
            }
            one = new Known();
            known[receiver] = one;
        } else if (nak.isFarewell()) {
            one.gone = true;
            one.silent = false;
            one.farewell = nak.timeNanos();
            one.heardAt = time;
            return;
        } else if (one.gone) {
            boolean overtaken = nak.timeNanos() <= one.farewell && time - one.heardAt < afterNanos;
            if (overtaken || !nak.isSign()) {
                return;
            }
            one.gone = false;
        }
        long silentFor = silentFor(one);
        one.heardAt = time;
        one.position = nak.session() == session ? nak.consumedPosition() : SilentReceiverHandler.NO_POSITION;
        if (one.silent) {
            one.silent = false;
            returns++;
            told.add("back " + receiver + " at " + one.position + " after " + silentFor);
        }
    }

    /** The end of a call. */
    void tell() {
        for (int receiver = 0; receiver < known.length; receiver++) {
            Known one = known[receiver];
            if (one != null && !one.gone && !one.silent && silentFor(one) >= afterNanos) {
                one.silent = true;
                silences++;
                told.add("silent " + receiver + " at " + one.position + " for " + silentFor(one));
            }
        }
    }

    private long silentFor(Known one) {
        return time - Math.max(one.heardAt, listeningSince);
    }

    /** A receiver is left behind. */
    void forget(int receiver) {
        known[receiver] = null;
    }

    /** What was told since the last call, sorted. */
    List<String> told() {
        List<String> sorted = told.stream().sorted().toList();
        told.clear();
        return sorted;
    }

    int watched() {
        int watched = 0;
        for (Known one : known) {
            watched += one != null && !one.gone ? 1 : 0;
        }
        return watched;
    }

    int silent() {
        int silent = 0;
        for (Known one : known) {
            silent += one != null && one.silent ? 1 : 0;
        }
        return silent;
    }

    long signs() {
        return signs;
    }

    long silences() {
        return silences;
    }

    long returns() {
        return returns;
    }
}
