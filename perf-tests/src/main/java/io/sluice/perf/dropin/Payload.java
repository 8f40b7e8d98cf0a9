package io.sluice.perf.dropin;

/** The event that is moved: one {@code long}. */
final class Payload {
    long value;
}
