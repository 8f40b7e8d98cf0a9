package io.sluice.perf.latency;

/** What travels through a ring or a queue of objects. */
final class Parcel {
    long value;
    long time;
}
