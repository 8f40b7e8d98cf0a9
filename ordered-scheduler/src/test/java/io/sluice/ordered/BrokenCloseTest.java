package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testing.StackEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A close that breaks in its midst leaves the rest to the next one, of whatever thread: nobody waits for ever. */
@Timeout(110)
class BrokenCloseTest {
    private static final int TICKETS = 4;
    private static final int WHOLE = 24; // in a row: the stack is enough from there on

    private final ExecutorService another = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        another.shutdownNow();
    }

    /** A scheduler with tickets that wait, of which somebody has to take over the rest. */
    private static final class World implements OrderedHandler<String> {
        final OrderedScheduler<String> scheduler;
        private final boolean closesInside;
        private final long[] discarded = new long[2 * TICKETS];
        private int count;

        World(String kind) {
            closesInside = kind.contains("inside");
            var builder = OrderedScheduler.<String>builder(this).window(TICKETS).errorHandler(failure -> {});
            if (kind.contains("unchecked")) {
                builder.unchecked();
            }
            if (kind.contains("handed")) {
                builder.batchLimit(1, task -> {});
            }
            scheduler = builder.build();
            for (int i = 0; i < TICKETS; i++) {
                scheduler.tryNext();
            }
            for (int ticket = 1; ticket < TICKETS; ticket++) {
                scheduler.complete(ticket, "v");
            }
            OrderBuffer buffer = scheduler.delivery.buffer;
            if (kind.contains("handed")) {
                scheduler.complete(0, "v"); // the rest is on its way to an executor that drops it
            } else if (kind.contains("abandoned")) {
                buffer.items[1] = null;
                assertThatThrownBy(() -> scheduler.complete(0, "v")).isInstanceOf(IllegalStateException.class);
            } else if (kind.contains("cut off")) {
                assertThat(buffer.offer(0, OrderBuffer.VALUE, "v")).isEqualTo(OrderBuffer.OURS);
                if (kind.contains("behind")) {
                    buffer.freeSlot(0);
                }
                buffer.cutOff = new StackOverflowError(); // the last that a drainer does there
            }
        }

        /** What the end of the stack is to cut off. */
        void end() {
            if (closesInside) {
                scheduler.complete(0, "v");
            } else {
                scheduler.close();
            }
        }

        @Override
        public void onCompleted(long ticket, String value) {
            if (closesInside) {
                scheduler.close();
            }
        }

        @Override
        public void onDiscarded(long ticket, @Nullable String value) {
            discarded[count++] = ticket;
        }

        List<Long> discarded() {
            return LongStream.of(discarded).limit(count).boxed().toList();
        }
    }

    private boolean settles(World world) {
        world.scheduler.close();
        return world.scheduler.totals().settled();
    }

    private <T> T elsewhere(Callable<T> call) {
        try {
            return another.submit(call).get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** As after two completions at one moment, which only an unchecked scheduler takes. */
    @ParameterizedTest
    @ValueSource(strings = {"turn", "unchecked turn", "handed", "abandoned", "cut off", "cut off behind"})
    void aCloseThatFindsAnItemGoneLeavesTheRestToAnother(String kind) {
        World world = new World(kind);
        world.scheduler.delivery.buffer.items[2] = null;
        assertThatThrownBy(world.scheduler::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("the item of ticket 2 must be in its slot, but is gone");
        assertThat(elsewhere(() -> settles(world))).as("another one ends it").isTrue();
        assertThat(world.discarded()).isEqualTo(kind.equals("abandoned") ? List.of(3L) : List.of(1L, 3L));
        assertThat(world.scheduler.totals().discarded())
                .isEqualTo(world.discarded().size());
    }

    @Test
    void aCloseThatFindsAnItemGoneLeavesTheRestToTheSameThread() {
        World world = new World("turn");
        world.scheduler.delivery.buffer.items[2] = null;
        assertThatThrownBy(world.scheduler::close).isInstanceOf(IllegalStateException.class);
        assertThat(settles(world)).isTrue();
        assertThat(world.discarded()).containsExactly(1L, 3L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"abandoned", "handed"})
    void whoHasGivenTheRoleAwayIsNotTakenForOneThatDelivers(String kind) {
        World world = new World(kind);
        assertThat(world.scheduler.isDelivering()).isFalse();
        assertThat(settles(world)).isTrue();
    }

    @Test
    void aThreadWhoseCloseBrokeIsNotTakenForOneThatDelivers() {
        World world = new World("turn");
        world.scheduler.delivery.buffer.items[2] = null;
        assertThatThrownBy(world.scheduler::close).isInstanceOf(IllegalStateException.class);
        assertThat(world.scheduler.isDelivering()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "turn",
                "handed",
                "abandoned",
                "cut off",
                "inside",
                "turn, then itself",
                "cut off, then itself",
                "inside, then itself"
            })
    @Tag("once")
    @Tag("any-jdk")
    void aCloseThatTheEndOfTheStackCutsOffIsEndedByTheNextOne(String kind) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        int[] cut = {0};
        Thread thread = new Thread(null, () -> cut[0] = cutOff(kind), "shallow", 512 << 10);
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
        assertThat(cut[0]).as("closes that were cut off").isPositive();
    }

    /** Returns how many were cut off. */
    private int cutOff(String kind) {
        int cut = 0;
        int wholeInARow = 0;
        for (int step = -1; wholeInARow < WHOLE; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            World world = new World(kind);
            boolean isWhole = StackEnd.atStep(step, world::end) == null;
            boolean settled = world.scheduler.totals().settled();
            String when = kind + " at step " + step;
            if (kind.contains("itself")) {
                assertThat(settles(world))
                        .as("its own next close ends it, " + when)
                        .isTrue();
            }
            assertThat(elsewhere(() -> settles(world)))
                    .as("the close of another ends it, " + when)
                    .isTrue();
            assertThat(world.discarded()).as(when).isSorted().doesNotHaveDuplicates();
            wholeInARow = isWhole && settled && world.discarded().size() >= 2 ? wholeInARow + 1 : 0;
            cut += isWhole ? 0 : 1;
        }
        return cut;
    }
}
