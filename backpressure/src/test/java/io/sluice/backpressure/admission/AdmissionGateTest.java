package io.sluice.backpressure.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.backpressure.Allocated;
import io.sluice.backpressure.VirtualClock;
import io.sluice.core.SignalledIdle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToDoubleFunction;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionGateTest {
    private static final long MS = 1_000_000;
    private static final long BUDGET = 10 * MS;
    private static final int THREADS = 4;
    private static final int SERVICE = 100_000;

    private final VirtualClock clock = new VirtualClock(0);

    private AdmissionGate gate() {
        return AdmissionGate.builder(BUDGET, SERVICE, THREADS, clock).build();
    }

    // ---- the formula

    @Test
    void theBoundIsThompsonsFormula() {
        assertThat(QueueSizing.queueLength(BUDGET, SERVICE, THREADS)).isEqualTo(400);
        assertThat(QueueSizing.latencyNanos(400, SERVICE, THREADS)).isEqualTo((double) BUDGET);
        assertThat(QueueSizing.queueLength(1, 1e12, 1)).isEqualTo(1);
        assertThat(QueueSizing.inSystem(90 / 3600.0, 20 * 60e9)).isCloseTo(30, within(1e-9));
        assertThat(QueueSizing.throughput(30, 20 * 60e9)).isCloseTo(90 / 3600.0, within(1e-12));
        assertThat(QueueSizing.timeInSystemNanos(30, 90 / 3600.0)).isCloseTo(20 * 60e9, within(1.0));
    }

    @Test
    void badNumbersAreRefused() {
        assertThatThrownBy(() -> QueueSizing.queueLength(0, 1, 1))
                .hasMessage("budgetNanos must be 1 or more, but was 0");
        for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> QueueSizing.queueLength(1, bad, 1))
                    .hasMessage("serviceNanos must be finite and above 0, but was " + bad);
            assertThatThrownBy(() -> QueueSizing.inSystem(bad, 1))
                    .hasMessageContaining("perSecond must be finite and above 0, but was " + bad);
            assertThatThrownBy(() -> AdmissionGate.builder(1, bad, 1, clock)).hasMessageContaining("serviceNanos");
        }
        assertThatThrownBy(() -> QueueSizing.queueLength(1, 1, 0)).hasMessage("threads must be 1 or more, but was 0");
        assertThatThrownBy(() -> QueueSizing.latencyNanos(-1, 1, 1))
                .hasMessageContaining("queueLength must be 0 or more, but was -1");
        AdmissionGate.Builder builder = AdmissionGate.builder(1, 1, 1, clock);
        assertThatThrownBy(() -> builder.sampleEvery(0)).hasMessage("k must be 1 or more, but was 0");
        Marks marks = new Marks();
        for (double[] bad : new double[][] {{0, 0.5}, {0.7, 0.7}, {0.7, 0.5}, {0.5, 1.1}, {Double.NaN, 0.5}}) {
            assertThatThrownBy(() -> builder.waterMarks(bad[0], bad[1], marks)).hasMessageContaining("must be 0 < low");
        }
        AdmissionGate gate = gate();
        assertThatThrownBy(() -> gate.enter(-1, NoOpIdleStrategy.INSTANCE))
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(gate::exit).isInstanceOf(IllegalStateException.class);
        assertThat(gate.inside()).isZero();
        assertThat(gate.tryEnter()).isEqualTo(Admission.ADMITTED);
        assertThatThrownBy(() -> gate.exit(-5)).hasMessage("serviceNanos must be 0 or more, but was -5");
        assertThat(gate.inside()).isZero();
    }

    // ---- entering and leaving

    @Test
    void timesMayBeDurations() {
        assertThat(QueueSizing.queueLength(Duration.ofMillis(10), Duration.ofNanos(100_000), 4))
                .isEqualTo(QueueSizing.queueLength(10_000_000, 100_000, 4))
                .isEqualTo(400);
        AdmissionGate gate = AdmissionGate.builder(Duration.ofMillis(10), Duration.ofNanos(100_000), 4, clock)
                .build();
        assertThat(gate.bound()).isEqualTo(400);
        assertThat(gate.serviceNanos()).isEqualTo(100_000);
        assertThat(AdmissionGate.builder(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofNanos(1), 1, clock)
                        .build()
                        .bound())
                .as("292 years")
                .isEqualTo(Long.MAX_VALUE);
        Duration one = Duration.ofNanos(1);
        assertThatThrownBy(() -> QueueSizing.queueLength(Duration.ZERO, one, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("budgetNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> AdmissionGate.builder(one, Duration.ZERO, 1, clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("serviceNanos must be finite and above 0, but was 0.0");
        assertThatThrownBy(() -> AdmissionGate.builder(one, Duration.ofNanos(2), 1, clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("budgetNanos must be serviceNanos 2.0 or more, but was 1");
        assertThatThrownBy(() -> QueueSizing.queueLength(null, one, 1)).hasMessageContaining("budget");
        assertThatThrownBy(() -> AdmissionGate.builder(one, null, 1, clock)).hasMessageContaining("service");
    }

    @Test
    void refusesWithAReasonAndATimeWhenFull() {
        AdmissionGate gate = gate();
        for (int i = 0; i < 400; i++) {
            assertThat(gate.tryEnter().admitted()).isTrue();
        }
        assertThat(gate.tryEnter()).isEqualTo(Admission.BUSY_FULL);
        assertThat(Admission.BUSY_FULL.admitted()).isFalse();
        assertThat(Admission.BUSY_FULL.reason()).contains("latency budget");
        assertThat(gate.retryAfterNanos()).isEqualTo(100 * SERVICE / THREADS);
        gate.exit();
        assertThat(gate.tryEnter()).isEqualTo(Admission.ADMITTED);
    }

    @Test
    @Timeout(60)
    void anIdleStrategyThatNobodySignalsIsRefusedAndTakesNoPlace() {
        AdmissionGate gate = gate();
        for (SignalledIdle idle : List.of(SignalledIdle.exact(), SignalledIdle.timed())) {
            for (long timeout : new long[] {0, MS}) {
                assertThatThrownBy(() -> gate.enter(timeout, idle))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("idle must be a strategy that wakes by itself, since nobody signals who waits for"
                                + " room, but was " + idle);
            }
        }
        assertThat(gate.inside()).isZero();
    }

    @Test
    void waitsForSoLong() {
        AdmissionGate gate = AdmissionGate.builder(1, 1, 1, clock).build();
        assertThat(gate.enter(0, NoOpIdleStrategy.INSTANCE)).isEqualTo(Admission.ADMITTED);
        assertThat(gate.enter(0, NoOpIdleStrategy.INSTANCE)).isEqualTo(Admission.BUSY_TIMED_OUT);
        Ticking ticking = new Ticking(() -> clock.now += 10);
        assertThat(gate.enter(100, ticking)).isEqualTo(Admission.BUSY_TIMED_OUT);
        assertThat(clock.now).isEqualTo(100);
        assertThat(gate.enter(Long.MAX_VALUE, new Ticking(gate::exit))).isEqualTo(Admission.ADMITTED);
        Thread.currentThread().interrupt();
        assertThat(gate.enter(Long.MAX_VALUE, ticking)).isEqualTo(Admission.BUSY_INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
    }

    private record Ticking(Runnable step) implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            step.run();
        }

        @Override
        public void idle() {
            step.run();
        }

        @Override
        public void reset() {}
    }

    // ---- the bound follows

    @Test
    void theBoundFollowsWithinAHundredSamples() {
        AdmissionGate gate = gate();
        for (int samples = 1; samples <= 100; samples++) {
            gate.tryEnter();
            gate.exit(2 * SERVICE);
            if (samples == ServiceTimes.BATCH) {
                assertThat(gate.bound()).isEqualTo(266); // half of what it is computed from
            }
        }
        assertThat(gate.bound()).isEqualTo(200);
        assertThat(gate.serviceNanos()).isEqualTo(2.0 * SERVICE);
    }

    /** 12 ms each within 10 ms: a request that finds a free thread waits for nobody, so no thread is kept idle. */
    @Test
    void noThreadIsKeptIdleWhenTheServiceHasBecomeSlowerThanTheBudget() {
        AdmissionGate gate = gate();
        for (int samples = 0; samples < 100; samples++) {
            gate.tryEnter();
            gate.exit(12 * MS);
        }
        assertThat(QueueSizing.queueLength(BUDGET, 12 * MS, THREADS)).isEqualTo(3);
        assertThat(gate.bound()).isEqualTo(THREADS);
        for (int thread = 0; thread < THREADS; thread++) {
            assertThat(gate.tryEnter()).isEqualTo(Admission.ADMITTED);
        }
        assertThat(gate.tryEnter()).isEqualTo(Admission.BUSY_FULL);
        assertThat(gate.retryAfterNanos()).isPositive();
        for (int samples = 0; samples < 100; samples++) {
            gate.exit(SERVICE);
            gate.tryEnter();
        }
        assertThat(gate.bound()).as("and it goes back").isEqualTo(400);
    }

    @Test
    void aBudgetThatNoRequestCanKeepIsRefusedWhenTheGateIsBuilt() {
        assertThatThrownBy(() -> AdmissionGate.builder(99, 100, 8, clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("budgetNanos must be serviceNanos 100.0 or more, but was 99");
        for (int threads : new int[] {1, 3, 7, 64}) {
            for (long budget = 100; budget < 300; budget++) {
                AdmissionGate gate =
                        AdmissionGate.builder(budget, 100, threads, clock).build();
                assertThat(gate.bound())
                        .as("%d threads, budget %d", threads, budget)
                        .isGreaterThanOrEqualTo(threads);
            }
        }
    }

    @Test
    void onlyEveryKthIsSampled() {
        AdmissionGate gate = AdmissionGate.builder(BUDGET, SERVICE, THREADS, clock)
                .sampleEvery(10)
                .build();
        for (int i = 1; i <= 640; i++) {
            gate.tryEnter();
            gate.exit(i % 10 == 0 ? 2 * SERVICE : SERVICE);
        }
        assertThat(gate.bound()).isEqualTo(200);
    }

    /** One in sixteen takes a hundred times as long: a median that is not theirs is never seen. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void aMonitorSeesTheMedianWhileThreadsLeave() throws Exception {
        AdmissionGate gate = AdmissionGate.builder(BUDGET, SERVICE, THREADS, SystemNanoClock.INSTANCE)
                .sampleEvery(1)
                .build();
        for (int i = 0; i < 64; i++) { // else the first sample alone is the median
            gate.tryEnter();
            gate.exit(SERVICE);
        }
        AtomicBoolean over = new AtomicBoolean();
        Thread leaves = new Thread(() -> {
            for (int i = 0; !over.get(); i++) {
                gate.tryEnter();
                gate.exit(i % 16 == 0 ? 100 * SERVICE : SERVICE);
            }
        });
        leaves.start();
        try {
            long enough = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            for (int asked = 0; asked < 5_000 && System.nanoTime() < enough; asked++) {
                assertThat(gate.serviceNanosAtPercentile(50)).isCloseTo(SERVICE, withinPercentage(0.1));
            }
        } finally {
            over.set(true);
            leaves.join();
        }
    }

    @Test
    void theSampledTimesHavePercentiles() {
        AdmissionGate gate = gate();
        assertThat(gate.serviceNanosAtPercentile(99)).isEqualTo((double) SERVICE); // nothing sampled yet
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 1000; i++) {
            gate.tryEnter();
            gate.exit(1_000 + random.nextInt(100)); // long ago
        }
        int[] times = new int[100];
        for (int i = 0; i < 100; i++) {
            times[i] = (i * 37 % 100 + 1) * 1_000; // 1 to 100 µs, mixed
            gate.tryEnter();
            gate.exit(times[i]);
        }
        // 1,100 samples: the lot from the 1,057th to the 1,088th is whole, and 12 are in the next
        int[] kept = Arrays.copyOfRange(times, 1056 - 1000, 100);
        Arrays.sort(kept);
        assertThat(kept).hasSize(44);
        for (double percent : new double[] {1, 25, 50, 90, 99, 100}) {
            int exact = kept[(int) Math.ceil(percent / 100 * 44) - 1];
            assertThat(gate.serviceNanosAtPercentile(percent))
                    .as("%s %%", percent)
                    .isCloseTo(exact, withinPercentage(0.1));
        }
        assertThat(gate.serviceNanosAtPercentile(0)).isCloseTo(kept[0], withinPercentage(0.1));
        for (double bad : new double[] {-0.1, 100.1, Double.NaN}) {
            assertThatThrownBy(() -> gate.serviceNanosAtPercentile(bad))
                    .hasMessage("percent must be from 0 to 100, but was " + bad);
        }
    }

    @Test
    void timesBeyondAnHourCountAsOneAndNoneAsANanosecond() {
        AdmissionGate gate = gate();
        for (int i = 0; i < 64; i++) {
            gate.tryEnter();
            gate.exit(Long.MAX_VALUE);
        }
        assertThat(gate.bound()).isEqualTo(THREADS);
        assertThat(gate.serviceNanos()).isCloseTo(3.6e12, withinPercentage(0.1));
        for (int i = 0; i < 64; i++) {
            gate.tryEnter();
            gate.exit(0);
        }
        assertThat(gate.serviceNanos()).isEqualTo(1);
        assertThat(gate.bound()).isEqualTo(BUDGET * THREADS);
    }

    @Test
    void nothingIsAllocated() {
        AdmissionGate gate = gate();
        long least = Allocated.least(50, () -> {
            for (int i = 0; i < 3_200; i++) {
                gate.tryEnter();
                gate.exit(SERVICE + i);
            }
        });
        assertThat(least).isZero();
        assertThat(gate.bound()).isBetween(385L, 399L); // it was sampled, and the bound followed
    }

    // ---- water marks

    private static class Marks implements WaterMarkHandler {
        final List<String> said = new ArrayList<>();

        @Override
        public void onHighWater(long inside, long bound) {
            said.add("high " + inside + " of " + bound);
        }

        @Override
        public void onLowWater(long inside, long bound) {
            said.add("low " + inside + " of " + bound);
        }
    }

    @Test
    void marksAreReportedOnceEach() {
        Marks marks = new Marks();
        AdmissionGate gate = AdmissionGate.builder(100, 1, 1, clock)
                .waterMarks(0.5, 0.7, marks)
                .build();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 90; i++) {
                gate.tryEnter();
            }
            for (int i = 0; i < 30; i++) {
                gate.exit();
            }
            for (int i = 0; i < 30; i++) {
                gate.tryEnter(); // above the high mark again, without having been at the low one
            }
            for (int i = 0; i < 90; i++) {
                gate.exit();
            }
        }
        assertThat(marks.said)
                .containsExactly(
                        "high 70 of 100",
                        "low 50 of 100",
                        "high 70 of 100",
                        "low 50 of 100",
                        "high 70 of 100",
                        "low 50 of 100");
    }

    /** 60 of 100 are inside, when each begins to take ten times as long: nobody else enters, so nobody crosses the mark. */
    @Test
    void whoIsRefusedReportsTheHighMarkWhereTheBoundHasFallenBelowThoseInside() {
        Marks marks = new Marks();
        AdmissionGate gate = AdmissionGate.builder(1_000, 10, 1, clock)
                .waterMarks(0.5, 0.7, marks)
                .build();
        for (int i = 0; i < 60; i++) {
            gate.tryEnter();
        }
        for (int samples = 0; samples < ServiceTimes.BATCH; samples++) {
            gate.exit(100);
        }
        assertThat(gate.bound()).isEqualTo(18);
        assertThat(gate.inside()).isEqualTo(28);
        assertThat(marks.said).isEmpty();
        assertThat(gate.tryEnter()).isEqualTo(Admission.BUSY_FULL);
        assertThat(marks.said).containsExactly("high 28 of 18");
        assertThat(gate.enter(0, NoOpIdleStrategy.INSTANCE)).isEqualTo(Admission.BUSY_TIMED_OUT);
        while (gate.inside() > 0) {
            gate.exit();
        }
        assertThat(marks.said).containsExactly("high 28 of 18", "low 9 of 18");
    }

    /** 7 of 10 are inside, and 7 of 18 when the handler returns: nobody has left, and nobody may leave for long. */
    @Test
    void aBoundThatRisesWhileTheHighMarkIsReportedPutsThoseInsideAtTheLowMark() {
        AdmissionGate[] gate = new AdmissionGate[1];
        Marks marks = new Marks() {
            @Override
            public void onHighWater(long inside, long bound) {
                super.onHighWater(inside, bound);
                for (int samples = 0; samples < ServiceTimes.BATCH; samples++) {
                    gate[0].tryEnter();
                    gate[0].exit(10);
                }
            }
        };
        gate[0] = AdmissionGate.builder(1_000, 100, 1, clock)
                .waterMarks(0.5, 0.7, marks)
                .build();
        for (int i = 0; i < 7; i++) {
            gate[0].tryEnter();
        }
        assertThat(gate[0].bound()).isEqualTo(18);
        assertThat(gate[0].inside()).isEqualTo(7);
        assertThat(marks.said).containsExactly("high 7 of 10", "low 7 of 18");
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void anIdleStrategyThatIsNullIsRefusedAlsoWhileThereIsRoom() {
        assertThatThrownBy(() -> gate().enter(1_000, null)).hasMessage("idle must not be null");
    }

    /** Bound 4, high 3, low 2. What a handler is told last is where the gate is. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(30)
    void aMarkIsReportedOnlyWhenTheReportOfTheOtherIsOver(boolean highIsSlow) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> said = new ArrayList<>();
        AdmissionGate gate = AdmissionGate.builder(4, 1, 1, clock)
                .waterMarks(0.5, 0.7, new WaterMarkHandler() {
                    private void say(String mark, boolean slow) {
                        if (slow && inside.getCount() > 0) {
                            inside.countDown();
                            await(goOn);
                        }
                        synchronized (said) {
                            said.add(mark);
                        }
                    }

                    @Override
                    public void onHighWater(long now, long bound) {
                        say("high " + now, highIsSlow);
                    }

                    @Override
                    public void onLowWater(long now, long bound) {
                        say("low " + now, !highIsSlow);
                    }
                })
                .build();
        assertThat(gate.bound()).isEqualTo(4);
        for (int i = highIsSlow ? 2 : 3; i > 0; i--) {
            assertThat(gate.tryEnter().admitted()).isTrue();
        }
        Thread reporter = new Thread(highIsSlow ? gate::tryEnter : gate::exit);
        reporter.start();
        inside.await();
        if (highIsSlow) {
            assertThat(gate.tryEnter().admitted()).isTrue(); // at the mark too, but one reporter is enough
            gate.exit();
            gate.exit();
            gate.exit();
        } else {
            gate.exit(); // at the mark too
            gate.tryEnter();
            gate.tryEnter();
        }
        synchronized (said) {
            assertThat(said)
                    .as("while the other report is under way")
                    .isEqualTo(highIsSlow ? List.of() : List.of("high 3"));
        }
        goOn.countDown();
        reporter.join();
        if (highIsSlow) {
            assertThat(said).containsExactly("high 3", "low 1");
            gate.tryEnter();
            gate.tryEnter();
            assertThat(said).containsExactly("high 3", "low 1", "high 3");
        } else {
            assertThat(said).containsExactly("high 3", "low 2", "high 3");
            gate.exit();
            assertThat(said).containsExactly("high 3", "low 2", "high 3", "low 2");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aHandlerThatThrowsTakesNoPlace() {
        AdmissionGate gate = AdmissionGate.builder(10, 1, 1, clock)
                .waterMarks(0.1, 0.2, new WaterMarkHandler() {
                    @Override
                    public void onHighWater(long inside, long bound) {
                        throw new IllegalStateException("mine");
                    }

                    @Override
                    public void onLowWater(long inside, long bound) {}
                })
                .build();
        gate.tryEnter();
        assertThatThrownBy(gate::tryEnter).hasMessage("mine");
        assertThat(gate.inside()).isEqualTo(1);
    }

    /** The one that gets the exception instead of a place was the one above the mark. */
    @Test
    void aHandlerThatThrowsAtTheHighMarkIsToldOfTheLowOneToo() {
        List<String> said = new ArrayList<>();
        AdmissionGate gate = AdmissionGate.builder(1, 1, 1, clock)
                .waterMarks(0.1, 1, new WaterMarkHandler() {
                    @Override
                    public void onHighWater(long inside, long bound) {
                        said.add("high " + inside);
                        throw new IllegalStateException("mine");
                    }

                    @Override
                    public void onLowWater(long inside, long bound) {
                        said.add("low " + inside);
                        throw new IllegalStateException("mine, too");
                    }
                })
                .build();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(gate::tryEnter)
                    .hasMessage("mine")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed())
                            .singleElement()
                            .satisfies(low -> assertThat(low).hasMessage("mine, too")));
        }
        assertThat(said).containsExactly("high 1", "low 0", "high 1", "low 0");
        assertThat(gate.inside()).isZero();
    }

    // ---- G13 and G14: a server of four threads in virtual time

    /** Requests arrive at random (Poisson) and are served first come, first served. */
    private final class Server {
        final AdmissionGate gate = gate();
        final SplittableRandom random;
        final PriorityQueue<long[]> busy = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        final long[] freeAt = new long[THREADS];
        final List<long[]> accepted = new ArrayList<>(); // entered, sojourn
        final LongToDoubleFunction load;
        final LongToDoubleFunction service;
        double work;

        Server(long seed, LongToDoubleFunction load, LongToDoubleFunction service) {
            random = new SplittableRandom(seed);
            this.load = load;
            this.service = service;
        }

        Server run(long nanos) {
            double capacity = THREADS / (double) SERVICE;
            while (clock.now < nanos) {
                double gap = -Math.log(1 - random.nextDouble()) / (capacity * load.applyAsDouble(clock.now));
                long next = clock.now + Math.max(1, (long) gap);
                while (!busy.isEmpty() && busy.peek()[0] <= next) {
                    long[] done = busy.remove();
                    clock.now = done[0];
                    gate.exit(done[1]);
                }
                clock.now = next;
                if (gate.tryEnter().admitted()) {
                    int thread = 0;
                    for (int i = 1; i < THREADS; i++) {
                        thread = freeAt[i] < freeAt[thread] ? i : thread;
                    }
                    long start = Math.max(next, freeAt[thread]);
                    long takes = (long) (service.applyAsDouble(start) * (0.5 + random.nextDouble()));
                    freeAt[thread] = start + takes;
                    busy.add(new long[] {freeAt[thread], takes});
                    accepted.add(new long[] {next, freeAt[thread] - next});
                    work += Math.min(freeAt[thread], nanos) - Math.min(start, nanos);
                }
            }
            return this;
        }

        long p99(long from, long to) {
            long[] sorted = accepted.stream()
                    .filter(a -> a[0] >= from && a[0] < to)
                    .mapToLong(a -> a[1])
                    .sorted()
                    .toArray();
            return sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.4, 2, 10})
    @Tag("once")
    void g13AcceptedRequestsStayWithinBudgetUnderOverload(double load) {
        for (long seed = 1; seed <= 20; seed++) {
            clock.now = 0;
            Server server = new Server(seed, t -> load, t -> SERVICE).run(1000 * MS);
            assertThat(server.p99(0, Long.MAX_VALUE)).as("seed " + seed).isLessThanOrEqualTo(BUDGET * 12 / 10);
            assertThat(server.work / (THREADS * 1000.0 * MS))
                    .as("goodput, seed " + seed)
                    .isGreaterThanOrEqualTo(0.97);
        }
    }

    @Test
    @Tag("once")
    void g13SettlesAfterASpike() {
        for (long seed = 1; seed <= 20; seed++) {
            clock.now = 0;
            Server server = new Server(seed, t -> t < 200 * MS ? 0.8 : 1.4, t -> SERVICE).run(400 * MS);
            for (long from = 200 * MS; from < 390 * MS; from += 10 * MS) { // no need to settle: it never leaves
                assertThat(server.p99(from, from + 10 * MS)).as("seed " + seed).isLessThanOrEqualTo(BUDGET * 12 / 10);
            }
        }
    }

    @Test
    @Tag("once")
    void g14AfterTheServiceTimeHasDoubledNothingWaitsTwiceTheBudget() {
        for (long seed = 1; seed <= 20; seed++) {
            clock.now = 0;
            Server server = new Server(seed, t -> 2, t -> t < 200 * MS ? SERVICE : 2 * SERVICE).run(600 * MS);
            // a hundred samples of twice the time, by four threads
            long followed = 200 * MS + 100 * 2 * SERVICE / THREADS + 2 * SERVICE;
            long worst = server.accepted.stream()
                    .filter(a -> a[0] >= followed)
                    .mapToLong(a -> a[1])
                    .max()
                    .orElseThrow();
            assertThat(worst).as("seed " + seed).isLessThanOrEqualTo(2 * BUDGET);
            assertThat(server.gate.bound()).as("seed " + seed).isBetween(160L, 240L);
        }
    }

    // ---- threads

    @Tag("concurrency")
    @Test
    @Timeout(60)
    void neverMoreInsideThanTheBound() throws InterruptedException {
        AdmissionGate gate = AdmissionGate.builder(3, 1, 1, SystemNanoClock.INSTANCE)
                .sampleEvery(Integer.MAX_VALUE)
                .build();
        AtomicLong inside = new AtomicLong();
        AtomicLong most = new AtomicLong();
        CountDownLatch done = new CountDownLatch(4);
        for (int t = 0; t < 4; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 20_000; i++) {
                            if (gate.enter(Long.MAX_VALUE, YieldingIdleStrategy.INSTANCE)
                                    .admitted()) {
                                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                inside.decrementAndGet();
                                gate.exit(1);
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(50, TimeUnit.SECONDS)).isTrue();
        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(gate.inside()).isZero();
    }
}
