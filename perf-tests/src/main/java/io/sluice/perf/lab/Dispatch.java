package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;

/** Calls through an interface whose receivers are of so many classes. The figure is nanoseconds a call. */
final class Dispatch implements Contestant {
    private static final int RECEIVERS = 12;
    private static final int TURNS = 500;
    private static final int RUNS_BEFORE = 4_000;

    /** What is called. */
    interface Step {
        long next(long value);
    }

    /** Adds one. */
    static final class One implements Step {
        @Override
        public long next(long value) {
            return value + 1;
        }
    }

    /** Adds two. */
    static final class Two implements Step {
        @Override
        public long next(long value) {
            return value + 2;
        }
    }

    /** Adds three. */
    static final class Three implements Step {
        @Override
        public long next(long value) {
            return value + 3;
        }
    }

    /** Adds four. */
    static final class Four implements Step {
        @Override
        public long next(long value) {
            return value + 4;
        }
    }

    private final Step[] steps;
    private final int classes;

    /**
     * Creates one.
     *
     * @param classes of how many classes the receivers are, 1 to 4
     * @param before how many classes the same call has met before, which the compiler remembers
     */
    Dispatch(int classes, int before) {
        this.classes = classes;
        steps = steps(classes);
        if (before > classes) {
            Step[] others = steps(before);
            for (int i = 0; i < RUNS_BEFORE; i++) {
                run(others, 0); // the same loop, with others, until it is compiled for them
            }
        }
    }

    /** Classes are loaded only where they are used. */
    private static Step[] steps(int classes) {
        Step[] steps = new Step[RECEIVERS];
        for (int i = 0; i < RECEIVERS; i++) {
            steps[i] = switch (i % classes) {
                case 0 -> new One();
                case 1 -> new Two();
                case 2 -> new Three();
                default -> new Four();
            };
        }
        return steps;
    }

    @Override
    public double sample(long nanos) {
        long calls = 0;
        long value = 0;
        long begin = System.nanoTime();
        long now;
        do {
            value = run(steps, value);
            calls += (long) TURNS * RECEIVERS;
            now = System.nanoTime();
        } while (now - begin < nanos);
        long turn = 0;
        for (int i = 0; i < RECEIVERS; i++) {
            turn += i % classes + 1;
        }
        long expected = calls / RECEIVERS * turn;
        if (value != expected) {
            throw new IllegalStateException("the calls must add up to " + expected + ", but did to " + value);
        }
        return (now - begin) / (double) calls;
    }

    private static long run(Step[] steps, long from) {
        long value = from;
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < RECEIVERS; i++) {
                value = steps[i].next(value);
            }
        }
        return value;
    }

    @Override
    public int warmUps() {
        return 6; // its loop is compiled in the first of them
    }
}
