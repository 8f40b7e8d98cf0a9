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
 * Not promised: fairness among acquirers.
 */
final class MultiWriterLimiter extends LimiterBase {
    private static final VarHandle TAKEN;
    private static final VarHandle EPOCH;

    private final int burst;
    private final long burstUnits;

    @SuppressWarnings("unused") // by TAKEN
    private long taken;

    @SuppressWarnings("unused") // by EPOCH
    private @Nullable Epoch epoch;

    private record Epoch(long origin, long base, long remainder, long rate) {
        long allowed(long now) {
            long elapsed = now - origin;
            return elapsed <= 0 ? base : base + Permits.earned(elapsed, rate, remainder);
        }
    }

    MultiWriterLimiter(NanoClock clock, int burst) {
        super(clock);
        this.burst = Permits.checkBurst(burst);
        burstUnits = (long) burst << Permits.UNIT_BITS;
        EPOCH.setRelease(this, new Epoch(0, 0, 0, Permits.UNLIMITED)); // release: the epoch's fields before it
    }

    @Override
    public boolean tryAcquire(int n) {
        Permits.checkPermits(n, burst);
        long units = (long) n << Permits.UNIT_BITS;
        while (true) {
            long before = takenAcquire();
            Epoch line = epochAcquire();
            if (line.rate == Permits.UNLIMITED) {
                return true;
            }
            if (line.rate == Permits.PAUSED) {
                return false;
            }
            long now = clock.nanoTime();
            long allowed = line.allowed(now);
            long credit = allowed - before;
            if (credit < units) {
                if (steppedBack(line, credit, now)) {
                    restart(line, now);
                    continue;
                }
                return false;
            }
            long after = (credit > burstUnits ? allowed - burstUnits : before) + units;
            if (TAKEN.compareAndSet(this, before, after)) { // the one atomic step: grants are unique
                return true;
            }
        }
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

    private Epoch epochAcquire() {
        return Objects.requireNonNull((Epoch) EPOCH.getAcquire(this)); // acquire: its fields, written before the CAS
    }

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAKEN = lookup.findVarHandle(MultiWriterLimiter.class, "taken", long.class);
            EPOCH = lookup.findVarHandle(MultiWriterLimiter.class, "epoch", Epoch.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
