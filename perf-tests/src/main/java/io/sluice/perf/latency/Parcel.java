package io.sluice.perf.latency;

/** The object that travels through a ring or a queue of objects. */
final class Parcel {
    long value;
    long time;
}
