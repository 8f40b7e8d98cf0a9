package io.sluice.ringbuffer.pipeline;

/** What a consumer does with its events, and so which loop runs it. A handler may be of both kinds of handlers. */
enum ConsumerKind {
    EVENTS,
    BATCHES,
    POLLER,
    WORKER,
    PARTITION,
    /** Empties events behind all that nobody follows. */
    CLEARER
}
