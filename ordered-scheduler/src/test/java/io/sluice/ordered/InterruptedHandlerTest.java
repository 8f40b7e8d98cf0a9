package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One interrupt of the thread that delivers costs one attempt, and the thread keeps its flag. */
@Timeout(30)
class InterruptedHandlerTest {
    private static final int TICKETS = 8;

    private final List<String> lines = new ArrayList<>();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    /** Blocks for a moment, as a put into a queue does: throws if the thread is interrupted. */
    private static void block() throws InterruptedException {
        new CountDownLatch(0).await();
    }

    private OrderedSchedulerBuilder<String> builder(String name) {
        return OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) throws Exception {
                        if (value.equals("interrupt")) {
                            Thread.currentThread().interrupt(); // as another thread would
                        }
                        block();
                        lines.add(name + ticket);
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) throws Exception {
                        if (name.equals("throws ")) {
                            throw (Exception) cause;
                        }
                        block();
                        lines.add(name + ticket + "!");
                    }
                })
                .window(TICKETS)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> lines.add(name + ticket + " skipped")));
    }

    private static void complete(OrderedScheduler<String> scheduler, String first) {
        for (int i = 0; i < TICKETS; i++) {
            assertThat(scheduler.tryNext()).isEqualTo(i);
        }
        for (int i = TICKETS - 1; i > 0; i--) {
            scheduler.complete(i, "v");
        }
        scheduler.complete(0, first);
    }

    private static List<String> rest(String name) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i < TICKETS; i++) {
            all.add(name + i);
        }
        return all;
    }

    @Test
    void oneInterruptFailsOneTicketAndNotThoseBehindIt() {
        var scheduler = builder("").build();
        complete(scheduler, "interrupt");
        assertThat(Thread.interrupted()).as("the thread keeps its flag").isTrue();
        assertThat(lines.get(0)).isEqualTo("0 skipped");
        assertThat(lines.subList(1, lines.size())).isEqualTo(rest(""));
    }

    @Test
    void aRetryAfterAnInterruptIsNotInVain() {
        int[] calls = {0};
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (calls[0]++ == 0) {
                        Thread.currentThread().interrupt();
                    }
                    block();
                    lines.add("" + ticket);
                })
                .window(TICKETS)
                .onFailure((cause, value, ticket, attempt) ->
                        attempt < 3 ? FailurePolicy.Action.RETRY_EVENT : FailurePolicy.Action.HALT)
                .build();
        complete(scheduler, "v");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(scheduler.failure()).isNull();
        assertThat(lines).startsWith("0").hasSize(TICKETS);
        assertThat(scheduler.snapshot().retries()).isEqualTo(1);
    }

    /** As a Runnable has to do it, which may not throw an {@link InterruptedException}. */
    private static void blockUnchecked() {
        try {
            block();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneInterruptEndsOneCallAlsoOfAHandlerThatRestoresTheFlag(boolean retries) {
        int[] calls = {0};
        List<String> failures = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (calls[0]++ == 0) {
                        Thread.currentThread().interrupt();
                    }
                    blockUnchecked();
                    lines.add("" + ticket);
                })
                .window(TICKETS)
                .onFailure((cause, value, ticket, attempt) -> {
                    failures.add(ticket + " in attempt " + attempt);
                    return !retries
                            ? FailurePolicy.Action.SKIP
                            : attempt < 3 ? FailurePolicy.Action.RETRY_EVENT : FailurePolicy.Action.HALT;
                })
                .errorHandler(failure -> {})
                .build();
        complete(scheduler, "v");
        assertThat(Thread.interrupted()).as("the thread keeps its flag").isTrue();
        assertThat(failures).containsExactly("0 in attempt 1");
        List<String> all = rest("");
        if (retries) {
            all.add(0, "0");
        }
        assertThat(lines).isEqualTo(all);
        assertThat(scheduler.failure()).isNull();
    }

    /** What a failure that has nothing to do with it leaves of an interrupt. */
    @Test
    void aFlagThatWasSetBeforeTheDeliveryIsThereBehindIt() {
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket == 0) {
                        throw new IllegalStateException("of the value");
                    }
                    blockUnchecked();
                    lines.add("" + ticket);
                })
                .window(TICKETS)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> lines.add(ticket + " skipped")))
                .build();
        Thread.currentThread().interrupt();
        complete(scheduler, "v");
        assertThat(Thread.interrupted()).as("the thread keeps its flag").isTrue();
        assertThat(lines.get(0)).isEqualTo("0 skipped");
        assertThat(lines.subList(1, lines.size())).as("those behind").isEqualTo(rest(""));
        assertThat(scheduler.tryNext()).isEqualTo(TICKETS);
        scheduler.complete(TICKETS, "v");
        assertThat(Thread.interrupted()).as("given back once").isFalse();
    }

    /** The second stage is delivered inside the delivery of the first one. */
    @Test
    void anInterruptInALaterStageFailsNothingInTheFirst() {
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    if (ticket == 0) {
                        throw new IllegalStateException("planned");
                    }
                    block();
                    lines.add("one " + ticket);
                })
                .window(TICKETS)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onFailed(long ticket, Throwable cause) throws Exception {
                        Thread.currentThread().interrupt();
                        block();
                    }
                })
                .after(one)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        complete(one, "v");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lines).isEqualTo(rest("one "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"hand-over", "halt", "close"})
    void theFlagIsThereHoweverTheThreadStopsDelivering(String how) {
        List<OrderedScheduler<String>> self = new ArrayList<>();
        List<Runnable> given = new ArrayList<>();
        var builder = builder("");
        if (how.equals("hand-over")) {
            builder.batchLimit(1, given::add);
        } else {
            builder.onFailure((cause, value, ticket, attempt) -> {
                if (how.equals("close")) {
                    Objects.requireNonNull(self.get(0)).close();
                }
                return how.equals("close") ? FailurePolicy.Action.SKIP : FailurePolicy.Action.HALT;
            });
        }
        var scheduler = builder.errorHandler(failure -> {}).build();
        self.add(scheduler);
        complete(scheduler, "interrupt");
        assertThat(Thread.interrupted()).isTrue();
        scheduler.close();
        assertThat(Thread.interrupted()).as("given back once").isFalse();
        assertThat(scheduler.totals().settled()).isTrue();
    }

    /** It is that of the thread that failed the ticket. */
    @Test
    void anInterruptThatATicketWasFailedWithIsNotThatOfTheThreadThatDelivers() {
        var scheduler = builder("throws ").build();
        scheduler.tryNext();
        scheduler.fail(0, new InterruptedException("of a worker"));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(lines).containsExactly("throws 0 skipped");
    }

    /** The wait is not cut short, and the flag is there behind it, however long it lasts. */
    @Test
    void aCloseThatIsInterruptedWhileItWaitsForAHandlerKeepsTheFlag() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    inside.countDown();
                    goOn.await();
                })
                .window(TICKETS)
                .build();
        long ticket = scheduler.tryNext();
        Thread delivers = new Thread(() -> scheduler.complete(ticket, "v"));
        delivers.start();
        inside.await();
        AtomicBoolean flag = new AtomicBoolean();
        Thread closes = new Thread(() -> {
            scheduler.close();
            flag.set(Thread.currentThread().isInterrupted());
        });
        closes.start();
        awaitWaiting(closes);
        closes.interrupt();
        while (closes.isInterrupted()) { // until it has taken note
            Thread.onSpinWait();
        }
        for (int i = 0; i < 10; i++) { // some rounds of the wait: the more, the surer would a lost flag be seen
            LockSupport.parkNanos(1_000_000);
            awaitWaiting(closes);
        }
        assertThat(closes.isAlive()).isTrue();
        goOn.countDown();
        closes.join();
        delivers.join();
        assertThat(flag).isTrue();
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }
}
