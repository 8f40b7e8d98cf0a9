package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * A walk over memory: each cache line holds where the next one is, so that the next step waits for this one. The figure is nanoseconds a
 * step. The table lies outside of the heap.
 */
final class Walk implements Contestant {
    private static final int LINE = 64;
    private static final int LINES_OF_PAGE = 4096 / LINE;
    private static final int CHECK_EVERY = 4096;
    private static final long SEED = 20_261_123;

    /** In which order lines follow each other. */
    enum Order {
        /** One after the other. */
        LINEAR,
        /** At random within a page of 4 KiB, then the next page. */
        PAGE,
        /** At random over the whole table. */
        ALL
    }

    private final ByteBuffer table;
    private final int lines;
    private int at;

    Walk(Order order, int bytes) {
        lines = bytes / LINE;
        table = ByteBuffer.allocateDirect(lines * LINE).order(ByteOrder.nativeOrder());
        int[] visited = new int[lines];
        for (int i = 0; i < lines; i++) {
            visited[i] = i;
        }
        SplittableRandom random = new SplittableRandom(SEED);
        int part = order == Order.LINEAR ? 1 : order == Order.PAGE ? LINES_OF_PAGE : lines;
        for (int from = 0; from < lines; from += part) {
            int to = Math.min(lines, from + part);
            for (int i = to - 1; i > from; i--) {
                int other = from + random.nextInt(i - from + 1);
                int swapped = visited[i];
                visited[i] = visited[other];
                visited[other] = swapped;
            }
        }
        for (int i = 0; i < lines; i++) {
            table.putInt(visited[i] * LINE, visited[(i + 1) % lines] * LINE);
        }
        checkOnce();
    }

    /** One turn visits each line once. */
    private void checkOnce() {
        long sum = 0;
        int place = at;
        for (int i = 0; i < lines; i++) {
            sum += place / LINE;
            place = table.getInt(place);
        }
        long expected = (long) lines * (lines - 1) / 2;
        if (place != at || sum != expected) {
            throw new IllegalStateException(
                    "a turn must visit each of " + lines + " lines once, sum " + expected + ", but the sum was " + sum);
        }
    }

    @Override
    public double sample(long nanos) {
        long steps = 0;
        int place = at;
        long begin = System.nanoTime();
        long now;
        do {
            for (int i = 0; i < CHECK_EVERY; i++) {
                place = table.getInt(place);
            }
            steps += CHECK_EVERY;
            now = System.nanoTime();
        } while (now - begin < nanos);
        at = place;
        if (place % LINE != 0) {
            throw new IllegalStateException("the walk must stay on lines, but is at " + place);
        }
        return (now - begin) / (double) steps;
    }

    @Override
    public int warmUps() {
        return 3;
    }
}
