package io.sluice.aeron;

import java.util.ArrayList;
import java.util.List;

/** Writes down what a receiver tells. */
final class Heard implements ReceiverListener {
    final List<String> all = new ArrayList<>();
    int session;
    long position = -1;

    @Override
    public void onAvailable(int sessionId, String source, long position) {
        session = sessionId;
        all.add("available " + source);
    }

    @Override
    public void onFirst(int sessionId, long number) {
        all.add("first " + number);
    }

    @Override
    public void onUnavailable(int sessionId, String source, long position, boolean revoked) {
        this.position = position;
        all.add("unavailable " + source + (revoked ? " revoked" : ""));
    }

    @Override
    public void onGap(int sessionId, long from, long to) {
        all.add("gap " + from + " to " + to);
    }

    @Override
    public void onBadMessage(int sessionId, long number, Exception failure) {
        all.add("bad " + number + " " + failure.getMessage());
    }
}
