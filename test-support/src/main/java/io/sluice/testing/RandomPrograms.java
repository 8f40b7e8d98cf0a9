package io.sluice.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs random programs, seed after seed, until a number of steps is done, and makes the first one that fails as short as it can be.
 *
 * <pre>{@code
 * RandomPrograms.of(seed -> SeededProgram.of(seed, 200), program -> {
 *             run(program);
 *             return program.size();
 *         })
 *         .budget("io.sluice.model.steps", 100_000)
 *         .run();
 * }</pre>
 *
 * <p>A failure is an {@link AssertionError} that begins with the seed. The program is run again {@value #RUNS_AGAIN} times: a fault
 * that does not come back each time is called flaky, with how often it came. Then steps are left out, in halves first, then in
 * ever smaller parts, in the end one by one, as long as the same kind of failure comes; then the program is made
 * {@linkplain RandomProgram#simpler() simpler}; and so on until every step is needed. This is the search by halves of Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), without its search for a failing subset.
 *
 * <p>System properties:
 *
 * <ul>
 *   <li>{@code sluice.seed=S}: the program of this seed alone; from this seed on if the budget's property is set too.
 *   <li>{@code sluice.keep=3,7}: with {@code sluice.seed}, only these of its steps. A failure prints both.
 *   <li>the budget's property: how many steps to run.
 *   <li>{@code sluice.shrinkSeconds}: how long a failing program is made shorter, {@value #SHRINK_SECONDS} unless set; 0: it is
 *       reported as it is.
 * </ul>
 *
 * <p>One thread calls {@link #run()}. The body runs on that thread, or, with a {@link #limit}, on another one.
 *
 * @param <P> the programs
 */
public final class RandomPrograms<P extends RandomProgram<P>> {
    /** How often a program that failed is run again before it is made shorter. */
    public static final int RUNS_AGAIN = 5;

    /** How long a failing program is made shorter, in seconds. */
    public static final int SHRINK_SECONDS = 30;

    private static final long SECOND = 1_000_000_000;

    /** Candidates of a program that hangs are not waited for as long as the first one. */
    private static final Duration SHRINK_LIMIT = Duration.ofSeconds(3);

    /** The length of the part of a message that tells the kind of a failure. */
    private static final int KIND_LENGTH = 80;

    /**
     * Runs a program.
     *
     * @param <P> the program
     */
    @FunctionalInterface
    public interface Body<P> {
        /**
         * Runs a program. If this throws anything, the program fails.
         *
         * @param program what to run
         * @return how many steps it took, which count against the budget
         * @throws Throwable if the program fails
         */
        long run(P program) throws Throwable;
    }

    /**
     * The programs that were run.
     *
     * @param programs how many programs
     * @param steps how many steps they took
     * @param replay whether it was the one program that {@code sluice.seed} asked for; so it says nothing about all programs
     */
    public record Totals(long programs, long steps, boolean replay) {}

    private final LongFunction<P> ofSeed;
    private final Body<P> body;
    private Function<P, String> description = String::valueOf;
    private @Nullable String budgetProperty;
    private long budget = 100_000;
    private @Nullable Long firstSeed;
    private @Nullable Watched watched;

    private RandomPrograms(LongFunction<P> ofSeed, Body<P> body) {
        this.ofSeed = ofSeed;
        this.body = body;
    }

    /**
     * Names the programs. Unless told otherwise it runs 100,000 steps from a random seed on.
     *
     * @param <P> the programs
     * @param ofSeed makes the program of a seed, always the same
     * @param body runs one
     * @return for further settings, and to run
     */
    public static <P extends RandomProgram<P>> RandomPrograms<P> of(LongFunction<P> ofSeed, Body<P> body) {
        return new RandomPrograms<>(ofSeed, body);
    }

    /**
     * Sets how many steps are run at least.
     *
     * @param property the system property that sets another number
     * @param steps the number if the property is not set
     * @return this
     */
    public RandomPrograms<P> budget(String property, long steps) {
        budgetProperty = property;
        budget = steps;
        return this;
    }

    /**
     * Begins with the same seed in each run. Otherwise it begins with a random one.
     *
     * @param seed the first; the next program has the next number
     * @return this
     */
    public RandomPrograms<P> from(long seed) {
        firstSeed = seed;
        return this;
    }

    /**
     * Runs each program on a thread of its own, a daemon, and takes it for failed if it is not over in time.
     *
     * @param most the time for one program
     * @return this
     */
    public RandomPrograms<P> limit(Duration most) {
        watched = new Watched(most);
        return this;
    }

    /**
     * Sets how a failing program is printed.
     *
     * @param description says what it does; its {@code toString} otherwise
     * @return this
     */
    public RandomPrograms<P> describedBy(Function<P, String> description) {
        this.description = description;
        return this;
    }

    /**
     * Runs the programs.
     *
     * @return what was run
     * @throws AssertionError if one fails, with the shortest program that does
     * @throws InterruptedException if the thread is interrupted; nothing is made shorter then
     */
    public Totals run() throws InterruptedException {
        Long seedAsked = number("sluice.seed");
        Long budgetAsked = budgetProperty == null ? null : number(budgetProperty);
        boolean replay = seedAsked != null && budgetAsked == null;
        long seed = seedAsked != null ? seedAsked : firstSeed != null ? firstSeed : new SplittableRandom().nextLong();
        long most = replay ? 1 : budgetAsked != null ? budgetAsked : budget;
        if (most < 1) {
            throw new IllegalArgumentException(budgetProperty + " must be 1 or more, but was " + most);
        }
        long programs = 0;
        long steps = 0;
        try {
            do {
                steps += one(seed, ofSeed.apply(seed));
                seed++;
                programs++;
            } while (steps < most && !replay);
        } finally {
            if (watched != null) {
                watched.end();
            }
        }
        return new Totals(programs, steps, replay);
    }

    /**
     * Runs one program that does not come from a seed, such as one that a failure has printed.
     *
     * @param name how it is called in the failure
     * @param program the program
     * @return what was run
     * @throws AssertionError if it fails, with the shortest program that does
     * @throws InterruptedException if the thread is interrupted
     */
    public Totals run(String name, P program) throws InterruptedException {
        try {
            Run run = execute(program, false);
            if (run.failure != null) {
                throw failed(name, false, program, all(program.size()), run.failure);
            }
            return new Totals(1, run.steps, true);
        } finally {
            if (watched != null) {
                watched.end();
            }
        }
    }

    private long one(long seed, P whole) throws InterruptedException {
        String name = "-Dsluice.seed=" + seed;
        List<Integer> kept = all(whole.size());
        String asked = System.getProperty("sluice.keep");
        if (asked != null && System.getProperty("sluice.seed") != null) {
            kept = numbers(asked, whole.size());
        }
        Run run = execute(kept.size() == whole.size() ? whole : whole.keep(kept), false);
        if (run.failure != null) {
            throw failed(name, true, whole, kept, run.failure);
        }
        return run.steps;
    }

    // ---- a program that fails

    private AssertionError failed(String name, boolean ofSeed, P whole, List<Integer> kept, Throwable first)
            throws InterruptedException {
        Shrinking shrinking = new Shrinking(whole, kept, first);
        String often = shrinking.search();
        StringBuilder text = new StringBuilder(name).append(often).append(": ").append(shrinking.failure);
        P shortest = shrinking.shortest();
        text.append("\n  ")
                .append(shortest.size())
                .append(" of ")
                .append(whole.size())
                .append(" steps");
        if (shrinking.outOfTime) {
            text.append(", perhaps not the shortest: the time was over");
        }
        if (ofSeed && !shrinking.simplified && shortest.size() < whole.size()) {
            text.append("; again by ").append(name).append(" -Dsluice.keep=");
            text.append(shrinking.kept.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        text.append("\n  ").append(description.apply(shortest).replace("\n", "\n  "));
        return new AssertionError(text.toString(), shrinking.failure);
    }

    /** The search for the shortest program. */
    private final class Shrinking {
        private final String kind;
        private final long deadline;
        private P program;
        private List<Integer> kept;
        private Throwable failure;
        private int tries = 1;
        private boolean simplified;
        private boolean outOfTime;

        Shrinking(P program, List<Integer> kept, Throwable failure) {
            this.program = program;
            this.kept = kept;
            this.failure = failure;
            kind = kind(failure);
            Long seconds = number("sluice.shrinkSeconds");
            deadline = System.nanoTime() + (seconds == null ? SHRINK_SECONDS : seconds) * SECOND;
        }

        P shortest() {
            return kept.size() == program.size() ? program : program.keep(kept);
        }

        /** Looks for the shortest program, and says how often the first one fails. */
        String search() throws InterruptedException {
            if (isOver()) {
                return " fails";
            }
            int again = 0;
            int runs = 0;
            for (P first = shortest(); runs < RUNS_AGAIN && !isOver(); runs++) {
                Throwable next = execute(first, true).failure;
                again += next == null ? 0 : 1;
            }
            if (again == 0) {
                return " is flaky: it failed once, and not in " + runs + " further runs";
            }
            tries = again == runs ? 1 : RUNS_AGAIN;
            boolean shorter = true;
            while (shorter && !isOver()) {
                shorter = leaveOut();
                shorter |= simplify();
            }
            outOfTime = isOver();
            return again == runs ? " fails" : " is flaky: it failed in " + (again + 1) + " of " + (runs + 1) + " runs";
        }

        private boolean isOver() {
            return System.nanoTime() - deadline >= 0;
        }

        private boolean leaveOut() throws InterruptedException {
            boolean shorter = false;
            for (int size = Math.max(1, kept.size() / 2); size > 0; size /= 2) {
                // from the end: a late step depends on earlier ones, not the other way round
                for (int end = kept.size(); end > 0 && !isOver(); ) {
                    int begin = Math.max(0, end - size);
                    List<Integer> fewer = new ArrayList<>(kept);
                    fewer.subList(begin, end).clear();
                    if (stillFails(program.keep(fewer))) {
                        kept = fewer;
                        shorter = true;
                    }
                    end = begin;
                }
            }
            return shorter;
        }

        private boolean simplify() throws InterruptedException {
            boolean any = false;
            boolean simpler = true;
            while (simpler && !isOver()) {
                simpler = false;
                for (P candidate : shortest().simpler()) {
                    if (isOver()) {
                        break;
                    }
                    if (stillFails(candidate)) {
                        program = candidate;
                        kept = all(candidate.size());
                        simplified = true;
                        simpler = true;
                        any = true;
                        break;
                    }
                }
            }
            return any;
        }

        private boolean stillFails(P candidate) throws InterruptedException {
            for (int i = 0; i < tries; i++) {
                Throwable next = execute(candidate, true).failure;
                if (next != null && kind(next).equals(kind)) {
                    failure = next;
                    return true;
                }
            }
            return false;
        }
    }

    /** The kind of a failure: its class and its message, without numbers and names, so that another fault is not followed. */
    private static String kind(Throwable failure) {
        String text = failure.toString()
                .replaceAll("(?s)\\[[^\\]]*\\]|\"[^\"]*\"", "")
                .replaceAll("[A-Za-z]?-?[0-9]+(\\.[0-9]+)*", "");
        return text.substring(0, Math.min(KIND_LENGTH, text.length()));
    }

    // ---- one run

    private record Run(long steps, @Nullable Throwable failure) {}

    private Run execute(P program, boolean shrinking) throws InterruptedException {
        Run run = watched == null ? unwatched(program) : watched.run(program, shrinking);
        // an interrupt asks for an end, and for no shorter program
        if (run.failure instanceof InterruptedException
                || Thread.currentThread().isInterrupted()) {
            InterruptedException end = new InterruptedException("interrupted in a random program");
            end.initCause(run.failure);
            throw end;
        }
        return run;
    }

    @SuppressWarnings("Interruption") // whoever asked for the run looks at what it threw
    private Run unwatched(P program) {
        try {
            return new Run(body.run(program), null);
        } catch (Throwable t) {
            return new Run(0, t);
        }
    }

    /** Runs bodies on a thread that may be left behind. */
    private final class Watched {
        private final Duration most;
        private @Nullable Worker<Run> worker;

        Watched(Duration most) {
            this.most = most;
        }

        Run run(P program, boolean shrinking) throws InterruptedException {
            Duration limit = shrinking && most.compareTo(SHRINK_LIMIT) > 0 ? SHRINK_LIMIT : most;
            Worker<Run> present = worker;
            if (present == null) {
                present = new Worker<>();
                present.start();
                worker = present;
            }
            Run run = present.run(() -> unwatched(program), limit.toNanos());
            if (run != null) {
                return run;
            }
            AssertionError hangs = new AssertionError("it hangs: not over after " + limit.toSeconds() + " s");
            hangs.setStackTrace(present.getStackTrace()); // where it stands is what one wants to know
            end();
            return new Run(0, hangs);
        }

        void end() {
            Worker<Run> present = worker;
            worker = null;
            if (present != null) {
                present.interrupt();
            }
        }
    }

    // ---- properties

    private static List<Integer> all(int size) {
        return IntStream.range(0, size).boxed().toList();
    }

    private static @Nullable Long number(String property) {
        String text = System.getProperty(property);
        if (text == null) {
            return null;
        }
        try {
            return Long.valueOf(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(property + " must be a whole number, but was '" + text + "'", e);
        }
    }

    private static List<Integer> numbers(String text, int size) {
        try {
            List<Integer> numbers = text.isBlank()
                    ? List.of()
                    : Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .map(Integer::valueOf)
                            .toList();
            if (numbers.stream().allMatch(number -> number >= 0 && number < size)
                    && numbers.stream().sorted().distinct().toList().equals(numbers)) {
                return numbers;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("sluice.keep must be rising numbers from 0 to " + (size - 1)
                + " with commas between, but was '" + text + "'");
    }
}
