package io.sluice.perf.aeron;

import io.sluice.perf.compare.Contestant;

/** Messages a second, as many as go, for the time of a sample, and until the last one has arrived. */
final class Rate implements Contestant {
    private static final int CHUNK = 64;

    private final Way.Maker maker;
    private final int chunksBetween;

    /**
     * @param maker makes a way for each sample
     * @param chunksBetween so many chunks of {@value #CHUNK} messages go out between two looks of the driver
     */
    Rate(Way.Maker maker, int chunksBetween) {
        this.maker = maker;
        this.chunksBetween = chunksBetween;
    }

    /**
     * Three times the usual: both threads spin, so on two cores the compiler hardly comes to run, and it has more to compile where a message goes
     * through rings too.
     */
    @Override
    public int warmUps() {
        return 40;
    }

    @Override
    public double sample(long nanos) {
        try (Passage passage = new Passage(maker, place -> place, value -> {})) {
            Way way = passage.way();
            long start = System.nanoTime();
            long sent = 0;
            do {
                for (int chunk = 0; chunk < chunksBetween; chunk++) {
                    for (int i = 0; i < CHUNK; i++) {
                        passage.send(sent++);
                    }
                    way.flush();
                }
                way.housekeep();
            } while (System.nanoTime() - start < nanos);
            return sent * 1e9 / (passage.await(sent) - start);
        }
    }
}
