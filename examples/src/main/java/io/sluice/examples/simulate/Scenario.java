package io.sluice.examples.simulate;

import io.sluice.backpressure.nak.RateControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * The situations in which a rate control is judged. Each has cases that differ in delay or load; each case is a simulation and the
 * checks of its result. {@code E} is an epoch: the loop delay or the refresh time, whichever is longer.
 */
enum Scenario {
    /** The load is below the service rate, in bursts of half a buffer: no NAK is said, nothing is limited. */
    G1("bursts below capacity") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, MS, 10 * MS}) {
                SimulationSettings s = settings(control, seed, loop, 400);
                s.ticksPerEpoch = 256; // a tick's messages are a small part of a burst
                long burst = 19 * s.epochNanos() / 100;
                long offset = new SplittableRandom(seed).nextLong(10 * s.epochNanos());
                long period = 10 * s.epochNanos();
                s.sender(t -> (t + offset) % period < burst ? 10.76 * MU : 0.76 * MU, 0);
                s.receiver(buffer(4, MU, s), t -> MU);
                cases.add(new Case(
                        loop(loop),
                        s,
                        trace -> List.of(
                                new BoundCheck("NAKs", trace.naks().size(), "<=", 0),
                                new BoundCheck("engagements", (double) trace.engagements(0), "<=", 0),
                                new BoundCheck("drops", (double) trace.dropped(), "<=", 0))));
            }
        }
    },
    /** The service rate steps down, or stops for 200 ms; the side that says NAK goes on. */
    G2("the consumer slows down or stops") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            stepsDown(control, seed, cases, 4, 0);
        }
    },
    /** The whole receiver is frozen for 200 ms, its NAK side too. */
    G2B("the whole receiver is frozen") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, MS, 10 * MS, 100 * MS}) {
                SimulationSettings s = settings(control, seed, loop, 40);
                long e = s.epochNanos();
                long from = 20 * e;
                long to = from + 200 * MS;
                s.durationNanos = to + 60 * e;
                s.sender(t -> 0.95 * MU, 0);
                long buffer = buffer(4, MU, s);
                s.receiver(buffer, t -> MU, t -> t >= from && t < to ? 0 : 1);
                cases.add(new Case(loop(loop), s, trace -> {
                    int first = trace.tick(from);
                    int last = trace.tick(to);
                    long lag = loop / 2;
                    double sent = trace.sending(0, trace.tick(from - lag), trace.tick(to - lag)) * (to - from) / 1e9;
                    double free = buffer * (1 - trace.fill(0, first - 1));
                    double parcel = MU * (2 * s.tickNanos() + s.jitterNanos) / 1e9 + 2;
                    return List.of(
                            new BoundCheck("drops", (double) trace.dropped(), "<=", Math.max(0, sent - free) + parcel),
                            new BoundCheck("epochs to 90 %", epochsBelow(trace, s, last, 0.9 * 0.95 * MU), "<=", 16));
                }));
            }
        }
    },
    /** Demand above the service rate for long: the receiver is kept busy. */
    G3("sustained overload: the receiver is busy") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, 100 * US, MS, 10 * MS, 100 * MS}) {
                for (double load : new double[] {1.4, 2, 10}) {
                    SimulationSettings s = overload(control, seed, loop, load);
                    double bound = loop <= MS ? 0.98 : 0.95;
                    cases.add(new Case(
                            loop(loop) + ", " + load + " times",
                            s,
                            trace -> List.of(
                                    new BoundCheck(
                                            "busy",
                                            trace.busy(0, trace.tick(2 * s.epochNanos()), trace.ticks()),
                                            ">=",
                                            bound),
                                    new BoundCheck("drops", (double) trace.dropped(), "<=", 0))));
                }
            }
        }
    },
    /** How soon the rate is that of the receiver after a step down, from the first NAK on. */
    G4("step down: time to the new rate") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, 10 * US, 100 * US, MS, 10 * MS, 100 * MS}) {
                for (double part : new double[] {0.5, 0.1}) {
                    SimulationSettings s = settings(control, seed, loop, 120);
                    long from = 20 * s.epochNanos() + jitter(seed, s);
                    s.sender(t -> 0.98 * MU, 0);
                    s.receiver(buffer(4, MU, s), t -> t < from ? MU : part * MU);
                    cases.add(new Case(loop(loop) + ", to " + part, s, trace -> {
                        int nak = firstNak(trace, from);
                        double settled = settled(trace, s, nak, part * MU);
                        return List.of(new BoundCheck(
                                "time/(D+refresh)", settled * s.tickNanos() / (s.loopNanos + s.refreshNanos), "<=", 4));
                    }));
                }
            }
        }
    },
    /** How soon the rate is back after a step up, from the end of the plateau on. */
    G5("step up: time to 90 %") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, MS, 100 * MS}) {
                for (int factor : new int[] {2, 10, 100}) {
                    SimulationSettings s = settings(control, seed, loop, 140 + factor);
                    s.ticksPerEpoch = factor == 100 ? 256 : 32; // a tick's messages are a small part of the buffer
                    long e = s.epochNanos();
                    double low = 10 * MU / factor;
                    long up = (90 + (factor > 10 ? 100 : 0)) * e + 4 * jitter(seed, s);
                    s.durationNanos = up + 60 * e;
                    s.sender(t -> 12 * MU, low);
                    s.receiver(
                            buffer(4, low, s) + (long) (4 * 10 * MU * s.jitterNanos / 1e9),
                            t -> t < up ? low : 10 * MU);
                    cases.add(new Case(loop(loop) + ", times " + factor, s, trace -> {
                        long lastNak = 0;
                        for (Trace.SentNak nak : trace.naks()) {
                            if (nak.nanos() < up + e) { // one may be on its way
                                lastNak = nak.nanos();
                            }
                        }
                        long plateau = lastNak + loop / 2 + s.refreshNanos * 5 / 4 + 4 * e;
                        int from = trace.tick(Math.max(up, plateau));
                        return List.of(new BoundCheck(
                                "epochs",
                                epochsUntil(trace, s, from, 0.9 * 10 * MU),
                                "<=",
                                factor == 2 ? 8 : factor == 10 ? 16 : 28));
                    }));
                }
            }
        }
    },
    /** How full the receiver is in steady overload. */
    G6("sustained overload: fill") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, 100 * US, MS, 10 * MS, 100 * MS}) {
                for (double load : new double[] {1.4, 2, 10}) {
                    SimulationSettings s = overload(control, seed, loop, load);
                    cases.add(new Case(loop(loop) + ", " + load + " times", s, trace -> {
                        int from = trace.tick(s.durationNanos / 2);
                        return List.of(
                                new BoundCheck("fill p1", trace.fillPercentile(0, from, trace.ticks(), 1), ">", 0.02),
                                new BoundCheck(
                                        "fill p99", trace.fillPercentile(0, from, trace.ticks(), 99), "<", 0.70));
                    }));
                }
            }
        }
    },
    /** Several senders, one of which starts with ten times the rate of each other. */
    G7("fairness from 10:1") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, MS, 10 * MS}) {
                for (int n : new int[] {2, 4, 8, 16}) {
                    SimulationSettings s = settings(control, seed, loop, 80);
                    double unit = 1.4 * MU / (10 + n - 1);
                    for (int i = 0; i < n; i++) {
                        s.sender(t -> 3 * MU, i == 0 ? 10 * unit : unit);
                    }
                    s.receiver(buffer(4, 1.4 * MU, s), t -> MU);
                    cases.add(new Case(loop(loop) + ", " + n + " senders", s, trace -> {
                        int from = firstNak(trace, 0);
                        int per = (int) (s.epochNanos() / s.tickNanos());
                        double best = Double.POSITIVE_INFINITY; // from when on it is fair over 8 epochs, for 16
                        for (int t = trace.tick(trace.tickNanos() * from + 36 * s.epochNanos()); t > from; t--) {
                            if (jain(trace, t, t + 8 * per) < 0.99) {
                                break;
                            }
                            best = (double) (t - from) / per;
                        }
                        return List.of(
                                new BoundCheck("epochs to Jain 0.99", best, "<=", 16),
                                new BoundCheck(
                                        "Jain at the end",
                                        jain(trace, trace.ticks() - 16 * per, trace.ticks()),
                                        ">=",
                                        0.99));
                    }));
                }
            }
        }
    },
    /** How many NAKs are said in steady overload. */
    G8("sustained overload: NAKs") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, 100 * US, MS, 10 * MS, 100 * MS}) {
                for (double load : new double[] {1.4, 2, 10}) {
                    SimulationSettings s = overload(control, seed, loop, load);
                    cases.add(new Case(
                            loop(loop) + ", " + load + " times",
                            s,
                            trace -> List.of(new BoundCheck(
                                    "most NAKs in a window",
                                    mostNaks(trace, s.durationNanos / 2, window(loop)),
                                    "<=",
                                    1))));
                }
            }
            for (long loop : new long[] {MS, 10 * MS}) {
                SimulationSettings s = settings(control, seed, loop, 120);
                s.backOffNanos = 4 * loop; // part of the loop, and so of the buffer
                s.ticksPerEpoch = 32;
                s.sender(t -> 2 * MU, 0);
                for (int i = 0; i < 1000; i++) {
                    s.receiver(buffer(20, 2 * MU, s), t -> MU);
                }
                cases.add(new Case(
                        loop(loop) + ", 1000 receivers",
                        s,
                        trace -> List.of(
                                new BoundCheck(
                                        "most NAKs in a window",
                                        mostNaks(trace, s.durationNanos / 2, window(loop)),
                                        "<=",
                                        10),
                                new BoundCheck(
                                        "busy",
                                        trace.busy(0, trace.tick(20 * s.epochNanos()), trace.ticks()),
                                        ">=",
                                        0.95))));
            }
        }
    },
    /** The slower of two receivers dies, silently or while it says NAK. */
    G9("a receiver dies") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            for (long loop : new long[] {0, MS, 10 * MS, 100 * MS}) {
                for (boolean naking : new boolean[] {false, true}) {
                    SimulationSettings s = settings(control, seed, loop, 140);
                    long e = s.epochNanos();
                    long death = 80 * e + jitter(seed, s);
                    long stop = death - (naking ? 3 * e : 0);
                    s.sender(t -> 1.5 * MU, 0);
                    long buffer = buffer(4, 1.5 * MU, s);
                    s.receiver(buffer, t -> t < stop ? 0.5 * MU : naking ? 0 : 0.5 * MU, t -> t < death ? 1 : -1);
                    s.receiver(buffer, t -> MU);
                    cases.add(new Case(loop(loop) + (naking ? ", while it says NAK" : ", silently"), s, trace -> {
                        int from = trace.tick(death);
                        // No sender can tell death from a refresh on its way before the refresh is due, with its slack.
                        double window = Math.max(50.0 * MS, s.refreshNanos * 1.5 + s.loopNanos / 2.0 + s.jitterNanos);
                        return List.of(
                                new BoundCheck(
                                        "longest stop/window",
                                        longestStop(trace, from) * s.tickNanos() / window,
                                        "<=",
                                        1 + 2 * s.tickNanos() / window),
                                new BoundCheck("epochs to 99 %", epochsUntil(trace, s, from, 0.99 * MU), "<=", 16));
                    }));
                }
            }
        }
    },
    /** As G2, but NAKs get lost and overtake each other. */
    G10("lost and reordered NAKs") {
        @Override
        void cases(RateControl control, long seed, List<Case> cases) {
            stepsDown(control, seed, cases, 6, 0.05);
        }
    };

    /** The receiver's service rate in all scenarios, messages a second. */
    public static final double MU = 1_000_000;

    private static final long US = 1_000;
    private static final long MS = 1_000_000;

    private final String title;

    /**
     * One simulation and its checks.
     *
     * @param name what makes it different from the others
     * @param settings what to simulate
     * @param judge what must hold
     */
    public record Case(String name, SimulationSettings settings, Function<Trace, List<BoundCheck>> judge) {}

    Scenario(String title) {
        this.title = title;
    }

    /**
     * Its subject.
     *
     * @return a few words
     */
    public String title() {
        return title;
    }

    /**
     * Its cases.
     *
     * @param control which rate control
     * @param seed the seed of everything random
     * @return one or more
     */
    public List<Case> cases(RateControl control, long seed) {
        List<Case> cases = new ArrayList<>();
        cases(control, seed, cases);
        return cases;
    }

    abstract void cases(RateControl control, long seed, List<Case> cases);

    // ---- settings

    private static SimulationSettings settings(RateControl control, long seed, long loop, int epochs) {
        SimulationSettings s = new SimulationSettings();
        s.rateControl = control;
        s.seed = seed;
        s.loopNanos = loop;
        s.refreshNanos = Math.max(loop, MS);
        s.jitterNanos = loop / 20;
        s.durationNanos = epochs * s.epochNanos();
        return s;
    }

    private static long buffer(double factor, double rate, SimulationSettings s) {
        return (long) (factor * rate * (s.epochNanos() + s.jitterNanos) / 1e9);
    }

    private static SimulationSettings overload(RateControl control, long seed, long loop, double load) {
        SimulationSettings s = settings(control, seed, loop, 400);
        s.sender(t -> load * MU, 0);
        s.receiver(buffer(4, load * MU, s), t -> MU);
        return s;
    }

    private static void stepsDown(RateControl control, long seed, List<Case> cases, double factor, double loss) {
        for (long loop : new long[] {0, 10 * US, 100 * US, MS, 10 * MS, 100 * MS}) {
            for (double part : new double[] {0.5, 0.1, 0}) {
                SimulationSettings s = settings(control, seed, loop, 80);
                long e = s.epochNanos();
                long from = 20 * e + jitter(seed, s);
                long to = part == 0 ? from + 200 * MS : Long.MAX_VALUE;
                s.durationNanos = (part == 0 ? to : from) + 100 * e;
                s.nakLoss = loss;
                s.nakReorder = loss;
                s.sender(t -> 0.98 * MU, 0);
                s.receiver(buffer(factor, MU, s), t -> t < from || t >= to ? MU : part * MU);
                cases.add(new Case(
                        loop(loop) + (part == 0 ? ", stop of 200 ms" : ", to " + part),
                        s,
                        trace -> List.of(new BoundCheck("drops", (double) trace.dropped(), "<=", 0))));
            }
        }
    }

    private static long jitter(long seed, SimulationSettings s) {
        return new SplittableRandom(seed ^ 0x5DEECE66DL).nextLong(4 * s.epochNanos());
    }

    private static String loop(long nanos) {
        return nanos >= MS
                ? String.format(Locale.ROOT, "D %d ms", nanos / MS)
                : String.format(Locale.ROOT, "D %d us", nanos / US);
    }

    private static long window(long loop) {
        return Math.min(50 * MS, Math.max(100 * US, loop));
    }

    // ---- figures

    private static double epochsUntil(Trace trace, SimulationSettings s, int from, double rate) {
        for (int t = from; t < trace.ticks(); t++) {
            if (trace.limit(0, t) >= rate) {
                return (double) (t - from) * s.tickNanos() / s.epochNanos();
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    /** Epochs until the limit is below a rate for the last time. */
    private static double epochsBelow(Trace trace, SimulationSettings s, int from, double rate) {
        int last = from;
        for (int t = from; t < trace.ticks(); t++) {
            last = trace.limit(0, t) < rate ? t + 1 : last;
        }
        return (double) (last - from) * s.tickNanos() / s.epochNanos();
    }

    private static int firstNak(Trace trace, long from) {
        for (Trace.SentNak nak : trace.naks()) {
            if (nak.nanos() >= from) {
                return trace.tick(nak.nanos());
            }
        }
        return trace.ticks() - 1;
    }

    /** Ticks until the limit comes to within 10 % of a rate and stays there for four epochs. */
    private static double settled(Trace trace, SimulationSettings s, int from, double rate) {
        int hold = (int) (4 * s.epochNanos() / s.tickNanos());
        int good = 0;
        for (int t = from; t < trace.ticks(); t++) {
            good = Math.abs(trace.limit(0, t) - rate) <= 0.1 * rate ? good + 1 : 0;
            if (good == hold) {
                return t - hold + 1.0 - from;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    private static double jain(Trace trace, int from, int to) {
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < trace.senders(); i++) {
            double rate = trace.sending(i, from, to);
            sum += rate;
            squares += rate * rate;
        }
        return squares == 0 ? 0 : sum * sum / (trace.senders() * squares);
    }

    private static int mostNaks(Trace trace, long from, long window) {
        List<Trace.SentNak> naks = trace.naks();
        int most = 0;
        int first = 0;
        for (int i = 0; i < naks.size(); i++) {
            if (naks.get(i).nanos() < from) {
                first = i + 1;
                continue;
            }
            while (naks.get(i).nanos() - naks.get(first).nanos() >= window) {
                first++;
            }
            most = Math.max(most, i - first + 1);
        }
        return most;
    }

    private static int longestStop(Trace trace, int from) {
        int longest = 0;
        int stop = 0;
        for (int t = from; t < trace.ticks(); t++) {
            stop = trace.limit(0, t) == 0 ? stop + 1 : 0;
            longest = Math.max(longest, stop);
        }
        return longest;
    }
}
