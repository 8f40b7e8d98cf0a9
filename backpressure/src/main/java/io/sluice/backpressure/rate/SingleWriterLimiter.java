package io.sluice.backpressure.rate;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.NanoClock;

/*
 * One acquiring thread owns everything but the wanted rate. Any thread may set that:
 *
 *   wanted   any thread, opaque store      read opaque by the owner at each acquire, which then applies it
 *   lifted   any thread, atomic addition   twice each time the rate is unlimited, before and behind; read opaque by the owner
 *   the rest the owner, plain
 *
 * While unlimited, an acquire reads `wanted` only, and the owner takes over no rate. When the limit comes back, `lifted` tells the
 * owner that there was a time without one.
 *
 * The owner keeps a stock: what the last clock read had earned beyond what was taken, at most half the burst. Acquires are
 * served from it without a clock read. After an idle time the old stock and a new one can go out together, so each is half the
 * burst. With a burst of 1 the stock is used up by the acquire that filled it, so a stock of 1 is right there too.
 *
 * Not promised: that a new rate takes effect before the owner's next call. The time up to that call counts at the old rate.
 */
final class SingleWriterLimiter extends LimiterBase {
    private static final VarHandle WANTED =
            VarHandles.field(MethodHandles.lookup(), SingleWriterLimiter.class, "wanted", long.class);
    private static final VarHandle LIFTED =
            VarHandles.field(MethodHandles.lookup(), SingleWriterLimiter.class, "lifted", long.class);

    private final int maxStock;
    private final long maxStockUnits;
    private final boolean keepsStock;

    @SuppressWarnings("unused") // by WANTED
    private long wanted;

    @SuppressWarnings("unused") // by LIFTED
    private long lifted;

    private long rate = Permits.UNLIMITED;
    private long liftedSeen;
    private long origin;
    private long base;
    private long remainder;
    private long taken;
    private long stockUnits;

    SingleWriterLimiter(NanoClock clock, int burst) {
        super(clock);
        maxStock = Math.max(1, Permits.checkBurst(burst) / 2);
        maxStockUnits = (long) maxStock << Permits.UNIT_BITS;
        keepsStock = burst > 1;
        WANTED.setRelease(this, Permits.UNLIMITED); // release: so that whoever gets the limiter sees it unlimited
    }

    @Override
    public boolean tryAcquire(int n) {
        if (n != 1) { // one is always allowed, and what nearly all ask for
            Permits.checkPermits(n, maxStock);
        }
        // opaque: only the newest value matters, nothing hangs on it
        return (long) WANTED.getOpaque(this) == Permits.UNLIMITED || isGranted(n);
    }

    private boolean isGranted(int n) {
        long wantedRate = changedOver();
        if (wantedRate == Permits.UNLIMITED) {
            return true;
        }
        if (wantedRate == Permits.PAUSED) {
            return false;
        }
        long units = (long) n << Permits.UNIT_BITS;
        if (!keepsStock || stockUnits < units) {
            refill(clock.nanoTime());
            if (stockUnits < units) {
                return false;
            }
        }
        stockUnits -= units;
        taken += units;
        return true;
    }

    @Override
    public long nanosUntil(int n) {
        Permits.checkPermits(n, maxStock);
        long wantedRate = changedOver();
        if (wantedRate == Permits.UNLIMITED) {
            return 0;
        }
        if (wantedRate == Permits.PAUSED) {
            return Long.MAX_VALUE;
        }
        long units = (long) n << Permits.UNIT_BITS;
        if (keepsStock && stockUnits >= units) {
            return 0;
        }
        long now = clock.nanoTime();
        refill(now);
        if (stockUnits >= units) {
            return 0;
        }
        long elapsed = Math.max(0, now - origin);
        // less than the stock while the clock is behind the last refill
        long credit = base + Permits.earned(elapsed, wantedRate, remainder) - taken;
        return Math.max(0, origin - now)
                + Permits.nanosFor(units - credit, wantedRate, Permits.remainder(elapsed, wantedRate, remainder));
    }

    @Override
    public double rate() {
        return Permits.rateOf((long) WANTED.getOpaque(this)); // opaque: a monitor's read
    }

    @Override
    public int maxAcquire() {
        return maxStock;
    }

    @Override
    void rateUnits(long rateUnits) {
        if (rateUnits == Permits.UNLIMITED) {
            LIFTED.getAndAdd(this, 1L); // volatile: no addition is lost; before the rate that it counts
        }
        WANTED.setOpaque(this, rateUnits); // opaque: the owner needs the value alone, and soon
        if (rateUnits == Permits.UNLIMITED) {
            LIFTED.getAndAdd(this, 1L); // volatile: the owner may have seen the first one beside the rate before
        }
    }

    /** Brings the stock up to date: what is earned and not taken, no more than may be kept. */
    private void refill(long now) {
        long elapsed = now - origin;
        if (elapsed < 0) {
            if (elapsed < -Permits.BACKWARD_TOLERANCE) {
                restart(now);
            }
            return;
        }
        long allowed = base + Permits.earned(elapsed, rate, remainder);
        long credit = allowed - taken;
        if (credit - stockUnits < 0) { // the clock is behind the last refill
            // stock was counted when the clock was ahead: it stays, nothing is added
            if (stockUnits - credit > Permits.earned(Permits.BACKWARD_TOLERANCE, rate, 0)) {
                restart(now);
            }
            return;
        }
        if (credit > maxStockUnits) {
            taken = allowed - maxStockUnits; // what was earned while idle and may not be kept is forgotten
            credit = maxStockUnits;
        }
        stockUnits = credit;
    }

    private void restart(long now) {
        origin = now;
        remainder = 0;
        base = taken;
        stockUnits = 0;
    }

    /** Applies the wanted rate, and returns it. */
    private long changedOver() {
        long wantedRate = (long) WANTED.getOpaque(this); // opaque: as in tryAcquire
        long times = (long) LIFTED.getOpaque(this); // opaque: if it is old, the next call sees the newer one
        if (wantedRate != rate || times != liftedSeen) {
            changeOver(wantedRate, times);
        }
        return wantedRate;
    }

    private void changeOver(long newRate, long times) {
        long oldRate = times == liftedSeen ? rate : Permits.UNLIMITED;
        liftedSeen = times;
        if (newRate != Permits.UNLIMITED) {
            long now = clock.nanoTime();
            if (oldRate == Permits.UNLIMITED) {
                restart(now);
            } else {
                if (oldRate != Permits.PAUSED) {
                    refill(now);
                }
                long elapsed = now - origin;
                if (elapsed > 0) { // else the clock is behind the last change: the new rate begins there
                    base += Permits.earned(elapsed, oldRate, remainder);
                    remainder = Permits.remainder(elapsed, oldRate, remainder);
                    origin = now;
                }
            }
        }
        rate = newRate;
    }
}
