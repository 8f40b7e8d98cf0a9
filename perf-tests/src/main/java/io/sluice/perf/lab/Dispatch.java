package io.sluice.perf.lab;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.jmh.JmhContestant;
import java.util.List;

/** Calls through an interface whose receivers are of so many classes. JMH times {@value #RECEIVERS} calls at a time. */
final class Dispatch implements JmhContestant.Operation {
    private static final int RECEIVERS = 12;
    private static final int RUNS_BEFORE = 1_000_000;

    /** The interface that is called. */
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
    private long value;
    private long expected;

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
                run(others, i); // the same loop, with others, until it is compiled for them
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

    /** An entry of this row. */
    static Entry entry(String id, String label, int classes, int before) {
        JmhContestant.Maker maker = () -> {
            Dispatch dispatch = new Dispatch(classes, before);
            return () -> dispatch;
        };
        return JmhContestant.entry(id, label, maker, RECEIVERS, List.of());
    }

    @Override
    public long run() {
        value = run(steps, value);
        return value;
    }

    @Override
    public void check(long operations) {
        long turn = 0;
        for (int i = 0; i < RECEIVERS; i++) {
            turn += i % classes + 1;
        }
        expected += operations / RECEIVERS * turn;
        if (value != expected) {
            throw new IllegalStateException("the calls must add up to " + expected + ", but did to " + value);
        }
    }

    private static long run(Step[] steps, long from) {
        long value = from;
        for (int i = 0; i < RECEIVERS; i++) {
            value = steps[i].next(value);
        }
        return value;
    }
}
