package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.concurrent.TimeUnit;

/** Spins for a time, yields for a time, then waits by another strategy. */
public final class PhasedBackoffWaitStrategy implements WaitStrategy {
    /** How many looks there are between two looks at the clock. */
    private static final int LOOKS = 10_000;

    private final long spinTimeoutNanos;
    private final long yieldTimeoutNanos;
    private final WaitStrategy fallbackStrategy;

    /**
     * Creates a strategy.
     *
     * @param spinTimeout how long it spins
     * @param yieldTimeout how long it yields after that
     * @param units the unit of both
     * @param fallbackStrategy how it waits after that
     */
    public PhasedBackoffWaitStrategy(
            long spinTimeout, long yieldTimeout, TimeUnit units, WaitStrategy fallbackStrategy) {
        spinTimeoutNanos = units.toNanos(spinTimeout);
        yieldTimeoutNanos = spinTimeoutNanos + units.toNanos(yieldTimeout);
        this.fallbackStrategy = Check.notNull(fallbackStrategy, "fallbackStrategy");
    }

    /**
     * Spins, yields, then waits as a {@link BlockingWaitStrategy}.
     *
     * @param spinTimeout how long it spins
     * @param yieldTimeout how long it yields after that
     * @param units the unit of both
     * @return a new strategy
     */
    public static PhasedBackoffWaitStrategy withLock(long spinTimeout, long yieldTimeout, TimeUnit units) {
        return new PhasedBackoffWaitStrategy(spinTimeout, yieldTimeout, units, new BlockingWaitStrategy());
    }

    /**
     * Spins, yields, then waits as a {@link LiteBlockingWaitStrategy}.
     *
     * @param spinTimeout how long it spins
     * @param yieldTimeout how long it yields after that
     * @param units the unit of both
     * @return a new strategy
     */
    public static PhasedBackoffWaitStrategy withLiteLock(long spinTimeout, long yieldTimeout, TimeUnit units) {
        return new PhasedBackoffWaitStrategy(spinTimeout, yieldTimeout, units, new LiteBlockingWaitStrategy());
    }

    /**
     * Spins, yields, then waits as a {@link SleepingWaitStrategy} that parks at once.
     *
     * @param spinTimeout how long it spins
     * @param yieldTimeout how long it yields after that
     * @param units the unit of both
     * @return a new strategy
     */
    public static PhasedBackoffWaitStrategy withSleep(long spinTimeout, long yieldTimeout, TimeUnit units) {
        return new PhasedBackoffWaitStrategy(spinTimeout, yieldTimeout, units, new SleepingWaitStrategy(0));
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException, TimeoutException {
        long available = dependentSequence.get();
        long start = 0;
        for (int look = 1; available < sequence; look++) {
            barrier.checkAlert();
            if (look % LOOKS == 0) {
                look = 0;
                if (start == 0) {
                    start = System.nanoTime();
                } else {
                    long waited = System.nanoTime() - start;
                    if (waited > yieldTimeoutNanos) {
                        return fallbackStrategy.waitFor(sequence, cursor, dependentSequence, barrier);
                    }
                    if (waited > spinTimeoutNanos) {
                        Thread.yield();
                        look = LOOKS - 1; // the next look is at the clock again
                    }
                }
            }
            available = dependentSequence.get();
        }
        return available;
    }

    @Override
    public void signalAllWhenBlocking() {
        fallbackStrategy.signalAllWhenBlocking();
    }
}
