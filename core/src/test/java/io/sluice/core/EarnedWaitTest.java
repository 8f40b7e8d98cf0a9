package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The wait after a batch in virtual time: a producer, a consumer at its heels, and a model of what they cost each other. When does
 * the consumer wait, how long, and how soon does it stop?
 */
@Tag("once")
@Tag("any-jdk")
class EarnedWaitTest {
    private static final int CAPACITY = 65_536;
    private static final int ROOMY = CAPACITY / 4;
    private static final double HOP = 50;
    private static final double POLL = 10;
    private static final double HANDLING = 3;
    private static final double CLOSE_HANDLING = 20;
    private static final double STEP = 3;
    private static final double CLOSE_STEP = 25;
    private static final int CLOSE = 24; // within so many events of the producer both wait for cache lines
    private static final double UNIT = 25;
    private static final int SMALL = 16; // a batch

    /** When the producer would publish its next event, if nothing held it up. */
    private interface Stream {
        double due(long event, double lastPublished);
    }

    private static final Stream FLAT_OUT = (event, last) -> last;

    private static Stream paced(double millionsASecond) {
        return (event, last) -> event * 1_000 / millionsASecond;
    }

    private static Stream bursts(int size, double millionsASecond) {
        return (event, last) -> event / size * size * 1_000 / millionsASecond;
    }

    /** A consumer that handles what is there, and waits where that has earned something. */
    private static final class Model {
        boolean always; // waits after each batch, whatever that has earned
        double now;
        double producer; // when it published last
        double waited;
        long waits;
        double longest;
        long published;
        long handled;
        long late; // events that came while the consumer waited
        int burst = Integer.MAX_VALUE; // of so many events
        long lateFirsts; // of the late events, those that began a burst
        long offset; // of the present stream
        double offsetTime;
        Stream stream = FLAT_OUT;
        final List<Double> waitedAt = new ArrayList<>();
        final EarnedWait earned = new EarnedWait(() -> (long) now);

        void change(Stream next) {
            stream = next;
            offset = published;
            offsetTime = now;
            producer = now;
        }

        /** Publishes all that is published until now. */
        private void publish() {
            while (published - handled < CAPACITY) {
                double step = published - handled < CLOSE ? CLOSE_STEP : STEP;
                double due = stream == FLAT_OUT
                        ? producer
                        : offsetTime + stream.due(published - offset, producer - offsetTime);
                double at = Math.max(due, producer) + step;
                if (at > now) {
                    return;
                }
                producer = at;
                published++;
            }
            producer = Math.max(producer, now); // it waits for room
        }

        /** How many of the bursts of the present stream have begun. */
        private long firsts(long events) {
            return (events - offset + burst - 1) / burst;
        }

        void run(double nanos) {
            double end = now + nanos;
            while (now < end) {
                now += POLL + HOP;
                publish();
                long hi = published;
                int batch = (int) (hi - handled);
                if (batch == 0) {
                    continue;
                }
                while (handled < hi) {
                    now += published - handled < CLOSE ? CLOSE_HANDLING : HANDLING;
                    handled++;
                    publish();
                }
                if (earned.after(batch) || always) {
                    double wait = PollBackOff.units(batch, ROOMY, PollBackOff.MOST_UNITS) * UNIT;
                    if (wait > 0) {
                        long before = published;
                        now += wait;
                        publish();
                        late += published - before;
                        lateFirsts += firsts(published) - firsts(before);
                        waited += wait;
                        waits++;
                        longest = Math.max(longest, wait);
                        waitedAt.add(now);
                    }
                }
            }
        }

        double perSecond(double nanos) {
            long before = handled;
            double start = now;
            run(nanos);
            return (handled - before) / (now - start) * 1_000;
        }
    }

    private static final double MILLISECOND = 1e6;

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.1, 1, 2, 5, 10, 15, 20})
    void aStreamAtItsOwnPaceNeverWaits(double millionsASecond) {
        Model model = new Model();
        model.change(paced(millionsASecond));
        model.run(200 * MILLISECOND);
        assertThat(model.handled).isGreaterThan((long) (0.99 * millionsASecond * 200_000) - 1);
        assertThat(model.waited).isZero();
    }

    /** At this pace a consumer at the heels finds five events at a time, so a trial does wait: two stretches of 1,026. */
    @Test
    void aStreamOfThirtyMillionASecondWaitsInAStretchOfFiveHundredAtMost() {
        Model model = new Model();
        model.change(paced(30));
        model.run(525 * MILLISECOND); // trials in vain
        long before = model.handled;
        model.late = 0;
        model.run(1_400 * MILLISECOND); // five more
        assertThat(model.handled - before).as("it keeps up").isGreaterThan((long) (0.99 * 30 * 1_400_000));
        assertThat(model.late).as("the trials").isPositive();
        assertThat(model.late / (double) (model.handled - before)).isLessThan(1 / 500.0);
        assertThat(model.longest).isLessThanOrEqualTo(PollBackOff.MOST_UNITS * UNIT);
    }

    /** Even if the wait always is worth its price: what a burst leaves behind is over before the next one begins. */
    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1_000})
    void noWaitDelaysTheFirstEventOfABurst(int size) {
        long others = 0;
        for (double rate : new double[] {1, 5}) {
            Model model = new Model();
            model.always = true;
            model.burst = size;
            model.change(bursts(size, rate));
            model.run(100 * MILLISECOND);
            assertThat(model.lateFirsts)
                    .as("bursts of %d at %s million a second", size, rate)
                    .isZero();
            others += model.late;
        }
        assertThat(others).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1_000})
    void burstsWaitInAStretchOfFiveHundredAtMost(int size) {
        for (double rate : new double[] {1, 5}) {
            Model model = new Model();
            model.change(bursts(size, rate));
            model.run(4_000 / rate * MILLISECOND); // trials in vain
            long before = model.handled;
            model.late = 0;
            model.run(20_000 / rate * MILLISECOND);
            assertThat(model.late / (double) (model.handled - before))
                    .as("bursts of %d at %s million a second", size, rate)
                    .isLessThan(1 / 500.0);
        }
    }

    @Test
    void aStreamAtFullSpeedWaitsAndMovesMore() {
        Model never = new Model();
        never.change(paced(40)); // just what it can do without a wait
        double without = never.perSecond(10 * MILLISECOND);
        Model model = new Model();
        model.change(FLAT_OUT);
        model.run(40 * MILLISECOND);
        assertThat(model.perSecond(10 * MILLISECOND)).isGreaterThan(2.5 * without);
        assertThat(model.waits).isPositive();
        assertThat(model.longest).isLessThanOrEqualTo(PollBackOff.MOST_UNITS * UNIT);
    }

    @Test
    void theFirstTrialComesWithinTwoMillisecondsOfFullSpeed() {
        Model model = new Model();
        model.change(paced(1));
        model.run(100 * MILLISECOND);
        assertThat(model.waited).isZero();
        double start = model.now;
        model.change(FLAT_OUT);
        model.run(5 * MILLISECOND);
        assertThat(model.waitedAt).isNotEmpty();
        assertThat(model.waitedAt.get(0) - start).isLessThan(2 * MILLISECOND);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1, 5, 10})
    void aStreamThatSlowsDownEndsTheWaitAtOnce(double millionsASecond) {
        Model model = new Model();
        model.change(FLAT_OUT);
        model.run(40 * MILLISECOND);
        assertThat(model.waits).isPositive();
        model.change(paced(millionsASecond));
        model.run(20_000); // what is in the ring, and the waits that it still is worth
        model.waitedAt.clear();
        model.run(50 * MILLISECOND);
        assertThat(model.waitedAt).isEmpty();
    }

    @Test
    void fullSpeedAndAPacedStreamInTurnEachGetWhatTheyNeed() {
        Model model = new Model();
        double fast = 0;
        for (int i = 0; i < 20; i++) {
            model.change(paced(5));
            model.run(20_000);
            double before = model.waited;
            model.run(5 * MILLISECOND);
            assertThat(model.waited).isEqualTo(before);
            model.change(FLAT_OUT);
            fast += model.perSecond(5 * MILLISECOND) / 20;
        }
        assertThat(fast).isGreaterThan(80);
    }

    @Test
    void aPauseOfTheHostGrantsNoWait() {
        Model model = new Model();
        model.change(paced(10));
        for (int i = 0; i < 50; i++) {
            model.run(MILLISECOND);
            model.now += 300_000; // all stands still, and then 3,000 events are there at once
        }
        model.run(MILLISECOND);
        assertThat(model.late).isLessThan(model.handled / 100);
    }

    /** Rates by themselves, in events a nanosecond. */
    private static final class Rates {
        double now;
        final EarnedWait earned = new EarnedWait(() -> (long) now);

        /** One stretch of small batches; how many eighths of it were told to wait. */
        int stretch(double without, double with) {
            return stretch(SMALL, without, with);
        }

        /** The same, with a consumer that is behind. */
        int stretchBehind(double without, double with) {
            return stretch(EarnedWait.STRETCH / 8, without, with);
        }

        private int stretch(int batch, double without, double with) {
            int waited = 0;
            for (int events = batch; events <= EarnedWait.STRETCH; events += batch) {
                now += batch / (earned.waits ? with : without);
                if (earned.after(batch) && events % (EarnedWait.STRETCH / 8) == 0) {
                    waited++;
                }
            }
            return waited;
        }

        Rates stretches(int n, double without, double with) {
            for (int i = 0; i < n; i++) {
                stretch(without, with);
            }
            return this;
        }

        /** How many stretches it takes until it waits, or does not wait any more. */
        int until(boolean waits, double without, double with) {
            int stretches = 0;
            while (earned.waits != waits) {
                assertThat(stretches++).isLessThan(5_000);
                stretch(without, with);
            }
            return stretches;
        }

        Rates waiting() {
            stretches(EarnedWait.FIRST_TRIAL + 10, 0.04, 0.1);
            assertThat(earned.step).isEqualTo(EarnedWait.Step.WITH);
            return this;
        }
    }

    @Test
    void theFirstTrialOfASteadyStreamComesAfterAMillionEvents() {
        assertThat(new Rates().until(true, 0.02, 0.02)).isEqualTo(EarnedWait.FIRST_TRIAL);
    }

    @Test
    void aWaitThatEarnsNothingAnyMoreEndsWithTheNextCheck() {
        Rates rates = new Rates().waiting();
        int stretches = 0;
        while (rates.earned.step != EarnedWait.Step.WITHOUT) {
            rates.stretch(0.1, 0.1); // as fast either way, from now on
            assertThat(++stretches).isLessThan(EarnedWait.CHECK_AFTER + 4);
        }
        assertThat(rates.earned.waits).isFalse();
    }

    @Test
    void checksThatFindTheWaitWorthwhileComeLessAndLessOften() {
        Rates rates = new Rates().waiting();
        List<Integer> distances = new ArrayList<>();
        for (int check = 0; check < 5; check++) {
            int since = 0;
            for (; rates.earned.step == EarnedWait.Step.WITH; since++) {
                rates.stretch(0.04, 0.1);
            }
            distances.add(since);
            rates.until(true, 0.04, 0.1);
        }
        assertThat(distances.subList(1, 5)).containsExactly(513, 1_025, 1_025, 1_025); // one each does not count
        rates.stretches(20, 0.005, 0.005); // slow, so no wait any more
        rates.until(true, 0.04, 0.1);
        rates.until(false, 0.04, 0.1);
        rates.until(true, 0.04, 0.1);
        assertThat(rates.until(false, 0.04, 0.1)).isLessThanOrEqualTo(EarnedWait.CHECK_AFTER + 2);
    }

    @Test
    void oneFastStretchWithTheWaitGrantsNone() {
        Rates rates = new Rates();
        rates.until(true, 0.04, 0.04);
        rates.until(false, 0.04, 0.1); // the first stretch with the wait was fast
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.BETWEEN);
        rates.until(true, 0.04, 0.041);
        assertThat(rates.until(false, 0.04, 0.041)).isEqualTo(2); // the second was not, and decides at once
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITHOUT);
    }

    @Test
    void trialsInVainComeLessAndLessOften() {
        Rates rates = new Rates();
        int waited = 0;
        int stretches = 100_000;
        for (int i = 0; i < stretches; i++) {
            waited += rates.stretch(0.02, 0.02); // the same rate always
        }
        assertThat(waited / 8)
                .isBetween(3 * stretches / 2 / EarnedWait.LAST_TRIAL, 2 * stretches / EarnedWait.LAST_TRIAL + 20);
    }

    @Test
    void aPaceThatChangesAllTheTimeWaitsInLessThanOneStretchOfAHundred() {
        Rates rates = new Rates();
        int waited = 0;
        int stretches = 20_000;
        for (int i = 0; i < stretches; i++) {
            double pace = i / 5 % 2 == 0 ? 0.005 : 0.02;
            waited += rates.stretch(pace, pace);
        }
        assertThat(waited / 8.0).isLessThan(stretches / 100.0);
    }

    @Test
    void fullSpeedThatComesAgainIsKnownAtOnce() {
        Rates rates = new Rates().waiting();
        for (int i = 0; i < 5; i++) {
            assertThat(rates.until(false, 0.005, 0.005)).isLessThanOrEqualTo(1); // a late stretch is cut short
            rates.stretches(12, 0.005, 0.005);
            assertThat(rates.until(true, 0.04, 0.1)).isLessThanOrEqualTo(3);
            rates.stretches(20, 0.04, 0.1);
        }
    }

    @Test
    void aTrialInVainInASlowPhaseDoesNotForgetFullSpeed() {
        Rates rates = new Rates().waiting();
        rates.stretches(1_000, 0.005, 0.005);
        assertThat(rates.earned.waits).isFalse();
        assertThat(rates.until(true, 0.04, 0.1)).isLessThanOrEqualTo(3);
    }

    @Test
    void whatATrialHasRefutedIsNotRemembered() {
        Rates rates = new Rates().waiting();
        for (double pace = 0.005; pace < 0.04; pace *= 1.3) {
            rates.stretches(100, pace, pace); // so slowly that no change is seen
        }
        rates.stretches(2_000, 0.04, 0.04); // as fast as full speed was, with trials in vain
        rates.stretches(60, 0.005, 0.005);
        assertThat(rates.until(true, 0.04, 0.04)).isGreaterThan(EarnedWait.TRIAL_AFTER_CHANGE);
    }

    @Test
    void aRiseToLessThanFullSpeedWaitsForATrial() {
        Rates rates = new Rates().waiting();
        rates.stretches(20, 0.005, 0.005);
        assertThat(rates.until(true, 0.02, 0.02)).isGreaterThanOrEqualTo(EarnedWait.TRIAL_AFTER_CHANGE);
    }

    @Test
    void aPacedStreamAsFastAsFullSpeedIsToldApartByTheCheckThatComesSoon() {
        Rates rates = new Rates().waiting();
        rates.stretches(20, 0.005, 0.005);
        assertThat(rates.until(true, 0.04, 0.04)).isLessThanOrEqualTo(3); // takes it for what it was before
        int stretches = 0;
        while (rates.earned.step != EarnedWait.Step.WITHOUT) {
            rates.stretch(0.04, 0.04);
            assertThat(++stretches).isLessThanOrEqualTo(EarnedWait.CHECK_AFTER_RETURN + 5);
        }
        rates.stretches(60, 0.005, 0.005); // a trial in vain among them
        assertThat(rates.until(true, 0.04, 0.04)) // and not a second time
                .isGreaterThan(EarnedWait.TRIAL_AFTER_CHANGE);
    }

    @Test
    void aConsumerThatIsBehindBringsNoTrialNearer() {
        Rates rates = new Rates();
        rates.stretches(EarnedWait.FIRST_TRIAL - 1, 0.02, 0.2);
        for (int i = 0; i < EarnedWait.TRIAL_BEHIND - 1; i++) {
            assertThat(rates.stretchBehind(0.2, 0.2)).isZero();
        }
        assertThat(rates.until(true, 0.02, 0.2)).isEqualTo(1);
    }

    @Test
    void aConsumerThatIsBehindDuringATrialRefutesNothing() {
        Rates rates = new Rates();
        rates.until(true, 0.02, 0.2);
        rates.until(false, 0.02, 0.2);
        for (int i = 0; i < 100; i++) {
            rates.stretchBehind(0.2, 0.2); // as fast without the wait, for as long as the consumer is behind
        }
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.BETWEEN);
        assertThat(rates.until(true, 0.02, 0.2)).isLessThanOrEqualTo(2);
        rates.stretches(2, 0.02, 0.2);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
    }

    @Test
    void aTrialThatWasLongUndecidedIsDecidedByThePresent() {
        Rates rates = new Rates();
        rates.until(true, 0.02, 0.2);
        rates.until(false, 0.02, 0.2);
        for (int i = 0; i < 100; i++) {
            rates.stretchBehind(0.2, 0.2);
        }
        rates.until(true, 0.005, 0.005); // a stream at its own pace, from now on
        rates.stretches(2, 0.005, 0.005);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITHOUT);
    }

    @Test
    void aCheckGoesOnWithoutWaitingForAsLongAsTheConsumerIsBehind() {
        Rates rates = new Rates().waiting();
        while (rates.earned.step != EarnedWait.Step.CHECK) {
            rates.stretch(0.02, 0.1);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(rates.stretchBehind(0.1, 0.1)).isZero();
        }
        assertThat(rates.until(true, 0.02, 0.1)).isLessThanOrEqualTo(2);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
    }

    @Test
    void largeClaimsThatLookLikeAConsumerBehindGetTheirWaitToo() {
        Rates rates = new Rates();
        int waited = 0;
        for (int i = 0; i < 2 * EarnedWait.TRIAL_BEHIND; i++) {
            waited += rates.stretchBehind(0.1, 0.2) / 8;
        }
        assertThat(waited).isGreaterThan(EarnedWait.TRIAL_BEHIND * 9 / 10);
    }

    @Test
    void aTrialInVainWhileBehindTellsNothingAboutTheOthers() {
        Rates rates = new Rates();
        int waited = 0;
        for (int i = 0; i < 10 * EarnedWait.TRIAL_BEHIND; i++) {
            waited += rates.stretchBehind(0.2, 0.2);
        }
        assertThat(waited / 8).isBetween(10, 20);
        assertThat(rates.until(true, 0.02, 0.2)).isLessThanOrEqualTo(EarnedWait.FIRST_TRIAL);
    }

    @Test
    void aTrialThatBeganBehindEndsWithoutAVerdictIfTheConsumerCatchesUp() {
        Rates rates = new Rates();
        for (int i = 0; i < EarnedWait.TRIAL_BEHIND + 2; i++) {
            rates.stretchBehind(0.1, 0.2);
        }
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.BETWEEN);
        rates.stretches(2, 0.02, 0.2);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITHOUT);
        assertThat(rates.until(true, 0.02, 0.2)).isLessThanOrEqualTo(EarnedWait.FIRST_TRIAL);
    }

    @Test
    void aWaitThatIsFasterThanNoneGoesOnAtLessThanHalfItsUsualSpeed() {
        Rates rates = new Rates();
        rates.stretches(EarnedWait.FIRST_TRIAL + 10, 0.02, 0.2);
        for (int i = 0; i < 200; i++) {
            rates.stretchBehind(0.3, 0.3);
            rates.stretchBehind(0.3, 0.3);
            rates.stretch(0.02, 0.06);
            rates.stretch(0.02, 0.06);
            assertThat(rates.earned.step).isIn(EarnedWait.Step.WITH, EarnedWait.Step.CHECK);
        }
    }

    @Test
    void aStreamThatReturnsToFullSpeedAndSlowsDownBeforeTheCheckEndsTheWaitToo() {
        Rates rates = new Rates().waiting();
        for (int i = 0; i < 5; i++) {
            rates.until(false, 0.005, 0.005);
            rates.until(true, 0.04, 0.1);
            rates.stretches(5, 0.04, 0.1); // the check has not come yet
        }
        assertThat(rates.until(false, 0.005, 0.005)).isLessThanOrEqualTo(1);
    }

    @Test
    void aPauseInATrialDoesNotKeepTheWaitWhenTheStreamSlowsDown() {
        Rates rates = new Rates();
        rates.until(true, 0.04, 0.4);
        rates.until(false, 0.04, 0.4);
        rates.stretch(0.04, 0.4);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.BETWEEN);
        rates.now += 100_000_000; // all stands still in the stretch that counts
        rates.until(true, 0.04, 0.4);
        rates.stretches(4, 0.04, 0.4);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
        assertThat(rates.until(false, 0.01, 0.01)).isLessThanOrEqualTo(1);
    }

    @Test
    void aStreamThatIsSlowerThanWithoutTheWaitHasSlowedDown() {
        Rates rates = new Rates().waiting();
        assertThat(rates.until(false, 0.03, 0.03)).isLessThanOrEqualTo(1);
    }

    @Test
    void theSlowerStretchWithoutTheWaitIsTheOneToBeat() {
        Rates rates = new Rates();
        rates.stretches(EarnedWait.FIRST_TRIAL - 1, 0.02, 0.2);
        rates.until(true, 0.06, 0.2); // the last stretch before the trial was partly behind
        rates.stretches(10, 0.02, 0.2);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
        rates.stretches(4, 0.02, 0.05);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
    }

    @Test
    void aPauseRightBeforeACheckEndsNoWait() {
        Rates rates = new Rates().waiting();
        while (rates.earned.untilTrial > 1) {
            rates.stretch(0.02, 0.1);
        }
        rates.now += 100_000_000; // all stands still in the last stretch that waits
        while (rates.earned.step != EarnedWait.Step.CHECK) {
            rates.stretch(0.02, 0.1);
        }
        assertThat(rates.until(true, 0.02, 0.1)).isLessThanOrEqualTo(2);
        assertThat(rates.earned.step).isEqualTo(EarnedWait.Step.WITH);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aConsumerThatIsNowAtTheHeelsAndNowBehindGetsMostOfWhatAWaitEarns(long seed) {
        Random random = new Random(seed);
        Rates rates = new Rates();
        rates.stretches(EarnedWait.FIRST_TRIAL, 0.02, 0.02);
        double start = rates.now;
        double always = 0; // the time that it would take with the wait
        long stretches = 0;
        while (stretches < 5_000) {
            double behind = 0.1 + 0.2 * random.nextDouble(); // how fast it is then, with the wait and without
            double waiting = 0.06 + 0.1 * random.nextDouble();
            for (int i = random.nextInt(200); i >= 0; i--, stretches++) {
                rates.stretchBehind(behind, behind);
                always += EarnedWait.STRETCH / behind;
            }
            for (int i = random.nextInt(200); i >= 0; i--, stretches++) {
                rates.stretch(0.02, waiting);
                always += EarnedWait.STRETCH / waiting;
            }
        }
        assertThat((rates.now - start) / always).isLessThan(1.2);
    }

    @Test
    void oneSlowStretchNeitherEndsAWaitNorGrantsOne() {
        Rates rates = new Rates().waiting();
        rates.now += 1_000_000; // all stands still once in a stretch
        rates.stretch(0.1, 0.1);
        assertThat(rates.earned.waits).isTrue();
        rates.stretches(2, 0.1, 0.1);
        assertThat(rates.earned.waits).isTrue();
        rates.stretch(0.001, 0.001); // slow for longer than that: the stream has slowed down
        assertThat(rates.earned.waits).isFalse();
    }
}
