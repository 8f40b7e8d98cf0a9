package io.sluice.perf.dropin;

/** What is moved: one {@code long}. */
final class Payload {
    long value;
}
