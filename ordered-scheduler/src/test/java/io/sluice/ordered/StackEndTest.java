package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import io.sluice.testing.StackEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A completion that the end of the stack cuts off leaves the scheduler at work, or halted: nobody waits for ever. */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class StackEndTest {
    private static final int TICKETS = 4;

    private final ExecutorService another = Executors.newSingleThreadExecutor();
    private int failed;
    private int halted;

    @AfterEach
    void stop() {
        another.shutdownNow();
    }

    /** A scheduler, of which the work completes one ticket. */
    private static final class World implements OrderedHandler<String> {
        final OrderedScheduler<String> scheduler;
        final long own;
        private final long[] seen = new long[2 * TICKETS];
        private int count;

        World(String kind) {
            var builder = OrderedScheduler.<String>builder(this).window(TICKETS).errorHandler(failure -> {});
            if (kind.contains("unchecked")) {
                builder.unchecked();
            }
            if (kind.contains("handed")) {
                builder.batchLimit(1, task -> {});
            }
            if (kind.contains("timed")) {
                builder.timeLimit(TimeUnit.HOURS.toNanos(1));
            }
            scheduler = builder.build();
            if (kind.contains("stages")) {
                OrderedScheduler.<String>builder((ticket, value) -> {})
                        .after(scheduler)
                        .errorHandler(failure -> {})
                        .build();
            }
            for (int i = 0; i < TICKETS; i++) {
                scheduler.tryNext();
            }
            if (kind.contains("behind")) {
                scheduler.complete(2, "v");
                scheduler.complete(1, "v");
            }
            if (kind.contains("again")) {
                scheduler.complete(0, "v");
            }
            own = kind.contains("left") || kind.contains("again") ? 1 : 0;
        }

        @Override
        public void onCompleted(long ticket, String value) {
            seen[count++] = ticket;
        }

        @Override
        public void onTrashed(long ticket) {
            seen[count++] = ticket;
        }

        List<Long> seen() {
            return LongStream.of(seen).limit(count).boxed().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "first",
                "again",
                "behind",
                "left",
                "unchecked first",
                "unchecked again",
                "unchecked behind",
                "unchecked left",
                "handed behind",
                "timed behind",
                "trash stages",
                "tried first",
                "tried behind"
            })
    void aCompletionThatTheEndOfTheStackCutsOffStopsNobodyForEver(String kind) throws InterruptedException {
        Thread thread = new Thread(null, () -> cutOff(kind), "shallow", 512 << 10);
        List<Throwable> thrown = new ArrayList<>();
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
        assertThat(failed).as("completions that were cut off").isPositive();
    }

    private void cutOff(String kind) {
        warmUp(kind);
        int wholeInARow = 0;
        for (int step = -1; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            World world = new World(kind);
            boolean[] whole = {false};
            Runnable work = () -> {
                complete(kind, world, world.own);
                whole[0] = true;
            };
            StackEnd.atStep(step, work);
            boolean goesOn = elsewhere(() -> goesOn(kind, world));
            String when = kind + " at step " + step;
            assertThat(elsewhere(() -> closes(world)))
                    .as("the close ends, " + when)
                    .isTrue();
            List<Long> seen = world.seen();
            assertThat(seen).as(when).isEqualTo(List.of(0L, 1L, 2L, 3L).subList(0, seen.size()));
            if (goesOn) {
                assertThat(seen).as("handled, " + when).hasSize(TICKETS);
            } else {
                assertThat(world.scheduler.state()).as(when).isEqualTo(State.FAILED);
                halted++;
            }
            failed += whole[0] ? 0 : 1;
            wholeInARow = whole[0] && goesOn ? wholeInARow + 1 : 0;
        }
    }

    private static void complete(String kind, World world, long ticket) {
        if (kind.contains("trash")) {
            world.scheduler.trash(ticket);
        } else {
            world.scheduler.complete(ticket, "v");
        }
    }

    /** Whether the rest is handled; false if the scheduler is halted by then. */
    private static boolean goesOn(String kind, World world) {
        for (long ticket = 0; ticket < TICKETS; ticket++) {
            try {
                world.scheduler.complete(ticket, "v");
            } catch (TicketRefusedException e) {
                assertThat(e.reason()).isNotIn(Reason.EARLY, Reason.NOT_ISSUED); // done already, or halted
            }
        }
        if (kind.contains("tried")) { // by a thread that never waits
            int more = 0;
            while (world.scheduler.tryNext() >= 0) {
                more++;
            }
            boolean ended = world.scheduler.tryNext() == OrderedScheduler.FAILED;
            assertThat(more == TICKETS || ended).as("handled or halted").isTrue();
            return !ended;
        }
        boolean drained = world.scheduler.drain(TimeUnit.SECONDS.toNanos(5));
        assertThat(drained || world.scheduler.state() == State.FAILED)
                .as("handled or halted")
                .isTrue();
        return drained;
    }

    /** Nobody is left who could wake it. */
    @Test
    void aTakerThatWaitsWithoutALimitHearsThatTheDrainerWasCutOff() throws Exception {
        World world = new World("first");
        Future<Long> taker = another.submit(() -> world.scheduler.next(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        while (world.scheduler.snapshot().parks() == 0) {
            Thread.onSpinWait();
        }
        world.scheduler.delivery.buffer.cutOff = new StackOverflowError(); // the last that a drainer does there
        assertThat(taker.get(20, TimeUnit.SECONDS)).isEqualTo(OrderedScheduler.FAILED);
        assertThat(world.scheduler.state()).isEqualTo(State.FAILED);
    }

    private static boolean closes(World world) {
        world.scheduler.close();
        return world.scheduler.totals().settled();
    }

    private boolean elsewhere(java.util.concurrent.Callable<Boolean> call) {
        try {
            return another.submit(call).get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Loads and links the ways of failures: where that fails for want of stack, the JVM never tries it again. */
    private static void warmUp(String kind) {
        World halts = new World(kind);
        halts.scheduler.delivery.failures.report(new StackOverflowError(), "is tried at ticket ", 0, "");
        var fails = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new StackOverflowError();
                })
                .errorHandler(failure -> {})
                .build();
        fails.tryNext();
        fails.complete(0, "v");
        fails.close();
        halts.scheduler.delivery.shutdown.abandon(0, new StackOverflowError());
        halts.scheduler.close();
        World cut = new World(kind);
        cut.scheduler.delivery.buffer.cutOff = new StackOverflowError();
        cut.scheduler.delivery.shutdown.haltIfCutOff();
        cut.scheduler.close();
    }
}
