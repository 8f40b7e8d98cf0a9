package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time limit of a later stage counts for those who wait for tickets, which the first stage issues. */
@Tag("concurrency")
class LaterStageTimeLimitTest {
    private static final long LIMIT = TimeUnit.MILLISECONDS.toNanos(300);

    @Test
    @Timeout(4) // whom nobody wakes looks again after 5 s
    void aTakerThatWaitsFailsATicketThatWasLostInALaterStage() throws InterruptedException {
        OrderedScheduler<String> one = OrderedScheduler.<String>builder((ticket, value) -> {})
                .window(1)
                .build();
        OrderedScheduler<String> two = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onFailed(long ticket, Throwable cause) {}
                })
                .window(1)
                .timeLimit(LIMIT)
                .after(one)
                .build();
        long lost = one.next();
        one.complete(lost, "value"); // and never in the second stage
        assertThat(one.next()).isEqualTo(lost + 1); // parks before the time is over
        assertThat(two.totals().expired()).isEqualTo(1);
        assertThat(two.totals().open()).isEqualTo(1);
    }

    /** Each wait is over before it would come to look. */
    @Test
    @Timeout(30)
    void aTakerThatWaitsVeryShortlyAgainAndAgainFailsATicketThatWasLost() throws InterruptedException {
        OrderedScheduler<String> scheduler = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onFailed(long ticket, Throwable cause) {}
                })
                .window(1)
                .timeLimit(TimeUnit.MILLISECONDS.toNanos(1))
                .build();
        long lost = scheduler.next();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        long ticket = OrderedScheduler.TIMED_OUT;
        while (ticket == OrderedScheduler.TIMED_OUT && System.nanoTime() - end < 0) {
            ticket = scheduler.next(1, TimeUnit.NANOSECONDS);
        }
        assertThat(ticket).isEqualTo(lost + 1);
        assertThat(scheduler.totals().expired()).isEqualTo(1);
    }

    /** The drain has ended the issue of tickets, so no taker waits that would look. What is left comes through the stage before. */
    @Test
    @Timeout(30)
    void aDrainOfALaterStageFailsATicketThatWasLostInTheFirst() throws InterruptedException {
        OrderedHandler<String> passes = new OrderedHandler<>() {
            @Override
            public void onCompleted(long ticket, String value) {}

            @Override
            public void onFailed(long ticket, Throwable cause) {}
        };
        OrderedScheduler<String> one = OrderedScheduler.builder(passes)
                .timeLimit(TimeUnit.MILLISECONDS.toNanos(1))
                .build();
        OrderedScheduler<String> two =
                OrderedScheduler.builder(passes).after(one).build();
        one.next(); // nobody completes it
        assertThat(two.drain(TimeUnit.SECONDS.toNanos(5))).isTrue();
        assertThat(one.totals().expired()).isEqualTo(1);
        assertThat(two.totals().failed()).isEqualTo(1);
    }
}
