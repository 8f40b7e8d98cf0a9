package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.ChildJvm;
import io.sluice.testing.FullMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A function that leaves no memory takes its turn like any failure. A close that finds none loses no result. */
@Tag("once")
@Timeout(110)
class MapOrderedMemoryTest {
    @Test
    void aFunctionThatLeavesNoMemoryLosesNoTicket() throws Exception {
        assertThat(ChildJvm.run(Hog.class, List.of("-Xmx24m", "-Xms24m")))
                .isEqualTo("0, IllegalStateException, 2\n0, OutOfMemoryError, 2\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outside", "inside"})
    void aCloseThatFindsNoMemoryLeavesEachFutureToTheNextOne(String kind) throws Exception {
        assertThat(ChildJvm.run(Closer.class, List.of("-Xmx24m", "-Xms24m"), kind))
                .isEqualTo("close threw nothing, 16 cancelled\nclose threw an OutOfMemoryError, 16 cancelled\n");
    }

    /** The child: what depends on a result that is cancelled has taken all memory when the next one is to be cancelled. */
    static final class Closer {
        private static final int WINDOW = 16;

        private static boolean isOut;

        private Closer() {}

        public static void main(String[] arguments) throws Exception {
            boolean inside = arguments[0].equals("inside");
            Logger.getLogger("io.sluice.ordered").setLevel(Level.OFF); // a warning would need memory
            round(inside, false); // loads and links all that there would be no memory for
            round(inside, true);
        }

        private static void round(boolean inside, boolean fills) throws Exception {
            isOut = false;
            List<Runnable> tasks = new ArrayList<>();
            var mapper = new MapOrdered<Integer, Integer>(tasks::add, WINDOW, input -> {
                if (inside && input > 1) {
                    throw new IllegalStateException("planned");
                }
                return input;
            });
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < WINDOW; i++) {
                futures.add(mapper.map(i));
            }
            CompletableFuture<Boolean> full = futures.get(1).handle((value, cause) -> {
                if (fills) {
                    fill();
                }
                return true;
            });
            CompletableFuture<Boolean> closed = futures.get(0).handle((value, cause) -> {
                close(mapper);
                return true;
            });
            for (int i = inside ? WINDOW - 1 : 1; i > 0; i--) {
                tasks.get(i).run();
            }
            if (inside) {
                deliver(tasks.get(0));
            } else {
                close(mapper);
            }
            FullMemory.free();
            boolean wasOut = isOut;
            mapper.close();
            int cancelled = full.join() && closed.join() && inside ? 1 : 0; // the first one is delivered
            for (CompletableFuture<Integer> future : futures) {
                cancelled += future.isCancelled() ? 1 : 0;
            }
            System.out.println(
                    "close threw " + (wasOut ? "an OutOfMemoryError, " : "nothing, ") + cancelled + " cancelled");
        }

        private static void fill() {
            try {
                FullMemory.take();
            } catch (OutOfMemoryError full) {
                return; // what depends on a result throws nothing
            }
        }

        private static void deliver(Runnable first) {
            try {
                first.run();
            } catch (OutOfMemoryError lost) {
                return; // the futures tell
            }
        }

        private static void close(MapOrdered<Integer, Integer> mapper) {
            try {
                mapper.close();
            } catch (OutOfMemoryError lost) {
                isOut = true;
            }
        }
    }

    /** The child: the second of three calls has taken all memory when it fails, and gives it back later. */
    static final class Hog {
        private Hog() {}

        public static void main(String[] arguments) throws Exception {
            ExecutorService pool = Executors.newFixedThreadPool(3);
            try {
                round(pool, false); // loads and links all that there would be no memory for
                round(pool, true);
            } finally {
                pool.shutdownNow();
            }
        }

        private static void round(ExecutorService pool, boolean fills) throws Exception {
            AtomicInteger ended = new AtomicInteger();
            CountDownLatch go = new CountDownLatch(1);
            var mapper = new MapOrdered<Integer, Integer>(
                    task -> pool.execute(() -> {
                        try {
                            task.run();
                        } catch (OutOfMemoryError lost) {
                            return; // the futures tell
                        } finally {
                            ended.incrementAndGet();
                        }
                    }),
                    4,
                    input -> {
                        if (input == 0) {
                            await(go);
                        }
                        if (input == 1 && fills) {
                            FullMemory.take();
                        }
                        if (input == 1) {
                            throw new IllegalStateException("planned");
                        }
                        return input;
                    });
            CompletableFuture<Integer> first = mapper.map(0);
            CompletableFuture<Integer> second = mapper.map(1);
            while (ended.get() < 1) {
                Thread.onSpinWait();
            }
            FullMemory.free();
            CompletableFuture<Integer> third = mapper.map(2);
            go.countDown();
            System.out.println(outcome(first) + ", " + outcome(second) + ", " + outcome(third));
            mapper.close();
        }

        private static String outcome(CompletableFuture<Integer> future) throws InterruptedException {
            try {
                return "" + future.get(20, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                return String.valueOf(e.getCause()).replaceAll(".*\\.(\\w+)(:.*)?$", "$1");
            } catch (TimeoutException e) {
                return "never";
            }
        }

        private static void await(CountDownLatch go) {
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
