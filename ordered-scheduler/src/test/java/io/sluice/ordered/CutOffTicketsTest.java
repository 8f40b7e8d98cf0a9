package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of the stack cuts off who takes a ticket, at each depth: no ticket is lost, which all behind it would wait for. */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class CutOffTicketsTest {
    private static final long LIMIT = 1_000;

    /** A ticket is the caller's, or not issued; and its time limit holds. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "next limited many",
                "next limited single",
                "next limited tracked stages",
                "try limited many",
                "try tracked single",
                "timed limited many",
                "held limited"
            })
    void whoIsCutOffHasTheTicketOrNobody(String kind) throws Exception {
        assertThat(ChildJvm.run(Tickets.class, List.of("-Xint"), kind)).isEqualTo("all is well\n");
    }

    /** What a caller took a ticket for is handled, or has failed, or the scheduler is halted. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "execute",
                "execute tracked",
                "execute source throws",
                "execute work throws",
                "map here",
                "map elsewhere",
                "map nowhere"
            })
    void whatIsCutOffHoldsUpNobody(String kind) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Items.class, List.of("-Xint"), kind)).isEqualTo("all is well\n");
    }

    static final class Tickets {
        private static long now;

        private Tickets() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(step -> oneIsCutOff(arguments[0], step)));
            System.out.println("all is well");
        }

        private static boolean oneIsCutOff(String kind, int step) {
            var builder = OrderedScheduler.<String>builder((ticket, value) -> {})
                    .window(4)
                    .time(() -> now)
                    .onFailure((cause, value, ticket, attempt) -> FailurePolicy.Action.SKIP)
                    .tickets(kind.contains("single") ? TicketMode.SINGLE : TicketMode.MANY);
            if (kind.contains("limited")) {
                builder.timeLimit(LIMIT);
            }
            if (kind.contains("tracked")) {
                builder.trackOwners();
            }
            OrderedScheduler<String> scheduler = builder.build();
            if (kind.contains("stages")) {
                OrderedScheduler.<String>builder((ticket, value) -> {})
                        .timeLimit(LIMIT)
                        .after(scheduler)
                        .errorHandler(failure -> {})
                        .build();
            }
            Callable<Long> way = way(kind, scheduler);
            long[] ticket = {-1};
            boolean cutOff = StackEnd.atStep(step, () -> ticket[0] = take(way)) != null;
            long issued = scheduler.snapshot().nextTicket();
            assertThat(issued).as("issued, at step %d", step).isEqualTo(ticket[0] + 1);
            if (issued > 0 && kind.contains("limited")) {
                scheduler.expireOverdue();
                now += 2 * LIMIT;
                scheduler.expireOverdue();
                assertThat(scheduler.totals().expired())
                        .as("expired, at step %d", step)
                        .isEqualTo(1);
            } else if (issued > 0) {
                scheduler.complete(ticket[0], "v");
            }
            return cutOff;
        }

        private static Callable<Long> way(String kind, OrderedScheduler<String> scheduler) {
            if (kind.startsWith("next")) {
                return scheduler::next;
            }
            if (kind.startsWith("held")) {
                Ticket<String> held = scheduler.newTicket();
                return () -> held.next().number();
            }
            return kind.startsWith("try") ? scheduler::tryNext : () -> scheduler.next(1, TimeUnit.SECONDS);
        }
    }

    static final class Items {
        private static final ExecutorService ANOTHER = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });

        private Items() {}

        public static void main(String[] arguments) throws InterruptedException {
            String kind = arguments[0];
            StackEnd.onSmallStack(() ->
                    eachDepth(step -> kind.startsWith("map") ? aCallIsCutOff(kind, step) : anItemIsCutOff(kind, step)));
            System.out.println("all is well");
        }

        private static boolean anItemIsCutOff(String kind, int step) {
            var builder = OrderedScheduler.<String>builder((ticket, value) -> {})
                    .window(4)
                    .errorHandler(failure -> {});
            if (kind.contains("tracked")) {
                builder.trackOwners();
            }
            OrderedScheduler<String> scheduler = builder.build();
            Supplier<String> source = kind.contains("source throws") ? Items::throwing : () -> "in";
            Function<String, String> work = kind.contains("work throws") ? in -> throwing() : in -> in;
            GetProcessPush<String, String> items = new GetProcessPush<>(source, work, scheduler);
            boolean[] whole = {false};
            StackEnd.atStep(step, () -> {
                takeHere(items::execute);
                whole[0] = true;
            });
            elsewhere("another execute, after step " + step, () -> takeHere(items::execute));
            elsewhere("the drain, after step " + step, () -> scheduler.drain(Long.MAX_VALUE));
            return !whole[0];
        }

        private static boolean aCallIsCutOff(String kind, int step) {
            Executor executor = kind.contains("here") ? Runnable::run : ANOTHER;
            if (kind.contains("nowhere")) {
                executor = task -> {
                    throw new StackOverflowError();
                };
            }
            MapOrdered<String, String> mapper = new MapOrdered<>(executor, 4, in -> in);
            boolean[] whole = {false};
            StackEnd.atStep(step, () -> {
                takeHere(() -> mapper.map("in").isDone());
                whole[0] = true;
            });
            elsewhere(
                    "another map, after step " + step,
                    () -> takeHere(() -> mapper.map("in").isDone()));
            elsewhere("the drain, after step " + step, () -> mapper.drain(Long.MAX_VALUE));
            return !whole[0];
        }

        private static String throwing() {
            throw new IllegalStateException("tried");
        }

        /** Also where what is taken fails, or the scheduler is halted already. */
        private static boolean takeHere(Callable<?> way) {
            try {
                way.call();
                return true;
            } catch (IllegalStateException e) { // a refusal, or what the source throws
                return false;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        private static void elsewhere(String what, Callable<Boolean> call) {
            try {
                ANOTHER.submit(call).get(20, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError(what, e);
            }
        }
    }

    private static long take(Callable<Long> way) {
        try {
            return way.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void eachDepth(IntPredicate isCutOff) {
        int cutOff = 0;
        for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            boolean cut = isCutOff.test(step);
            cutOff += cut ? 1 : 0;
            wholeInARow = cut ? 0 : wholeInARow + 1;
        }
        assertThat(cutOff).as("calls that were cut off").isPositive();
    }
}
