package io.sluice.ordered;

/** Who numbers the tickets. */
public enum TicketMode {
    /** One thread at a time takes tickets: no atomic read-modify-write. */
    SINGLE,
    /** Any number of threads take tickets: one compare-and-set each. */
    MANY,
    /**
     * Tickets come from outside, dense and each once: a ring's sequences, for instance. The window is then kept by whoever
     * numbers them, or with {@link OrderedScheduler#awaitRoom}.
     */
    EXTERNAL
}
