package io.sluice.backpressure.admission;

import io.sluice.core.IdleStrategies;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import io.sluice.core.check.Failures;
import io.sluice.core.check.FlightRecording;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.agrona.LangUtil;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Lets in as many requests as can be served within a latency budget, and refuses the rest at once. The bound is that of {@link
 * QueueSizing#queueLength}, with the service time that is sampled while running. It is never below the number of threads, since a
 * request that finds a free thread delays nobody. The gate stands in front of a ring or any other queue: call {@link #tryEnter} before
 * a request is queued, and {@link #exit} when it is done.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>There are never more inside than the bound at the time of entry. When the bound falls, nobody enters until enough have left.
 *   <li>The bound follows a change of the service time within 100 samples: it is that of the mean of the last 64, kept in
 *       HdrHistogram with three significant digits and looked at each 32.
 *   <li>The high mark is reported once until the low mark has been reached, and the other way round. Where the bound falls below
 *       the number inside, the first request that is refused reports the high mark. A handler and the JFR event {@code
 *       io.sluice.WaterMark} report both, one report after the other has returned. The last one says where the gate is: a thread
 *       that has made a report makes the next one too, if the other mark was reached meanwhile.
 *   <li>Every method may be called by any thread. Entering costs one successful CAS, leaving an atomic add; a sample is
 *       skipped while another thread takes one. Every 32nd sample also walks over a histogram, some microseconds. Nothing is
 *       allocated but a JFR event at a mark, and that only while it is recorded.
 * </ul>
 */
public final class AdmissionGate {
    /*
     *   inside     the requests that have entered and not left: CAS up at entry, add down at exit
     *   bound      written by the holder of the sampling flag; the marks are computed from it at each look
     *   service    the bits of the service time that the bound was computed from: written with it, read for reports only
     *   warned     BELOW the high mark, ABOVE it, or REPORTED just now: CAS to that by the reporter, so that reports come one
     *              after the other. After its report it looks at `inside` again: a crossing meanwhile is the next report.
     *              Both sides change their own word and then read the other's, all volatile, so that one of them sees it
     *   exits      counts to the next sample; increments may get lost, which shifts a sample
     *   sampling   0 or 1: a lock over the sampled times, tried by samplers, waited for by callers that ask for a percentile
     *
     * Not promised: fairness among waiters.
     */
    private static final int BELOW = 0;

    private static final int ABOVE = 1;
    private static final int REPORTED = 2;

    private static final VarHandle INSIDE =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "inside", long.class);
    private static final VarHandle BOUND =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "bound", long.class);
    private static final VarHandle SERVICE =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "service", long.class);
    private static final VarHandle WARNED =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "warned", int.class);
    private static final VarHandle EXITS =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "exits", int.class);
    private static final VarHandle SAMPLING =
            VarHandles.field(MethodHandles.lookup(), AdmissionGate.class, "sampling", int.class);

    private final NanoClock clock;
    private final long budgetNanos;
    private final int threads;
    private final int sampleEvery;
    private final double highMark;
    private final double lowMark;
    private final WaterMarkHandler handler;

    private final ServiceTimes times; // its contents: under the sampling flag

    @SuppressWarnings("unused") // by INSIDE
    private long inside;

    @SuppressWarnings("unused") // by BOUND
    private long bound;

    @SuppressWarnings("unused") // by SERVICE
    private long service;

    @SuppressWarnings("unused") // by WARNED
    private int warned;

    @SuppressWarnings("unused") // by EXITS
    private int exits;

    @SuppressWarnings("unused") // by SAMPLING
    private int sampling;

    private AdmissionGate(Builder builder) {
        clock = builder.clock;
        budgetNanos = builder.budgetNanos;
        threads = builder.threads;
        sampleEvery = builder.sampleEvery;
        highMark = builder.high;
        lowMark = builder.low;
        handler = builder.handler;
        times = new ServiceTimes(builder.serviceNanos);
        // plain, both: before the gate is handed to anyone
        service = Double.doubleToRawLongBits(builder.serviceNanos);
        bound = boundOf(builder.serviceNanos);
    }

    /**
     * Starts to build a gate.
     *
     * @param budgetNanos what an admitted request may take, waiting and service, nanoseconds, 1 or more, and not less than {@code
     *     serviceNanos}: no request could be done in time. When the sampled service time has become longer than the budget, as many
     *     are let in as there are threads, whatever time they take
     * @param serviceNanos the service time of a request, as far as it is known before the first samples, above 0
     * @param threads that serve, 1 or more
     * @param clock for timed waits
     * @return a builder that samples every request, with marks at 70 and 50 percent and no handler
     * @throws IllegalArgumentException if an argument is out of range, NaN or infinite
     */
    public static Builder builder(long budgetNanos, double serviceNanos, int threads, NanoClock clock) {
        return new Builder(budgetNanos, serviceNanos, threads, clock);
    }

    /**
     * As {@link #builder(long, double, int, NanoClock)}.
     *
     * @param budget what an admitted request may take, waiting and service, 1 ns or more, and not less than {@code service}
     * @param service the service time of a request, as far as it is known before the first samples, 1 ns or more
     * @param threads that serve, 1 or more
     * @param clock for timed waits
     * @return a builder, as there
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static Builder builder(Duration budget, Duration service, int threads, NanoClock clock) {
        return builder(Check.nanos(budget, "budget"), (double) Check.nanos(service, "service"), threads, clock);
    }

    /** Settings of a gate. Called by: one thread. */
    public static final class Builder {
        private final long budgetNanos;
        private final double serviceNanos;
        private final int threads;
        private final NanoClock clock;
        private int sampleEvery = 1;
        private double high = 0.7;
        private double low = 0.5;
        private WaterMarkHandler handler = new WaterMarkHandler() {};

        private Builder(long budgetNanos, double serviceNanos, int threads, NanoClock clock) {
            QueueSizing.queueLength(budgetNanos, serviceNanos, threads); // checks them
            if (budgetNanos < serviceNanos) {
                throw new IllegalArgumentException(
                        "budgetNanos must be serviceNanos " + serviceNanos + " or more, but was " + budgetNanos);
            }
            this.budgetNanos = budgetNanos;
            this.serviceNanos = serviceNanos;
            this.threads = threads;
            this.clock = Check.notNull(clock, "clock");
        }

        /**
         * Samples every k-th service time only.
         *
         * @param k 1 or more
         * @return this
         * @throws IllegalArgumentException if it is below 1
         */
        public Builder sampleEvery(int k) {
            Check.inRange(k, 1, Integer.MAX_VALUE, "k");
            sampleEvery = k;
            return this;
        }

        /**
         * Sets the water marks.
         *
         * @param low part of the bound, above 0, below {@code high}
         * @param high part of the bound, at most 1
         * @param handler called when a mark is reached. What it throws reaches the caller of {@code tryEnter} or {@code enter}, who
         *     then is not inside, or that of {@code exit}, who has left
         * @return this
         * @throws IllegalArgumentException if a mark is out of range or NaN
         */
        public Builder waterMarks(double low, double high, WaterMarkHandler handler) {
            if (!(low > 0 && low < high && high <= 1)) {
                throw new IllegalArgumentException(
                        "water marks must be 0 < low < high <= 1, but low was " + low + " and high " + high);
            }
            this.low = low;
            this.high = high;
            this.handler = Check.notNull(handler, "handler");
            return this;
        }

        /**
         * Builds it.
         *
         * @return an empty gate
         */
        public AdmissionGate build() {
            return new AdmissionGate(this);
        }
    }

    /**
     * Enters if there is room. Never blocks.
     *
     * @return {@link Admission#ADMITTED} or {@link Admission#BUSY_FULL}
     */
    public Admission tryEnter() {
        while (true) {
            long most = bound();
            long before = insideAcquire();
            if (before >= most) {
                highWater(before, most); // the bound may have fallen below those inside: nobody crosses the mark then
                return Admission.BUSY_FULL;
            }
            double high = highFrom(most); // first: behind the step that takes the place the stack may end
            if (INSIDE.compareAndSet(this, before, before + 1)) { // the one atomic step: no more than the bound get in
                if (before + 1 >= high) {
                    try {
                        highWater(before + 1, most);
                    } catch (Throwable thrown) { // the caller gets that instead of a place
                        long left;
                        do { // CAS, as above: an addition goes deeper, and there may be no stack for it
                            left = insideAcquire() - 1;
                        } while (!INSIDE.compareAndSet(this, left + 1, left));
                        try {
                            lookForLowWater(left);
                        } catch (Throwable later) {
                            Failures.suppress(thrown, later);
                        }
                        throw thrown;
                    }
                }
                return Admission.ADMITTED;
            }
        }
    }

    /**
     * Enters, waiting for room.
     *
     * @param timeoutNanos how long to wait at most; 0 for one try; {@link Long#MAX_VALUE} for as long as it takes
     * @param idle what to do between two tries
     * @return admitted, timed out, or interrupted
     * @throws IllegalArgumentException if {@code timeoutNanos} is negative, or {@code idle} one that has to be
     *     signalled
     */
    public Admission enter(long timeoutNanos, IdleStrategy idle) {
        Check.notNull(idle, "idle");
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        IdleStrategies.checkWakesByItself(idle, "idle", "who waits for room");
        if (tryEnter().admitted()) {
            return Admission.ADMITTED;
        }
        long start = clock.nanoTime();
        idle.reset();
        while (true) {
            if (Thread.currentThread().isInterrupted()) {
                return Admission.BUSY_INTERRUPTED;
            }
            if (clock.nanoTime() - start >= timeoutNanos) {
                return Admission.BUSY_TIMED_OUT;
            }
            idle.idle();
            if (tryEnter().admitted()) {
                return Admission.ADMITTED;
            }
        }
    }

    /**
     * Leaves, and tells how long the service took, without the waiting.
     *
     * @param serviceNanos 0 or more; more than an hour counts as one
     * @throws IllegalArgumentException if it is negative; the place is given back all the same
     * @throws IllegalStateException if nobody is inside
     */
    public void exit(long serviceNanos) {
        exit();
        Check.inRange(serviceNanos, 0, Long.MAX_VALUE, "serviceNanos");
        int count = (int) EXITS.getOpaque(this) + 1; // opaque: a lost increment only shifts a sample
        if (count < sampleEvery) {
            EXITS.setOpaque(this, count); // opaque: as above
            return;
        }
        EXITS.setOpaque(this, 0); // opaque: as above
        sample(serviceNanos);
    }

    /**
     * Leaves without a sample, for a request that was not served.
     *
     * @throws IllegalStateException if nobody is inside
     */
    public void exit() {
        long left = (long) INSIDE.getAndAdd(this, -1L) - 1; // volatile: what was done inside is before who enters next
        if (left < 0) {
            INSIDE.getAndAdd(this, 1L);
            throw new IllegalStateException("exit() must follow an entry, but nobody is inside");
        }
        lookForLowWater(left);
    }

    private void lookForLowWater(long left) {
        if ((int) WARNED.getVolatile(this)
                == ABOVE) { // volatile: after `inside`; a reporter reads them the other way round
            long most = bound();
            if (isLow(left, most)) {
                report(false, left, most);
            }
        }
    }

    /**
     * How many may be inside.
     *
     * @return the number of threads or more
     */
    public long bound() {
        return (long) BOUND.getOpaque(this); // opaque: a number by itself, soon the newest
    }

    /**
     * How many are inside.
     *
     * @return 0 or more
     */
    public long inside() {
        return Math.max(0, insideAcquire());
    }

    /**
     * The service time that the bound is computed from: the mean of the last 64 samples.
     *
     * @return nanoseconds
     */
    public double serviceNanos() {
        return Double.longBitsToDouble((long) SERVICE.getOpaque(this)); // opaque: a number by itself
    }

    /**
     * A percentile of the last 32 to 63 samples, to see whether service times are in their range. For monitors: it waits for
     * a thread that is at a sample, and samples are skipped meanwhile.
     *
     * @param percent 0 to 100
     * @return nanoseconds, to three significant digits; the service time that the gate was built with before the first sample
     * @throws IllegalArgumentException if {@code percent} is out of range or NaN
     */
    public double serviceNanosAtPercentile(double percent) {
        if (!(percent >= 0 && percent <= 100)) {
            throw new IllegalArgumentException("percent must be from 0 to 100, but was " + percent);
        }
        while (!SAMPLING.compareAndSet(this, 0, 1)) { // taken: its holder needs microseconds
            Thread.onSpinWait();
        }
        try {
            return times.percentile(percent);
        } finally {
            SAMPLING.setRelease(this, 0); // release: pairs with the next holder's CAS
        }
    }

    /**
     * When a refused request may find room: when the requests above three quarters of the bound have left.
     *
     * @return nanoseconds, 1 or more
     */
    public long retryAfterNanos() {
        long most = bound();
        long leave = Math.max(1, insideAcquire() - (most / 4 * 3 + most % 4 * 3 / 4)); // no product passes a long
        return Math.max(1, (long) QueueSizing.latencyNanos(leave, serviceNanos(), threads));
    }

    private long boundOf(double serviceNanos) {
        return Math.max(threads, QueueSizing.queueLength(budgetNanos, serviceNanos, threads));
    }

    private void sample(long nanos) {
        if (!SAMPLING.compareAndSet(this, 0, 1)) { // lost: another thread is at a sample, this one is skipped
            return;
        }
        try {
            if (times.add(nanos)) {
                double mean = times.mean();
                times.startBatch();
                SERVICE.setOpaque(this, Double.doubleToRawLongBits(mean)); // opaque: a number by itself
                BOUND.setOpaque(this, boundOf(mean)); // opaque: as above
            }
        } finally {
            SAMPLING.setRelease(this, 0); // release: the sampled times to the next holder's CAS
        }
    }

    private double highFrom(long bound) {
        return Math.max(1, Math.ceil(highMark * bound));
    }

    private boolean isLow(long now, long bound) {
        return now <= (long) (lowMark * bound);
    }

    private void highWater(long now, long bound) {
        if ((int) WARNED.getVolatile(this) == BELOW) { // volatile: after `inside`, as in exit()
            report(true, now, bound);
        }
    }

    /**
     * Reports a crossing, unless another thread has reported it, and the crossings that come meanwhile. The same frame takes the mark and
     * gives it back, by the same call. So if the end of the stack cuts off the code in between, there is enough stack to give it back.
     */
    private void report(boolean high, long now, long bound) {
        boolean above = high;
        long in = now;
        long most = bound;
        @Nullable Throwable failure = null;
        if (!WARNED.compareAndSet(this, above ? BELOW : ABOVE, REPORTED)) { // CAS: one reporter for each crossing
            return;
        }
        while (true) {
            @Nullable Throwable thrown = null;
            try {
                tell(above, in, most);
            } catch (Throwable t) { // the other mark may have been reached meanwhile, all the same
                thrown = t;
            }
            WARNED.compareAndSet(this, REPORTED, above ? ABOVE : BELOW); // CAS: see above; before the look at `inside`
            if (thrown != null) {
                failure = failure == null ? thrown : Failures.suppress(failure, thrown);
            }
            most = bound();
            in = (long) INSIDE.getVolatile(this); // volatile: after `warned`
            if (!(above ? isLow(in, most) : in >= highFrom(most))
                    || !WARNED.compareAndSet(this, above ? ABOVE : BELOW, REPORTED)) { // one reporter of each
                break;
            }
            above = !above;
        }
        if (failure != null) {
            LangUtil.rethrowUnchecked(failure);
        }
    }

    /** The handler hears of it also where there is no memory for an event. */
    private void tell(boolean above, long now, long bound) {
        try {
            event(above, now, bound);
        } finally {
            if (above) {
                handler.onHighWater(now, bound);
            } else {
                handler.onLowWater(now, bound);
            }
        }
    }

    /** Touches no event class before somebody records: the thread that crosses a mark has a request in hand. */
    private static void event(boolean high, long now, long bound) {
        if (FlightRecording.isUsed()) {
            WaterMarkEvent event = new WaterMarkEvent();
            event.high = high;
            event.inside = now;
            event.bound = bound;
            event.commit();
        }
    }

    private long insideAcquire() {
        return (long) INSIDE.getAcquire(this); // acquire: the newest count, for the CAS
    }
}
