package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collector;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@link MapOrdered} fails; on one thread, with an executor that runs its tasks when it is told. */
@Timeout(30)
class MapOrderedTest {
    /** Keeps its tasks, or runs one at once, and refuses one when told, also after it took it. */
    private static final class Queue implements Executor {
        final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        boolean refuses;
        boolean runs;
        boolean throwsAfterwards;

        @Override
        public void execute(Runnable task) {
            if (refuses) {
                throw new RejectedExecutionException("no room");
            }
            if (runs) {
                task.run();
            } else {
                tasks.add(task);
            }
            if (throwsAfterwards) {
                throw new RejectedExecutionException("too late");
            }
        }

        void runLast() {
            tasks.removeLast().run();
        }
    }

    private final Queue queue = new Queue();

    private static String twice(String input) {
        if (input.equals("bad")) {
            throw new IllegalStateException("cannot do " + input);
        }
        return input + input;
    }

    private static @Nullable Throwable cause(CompletableFuture<?> future) {
        try {
            future.join();
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    @Test
    void anExceptionTakesItsTurnAndTheRestGoesOn() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var a = mapper.map("a");
            var bad = mapper.map("bad");
            var c = mapper.map("c");
            queue.runLast();
            queue.runLast();
            assertThat(bad).as("fails in its turn, not before").isNotDone();
            assertThat(c).isNotDone();
            queue.runLast();
            assertThat(a).isCompletedWithValue("aa");
            assertThat(cause(bad)).isInstanceOf(IllegalStateException.class).hasMessage("cannot do bad");
            assertThat(c).isCompletedWithValue("cc");
        }
    }

    @Test
    void anErrorOfTheFunctionReachesItsFutureOnly() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, input -> {
            if (input.equals("error")) {
                throw new AssertionError("broken");
            }
            return input;
        })) {
            var error = mapper.map("error");
            var next = mapper.map("next");
            queue.runLast();
            queue.runLast();
            assertThat(cause(error)).isInstanceOf(AssertionError.class).hasMessage("broken");
            assertThat(next).isCompletedWithValue("next");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void aNullOutputIsAFailure() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, input -> null)) {
            var future = mapper.map("a");
            queue.runLast();
            assertThat(cause(future))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("the output must not be null");
        }
    }

    @Test
    void aRefusalOfTheExecutorTakesItsTurnAndLosesNoTicket() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 2, MapOrderedTest::twice)) {
            var a = mapper.map("a");
            queue.refuses = true;
            var refused = mapper.map("b");
            assertThat(refused).as("its turn has not come").isNotDone();
            queue.refuses = false;
            queue.runLast();
            assertThat(a).isCompletedWithValue("aa");
            assertThat(cause(refused))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("no room");
            var c = mapper.map("c"); // the window of two has opened again
            var d = mapper.map("d");
            queue.runLast();
            queue.runLast();
            assertThat(c).isCompletedWithValue("cc");
            assertThat(d).isCompletedWithValue("dd");
        }
    }

    @Test
    void aRefusalAfterTheTaskWasRunChangesNothing() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var a = mapper.map("a");
            queue.runs = true;
            queue.throwsAfterwards = true;
            var b = mapper.map("b");
            assertThat(b).as("its turn has not come").isNotDone();
            queue.runLast();
            assertThat(a).isCompletedWithValue("aa");
            assertThat(b).isCompletedWithValue("bb");
            assertThat(mapper.map("c")).as("run in its turn").isCompletedWithValue("cc");
        }
    }

    @Test
    void aTaskThatRunsAfterItsRefusalChangesNothing() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var a = mapper.map("a");
            queue.throwsAfterwards = true;
            var b = mapper.map("b");
            queue.runLast();
            assertThat(b).as("its turn has not come").isNotDone();
            queue.runLast();
            assertThat(a).isCompletedWithValue("aa");
            assertThat(cause(b)).isInstanceOf(RejectedExecutionException.class).hasMessage("too late");
            var c = mapper.map("c");
            assertThat(cause(c)).hasMessage("too late");
            queue.runLast();
            assertThat(cause(c)).hasMessage("too late");
        }
    }

    @Test
    void closeCancelsWhatWaitsForItsTurnAndWhatEndsLater() throws Exception {
        var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice);
        var head = mapper.map("a");
        var waiting = mapper.map("b");
        queue.runLast();
        assertThat(waiting).isNotDone();
        mapper.close();
        assertThat(waiting).isCancelled();
        assertThat(head).as("its work never ran").isCancelled();
        assertThat(head.handle((value, cause) -> cause).join())
                .isInstanceOf(CancellationException.class)
                .hasMessage("the mapper must be open until its results are complete, but was closed");
        queue.runLast(); // the executor comes to it after the close
        assertThat(head).isCancelled();
        assertThatThrownBy(() -> mapper.map("c")).isInstanceOf(TicketRefusedException.class);
        assertThat(queue.tasks).isEmpty();
    }

    @Test
    void aFailureThatACloseDiscardsIsToldByItsFutureAndNotByTheLogToo() throws Exception {
        var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice);
        var head = mapper.map("bad");
        var waiting = mapper.map("bad");
        queue.runLast();
        List<String> logged = logged(() -> {
            mapper.close();
            queue.runLast(); // begins after the close
        });
        assertThat(head).isCancelled();
        assertThat(waiting).isCancelled();
        assertThat(waiting.handle((value, cause) -> cause).join()).hasRootCauseMessage("cannot do bad");
        assertThat(logged).isEmpty();
    }

    private static List<String> logged(Runnable body) {
        List<String> lines = new ArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.sluice.ordered");
        logger.addHandler(log);
        try {
            body.run();
        } finally {
            logger.removeHandler(log);
        }
        return lines;
    }

    /** What waits is discarded only when the delivery returns, but the close tells it all the same. */
    @Test
    void aFailureThatACloseFromInsideADeliveryDiscardsIsToldByItsFutureAndNotByTheLogToo() throws Exception {
        var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice);
        var head = mapper.map("a");
        var closed = head.thenRun(mapper::close);
        var closedAgain = head.thenRun(mapper::close);
        var neverRun = mapper.map("b");
        var failed = mapper.map("bad");
        var done = mapper.map("c");
        queue.runLast();
        queue.runLast();
        List<String> logged = logged(() -> queue.tasks.removeFirst().run());
        assertThat(head).isCompletedWithValue("aa");
        assertThat(closed).isCompleted();
        assertThat(closedAgain).isCompleted();
        for (var rest : List.of(neverRun, failed, done)) {
            assertThat(rest).isCancelled();
        }
        assertThat(failed.handle((value, cause) -> cause).join())
                .isInstanceOf(CancellationException.class)
                .hasRootCauseMessage("cannot do bad");
        assertThat(done.handle((value, cause) -> cause).join()).hasNoCause();
        assertThat(logged).isEmpty();
        queue.runLast(); // the executor comes to "b" after the close
        mapper.close();
        assertThat(queue.tasks).isEmpty();
    }

    /** Its future was cancelled while its work still ran, and so without a cause. */
    @Test
    void aFailureThatComesBehindACloseFromInsideADeliveryIsLogged() throws Exception {
        var begun = new CountDownLatch(1);
        var isClosed = new CountDownLatch(1);
        var mapper = new MapOrdered<String, String>(queue, 4, input -> {
            if (input.equals("bad")) {
                begun.countDown();
                awaitNow(isClosed);
            }
            return twice(input);
        });
        var head = mapper.map("a");
        var failed = mapper.map("bad");
        Thread worker = new Thread(queue.tasks.removeLast());
        worker.start();
        awaitNow(begun);
        var closed = head.thenRun(() -> {
            mapper.close();
            isClosed.countDown();
            joinNow(worker);
        });
        assertThat(logged(queue::runLast))
                .singleElement()
                .isEqualTo("ordered scheduler has discarded the failure of ticket 1");
        assertThat(closed).isCompleted();
        assertThat(failed).isCancelled();
        assertThat(failed.handle((value, cause) -> cause).join()).hasNoCause();
    }

    /**
     * Two deliveries close each other's mapper, so one of them does not wait for the other. What depends on the failed result closes
     * again, until the other one does not wait either: that goes on and discards the failure, while its future still tells it.
     */
    @Test
    @Tag("concurrency")
    void aFailureIsToldOnceThoughItIsDiscardedWhileItsFutureTellsIt() throws Exception {
        var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice);
        var otherQueue = new Queue();
        var other = new MapOrdered<String, String>(otherQueue, 4, MapOrderedTest::twice);
        var closes = new CountDownLatch(1);
        var closesOther = mapper.map("a").thenRun(() -> {
            awaitNow(closes);
            other.close();
        });
        var failed = mapper.map("bad");
        queue.runLast();
        Thread delivers = new Thread(queue.tasks.removeLast());
        var closesFirst = other.map("b").thenRun(() -> {
            closes.countDown();
            while (delivers.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            mapper.close();
        });
        var closesAgain = failed.exceptionally(cause -> {
            while (delivers.isAlive() && delivers != Thread.currentThread()) {
                mapper.close();
            }
            return "closed again";
        });
        List<String> logged = logged(() -> {
            delivers.start();
            otherQueue.runLast();
            joinNow(delivers);
        });
        assertThat(closesOther).isCompleted();
        assertThat(closesFirst).isCompleted();
        assertThat(closesAgain).isCompletedWithValue("closed again");
        assertThat(failed.handle((value, cause) -> cause).join()).hasRootCauseMessage("cannot do bad");
        assertThat(logged).isEmpty();
    }

    private static void awaitNow(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void joinNow(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** As from outside: what nobody hears of by its future is logged. */
    @Test
    void aFailureThatACloseFromInsideADeliveryDiscardsIsLoggedWhereItsFutureWasCancelledBefore() throws Exception {
        var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice);
        var head = mapper.map("a");
        var closed = head.thenRun(mapper::close);
        var failed = mapper.map("bad");
        queue.runLast();
        failed.cancel(false);
        assertThat(logged(queue::runLast))
                .singleElement()
                .isEqualTo("ordered scheduler has discarded the failure of ticket 1");
        assertThat(closed).isCompleted();
    }

    @Test
    void closeFromInsideADeliveryCancelsTheRestInTheOrderOfTheInputs() throws Exception {
        try (var mapper = new MapOrdered<Integer, Integer>(queue, 4, i -> i)) {
            for (int i = 0; i < 2; i++) { // so that the window begins in the midst of its slots
                var before = mapper.map(i);
                queue.runLast();
                assertThat(before).isCompletedWithValue(i);
            }
            List<Integer> cancelled = new ArrayList<>();
            var closed = mapper.map(2).thenRun(mapper::close);
            for (int i = 3; i < 6; i++) {
                int input = i;
                var rest = mapper.map(i).whenComplete((value, cause) -> cancelled.add(input));
                assertThat(rest).isNotDone();
            }
            queue.tasks.removeFirst().run();
            assertThat(closed).isCompleted();
            assertThat(cancelled).containsExactly(3, 4, 5);
        }
    }

    @Test
    void aCallThatWasCancelledBeforeItBeganIsNotMadeAndKeepsItsTurn() throws Exception {
        List<String> called = new ArrayList<>();
        try (var mapper = new MapOrdered<String, String>(queue, 2, input -> {
            called.add(input);
            return input;
        })) {
            var a = mapper.map("a");
            var b = mapper.map("b");
            a.cancel(false);
            queue.runLast();
            assertThat(b).as("its turn has not come").isNotDone();
            queue.runLast();
            assertThat(b).isCompletedWithValue("b");
            assertThat(called).containsExactly("b");
        }
    }

    @Test
    void closeFromInsideADeliveryCancelsTheRest() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var head = mapper.map("a");
            var closed = head.thenRun(mapper::close);
            var neverRun = mapper.map("b");
            var waiting = mapper.map("c");
            queue.runLast();
            assertThat(waiting).isNotDone();
            queue.tasks.removeFirst().run();
            assertThat(head).isCompletedWithValue("aa");
            assertThat(closed).isCompleted();
            assertThat(waiting).isCancelled();
            assertThat(neverRun).isCancelled();
        }
    }

    /** Each round a close meets calls in every stage, on an executor that drops what it did not begin. */
    @Test
    @Tag("concurrency")
    void everyFutureCompletesWhenACloseComesBetween() throws Exception {
        for (int round = 0; round < 300; round++) {
            ExecutorService executor = Executors.newFixedThreadPool(2);
            var mapper = new MapOrdered<Integer, Integer>(executor, 8, i -> i);
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            Thread caller = new Thread(() -> {
                try {
                    while (true) {
                        futures.add(mapper.map(futures.size()));
                    }
                } catch (TicketRefusedException | InterruptedException ended) {
                    return; // the end of the round
                }
            });
            caller.start();
            for (int i = 0; i < round; i++) {
                Thread.onSpinWait();
            }
            executor.shutdownNow();
            mapper.close();
            caller.join();
            for (int i = 0; i < futures.size(); i++) {
                assertThat(futures.get(i).isDone())
                        .as("round %d, future %d of %d", round, i, futures.size())
                        .isTrue();
            }
        }
    }

    @Test
    void drainTellsWhetherAllResultsAreOut() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var a = mapper.map("a");
            assertThat(mapper.drain(0)).isFalse();
            queue.runLast();
            assertThat(mapper.drain(0)).isTrue();
            assertThat(a).isCompletedWithValue("aa");
        }
    }

    @Test
    void whatDependsOnAResultMayThrow() throws Exception {
        try (var mapper = new MapOrdered<String, String>(queue, 4, MapOrderedTest::twice)) {
            var dependent = mapper.map("a").thenAccept(value -> {
                throw new IllegalStateException("dependent of " + value);
            });
            var b = mapper.map("b");
            queue.runLast();
            queue.runLast();
            assertThat(cause(dependent)).hasMessage("dependent of aa");
            assertThat(b).isCompletedWithValue("bb");
        }
    }

    @Test
    void whoeverMapsInsideTheDeliveryIsRefusedWhenTheWindowIsFull() throws Exception {
        List<Throwable> refusals = new ArrayList<>();
        try (var mapper = new MapOrdered<String, String>(queue, 1, MapOrderedTest::twice)) {
            var first = mapper.map("a");
            var inside = first.thenRun(() -> {
                try {
                    assertThat(mapper.map("b")).as("must have been refused").isNull();
                } catch (InterruptedException | TicketRefusedException e) {
                    refusals.add(e);
                }
            });
            queue.runLast();
            assertThat(inside).isCompleted();
            assertThat(refusals).hasSize(1).first().isInstanceOf(TicketRefusedException.class);
        }
    }

    @Test
    void theCollectorThrowsTheFirstFailureOfTheInputsOrder() {
        Executor direct = Runnable::run;
        assertThatThrownBy(() ->
                        Stream.of("a", "bad", "c").collect(MapOrdered.mapOrdered(direct, 4, MapOrderedTest::twice)))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void theCollectorRefusesToCombine() {
        assertThatThrownBy(() -> combine(MapOrdered.mapOrdered(queue, 4, MapOrderedTest::twice)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("sequential");
    }

    private static <A> A combine(Collector<String, A, List<String>> collector) {
        return collector
                .combiner()
                .apply(collector.supplier().get(), collector.supplier().get());
    }

    @Test
    void anInterruptedCollectorThrowsAndKeepsTheFlag() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(
                            () -> Stream.of("a", "b").collect(MapOrdered.mapOrdered(queue, 1, MapOrderedTest::twice)))
                    .isInstanceOf(CompletionException.class)
                    .hasMessage("map must wait for room in the window of 1 without an interrupt, "
                            + "but the thread was interrupted")
                    .hasCauseInstanceOf(InterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).as("the flag").isTrue();
        }
    }

    @Test
    void theStreamThrowsWhereTheResultWouldHaveComeAndTakesAWindowAheadOnly() {
        AtomicInteger taken = new AtomicInteger();
        AtomicBoolean closed = new AtomicBoolean();
        Stream<String> inputs = Stream.generate(() -> taken.getAndIncrement() == 1 ? "bad" : "a")
                .onClose(() -> closed.set(true));
        Executor direct = Runnable::run;
        try (Stream<String> results = MapOrdered.mapOrdered(inputs, direct, 2, MapOrderedTest::twice)) {
            var iterator = results.iterator();
            assertThat(iterator.next()).isEqualTo("aa");
            assertThatThrownBy(iterator::next)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IllegalStateException.class);
            assertThat(iterator.next()).as("the results behind the failure").isEqualTo("aa");
            assertThat(taken).as("taken ahead").hasValueLessThanOrEqualTo(3 + 2 + 1);
        }
        assertThat(closed).isTrue();
    }

    /** Whoever goes on behind a failure comes to the end, as without one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void aStreamOfWhichAResultFailedHasAllTheOthersAndThenItsEnd(int window) {
        Executor direct = Runnable::run;
        List<String> got = new ArrayList<>();
        try (Stream<String> results =
                MapOrdered.mapOrdered(Stream.of("a", "bad", "c"), direct, window, MapOrderedTest::twice)) {
            var iterator = results.iterator();
            for (boolean ended = false; !ended; ) {
                try {
                    ended = !iterator.hasNext(); // a stream's iterator looks for the next result here
                    got.add(ended ? "end" : iterator.next());
                } catch (CompletionException failed) {
                    got.add("failed");
                }
            }
        }
        assertThat(got).containsExactly("aa", "failed", "cc", "end");
    }

    @Test
    void refusesABadWindow() {
        assertThatThrownBy(() -> new MapOrdered<String, String>(queue, 3, MapOrderedTest::twice))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3");
    }
}
