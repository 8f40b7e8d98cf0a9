package io.sluice.jcstress.ringbuffer;

/** An event of several words, so that a torn, early or late one shows. Version {@code v} has the words v, 2v, 3v, 4v. */
final class Event {
    /** The answer of {@link #version} for words that do not belong together. */
    static final long TORN = -9;

    private long a;
    private long b;
    private long c;
    private long d;

    /** Fills all words. */
    void fill(long version) {
        a = version;
        b = 2 * version;
        c = 3 * version;
        d = 4 * version;
    }

    /** The version, 0 for a fresh event, {@link #TORN} if the words are of several. */
    long version() {
        long first = a;
        return b == 2 * first && c == 3 * first && d == 4 * first ? first : TORN;
    }
}
