/** Back pressure: honest refusal at admission, and rates that adapt to NAKs. */
module io.sluice.backpressure {
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static transitive org.jspecify;

    exports io.sluice.backpressure;
}
