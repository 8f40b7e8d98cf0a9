package io.sluice.ringbuffer;

/**
 * Makes the events that fill the ring when it is built.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventFactory<E> {
    /**
     * Makes one event. The thread that builds the ring calls it once for each slot. On a ring that {@linkplain
     * RingBufferBuilder#trackClaims tracks claims}, a thread that aborts a claim of a living owner calls it for each aborted slot. Best if
     * all events are of one class: then
     * producers know it, and a slot is not read before it is filled (25 to 40 ns an event where they come slowly, on an AMD Zen 5).
     *
     * @return a new event, never null, never the same twice
     */
    E newInstance();
}
