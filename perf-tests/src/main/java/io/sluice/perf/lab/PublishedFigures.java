package io.sluice.perf.lab;

import io.sluice.perf.lab.Experiment.Published;
import java.util.List;

/**
 * The figures of the articles, each with its machine and year. Where the machine is {@link Published#NO_MACHINE} the figure has come down
 * to us without one.
 */
final class PublishedFigures {
    /** The paper has the same figures of the same loop, and names the machine that they were measured on. */
    private static final String WESTMERE = "2.4 GHz Intel Westmere EP, by the Disruptor's paper";

    private static final String SANDY_BRIDGE = "Intel Sandy Bridge";
    private static final String SANDY_BRIDGE_LAPTOP = "laptop with a 2.4 GHz Intel Sandy Bridge, Java 1.7.0_04";
    private static final String LINUX = "Linux, " + Published.NO_MACHINE;
    private static final double NANOS_OF_A_MICRO = 1e3;
    private static final double ADDITIONS = 500;
    private static final double TRADES = 50;

    static final List<Published> SINGLE_WRITER = List.of(
            additions("plain", 300, "300 ms", WESTMERE),
            additions("volatile", 4_700, "4,700 ms (with a barrier)", WESTMERE),
            additions("cas", 5_700, "5,700 ms", WESTMERE),
            additions("cas-2", 18_000, "18,000 ms", Published.NO_MACHINE),
            additions("lock", 10_000, "10,000 ms", WESTMERE),
            additions("lock-2", 118_000, "118,000 ms", Published.NO_MACHINE));

    static final List<Published> LOCKS = List.of(
            lock("synchronized", 1, "34.5"),
            lock("synchronized", 2, "20.9"),
            lock("synchronized", 3, "9.3"),
            lock("synchronized", 4, "5.6"),
            lock("reentrant", 1, "43"),
            lock("reentrant", 2, "6.0"),
            lock("reentrant", 3, "24"),
            lock("reentrant", 4, "9.1"));

    static final List<Published> CONDITION = List.of(
            new Published("spin", 50, "less than 50 ns", Published.NO_MACHINE, 2011),
            new Published("condition-pinned", 2_023, "2,023 ns an exchange, pinned", Published.NO_MACHINE, 2011),
            new Published("condition", 16_808, "16,808 ns an exchange", Published.NO_MACHINE, 2011));

    static final List<Published> NOTIFY = List.of(
            new Published("pairs-16", 1_532, "p50 1,532, p99.9 3,175 ns", LINUX, 2015),
            new Published("pairs-256", 1_645, "p50 1,645, p99.9 15,230 ns, max 1.59 ms", LINUX, 2015));

    static final List<Published> MEMORY = List.of(
            new Published("linear", 0.89, "0.89 ns", Published.NO_MACHINE, 2012),
            new Published("page", 3.3, "3.3 ns", Published.NO_MACHINE, 2012),
            new Published("all", 9.5, "9.5 ns (29.4 with another stride)", Published.NO_MACHINE, 2012));

    static final List<Published> DISPATCH =
            List.of(calls("one", "3.1"), calls("two", "1.0"), calls("three", "0.307"), calls("four", "0.277"));

    static final List<Published> SERIALISE = List.of(
            new Published("java", 10_301, "10,301 ns", SANDY_BRIDGE_LAPTOP, 2012),
            new Published("byte-buffer", 354, "354 ns by a ByteBuffer", SANDY_BRIDGE_LAPTOP, 2012),
            new Published("codec", 77, "77 ns by Unsafe", SANDY_BRIDGE_LAPTOP, 2012));

    static final List<Published> TABLES = List.of(
            new Published("objects", 23_074 / TRADES, "23,074 ms for 50 million", Published.NO_MACHINE, 2012),
            new Published("kept", 534 / TRADES, "534 ms for 50 million, off the heap", Published.NO_MACHINE, 2012));

    static final List<Published> ORDERED =
            List.of(new Published("sluice", 100, "100 ns", "AMD EPYC (Zen 4), JDK 17", 2026));

    private PublishedFigures() {}

    /** Milliseconds for 500 million, as nanoseconds for one. */
    private static Published additions(String contestant, double millis, String words, String machine) {
        return new Published(contestant, millis / ADDITIONS, words + " for 500 million", machine, 2011);
    }

    /** Millions a second, as nanoseconds for one. */
    private static Published lock(String name, int threads, String millions) {
        String words = millions + " M/s, " + threads + (threads == 1 ? " thread" : " threads");
        return new Published(
                name + "-" + threads, NANOS_OF_A_MICRO / Double.parseDouble(millions), words, SANDY_BRIDGE, 2011);
    }

    /** Billions a second, as nanoseconds for one. */
    private static Published calls(String contestant, String billions) {
        return new Published(
                contestant,
                1 / Double.parseDouble(billions),
                billions + " billion calls a second",
                Published.NO_MACHINE,
                2012);
    }
}
