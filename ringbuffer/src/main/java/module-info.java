/** Rings of objects, bytes and messages, the pipelines of consumers behind them, and the look into a running ring. */
module io.sluice.ringbuffer {
    requires transitive io.sluice.core;
    requires transitive org.agrona;
    requires static java.management;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.ringbuffer;
    exports io.sluice.ringbuffer.counters;
    exports io.sluice.ringbuffer.monitor;
    exports io.sluice.ringbuffer.pipeline;

    uses io.sluice.ringbuffer.RingListener;

    provides io.sluice.ringbuffer.RingListener with
            io.sluice.ringbuffer.monitor.WatchdogSwitch;
}
