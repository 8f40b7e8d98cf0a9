package io.sluice.ringbuffer.pipeline;

/** The kind of a consumer, which decides which loop runs it. A handler may be of both kinds of handlers. */
enum ConsumerKind {
    EVENTS,
    BATCHES,
    POLLER,
    WORKER,
    PARTITION,
    /** Empties events, behind all consumers that nobody follows. */
    CLEARER
}
