package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy;
import io.sluice.ordered.Oracle.Step;
import io.sluice.ordered.Programs.Answers;
import io.sluice.ordered.Programs.Call;
import io.sluice.ordered.Programs.Kind;
import io.sluice.ordered.Programs.Program;
import io.sluice.ordered.Programs.Runs;
import io.sluice.ordered.Programs.Stage;
import io.sluice.testing.RandomPrograms;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over all that an ordered scheduler can do, on one thread, each callback and each answer compared with an
 * {@link Oracle}: stages, lanes, modes, time limits, failures under each policy, executors of all kinds, ends at any point, and
 * calls from inside handlers and executors.
 *
 * <p>{@link RandomPrograms} runs them; {@code -Dio.sluice.ordered.steps=N}: so many calls instead of 100,000.
 */
class OrderedProductTest {
    private static final int LENGTH = 40;

    @Test
    @Timeout(3600)
    void randomProgramsDoWhatTheOracleDoes() throws Exception {
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> Programs.program(seed, LENGTH), program -> {
                    Run run = new Run(program);
                    if (run.fault != null) {
                        throw new AssertionError(run.fault);
                    }
                    return run.steps();
                })
                .budget("io.sluice.ordered.steps", 100_000)
                .from(20261123)
                .run();
        System.out.println("ordered product: " + totals.programs() + " programs, " + totals.steps() + " calls");
    }

    private static final class Planned extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        Planned(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    private static final class PlannedError extends AssertionError {
        private static final long serialVersionUID = 1L;

        PlannedError(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** What a ticket is failed with: the handler of that stage is to throw so often. */
    private static final class FailedWith extends Exception {
        private static final long serialVersionUID = 1L;
        final String stage;
        final transient Value value;

        FailedWith(String stage, Value value) {
            super("failed", null, false, false);
            this.stage = stage;
            this.value = value;
        }
    }

    private record Value(int fails, boolean error) {}

    /** One run of a program beside its oracle. */
    private static final class Run {
        private final Oracle oracle;
        private final Program program;
        private final List<List<OrderedScheduler<Value>>> lanes = new ArrayList<>();
        private final List<List<Node>> nodes = new ArrayList<>();
        private final ProgramClock clock = new ProgramClock();
        private int nextStep;
        private int nextCallback;
        private int nextLine;

        @Nullable
        String fault;

        Run(Program program) {
            this.program = program;
            oracle = new Oracle(program);
            oracle.run();
            int count = program.setting().lanes();
            for (int lane = 0; lane < count; lane++) {
                nodes.add(new ArrayList<>());
                lanes.add(new ArrayList<>());
            }
            if (count == 1) {
                lanes.get(0).add(builder(0, 0).build());
            } else {
                new KeyedLanes<Value>(count, lane -> builder(lane, 0))
                        .lanes()
                        .forEach(lane -> lanes.get(nextLane()).add(lane));
            }
            for (int lane = 0; lane < count; lane++) {
                for (int stage = 1; stage < program.setting().stages().size(); stage++) {
                    lanes.get(lane)
                            .add(builder(lane, stage)
                                    .after(lanes.get(lane).get(stage - 1))
                                    .build());
                }
            }
            run();
        }

        private int nextLane() {
            int lane = 0;
            while (!lanes.get(lane).isEmpty()) {
                lane++;
            }
            return lane;
        }

        int steps() {
            return oracle.steps.size();
        }

        private OrderedSchedulerBuilder<Value> builder(int lane, int stage) {
            Stage setting = program.setting().stages().get(stage);
            Node node = new Node(lane + "." + stage, setting);
            nodes.get(lane).add(node);
            OrderedSchedulerBuilder<Value> builder = OrderedScheduler.<Value>builder(node)
                    .window(program.setting().window())
                    .tickets(program.setting().mode())
                    .firstTicket(program.setting().first())
                    .time(clock)
                    .onFailure(node::failed)
                    .errorHandler(node::reported);
            if (setting.limit() > 0) {
                builder.batchLimit(setting.limit(), node::execute);
            }
            if (program.setting().unchecked()) {
                builder.unchecked();
            } else if (setting.timed()) {
                builder.timeLimit(1);
            }
            return builder;
        }

        private void run() {
            for (int i = 0; i < program.outer().size() && fault == null; i++) {
                step();
                compareStates();
            }
            if (fault == null && nextLine != oracle.log.size()) {
                fault = "nothing more happened, expected was " + oracle.log.get(nextLine);
            }
        }

        private void compareStates() {
            if (nextStep < oracle.steps.size() || fault != null) {
                return; // the oracle has run to its end already
            }
            for (int lane = 0; lane < lanes.size(); lane++) {
                for (int stage = 0; stage < lanes.get(lane).size(); stage++) {
                    OrderedScheduler<Value> real = lanes.get(lane).get(stage);
                    Oracle.StageState expected = oracle.lanes.get(lane).stages.get(stage);
                    TicketTotals account = real.totals();
                    TicketTotals plain = new TicketTotals(
                            account.issued(),
                            account.delivered(),
                            account.failed(),
                            account.trashed(),
                            account.expired(),
                            account.discarded(),
                            account.open(),
                            account.settled(),
                            null);
                    String name = lane + "." + stage;
                    check("state of " + name, expected.life, real.state());
                    check("account of " + name, expected.totals(), plain);
                    check(
                            "onDiscarded of " + name + " threw",
                            expected.discardFailed,
                            account.discardFailure() != null);
                    check("cause of " + name, expected.cause, described(real.failure()));
                    check("head of " + name, expected.head, real.snapshot().head());
                }
            }
        }

        private void check(String what, Object expected, Object got) {
            if (fault == null && !expected.equals(got)) {
                fault = what + " is " + got + ", expected was " + expected;
            }
        }

        private static String described(@Nullable Throwable cause) {
            return cause == null
                    ? "none"
                    : (cause instanceof Error ? "AssertionError " : "IllegalStateException ") + cause.getMessage();
        }

        private void line(String line) {
            if (fault == null) {
                String expected = nextLine < oracle.log.size() ? oracle.log.get(nextLine++) : "nothing";
                if (!expected.equals(line)) {
                    fault = "\"" + line + "\" came, expected was \"" + expected + "\"";
                }
            }
        }

        private void callback(String line) {
            line(line);
            if (fault == null) {
                int number = nextCallback++;
                for (int n = oracle.callbacks.get(number); n > 0 && fault == null; n--) {
                    step();
                }
            }
        }

        private void step() {
            int number = nextStep++;
            Step step = oracle.steps.get(number);
            clock.pass(Oracle.STEP + step.call.time().before());
            String result = result(step);
            if (fault == null && !result.equals(step.result)) {
                boolean inHand = step.result.equals("IN_HAND")
                        && List.of("DUPLICATE", "EXPIRED", "CLOSED", "FAILED", "null")
                                .contains(result);
                if (!inHand) {
                    fault = "call " + number + ", " + step + ", gave " + result + ", expected was " + step.result;
                }
            }
        }

        private String result(Step step) {
            try {
                return String.valueOf(call(step, lanes.get(step.lane).get(step.stage)));
            } catch (TicketRefusedException e) {
                return e.reason().toString();
            } catch (IllegalArgumentException e) {
                return "IllegalArgumentException";
            } catch (InterruptedException e) {
                return e.toString();
            } catch (Planned e) {
                return String.valueOf(e.getMessage());
            } catch (PlannedError e) {
                return "error";
            } catch (RuntimeException e) {
                return e.toString();
            }
        }

        private @Nullable Object call(Step step, OrderedScheduler<Value> scheduler) throws InterruptedException {
            Call call = step.call;
            long ticket = step.ticket;
            Node node = nodes.get(step.lane).get(step.stage);
            Value value = new Value(call.fails(), call.error());
            return switch (call.kind()) {
                case TRY_NEXT, NEXT -> next(step, scheduler);
                case COMPLETE -> scheduler.complete(ticket, value);
                case RUN -> scheduler.run(ticket, () -> node.turn("task", ticket, value));
                case FAIL -> scheduler.fail(ticket, new FailedWith(node.name, value));
                case TRASH -> scheduler.trash(ticket);
                case HANDLE ->
                    ticket < 0
                            ? scheduler.complete(ticket, value)
                            : scheduler.newTicket().hold(ticket).complete(value);
                case FROM_STAGE -> {
                    scheduler.completeFrom(ticket, CompletableFuture.completedFuture(value));
                    yield null;
                }
                case GET_PROCESS_PUSH -> {
                    if (!step.result.equals("skipped")) {
                        yield getProcessPush(call, scheduler).execute();
                    }
                    boolean helps = program.setting().mode() != TicketMode.EXTERNAL;
                    while (helps) { // it would do this before it waits
                        helps = scheduler.delivery.helpOn();
                    }
                    yield "skipped";
                }
                case EXPIRE -> scheduler.expireOverdue();
                case RUN_TASK -> {
                    Runnable task = node.task;
                    if (task == null) {
                        yield "nothing";
                    }
                    task.run();
                    yield "ran";
                }
                // what must be refused gets time to wait, as in next()
                case DRAIN -> scheduler.drain(step.result.equals("SELF_DEADLOCK") ? 50_000_000 : 0);
                case CLOSE -> {
                    scheduler.close();
                    yield "closed";
                }
            };
        }

        private Object next(Step step, OrderedScheduler<Value> scheduler) {
            if (step.call.kind() == Kind.TRY_NEXT) {
                return program.setting().mode() == TicketMode.EXTERNAL
                        ? scheduler.awaitRoom(step.ticket, 0)
                        : scheduler.tryNext();
            }
            Programs.Wait wait = step.call.time();
            return clock.during(
                    step.waits ? wait : null,
                    scheduler.delivery.admission,
                    () -> program.setting().mode() == TicketMode.EXTERNAL
                            ? scheduler.awaitRoom(step.ticket, wait.nanos())
                            : scheduler.next(wait.nanos(), TimeUnit.NANOSECONDS));
        }

        private static GetProcessPush<String, Value> getProcessPush(Call call, OrderedScheduler<Value> scheduler) {
            return new GetProcessPush<>(
                    () -> {
                        if (call.fails() == 2) {
                            throw new Planned("get");
                        }
                        return call.fails() == 1 ? null : "in";
                    },
                    in -> {
                        if (call.fails() == 3) {
                            if (call.error()) {
                                throw new PlannedError("work");
                            }
                            throw new Planned("work");
                        }
                        return new Value(0, false);
                    },
                    scheduler);
        }

        /** The callbacks of one stage. */
        private final class Node implements OrderedHandler<Value> {
            final String name;
            private final Stage setting;
            private long last = -1;
            private int attempt;

            @Nullable
            Runnable task;

            Node(String name, Stage setting) {
                this.name = name;
                this.setting = setting;
            }

            void turn(String kind, long ticket, Value value) {
                attempt = ticket == last ? attempt + 1 : 1;
                last = ticket;
                int now = attempt;
                callback(kind + " " + name + " " + ticket + " attempt " + now);
                if (now <= value.fails) {
                    String message = name + " " + ticket + " " + now;
                    if (value.error) {
                        throw new PlannedError(message);
                    }
                    throw new Planned(message);
                }
            }

            @Override
            public void onCompleted(long ticket, Value value) {
                turn("value", ticket, value);
            }

            @Override
            public void onFailed(long ticket, Throwable cause) {
                boolean own = cause instanceof FailedWith with && with.stage.equals(name);
                turn("failure", ticket, own ? ((FailedWith) cause).value : new Value(0, false));
            }

            @Override
            public void onTrashed(long ticket) {
                turn("trash", ticket, new Value(0, false));
            }

            @Override
            public void onDiscarded(long ticket, @Nullable Value value) {
                callback("discarded " + name + " " + ticket + " " + (value == null ? "null" : "value"));
                if (setting.throwsOnDiscard()) {
                    throw new Planned("onDiscarded");
                }
            }

            @SuppressWarnings("NullAway") // null on purpose
            FailurePolicy.Action failed(Throwable cause, @Nullable Value value, long ticket, int tries) {
                line("policy " + name + " " + ticket + " attempt " + tries + " " + described(cause));
                if (setting.answers() == Answers.THROWS) {
                    throw new Planned("policy");
                }
                if (setting.answers() == Answers.NULL) {
                    return null;
                }
                if (setting.answers() == Answers.REWIND) {
                    return FailurePolicy.Action.REWIND_BATCH;
                }
                return switch (Oracle.answer(setting.answers(), tries)) {
                    case SKIP -> FailurePolicy.Action.SKIP;
                    case RETRY -> FailurePolicy.Action.RETRY_EVENT;
                    default -> FailurePolicy.Action.HALT;
                };
            }

            void reported(Throwable failure) {
                String message = String.valueOf(failure.getMessage());
                String ticket = message.replaceAll(".*ticket ([0-9]+).*", "$1");
                if (message.contains("discarded the failure")) {
                    line("unheard " + name + " " + ticket);
                    return;
                }
                line((message.endsWith("is halted") ? "halted " : "given up ") + name + " " + ticket + " "
                        + described(failure.getCause()));
            }

            void execute(Runnable given) {
                task = given;
                long head = lanes.get(name.charAt(0) - '0')
                        .get(name.charAt(2) - '0')
                        .snapshot()
                        .head();
                callback("execute " + name + " " + head);
                Runs runs = setting.runs();
                if (runs == Runs.AT_ONCE || runs == Runs.AT_ONCE_THEN_THROWS) {
                    given.run();
                }
                if (runs == Runs.TWICE || runs == Runs.TWICE_THEN_THROWS) {
                    given.run();
                    given.run();
                }
                if (runs == Runs.REFUSED
                        || runs == Runs.AT_ONCE_THEN_THROWS
                        || runs == Runs.LATER_AND_THROWS
                        || runs == Runs.TWICE_THEN_THROWS) {
                    throw new RejectedExecutionException("as planned");
                }
            }
        }
    }

    /** The oracle has a mistake, or the programs do little, if not all of these come about. */
    @Test
    void theProgramsReachWhatTheyAreFor() {
        StringBuilder all = new StringBuilder();
        int refusedDrains = 0;
        int early = 0;
        int[] helps = new int[5];
        for (int seed = 0; seed < 500; seed++) {
            Oracle oracle = new Oracle(Programs.program(seed, LENGTH));
            oracle.run();
            oracle.log.forEach(line -> all.append(line).append('\n'));
            refusedDrains += oracle.drainsRefusedForAStageBefore;
            early += oracle.outcomesTooEarly;
            helps[0] += oracle.helpsInTime;
            helps[1] += oracle.helpsAtLast;
            helps[2] += oracle.helpsFromAHandOver;
            helps[3] += oracle.waitsTooShortToHelp;
            helps[4] += oracle.expiriesByWaits;
            oracle.steps.forEach(step ->
                    all.append(step.call.kind()).append(' ').append(step.result).append('\n'));
        }
        assertThat(refusedDrains).as("from inside a stage before").isPositive();
        assertThat(IntStream.of(helps)).as("what waits do for others").allMatch(count -> count >= 10);
        assertThat(early).as("outcomes that a later stage has no room for").isPositive();
        assertThat(all.toString()
                        .lines()
                        .map(line -> line.replaceAll("[0-9.]+", "#"))
                        .distinct())
                .contains(
                        "TRY_NEXT #",
                        "NEXT SELF_DEADLOCK",
                        "GET_PROCESS_PUSH SELF_DEADLOCK",
                        "COMPLETE NOT_ISSUED",
                        "COMPLETE LATE",
                        "COMPLETE DUPLICATE",
                        "COMPLETE EXPIRED",
                        "COMPLETE EARLY",
                        "FROM_STAGE EARLY",
                        "FROM_STAGE LATE",
                        "FROM_STAGE DUPLICATE",
                        "unheard # #",
                        "COMPLETE CLOSED",
                        "COMPLETE FAILED",
                        "COMPLETE true",
                        "COMPLETE false",
                        "DRAIN SELF_DEADLOCK",
                        "DRAIN true",
                        "RUN_TASK ran",
                        "execute # #",
                        "discarded # # value",
                        "failure # # attempt #",
                        "trash # # attempt #",
                        "task # # attempt #",
                        "halted # # IllegalStateException # # #",
                        "halted # # AssertionError # # #",
                        "given up # # IllegalStateException # # #");
    }
}
