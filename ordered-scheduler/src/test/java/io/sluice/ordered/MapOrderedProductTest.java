package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over {@link MapOrdered}, on one thread, beside a list of what each result must be: functions that return, throw
 * or return null, executors that refuse, run at once or later in any order, throw after they ran or took the task, results that
 * their holder cancels, drain and close, also from inside a delivery.
 *
 * <p>{@link RandomPrograms} runs them; {@code -Dio.sluice.ordered.steps=N}: so many calls instead of 100,000.
 */
@SuppressWarnings("EnumOrdinal") // an index of counts
class MapOrderedProductTest {
    private static final int LENGTH = 40;

    @Test
    @Timeout(3600)
    void randomProgramsDoWhatTheListSays() throws Exception {
        long[] met = new long[Met.values().length];
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> SeededProgram.of(seed, LENGTH), program -> {
                    new World(program, met).run();
                    return program.size();
                })
                .budget("io.sluice.ordered.steps", 100_000)
                .from(20261123)
                .run();
        if (totals.replay()) {
            return;
        }
        for (Met each : Met.values()) {
            assertThat(met[each.ordinal()]).as(each.toString()).isPositive();
        }
    }

    private enum Met {
        VALUE,
        FAILURE,
        NULL,
        REFUSED_BY_EXECUTOR,
        REFUSED_AFTER_IT_RAN,
        RAN_AFTER_ITS_REFUSAL,
        CANCELLED_BY_HOLDER,
        CANCELLED_BY_CLOSE,
        REFUSED_INSIDE,
        MAPPED_INSIDE,
        CLOSED_INSIDE,
        DRAINED
    }

    /** An input, and what came of it. */
    private static final class Item {
        final int number;
        final int kind;

        @Nullable
        CompletableFuture<Integer> future;

        boolean begun;
        boolean finished;
        /** What the result is; null while it has none. */
        @Nullable
        Met is;

        Item(int number, int kind) {
            this.number = number;
            this.kind = kind;
        }

        Met outcome() {
            return kind == 0 ? Met.FAILURE : kind == 1 ? Met.NULL : kind <= TAKEN ? Met.REFUSED_BY_EXECUTOR : Met.VALUE;
        }

        static final int REFUSED = 2;
        /** The executor takes the task, and refuses it all the same. */
        static final int TAKEN = 3;
    }

    private static final class World {
        private final SeededProgram program;
        private SplittableRandom random;
        private final long[] met;
        private final int window;
        private final MapOrdered<Item, Integer> mapper;
        private final List<Item> items = new ArrayList<>();
        private final List<Runnable> tasks = new ArrayList<>();
        private @Nullable Item present;
        private boolean draining;
        private boolean closed;
        /** The first whose turn is not over. */
        private int head;

        /** Whose delivery is under way; -1 for nobody's. */
        private int delivering = -1;

        private boolean attaching;
        /** Whether a close has cancelled some. */
        private boolean discarded;

        private @Nullable Throwable fault;

        World(SeededProgram program, long[] met) {
            this.program = program;
            random = program.random();
            this.met = met;
            window = 1 << random.nextInt(4);
            mapper = new MapOrdered<>(this::execute, window, this::apply);
        }

        void run() {
            for (int step : program.steps()) {
                random = program.random(step);
                step();
                check();
            }
            random = program.random(-1);
            while (!tasks.isEmpty()) {
                runOne();
                check();
            }
            close();
            check();
            for (Item item : items) {
                assertThat(item.is).as("item %d", item.number).isNotNull();
            }
        }

        private void step() {
            int what = random.nextInt(64);
            if (what < 30) {
                map();
            } else if (what < 56) {
                runOne();
            } else if (what < 61) {
                cancelOne();
            } else if (what == 61 && random.nextInt(4) == 0) {
                drain();
            } else if (what == 62 && random.nextInt(4) == 0) {
                close();
            }
        }

        private void met(Met what) {
            met[what.ordinal()]++;
        }

        // what is called

        private void map() {
            boolean full = items.size() - head >= window;
            if (full && delivering < 0 && !draining && !closed) {
                return; // it would wait
            }
            Item item = new Item(items.size(), random.nextInt(11));
            Item outer = present;
            present = item;
            CompletableFuture<Integer> future = null;
            if (!full && !draining && !closed) {
                items.add(item);
            }
            try {
                future = mapper.map(item);
            } catch (TicketRefusedException refused) {
                assertThat(full || draining || closed)
                        .as("item %d is refused: %s", item.number, refused)
                        .isTrue();
                met(Met.REFUSED_INSIDE);
                return;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                present = outer;
            }
            assertThat(items).as("item %d is accepted", item.number).contains(item);
            if (delivering >= 0) {
                met(Met.MAPPED_INSIDE);
            }
            item.future = future;
            boolean before = attaching;
            attaching = true;
            CompletableFuture<Integer> unused = future.whenComplete((value, thrown) -> {
                try {
                    told(item, value, thrown);
                } catch (Throwable t) { // the future would keep it to itself
                    fault = t;
                }
            });
            attaching = before;
        }

        private void execute(Runnable task) {
            Item item = present;
            if (item == null) {
                throw new AssertionError("a task of no item");
            }
            if (item.kind == Item.REFUSED) {
                item.finished = true;
                throw new RejectedExecutionException("planned");
            }
            Runnable whole = () -> {
                item.begun = item.is == null && !closed;
                item.finished = true;
                boolean before = attaching;
                attaching = false;
                task.run();
                attaching = before;
                assertThat(item.begun)
                        .as("item %d is left uncalled", item.number)
                        .isFalse();
            };
            if (item.kind == Item.TAKEN) {
                tasks.add(whole);
                item.finished = true;
                throw new RejectedExecutionException("planned");
            }
            if (random.nextInt(8) == 0) {
                whole.run();
                if (random.nextBoolean()) {
                    met(Met.REFUSED_AFTER_IT_RAN);
                    throw new RejectedExecutionException("planned");
                }
            } else {
                tasks.add(whole);
            }
        }

        private @Nullable Integer apply(Item item) {
            if (!item.begun) {
                fault = new AssertionError("item " + item.number + " is called though it was cancelled");
            }
            item.begun = false;
            if (item.kind == Item.TAKEN) {
                met(Met.RAN_AFTER_ITS_REFUSAL);
            }
            if (item.outcome() == Met.FAILURE) {
                throw new IllegalArgumentException("planned");
            }
            return item.outcome() == Met.NULL ? null : Integer.valueOf(item.number);
        }

        private void runOne() {
            if (!tasks.isEmpty()) {
                tasks.remove(random.nextInt(tasks.size())).run();
            }
        }

        private void cancelOne() {
            if (!items.isEmpty()) {
                Item item = items.get(random.nextInt(items.size()));
                CompletableFuture<Integer> future = item.future;
                if (future != null && item.is == null) {
                    item.is = Met.CANCELLED_BY_HOLDER;
                    assertThat(future.cancel(false))
                            .as("item %d is cancelled", item.number)
                            .isTrue();
                }
            }
        }

        private void drain() {
            if (delivering >= 0) {
                return; // it would wait for itself
            }
            draining = true;
            advance();
            assertThat(mapper.drain(0)).as("drain").isEqualTo(closed ? !discarded : head == items.size());
            met(Met.DRAINED);
        }

        private void close() {
            advance();
            discarded |= !closed && items.size() > (delivering < 0 ? head : head + 1);
            closed = true;
            mapper.close();
            if (delivering >= 0) {
                met(Met.CLOSED_INSIDE);
            }
        }

        // what is told

        private void told(Item item, @Nullable Integer value, @Nullable Throwable thrown) {
            if (item.is == null && closed && thrown instanceof CancellationException) {
                assertThat(thrown).hasMessage("the mapper must be open until its results are complete, but was closed");
                item.is = Met.CANCELLED_BY_CLOSE;
            } else if (item.is == Met.CANCELLED_BY_HOLDER) {
                assertThat(thrown).isInstanceOf(CancellationException.class);
            } else {
                assertThat(item.is).as("item %d is told again", item.number).isNull();
                advance();
                assertThat(item.number).as("in its turn").isEqualTo(head);
                assertThat(item.finished)
                        .as("item %d, whose work has ended", item.number)
                        .isTrue();
                item.is = item.outcome();
                switch (item.is) {
                    case VALUE -> assertThat(value).isEqualTo(item.number);
                    case FAILURE -> assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
                    case NULL -> assertThat(thrown).isInstanceOf(NullPointerException.class);
                    default -> assertThat(thrown).isInstanceOf(RejectedExecutionException.class);
                }
                if (!attaching && delivering < 0 && random.nextInt(4) == 0) {
                    delivering = item.number;
                    step();
                    delivering = -1;
                }
            }
            met(item.is);
        }

        /** Passes over those whose turn is over. */
        private void advance() {
            while (head < items.size()
                    && head != delivering
                    && items.get(head).finished
                    && items.get(head).is != null) {
                head++;
            }
        }

        private void check() {
            assertThat(fault).isNull();
            advance();
            for (Item item : items) {
                CompletableFuture<Integer> future = item.future;
                assertThat(future != null && future.isDone())
                        .as("item %d is told", item.number)
                        .isEqualTo(item.is != null);
                assertThat(item.is != null || !closed)
                        .as("item %d at the close", item.number)
                        .isTrue();
                if (item.number == head) {
                    assertThat(item.finished && item.is == null)
                            .as("item %d has its turn, and is not told", item.number)
                            .isFalse();
                }
            }
        }
    }
}
