package io.sluice.ordered;

import io.sluice.testing.RandomProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Random programs on ordered schedulers: what is built, what is called, and what the callbacks call in their turn. */
@SuppressWarnings("EnumOrdinal") // kinds that are alike stand side by side
final class Programs {
    private Programs() {}

    /** What is called. */
    enum Kind {
        TRY_NEXT,
        NEXT,
        COMPLETE,
        RUN,
        FAIL,
        TRASH,
        HANDLE,
        FROM_STAGE,
        GET_PROCESS_PUSH,
        EXPIRE,
        RUN_TASK,
        DRAIN,
        CLOSE
    }

    /** What an executor does with the task that it is given, besides what the program has it call. */
    enum Runs {
        LATER,
        AT_ONCE,
        REFUSED,
        AT_ONCE_THEN_THROWS,
        LATER_AND_THROWS,
        TWICE,
        TWICE_THEN_THROWS
    }

    /** What the failure policy answers. */
    enum Answers {
        HALT,
        SKIP,
        RETRY_THEN_SKIP,
        RETRY_THEN_HALT,
        RETRY,
        THROWS,
        NULL,
        REWIND
    }

    /** The most attempts at a ticket, even if the policy would go on: what retries longer has missed an end. */
    static final int ATTEMPTS = 12;

    /**
     * How a wait goes that finds no room, and what time passes before the call.
     *
     * @param nanos how long it waits at most
     * @param park how long each of its parks takes; 0: its spins take all of its time
     * @param before how much time passes before the call
     */
    record Wait(long nanos, long park, long before) {}

    /** One call, whose numbers are looked at modulo what there is to choose from. */
    record Call(Kind kind, int lane, int stage, int ticket, int fails, boolean error, Wait time) {}

    record Stage(int limit, Runs runs, Answers answers, boolean timed, boolean throwsOnDiscard) {}

    record Setting(int lanes, int window, TicketMode mode, boolean unchecked, long first, List<Stage> stages) {}

    /** The calls from outside, and those of each callback, by its number. */
    record Program(Setting setting, List<Call> outer, List<List<Call>> inner) implements RandomProgram<Program> {
        @Override
        public int size() {
            return outer.size() + inner.stream().mapToInt(List::size).sum();
        }

        /** A callback keeps its number, also if it calls nothing any more. */
        @Override
        public Program keep(List<Integer> steps) {
            Set<Integer> kept = Set.copyOf(steps);
            int[] next = {0};
            UnaryOperator<List<Call>> fewer = calls ->
                    calls.stream().filter(call -> kept.contains(next[0]++)).toList();
            return new Program(
                    setting, fewer.apply(outer), inner.stream().map(fewer).toList());
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder().append(setting).append('\n');
            outer.forEach(call -> text.append("  ").append(call).append('\n'));
            for (int i = 0; i < inner.size(); i++) {
                if (!inner.get(i).isEmpty()) {
                    text.append("  in callback ")
                            .append(i)
                            .append(": ")
                            .append(inner.get(i))
                            .append('\n');
                }
            }
            return text.toString();
        }
    }

    static Program program(long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean stalls = random.nextInt(3) == 0; // executors that do not begin, and many waits
        Setting setting = setting(random, stalls);
        List<Call> outer = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            outer.add(call(random, false, stalls));
        }
        List<List<Call>> inner = new ArrayList<>();
        for (int i = 0; i < 2 * length; i++) {
            List<Call> calls = new ArrayList<>();
            for (int n = random.nextInt(8) - 4; n > 0; n--) {
                calls.add(call(random, true, stalls));
            }
            inner.add(calls);
        }
        return new Program(setting, outer, inner);
    }

    private static Setting setting(SplittableRandom random, boolean stalls) {
        TicketMode mode = TicketMode.values()[random.nextInt(3)];
        boolean unchecked = random.nextInt(4) == 0;
        List<Stage> stages = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            Answers answers = random.nextInt(3) == 0 ? any(random, Answers.values()) : Answers.SKIP;
            stages.add(new Stage(
                    !stalls && random.nextBoolean() ? 0 : 1 + random.nextInt(2),
                    stalls && random.nextInt(4) > 0 ? Runs.LATER : any(random, Runs.values()),
                    answers,
                    !unchecked && random.nextInt(3) == 0,
                    random.nextInt(4) == 0));
        }
        return new Setting(
                random.nextInt(3) == 0 ? 2 : 1,
                1 << random.nextInt(stalls ? 3 : 4),
                mode,
                unchecked,
                random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 0,
                stages);
    }

    private static Call call(SplittableRandom random, boolean inside, boolean stalls) {
        int kind = stalls && random.nextInt(4) == 0 ? 25 : random.nextInt(100);
        return new Call(
                kind < 25
                        ? Kind.TRY_NEXT
                        : kind < 30
                                ? Kind.NEXT
                                : kind < 75
                                        ? Kind.values()[Kind.COMPLETE.ordinal() + random.nextInt(6)]
                                        : kind < 82
                                                ? Kind.GET_PROCESS_PUSH
                                                : kind < 88
                                                        ? Kind.EXPIRE
                                                        : kind < (inside ? 96 : 98)
                                                                ? Kind.RUN_TASK
                                                                : kind < 99 ? Kind.CLOSE : Kind.DRAIN,
                random.nextInt(1 << 10),
                random.nextInt(1 << 10),
                random.nextInt(1 << 10),
                random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(4),
                random.nextInt(12) == 0,
                wait(random));
    }

    /** An executor has 50,000 ns: some waits are over just before that, some then, some go beyond. */
    private static Wait wait(SplittableRandom random) {
        long[] nanos = {1, 1, 25_000, 49_999, 50_000, 130_000};
        long[] park = {0, 0, 1, 25_000, 50_000};
        long[] before = {0, 0, 0, 1, 25_000, 50_000};
        long most = nanos[random.nextInt(nanos.length)];
        long each = park[random.nextInt(park.length)];
        // few parks a wait: in truth they last as long
        return new Wait(each == 1 ? 1 : most, each, before[random.nextInt(before.length)]);
    }

    private static <T> T any(SplittableRandom random, T[] of) {
        return of[random.nextInt(of.length)];
    }
}
