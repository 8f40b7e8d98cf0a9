package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the source and the work of the pattern mean for tickets, their time and the lock. */
@Timeout(60)
class GetProcessPushTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> lines = new ArrayList<>();
    private final List<Throwable> reports = new ArrayList<>();

    private final class Lines implements OrderedHandler<String> {
        @Override
        public void onCompleted(long ticket, String value) {
            lines.add(ticket + "=" + value);
        }

        @Override
        public void onFailed(long ticket, Throwable cause) {
            lines.add(ticket + "!" + cause.getClass().getSimpleName());
        }

        @Override
        public void onTrashed(long ticket) {
            lines.add(ticket + "-");
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private OrderedSchedulerBuilder<String> builder() {
        return OrderedScheduler.<String>builder(new Lines()).window(8).errorHandler(reports::add);
    }

    private static void pass(long nanos) {
        long start = System.nanoTime();
        while (System.nanoTime() - start <= nanos) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aSourceThatIsQuietForLongerThanTheLimitLosesNoTicket() throws Exception {
        var scheduler = builder().timeLimit(1).trackOwners().build();
        int[] expired = {0};
        var pattern = new GetProcessPush<String, String>(
                () -> {
                    pass(1_000);
                    expired[0] += scheduler.expireOverdue(); // as a watchdog would
                    assertThat(scheduler.snapshot().headOwner()).isSameAs(Thread.currentThread());
                    return "in";
                },
                in -> "out",
                scheduler);
        assertThat(pattern.execute()).isTrue();
        assertThat(expired[0]).as("failed while the source was quiet").isZero();
        assertThat(lines).containsExactly("0=out");
    }

    @Test
    void theTimeOfAnItemBeginsWithItsInput() throws Exception {
        var scheduler = builder().timeLimit(1).build();
        var later = OrderedScheduler.<String>builder(new Lines())
                .after(scheduler)
                .timeLimit(1)
                .build();
        var source = new ArrayDeque<>(List.of("slow", "fast"));
        var pattern = new GetProcessPush<String, String>(
                source::poll,
                in -> {
                    if (in.equals("slow")) {
                        pass(1_000);
                        assertThat(scheduler.expireOverdue()).isEqualTo(1);
                        assertThat(later.expireOverdue())
                                .as("failed by the stage before")
                                .isZero();
                    }
                    return in;
                },
                scheduler);
        assertThat(pattern.executeAll()).as("those in time").isEqualTo(1);
        assertThat(lines).containsExactly("0!TicketExpiredException", "0!TicketExpiredException", "1=fast", "2-");
        assertThat(reports)
                .singleElement()
                .satisfies(report -> assertThat(report).hasMessageContaining("too late at ticket 0"));
        later.complete(1, "v");
        assertThat(lines).endsWith("2-", "1=v", "2-");
        assertThat(scheduler.state()).isEqualTo(State.RUNNING);
    }

    /** It has been too late at a scheduler of its own. */
    @Test
    void whatTheSourceThrowsIsNoItemThatHasExpired() {
        var own = builder().timeLimit(1).build();
        long late = own.tryNext();
        pass(1_000);
        assertThat(own.expireOverdue()).isEqualTo(1);
        var scheduler = builder().build();
        boolean[] asked = {false};
        var pattern = new GetProcessPush<String, String>(
                () -> {
                    if (!asked[0]) {
                        asked[0] = true;
                        own.complete(late, "late");
                    }
                    return null;
                },
                in -> in,
                scheduler);
        assertThatThrownBy(pattern::executeAll)
                .isInstanceOf(TicketRefusedException.class)
                .hasMessageContaining("took longer");
        assertThat(reports).isEmpty();
    }

    /** It may have to deliver what waits behind it, which is no reason to keep inputs from others. */
    @Test
    void theTicketWithoutAnInputIsTrashedOutsideTheLock() throws Exception {
        var atTheEnd = new CountDownLatch(1);
        var another = new CountDownLatch(1);
        var scheduler = OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onTrashed(long ticket) throws Exception {
                        if (ticket == 0) {
                            atTheEnd.countDown();
                            assertThat(another.await(30, TimeUnit.SECONDS))
                                    .as("another thread gets an input meanwhile")
                                    .isTrue();
                        }
                    }
                })
                .window(8)
                .build();
        int[] calls = {0};
        var pattern = new GetProcessPush<String, String>(() -> calls[0]++ == 0 ? null : "in", in -> "out", scheduler);
        Future<Boolean> first = threads.submit(pattern::execute);
        atTheEnd.await();
        assertThat(threads.submit(pattern::execute).get(20, TimeUnit.SECONDS)).isTrue();
        another.countDown();
        assertThat(first.get()).isFalse();
        assertThat(scheduler.failure()).isNull();
        assertThat(scheduler.totals().trashed()).isEqualTo(1);
    }

    @Test
    void theTicketOfASourceThatThrowsIsTrashed() throws Exception {
        var scheduler = builder().build();
        List<@Nullable String> source = new ArrayList<>(List.of("in"));
        var pattern = new GetProcessPush<String, String>(
                () -> {
                    if (source.isEmpty()) {
                        throw new IllegalStateException("planned");
                    }
                    return source.remove(0);
                },
                in -> "out",
                scheduler);
        assertThat(pattern.execute()).isTrue();
        assertThatIllegalStateException().isThrownBy(pattern::execute).withMessage("planned");
        assertThat(lines).containsExactly("0=out", "1-");
    }

    /** It goes on in the stead of an executor, or fails an overdue ticket: room for the others, who get inputs meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoDeliversWhileItWaitsForRoomKeepsNoInputFromOthers(boolean timed) throws Exception {
        var delivering = new CountDownLatch(1);
        var another = new CountDownLatch(1);
        var builder = OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) throws Exception {
                        if (ticket == 3) {
                            delivering.countDown();
                            assertThat(another.await(30, TimeUnit.SECONDS))
                                    .as("another thread gets an input meanwhile")
                                    .isTrue();
                        }
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) {}
                })
                .window(4);
        var scheduler = (timed ? builder.timeLimit(1_000_000) : builder.batchLimit(2, task -> {})).build();
        for (int i = 0; i < 4; i++) {
            assertThat(scheduler.tryNext()).isEqualTo(i);
        }
        for (int i = 3; i > 0; i--) {
            scheduler.complete(i, "v");
        }
        if (!timed) {
            scheduler.complete(0, "v"); // and 2 and 3 wait for the executor
            assertThat(scheduler.tryNext()).isEqualTo(4);
            assertThat(scheduler.tryNext()).isEqualTo(5);
        }
        var pattern = new GetProcessPush<String, String>(() -> "in", in -> "out", scheduler);
        Future<Boolean> first = threads.submit(pattern::execute);
        delivering.await();
        Future<Boolean> second = threads.submit(pattern::execute);
        assertThat(second.get(20, TimeUnit.SECONDS)).isTrue();
        another.countDown();
        assertThat(first.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(scheduler.failure()).isNull();
    }
}
