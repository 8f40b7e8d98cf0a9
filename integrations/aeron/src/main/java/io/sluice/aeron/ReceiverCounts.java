package io.sluice.aeron;

import io.sluice.core.OpaqueCounters;

/** The counters of a receiver. The receiver's thread adds; any thread reads. */
abstract class ReceiverCounts {
    static final int RECEIVED = 0;
    static final int HELD = 1;
    static final int MISSING = 2;
    static final int REPEATED = 3;
    static final int BAD = 4;
    static final int GONE = 5;

    final OpaqueCounters counts = new OpaqueCounters(GONE + 1);

    /**
     * Messages that the sink took. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long received() {
        return counts.get(RECEIVED);
    }

    /**
     * How often a message was left with Aeron, since the sink was full, a gap not filled, or another session of the sender not read. Any
     * thread; a recent value.
     *
     * @return 0 or more
     */
    public long held() {
        return counts.get(HELD);
    }

    /**
     * Numbers that never came. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long missing() {
        return counts.get(MISSING);
    }

    /**
     * Messages that were passed over, since their number had come before. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long repeated() {
        return counts.get(REPEATED);
    }

    /**
     * Messages that the sink could not understand. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long bad() {
        return counts.get(BAD);
    }

    /**
     * Sessions that are gone. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long gone() {
        return counts.get(GONE);
    }
}
