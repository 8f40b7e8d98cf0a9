package io.sluice.perf.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.batching.BatchSink;
import io.sluice.batching.Batcher;
import io.sluice.batching.BatchingConfig;
import io.sluice.core.FailurePolicies;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Smart batching is at or below a lock around the device and a timer of 1 ms: in virtual time, where the same messages meet
 * the same device, and nothing else decides. Against the lock message by message; against the timer in mean, median and 99th
 * percentile up to {@link BatchingBench#WASTE_BEGINS} percent of the device's rate. Beyond that the timer, which then always
 * waits for a full buffer, wins a little, as theory says.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(120)
class VirtualBathtubTest {
    private static final double[] LOADS = {
        1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 85, 88, 90, 92, 95, 98, 100, 110, 120
    };
    private static final long[] SEEDS = {1, 2, 3};
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Path PLOT = Path.of("..", "docs", "plots", "bathtub-virtual.svg");

    @TempDir
    Path folder;

    @Test
    void noMessageIsLaterThanWithALock() {
        for (long seed : SEEDS) {
            for (double load : LOADS) {
                long[] due = new VirtualBathtub(NANOS, seed).due(load);
                long[] smart = VirtualBathtub.outcome(Approach.SMART, due).done();
                long[] lock = VirtualBathtub.outcome(Approach.LOCK, due).done();
                for (int i = 0; i < due.length; i++) {
                    if (smart[i] > lock[i] || smart[i] < due[i] + Bathtub.SEND_NANOS) {
                        throw new AssertionError("message " + i + " of seed " + seed + " at " + load + " %: due "
                                + due[i] + ", with a lock done " + lock[i] + ", in smart batches " + smart[i]);
                    }
                }
            }
        }
    }

    @Test
    void meanMedianAndTailAreAtOrBelowTheTimers() {
        for (long seed : SEEDS) {
            VirtualBathtub bathtub = new VirtualBathtub(4 * NANOS, seed);
            for (double load : LOADS) {
                if (load >= 100) {
                    continue;
                }
                Bathtub.Point timer = bathtub.measure(Approach.TIMER, load);
                Bathtub.Point smart = bathtub.measure(Approach.SMART, load);
                String what = "seed " + seed + ", " + smart + " beside " + timer;
                double times = load <= BatchingBench.WASTE_BEGINS ? 1 : BatchingBench.WASTE;
                assertThat(smart.meanNanos()).as(what).isLessThanOrEqualTo(timer.meanNanos() * times);
                assertThat((double) smart.medianNanos()).as(what).isLessThanOrEqualTo(timer.medianNanos() * times);
                assertThat((double) smart.p99Nanos()).as(what).isLessThanOrEqualTo(timer.p99Nanos() * times);
                assertThat(smart.saturated()).as(what).isFalse();
            }
        }
    }

    /** The stand-alone batcher over a queue sends each message when the handler on a ring does. */
    @Test
    void theBatcherSendsTheSameBatches() {
        for (double load : LOADS) {
            long[] due = new VirtualBathtub(NANOS / 4, 5).due(load);
            VirtualBathtub.Outcome onRing = VirtualBathtub.outcome(Approach.SMART, due);
            VirtualBathtub.Outcome onQueue = batcher(due);
            assertThat(onQueue.sends()).as("at " + load + " %").isEqualTo(onRing.sends());
            assertThat(Arrays.equals(onQueue.done(), onRing.done()))
                    .as("times at " + load + " %")
                    .isTrue();
        }
    }

    private static VirtualBathtub.Outcome batcher(long[] due) {
        long[] done = new long[due.length];
        long[] now = {0};
        int[] taken = {0};
        long[] sends = {0};
        BatchSink device = batch -> {
            sends[0]++;
            now[0] += Bathtub.SEND_NANOS;
            for (int i = 0; i < batch.messages(); i++) {
                done[(int) batch.sequence(i)] = now[0];
            }
            batch.buffer().position(batch.buffer().limit());
        };
        Batcher<Integer> batcher = new Batcher<>(
                (consumer, limit) -> {
                    if (taken[0] == due.length || due[taken[0]] > now[0]) {
                        return 0;
                    }
                    consumer.accept(taken[0]++);
                    return 1;
                },
                (number, buffer, offset) -> Bathtub.MESSAGE,
                device,
                BatchingConfig.defaults().bufferSize(Bathtub.BUFFER),
                FailurePolicies.halt());
        while (taken[0] < due.length) {
            if (batcher.doWork() == 0) {
                now[0] = due[taken[0]];
            }
        }
        return new VirtualBathtub.Outcome(done, sends[0]);
    }

    /**
     * What comes out is what theory says: the queue with Poisson arrivals and sends of constant time for up to 16 messages,
     * solved by its Markov chain at the ends of sends, for the rule that sends what there is and the rule that waits for full
     * buffers. Both have the same chain: at less than 16 messages each starts the next send with nothing left behind.
     */
    @Test
    void meansAreThoseOfTheMarkovChain() {
        for (double load : new double[] {10, 40, 60, 80, 90, 95}) {
            double[] mean = theory(load);
            assertThat(mean(Approach.SMART, load)).as("smart at " + load).isCloseTo(mean[0], within(mean[0] * 0.01));
            if (load >= 40) { // below, the timer runs out before a buffer is full
                assertThat(mean(Approach.TIMER, load))
                        .as("timer at " + load)
                        .isCloseTo(mean[1], within(mean[1] * 0.01));
            }
        }
    }

    private static double mean(Approach approach, double load) {
        double sum = 0;
        for (long seed = 1; seed <= 4; seed++) {
            sum += new VirtualBathtub(4 * NANOS, seed).measure(approach, load).meanNanos();
        }
        return sum / 4;
    }

    /** Where full buffers begin to pay, and how much they pay at most. */
    @Test
    void fromNinetyFourPercentOnFullBuffersWinLessThanAHundredth() {
        for (int load = 1; load <= 93; load += 4) {
            double[] mean = theory(load);
            assertThat(mean[0]).as("smart at " + load).isLessThan(mean[1]);
        }
        for (int load = 94; load <= 98; load++) {
            double[] mean = theory(load);
            assertThat(mean[0] / mean[1]).as("smart to full buffers at " + load).isBetween(1.0, 1.008);
        }
    }

    /**
     * Mean latencies in nanoseconds: sending what there is, and waiting for full buffers without a timer. By Little's law from
     * the mean number in the system, which is that of a cycle from one end of a send to the next.
     */
    private static double[] theory(double load) {
        int most = Bathtub.IN_BUFFER;
        double send = Bathtub.SEND_NANOS;
        double arrivals = most * load / 100; // in a send
        double rate = arrivals / send;
        double[] left = leftAfterSend(arrivals, most);
        double smartNumber = 0;
        double smartTime = 0;
        double fullNumber = 0;
        double fullTime = 0;
        for (int n = 0; n < left.length; n++) {
            double during = arrivals * send / 2; // of those that arrive in a send, each for half of it in the mean
            smartNumber += left[n] * (Math.max(1, n) * send + during);
            smartTime += left[n] * (send + (n == 0 ? 1 / rate : 0));
            double gathering = 0;
            for (int k = n; k < most; k++) {
                gathering += k / rate;
            }
            fullNumber += left[n] * (gathering + Math.max(most, n) * send + during);
            fullTime += left[n] * (send + Math.max(0, most - n) / rate);
        }
        return new double[] {smartNumber / smartTime / rate, fullNumber / fullTime / rate};
    }

    /** The distribution of how many messages are there when a send ends. */
    private static double[] leftAfterSend(double arrivals, int most) {
        double[] poisson = new double[80];
        poisson[0] = Math.exp(-arrivals);
        for (int k = 1; k < poisson.length; k++) {
            poisson[k] = poisson[k - 1] * arrivals / k;
        }
        double[] left = new double[(int) (100 + 24 / (1 - arrivals / most))];
        left[most] = 1;
        double change;
        do {
            double[] next = new double[left.length];
            for (int n = 0; n < left.length; n++) {
                for (int k = 0; left[n] > 0 && k < poisson.length; k++) {
                    next[Math.min(left.length - 1, Math.max(0, n - most) + k)] += left[n] * poisson[k];
                }
            }
            change = 0;
            for (int n = 0; n < left.length; n++) {
                change += Math.abs(next[n] - left[n]);
            }
            left = next;
        } while (change > 1e-9);
        return left;
    }

    @Test
    void latenciesAreCountedByTheArticlesExample() {
        long send = Bathtub.SEND_NANOS;
        long[] atOnce = new long[10];
        assertThat(VirtualBathtub.outcome(Approach.LOCK, atOnce).done())
                .containsExactly(
                        send, 2 * send, 3 * send, 4 * send, 5 * send, 6 * send, 7 * send, 8 * send, 9 * send,
                        10 * send);
        assertThat(VirtualBathtub.outcome(Approach.SMART, atOnce).done()).containsOnly(send);
        assertThat(VirtualBathtub.outcome(Approach.TIMER, atOnce).done()).containsOnly(Bathtub.TIMER_NANOS + send);
        long[] oneThenNine = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        long[] done = VirtualBathtub.outcome(Approach.SMART, oneThenNine).done();
        assertThat(done[0]).isEqualTo(send);
        assertThat(Arrays.copyOfRange(done, 1, 10)).containsOnly(2 * send);
        long[] seventeen = new long[17];
        assertThat(VirtualBathtub.outcome(Approach.TIMER, seventeen))
                .satisfies(outcome -> assertThat(outcome.sends()).isEqualTo(2))
                .satisfies(outcome -> assertThat(outcome.done()[15]).isEqualTo(send))
                .satisfies(outcome -> assertThat(outcome.done()[16]).isEqualTo(Bathtub.TIMER_NANOS + send));
    }

    @Test
    void theSameSeedGivesTheSameFiguresAndAnotherOneOthers() {
        for (Approach approach : Approach.values()) {
            Bathtub.Point point = new VirtualBathtub(NANOS, 1).measure(approach, 70);
            assertThat(new VirtualBathtub(NANOS, 1).measure(approach, 70)).isEqualTo(point);
            assertThat(new VirtualBathtub(NANOS, 2).measure(approach, 70)).isNotEqualTo(point);
        }
    }

    @Test
    void aDeviceThatIsOverloadedSaturates() {
        VirtualBathtub bathtub = new VirtualBathtub(NANOS, 1);
        for (Approach approach : Approach.values()) {
            Bathtub.Point point = bathtub.measure(approach, 120);
            assertThat(point.saturated()).as(approach.title()).isTrue();
            assertThat(point.sent()).isLessThanOrEqualTo(Bathtub.DEVICE_RATE);
            assertThat(point.maxNanos()).isLessThanOrEqualTo(NANOS);
        }
        assertThat(bathtub.measure(Approach.LOCK, 10).saturated()).isTrue();
    }

    /** {@code ./sluice bench batching --virtual}; the plot of the guide is what it draws. */
    @Test
    void everyCheckHoldsAndThePlotOfTheGuideIsOfToday() throws Exception {
        Path svg = folder.resolve("bathtub.svg");
        Path csv = folder.resolve("bathtub.csv");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = BatchingBench.run(
                List.of("--virtual", "--svg", svg.toString(), "--csv", csv.toString()),
                new PrintStream(out, true, StandardCharsets.UTF_8));
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text)
                .contains("the same messages in virtual time", "everything that must hold is held")
                .doesNotContain("sustained", "FAILS");
        assertThat(Files.readString(csv).lines().filter(line -> line.startsWith("virtual,")))
                .hasSize(16 * 3);
        assertThat(PLOT).hasSameTextualContentAs(svg, StandardCharsets.UTF_8);
    }

    @Test
    void aSlowerSmartBatchFailsTheCheck() {
        Bathtub.Point timer = point(Approach.TIMER, 50, 100_000);
        assertThat(checks(timer, point(Approach.SMART, 50, 100_000))).isTrue();
        assertThat(checks(timer, point(Approach.SMART, 50, 100_001))).isFalse();
        Bathtub.Point busy = point(Approach.TIMER, 95, 100_000);
        assertThat(checks(busy, point(Approach.SMART, 95, 102_000))).isTrue();
        assertThat(checks(busy, point(Approach.SMART, 95, 102_001))).isFalse();
        Bathtub.Point lock = point(Approach.LOCK, 95, 100_000);
        assertThat(checks(lock, point(Approach.SMART, 95, 100_000))).isTrue();
        assertThat(checks(lock, point(Approach.SMART, 95, 100_001))).isFalse();
        assertThat(BatchingBench.virtualChecks(
                        List.of(point(Approach.TIMER, 100, 1), point(Approach.SMART, 100, 1_000))))
                .as("no check at saturation")
                .isEmpty();
    }

    private static boolean checks(Bathtub.Point other, Bathtub.Point smart) {
        List<Check> checks = BatchingBench.virtualChecks(List.of(other, smart));
        assertThat(checks).hasSize(1);
        return checks.get(0).holds();
    }

    private static Bathtub.Point point(Approach approach, double load, long latency) {
        return new Bathtub.Point(approach, load, 1_000, 1_000, false, latency, latency, latency, latency, 10, 100, 100);
    }
}
