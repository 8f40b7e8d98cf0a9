package io.sluice.ringbuffer.pipeline;

/*
 * The own events of a consumer in a batch, in a stage divided by key: their positions, in their order. The key of each event is asked
 * for once, before any event of the batch is handled, so that the last own one is known. Noting an event has no branch on whether it
 * is own: such a branch could not be predicted.
 */
final class PartitionEvents<E> {
    /** Batches are not longer, so that the record of positions stays small. */
    private static final int LONGEST_BATCH = 1_024;

    final Partition<? super E> partition;

    private final int[] distances;
    private long first;
    private int count;
    private int step; // where the last look ended

    PartitionEvents(Partition<? super E> partition, int capacity) {
        this.partition = partition;
        this.distances = new int[Math.min(LONGEST_BATCH, Math.max(1, capacity / 4))];
    }

    /** How many sequences a batch may span. */
    int longestBatch() {
        return distances.length;
    }

    void begin(long lo) {
        first = lo;
        count = 0;
        step = 0;
    }

    /** Notes whether an event is own. In the order of the positions. */
    void note(long position, boolean isOwn) {
        distances[count] = (int) (position - first);
        count += isOwn ? 1 : 0;
    }

    /** The first own event at a position or behind it, beyond all positions if there is none. Costs little in their order. */
    long next(long from) {
        long distance = from - first;
        if (step > 0 && distances[step - 1] >= distance) {
            step = 0; // gone back
        }
        while (step < count && distances[step] < distance) {
            step++;
        }
        return step < count ? first + distances[step] : Long.MAX_VALUE;
    }

    /** The last own event up to a position, below the batch if there is none. */
    long last(long to) {
        int index = count - 1;
        while (index >= 0 && first + distances[index] > to) {
            index--;
        }
        return index < 0 ? first - 1 : first + distances[index];
    }
}
