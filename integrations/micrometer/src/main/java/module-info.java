/** Binds the counters of a ring to Micrometer. */
module io.sluice.micrometer {
    requires transitive io.sluice.ringbuffer;
    requires static transitive micrometer.core;
    requires static transitive org.jspecify;

    exports io.sluice.micrometer;
}
