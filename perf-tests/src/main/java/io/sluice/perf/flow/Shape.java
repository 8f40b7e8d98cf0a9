package io.sluice.perf.flow;

/** The shape of the consumers: which of them waits for which. */
public enum Shape {
    /** One consumer. */
    ONE(1),
    /** Three consumers, each sees all, none waits for another. */
    MULTICAST(3),
    /** Three consumers, one behind the other. */
    PIPELINE(3),
    /** Two consumers side by side, and a third behind both. */
    DIAMOND(3);

    private final int consumers;

    Shape(int consumers) {
        this.consumers = consumers;
    }

    /**
     * The number of consumers.
     *
     * @return 1 or 3
     */
    public int consumers() {
        return consumers;
    }
}
