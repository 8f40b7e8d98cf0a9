package io.sluice.perf.flow;

/** Objects that are made beforehand, in a {@link BareRing}. */
public final class BareEvents extends BareRing {
    private final Event[] events;

    /**
     * Starts the consumer, on core 1.
     *
     * @param capacity how many events, a power of two
     */
    public BareEvents(int capacity) {
        super(capacity);
        events = new Event[capacity];
        for (int i = 0; i < capacity; i++) {
            events[i] = new Event();
        }
        start("bare-events");
    }

    @Override
    void write(long at, long value) {
        events[(int) at & (events.length - 1)].value = value;
    }

    @Override
    long read(long from, long end) {
        Event[] events = this.events;
        long all = 0;
        for (long at = from; at < end; at++) {
            all += events[(int) at & (events.length - 1)].value;
        }
        return all;
    }
}
