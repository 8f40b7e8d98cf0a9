/** The base of every other module: sequences, barriers, idle strategies, failure policies and the life-cycle word. */
@SuppressWarnings("module") // the modules that access and check are exported to are built after this one
module io.sluice.core {
    requires transitive org.agrona;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.core;
    exports io.sluice.core.bytes;
    exports io.sluice.core.conflation;
    exports io.sluice.core.records;
    exports io.sluice.core.access to
            io.sluice.ringbuffer,
            io.sluice.batching,
            io.sluice.backpressure,
            io.sluice.ordered,
            com.lmax.disruptor,
            io.sluice.aeron;
    exports io.sluice.core.check to
            io.sluice.ringbuffer,
            io.sluice.batching,
            io.sluice.backpressure,
            io.sluice.ordered,
            com.lmax.disruptor,
            io.sluice.aeron;
}
