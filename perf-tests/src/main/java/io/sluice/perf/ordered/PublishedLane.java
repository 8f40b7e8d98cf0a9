package io.sluice.perf.ordered;

import io.sluice.core.Sequence;

/** The published algorithm, with tickets made by its caller, as it asks for. */
final class PublishedLane implements Lane {
    private final PublishedScheduler scheduler = new PublishedScheduler(WINDOW);
    private final boolean oneTaker;
    private final Sequence next = new Sequence(0);
    private long mine;

    private PublishedLane(boolean oneTaker) {
        this.oneTaker = oneTaker;
    }

    /** For one worker, which counts its tickets. The items know their output. */
    static Maker oneTaker() {
        return output -> new PublishedLane(true);
    }

    /** For many, which count together. */
    static Maker manyTakers() {
        return output -> new PublishedLane(false);
    }

    @Override
    public long take(int count) {
        if (oneTaker) {
            long first = mine;
            mine += count;
            return first;
        }
        return next.getAndAdd(count);
    }

    @Override
    public void complete(long ticket, Item item) {
        scheduler.run(ticket, item);
    }

    @Override
    public void awaitOutput(long total) {
        if (scheduler.tail() != total) {
            throw new IllegalStateException("of " + total + " items " + scheduler.tail() + " were put out");
        }
    }
}
