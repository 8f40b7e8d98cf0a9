package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom a failure reaches that no policy passes over. */
@Timeout(60)
class ReportTest {
    private final List<Throwable> reports = new ArrayList<>();

    private OrderedSchedulerBuilder<String> builder(OrderedHandler<String> handler) {
        return OrderedScheduler.builder(handler).window(4).name("prices").errorHandler(reports::add);
    }

    private static void take(OrderedScheduler<?> scheduler, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(scheduler.tryNext()).isEqualTo(i);
        }
    }

    @Test
    void aHaltIsReportedOnceWithSchedulerTicketAndCause() {
        var boom = new IllegalStateException("boom");
        var scheduler = builder((ticket, value) -> {
                    if (ticket == 1) {
                        throw boom;
                    }
                })
                .build();
        take(scheduler, 4);
        for (int i = 3; i >= 0; i--) {
            scheduler.complete(i, "v");
        }
        scheduler.close();
        assertThat(reports).hasSize(1).first().satisfies(report -> {
            assertThat(report).isInstanceOf(HandlingFailedException.class);
            assertThat(report).hasMessage("prices failed at ticket 1 and is halted");
            assertThat(report).hasCause(boom);
        });
    }

    @Test
    void theReportComesAfterTheEndSoThatItMayCloseAndLook() {
        List<Object> seen = new ArrayList<>();
        List<OrderedScheduler<String>> self = new ArrayList<>();
        var scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    throw new Exception("boom");
                })
                .errorHandler(failure -> {
                    seen.add(self.get(0).state());
                    seen.add(self.get(0).tryNext());
                    self.get(0).close();
                })
                .build();
        self.add(scheduler);
        take(scheduler, 1);
        scheduler.complete(0, "v");
        assertThat(seen).containsExactly(State.FAILED, OrderedScheduler.FAILED);
        assertThat(scheduler.totals().settled()).isTrue();
    }

    @Test
    void whatAPolicyPassesOverIsNotReported() {
        var scheduler = builder((ticket, value) -> {
                    throw new Exception("boom");
                })
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        take(scheduler, 1);
        scheduler.complete(0, "v");
        scheduler.close();
        assertThat(reports).isEmpty();
    }

    @Test
    void anErrorHandlerThatThrowsChangesNothing() {
        var scheduler = builder((ticket, value) -> {
                    throw new Exception("boom");
                })
                .errorHandler(failure -> {
                    throw new IllegalStateException("in the error handler");
                })
                .build();
        take(scheduler, 2);
        scheduler.complete(1, "v");
        assertThat(scheduler.complete(0, "v")).isTrue();
        assertThat(scheduler.totals().discarded()).isEqualTo(1);
        assertThat(scheduler.failure()).hasMessage("boom");
        assertThat(Objects.requireNonNull(scheduler.failure()).getSuppressed()[0])
                .hasMessage("in the error handler");
    }

    /** Nothing is delivered once the scheduler has ended; so what fails in the call that is under way is heard of here only. */
    @Test
    void aFailureWhileItIsClosedIsReportedToo() {
        List<OrderedScheduler<String>> self = new ArrayList<>();
        var scheduler = builder((ticket, value) -> {
                    self.get(0).close();
                    throw new Exception("boom");
                })
                .build();
        self.add(scheduler);
        take(scheduler, 1);
        scheduler.complete(0, "v");
        assertThat(scheduler.state()).isEqualTo(State.CLOSED);
        assertThat(reports)
                .hasSize(1)
                .first()
                .satisfies(report ->
                        assertThat(report).hasMessageContaining("ticket 0").hasRootCauseMessage("boom"));
    }

    @Test
    void anEndlessRetryThatACloseEndsIsReported() {
        List<OrderedScheduler<String>> self = new ArrayList<>();
        int[] calls = {0};
        var scheduler = builder((ticket, value) -> {
                    if (++calls[0] == 3) {
                        self.get(0).close();
                    }
                    throw new Exception("call " + calls[0]);
                })
                .onFailure((cause, value, ticket, attempt) -> FailurePolicy.Action.RETRY_EVENT)
                .build();
        self.add(scheduler);
        take(scheduler, 2);
        scheduler.complete(1, "v");
        scheduler.complete(0, "v");
        assertThat(calls[0]).isEqualTo(3);
        assertThat(scheduler.totals()).isEqualTo(new TicketTotals(2, 0, 1, 0, 0, 1, 0, true, null));
        assertThat(reports)
                .hasSize(1)
                .first()
                .satisfies(report -> assertThat(report)
                        .hasMessageContaining("not handled again at ticket 0")
                        .hasRootCauseMessage("call 3"));
    }

    /** Its handler never hears of it, since the ticket before is still open at the end. */
    @Test
    void whatADiscardedTicketWasFailedWithIsReported() {
        var scheduler = builder((ticket, value) -> {}).build();
        take(scheduler, 4);
        var explains = new IOException("why the first one never came");
        scheduler.fail(1, explains);
        scheduler.complete(2, "v");
        scheduler.trash(3);
        scheduler.close();
        assertThat(reports)
                .singleElement()
                .satisfies(report -> assertThat(report)
                        .hasMessage("prices has discarded the failure of ticket 1")
                        .hasCause(explains));
    }

    /** The program of somebody new to it, with a division by zero in its handler. */
    public static final class Divides {
        private Divides() {}

        /** Ends normally, whatever its handler does. */
        public static void main(String[] arguments) throws InterruptedException {
            OrderedScheduler<Integer> scheduler = OrderedScheduler.<Integer>builder(
                            (ticket, value) -> System.out.println(100 / value))
                    .build();
            for (int value = 2; value >= -1; value--) {
                long ticket = scheduler.tryNext();
                if (ticket >= 0) {
                    scheduler.complete(ticket, value);
                }
            }
            scheduler.close();
        }
    }

    @Test
    @Tag("once")
    void withoutAnErrorHandlerTheFailureStandsInTheLogOnce() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Divides.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("50", "100").containsOnlyOnce("ordered scheduler failed at ticket 2 and is halted");
        assertThat(output).containsOnlyOnce("java.lang.ArithmeticException: / by zero");
        assertThat(output).as("the stack").contains("at io.sluice.ordered.ReportTest$Divides.");
    }
}
