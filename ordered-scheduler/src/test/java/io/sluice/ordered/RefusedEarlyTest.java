package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.core.FailurePolicies;
import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** External tickets beyond the window: whoever ends one of them, in whatever way, hears that it was too early. */
class RefusedEarlyTest {
    private final List<String> lines = new ArrayList<>();
    private final List<Throwable> reports = new ArrayList<>();

    private OrderedSchedulerBuilder<String> builder(String name) {
        return OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {
                        lines.add(name + ticket + "=" + value);
                        if (value.equals("fails")) {
                            throw new IllegalStateException("planned");
                        }
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) {
                        lines.add(name + ticket + "!");
                    }

                    @Override
                    public void onTrashed(long ticket) {
                        lines.add(name + ticket + "-");
                    }
                })
                .tickets(TicketMode.EXTERNAL)
                .window(2)
                .errorHandler(reports::add);
    }

    private static void refused(Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(TicketRefusedException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void aStageThatIsToCompleteATicketTooEarlyIsRefusedAtOnce() {
        var scheduler = builder("a").build();
        refused(Reason.EARLY, () -> scheduler.completeFrom(2, CompletableFuture.completedFuture("c")));
        scheduler.completeFrom(0, CompletableFuture.completedFuture("a"));
        scheduler.completeFrom(2, CompletableFuture.completedFuture("c"));
        refused(Reason.LATE, () -> scheduler.completeFrom(0, CompletableFuture.completedFuture("again")));
        refused(Reason.DUPLICATE, () -> scheduler.completeFrom(2, CompletableFuture.completedFuture("again")));
        scheduler.completeFrom(1, CompletableFuture.completedFuture("b"));
        assertThat(lines).containsExactly("a0=a", "a1=b", "a2=c");
        assertThat(reports).isEmpty();
    }

    @Test
    void whatAStageEndsWithForATicketThatWasCompletedMeanwhileIsReported() {
        var scheduler = builder("a").build();
        var late = new CompletableFuture<String>();
        scheduler.completeFrom(0, late);
        scheduler.complete(0, "a");
        late.complete("b");
        assertThat(lines).containsExactly("a0=a");
        assertThat(reports).singleElement().satisfies(report -> {
            assertThat(report).hasMessageContaining("ticket 0");
            assertThat(report.getCause())
                    .isInstanceOfSatisfying(
                            TicketRefusedException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.LATE));
        });
    }

    @Test
    void afterTheEndAStageMayStillEnd() {
        var scheduler = builder("a").build();
        var late = new CompletableFuture<String>();
        scheduler.completeFrom(0, late);
        scheduler.close();
        late.complete("a");
        scheduler.completeFrom(1, CompletableFuture.completedFuture("b"));
        assertThat(lines).isEmpty();
        assertThat(reports).isEmpty();
    }

    @Test
    void whatAStageFailsWithIsReportedAfterTheEndToo() {
        var scheduler = builder("a").build();
        var late = new CompletableFuture<String>();
        scheduler.completeFrom(0, late);
        scheduler.close();
        Exception cause = new Exception("planned");
        late.completeExceptionally(cause);
        assertThat(lines).isEmpty();
        isReported(Reason.CLOSED, cause);
    }

    @Test
    void whatAStageFailsWithForATicketThatWasCompletedMeanwhileIsReported() {
        var scheduler = builder("a").build();
        var late = new CompletableFuture<String>();
        scheduler.completeFrom(0, late);
        scheduler.complete(0, "a");
        Exception cause = new Exception("planned");
        late.completeExceptionally(cause);
        assertThat(lines).containsExactly("a0=a");
        isReported(Reason.LATE, cause);
    }

    private void isReported(Reason reason, Exception suppressed) {
        assertThat(reports).singleElement().satisfies(report -> {
            assertThat(report).hasMessageContaining("ticket 0");
            assertThat(report.getCause()).isInstanceOfSatisfying(TicketRefusedException.class, e -> {
                assertThat(e.reason()).isEqualTo(reason);
                assertThat(e).hasSuppressedException(suppressed);
            });
        });
    }

    @Test
    void aHandleThatCannotTrashItsTicketYetSaysSo() {
        var scheduler = builder("a").build();
        Ticket<String> handle = scheduler.newTicket();
        refused(Reason.EARLY, () -> {
            try (Ticket<String> held = handle.hold(2)) {
                assertThat(held.number()).isEqualTo(2);
            }
        });
        scheduler.complete(0, "a");
        try (Ticket<String> held = handle.hold(2)) {
            assertThat(held.number()).isEqualTo(2);
        }
        try (Ticket<String> held = handle.hold(2)) {
            assertThat(held.number()).as("no longer open").isEqualTo(2);
        }
        scheduler.complete(1, "b");
        assertThat(lines).containsExactly("a0=a", "a1=b", "a2-");
    }

    /** The later stage, which is slower by a window, could not be told of it, and would wait for it for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"trash", "fail", "skip"})
    void aTicketThatEndsInOneStageBeforeTheNextHasRoomForItHaltsBoth(String how) {
        var one = builder("a")
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        var two = builder("b").after(one).build();
        one.complete(0, "v");
        one.complete(1, "v");
        switch (how) {
            case "trash" -> one.trash(2);
            case "fail" -> one.fail(2, new Exception("planned"));
            default -> one.complete(2, "fails");
        }
        for (OrderedScheduler<String> stage : List.of(one, two)) {
            assertThat(stage.state()).isEqualTo(State.FAILED);
            assertThat(stage.failure())
                    .hasMessage(
                            "ticket 2 must lie within the window of 2, but the first ticket that is not handled is 0");
        }
        assertThat(reports).hasSize(1);
    }

    @Test
    void aTicketThatEndsInOneStageWhileTheNextHasRoomForItEndsThereToo() {
        var one = builder("a").build();
        var two = builder("b").after(one).build();
        one.complete(0, "v");
        one.complete(1, "v");
        two.complete(0, "v");
        one.trash(2);
        two.complete(1, "v");
        assertThat(lines).containsExactly("a0=v", "a1=v", "b0=v", "a2-", "b1=v", "b2-");
        assertThat(one.state()).isEqualTo(State.RUNNING);
    }
}
