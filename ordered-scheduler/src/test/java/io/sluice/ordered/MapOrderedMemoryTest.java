package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.ChildJvm;
import io.sluice.testing.FullMemory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A function that leaves no memory takes its turn like any failure. */
@Tag("once")
@Timeout(110)
class MapOrderedMemoryTest {
    @Test
    void aFunctionThatLeavesNoMemoryLosesNoTicket() throws Exception {
        assertThat(ChildJvm.run(Hog.class, List.of("-Xmx24m", "-Xms24m")))
                .isEqualTo("0, IllegalStateException, 2\n0, OutOfMemoryError, 2\n");
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
