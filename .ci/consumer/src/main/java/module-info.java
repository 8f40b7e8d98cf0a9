module consumer {
    requires io.sluice.aeron;
    requires io.sluice.backpressure;
    requires io.sluice.batching;
    requires io.sluice.micrometer;
    requires io.sluice.ordered;
    requires io.sluice.ringbuffer;
}
