package io.sluice.backpressure.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.core.SignalledIdle;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One contract for both limiters. */
class RateLimiterTest {
    enum Kind {
        SINGLE {
            @Override
            RateLimiter create(NanoClock clock, int burst) {
                return RateLimiter.singleWriter(clock, burst);
            }
        },
        MULTI {
            @Override
            RateLimiter create(NanoClock clock, int burst) {
                return RateLimiter.multiWriter(clock, burst);
            }
        };

        abstract RateLimiter create(NanoClock clock, int burst);
    }

    private static final long SECOND = 1_000_000_000L;

    /** How often so many are granted until they are refused. */
    private static int grantedAtOnce(RateLimiter limiter, int n) {
        int granted = 0;
        while (limiter.tryAcquire(n)) {
            granted++;
        }
        return granted;
    }

    private static void programs(int programs, int steps, RandomPrograms.Body<SeededProgram> body)
            throws InterruptedException {
        RandomPrograms.of(seed -> SeededProgram.of(seed, steps), body)
                .budget("io.sluice.model.steps", (long) programs * steps)
                .run();
    }

    @ParameterizedTest
    @EnumSource
    void exactFromOneToFiftyMillionASecond(Kind kind) {
        SplittableRandom random = new SplittableRandom(7);
        for (double rate : new double[] {
            1, 3, 7.5, 999, 1_000, 8_001, 80_000, 333_333, 1_000_001, 33_333_333, 49_999_999, 50_000_000
        }) {
            VirtualClock clock = new VirtualClock(Long.MAX_VALUE - SECOND / 7); // wraps on the way
            RateLimiter limiter = kind.create(clock, 4096);
            limiter.setRate(rate);
            assertThat(limiter.tryAcquire(1)).isFalse();
            long start = clock.now;
            long granted = 0;
            long step = Math.max(1, Math.min(SECOND, (long) (1_000 * SECOND / rate)));
            for (int i = 0; i < 20_000; i++) {
                clock.now += 1 + random.nextLong(step);
                granted += grantedAtOnce(limiter, 1);
            }
            long exact = BigInteger.valueOf(clock.now - start)
                    .multiply(BigInteger.valueOf((long) (rate * 64)))
                    .divide(BigInteger.valueOf(64 * SECOND))
                    .longValueExact();
            assertThat(granted).as("rate %s seed 7", rate).isEqualTo(exact);
        }
    }

    @ParameterizedTest
    @EnumSource
    void neverMoreThanTheBurstAfterAnyIdleTime(Kind kind) {
        for (int burst : new int[] {1, 2, 3, 10, 1000}) {
            for (long idle : new long[] {SECOND, 3600 * SECOND, 100L * 365 * 86_400 * SECOND / 2}) {
                VirtualClock clock = new VirtualClock(5);
                RateLimiter limiter = kind.create(clock, burst);
                limiter.setRate(50_000_000);
                limiter.nanosUntil(1); // the single writer starts counting at its next call
                clock.now += SECOND;
                limiter.tryAcquire(1); // leaves a stock behind where there is one
                clock.now += idle;
                assertThat(grantedAtOnce(limiter, 1))
                        .as("burst %d idle %d", burst, idle)
                        .isBetween(Math.max(1, burst - 2), burst);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void neverMoreThanTheBurstAfterShortIdleTimesEither(Kind kind) {
        for (int burst : new int[] {1, 2, 3, 10, 100}) {
            for (int idle = 0; idle <= 3 * burst; idle++) { // in permits
                VirtualClock clock = new VirtualClock(-1);
                RateLimiter limiter = kind.create(clock, burst);
                limiter.setRate(1_000_000);
                limiter.nanosUntil(1);
                clock.now += SECOND;
                limiter.tryAcquire(1); // leaves a stock behind where there is one
                clock.now += idle * 1_000L;
                assertThat(grantedAtOnce(limiter, 1))
                        .as("burst %d idle %d permits", burst, idle)
                        .isLessThanOrEqualTo(burst);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void boundHoldsInEveryIntervalUnderRandomUse(Kind kind) throws Exception {
        programs(200, 2_000, program -> {
            SplittableRandom setting = program.random();
            VirtualClock clock = new VirtualClock(setting.nextLong());
            int burst = 1 + setting.nextInt(64);
            RateLimiter limiter = kind.create(clock, burst);
            long rate = 1 + setting.nextLong(1_000_000);
            limiter.setRate((double) rate);
            // the greatest of (granted - rate * t) minus the least before it
            // is what the worst interval got beyond its share
            double least = 0;
            double elapsed = 0;
            long granted = 0;
            for (int step : program.steps()) {
                SplittableRandom random = program.random(step);
                long pass = random.nextInt(10) == 0 ? random.nextLong(SECOND) : random.nextLong(1 + 2 * SECOND / rate);
                clock.now += pass;
                elapsed += pass;
                least = Math.min(least, granted - rate * elapsed / SECOND);
                int n = 1 + random.nextInt(limiter.maxAcquire());
                for (int k = random.nextInt(4); k >= 0; k--) {
                    if (limiter.tryAcquire(n)) {
                        granted += n;
                    }
                }
                assertThat(granted - rate * elapsed / SECOND - least).isLessThanOrEqualTo(burst + 1.001);
            }
            return program.size();
        });
    }

    @ParameterizedTest
    @EnumSource
    void changesOfRateLoseAndGiveNothing(Kind kind) {
        SplittableRandom random = new SplittableRandom(11);
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = kind.create(clock, 1 << 20);
        long rate = 1_000;
        limiter.setRate((double) rate);
        limiter.tryAcquire(1);
        BigInteger earned = BigInteger.ZERO; // in 1e-9 permits
        long granted = 0;
        for (int i = 0; i < 50_000; i++) {
            long pass = random.nextLong(2_000_000);
            clock.now += pass;
            earned = earned.add(BigInteger.valueOf(pass).multiply(BigInteger.valueOf(rate)));
            granted += grantedAtOnce(limiter, 1);
            rate = 1 + random.nextLong(100_000);
            limiter.setRate((double) rate);
            limiter.nanosUntil(1); // the single writer changes over at its next call
        }
        assertThat(granted).isEqualTo(earned.divide(BigInteger.valueOf(SECOND)).longValueExact());
    }

    @ParameterizedTest
    @EnumSource
    void stepsBackGrantNothingAndStallAtMostASecond(Kind kind) {
        VirtualClock clock = new VirtualClock(10 * SECOND);
        RateLimiter limiter = kind.create(clock, 2);
        limiter.setRate(1_000);
        assertThat(limiter.tryAcquire(1)).isFalse();
        clock.now += SECOND;
        while (limiter.nanosUntil(1) == 0) {
            limiter.tryAcquire(1);
        }
        for (int i = 0; i < 1_000; i++) { // jitter to and fro is no source of permits
            clock.now -= 1_000_000;
            assertThat(limiter.tryAcquire(1)).isFalse();
            clock.now += 1_000_000;
            assertThat(limiter.tryAcquire(1)).isFalse();
        }
        clock.now -= 3600 * SECOND; // believed: counting goes on from here, with nothing in stock
        assertThat(limiter.tryAcquire(1)).isFalse();
        clock.now += 1_000_000;
        assertThat(limiter.tryAcquire(1)).isTrue();
        assertThat(limiter.tryAcquire(1)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void aChangeOfRateGrantsNothingTwiceAfterAStepBack(Kind kind) {
        for (boolean paused : new boolean[] {false, true}) {
            VirtualClock clock = new VirtualClock(10 * SECOND);
            RateLimiter limiter = kind.create(clock, 2);
            limiter.setRate(1_000);
            assertThat(limiter.tryAcquire(1)).isFalse();
            for (int i = 0; i < 1_000; i++) { // up to 11 s each millisecond's permit is taken
                clock.now += SECOND / 1_000;
                assertThat(limiter.tryAcquire(1)).isTrue();
            }
            clock.now -= SECOND / 2;
            if (paused) {
                limiter.pause();
                assertThat(limiter.tryAcquire(1)).isFalse();
            }
            limiter.setRate(1_001);
            int granted = 0;
            for (int i = 0; i < 500; i++) { // again up to 11 s
                granted += limiter.tryAcquire(1) ? 1 : 0;
                clock.now += SECOND / 1_000;
            }
            assertThat(granted).as("paused %s", paused).isZero();
            clock.now += 2 * SECOND / 1_000;
            assertThat(limiter.tryAcquire(1)).as("paused %s", paused).isTrue();
        }
    }

    /** However often the clock steps back and the rate changes: no moment of the clock earns more than once. */
    @ParameterizedTest
    @EnumSource
    void stepsBackAndChangesOfRateEarnNoMomentTwice(Kind kind) throws Exception {
        programs(300, 1_000, program -> {
            SplittableRandom setting = program.random();
            long start = setting.nextLong();
            VirtualClock clock = new VirtualClock(start);
            int burst = 1 + setting.nextInt(64);
            RateLimiter limiter = kind.create(clock, burst);
            long most = 2_000; // the rates are less than twofold, so no debt is taken for a step of more than a second
            limiter.setRate((double) most);
            limiter.tryAcquire(1);
            long latest = 0;
            long granted = 0;
            for (int step : program.steps()) {
                SplittableRandom random = program.random(step);
                switch (random.nextInt(20)) {
                    case 0 -> clock.now = start + latest - random.nextLong(SECOND * 2 / 5);
                    case 1 -> limiter.setRate((double) most / 2 + 1 + random.nextLong(most / 2));
                    case 2 -> limiter.pause();
                    default -> clock.now += random.nextLong(10_000_000);
                }
                latest = Math.max(latest, clock.now - start);
                int n = 1 + random.nextInt(limiter.maxAcquire());
                boolean now = limiter.nanosUntil(n) == 0;
                boolean taken = limiter.tryAcquire(n);
                assertThat(taken).isEqualTo(now);
                granted += taken ? n : 0;
                assertThat(granted).isLessThanOrEqualTo(latest * most / SECOND + burst + 1);
            }
            limiter.setRate((double) most);
            limiter.tryAcquire(1);
            clock.now += 2 * SECOND;
            assertThat(grantedAtOnce(limiter, 1)).isPositive();
            return program.size();
        });
    }

    @ParameterizedTest
    @EnumSource
    void nanosUntilIsExactAfterAStepBack(Kind kind) {
        for (long back : new long[] {1, SECOND / 3, SECOND - 1, SECOND + 1, 3600 * SECOND}) {
            for (boolean changed : new boolean[] {false, true}) {
                VirtualClock clock = new VirtualClock(10 * SECOND);
                RateLimiter limiter = kind.create(clock, 2);
                limiter.setRate(1_000);
                assertThat(limiter.tryAcquire(1)).isFalse();
                clock.now += 7200 * SECOND;
                grantedAtOnce(limiter, 1);
                if (changed) {
                    limiter.setRate(999);
                    limiter.tryAcquire(1);
                }
                clock.now -= back;
                long wait = limiter.nanosUntil(1);
                assertThat(wait).as("back by %d", back).isBetween(1_000_000L, SECOND + 1_002_000);
                clock.now += wait - 1;
                assertThat(limiter.tryAcquire(1)).as("back by %d", back).isFalse();
                clock.now += 1;
                assertThat(limiter.tryAcquire(1)).as("back by %d", back).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void unlimitedReadsNoClockAndPausedGrantsNothing(Kind kind) {
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = kind.create(clock, 8);
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.tryAcquire(4)).isTrue();
        }
        assertThat(limiter.nanosUntil(1)).isZero();
        assertThat(clock.reads).isZero();
        assertThat(limiter.rate()).isInfinite();
        limiter.pause();
        clock.now += 3600 * SECOND;
        assertThat(limiter.tryAcquire(1)).isFalse();
        assertThat(limiter.nanosUntil(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(limiter.rate()).isZero();
        limiter.setRate(10);
        assertThat(limiter.tryAcquire(1)).isFalse(); // a pause earns nothing
        assertThat(limiter.nanosUntil(1)).isEqualTo(SECOND / 10);
        clock.now += SECOND / 10 - 1;
        assertThat(limiter.tryAcquire(1)).isFalse();
        clock.now += 1;
        assertThat(limiter.tryAcquire(1)).isTrue();
        limiter.setUnlimited();
        assertThat(limiter.tryAcquire(1)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void afterATimeWithoutALimitTheStockIsEmpty(Kind kind) {
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = kind.create(clock, 8);
        for (double next : new double[] {1_000, 1_000, 2_000}) { // the same rate as before, too
            for (int asked = 0; asked < 3; asked++) {
                limiter.setRate(1_000);
                limiter.tryAcquire(1);
                limiter.setUnlimited();
                for (int i = 0; i < asked; i++) {
                    assertThat(limiter.tryAcquire(limiter.maxAcquire())).isTrue();
                }
                clock.now += SECOND;
                limiter.setRate(next);
                assertThat(limiter.tryAcquire(1))
                        .as("asked %d times meanwhile", asked)
                        .isFalse();
                assertThat(limiter.nanosUntil(1)).isEqualTo((long) (SECOND / next));
                clock.now += (long) (SECOND / next);
                assertThat(limiter.tryAcquire(1)).isTrue();
                assertThat(limiter.tryAcquire(1)).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void nanosUntilIsExact(Kind kind) {
        for (double rate : new double[] {0.015625, 1, 7, 333_333, 50_000_000}) {
            VirtualClock clock = new VirtualClock(99);
            RateLimiter limiter = kind.create(clock, 64);
            limiter.setRate(rate);
            limiter.tryAcquire(1);
            for (int n = 1; n <= limiter.maxAcquire(); n++) {
                long wait = limiter.nanosUntil(n);
                clock.now += wait - 1;
                assertThat(limiter.tryAcquire(n)).as("%s x %d", rate, n).isFalse();
                clock.now += 1;
                assertThat(limiter.tryAcquire(n)).as("%s x %d", rate, n).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0,
                -0.0,
                -1,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                Double.MIN_VALUE,
                100_000_001
            })
    void badRatesAreRefusedAndChangeNothing(double rate) {
        for (Kind kind : Kind.values()) {
            RateLimiter limiter = kind.create(new VirtualClock(0), 8);
            limiter.setRate(5);
            assertThatThrownBy(() -> limiter.setRate(rate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("permitsPerSecond must be from 0.015625 to 100000000, but was " + rate);
            assertThat(limiter.rate()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void badArgumentsAreRefused(Kind kind) {
        VirtualClock clock = new VirtualClock(0);
        assertThatThrownBy(() -> kind.create(clock, 0)).hasMessage("burst must be from 1 to 16777216, but was 0");
        assertThatThrownBy(() -> kind.create(clock, Integer.MAX_VALUE))
                .hasMessageContaining("burst must be from 1 to 16777216, but was ");
        RateLimiter limiter = kind.create(clock, 8);
        for (int n : new int[] {0, -1, Integer.MIN_VALUE, limiter.maxAcquire() + 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> limiter.tryAcquire(n))
                    .hasMessageMatching("n must be from 1 to \\d+, but was " + n);
            assertThatThrownBy(() -> limiter.nanosUntil(n))
                    .hasMessageMatching("n must be from 1 to \\d+, but was " + n);
        }
        assertThatThrownBy(() -> limiter.acquire(1, -1, NoOpIdleStrategy.INSTANCE))
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void anIdleStrategyThatNobodySignalsIsRefusedBeforeAnyPermitIsTaken(Kind kind) {
        RateLimiter limiter = kind.create(new VirtualClock(0), 8);
        for (SignalledIdle idle : List.of(SignalledIdle.exact(), SignalledIdle.timed())) {
            for (long timeout : new long[] {0, SECOND}) {
                assertThatThrownBy(() -> limiter.acquire(1, timeout, idle))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("idle must be a strategy that wakes by itself, since nobody signals who waits for"
                                + " permits, but was " + idle);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void acquireWaitsTimesOutAndIsInterrupted(Kind kind) {
        long[] time = {0};
        RateLimiter limiter = kind.create(() -> time[0] += 1_000, 8); // each read takes a microsecond
        limiter.setRate(1_000);
        assertThat(limiter.acquire(1, Long.MAX_VALUE, NoOpIdleStrategy.INSTANCE))
                .isTrue();
        assertThat(time[0]).isBetween(1_000_000L, 1_010_000L);
        assertThat(limiter.acquire(1, 100_000, NoOpIdleStrategy.INSTANCE)).isFalse();
        assertThat(limiter.acquire(1, 0, NoOpIdleStrategy.INSTANCE)).isFalse();
        limiter.pause();
        Thread.currentThread().interrupt();
        assertThat(limiter.acquire(1, Long.MAX_VALUE, NoOpIdleStrategy.INSTANCE))
                .isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void singleWriterServesHalfItsStockWithoutAClockRead() {
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
        limiter.setRate(1_000);
        limiter.tryAcquire(1);
        clock.now += SECOND;
        clock.reads = 0;
        for (int i = 0; i < 32; i++) {
            assertThat(limiter.tryAcquire(1)).isTrue();
        }
        assertThat(clock.reads).isEqualTo(1);
    }

    @Tag("concurrency")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @RepeatedTest(5)
    void concurrentGrantsAreUnique() throws Exception {
        int threads = 3;
        AtomicLong time = new AtomicLong(Long.MAX_VALUE - 1_000_000);
        long start = time.get();
        RateLimiter limiter = RateLimiter.multiWriter(time::get, 1 << 20);
        limiter.setRate(1_000_000);
        assertThat(limiter.tryAcquire(1)).isFalse();
        AtomicLong granted = new AtomicLong();
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Thread(() -> {
                long mine = 0;
                for (int i = 0; i < 100_000; i++) {
                    time.addAndGet(700);
                    if (limiter.tryAcquire(1)) {
                        mine++;
                    }
                    if (i % 1_000 == 0) {
                        limiter.setRate(i % 2_000 == 0 ? 1_000_001.0 : 1_000_000.0);
                    }
                }
                granted.addAndGet(mine);
            });
            all[t].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        granted.addAndGet(grantedAtOnce(limiter, 1));
        long elapsed = time.get() - start;
        // between what the two rates give
        assertThat(granted.get()).isBetween(elapsed / 1_000 - 1, elapsed / 1_000 + elapsed / 1_000_000_000 + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7})
    void multiWriterServesItsStockWithoutAClockRead(int n) {
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = RateLimiter.multiWriter(clock, 112);
        limiter.setRate(1_000);
        clock.now += SECOND;
        assertThat(limiter.tryAcquire(56)).isTrue(); // all that may be asked for at once, and all that may be kept
        assertThat(limiter.tryAcquire(1)).isFalse();
        clock.now += SECOND;
        assertThat(limiter.tryAcquire(1)).isTrue(); // 55 stay behind
        clock.now += SECOND;
        clock.reads = 0;
        for (int i = 0; i < 49; i += n) {
            assertThat(limiter.tryAcquire(n)).isTrue();
        }
        assertThat(clock.reads).isZero();
        assertThat(limiter.nanosUntil(56)).isZero(); // 6 of the stock, 50 of the credit
        assertThat(limiter.tryAcquire(56)).isTrue();
        assertThat(limiter.tryAcquire(6)).isTrue();
        assertThat(limiter.tryAcquire(1)).isFalse();
    }

    @Test
    void thoseWhoComeInVainTakeNothing() {
        VirtualClock clock = new VirtualClock(0);
        RateLimiter limiter = RateLimiter.multiWriter(clock, 8);
        limiter.setRate(1_000);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 1_500_000; i++) {
                assertThat(limiter.tryAcquire(1)).isFalse();
            }
            clock.now += SECOND / 1_000;
            assertThat(limiter.nanosUntil(1)).isZero();
            assertThat(limiter.tryAcquire(1)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoNeedNotWaitIsGrantedAndNobodyElse(Kind kind) throws Exception {
        programs(300, 1_000, program -> {
            SplittableRandom setting = program.random();
            VirtualClock clock = new VirtualClock(setting.nextLong());
            RateLimiter limiter = kind.create(clock, 1 + setting.nextInt(40));
            limiter.setRate(1_000);
            for (int step : program.steps()) {
                SplittableRandom random = program.random(step);
                clock.now += random.nextInt(20) == 0 ? random.nextLong(3600 * SECOND) : random.nextLong(5_000_000);
                if (random.nextInt(50) == 0) {
                    limiter.setRate(1.0 + random.nextInt(2_000));
                }
                int n = 1 + random.nextInt(limiter.maxAcquire());
                boolean now = limiter.nanosUntil(n) == 0;
                assertThat(limiter.tryAcquire(n)).isEqualTo(now);
            }
            return program.size();
        });
    }

    @ParameterizedTest
    @EnumSource
    void countsOnBeyondAllRanges(Kind kind) {
        VirtualClock clock = new VirtualClock(0);
        int burst = 1 << 20;
        RateLimiter limiter = kind.create(clock, burst);
        limiter.setRate(100_000_000);
        assertThat(limiter.tryAcquire(1)).isFalse();
        int n = 1 << 18;
        long rounds = 1L << 27; // 2^45 permits
        long step = 1L << 12; // of which so many are asked for
        for (long round = 0; round < rounds; round += step) {
            for (int i = 0; i < 4; i++) { // the bound holds, whatever was earned in between
                clock.now += limiter.nanosUntil(n) - 1;
                assertThat(limiter.tryAcquire(n)).as("round %d", round).isFalse();
                clock.now += 1;
                assertThat(limiter.tryAcquire(n)).as("round %d", round).isTrue();
            }
            clock.now += step * n * 10;
            assertThat(grantedAtOnce(limiter, n)).as("round %d", round).isBetween(2, 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void changesOfRateEarnNoMoreThanTheBurst(Kind kind) {
        for (long pass : new long[] {SECOND, 3600 * SECOND, 20 * 3600 * SECOND, 400 * 86_400 * SECOND}) {
            VirtualClock clock = new VirtualClock(0);
            RateLimiter limiter = kind.create(clock, 64);
            for (int i = 0; i < 100_000 && clock.now >= 0; i++) { // nobody acquires
                limiter.setRate(100_000_000.0 - i % 2);
                clock.now += pass;
            }
            limiter.nanosUntil(1); // the single writer starts counting at its next call
            clock.now += SECOND;
            assertThat(grantedAtOnce(limiter, 1)).as("a change in %d ns", pass).isBetween(31, 64);
        }
    }

    /** However far the credit would have grown: at each of these ages it is another number of its last 64 bits. */
    @ParameterizedTest
    @EnumSource
    void whatManyChangesOfRateHaveEarnedIsGrantedUpToTheBurst(Kind kind) {
        for (int changes = 1; changes < 260; changes++) {
            VirtualClock clock = new VirtualClock(0);
            RateLimiter limiter = kind.create(clock, 64);
            for (int i = 0; i < changes; i++) { // nobody acquires
                limiter.setRate(100_000_000.0 - i % 2);
                clock.now += 400 * 86_400 * SECOND;
            }
            limiter.nanosUntil(1);
            clock.now += SECOND;
            assertThat(grantedAtOnce(limiter, 1)).as("%d changes", changes).isBetween(31, 64);
        }
    }

    /** A clock in whose first reads others acquire what was just earned. */
    private static final class Meddling implements NanoClock {
        private long now;
        private int meddled;
        private Runnable meddler = () -> {};

        @Override
        public long nanoTime() {
            if (meddled > 0) {
                int left = meddled - 1;
                meddled = 0; // not in the reads of the meddler
                now += 1_000_000;
                meddler.run();
                meddled = left;
            }
            return now;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whatIsTakenWhileTheClockIsReadIsNotGrantedAgain(int reads) {
        Meddling clock = new Meddling();
        RateLimiter limiter = RateLimiter.multiWriter(clock, 1);
        limiter.setRate(1_000);
        List<Boolean> taken = new ArrayList<>();
        clock.meddler = () -> taken.add(limiter.tryAcquire(1));
        clock.meddled = reads;
        assertThat(limiter.tryAcquire(1)).isFalse();
        assertThat(taken).hasSize(reads).containsOnly(true);
        clock.now += 1_000_000;
        assertThat(limiter.tryAcquire(1)).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void anIdleStrategyThatIsNullIsRefusedAlsoWhileNothingIsLimited() {
        RateLimiter unlimited = RateLimiter.multiWriter(new VirtualClock(0), 4);
        assertThatThrownBy(() -> unlimited.acquire(1, 1_000, null)).hasMessage("idle must not be null");
    }
}
