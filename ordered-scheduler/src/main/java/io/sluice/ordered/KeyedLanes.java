package io.sluice.ordered;

import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Keeps the order of each key, and none between keys. There is a fixed number of schedulers (lanes), and a key always has the same one.
 * Keys that share a lane are ordered with each other too. A lane has its own tickets and window, so a slow key holds up only its
 * lane.
 *
 * <p>The lanes' tickets are numbered apart: lane {@code i} of {@code n} begins at {@code i * 2^57 / n}. So a ticket that is
 * completed in another lane is refused there as {@link TicketRefusedException.Reason#NOT_ISSUED}, as long as no lane has issued
 * {@code 2^57 / n} tickets. External tickets keep the numbers that they come with; if two lanes have the same number, a wrong
 * lane goes unnoticed.
 *
 * <p>Any thread may call any method.
 *
 * @param <T> the values' type
 */
public final class KeyedLanes<T> implements AutoCloseable {
    /** The most lanes: {@value}. */
    public static final int MAX_LANES = 1 << 16;

    /** The tickets of all lanes together begin below it. */
    private static final long ALL_TICKETS = (OrderedScheduler.MAX_TICKET + 1) / 2;

    private final List<OrderedScheduler<T>> lanes;

    /**
     * Makes the lanes.
     *
     * @param count how many: a power of two, 1 to {@link #MAX_LANES}
     * @param lane makes the builder of the lane with the given number, from 0; the lane is built here
     * @throws IllegalArgumentException if {@code count} is out of its range, or a builder's first ticket is not below the
     *     number of tickets of a lane, or the builder is that of a later stage
     */
    public KeyedLanes(int count, Function<Integer, OrderedSchedulerBuilder<T>> lane) {
        Check.powerOfTwo(count, 1, MAX_LANES, "count");
        long tickets = ALL_TICKETS / count;
        List<OrderedScheduler<T>> made = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            made.add(Check.notNull(lane.apply(i), "the builder").buildLane(i, tickets));
        }
        this.lanes = List.copyOf(made);
    }

    /**
     * Finds the lane of a key, by its hash code, mixed. A {@link Long}, {@link Integer}, {@link Short} or {@link Byte} has the lane that it
     * has as a {@code long}; another number, such as a {@link java.math.BigInteger}, may have another one. No allocation.
     *
     * @param key the key, not null
     * @return the scheduler; take the ticket and complete it there
     */
    public OrderedScheduler<T> lane(Object key) {
        return lane(key instanceof Long number ? (long) number : key.hashCode()); // the lane of its long
    }

    /**
     * Finds the lane of a numeric key (an instrument, an account). No allocation.
     *
     * @param key the key
     * @return the scheduler; take the ticket and complete it there
     */
    public OrderedScheduler<T> lane(long key) {
        long mixed =
                (key ^ key >>> 32) * 0x9E3779B97F4A7C15L; // Fibonacci hashing: the high bits depend on all of the key
        return lanes.get((int) (mixed >>> 40) & lanes.size() - 1);
    }

    /**
     * All lanes.
     *
     * @return an unmodifiable list
     */
    public List<OrderedScheduler<T>> lanes() {
        return lanes;
    }

    /**
     * Drains each lane, within one time limit: {@link OrderedScheduler#drain}. No lane issues tickets any more from the call on.
     *
     * @param timeoutNanos how long to wait for all of them, in nanoseconds; 0 or less: not at all
     * @return whether all were drained
     */
    public boolean drain(long timeoutNanos) {
        long limit = Math.max(0, timeoutNanos);
        long start = System.nanoTime();
        lanes.forEach(lane -> lane.delivery.shutdown.beginDrain()); // all, before one of them is waited for
        boolean all = true;
        for (OrderedScheduler<T> lane : lanes) {
            all &= lane.drain(Math.max(0, limit - (System.nanoTime() - start)));
        }
        return all;
    }

    /**
     * As {@link #drain(long)}.
     *
     * @param limit how long to wait; 0 or less: not at all
     * @return as there
     */
    public boolean drain(Duration limit) {
        return drain(Check.nanos(limit, "limit"));
    }

    /** Closes each lane: {@link OrderedScheduler#close}. */
    @Override
    public void close() {
        lanes.forEach(lane -> lane.delivery.shutdown.beginClose()); // all, before one of them is waited for
        lanes.forEach(OrderedScheduler::close);
    }
}
