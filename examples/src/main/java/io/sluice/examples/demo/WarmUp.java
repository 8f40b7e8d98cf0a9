package io.sluice.examples.demo;

import io.sluice.cli.Interruption;
import io.sluice.examples.feed.FeedFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up before anything is timed, as docs/ring.md teaches: the same stages, on rings, books, sockets and journals of their
 * own, go through a full ring that the feed waits for, and through a rate at which they park; several times; then the compilers get
 * time to finish. Nothing of it is left but compiled code.
 *
 * @param rounds how often
 * @param messages messages in a round, at full speed and at the rate together, at most
 * @param nanos how long it took
 */
record WarmUp(int rounds, long messages, long nanos) {
    private static final long SEED = 7;
    private static final long LAST_ROUND_NANOS = TimeUnit.SECONDS.toNanos(6);
    private static final long COMPILING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How much: a round is a run at full speed and one at {@link DemoOptions#FIRST_RATE}. */
    record Size(int rounds, long atFullSpeed, long atRate) {
        /** Enough for all methods that a demo calls for each message to be compiled. */
        static final Size USUAL = new Size(6, 30_000, 10_000);
    }

    /**
     * Warms up.
     *
     * @param size how much
     * @param input what will be run: its format decides what is warmed; its own rows serve if they can not be generated
     * @param format the format of the input
     * @param market runs exchanges
     * @param interruption ends it early
     */
    static WarmUp of(Size size, Input input, FeedFormat format, Market market, Interruption interruption)
            throws Exception {
        long begin = System.nanoTime();
        Input all = format == FeedFormat.ITCH ? Input.generated(size.atFullSpeed(), SEED) : input;
        int rounds = 0;
        while (rounds < size.rounds()
                && System.nanoTime() - begin < LAST_ROUND_NANOS // a busy machine: nobody waits for ever
                && !interruption.requested()) {
            market.rehearse(all.first(size.atFullSpeed()), 0);
            market.rehearse(all.first(size.atRate()), DemoOptions.FIRST_RATE);
            rounds++;
        }
        long end = System.nanoTime() + COMPILING_NANOS;
        for (long left; rounds > 0 && (left = end - System.nanoTime()) > 0 && !interruption.requested(); ) {
            LockSupport.parkNanos(Math.min(left, COMPILING_NANOS / 10));
        }
        return new WarmUp(rounds, size.atFullSpeed() + size.atRate(), System.nanoTime() - begin);
    }

    /** The figures for JSON. */
    Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("rounds", rounds);
        all.put("messagesInRound", messages);
        all.put("seconds", nanos / 1e9);
        return all;
    }
}
