package io.sluice.ringbuffer.product;

/**
 * One step of a program. Its numbers are taken modulo what is there when it runs, so that every part of a program is a program.
 *
 * @param kind what to do
 * @param a whom it is about
 * @param b a first argument
 * @param c a second
 * @param d a third
 * @param thread on which thread: see World
 */
record Op(Kind kind, int a, int b, int c, int d, int thread) {
    enum Kind {
        DECLARE,
        CLEAR,
        START,
        PRODUCER,
        CLAIM,
        PUBLISH,
        EVENT,
        WRAP,
        DROP,
        CLOSE_PRODUCER,
        WATCH,
        RUN,
        ARM,
        JOIN,
        SHARE,
        REMOVE,
        PAUSE,
        RESUME,
        HALT,
        END_PROCESSOR,
        DRAIN,
        CLOSE,
        AWAIT,
        DUMP,
        LATEST,
        GATE,
        STRANGER,
        WATCHDOG
    }
}
