package io.sluice.perf.backpressure;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.sluice.backpressure.rate.RateLimiter;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.agrona.concurrent.SystemNanoClock;

/** The part of {@code ./sluice bench limiter} beyond its rows: the table of rate errors. */
public final class LimiterSuite {
    /** The word after {@code bench}. */
    public static final String NAME = "limiter";

    private static final double[] RATES = {
        1_000, 10_000, 80_000, 300_000, 1_000_000, 3_333_333, 10_000_000, 33_333_333, 50_000_000
    };
    /** From this rate on, permits are taken by the hundred: a loop cannot take them one by one. */
    private static final double BY_THE_HUNDRED = 1_000_000;

    private static final int WINDOWS = 5;
    private static final int MOST_BURST = 1 << 22;

    /** In percent: a window of a tenth of a second is measured to a few microseconds. */
    private static final double RESOLUTION = 0.01;

    private LimiterSuite() {}

    /**
     * Measures how far the rate that each limiter grants is from the one that was set, and prints it.
     *
     * @param out where to
     * @param nanos for how long each limiter is measured at each rate
     * @return whether the worst error of Sluice is not greater than the worst of each other one, as far as can be told
     */
    public static boolean rateErrors(PrintStream out, long nanos) {
        Map<String, Double> worst = new LinkedHashMap<>();
        out.println();
        out.println("error of the granted rate, in percent of the rate that was set");
        for (double rate : RATES) {
            int portion = rate >= BY_THE_HUNDRED ? 100 : 1;
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %11.0f/s", rate));
            for (Map.Entry<String, Acquire> one : all(rate).entrySet()) {
                double percent = 100 * (medianOfGranted(one.getValue(), portion, nanos) / rate - 1);
                worst.merge(one.getKey(), Math.abs(percent), Math::max);
                line.append(String.format(Locale.ROOT, "  %s %+9.4f", one.getKey(), percent));
            }
            out.println(line);
        }
        double ours = Math.max(worst.getOrDefault("sluice", 0.0), worst.getOrDefault("sluice-multi", 0.0));
        boolean exact = true;
        StringBuilder line = new StringBuilder("  worst      ");
        for (Map.Entry<String, Double> one : worst.entrySet()) {
            exact &= one.getKey().startsWith("sluice") || ours <= Math.max(one.getValue(), RESOLUTION);
            line.append(String.format(Locale.ROOT, "  %s %9.4f", one.getKey(), one.getValue()));
        }
        out.println(line);
        out.println(String.format(
                Locale.ROOT,
                "  Sluice is %s exact, as far as %.2f %% can be told",
                exact ? "the most" : "not the most",
                RESOLUTION));
        return exact;
    }

    /** The median of several windows, since the machine may have held the thread up in one of them. */
    private static double medianOfGranted(Acquire acquire, int portion, long nanos) {
        double[] rates = new double[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            rates[i] = granted(acquire, portion, nanos / WINDOWS);
        }
        Arrays.sort(rates);
        return rates[WINDOWS / 2];
    }

    /** Permits a second between two grants, the first of which waited for its permits and so begins a new count. */
    static double granted(Acquire acquire, int portion, long nanos) {
        long begin = System.nanoTime();
        while (acquire.take(portion) && System.nanoTime() - begin < nanos / 10) {
            // until the stock, if there is one at first, is used up; there are limiters that never refuse
        }
        await(acquire, portion);
        begin = System.nanoTime();
        long count = 0;
        long now;
        do {
            await(acquire, portion);
            count += portion;
            now = System.nanoTime();
        } while (now - begin < nanos);
        return count * 1e9 / (now - begin);
    }

    private static void await(Acquire acquire, int portion) {
        while (!acquire.take(portion)) {
            Thread.onSpinWait();
        }
    }

    private static Map<String, Acquire> all(double rate) {
        Map<String, Acquire> all = new LinkedHashMap<>();
        int burst = (int) Math.min(MOST_BURST, Math.max(200, rate / 20)); // what a held up thread may catch up with
        RateLimiter single = RateLimiter.singleWriter(SystemNanoClock.INSTANCE, burst);
        single.setRate(rate);
        all.put("sluice", single::tryAcquire);
        RateLimiter multi = RateLimiter.multiWriter(SystemNanoClock.INSTANCE, burst);
        multi.setRate(rate);
        all.put("sluice-multi", multi::tryAcquire);
        @SuppressWarnings("UnstableApiUsage") // the class is marked as beta
        com.google.common.util.concurrent.RateLimiter guava =
                com.google.common.util.concurrent.RateLimiter.create(rate);
        all.put("guava", guava::tryAcquire);
        AtomicRateLimiter resilience = new AtomicRateLimiter(
                "bench",
                RateLimiterConfig.custom()
                        .limitForPeriod((int) Math.max(1, Math.round(rate / 1_000)))
                        .limitRefreshPeriod(Duration.ofMillis(1))
                        .timeoutDuration(Duration.ZERO)
                        .build());
        all.put("resilience", resilience::acquirePermission);
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(burst)
                        .refillGreedy(Math.round(rate), Duration.ofSeconds(1))
                        .initialTokens(0))
                .withNanosecondPrecision()
                .build();
        all.put("bucket", permits -> bucket.tryConsume(permits));
        return all;
    }
}
