package io.sluice.backpressure.rate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/*
 * Two words:
 *
 *   count   what was taken (upper 44 bits, in permits) and the stock (lower 20, signed), changed by any acquirer
 *   epoch   an immutable line (origin, base, rate) that says what is allowed when; replaced by CAS when the rate changes
 *
 * The stock is what was taken ahead for everybody: permits that were earned when the clock was read last, at most half the
 * burst. One of them is had by one addition, without a clock read. A stock below zero is no stock: it counts those who came in
 * vain, so an addition that gets nothing takes nothing, and need not be given back. Since taken and stock are one word, permits
 * are in one of them at each moment and never on their way.
 *
 * A grant beyond the stock: credit = allowed(now) - taken, at most what the burst leaves beside the stock; if stock and credit
 * are enough, one CAS takes the permits and fills the stock with what is left of the credit. The clock is read after the count
 * and the epoch after the clock: what is refused was not there when the clock was read, and the epoch is neither older than the
 * count nor than the time.
 *
 * After an idle time the old stock and the whole credit can go out together, and that is the burst. At most the whole credit
 * may be asked for at once, so one who asks for it finds it, however it is parted.
 *
 * The allowed count runs on without a step from one epoch to the next, so debt and stock survive a change of rate, and a grant
 * that was reckoned by the epoch before is right for its time. What may not be kept of a credit is forgotten by the count, never
 * by the epoch, so that such a grant then fails. Where an epoch does not go on where the last one ended (after a time without a
 * limit, and when the clock stepped back) the count is changed before it, which lets fail what was reckoned before.
 *
 * Taken is kept modulo 2^44, which is two days at the highest rate: an epoch is replaced once it has earned 2^40 permits, and by
 * each change of rate, with a credit that is no more than it may be; where it has earned 2^42, nobody has looked for long and the
 * credit is whole.
 *
 * Since nothing is ever granted ahead of time, a credit below zero means that this thread's clock read is older than another's,
 * or that the clock stepped back. By more than a second: a new epoch begins where taken is.
 *
 * Not promised: fairness among acquirers.
 */
abstract class MultiWriterShared extends LimiterBase {
    static final VarHandle EPOCH;

    final int maxStock;
    final int maxCredit;

    @SuppressWarnings("unused") // by EPOCH
    private MultiWriterLimiter.@Nullable Epoch epoch;

    MultiWriterShared(NanoClock clock, int burst) {
        super(clock);
        maxStock = Math.min(Permits.checkBurst(burst) / 2, Count.MAX_STOCK);
        maxCredit = burst - maxStock;
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

abstract class MultiWriterCount extends MultiWriterBefore {
    static final VarHandle COUNT;

    @SuppressWarnings("unused") // by COUNT
    private long count;

    MultiWriterCount(NanoClock clock, int burst) {
        super(clock, burst);
    }

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(MultiWriterCount.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

abstract class MultiWriterAfter extends MultiWriterCount {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    MultiWriterAfter(NanoClock clock, int burst) {
        super(clock, burst);
    }
}

/** What was taken and what of it is in stock, in one {@code long}. */
final class Count {
    private static final int STOCK_BITS = 20;

    static final int MAX_STOCK = 1 << (STOCK_BITS - 2);

    /** From here on a refused acquirer sets the stock to none. Its range ends at -2^19: 393,000 threads further. */
    private static final int MANY_IN_VAIN = -(1 << (STOCK_BITS - 3));

    private static final int CREDIT_SHIFT = STOCK_BITS - Permits.UNIT_BITS; // credit in units, modulo as taken is

    private Count() {}

    static long of(long taken, long stock) {
        return (taken << STOCK_BITS) + stock;
    }

    private static long stock(long count) {
        return count << (Long.SIZE - STOCK_BITS) >> (Long.SIZE - STOCK_BITS);
    }

    /** What may be had of the stock. */
    static long inStock(long count) {
        return Math.max(0, stock(count));
    }

    /** In permits, modulo 2^44. */
    static long taken(long count) {
        return (count - stock(count)) >> STOCK_BITS;
    }

    static boolean isFarBelow(long count) {
        return stock(count) < MANY_IN_VAIN;
    }

    /** The count with another epoch that begins where taken is: no stock, and one more taken so that it differs from before. */
    static long anew(long count) {
        return of(taken(count) + 1, 0);
    }

    /** The count of which nothing is missing of so much credit, in permits: what is allowed beyond that is forgotten. */
    static long withCredit(long credit, long allowed, long count) {
        return of(((allowed + Permits.UNITS - 1) >> Permits.UNIT_BITS) - credit, stock(count));
    }

    /** What is allowed beyond what was taken, in units. */
    static long credit(long allowed, long count) {
        return (allowed - (taken(count) << Permits.UNIT_BITS)) << CREDIT_SHIFT >> CREDIT_SHIFT;
    }
}

/** See the overview above. */
final class MultiWriterLimiter extends MultiWriterAfter {
    /** An epoch that has earned so many units is replaced, before credit could be mistaken for debt. */
    private static final long RENEWED_AFTER = 1L << (40 + Permits.UNIT_BITS);

    /** Where an epoch has earned so many, nobody has looked at it for longer than any credit takes to be whole. */
    private static final long IDLE_AFTER = RENEWED_AFTER << 2;

    record Epoch(long origin, long base, long remainder, long rate) {
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
        EPOCH.setRelease(this, new Epoch(0, 0, 0, Permits.UNLIMITED)); // release: the epoch's fields before it
    }

    @Override
    public boolean tryAcquire(int n) {
        Permits.checkPermits(n, maxCredit);
        long rate = epochAcquire().rate;
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
        return Count.inStock(before) > 0 || isGranted(1, before - 1);
    }

    /**
     * Grants or refuses.
     *
     * @param read the count, read in this call
     */
    private boolean isGranted(int n, long read) {
        long count = read;
        while (true) {
            if (Count.inStock(count) >= n) {
                if (COUNT.compareAndSet(this, count, count - n)) { // CAS: as in isOneGranted
                    return true;
                }
                count = countAcquire();
                continue;
            }
            long now = clock.nanoTime(); // after the count: what is refused was not there now
            Epoch line = epochAcquire(); // after both
            if (line.rate == Permits.UNLIMITED) {
                return true;
            }
            if (line.rate == Permits.PAUSED) {
                return false;
            }
            long credit = Count.credit(line.allowed(now), count);
            if (line.earned(now) >= RENEWED_AFTER) {
                goOn(line, now, line.rate, count);
            } else if (Count.inStock(count) + (credit >> Permits.UNIT_BITS) >= n) {
                if (COUNT.compareAndSet(this, count, granted(n, credit, count))) { // CAS: grants are unique
                    return true;
                }
            } else if (hasSteppedBack(line, credit, now)) {
                startAnew(line, now, line.rate, count);
            } else {
                emptyStock(count);
                return false;
            }
            count = countAcquire();
        }
    }

    /** The count after a grant of more than the stock: what is left of the credit is the next stock. */
    private long granted(int n, long credit, long count) {
        // what was earned while idle and may not be kept is forgotten
        long taken = n - Count.inStock(count) + tooMuch(credit);
        long stock = Math.max(0, Math.min(maxStock, (credit >> Permits.UNIT_BITS) - taken));
        return Count.of(Count.taken(count) + taken + stock, stock);
    }

    /** By how many permits the credit is greater than it may be, rounded up. */
    private long tooMuch(long credit) {
        long units = credit - ((long) maxCredit << Permits.UNIT_BITS);
        return units <= 0 ? 0 : (units + Permits.UNITS - 1) >> Permits.UNIT_BITS;
    }

    /** Sets a stock to none that is far below, where {@code count} was read, or a later one. */
    private void emptyStock(long read) {
        long count = read;
        while (Count.isFarBelow(count)) {
            // CAS: what others took or filled in between stays
            if (COUNT.compareAndSet(this, count, Count.of(Count.taken(count), 0))) {
                return;
            }
            count = countAcquire();
        }
    }

    @Override
    public long nanosUntil(int n) {
        Permits.checkPermits(n, maxCredit);
        long count = countAcquire();
        Epoch line = epochAcquire();
        if (line.rate == Permits.UNLIMITED) {
            return 0;
        }
        if (line.rate == Permits.PAUSED) {
            return Long.MAX_VALUE;
        }
        long now = clock.nanoTime();
        long missing = n - Count.inStock(count);
        if (missing <= 0 || line.earned(now) >= IDLE_AFTER) {
            return 0;
        }
        long units = (missing << Permits.UNIT_BITS) - Count.credit(line.allowed(now), count);
        return units <= 0
                ? 0
                : Permits.nanosFor(
                        units, line.rate, Permits.remainder(Math.max(0, now - line.origin), line.rate, line.remainder));
    }

    @Override
    public double rate() {
        return Permits.rateOf(epochAcquire().rate);
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
            Epoch line = epochAcquire(); // after both
            if (line.rate == rateUnits) {
                return;
            }
            boolean changed;
            if (line.rate == Permits.UNLIMITED) { // nothing was counted
                changed = startAnew(line, now, rateUnits, count);
            } else if (rateUnits == Permits.UNLIMITED || line.rate == Permits.PAUSED) {
                changed = replace(line, new Epoch(now, line.base, line.remainder, rateUnits));
            } else {
                changed = goOn(line, now, rateUnits, count);
            }
            if (changed) {
                return;
            }
        }
    }

    /** Another line goes on where this one is now, with no more credit than may be; false: look at all again. */
    private boolean goOn(Epoch line, long now, long rate, long count) {
        long elapsed = now - line.origin;
        if (elapsed <= 0 && elapsed >= -Permits.BACKWARD_TOLERANCE) { // a read older than the epoch
            return replace(line, new Epoch(line.origin, line.base, line.remainder, rate));
        }
        long allowed = line.allowed(now);
        if (line.earned(now) >= IDLE_AFTER || tooMuch(Count.credit(allowed, count)) > 0) {
            // CAS: before the line, so that whoever grants by the one before has forgotten it too, or fails
            if (!COUNT.compareAndSet(this, count, Count.withCredit(maxCredit, allowed, count))) {
                return false;
            }
        }
        long remainder = Permits.remainder(Math.max(0, elapsed), line.rate, line.remainder);
        return replace(line, new Epoch(now, allowed, remainder, rate));
    }

    /** Another line begins where taken is, with nothing in stock; false: look at all again. */
    private boolean startAnew(Epoch line, long now, long rate, long count) {
        long begin = Count.anew(count);
        return COUNT.compareAndSet(
                        this, count, begin) // CAS: before the line, so that no grant by one before it follows
                && replace(line, new Epoch(now, Count.taken(begin) << Permits.UNIT_BITS, 0, rate));
    }

    private boolean replace(Epoch line, Epoch next) {
        return EPOCH.compareAndSet(this, line, next); // volatile: the new line's fields before it, for epochAcquire
    }

    private static boolean hasSteppedBack(Epoch line, long credit, long now) {
        return now - line.origin < -Permits.BACKWARD_TOLERANCE
                || -credit > Permits.earned(Permits.BACKWARD_TOLERANCE, line.rate, 0);
    }

    private long countAcquire() {
        return (long)
                COUNT.getAcquire(this); // acquire: read before the clock and the epoch, so that these are no older
    }

    private Epoch epochAcquire() {
        return Objects.requireNonNull((Epoch) EPOCH.getAcquire(this)); // acquire: its fields, written before the CAS
    }
}
