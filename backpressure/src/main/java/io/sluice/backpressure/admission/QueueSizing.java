package io.sluice.backpressure.admission;

import io.sluice.core.check.Check;
import java.time.Duration;

/**
 * How long a queue may be: Thompson's formula and Little's law. Called by: any thread; pure functions.
 *
 * <p>A request that finds {@code queueLength} requests waiting or in service waits {@code queueLength * serviceTime / threads}
 * (M. Thompson, <i>Applying Back Pressure When Overloaded</i>, 2012), so a latency budget bounds the queue.
 */
public final class QueueSizing {
    private QueueSizing() {}

    /**
     * The longest queue whose last request is done within the budget.
     *
     * @param budgetNanos latency budget, nanoseconds, 1 or more
     * @param serviceNanos mean service time of a request, nanoseconds, above 0
     * @param threads that serve, 1 or more
     * @return requests in the system, 1 or more: with less than one a thread could never be busy
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static long queueLength(long budgetNanos, double serviceNanos, int threads) {
        Check.inRange(budgetNanos, 1, Long.MAX_VALUE, "budgetNanos");
        positive("serviceNanos", serviceNanos);
        Check.inRange(threads, 1, Integer.MAX_VALUE, "threads");
        return Math.max(1, (long) (budgetNanos / (serviceNanos / threads)));
    }

    /**
     * As {@link #queueLength(long, double, int)}.
     *
     * @param budget latency budget, 1 ns or more
     * @param service mean service time of a request, 1 ns or more
     * @param threads that serve, 1 or more
     * @return requests in the system, 1 or more
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static long queueLength(Duration budget, Duration service, int threads) {
        return queueLength(Check.nanos(budget, "budget"), (double) Check.nanos(service, "service"), threads);
    }

    /**
     * The reverse: the latency of the last request of a full queue.
     *
     * @param queueLength requests in the system, 0 or more
     * @param serviceNanos mean service time of a request, nanoseconds, above 0
     * @param threads that serve, 1 or more
     * @return nanoseconds
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static double latencyNanos(long queueLength, double serviceNanos, int threads) {
        Check.inRange(queueLength, 0, Long.MAX_VALUE, "queueLength");
        positive("serviceNanos", serviceNanos);
        Check.inRange(threads, 1, Integer.MAX_VALUE, "threads");
        return serviceNanos / threads * queueLength;
    }

    /**
     * Little's law, {@code L = lambda * W}: how many are in a system.
     *
     * @param perSecond arrivals a second, above 0
     * @param nanos mean time each spends in the system, nanoseconds, above 0
     * @return mean number in the system
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static double inSystem(double perSecond, double nanos) {
        return positive("perSecond", perSecond) * positive("nanos", nanos) / 1e9;
    }

    /**
     * Little's law for the time: {@code W = L / lambda}.
     *
     * @param inSystem mean number in the system, above 0
     * @param perSecond arrivals a second, above 0
     * @return nanoseconds each spends in the system, on average
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static double timeInSystemNanos(double inSystem, double perSecond) {
        return positive("inSystem", inSystem) / positive("perSecond", perSecond) * 1e9;
    }

    /**
     * Little's law for the rate: {@code lambda = L / W}.
     *
     * @param inSystem mean number in the system, above 0
     * @param nanos mean time each spends in the system, nanoseconds, above 0
     * @return arrivals, and departures, a second
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static double throughput(double inSystem, double nanos) {
        return positive("inSystem", inSystem) * 1e9 / positive("nanos", nanos);
    }

    private static double positive(String name, double value) {
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(name + " must be finite and above 0, but was " + value);
        }
        return value;
    }
}
