/**
 * Back pressure: an admission gate, rate limiters, NAKs that slow a sender down, and adapters to {@code java.util.concurrent.Flow}.
 *
 * <pre>
 *   flow ──> rate &lt;── nak        admission
 * </pre>
 */
module io.sluice.backpressure {
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.backpressure.admission;
    exports io.sluice.backpressure.flow;
    exports io.sluice.backpressure.nak;
    exports io.sluice.backpressure.rate;
}
