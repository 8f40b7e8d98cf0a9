package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderedSchedulerTest {
    /** Writes down what it is called with. */
    static final class Journal implements OrderedHandler<String> {
        final List<String> lines = new ArrayList<>();

        @Override
        public void onCompleted(long ticket, String value) {
            lines.add(ticket + "=" + value);
        }

        @Override
        public void onFailed(long ticket, Throwable cause) {
            lines.add(ticket + "!" + cause.getMessage());
        }

        @Override
        public void onTrashed(long ticket) {
            lines.add(ticket + "-");
        }

        @Override
        public void onDiscarded(long ticket, @Nullable String value) {
            lines.add(ticket + "~" + value);
        }
    }

    private final Journal journal = new Journal();

    private OrderedSchedulerBuilder<String> builder(int window) {
        return OrderedScheduler.<String>builder(journal).window(window);
    }

    private static void refused(Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static void take(OrderedScheduler<?> scheduler, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(scheduler.tryNext()).isGreaterThanOrEqualTo(0);
        }
    }

    @Test
    void runsInOrderWhateverTheOrderOfCompletion() {
        var scheduler = builder(4).build();
        take(scheduler, 4);
        assertThat(scheduler.complete(2, "c")).isFalse();
        assertThat(scheduler.run(1, () -> journal.lines.add("task 1"))).isFalse();
        assertThat(journal.lines).isEmpty();
        assertThat(scheduler.complete(0, "a")).isTrue();
        assertThat(journal.lines).containsExactly("0=a", "task 1", "2=c");
        assertThat(scheduler.fail(3, new Exception("x"))).isTrue();
        assertThat(journal.lines).last().isEqualTo("3!x");
    }

    @Test
    void theWindowBoundsWhatIsOutstandingAndOpensWithTheHead() {
        var scheduler = builder(2).build();
        take(scheduler, 2);
        assertThat(scheduler.tryNext()).isEqualTo(OrderedScheduler.FULL);
        scheduler.complete(1, "b");
        assertThat(scheduler.tryNext()).isEqualTo(OrderedScheduler.FULL);
        assertThat(scheduler.next(1000, TimeUnit.NANOSECONDS)).isEqualTo(OrderedScheduler.TIMED_OUT);
        scheduler.trash(0);
        assertThat(scheduler.tryNext()).isEqualTo(2);
        assertThat(journal.lines).containsExactly("0-", "1=b");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64, 128})
    void goesRoundTheWindowManyTimes(int window) {
        for (boolean unchecked : new boolean[] {false, true}) {
            journal.lines.clear();
            OrderedSchedulerBuilder<String> builder = builder(window).tickets(TicketMode.SINGLE);
            var scheduler = (unchecked ? builder.unchecked() : builder).build();
            List<String> expected = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                take(scheduler, window);
                for (int i = window - 1; i >= 0; i--) {
                    scheduler.complete((long) round * window + i, "v");
                }
            }
            for (int i = 0; i < 5 * window; i++) {
                expected.add(i + "=v");
            }
            assertThat(journal.lines).isEqualTo(expected);
            assertThat(scheduler.snapshot().outstanding()).isZero();
        }
    }

    @Test
    void refusesWhatWasNeverIssuedAndDisturbsNothing() {
        var scheduler = builder(4).build();
        take(scheduler, 2);
        for (long ticket : new long[] {-1, 2, 4, 5, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 58, 1L << 60}) {
            refused(Reason.NOT_ISSUED, () -> scheduler.complete(ticket, "x"));
            refused(Reason.NOT_ISSUED, () -> scheduler.trash(ticket));
        }
        scheduler.complete(1, "b");
        scheduler.complete(0, "a");
        assertThat(journal.lines).containsExactly("0=a", "1=b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesDuplicatesAndLateOnes(boolean unchecked) {
        var b = builder(4);
        var scheduler = (unchecked ? b.unchecked() : b).build();
        take(scheduler, 3);
        scheduler.complete(1, "b");
        refused(Reason.DUPLICATE, () -> scheduler.complete(1, "bb"));
        scheduler.complete(0, "a");
        refused(Reason.LATE, () -> scheduler.complete(0, "aa"));
        refused(Reason.LATE, () -> scheduler.trash(1));
        take(scheduler, 3);
        refused(Reason.LATE, () -> scheduler.complete(0, "aaa"));
        refused(Reason.LATE, () -> scheduler.complete(1, "bbb"));
        for (long t = 2; t < 6; t++) {
            scheduler.complete(t, "v");
        }
        assertThat(journal.lines).containsExactly("0=a", "1=b", "2=v", "3=v", "4=v", "5=v");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesTheHeadCompletedAgainFromItsOwnHandler(boolean unchecked) {
        var self = new AtomicReference<OrderedScheduler<String>>();
        List<Reason> reasons = new ArrayList<>();
        var b = OrderedScheduler.<String>builder((ticket, value) -> {
            try {
                self.get().complete(ticket, "again");
            } catch (TicketRefusedException e) {
                reasons.add(e.reason());
            }
        });
        var scheduler = (unchecked ? b.unchecked() : b).build();
        self.set(scheduler);
        take(scheduler, 1);
        scheduler.complete(0, "once");
        assertThat(reasons).containsExactly(Reason.DUPLICATE);
        assertThat(scheduler.totals().delivered()).isEqualTo(1);
    }

    @Test
    void refusesAnExternalTicketBeyondTheWindowOrBelowTheFirst() {
        var scheduler = builder(2).tickets(TicketMode.EXTERNAL).firstTicket(10).build();
        refused(Reason.EARLY, () -> scheduler.complete(12, "x"));
        refused(Reason.NOT_ISSUED, () -> scheduler.complete(9, "x"));
        assertThat(scheduler.awaitRoom(11, 0)).isEqualTo(11);
        assertThat(scheduler.awaitRoom(12, 0)).isEqualTo(OrderedScheduler.TIMED_OUT);
        scheduler.complete(11, "b");
        scheduler.complete(10, "a");
        assertThat(scheduler.awaitRoom(12, 0)).isEqualTo(12);
        scheduler.complete(12, "c");
        assertThat(journal.lines).containsExactly("10=a", "11=b", "12=c");
        assertThatThrownBy(scheduler::tryNext).isInstanceOf(UnsupportedOperationException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scheduler.awaitRoom(9, 0))
                .withMessageContaining("from 10 to");
    }

    @Test
    void refusesNullAndKeepsTheTicketOpen() {
        var scheduler = builder(2).build();
        take(scheduler, 1);
        assertThatNullPointerException()
                .isThrownBy(() -> scheduler.run(0, nothing()))
                .withMessage("task must not be null");
        assertThatNullPointerException()
                .isThrownBy(() -> scheduler.complete(0, nothing()))
                .withMessage("value must not be null");
        assertThatNullPointerException()
                .isThrownBy(() -> scheduler.fail(0, nothing()))
                .withMessage("cause must not be null");
        scheduler.complete(0, "a");
        assertThat(journal.lines).containsExactly("0=a");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <V> V nothing() {
        return null;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 6, (1 << 24) + 1, 1 << 25, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesBadWindows(int window) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(window))
                .withMessage("window must be a power of two from 1 to 16777216, but was " + window);
    }

    @Test
    void refusesBadSettings() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(2).timeLimit(0))
                .withMessage("nanos must be 1 or more, but was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(2).batchLimit(0, Runnable::run))
                .withMessage("limit must be 1 or more, but was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(2).firstTicket(-1))
                .withMessageStartingWith("ticket must be from 0 to ")
                .withMessageEndingWith(", but was -1");
        assertThatIllegalStateException()
                .isThrownBy(() -> builder(2).unchecked().timeLimit(5).build())
                .withMessageContaining("unchecked");
    }

    @ParameterizedTest
    @EnumSource(TicketMode.class)
    void aLaterStageIsRefusedBehindOneThatIsInUse(TicketMode mode) {
        var used = builder(4).tickets(mode).firstTicket(3).build();
        var afterUsed = builder(4).after(used);
        if (mode == TicketMode.EXTERNAL) {
            used.complete(3, "a");
        } else {
            used.tryNext();
        }
        assertThatIllegalStateException()
                .isThrownBy(afterUsed::build)
                .withMessage("the stage before must have issued no ticket, but has issued tickets up to 3");
        var followed = builder(4).tickets(mode).build();
        var third = builder(4).after(followed);
        builder(4).after(followed).build();
        assertThatIllegalStateException()
                .isThrownBy(third::build)
                .withMessage("the stage before must be the last one, but has a later stage");
    }

    @ParameterizedTest
    @EnumSource(
            value = TicketMode.class,
            names = {"SINGLE", "MANY"})
    void refusesUseAfterClose(TicketMode mode) {
        var scheduler = builder(4).tickets(mode).build();
        take(scheduler, 3);
        scheduler.complete(2, "c");
        scheduler.close();
        scheduler.close();
        assertThat(journal.lines).containsExactly("2~c");
        assertThat(scheduler.tryNext()).isEqualTo(OrderedScheduler.CLOSED);
        assertThat(scheduler.next(1_000_000, TimeUnit.NANOSECONDS)).isEqualTo(OrderedScheduler.CLOSED);
        refused(Reason.CLOSED, scheduler::next);
        refused(Reason.CLOSED, () -> scheduler.complete(0, "a"));
        refused(Reason.CLOSED, () -> scheduler.complete(1, "b"));
        refused(Reason.CLOSED, () -> scheduler.complete(2, "cc"));
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(3, 0, 0, 0, 0, 1, 2, true, null));
        assertThat(scheduler.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void drainHandsOutWhatIsOutstandingAndRefusesTickets() {
        var scheduler = builder(4).build();
        take(scheduler, 2);
        scheduler.complete(1, "b");
        assertThat(scheduler.drain(0)).isFalse();
        assertThat(scheduler.tryNext()).isEqualTo(OrderedScheduler.CLOSED);
        scheduler.complete(0, "a");
        assertThat(scheduler.drain(0)).isTrue();
        scheduler.close();
        assertThat(journal.lines).containsExactly("0=a", "1=b");
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(2, 2, 0, 0, 0, 0, 0, true, null));
    }

    @Test
    void closeFromInsideTheHandlerDiscardsTheRestWhenItReturns() {
        var self = new AtomicReference<OrderedScheduler<String>>();
        var lines = new ArrayList<String>();
        var scheduler = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {
                        lines.add(value);
                        self.get().close();
                        lines.add("closed");
                    }

                    @Override
                    public void onDiscarded(long ticket, @Nullable String value) {
                        lines.add("~" + value);
                        throw new IllegalStateException("in onDiscarded");
                    }
                })
                .window(4)
                .build();
        self.set(scheduler);
        take(scheduler, 4);
        scheduler.complete(3, "d");
        scheduler.complete(1, "b");
        scheduler.complete(0, "a");
        assertThat(lines).containsExactly("a", "closed", "~b", "~d");
        assertThat(scheduler.totals().settled()).isTrue();
        assertThat(scheduler.totals().discarded()).isEqualTo(2);
        assertThat(scheduler.totals().open()).isEqualTo(1);
        assertThat(scheduler.totals().discardFailure()).hasMessage("in onDiscarded");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8, 64})
    void aCloseTellsOfEveryTicketOfAFullWindow(int window) {
        var scheduler = builder(window).build();
        take(scheduler, window);
        List<String> expected = new ArrayList<>();
        for (int i = 1; i < window; i++) {
            scheduler.complete(i, "v");
            expected.add(i + "~v");
        }
        scheduler.close();
        assertThat(journal.lines).isEqualTo(expected);
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(window, 0, 0, 0, 0, window - 1, 1, true, null));
    }

    /** The next ticket is still open, so that the turn has been passed to it when the end is noticed, and is taken back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap(boolean closes) {
        var self = new AtomicReference<OrderedScheduler<String>>();
        var lines = new ArrayList<String>();
        var scheduler = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {
                        lines.add(value);
                        if (!closes) {
                            throw new IllegalStateException("halts");
                        }
                        self.get().close();
                    }

                    @Override
                    public void onDiscarded(long ticket, @Nullable String value) {
                        lines.add("~" + value);
                    }
                })
                .window(4)
                .build();
        self.set(scheduler);
        take(scheduler, 4);
        scheduler.complete(3, "d");
        scheduler.complete(2, "c");
        assertThat(scheduler.complete(0, "a")).isTrue();
        assertThat(lines).containsExactly("a", "~c", "~d");
        assertThat(scheduler.totals().settled()).isTrue();
        assertThat(scheduler.totals().discarded()).isEqualTo(2);
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(() -> scheduler.complete(1, "b"))
                .extracting(TicketRefusedException::reason)
                .isEqualTo(closes ? Reason.CLOSED : Reason.FAILED);
        assertThat(lines).hasSize(3);
    }

    @Test
    void haltStopsAtTheFailureAndAccountsForTheRest() {
        var boom = new Exception("boom");
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    journal.onCompleted(ticket, value);
                    if (ticket == 1) {
                        throw boom;
                    }
                })
                .window(8)
                .build();
        take(scheduler, 5);
        scheduler.complete(1, "b");
        scheduler.complete(2, "c");
        scheduler.complete(4, "e");
        scheduler.complete(0, "a");
        assertThat(journal.lines).containsExactly("0=a", "1=b");
        assertThat(scheduler.state()).isEqualTo(State.FAILED);
        assertThat(scheduler.failure()).isSameAs(boom);
        assertThat(scheduler.tryNext()).isEqualTo(OrderedScheduler.FAILED);
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(() -> scheduler.complete(3, "d"))
                .withCause(boom);
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(5, 1, 1, 0, 0, 2, 1, true, null));
        scheduler.close();
    }

    @Test
    void anErrorHaltsWhateverThePolicySays() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new StackOverflowError();
                })
                .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.SKIP)
                .build();
        take(scheduler, 1);
        assertThat(scheduler.complete(0, "a")).isTrue();
        assertThat(scheduler.failure()).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void skipReportsAndGoesOn() {
        List<String> reports = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket == 0) {
                        throw new Exception("boom");
                    }
                    journal.onCompleted(ticket, value);
                })
                .onFailure(FailurePolicies.skip(
                        (cause, ticket, attempt) -> reports.add(ticket + " " + cause.getMessage() + " " + attempt)))
                .build();
        take(scheduler, 3);
        scheduler.complete(1, "b");
        scheduler.complete(0, "a");
        scheduler.fail(2, new Exception("lost"));
        assertThat(journal.lines).containsExactly("1=b");
        assertThat(reports).containsExactly("0 boom 1", "2 ticket 2 failed: java.lang.Exception: lost 1");
        assertThat(scheduler.totals().failed()).isEqualTo(2);
    }

    @Test
    void retriesANumberOfTimes() {
        List<Integer> attempts = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    attempts.add((int) ticket);
                    if ((ticket == 0 && attempts.size() < 3) || ticket == 1) {
                        throw new Exception("boom");
                    }
                })
                .onFailure(FailurePolicies.retryEvent(2, (cause, ticket, attempt) -> {}, FailurePolicy.Action.SKIP))
                .build();
        take(scheduler, 2);
        scheduler.complete(0, "a");
        scheduler.complete(1, "b");
        assertThat(attempts).containsExactly(0, 0, 0, 1, 1, 1);
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(2, 1, 1, 0, 0, 0, 0, false, null));
        assertThat(scheduler.snapshot().retries()).isEqualTo(4);
    }

    /** What is handled at last is that the ticket failed, or was trashed: the next stage is told, and goes on. */
    @Test
    void aTicketThatFailedIsStillOneWhenItsHandlerSucceedsAtARetry() {
        List<String> attempts = new ArrayList<>();
        var one = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onFailed(long ticket, Throwable cause) throws Exception {
                        attempt("failed " + ticket);
                    }

                    @Override
                    public void onTrashed(long ticket) throws Exception {
                        attempt("trashed " + ticket);
                    }

                    private void attempt(String what) throws Exception {
                        attempts.add(what);
                        if (attempts.size() % 2 == 1) {
                            throw new Exception("boom");
                        }
                    }
                })
                .onFailure(FailurePolicies.retryEvent(1, (cause, ticket, attempt) -> {}, FailurePolicy.Action.HALT))
                .build();
        var two = builder(4).after(one).build();
        take(one, 2);
        one.fail(0, new Exception("x"));
        one.trash(1);
        assertThat(attempts).containsExactly("failed 0", "failed 0", "trashed 1", "trashed 1");
        assertThat(one.totals()).isEqualTo(new TicketTotals(2, 0, 1, 1, 0, 0, 0, false, null));
        assertThat(journal.lines).containsExactly("0!x", "1-");
        assertThat(two.totals().open()).isZero();
    }

    @Test
    void aPolicyThatThrowsHaltsWithItsExceptionSuppressed() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new Exception("boom");
                })
                .onFailure((cause, event, sequence, attempt) -> {
                    throw new IllegalStateException("policy");
                })
                .build();
        take(scheduler, 1);
        scheduler.complete(0, "a");
        assertThat(scheduler.failure()).hasMessage("boom");
        assertThat(java.util.Objects.requireNonNull(scheduler.failure()).getSuppressed()[0])
                .hasMessage("policy");
    }

    @Test
    void aFailureNobodyHandlesReachesThePolicy() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {}).build();
        take(scheduler, 1);
        scheduler.fail(0, new Exception("lost"));
        assertThat(scheduler.failure())
                .isInstanceOf(TicketFailedException.class)
                .hasMessageContaining("ticket 0");
    }

    @Test
    void anInterruptedHandlerKeepsTheThreadsFlag() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new InterruptedException();
                })
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        take(scheduler, 1);
        scheduler.complete(0, "a");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aTaskMayCompleteOtherTicketsWithoutRecursion() {
        var self = new AtomicReference<OrderedScheduler<String>>();
        int count = 100_000;
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket + 1 < count) {
                        assertThat(self.get().complete(ticket + 1, "v")).isFalse();
                    }
                })
                .window(1 << 17)
                .build();
        self.set(scheduler);
        take(scheduler, count);
        scheduler.complete(0, "v");
        assertThat(scheduler.failure()).isNull();
        assertThat(scheduler.totals().delivered()).isEqualTo(count);
        assertThat(scheduler.snapshot().longestDrain()).isEqualTo(count);
        assertThat(scheduler.snapshot().deferred()).isEqualTo(count - 1);
    }

    @Test
    void refusesToWaitForATicketThatOnlyTheCallerCouldGrant() {
        var self = new AtomicReference<OrderedScheduler<String>>();
        List<Object> seen = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    seen.add(self.get().tryNext());
                    try {
                        seen.add(self.get().next());
                    } catch (TicketRefusedException e) {
                        seen.add(e.reason());
                    }
                })
                .window(1)
                .build();
        self.set(scheduler);
        take(scheduler, 1);
        scheduler.complete(0, "a");
        assertThat(seen).containsExactly(OrderedScheduler.FULL, Reason.SELF_DEADLOCK);
        take(scheduler, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAHandOverTooTheDrainerRefusesToWaitForItself(boolean refused) {
        var self = new AtomicReference<OrderedScheduler<String>>();
        List<Object> seen = new ArrayList<>();
        List<Runnable> given = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    while (self.get().tryNext() >= 0) { // until the window is full
                        Thread.onSpinWait();
                    }
                    try {
                        seen.add(self.get().next(1_000_000, TimeUnit.NANOSECONDS));
                    } catch (TicketRefusedException e) {
                        seen.add(e.reason());
                    }
                })
                .window(2)
                .batchLimit(1, task -> {
                    if (refused) {
                        throw new RejectedExecutionException("full");
                    }
                    given.add(task);
                })
                .build();
        self.set(scheduler);
        take(scheduler, 2);
        scheduler.complete(1, "b");
        scheduler.complete(0, "a");
        given.forEach(Runnable::run);
        assertThat(seen).containsExactly(Reason.SELF_DEADLOCK, Reason.SELF_DEADLOCK);
    }

    @Test
    void batchLimitHandsTheRestToTheExecutor() {
        List<Runnable> given = new ArrayList<>();
        var scheduler = builder(8).batchLimit(2, given::add).build();
        take(scheduler, 6);
        for (int i = 5; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(journal.lines).hasSize(2);
        assertThat(given).hasSize(1);
        given.get(0).run();
        given.get(0).run(); // the second hand-over; the same task, whoever runs it
        given.get(0).run(); // one too many: nothing
        assertThat(journal.lines).containsExactly("0=v", "1=v", "2=v", "3=v", "4=v", "5=v");
        assertThat(scheduler.snapshot().handOvers()).isEqualTo(2);
        assertThat(scheduler.snapshot().deferred()).isEqualTo(5);
        assertThat(scheduler.snapshot().longestDrain()).isEqualTo(2);
    }

    @Test
    void aRefusedHandOverGoesOnInline() {
        var scheduler = builder(8)
                .batchLimit(1, task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();
        take(scheduler, 5);
        for (int i = 4; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(journal.lines).hasSize(5);
        assertThat(scheduler.snapshot().handOversRefused()).isEqualTo(4);
    }

    @Test
    void anExecutorThatRunsAtOnceDoesNotMakeTheStackGrow() {
        int count = 100_000;
        var scheduler = builder(1 << 17).batchLimit(1, Runnable::run).build();
        take(scheduler, count);
        for (int i = count - 1; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(journal.lines).hasSize(count);
        assertThat(scheduler.failure()).isNull();
    }

    @Test
    void anExecutorThatTakesTheTaskAndThrowsMakesOneDrainerOnly() {
        List<Runnable> given = new ArrayList<>();
        var scheduler = builder(8)
                .batchLimit(1, task -> {
                    given.add(task);
                    throw new IllegalStateException("took it and threw");
                })
                .build();
        take(scheduler, 3);
        for (int i = 2; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        given.forEach(Runnable::run);
        assertThat(journal.lines).containsExactly("0=v", "1=v", "2=v");
    }

    /** It has run the task to its end on a thread of its own, or is still at it, and then throws. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(30)
    void anExecutorThatRunsTheTaskElsewhereAndThenThrowsMakesOneDrainerOnly(boolean toItsEnd) throws Exception {
        List<Thread> started = new ArrayList<>();
        var inside = new CountDownLatch(1);
        var goOn = new CountDownLatch(toItsEnd ? 0 : 1);
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket == 1) {
                        inside.countDown();
                        goOn.await();
                    }
                    journal.onCompleted(ticket, value);
                })
                .window(8)
                .batchLimit(1, task -> {
                    Thread other = new Thread(task);
                    other.start();
                    synchronized (started) {
                        started.add(other);
                    }
                    try {
                        inside.await();
                        if (toItsEnd) {
                            other.join();
                        }
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    throw new RejectedExecutionException("after it has run the task");
                })
                .build();
        take(scheduler, 4);
        for (int i = 3; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        if (!toItsEnd) {
            assertThat(journal.lines)
                    .as("the other thread is inside the next call")
                    .containsExactly("0=v");
        }
        goOn.countDown();
        while (scheduler.totals().delivered() < 4) {
            Thread.onSpinWait();
        }
        Thread[] all;
        synchronized (started) {
            all = started.toArray(Thread[]::new);
        }
        for (Thread thread : all) {
            thread.join();
        }
        assertThat(journal.lines).containsExactly("0=v", "1=v", "2=v", "3=v");
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(4, 4, 0, 0, 0, 0, 0, false, null));
        assertThat(scheduler.complete(nextOf(scheduler), "v"))
                .as("the turn is there")
                .isTrue();
    }

    private static long nextOf(OrderedScheduler<?> scheduler) {
        long ticket = scheduler.tryNext();
        assertThat(ticket).isGreaterThanOrEqualTo(0);
        return ticket;
    }

    /** The first run only says that it was at once; the second takes the role, within the call. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anExecutorThatRunsTheTaskAtOnceAndThenThrowsMakesOneDrainerOnly(int times) {
        var scheduler = builder(8)
                .batchLimit(1, task -> {
                    for (int i = 0; i < times; i++) {
                        task.run();
                    }
                    throw new RejectedExecutionException("after it has run the task");
                })
                .build();
        take(scheduler, 5);
        for (int i = 4; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        assertThat(journal.lines).containsExactly("0=v", "1=v", "2=v", "3=v", "4=v");
        assertThat(scheduler.complete(nextOf(scheduler), "v"))
                .as("the turn is there")
                .isTrue();
    }

    /** What no user code can cause on a checked scheduler: the drainer itself breaks, and its role is left to a closer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDrainerThatBreaksFailsTheSchedulerAndLeavesTheRestToAClose(int broken) {
        List<Throwable> reports = new ArrayList<>();
        var scheduler = builder(4).errorHandler(reports::add).build();
        take(scheduler, 4);
        scheduler.complete(1, "b");
        scheduler.complete(2, "c");
        scheduler.delivery.buffer.items[scheduler.delivery.buffer.index(broken)] = null;
        assertThatIllegalStateException()
                .isThrownBy(() -> scheduler.complete(0, "a"))
                .withMessageContaining("ticket " + broken);
        assertThat(scheduler.state()).isEqualTo(State.FAILED);
        assertThat(reports).hasSize(1);
        assertThat(scheduler.complete(3, "d")).isFalse();
        scheduler.close();
        assertThat(journal.lines).isEqualTo(broken == 1 ? List.of("0=a", "2~c", "3~d") : List.of("0=a", "1=b", "3~d"));
        assertThat(scheduler.totals().settled()).isTrue();
        assertThat(scheduler.totals().open()).as("the lost one").isEqualTo(1);
    }

    /** Its drainer cannot take the turn back after a halt: a finisher may take it by a store at the same moment. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUncheckedHaltLeavesTheRestToTheHeadOrToAClose(boolean headComes) {
        var scheduler = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {
                        throw new IllegalStateException("halts");
                    }

                    @Override
                    public void onDiscarded(long ticket, @Nullable String value) {
                        journal.onDiscarded(ticket, value);
                    }
                })
                .window(4)
                .unchecked()
                .errorHandler(failure -> {})
                .build();
        take(scheduler, 3);
        scheduler.complete(2, "c");
        scheduler.complete(0, "a");
        assertThat(OrderBuffer.stateOf(scheduler.delivery.buffer.stateWord(1)))
                .as("the turn is the finisher's")
                .isEqualTo(OrderBuffer.TURN);
        if (headComes) {
            assertThat(scheduler.complete(1, "b")).isTrue();
        }
        scheduler.close();
        assertThat(journal.lines).isEqualTo(headComes ? List.of("1~b", "2~c") : List.of("2~c"));
        assertThat(scheduler.totals().settled()).isTrue();
    }

    @Test
    @Timeout(30)
    void closeEndsAnEndlessRetry() throws Exception {
        var calls = new AtomicLong();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    calls.incrementAndGet();
                    throw new Exception("boom");
                })
                .onFailure((cause, value, ticket, attempt) -> FailurePolicy.Action.RETRY_EVENT)
                .errorHandler(failure -> {})
                .window(2)
                .build();
        take(scheduler, 1);
        Thread delivering = new Thread(() -> scheduler.complete(0, "a"));
        delivering.start();
        while (calls.get() < 3) {
            Thread.onSpinWait();
        }
        scheduler.close();
        delivering.join();
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(1, 0, 1, 0, 0, 0, 0, true, null));
    }

    @Test
    void theAttemptBehindTheMostThatAnIntCountsIsThatAgain() {
        assertThat(FailureHandling.after(1)).isEqualTo(2);
        assertThat(FailureHandling.after(Integer.MAX_VALUE - 1)).isEqualTo(Integer.MAX_VALUE);
        assertThat(FailureHandling.after(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    @Timeout(30)
    void aHaltOfALaterStageEndsAnEndlessRetryInTheFirst() throws Exception {
        var calls = new AtomicLong();
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    calls.incrementAndGet();
                    throw new Exception("one");
                })
                .onFailure((cause, value, ticket, attempt) -> FailurePolicy.Action.RETRY_EVENT)
                .errorHandler(failure -> {})
                .build();
        var two = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new Exception("two");
                })
                .after(one)
                .errorHandler(failure -> {})
                .build();
        take(one, 1);
        Thread delivering = new Thread(() -> one.complete(0, "a"));
        delivering.start();
        while (calls.get() < 3) {
            Thread.onSpinWait();
        }
        two.complete(0, "a");
        delivering.join();
        assertThat(one.totals().failed()).isEqualTo(1);
        assertThat(one.failure()).hasMessage("two");
    }

    @Test
    void aLookAtAHandledExternalTicketStartsNoClock() {
        var scheduler = builder(2).tickets(TicketMode.EXTERNAL).timeLimit(1).build();
        assertThat(scheduler.awaitRoom(0, 0)).isZero();
        scheduler.complete(0, "a");
        assertThat(scheduler.awaitRoom(0, 0)).isZero();
        awaitClockTick();
        assertThat(scheduler.expireOverdue())
                .as("ticket 2 has the slot, and was not let in")
                .isZero();
        scheduler.complete(1, "b");
        scheduler.complete(2, "c");
        assertThat(journal.lines).containsExactly("0=a", "1=b", "2=c");
    }

    /** A closer takes the turn of the head in two steps; its finisher may come between any of them. */
    @ParameterizedTest
    @ValueSource(ints = {OrderBuffer.FILLING, OrderBuffer.TAKEN, OrderBuffer.DEAD})
    void theHeadIsRefusedAsClosedWhileACloserTakesItsTurn(int state) {
        var scheduler = builder(4).build();
        take(scheduler, 1);
        scheduler.close();
        scheduler.delivery.buffer.words[scheduler.delivery.buffer.index(0)] = OrderBuffer.word(0, state);
        refused(Reason.CLOSED, () -> scheduler.complete(0, "a"));
    }

    @Test
    void closeTakesBackAHandOverThatNobodyRuns() {
        var scheduler = builder(8).batchLimit(1, task -> {}).build();
        take(scheduler, 3);
        for (int i = 2; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        scheduler.close();
        assertThat(journal.lines).containsExactly("0=v", "1~v", "2~v");
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(3, 1, 0, 0, 0, 2, 0, true, null));
    }

    @Test
    void aTicketBeyondItsLimitFailsInItsTurnAndItsOwnerIsTold() {
        var scheduler = builder(4).timeLimit(1).build();
        take(scheduler, 3);
        scheduler.complete(1, "b");
        awaitClockTick();
        assertThat(scheduler.expireOverdue()).isEqualTo(2);
        assertThat(journal.lines).hasSize(3);
        assertThat(journal.lines.get(0))
                .startsWith("0!ticket 0 was not completed for")
                .contains("its limit is 1 ns");
        assertThat(journal.lines.get(0)).contains(Thread.currentThread().getName());
        assertThat(journal.lines.get(1)).isEqualTo("1=b");
        refused(Reason.EXPIRED, () -> scheduler.complete(0, "a"));
        refused(Reason.EXPIRED, () -> scheduler.trash(2));
        refused(Reason.LATE, () -> scheduler.complete(1, "bb"));
        assertThat(scheduler.totals().expired()).isEqualTo(2);
        assertThat(scheduler.expireOverdue()).isZero();
    }

    private static void awaitClockTick() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1000) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aYoungTicketDoesNotExpire() throws Exception {
        var scheduler = builder(4).timeLimit(Long.MAX_VALUE).build();
        take(scheduler, 3);
        assertThat(scheduler.expireOverdue()).isZero();
        assertThat(scheduler.watchdog("dog").doWork()).isZero();
        assertThat(scheduler.watchdog("dog").roleName()).isEqualTo("dog");
    }

    @Test
    void aTakerThatWaitsExpiresTheHeadItself() throws Exception {
        var scheduler = builder(1).timeLimit(1_000_000).build();
        take(scheduler, 1);
        assertThat(scheduler.next()).isEqualTo(1);
        assertThat(journal.lines).hasSize(1);
    }

    @Test
    void theHandleTrashesWhatWasNotCompleted() throws Exception {
        var scheduler = builder(4).build();
        Ticket<String> handle = scheduler.newTicket();
        try (Ticket<String> ticket = handle.next()) {
            ticket.complete("a");
        }
        try (Ticket<String> ticket = handle.next()) {
            assertThat(ticket.number()).isEqualTo(1);
        }
        long third = scheduler.next();
        try (Ticket<String> ticket = handle.hold(third)) {
            assertThatIllegalStateException().isThrownBy(ticket::next).withMessageContaining("holds ticket 2");
            ticket.fail(new Exception("x"));
        }
        assertThat(journal.lines).containsExactly("0=a", "1-", "2!x");
        assertThatIllegalStateException().isThrownBy(handle::number);
        try (Ticket<String> ticket = handle.next()) {
            scheduler.close();
            assertThat(ticket.number()).isEqualTo(3);
        }
    }

    @Test
    void completesFromAStage() {
        var scheduler = builder(8).build();
        take(scheduler, 3);
        CompletableFuture<String> later = new CompletableFuture<>();
        scheduler.completeFrom(0, later);
        scheduler.completeFrom(1, CompletableFuture.failedFuture(new Exception("x")));
        scheduler.completeFrom(2, CompletableFuture.completedFuture(nothing()));
        refused(Reason.NOT_ISSUED, () -> scheduler.completeFrom(3, later));
        later.complete("a");
        assertThat(journal.lines).containsExactly("0=a", "1!x", "2!the stage's value for ticket 2 must not be null");
    }

    @Test
    void aSnapshotTellsOfTheHead() {
        var scheduler = builder(4).trackOwners().build();
        take(scheduler, 3);
        scheduler.complete(1, "b");
        SchedulerSnapshot stalled = scheduler.snapshot();
        assertThat(stalled.head()).isZero();
        assertThat(stalled.outstanding()).isEqualTo(3);
        assertThat(stalled.headPending()).isTrue();
        assertThat(stalled.headOwner()).isSameAs(Thread.currentThread());
        assertThat(stalled.headOwnerStack()).isNotEmpty();
        awaitClockTick();
        assertThat(scheduler.snapshot().headAgeNanos()).isGreaterThan(stalled.headAgeNanos());
        scheduler.complete(0, "a");
        SchedulerSnapshot after = scheduler.snapshot();
        assertThat(after.inOrder()).isEqualTo(1);
        assertThat(after.deferred()).isEqualTo(1);
        assertThat(after.deferredShare()).isEqualTo(0.5);
        assertThat(after.longestDrain()).isEqualTo(2);
    }

    @Test
    void twoLooksTellTheHeadsAgeWithoutTracking() {
        var scheduler = builder(4).build();
        take(scheduler, 1);
        assertThat(scheduler.snapshot().headAgeNanos()).isZero();
        awaitClockTick();
        assertThat(scheduler.snapshot().headAgeNanos()).isGreaterThanOrEqualTo(1000);
        assertThat(scheduler.snapshot().headOwner()).isNull();
        scheduler.complete(0, "a");
        assertThat(scheduler.snapshot().headAgeNanos()).isZero();
    }

    /** Else a ticket that was just taken would be as old as the lull before it. */
    @Test
    void theHeadHasNoAgeByLooksWhileNothingIsOutstanding() {
        var scheduler = builder(4).build();
        for (int lull = 0; lull < 2; lull++) {
            assertThat(scheduler.snapshot().headAgeNanos()).isZero();
            awaitClockTick();
        }
        long before = System.nanoTime();
        assertThat(scheduler.snapshot().headAgeNanos()).isZero();
        take(scheduler, 1);
        long age = scheduler.snapshot().headAgeNanos();
        assertThat(age).isBetween(0L, System.nanoTime() - before);
    }

    @Test
    void stagesShareTicketsAndTheWindow() {
        List<String> order = new ArrayList<>();
        var one = OrderedScheduler.<String>builder((ticket, value) -> order.add("1:" + ticket))
                .window(2)
                .build();
        var two = OrderedScheduler.<String>builder(journal).after(one).build();
        take(one, 2);
        one.complete(1, "b");
        one.complete(0, "a");
        assertThat(order).containsExactly("1:0", "1:1");
        assertThat(one.tryNext()).isEqualTo(OrderedScheduler.FULL); // the later stage is not through
        two.complete(1, "B");
        two.complete(0, "A");
        assertThat(journal.lines).containsExactly("0=A", "1=B");
        assertThat(one.tryNext()).isEqualTo(2);
        one.trash(2);
        assertThat(journal.lines).last().isEqualTo("2-");
        take(one, 1);
        one.fail(3, new Exception("x"));
        assertThat(one.state()).isEqualTo(State.FAILED);
        assertThat(two.state()).isEqualTo(State.FAILED);
        assertThat(two.tryTrash(3)).isFalse();
        assertThatThrownBy(two::tryNext)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("first stage");
        assertThatIllegalArgumentException().isThrownBy(() -> builder(2).after(one));
    }

    @ParameterizedTest
    @EnumSource(
            value = TicketMode.class,
            names = {"SINGLE", "MANY"})
    void aTicketCompletedOnTheWrongLaneIsRefused(TicketMode mode) {
        try (var lanes =
                new KeyedLanes<String>(4, lane -> builder(2).tickets(mode).firstTicket(7))) {
            List<OrderedScheduler<String>> all = lanes.lanes();
            all.forEach(lane -> take(lane, 2));
            for (int own = 0; own < 4; own++) {
                long ticket = own * (1L << 55) + 7;
                for (int other = 0; other < 4; other++) {
                    if (other != own) {
                        var wrong = all.get(other);
                        refused(Reason.NOT_ISSUED, () -> wrong.complete(ticket, "wrong"));
                        refused(Reason.NOT_ISSUED, () -> wrong.trash(ticket + 1));
                    }
                }
                all.get(own).complete(ticket + 1, "v");
                all.get(own).complete(ticket, "v");
            }
            assertThat(journal.lines).hasSize(8);
            assertThat(lanes.drain(0)).isTrue();
        }
    }

    @Test
    void externalLanesKeepTheirNumbers() {
        try (var lanes = new KeyedLanes<String>(2, lane -> builder(2).tickets(TicketMode.EXTERNAL))) {
            lanes.lanes().get(1).complete(0, "v");
            assertThat(journal.lines).containsExactly("0=v");
        }
    }

    @Test
    void aRefusalSaysWhichTicketsAreIssued() {
        var scheduler = builder(4).build();
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(() -> scheduler.trash(0))
                .withMessage("ticket 0 must have been issued, but none was");
        take(scheduler, 2);
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(() -> scheduler.trash(2))
                .withMessage("ticket 2 must have been issued, but only 0 to 1 were");
    }

    /** Else the ticket's own lane would wait for it for ever, and nobody would know why. */
    @Test
    void aHandleOnATicketOfAnotherLaneIsRefusedWhenItIsClosed() {
        try (var lanes = new KeyedLanes<String>(2, lane -> builder(1))) {
            var lane = lanes.lanes().get(0);
            var wrong = lanes.lanes().get(1);
            long ticket = lane.tryNext();
            Ticket<String> handle = wrong.newTicket().hold(ticket);
            refused(Reason.NOT_ISSUED, handle::close);
            handle.close(); // it is free
            Ticket<String> right = lane.newTicket().hold(ticket);
            right.close();
            assertThat(lane.totals().trashed()).isEqualTo(1);
            assertThat(wrong.totals().trashed()).isZero();
        }
    }

    /** A key is a primitive here and an object there, as in a map: else its order is that of two lanes. */
    @Test
    void aNumberHasOneLaneWhetherItIsAnObjectOrNot() {
        try (var lanes = new KeyedLanes<String>(64, lane -> builder(1))) {
            for (int shift = 0; shift < Long.SIZE; shift++) {
                for (long key : new long[] {1L << shift, -1L << shift, 3_000_000_007L << shift}) {
                    Long boxed = key;
                    assertThat(lanes.lane(boxed)).as("key %d", key).isSameAs(lanes.lane(key));
                    int narrow = (int) key;
                    Integer shorter = narrow;
                    assertThat(lanes.lane(shorter)).as("key %d", narrow).isSameAs(lanes.lane(narrow));
                    Short two = (short) key;
                    assertThat(lanes.lane(two)).as("key %d", two).isSameAs(lanes.lane(two.longValue()));
                    Byte one = (byte) key;
                    assertThat(lanes.lane(one)).as("key %d", one).isSameAs(lanes.lane(one.longValue()));
                }
            }
        }
    }

    @Test
    @Timeout(60)
    void allLanesAreDrainedWithinOneLimit() {
        try (var lanes = new KeyedLanes<String>(64, lane -> builder(1))) {
            lanes.lanes().forEach(lane -> take(lane, 1)); // nobody completes them
            long start = System.nanoTime();
            assertThat(lanes.drain(100_000_000)).isFalse();
            assertThat(System.nanoTime() - start)
                    .as("each lane by itself would make it 6.4 s")
                    .isBetween(100_000_000L, 4_000_000_000L);
        }
    }

    @Test
    void lanesAreIndependent() {
        try (var lanes = new KeyedLanes<String>(4, lane -> builder(2))) {
            assertThat(lanes.lane("k")).isSameAs(lanes.lane("k"));
            var one = lanes.lanes().get(0);
            var other = lanes.lanes().get(1);
            take(one, 2);
            take(other, 1);
            one.complete(1, "blocked");
            other.complete(1L << 55, "free");
            assertThat(journal.lines).containsExactly((1L << 55) + "=free");
            assertThat(lanes.drain(0)).isFalse();
            java.util.Set<Object> used = new java.util.HashSet<>();
            for (long key = 0; key < 64; key++) {
                used.add(System.identityHashCode(lanes.lane(key)));
            }
            assertThat(used).hasSize(4);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeyedLanes<String>(3, i -> builder(2)))
                .withMessageContaining("power of two")
                .withMessageContaining("was 3");
        var one = builder(2).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeyedLanes<String>(
                        2,
                        i -> i == 0
                                ? builder(2)
                                : OrderedScheduler.<String>builder(journal).after(one)))
                .withMessage("lane 1 must be a first stage, but is a later one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeyedLanes<String>(4, i -> builder(2).firstTicket(1L << 56)))
                .withMessageStartingWith("the first ticket of lane 0 must be from 0 to ")
                .withMessageEndingWith(", but was " + (1L << 56));
    }
}
