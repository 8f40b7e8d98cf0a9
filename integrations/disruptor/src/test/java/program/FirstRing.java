package program;

import com.lmax.disruptor.RingBuffer;

/** Creates a ring twice. */
public final class FirstRing {
    private FirstRing() {}

    /**
     * Creates them.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        RingBuffer.createSingleProducer(() -> new long[1], 2);
        RingBuffer.createMultiProducer(() -> new long[1], 2);
    }
}
