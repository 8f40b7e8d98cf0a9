package io.sluice.core;

import java.util.function.LongSupplier;

/*
 * Written at each batch by the runner's thread, which is why it stands alone on its cache lines: with the counters beside what a
 * producer reads, an event took 45 ns longer.
 */
abstract class EarnedWaitFields extends PaddingBefore {
    int events;
    int batches;
    int look = EarnedWait.STRETCH; // at how many events the clock is read
    long since;
    boolean waits;
    boolean settling; // the present stretch is the first of its step, and does not count
    EarnedWait.Step step = EarnedWait.Step.WITHOUT;
    int untilTrial = EarnedWait.FIRST_TRIAL;
    int untilTrialBehind = EarnedWait.TRIAL_BEHIND;
    boolean trialBeganBehind;
    int between = EarnedWait.FIRST_TRIAL;
    int afterChange = EarnedWait.TRIAL_AFTER_CHANGE;
    int changed; // stretches in a row that were much faster (positive) or slower (negative) than usual
    double usual;
    double without;
    double slowerWithout;
    double with;
    double lastWith;
    double lastButOneWith;
    double slowerWithoutWhenGranted;
    int checkAfter; // the present distance of checks, in stretches
    double fullSpeed; // without the wait, when it last earned something; 0 if that is not known any more
}

/*
 * Whether the wait after a batch is worth its price. A wait delays the events that come meanwhile; it pays where the producer
 * would go on at once and is held up only by a consumer at its heels. No look at one batch tells such a stream from one that
 * comes at its own pace or in bursts. A trial does: the wait has earned something only if more events were moved with it.
 *
 * Events are counted in stretches of 8192; the clock is read once a stretch. The first stretch of a step does not count: a
 * consumer that falls behind, or catches up, takes some thousand events for it, and until then goes at the pace of the step before. The
 * consumer does not wait, but for trials:
 *
 *   WITHOUT   does not wait. A trial begins 128 stretches after the start. Each trial in vain doubles the distance to the next, up
 *             to 1024 stretches. After a change (two stretches in a row that were half as fast again as usual, or slower by as
 *             much) a trial begins 8 stretches later; that distance doubles with each trial in vain too, up to 512. A rise to the
 *             speed at which the wait has earned something before begins WITH at once, with a CHECK 16 stretches later
 *   FIRST     waits, two stretches
 *   BETWEEN   does not wait, two stretches
 *   SECOND    waits, two stretches. The slower of both stretches with the wait has to be a seventh faster than the faster one of both
 *             without: a pause that the host makes can refuse a wait, but never grant one
 *   WITH      waits, until two stretches in a row are less than half as fast as usual, and slower than without the wait or less than an
 *             eighth as fast as usual. The clock is read four times a stretch, and a stretch ends as soon as it is late
 *   CHECK     does not wait, two stretches behind 256: if that is nearly as fast as usual, or as the last stretches were, the wait earns
 *             nothing any more. Each check that finds it slower doubles the distance to the next, up to 1024
 *
 * At full speed a stream may have two speeds without the wait. It is slow while the consumer is at the producer's heels. It is fast
 * while the consumer is behind, with batches of 128 and more in the mean. Either may last for one stretch or for hundreds. So a stretch
 * behind refutes nothing: it is no change, and it brings no trial nearer. BETWEEN, and a CHECK that found nothing slower, go on until a
 * stretch is not behind. Large claims look like a consumer that is behind. So another trial begins after 1024 stretches behind. It
 * compares with stretches behind. In vain, it says nothing about the other trials. A stream has two speeds with the wait too, so half
 * the usual speed alone does not end WITH.
 *
 * A stream at its own pace moves as much without the wait. So there 2 stretches of 1,026 wait in the long run, and 2 of 514 if its
 * pace changes all the time.
 */
final class EarnedWait extends EarnedWaitFields {
    enum Step {
        WITHOUT,
        FIRST,
        BETWEEN,
        SECOND,
        WITH,
        CHECK
    }

    static final int STRETCH = 8_192;
    static final int FIRST_TRIAL = 128;
    static final int LAST_TRIAL = 1_024;
    static final int TRIAL_AFTER_CHANGE = 8;
    static final int LAST_TRIAL_AFTER_CHANGE = 512;
    static final int TRIAL_BEHIND = 1_024;
    static final int CHECK_AFTER = 256;
    static final int LAST_CHECK_AFTER = 1_024;
    static final int CHECK_AFTER_RETURN = 16;

    private static final double EARNS = 1.15;
    private static final double STILL_EARNS = 1.05;
    private static final double CHANGE = 1.5;
    private static final double SLOW_DOWN = 0.5;
    private static final double CRAWL = 0.125;
    private static final double AS_BEFORE = 0.75;
    private static final int LOOKS_WITH = 4;
    private static final double SMOOTHING = 1.0 / 8;
    private static final int IN_A_ROW = 2;
    private static final int BATCH_BEHIND = 128;

    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    private final LongSupplier clock;

    /**
     * Does not wait at first.
     *
     * @param clock nanoseconds, from any start
     */
    EarnedWait(LongSupplier clock) {
        this.clock = clock;
        since = clock.getAsLong();
    }

    /**
     * Whether to wait after a batch. Costs an addition, and a look at the clock once a stretch, or four times while it waits.
     *
     * @param work how many events the batch had
     * @return whether to wait
     */
    boolean after(int work) {
        events += work;
        batches++;
        if (events >= look) {
            look();
        }
        return waits;
    }

    private void look() {
        long now = clock.getAsLong();
        double rate = events / (double) Math.max(1, now - since);
        if (events < STRETCH && rate >= usual * SLOW_DOWN) {
            look = events + STRETCH / LOOKS_WITH;
            return;
        }
        boolean behind = events >= batches * BATCH_BEHIND;
        since = now;
        events = 0;
        batches = 0;
        if (settling) {
            settling = false;
        } else {
            stretchOver(rate, behind);
        }
        look = step == Step.WITH && !settling ? STRETCH / LOOKS_WITH : STRETCH;
    }

    private void stretchOver(double rate, boolean behind) {
        switch (step) {
            case WITHOUT -> withoutOver(rate, behind);
            case FIRST -> {
                with = rate;
                goOn(Step.BETWEEN);
            }
            case BETWEEN -> {
                if (behind == trialBeganBehind) {
                    without = Math.max(without, rate);
                    slowerWithout = Math.min(slowerWithout, rate);
                    goOn(Step.SECOND);
                } else if (trialBeganBehind) {
                    enter(Step.WITHOUT);
                }
            }
            case SECOND -> {
                with = Math.min(with, rate);
                goOn(Step.WITH);
            }
            case WITH -> withOver(rate);
            case CHECK -> {
                if (rate * STILL_EARNS < Math.min(usual, Math.max(lastWith, lastButOneWith))) {
                    stillEarns(rate);
                } else if (!behind) {
                    inVain(rate);
                }
            }
        }
    }

    /** A check has found that the wait earns something still: the next one comes later. */
    private void stillEarns(double rate) {
        fullSpeed = rate;
        begin(Math.min(Math.max(checkAfter * 2, CHECK_AFTER), LAST_CHECK_AFTER));
    }

    /** The next step of a trial, unless it is clear already that the wait earns nothing. */
    private void goOn(Step next) {
        if (with <= EARNS * without) {
            if (trialBeganBehind) {
                enter(Step.WITHOUT);
            } else {
                inVain(without);
            }
        } else if (next == Step.WITH) {
            fullSpeed = without;
            slowerWithoutWhenGranted = slowerWithout;
            usual = with;
            afterChange = TRIAL_AFTER_CHANGE;
            between = FIRST_TRIAL;
            begin(CHECK_AFTER);
        } else {
            enter(next);
        }
    }

    private void beginTrial(double rate, boolean behind) {
        without = rate;
        slowerWithout = rate;
        trialBeganBehind = behind;
        enter(Step.FIRST);
    }

    private void withoutOver(double rate, boolean behind) {
        if (behind) {
            if (--untilTrialBehind <= 0) {
                untilTrialBehind = TRIAL_BEHIND;
                beginTrial(rate, true);
            }
            return;
        }
        if (usual == 0) {
            usual = rate; // the first stretch of all is no change
        }
        int direction = rate > usual * CHANGE ? 1 : rate * CHANGE < usual ? -1 : 0;
        changed = direction == 0 || changed * direction < 0 ? direction : changed + direction;
        if (changed >= IN_A_ROW && fullSpeed > 0 && rate >= fullSpeed * AS_BEFORE) {
            fullSpeed = 0; // until the check
            usual = with;
            begin(CHECK_AFTER_RETURN);
            return;
        }
        if (Math.abs(changed) >= IN_A_ROW) {
            changed = 0;
            usual = rate;
            untilTrial = Math.min(untilTrial, afterChange);
        } else if (direction == 0) {
            usual += (rate - usual) * SMOOTHING;
        }
        if (--untilTrial <= 0) {
            beginTrial(rate, false);
        }
    }

    private void withOver(double rate) {
        lastButOneWith = lastWith;
        lastWith = rate;
        boolean slow = rate < usual * SLOW_DOWN && rate < Math.max(slowerWithoutWhenGranted, usual * CRAWL);
        changed = slow ? changed - 1 : 0;
        if (changed <= -IN_A_ROW) {
            stop(rate);
            return;
        }
        if (!slow) {
            usual += (rate - usual) * SMOOTHING;
        }
        if (--untilTrial <= 0) {
            enter(Step.CHECK);
        }
    }

    /** The wait has earned nothing, by a trial or a check. */
    private void inVain(double rate) {
        if (rate >= fullSpeed * AS_BEFORE) {
            fullSpeed = 0;
        }
        afterChange = Math.min(afterChange * 2, LAST_TRIAL_AFTER_CHANGE);
        between = Math.min(between * 2, LAST_TRIAL);
        stop(rate);
    }

    private void stop(double rate) {
        usual = rate;
        changed = 0;
        untilTrial = between;
        enter(Step.WITHOUT);
    }

    private void begin(int distance) {
        changed = 0;
        checkAfter = distance;
        untilTrial = distance;
        enter(Step.WITH);
    }

    private void enter(Step next) {
        boolean will = next == Step.FIRST || next == Step.SECOND || next == Step.WITH;
        settling = will != waits;
        waits = will;
        step = next;
    }
}
