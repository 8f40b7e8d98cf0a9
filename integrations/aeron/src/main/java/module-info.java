/** Joins rings to publications and subscriptions of Aeron. */
module io.sluice.aeron {
    requires transitive io.aeron.client;
    requires transitive io.aeron.driver;
    requires transitive io.sluice.backpressure;
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static transitive org.jspecify;

    exports io.sluice.aeron;
}
