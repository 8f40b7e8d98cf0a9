package io.sluice.backpressure.rate;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/*
 * Two words:
 *
 *   count   what was taken (upper 44 bits, in permits) and the stock (lower 20 bits, signed); any acquirer changes it
 *   line    immutable (origin, base, rate): what is allowed at which time; a change of the rate replaces it by CAS
 *
 * The stock holds permits that were earned when the clock was read last. It is counted as taken already, and any acquirer may use
 * it; it is at most half the burst. One addition takes one permit of it, without a clock read. A stock below zero is no stock: it
 * counts the acquirers that found none. Such an addition takes nothing, so nobody has to give anything back. Taken and stock are
 * one word, so at each moment a permit is in one of them and never on its way.
 *
 * A grant beyond the stock: credit = allowed(now) - taken, and at most what the burst leaves beside the stock. If stock and credit
 * are enough, one CAS takes the permits and fills the stock with the rest of the credit. The order of the reads is count, clock,
 * line. So a refused permit was not there when the clock was read, and the line is neither older than the count nor than the time.
 *
 * After an idle time the old stock and the whole credit can go out together: that is the burst. One acquire may ask for the whole
 * credit at most, so it finds that many, whatever part of them is in stock.
 *
 * A new line begins where the old one is, so debt and stock survive a change of rate, and a grant computed from the old line is
 * right for its time. Credit above its maximum is forgotten by changing the count, never by changing the line, so a grant computed
 * from the old count fails. Where a new line does not continue the old one (after a time without a limit, and after the clock stepped
 * back), the count changes first, so every grant computed before it fails.
 *
 * Taken is kept modulo 2^44, which is two days at the highest rate. Each change of rate replaces the line, and so does an acquirer
 * once the line has earned 2^40 permits; the new line begins with no more than the maximum credit. Nobody has used
 * a line that has earned 2^42 permits for long, so its credit is at the maximum.
 *
 * Nothing is granted ahead of time. So a credit below zero means that another thread has read the clock later, or that the clock
 * stepped back. If it is more than a second, a new line begins at taken.
 *
 * Not promised: fairness among acquirers.
 */
abstract class MultiWriterLine extends LimiterBase {
    static final VarHandle LINE =
            VarHandles.field(MethodHandles.lookup(), MultiWriterLine.class, "line", MultiWriterLimiter.RateLine.class);

    final int maxStock;
    final int maxCredit;

    @SuppressWarnings("unused") // by LINE
    private MultiWriterLimiter.@Nullable RateLine line;

    MultiWriterLine(NanoClock clock, int burst) {
        super(clock);
        maxStock = Math.min(Permits.checkBurst(burst) / 2, TakenAndStock.MAX_STOCK);
        maxCredit = burst - maxStock;
    }
}

abstract class MultiWriterBefore extends MultiWriterLine {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;

    MultiWriterBefore(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

abstract class MultiWriterCount extends MultiWriterBefore {
    static final VarHandle COUNT =
            VarHandles.field(MethodHandles.lookup(), MultiWriterCount.class, "count", long.class);

    @SuppressWarnings("unused") // by COUNT
    private long count;

    MultiWriterCount(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

abstract class MultiWriterAfter extends MultiWriterCount {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    MultiWriterAfter(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

/** See the overview above. */
final class MultiWriterLimiter extends MultiWriterAfter {
    /** A line that has earned so many units is replaced, before credit could be mistaken for debt. */
    private static final long RENEWED_AFTER = 1L << (40 + Permits.UNIT_BITS);

    /** A line that has earned so many units was unused for longer than it takes to reach the maximum credit. */
    private static final long IDLE_AFTER = RENEWED_AFTER << 2;

    record RateLine(long origin, long base, long remainder, long rate) {
        long allowed(long now) {
            return base + earned(now);
        }

        long earned(long now) {
            long elapsed = now - origin;
            return elapsed <= 0 ? 0 : Permits.earned(elapsed, rate, remainder);
        }
    }

    MultiWriterLimiter(NanoClock clock, int burst) {
        super(clock, burst);
        LINE.setRelease(this, new RateLine(0, 0, 0, Permits.UNLIMITED)); // release: the line's fields before it
    }

    @Override
    public boolean tryAcquire(int n) {
        Permits.checkPermits(n, maxCredit);
        long rate = lineAcquire().rate;
        if (rate == Permits.UNLIMITED) {
            return true;
        }
        if (rate == Permits.PAUSED) {
            return false;
        }
        return n == 1 ? isOneGranted() : isGranted(n, countAcquire());
    }

    private boolean isOneGranted() {
        long before = (long) COUNT.getAndAdd(this, -1L); // volatile: one of the stock has one owner
        return TakenAndStock.inStock(before) > 0 || isGranted(1, before - 1);
    }

    /**
     * Grants or refuses.
     *
     * @param read the count, read in this call
     */
    private boolean isGranted(int n, long read) {
        long count = read;
        while (true) {
            if (TakenAndStock.inStock(count) >= n) {
                if (COUNT.compareAndSet(this, count, count - n)) { // CAS: as in isOneGranted
                    return true;
                }
                count = countAcquire();
                continue;
            }
            long now = clock.nanoTime(); // after the count: what is refused was not there now
            RateLine line = lineAcquire(); // after both
            if (line.rate == Permits.UNLIMITED) {
                return true;
            }
            if (line.rate == Permits.PAUSED) {
                return false;
            }
            long credit = TakenAndStock.credit(line.allowed(now), count);
            if (line.earned(now) >= RENEWED_AFTER) {
                continueLine(line, now, line.rate, count);
            } else if (TakenAndStock.inStock(count) + (credit >> Permits.UNIT_BITS) >= n) {
                if (COUNT.compareAndSet(this, count, afterGrant(n, credit, count))) { // CAS: grants are unique
                    return true;
                }
            } else if (hasSteppedBack(line, credit, now)) {
                restartLine(line, now, line.rate, count);
            } else {
                clearStock(count);
                return false;
            }
            count = countAcquire();
        }
    }

    /** The count after a grant of more than the stock: the rest of the credit is the next stock. */
    private long afterGrant(int n, long credit, long count) {
        // credit above the maximum is forgotten
        long taken = n - TakenAndStock.inStock(count) + excess(credit);
        long stock = Math.max(0, Math.min(maxStock, (credit >> Permits.UNIT_BITS) - taken));
        return TakenAndStock.of(TakenAndStock.taken(count) + taken + stock, stock);
    }

    /** Permits by which the credit exceeds its maximum, rounded up. */
    private long excess(long credit) {
        long units = credit - ((long) maxCredit << Permits.UNIT_BITS);
        return units <= 0 ? 0 : (units + Permits.UNITS - 1) >> Permits.UNIT_BITS;
    }

    /** Sets a stock that is far below zero to zero. */
    private void clearStock(long read) {
        long count = read;
        while (TakenAndStock.isFarBelow(count)) {
            // CAS: permits that others took or filled in between stay
            if (COUNT.compareAndSet(this, count, TakenAndStock.of(TakenAndStock.taken(count), 0))) {
                return;
            }
            count = countAcquire();
        }
    }

    @Override
    public long nanosUntil(int n) {
        Permits.checkPermits(n, maxCredit);
        long count = countAcquire();
        RateLine line = lineAcquire();
        if (line.rate == Permits.UNLIMITED) {
            return 0;
        }
        if (line.rate == Permits.PAUSED) {
            return Long.MAX_VALUE;
        }
        long now = clock.nanoTime();
        long missing = n - TakenAndStock.inStock(count);
        if (missing <= 0 || line.earned(now) >= IDLE_AFTER) {
            return 0;
        }
        long credit = TakenAndStock.credit(line.allowed(now), count);
        long units = (missing << Permits.UNIT_BITS) - credit;
        if (units <= 0) {
            return 0;
        }
        if (hasSteppedBack(line, credit, now)) {
            restartLine(line, now, line.rate, count); // as an acquire would; if this fails, the next call does it
            return Permits.nanosFor((long) n << Permits.UNIT_BITS, line.rate, 0);
        }
        return Math.max(0, line.origin - now)
                + Permits.nanosFor(
                        units, line.rate, Permits.remainder(Math.max(0, now - line.origin), line.rate, line.remainder));
    }

    @Override
    public double rate() {
        return Permits.rateOf(lineAcquire().rate);
    }

    @Override
    public int maxAcquire() {
        return maxCredit;
    }

    @Override
    void rateUnits(long rateUnits) {
        while (true) {
            long now = clock.nanoTime();
            // volatile: a read that takes the line along, since acquirers may change it every few nanoseconds
            long count = (long) COUNT.getAndAdd(this, 0L);
            RateLine line = lineAcquire(); // after both
            if (line.rate == rateUnits) {
                return;
            }
            boolean changed;
            if (line.rate == Permits.UNLIMITED) { // nothing was counted
                changed = restartLine(line, now, rateUnits, count);
            } else if (rateUnits == Permits.UNLIMITED) {
                changed = replaceLine(line, new RateLine(now, line.base, line.remainder, rateUnits));
            } else {
                changed = continueLine(line, now, rateUnits, count);
            }
            if (changed) {
                return;
            }
        }
    }

    /** Replaces the line by one that continues it, with no more than the maximum credit. False: read everything again. */
    private boolean continueLine(RateLine line, long now, long rate, long count) {
        long elapsed = now - line.origin;
        if (elapsed <= 0 && elapsed >= -Permits.BACKWARD_TOLERANCE) { // a clock read older than the line
            return replaceLine(line, new RateLine(line.origin, line.base, line.remainder, rate));
        }
        long allowed = line.allowed(now);
        if (line.earned(now) >= IDLE_AFTER || excess(TakenAndStock.credit(allowed, count)) > 0) {
            // CAS: before the line changes, so that a grant by the old line has forgotten it too, or fails
            if (!COUNT.compareAndSet(this, count, TakenAndStock.withCredit(maxCredit, allowed, count))) {
                return false;
            }
        }
        long remainder = Permits.remainder(Math.max(0, elapsed), line.rate, line.remainder);
        return replaceLine(line, new RateLine(now, allowed, remainder, rate));
    }

    /** Replaces the line by one that begins at taken, with nothing in stock. False: read everything again. */
    private boolean restartLine(RateLine line, long now, long rate, long count) {
        long begin = TakenAndStock.restarted(count);
        return COUNT.compareAndSet(
                        this, count, begin) // CAS: before the line changes, so that no grant by the old line follows
                && replaceLine(line, new RateLine(now, TakenAndStock.taken(begin) << Permits.UNIT_BITS, 0, rate));
    }

    private boolean replaceLine(RateLine line, RateLine next) {
        return LINE.compareAndSet(this, line, next); // volatile: the new line's fields before it, for lineAcquire
    }

    private static boolean hasSteppedBack(RateLine line, long credit, long now) {
        return now - line.origin < -Permits.BACKWARD_TOLERANCE
                || -credit > Permits.earned(Permits.BACKWARD_TOLERANCE, line.rate, 0);
    }

    private long countAcquire() {
        return (long) COUNT.getAcquire(this); // acquire: read before the clock and the line, so that these are no older
    }

    private RateLine lineAcquire() {
        return Objects.requireNonNull((RateLine) LINE.getAcquire(this)); // acquire: its fields, written before the CAS
    }
}
