package com.lmax.disruptor;

import java.util.concurrent.locks.LockSupport;

/*
 * How a producer waits for room, and how shutdown waits for the backlog: spins, then yields, then parks for a time that
 * doubles to 1 ms. A fixed park of 1 ns costs a switch of threads each time; with many producers at a full ring those leave
 * the consumer no core.
 */
final class RoomPause {
    private static final int SPINS = 100;
    private static final int YIELDS = 20;
    private static final long FIRST_PARK_NANOS = 20_000;
    private static final int DOUBLINGS = 6;

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
        } else if (attempt < SPINS + YIELDS) {
            Thread.yield();
        } else {
            park(FIRST_PARK_NANOS << Math.min(attempt - SPINS - YIELDS, DOUBLINGS));
        }
        return attempt == Integer.MAX_VALUE ? attempt : attempt + 1;
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
