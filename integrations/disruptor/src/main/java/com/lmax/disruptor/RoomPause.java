package com.lmax.disruptor;

import java.util.concurrent.locks.LockSupport;

/*
 * How a producer waits for room: it spins for less than a microsecond, since a consumer that needs its core frees nothing meanwhile; then
 * it yields, then it parks for a time that doubles to 1.28 ms with every eighth park. So a park takes at most about an eighth of the time
 * that was waited already, but for the system's own 50 us: a producer that oversleeps loses little. A fixed park of 1 ns costs a switch of
 * threads each time; with many producers at a full ring those leave the consumer no core.
 */
final class RoomPause {
    private static final int SPINS = 10;
    private static final int YIELDS = 20;

    /** The number of the first pause that is a park. */
    static final int PARKS_FROM = SPINS + YIELDS;

    private static final long FIRST_PARK_NANOS = 5_000;
    private static final int PARKS_A_DOUBLING = 8;
    private static final int DOUBLINGS = 8;

    private RoomPause() {}

    /**
     * Pauses.
     *
     * @param attempt how many pauses there were before in this wait
     * @return the number of pauses now, for the next call
     */
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    static int pause(int attempt) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else if (attempt < PARKS_FROM) {
            Thread.yield();
        } else {
            park(parkNanos(attempt - PARKS_FROM));
        }
        return attempt == Integer.MAX_VALUE ? attempt : attempt + 1;
    }

    /** How long a park is after so many parks. */
    static long parkNanos(int parks) {
        return FIRST_PARK_NANOS << Math.min(parks / PARKS_A_DOUBLING, DOUBLINGS);
    }

    /** Parks even if the thread is interrupted: a flag that is set would make each park return at once. */
    private static void park(long nanos) {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(RoomPause.class, nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
