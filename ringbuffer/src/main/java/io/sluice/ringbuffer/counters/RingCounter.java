package io.sluice.ringbuffer.counters;

import io.sluice.core.State;
import io.sluice.ringbuffer.monitor.RingMonitor;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a {@link CountersFile}, each with the type by which Agrona's {@code CountersReader} finds it. The label of
 * {@link #RING} is the ring's name, that of {@link #CONSUMER} the consumer's, that of {@link #FAILURE} the cause; the labels of the
 * others say all in words.
 */
public enum RingCounter {
    /** The ring's state: 0 for RUNNING, 1 for DRAINING, 2 for CLOSED, 3 for FAILED. */
    RING(0, "state", false),
    /** {@link RingMonitor#capacity}. */
    CAPACITY(1, "capacity", false),
    /** {@link RingMonitor#fill}. */
    FILL(2, "fill", false),
    /** {@link RingMonitor#published}. */
    PUBLISHED(3, "published", false),
    /** {@link RingMonitor#handled}. */
    HANDLED(4, "handled", false),
    /** {@link RingMonitor#stalls}. */
    STALLS(5, "stalls", false),
    /** {@link RingMonitor#stalledNanos}. */
    STALLED_NANOS(6, "stalledNanos", false),
    /** {@link RingMonitor#producersWaiting}. */
    PRODUCERS_WAITING(7, "producersWaiting", false),
    /** {@link RingMonitor#refused}. */
    REFUSED(8, "refused", false),
    /** {@link RingMonitor#dropped}. */
    DROPPED(9, "dropped", false),
    /** The consumer's state, as that of {@link #RING}. */
    CONSUMER(10, "state", true),
    /** {@link RingMonitor.ConsumerSample#sequence}. */
    CONSUMER_SEQUENCE(11, "sequence", true),
    /** {@link RingMonitor.ConsumerSample#lag}. */
    CONSUMER_LAG(12, "lag", true),
    /** {@link RingMonitor.ConsumerSample#handled}. */
    CONSUMER_HANDLED(13, "handled", true),
    /** {@link RingMonitor.ConsumerSample#batches}. */
    CONSUMER_BATCHES(14, "batches", true),
    /** {@link RingMonitor.ConsumerSample#batchSizeAt} 50. */
    CONSUMER_BATCH_50(15, "batchSize50", true),
    /** {@link RingMonitor.ConsumerSample#batchSizeAt} 99. */
    CONSUMER_BATCH_99(16, "batchSize99", true),
    /** {@link RingMonitor.ConsumerSample#parks}. */
    CONSUMER_PARKS(17, "parks", true),
    /** {@link RingMonitor.ConsumerSample#failures}. */
    CONSUMER_FAILURES(18, "failures", true),
    /** {@link RingMonitor.ConsumerSample#shed}. */
    CONSUMER_SHED(19, "shed", true),
    /** There once the ring has failed: its value is 1, its label {@link RingMonitor#failure}, cut to 380 bytes. */
    FAILURE(20, "failure", false);

    private static final int FIRST_TYPE = 5_701;
    private static final RingCounter[] ALL = values();

    private final int number;
    private final String title;
    private final boolean consumers;

    RingCounter(int number, String title, boolean consumers) {
        this.number = number;
        this.title = title;
        this.consumers = consumers;
    }

    /**
     * A short name, in lower camel case.
     *
     * @return the name, unique among those of rings and among those of consumers
     */
    public String title() {
        return title;
    }

    /**
     * Whether it is about a consumer.
     *
     * @return false if it is about the ring
     */
    public boolean ofConsumer() {
        return consumers;
    }

    /** Whether it is there from the beginning, not only once the ring has failed. */
    boolean isPermanent() {
        return this != FAILURE;
    }

    /** From 0, in the order of the constants. */
    int number() {
        return number;
    }

    /**
     * The type that the counter has in Agrona's terms.
     *
     * @return 5701 and following, in the order of these constants
     */
    public int typeId() {
        return FIRST_TYPE + number;
    }

    /**
     * The counter of a type.
     *
     * @param typeId any number
     * @return the counter, null if it is none of these
     */
    public static @Nullable RingCounter ofType(int typeId) {
        int at = typeId - FIRST_TYPE;
        return at >= 0 && at < ALL.length ? ALL[at] : null;
    }

    private static long code(State state) {
        return switch (state) {
            case RUNNING -> 0;
            case DRAINING -> 1;
            case CLOSED -> 2;
            case FAILED -> 3;
        };
    }

    /** The value to write. */
    long value(RingMonitor ring) {
        return switch (this) {
            case RING -> code(ring.state());
            case CAPACITY -> ring.capacity();
            case FILL -> ring.fill();
            case PUBLISHED -> ring.published();
            case HANDLED -> ring.handled();
            case STALLS -> ring.stalls();
            case STALLED_NANOS -> ring.stalledNanos();
            case PRODUCERS_WAITING -> ring.producersWaiting();
            case REFUSED -> ring.refused();
            case DROPPED -> ring.dropped();
            default -> throw new IllegalArgumentException("counter must be one of rings, but was " + this);
        };
    }

    /** The value to write. */
    long value(RingMonitor.ConsumerSample consumer) {
        return switch (this) {
            case CONSUMER -> code(consumer.state());
            case CONSUMER_SEQUENCE -> consumer.sequence();
            case CONSUMER_LAG -> consumer.lag();
            case CONSUMER_HANDLED -> consumer.handled();
            case CONSUMER_BATCHES -> consumer.batches();
            case CONSUMER_BATCH_50 -> consumer.batchSizeAt(50);
            case CONSUMER_BATCH_99 -> consumer.batchSizeAt(99);
            case CONSUMER_PARKS -> consumer.parks();
            case CONSUMER_FAILURES -> consumer.failures();
            case CONSUMER_SHED -> consumer.shed();
            default -> throw new IllegalArgumentException("counter must be one of consumers, but was " + this);
        };
    }
}
