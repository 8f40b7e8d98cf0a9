package io.sluice.ringbuffer.monitor;

import java.util.Map;

/**
 * A watched ring as JMX shows it, under {@code io.sluice:type=Ring,name=...}. A name that JMX would misread is quoted; a second ring of
 * the same name has {@code number=2} behind it. Each call takes a snapshot of its own. Any thread.
 */
public interface RingMXBean {
    /**
     * The ring's state.
     *
     * @return RUNNING, DRAINING, CLOSED or FAILED
     */
    String getState();

    /**
     * How many slots there are.
     *
     * @return a power of two
     */
    long getCapacity();

    /**
     * The highest sequence up to which everything is published or aborted.
     *
     * @return -1 before the first
     */
    long getCursor();

    /**
     * How far each consumer is behind.
     *
     * @return by the consumer's name, 0 to the capacity
     */
    Map<String, Long> getConsumerLags();

    /**
     * Says in words how the ring is.
     *
     * @return as {@link Watchdog#dump}
     */
    String dump();
}
