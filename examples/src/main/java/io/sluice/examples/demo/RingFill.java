package io.sluice.examples.demo;

/** How full a ring was, in slots or bytes, over samples taken while it worked. Written by one thread, read when that has ended. */
final class RingFill {
    private final long capacity;
    private final int size;
    private final String unit;
    private long samples;
    private long sum;
    private long highest;

    /**
     * Takes samples.
     *
     * @param sequences the ring's capacity
     * @param size how much each sequence stands for
     * @param unit of what
     */
    RingFill(long sequences, int size, String unit) {
        this.capacity = sequences * size;
        this.size = size;
        this.unit = unit;
    }

    /** Takes a sample: the sequences published and not yet handled by the last stage. */
    void sample(long sequences) {
        long slots = sequences * size;
        samples++;
        sum += slots;
        highest = Math.max(highest, slots);
    }

    long capacity() {
        return capacity;
    }

    String unit() {
        return unit;
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
