/** The object ring: producers, event processors, graphs of consumers and their life cycle. */
module io.sluice.ringbuffer {
    requires transitive io.sluice.core;
    requires transitive org.agrona;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.ringbuffer;
}
