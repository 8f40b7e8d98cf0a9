package io.sluice.ordered;

/** The numbering of the tickets: by the scheduler, or from outside. */
public enum TicketMode {
    /** One thread at a time takes tickets: no atomic read-modify-write. */
    SINGLE,
    /** Any number of threads take tickets: one compare-and-set each. */
    MANY,
    /**
     * Tickets come from outside, without gaps and each once: a ring's sequences, for instance. The program that numbers them
     * keeps within the window, by other means or with {@link OrderedScheduler#awaitRoom}.
     */
    EXTERNAL
}
