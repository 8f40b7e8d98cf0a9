package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the other stages see, and those who wait for their tickets, when one stage ends. */
@Tag("concurrency")
@Timeout(60)
class StagesEndTogetherTest {
    @SuppressWarnings("StaticAssignmentOfThrowable") // told apart by identity, its stack says nothing
    private static final IllegalStateException BOOM = new IllegalStateException("boom");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> lines = new ArrayList<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private final class Lines implements OrderedHandler<String> {
        private final String name;

        Lines(String name) {
            this.name = name;
        }

        @Override
        public void onCompleted(long ticket, String value) {
            lines.add(name + ticket);
            if (value.equals("fails")) {
                throw BOOM;
            }
        }

        @Override
        public void onDiscarded(long ticket, @Nullable String value) {
            lines.add(name + ticket + "~");
        }
    }

    private OrderedScheduler<String> first(TicketMode mode, int window) {
        return OrderedScheduler.<String>builder(new Lines("a"))
                .tickets(mode)
                .window(window)
                .errorHandler(failure -> {})
                .build();
    }

    private OrderedScheduler<String> second(OrderedScheduler<String> one) {
        return OrderedScheduler.<String>builder(new Lines("b"))
                .after(one)
                .errorHandler(failure -> {})
                .build();
    }

    private static Callable<Long> taker(OrderedScheduler<String> stage, TicketMode mode, long ticket) {
        return mode == TicketMode.EXTERNAL ? () -> stage.awaitRoom(ticket, Long.MAX_VALUE) : stage::next;
    }

    private static void awaitParked(OrderedScheduler<?> stage) {
        while (stage.snapshot().parks() == 0) {
            Thread.onSpinWait();
        }
    }

    private static void take(OrderedScheduler<String> stage, TicketMode mode, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(mode == TicketMode.EXTERNAL ? stage.awaitRoom(i, 0) : stage.tryNext())
                    .isEqualTo(i);
        }
    }

    private static void refused(Future<Long> waiting, TicketMode mode, long code, Reason reason, State state)
            throws Exception {
        if (mode == TicketMode.EXTERNAL) {
            assertThat(waiting.get()).isEqualTo(code);
            return;
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::get)
                .havingCause()
                .isInstanceOfSatisfying(
                        TicketRefusedException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason))
                .withMessageContaining("but the scheduler is " + state);
    }

    @ParameterizedTest
    @EnumSource(TicketMode.class)
    void whoWaitsForATicketIsToldThatALaterStageHasHalted(TicketMode mode) throws Exception {
        var one = first(mode, 1);
        var two = second(one);
        take(one, mode, 1);
        Future<Long> waiting = threads.submit(taker(one, mode, 1));
        awaitParked(one);
        one.complete(0, "v");
        two.complete(0, "fails");
        refused(waiting, mode, OrderedScheduler.FAILED, Reason.FAILED, State.FAILED);
        assertThat(one.state()).isEqualTo(State.FAILED);
        assertThat(one.failure()).isSameAs(BOOM);
        assertThat(two.failure()).isSameAs(BOOM);
        assertThat(mode == TicketMode.EXTERNAL ? one.awaitRoom(1, 0) : one.tryNext())
                .isEqualTo(OrderedScheduler.FAILED);
    }

    @ParameterizedTest
    @EnumSource(TicketMode.class)
    void whoWaitsForATicketIsToldThatALaterStageIsClosed(TicketMode mode) throws Exception {
        var one = first(mode, 2);
        var two = second(one);
        take(one, mode, 2);
        Future<Long> waiting = threads.submit(taker(one, mode, 2));
        awaitParked(one);
        one.complete(0, "v");
        two.close();
        refused(waiting, mode, OrderedScheduler.CLOSED, Reason.CLOSED, State.DRAINING);
        one.complete(1, "v");
        assertThat(lines).as("what is outstanding goes on").containsExactly("a0", "a1");
        assertThat(one.drain(0)).isTrue();
        one.close();
        assertThat(one.totals().delivered()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(TicketMode.class)
    void whoWaitsForATicketIsToldThatALaterStageDrains(TicketMode mode) throws Exception {
        var one = first(mode, 1);
        var two = second(one);
        take(one, mode, 1);
        Future<Long> waiting = threads.submit(taker(one, mode, 1));
        awaitParked(one);
        assertThat(two.drain(0)).isEqualTo(mode == TicketMode.EXTERNAL); // nothing was completed
        refused(waiting, mode, OrderedScheduler.CLOSED, Reason.CLOSED, State.DRAINING);
        one.complete(0, "v");
        two.complete(0, "v");
        assertThat(lines).containsExactly("a0", "b0");
        assertThat(one.drain(0)).isTrue();
        assertThat(two.drain(0)).isTrue();
    }

    @Test
    void whoWaitsForRoomAtALaterStageIsToldThatTheFirstIsClosed() throws Exception {
        var one = first(TicketMode.EXTERNAL, 1);
        var two = second(one);
        Future<Long> waiting = threads.submit(taker(two, TicketMode.EXTERNAL, 1));
        awaitParked(two);
        one.close();
        assertThat(waiting.get()).isEqualTo(OrderedScheduler.CLOSED);
        two.complete(0, "v");
        assertThat(lines).containsExactly("b0");
    }

    /** The items that wait in the first stage when the second halts: discarded by the finisher of the head, or by a close. */
    @ParameterizedTest
    @EnumSource(TicketMode.class)
    void whatWaitsInTheOtherStageIsAccountedForAfterAHalt(TicketMode mode) {
        for (boolean headComes : new boolean[] {true, false}) {
            lines.clear();
            var one = first(mode, 4);
            var two = second(one);
            take(one, mode, 4);
            one.complete(0, "v");
            one.complete(2, "v");
            two.complete(0, "fails");
            if (headComes) {
                assertThat(one.complete(1, "v")).isTrue();
                assertThat(one.totals().settled()).isTrue();
            }
            one.close();
            two.close();
            assertThat(lines).isEqualTo(headComes ? List.of("a0", "b0", "a1~", "a2~") : List.of("a0", "b0", "a2~"));
            assertThat(one.totals().delivered()).isEqualTo(1);
            assertThat(one.totals().discarded()).isEqualTo(headComes ? 2 : 1);
            assertThat(one.state()).isEqualTo(State.FAILED);
        }
    }

    @Test
    void ofTwoHaltsAllStagesKeepOneCause() throws Exception {
        for (int round = 0; round < 200; round++) {
            List<Throwable> reports = new ArrayList<>();
            var one = OrderedScheduler.<String>builder((ticket, value) -> {
                        if (ticket == 1) {
                            throw new IllegalStateException("one");
                        }
                    })
                    .window(4)
                    .errorHandler(report(reports))
                    .build();
            var two = OrderedScheduler.<String>builder((ticket, value) -> {
                        throw new IllegalStateException("two");
                    })
                    .after(one)
                    .errorHandler(report(reports))
                    .build();
            take(one, TicketMode.MANY, 2);
            one.complete(0, "v");
            Future<?> other = threads.submit(() -> two.complete(0, "v"));
            one.complete(1, "v");
            other.get();
            assertThat(one.failure()).as("round %d", round).isNotNull().isSameAs(two.failure());
            one.close();
            two.close();
            // the second stage may have ended before it was called, or have discarded what the first one failed with
            assertThat(reports).as("round %d", round).hasSizeBetween(1, 3);
            assertThat(reports.stream().map(Throwable::getCause)).contains(one.failure());
        }
    }

    /** The next stage is told in its turn; by default it would halt too. */
    @Test
    void aFailureThatIsHandedOnIsReportedOnceAndKeepsItsCause() {
        List<Throwable> reports = new ArrayList<>();
        var one = OrderedScheduler.<String>builder(new Lines("a"))
                .name("one")
                .errorHandler(report(reports))
                .build();
        var two = OrderedScheduler.<String>builder(new Lines("b"))
                .name("two")
                .after(one)
                .errorHandler(report(reports))
                .build();
        take(one, TicketMode.MANY, 2);
        one.complete(0, "fails");
        assertThat(one.failure()).isSameAs(BOOM);
        assertThat(two.failure()).isSameAs(BOOM);
        assertThat(reports)
                .hasSize(1)
                .first()
                .satisfies(report -> assertThat(report).hasMessage("one failed at ticket 0 and is halted"));
        assertThat(two.totals().failed()).isEqualTo(1);
    }

    @Test
    void aTicketFailedByItsOwnerIsReportedOnceForAllStages() {
        List<Throwable> reports = new ArrayList<>();
        var one = OrderedScheduler.<String>builder(new Lines("a"))
                .errorHandler(report(reports))
                .build();
        var two = OrderedScheduler.<String>builder(new Lines("b"))
                .after(one)
                .errorHandler(report(reports))
                .build();
        take(one, TicketMode.MANY, 1);
        one.fail(0, BOOM);
        assertThat(reports).hasSize(1);
        assertThat(one.failure()).isInstanceOf(TicketFailedException.class).isSameAs(two.failure());
    }

    private static org.agrona.ErrorHandler report(List<Throwable> reports) {
        return failure -> {
            synchronized (reports) {
                reports.add(failure);
            }
        };
    }

    // ---- who would have to make room itself ----

    /** The first stage holds the ticket up too, and is not the caller's: that it moves on must not be waited for. */
    @Test
    void whoDeliversALaterStageIsRefusedATicketAlsoWhileAnEarlierOneIsFull() {
        var one = first(TicketMode.MANY, 2);
        List<Object> seen = new ArrayList<>();
        var two = OrderedScheduler.<String>builder((ticket, value) -> seen.add(nextOf(one)))
                .after(one)
                .build();
        take(one, TicketMode.MANY, 2);
        two.complete(0, "v");
        assertThat(seen).containsExactly(Reason.SELF_DEADLOCK);
        one.complete(0, "v");
        assertThat(one.tryNext()).isEqualTo(2);
    }

    private static Object nextOf(OrderedScheduler<String> scheduler) {
        try {
            return scheduler.next();
        } catch (TicketRefusedException e) {
            return e.reason();
        } catch (InterruptedException e) {
            return e;
        }
    }

    /** While it waits for the first stage, another taker gets the ticket; from then on it would wait for itself. */
    @Test
    void whoDeliversALaterStageIsRefusedOnceItWouldWaitForItself() throws Exception {
        for (int round = 0; round < 200; round++) {
            var one = first(TicketMode.MANY, 2);
            List<Object> seen = new ArrayList<>();
            var two = OrderedScheduler.<String>builder((ticket, value) -> {
                        while (ticket == 1 && !seen.contains(Reason.SELF_DEADLOCK)) {
                            seen.add(nextOf(one));
                        }
                    })
                    .after(one)
                    .build();
            take(one, TicketMode.MANY, 2);
            two.complete(0, "v");
            Future<Boolean> inHandler = threads.submit(() -> two.complete(1, "v"));
            awaitParked(one); // in the first stage's window: ticket 2 would have room in the second
            one.complete(0, "v");
            long mine = one.tryNext(); // mostly before the parked one is awake
            assertThat(inHandler.get()).isTrue();
            assertThat(seen)
                    .as("round %d, ticket %d was taken here", round, mine)
                    .endsWith(Reason.SELF_DEADLOCK);
        }
    }

    /** A lock stands before the ticket: its holder waits for the room that the caller would have to make. */
    @Test
    void whoDeliversIsRefusedAnInputWhileAnotherThreadWaitsForOne() throws Exception {
        List<Object> seen = new ArrayList<>();
        List<GetProcessPush<String, String>> self = new ArrayList<>();
        List<OrderedScheduler<String>> held = new ArrayList<>();
        var entered = new CountDownLatch(1);
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket > 0) {
                        return;
                    }
                    entered.countDown();
                    awaitParked(held.get(0)); // the other thread has the lock
                    try {
                        seen.add(self.get(0).execute());
                    } catch (TicketRefusedException e) {
                        seen.add(e.reason());
                    }
                })
                .window(1)
                .build();
        self.add(new GetProcessPush<>(() -> "in", in -> "out", scheduler));
        held.add(scheduler);
        Future<Boolean> delivering = threads.submit(() -> self.get(0).execute());
        entered.await();
        Future<Boolean> waiting = threads.submit(() -> self.get(0).execute());
        assertThat(delivering.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly(Reason.SELF_DEADLOCK);
    }

    // ---- who would wait for itself at the end

    /** What is left in a later stage has yet to come there through the caller. */
    @ParameterizedTest
    @EnumSource(TicketMode.class)
    @Timeout(10)
    void whoDeliversAnEarlierStageIsRefusedTheDrainOfALaterOne(TicketMode mode) {
        List<Object> seen = new ArrayList<>();
        List<OrderedScheduler<String>> later = new ArrayList<>();
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket == 0) {
                        later.forEach(stage -> seen.add(drainOf(stage)));
                    }
                })
                .tickets(mode)
                .window(2)
                .build();
        later.add(second(one));
        later.add(second(later.get(0)));
        take(one, mode, 2);
        later.forEach(stage -> stage.complete(1, "v"));
        one.complete(1, "v");
        one.complete(0, "v");
        assertThat(seen).containsExactly(Reason.SELF_DEADLOCK, Reason.SELF_DEADLOCK);
        later.forEach(stage -> stage.complete(0, "v"));
        later.forEach(stage -> assertThat(stage.drain(0)).isTrue());
    }

    private static Object drainOf(OrderedScheduler<String> stage) {
        try {
            return stage.drain(Long.MAX_VALUE);
        } catch (TicketRefusedException e) {
            return e.reason();
        }
    }

    @Test
    void whoDeliversALaterStageMayWaitForTheDrainOfAnEarlierOne() throws Exception {
        var one = first(TicketMode.MANY, 2);
        List<Object> seen = new ArrayList<>();
        CountDownLatch entered = new CountDownLatch(1);
        var two = OrderedScheduler.<String>builder((ticket, value) -> {
                    entered.countDown();
                    seen.add(drainOf(one));
                })
                .after(one)
                .build();
        take(one, TicketMode.MANY, 2);
        one.complete(0, "v");
        Future<Boolean> inHandler = threads.submit(() -> two.complete(0, "v"));
        entered.await();
        one.complete(1, "v");
        assertThat(inHandler.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly(true);
    }

    @Test
    void theDrainOfALaterStageThatHasEndedWaitsForNobody() {
        List<Object> seen = new ArrayList<>();
        List<OrderedScheduler<String>> later = new ArrayList<>();
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    later.get(0).close();
                    seen.add(drainOf(later.get(0)));
                })
                .build();
        later.add(second(one));
        take(one, TicketMode.MANY, 1);
        one.complete(0, "v");
        assertThat(seen).containsExactly(false);
    }

    /** One closes the stage of the other, who closes or drains that of the first: each would wait for the other's call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoWhoEndEachOthersStageFromInsideTheirHandlersComeBack(boolean closes) throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        List<Object> seen = new ArrayList<>();
        List<OrderedScheduler<String>> later = new ArrayList<>();
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    both.await();
                    later.get(0).close();
                })
                .build();
        var two = OrderedScheduler.<String>builder((ticket, value) -> {
                    both.await();
                    if (closes) {
                        one.close();
                    } else {
                        seen.add(drainOf(one));
                    }
                })
                .after(one)
                .build();
        later.add(two);
        take(one, TicketMode.MANY, 2);
        Future<Boolean> first = threads.submit(() -> one.complete(0, "v"));
        Future<Boolean> second = threads.submit(() -> two.complete(0, "v"));
        assertThat(first.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).isEqualTo(closes ? List.of() : List.of(Reason.SELF_DEADLOCK));
        assertThat(two.totals().settled()).isTrue();
        one.close();
        assertThat(one.totals().settled()).isTrue();
    }

    /** Two schedulers; each handler waits until the other's is done, for as long as it may. */
    @Test
    void ofTwoWhoDrainEachOthersSchedulerFromInsideTheirHandlersOneIsRefused() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        List<Object> seen = new ArrayList<>();
        List<OrderedScheduler<String>> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int other = 1 - i;
            all.add(OrderedScheduler.<String>builder((ticket, value) -> {
                        both.await();
                        Object drained = drainOf(all.get(other));
                        synchronized (seen) {
                            seen.add(drained);
                        }
                    })
                    .build());
        }
        List<Future<Boolean>> calls = new ArrayList<>();
        for (OrderedScheduler<String> scheduler : all) {
            take(scheduler, TicketMode.MANY, 1);
        }
        for (OrderedScheduler<String> scheduler : all) {
            calls.add(threads.submit(() -> scheduler.complete(0, "v")));
        }
        for (Future<Boolean> call : calls) {
            assertThat(call.get(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(seen).contains(Reason.SELF_DEADLOCK);
    }

    private void allComeBack(List<OrderedScheduler<String>> schedulers) throws Exception {
        List<Future<Boolean>> calls = new ArrayList<>();
        for (OrderedScheduler<String> scheduler : schedulers) {
            calls.add(threads.submit(() -> scheduler.complete(0, "v")));
        }
        for (Future<Boolean> call : calls) {
            assertThat(call.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void ofThreeWhoDrainInACircleOneIsRefused() throws Exception {
        int count = 3;
        CyclicBarrier inside = new CyclicBarrier(count);
        List<Object> seen = Collections.synchronizedList(new ArrayList<>());
        List<OrderedScheduler<String>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int next = (i + 1) % count;
            OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                        inside.await();
                        seen.add(drainOf(all.get(next)));
                    })
                    .build();
            take(scheduler, TicketMode.MANY, 1);
            all.add(scheduler);
        }
        allComeBack(all);
        assertThat(seen).contains(Reason.SELF_DEADLOCK);
    }

    /** The later stage's own handler is not under way: what is left there waits in the stage before it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoDrainsALaterStageIsRefusedWhereTheStageBeforeItWaitsForTheCaller(boolean closes) throws Exception {
        CyclicBarrier inside = new CyclicBarrier(2);
        List<Object> seen = Collections.synchronizedList(new ArrayList<>());
        List<OrderedScheduler<String>> later = new ArrayList<>();
        var other = OrderedScheduler.<String>builder((ticket, value) -> {
                    inside.await();
                    seen.add(drainOf(later.get(0)));
                })
                .build();
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    inside.await();
                    if (closes) {
                        other.close();
                    } else {
                        seen.add(drainOf(other));
                    }
                    later.get(0).complete(0, "v");
                })
                .build();
        var two = second(one);
        later.add(two);
        take(other, TicketMode.MANY, 1);
        take(one, TicketMode.MANY, 1);
        allComeBack(List.of(other, one));
        assertThat(seen).contains(Reason.SELF_DEADLOCK);
        assertThat(two.drain(0)).isTrue();
    }

    /** Its drain depends on nothing but the other's first stage, whose handler waits for nobody. */
    @Test
    void fromInsideALaterStageAnotherSchedulersStageIsDrained() throws Exception {
        List<Object> seen = new ArrayList<>();
        var entered = new CountDownLatch(1);
        var other = first(TicketMode.MANY, 2);
        var otherLater = second(other);
        var one = first(TicketMode.MANY, 2);
        var two = OrderedScheduler.<String>builder((ticket, value) -> {
                    entered.countDown();
                    seen.add(drainOf(otherLater));
                })
                .after(one)
                .build();
        take(other, TicketMode.MANY, 1);
        take(one, TicketMode.MANY, 1);
        Future<Boolean> inHandler = threads.submit(() -> two.complete(0, "v"));
        entered.await();
        otherLater.complete(0, "v");
        other.complete(0, "v");
        assertThat(inHandler.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly(true);
    }

    @Test
    void handlersOfAllLanesThatCloseTheLanesAtOnceComeBack() throws Exception {
        int count = 4;
        CyclicBarrier all = new CyclicBarrier(count);
        List<KeyedLanes<String>> self = new ArrayList<>();
        var lanes = new KeyedLanes<String>(
                count,
                lane -> OrderedScheduler.<String>builder((ticket, value) -> {
                    all.await();
                    self.get(0).close();
                }));
        self.add(lanes);
        List<Future<Boolean>> calls = new ArrayList<>();
        for (OrderedScheduler<String> lane : lanes.lanes()) {
            long ticket = lane.tryNext();
            calls.add(threads.submit(() -> lane.complete(ticket, "v")));
        }
        for (Future<Boolean> call : calls) {
            assertThat(call.get(10, TimeUnit.SECONDS)).isTrue();
        }
        lanes.lanes().forEach(lane -> assertThat(lane.totals().settled()).isTrue());
    }

    @Test
    @Timeout(10)
    void whoDeliversALaneIsRefusedTheDrainOfAllLanes() {
        List<Object> seen = new ArrayList<>();
        List<KeyedLanes<String>> self = new ArrayList<>();
        var lanes = new KeyedLanes<String>(
                2,
                lane -> OrderedScheduler.<String>builder((ticket, value) -> {
                    try {
                        seen.add(self.get(0).drain(Long.MAX_VALUE));
                    } catch (TicketRefusedException e) {
                        seen.add(e.reason());
                    }
                }));
        self.add(lanes);
        long[] tickets =
                lanes.lanes().stream().mapToLong(OrderedScheduler::tryNext).toArray();
        for (int i = 0; i < tickets.length; i++) {
            lanes.lanes().get(i).complete(tickets[i], "v");
        }
        assertThat(seen).containsExactly(Reason.SELF_DEADLOCK, Reason.SELF_DEADLOCK);
        assertThat(lanes.drain(0)).isTrue();
    }

    @Test
    void noLaneIssuesTicketsAfterADrainAlthoughTheFirstIsNotDrainedInTime() {
        var lanes = new KeyedLanes<String>(4, lane -> OrderedScheduler.<String>builder((ticket, value) -> {}));
        OrderedScheduler<String> late = lanes.lanes().get(0);
        long ticket = late.tryNext();
        assertThat(lanes.drain(0)).isFalse();
        assertThat(lanes.lanes()).allSatisfy(lane -> assertThat(lane.tryNext()).isEqualTo(OrderedScheduler.CLOSED));
        late.complete(ticket, "v");
        assertThat(lanes.drain(0)).isTrue();
    }

    /** Else whoever keeps a lane busy keeps it from being drained in time, while the drain waits for a lane before it. */
    @Test
    void noLaneIssuesTicketsWhileADrainWaitsForTheFirst() throws Exception {
        var lanes = new KeyedLanes<String>(4, lane -> OrderedScheduler.<String>builder((ticket, value) -> {}));
        OrderedScheduler<String> late = lanes.lanes().get(0);
        OrderedScheduler<String> last = lanes.lanes().get(3);
        long ticket = late.tryNext();
        Future<Boolean> drained = threads.submit(() -> lanes.drain(TimeUnit.SECONDS.toNanos(30)));
        while (late.state() == State.RUNNING) {
            Thread.onSpinWait();
        }
        long start = System.nanoTime();
        while (last.state() == State.RUNNING && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5)) {
            Thread.onSpinWait(); // the others follow at once
        }
        long more = last.tryNext();
        if (more >= 0) {
            last.trash(more);
        }
        late.complete(ticket, "v");
        assertThat(drained.get(40, TimeUnit.SECONDS)).isTrue();
        assertThat(more).as("a ticket that was asked for during the drain").isEqualTo(OrderedScheduler.CLOSED);
    }

    /** The handler of one lane may wait for a ticket of another one, which is refused only once that lane has ended. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlerThatWaitsForATicketOfALaterLaneHoldsUpNoEndOfTheLanes(boolean closes) throws Exception {
        List<KeyedLanes<String>> self = new ArrayList<>();
        CountDownLatch entered = new CountDownLatch(1);
        List<Object> seen = Collections.synchronizedList(new ArrayList<>());
        var lanes = new KeyedLanes<String>(
                2,
                lane -> OrderedScheduler.<String>builder((ticket, value) -> {
                            entered.countDown();
                            try {
                                seen.add(self.get(0).lanes().get(1).next());
                            } catch (TicketRefusedException e) {
                                seen.add(e.reason());
                            }
                        })
                        .window(1));
        self.add(lanes);
        OrderedScheduler<String> one = lanes.lanes().get(0);
        long ticket = one.next();
        long open = lanes.lanes().get(1).next(); // the one that there is room for
        Future<Boolean> inHandler = threads.submit(() -> one.complete(ticket, "v"));
        entered.await();
        Future<?> end = threads.submit(() -> {
            if (closes) {
                lanes.close();
            } else {
                lanes.drain(TimeUnit.SECONDS.toNanos(60));
            }
        });
        assertThat(inHandler.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly(Reason.CLOSED);
        if (!closes) {
            lanes.lanes().get(1).complete(open, "v");
        }
        end.get(20, TimeUnit.SECONDS);
    }
}
