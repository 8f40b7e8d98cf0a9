/** What back pressure is built from: rate limiters, and receivers that watch their fill and say NAK. */
module io.sluice.backpressure {
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static transitive org.jspecify;

    exports io.sluice.backpressure;
}
