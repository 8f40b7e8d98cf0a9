package io.sluice.ordered;

/** Who numbers the tickets. */
public enum TicketMode {
    /** One thread at a time takes tickets: no atomic read-modify-write. */
    SINGLE,
    /** Any number of threads take tickets: one compare-and-set each. */
    MANY,
    /**
     * Tickets come from outside, without gaps and each once: a ring's sequences, for instance. Whoever numbers them keeps within
     * the window, by other means or with {@link OrderedScheduler#awaitRoom}.
     */
    EXTERNAL
}
