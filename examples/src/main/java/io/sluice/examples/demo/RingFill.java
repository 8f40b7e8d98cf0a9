package io.sluice.examples.demo;

/** How full a ring was, in slots, over samples taken while it worked. Written by one thread, read when that has ended. */
final class RingFill {
    private final long capacity;
    private long samples;
    private long sum;
    private long highest;

    RingFill(long capacity) {
        this.capacity = capacity;
    }

    /** Takes a sample: the slots published and not yet handled by the last stage. */
    void sample(long slots) {
        samples++;
        sum += slots;
        highest = Math.max(highest, slots);
    }

    long capacity() {
        return capacity;
    }

    long samples() {
        return samples;
    }

    double mean() {
        return samples == 0 ? 0 : (double) sum / samples;
    }

    long highest() {
        return highest;
    }
}
