package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.PollHandler;

/** Counts events, and holds each against the one that has to come next. One thread at a time. */
final class Checker implements EventHandler<Event>, PollHandler<Event, RuntimeException> {
    private static final long WRONG = -9;

    private final long offset;
    private long handled;

    /** For events whose version is their sequence plus one. */
    Checker() {
        this(0);
    }

    /** For events whose version is their sequence plus one and an offset. */
    Checker(long offset) {
        this.offset = offset;
    }

    /** For events from a sequence on, whose version is their sequence plus one. */
    static Checker from(long first) {
        Checker checker = new Checker();
        checker.handled = first;
        return checker;
    }

    @Override
    public void onEvent(Event event, long sequence, boolean endOfBatch) {
        seen(sequence, event.version());
    }

    /** An event came, of this version. */
    void seen(long sequence, long version) {
        if (handled != WRONG) {
            handled = sequence == handled && version == sequence + 1 + offset ? handled + 1 : WRONG;
        }
    }

    /** The event that came last was looked at once more, and was of this version: it must be there still. */
    void onceMore(long version) {
        if (handled != WRONG && version != handled + offset) {
            handled = WRONG;
        }
    }

    /** How many events came, all in order and whole, those before its first included; or -9. */
    long handled() {
        return handled;
    }
}
