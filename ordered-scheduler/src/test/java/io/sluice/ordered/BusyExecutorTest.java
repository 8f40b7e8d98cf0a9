package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch limit whose executor does not come to the task: whoever waits goes on in its stead. */
@Tag("concurrency")
@Timeout(60)
class BusyExecutorTest {
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final List<Long> handled = new ArrayList<>();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    /** All its threads take tickets, and no task that is queued behind them begins before they end. */
    @Test
    void theExecutorOfTheWorkersMayBeThatOfTheBatchLimit() throws Exception {
        int inputs = 20_000;
        var scheduler = OrderedScheduler.<Integer>builder((ticket, value) -> handled.add(ticket))
                .window(64)
                .batchLimit(2, pool)
                .build();
        AtomicInteger source = new AtomicInteger();
        var pattern = new GetProcessPush<Integer, Integer>(
                () -> source.get() < inputs ? source.getAndIncrement() : null,
                in -> {
                    long until = System.nanoTime() + in % 64 * 1_000L; // ends out of order
                    while (System.nanoTime() < until) {
                        Thread.onSpinWait();
                    }
                    return in;
                },
                scheduler);
        Future<Long> one = pool.submit(pattern::executeAll);
        Future<Long> other = pool.submit(pattern::executeAll);
        assertThat(one.get(50, TimeUnit.SECONDS) + other.get(50, TimeUnit.SECONDS))
                .isEqualTo(inputs);
        assertThat(scheduler.drain(Duration.ofSeconds(10))).isTrue();
        assertThat(handled).hasSize(inputs).isSorted();
    }

    /** The source keeps one thread, the other waits for the source, and the task of the batch limit for one of the two. */
    @Test
    void whatIsFinishedIsPushedThoughTheSourceIsQuietAndKeepsAllThreadsOfThePool() throws Exception {
        int inputs = 4;
        CountDownLatch pushed = new CountDownLatch(inputs);
        CountDownLatch quiet = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        var scheduler = OrderedScheduler.<Integer>builder((ticket, value) -> {
                    handled.add(ticket);
                    pushed.countDown();
                })
                .window(64)
                .batchLimit(1, pool)
                .build();
        AtomicInteger source = new AtomicInteger();
        var pattern = new GetProcessPush<Integer, Integer>(
                () -> {
                    int next = source.getAndIncrement();
                    if (next < inputs) {
                        return next;
                    }
                    quiet.countDown();
                    await(end);
                    return null;
                },
                in -> {
                    if (in == 0) { // the last to be finished, when the other thread waits for an input
                        await(quiet);
                    }
                    return in;
                },
                scheduler);
        Future<Long> one = pool.submit(pattern::executeAll);
        Future<Long> other = pool.submit(pattern::executeAll);
        try {
            assertThat(pushed.await(20, TimeUnit.SECONDS))
                    .as("pushed while the source is quiet: %s of %d", scheduler, inputs)
                    .isTrue();
        } finally {
            end.countDown();
        }
        assertThat(one.get(20, TimeUnit.SECONDS) + other.get(20, TimeUnit.SECONDS))
                .isEqualTo(inputs);
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("the test ends", e);
        }
    }

    @Test
    void aTakerGoesOnForAnExecutorThatDoesNotBegin() throws Exception {
        List<Runnable> given = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(4)
                .batchLimit(1, given::add)
                .build();
        for (int i = 0; i < 4; i++) {
            scheduler.next();
        }
        for (int i = 3; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(handled).as("the rest is given away").containsExactly(0L);
        for (int i = 4; i < 8; i++) {
            assertThat(scheduler.next()).isEqualTo(i);
        }
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L);
        assertThat(given).as("tasks that wait in the executor").hasSize(1);
        given.get(0).run();
        assertThat(handled).hasSize(4);
    }

    /** Each wait is shorter than the first park. With all of them together the executor has had its time. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1_000, 20_000, 50_000})
    void aTakerThatWaitsShortlyAgainAndAgainGoesOnForAnExecutorThatDoesNotBegin(long nanos) throws Exception {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(4)
                .batchLimit(1, task -> {})
                .build();
        fill(scheduler);
        assertThat(handled).as("the rest is given away").containsExactly(0L);
        assertThat(scheduler.next()).isEqualTo(4); // there is room for one
        for (int i = 5; i < 8; i++) {
            long ticket = OrderedScheduler.TIMED_OUT;
            for (int tries = 0; tries < 10_000 && ticket == OrderedScheduler.TIMED_OUT; tries++) {
                ticket = scheduler.next(nanos, TimeUnit.NANOSECONDS);
            }
            assertThat(ticket).isEqualTo(i);
        }
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L);
    }

    /** As with {@code next}, where the input is read from outside. */
    @Test
    void whoWaitsShortlyForRoomForAnExternalTicketGoesOnForAnExecutorThatDoesNotBegin() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(4)
                .tickets(TicketMode.EXTERNAL)
                .batchLimit(1, task -> {})
                .build();
        for (int i = 3; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        long room = OrderedScheduler.TIMED_OUT;
        for (int tries = 0; tries < 10_000 && room == OrderedScheduler.TIMED_OUT; tries++) {
            room = scheduler.awaitRoom(5, 20_000);
        }
        assertThat(room).isEqualTo(5);
        assertThat(handled).containsExactly(0L, 1L);
    }

    @Test
    void aDrainGoesOnForAnExecutorThatDoesNotBegin() throws Exception {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(4)
                .batchLimit(2, task -> {})
                .build();
        for (int i = 0; i < 4; i++) {
            scheduler.next();
        }
        for (int i = 3; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(scheduler.drain(0)).isFalse();
        assertThat(scheduler.drain(Duration.ofSeconds(30))).isTrue();
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L);
    }

    /** A window of tickets, the first one last. */
    private static void fill(OrderedScheduler<String> scheduler) throws InterruptedException {
        long first = scheduler.next();
        for (int i = 1; i < scheduler.window(); i++) {
            scheduler.complete(scheduler.next(), "v");
        }
        scheduler.complete(first, "v");
    }

    @Test
    void anExecutorThatHasDroppedATaskGetsTheRestAgainSoon() throws Exception {
        List<Runnable> given = new ArrayList<>();
        boolean[] dropped = {false};
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(8)
                .batchLimit(1, task -> {
                    if (dropped[0]) {
                        given.add(task);
                    }
                    dropped[0] = true;
                })
                .build();
        fill(scheduler); // 0 is handled, and the task for the rest is lost
        fill(scheduler); // goes on in the executor's stead while the window is full
        assertThat(given).as("tasks given to it").isNotEmpty();
        while (!given.isEmpty()) {
            given.remove(0).run();
        }
        assertThat(handled).as("though nobody waits").hasSize(16).isSorted();
    }

    @Test
    void anExecutorThatWasShutDownWithTheTaskHoldsUpNobodyLater() throws Exception {
        var executor = Executors.newSingleThreadExecutor();
        var busy = new CountDownLatch(1);
        executor.execute(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                busy.countDown();
            }
        });
        busy.await();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(8)
                .batchLimit(1, executor)
                .build();
        fill(scheduler);
        executor.shutdownNow();
        fill(scheduler);
        fill(scheduler);
        assertThat(handled).as("though nobody waits").hasSize(24).isSorted();
    }

    @Test
    void fewTasksWaitInAnExecutorThatNeverBegins() throws Exception {
        List<Runnable> given = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(8)
                .batchLimit(1, given::add)
                .build();
        for (int i = 0; i < 1_000; i++) {
            fill(scheduler);
        }
        assertThat(scheduler.snapshot().handOvers()).isGreaterThan(4_000);
        assertThat(given).hasSizeLessThan(14);
    }
}
