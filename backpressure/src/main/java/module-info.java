/**
 * Back pressure: rate limiters, admission control, receivers that watch their fill and say NAK, and the controller that
 * finds a sender's rate from NAKs.
 */
module io.sluice.backpressure {
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.backpressure;
}
