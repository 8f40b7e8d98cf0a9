package io.sluice.backpressure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/*
 * Two words:
 *
 *   taken   units granted so far, by CAS of any acquirer; raised over what was earned while idle and may not be kept
 *   epoch   an immutable line (origin, base, rate) that says what is allowed when; replaced by CAS when the rate changes
 *
 * A grant: allowed = epoch(now); taken' = max(taken, allowed - burst) + n; if taken' <= allowed, CAS taken. The allowed count
 * runs on without a step from one epoch to the next, so a grant computed from the epoch before is right for its time, and
 * debt and stock survive a change of rate because they are the difference of the two.
 *
 * Since nothing is ever granted ahead of time, taken > allowed means that this thread's clock read is older than another's,
 * or that the clock stepped back. By more than a second: a new epoch begins where taken is.
 *
 * What two contending threads pay is the way of taken's cache line. So it has no neighbours; at first the clock is read before
 * it, once for all tries, since others would come in between; and it is read by an addition of nothing, which fetches the line to
 * be written, where a plain read would fetch it once to be read and the CAS once more.
 *
 * Not promised: fairness among acquirers.
 */
abstract class MultiWriterShared extends LimiterBase {
    static final VarHandle EPOCH;

    final int burst;
    final long burstUnits;

    @SuppressWarnings("unused") // by EPOCH
    private MultiWriterLimiter.@Nullable Epoch epoch;

    MultiWriterShared(NanoClock clock, int burst) {
        super(clock);
        this.burst = Permits.checkBurst(burst);
        burstUnits = (long) burst << Permits.UNIT_BITS;
    }

    static {
        try {
            EPOCH = MethodHandles.lookup()
                    .findVarHandle(MultiWriterShared.class, "epoch", MultiWriterLimiter.Epoch.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

abstract class MultiWriterBefore extends MultiWriterShared {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;

    MultiWriterBefore(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

abstract class MultiWriterTaken extends MultiWriterBefore {
    static final VarHandle TAKEN;

    @SuppressWarnings("unused") // by TAKEN
    private long taken;

    MultiWriterTaken(NanoClock clock, int burst) {
        super(clock, burst);
    }

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(MultiWriterTaken.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

abstract class MultiWriterAfter extends MultiWriterTaken {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    MultiWriterAfter(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

/** See the overview above. */
final class MultiWriterLimiter extends MultiWriterAfter {
    record Epoch(long origin, long base, long remainder, long rate) {
        long allowed(long now) {
            long elapsed = now - origin;
            return elapsed <= 0 ? base : base + Permits.earned(elapsed, rate, remainder);
        }
    }

    MultiWriterLimiter(NanoClock clock, int burst) {
        super(clock, burst);
        EPOCH.setRelease(this, new Epoch(0, 0, 0, Permits.UNLIMITED)); // release: the epoch's fields before it
    }

    @Override
    public boolean tryAcquire(int n) {
        Permits.checkPermits(n, burst);
        long units = (long) n << Permits.UNIT_BITS;
        Epoch line = epochAcquire();
        if (line.rate == Permits.UNLIMITED) {
            return true;
        }
        return isGrantedAtOnce(line, units) || isGranted(units);
    }

    /**
     * Grants, if it can be told so with a clock that was read before the count. Others may have taken in between, with a later
     * clock: so it grants what was there when the last of them took, or when the clock was read; but never refuses for sure.
     */
    @SuppressWarnings("ReferenceEquality") // an epoch is replaced as a whole
    private boolean isGrantedAtOnce(Epoch line, long units) {
        if (line.rate == Permits.PAUSED) {
            return false;
        }
        long allowed = line.allowed(clock.nanoTime());
        while (true) {
            long before = takenToBeChanged();
            long credit = allowed - before;
            if (credit < units || epochAcquire() != line) { // so that the epoch is no older than the count
                return false;
            }
            if (TAKEN.compareAndSet(this, before, raised(before, credit) + units)) { // CAS: grants are unique
                return true;
            }
        }
    }

    /** Grants or refuses, the count read before the clock: what is refused was not there when the clock was read. */
    private boolean isGranted(long units) {
        while (true) {
            long before = takenToBeChanged(); // before the epoch, so that the epoch is no older
            Epoch line = epochAcquire();
            if (line.rate == Permits.UNLIMITED) {
                return true;
            }
            if (line.rate == Permits.PAUSED) {
                return false;
            }
            long now = clock.nanoTime();
            long credit = line.allowed(now) - before;
            if (credit < units) {
                if (steppedBack(line, credit, now)) {
                    restart(line, now);
                    continue;
                }
                return false;
            }
            if (TAKEN.compareAndSet(this, before, raised(before, credit) + units)) { // CAS: grants are unique
                return true;
            }
        }
    }

    /** The count, raised over what was earned while idle and may not be kept. */
    private long raised(long before, long credit) {
        return credit > burstUnits ? before + credit - burstUnits : before;
    }

    @Override
    public long nanosUntil(int n) {
        Permits.checkPermits(n, burst);
        long before = takenAcquire();
        Epoch line = epochAcquire();
        if (line.rate == Permits.UNLIMITED) {
            return 0;
        }
        if (line.rate == Permits.PAUSED) {
            return Long.MAX_VALUE;
        }
        long now = clock.nanoTime();
        long missing = ((long) n << Permits.UNIT_BITS) - (line.allowed(now) - before);
        return missing <= 0
                ? 0
                : Permits.nanosFor(
                        missing,
                        line.rate,
                        Permits.remainder(Math.max(0, now - line.origin), line.rate, line.remainder));
    }

    @Override
    public double rate() {
        return Permits.rateOf(epochAcquire().rate);
    }

    @Override
    public int maxAcquire() {
        return burst;
    }

    @Override
    void rateUnits(long rateUnits) {
        while (true) {
            Epoch line = epochAcquire();
            if (line.rate == rateUnits) {
                return;
            }
            long now = clock.nanoTime();
            Epoch next;
            if (line.rate == Permits.UNLIMITED) {
                next = new Epoch(now, takenAcquire(), 0, rateUnits); // nothing was counted: start with an empty stock
            } else if (rateUnits == Permits.UNLIMITED || line.rate == Permits.PAUSED) {
                next = new Epoch(now, line.base, line.remainder, rateUnits);
            } else if (now - line.origin <= 0 && now - line.origin >= -Permits.BACKWARD_TOLERANCE) {
                next = new Epoch(line.origin, line.base, line.remainder, rateUnits); // a read older than the epoch
            } else {
                long elapsed = Math.max(0, now - line.origin);
                next = new Epoch(
                        now, line.allowed(now), Permits.remainder(elapsed, line.rate, line.remainder), rateUnits);
            }
            if (EPOCH.compareAndSet(this, line, next)) { // volatile: the new line's fields before it, for epochAcquire
                return;
            }
        }
    }

    private static boolean steppedBack(Epoch line, long credit, long now) {
        return now - line.origin < -Permits.BACKWARD_TOLERANCE
                || -credit > Permits.earned(Permits.BACKWARD_TOLERANCE, line.rate, 0);
    }

    private void restart(Epoch line, long now) {
        EPOCH.compareAndSet(
                this, line, new Epoch(now, takenAcquire(), 0, line.rate)); // lost: another did it, look again
    }

    private long takenAcquire() {
        return (long) TAKEN.getAcquire(this); // acquire: read before the epoch, so that the epoch is no older
    }

    private long takenToBeChanged() {
        return (long) TAKEN.getAndAdd(this, 0L); // volatile: a read that takes the line along, for the CAS
    }

    private Epoch epochAcquire() {
        return Objects.requireNonNull((Epoch) EPOCH.getAcquire(this)); // acquire: its fields, written before the CAS
    }
}
