package io.sluice.examples.feed;

import java.util.Arrays;

/** Counts messages by type. Used by one thread at a time. */
public final class MessageTally {
    private final long[] counts = new long[128];
    private long total;

    /** Creates a tally of zeros. */
    public MessageTally() {}

    /**
     * Counts a message.
     *
     * @param type an ASCII character
     */
    public void count(char type) {
        counts[type]++;
        total++;
    }

    /**
     * The messages of a type.
     *
     * @param type an ASCII character
     * @return how many
     */
    public long of(char type) {
        return counts[type];
    }

    /**
     * The messages of all types.
     *
     * @return how many
     */
    public long total() {
        return total;
    }

    /**
     * Whether another tally has the same count for every type.
     *
     * @param other the other one
     * @return true if so
     */
    public boolean sameAs(MessageTally other) {
        return Arrays.equals(counts, other.counts);
    }
}
