package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scheduler on virtual threads, one a call. They are found by reflection: the tests are compiled for 17. */
@Tag("concurrency")
@Timeout(60)
class VirtualThreadsTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);

    private ExecutorService virtual;

    @BeforeEach
    void onlyWhereThereAreVirtualThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
        virtual = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    @AfterEach
    void stop() {
        if (virtual != null) {
            virtual.shutdownNow();
        }
    }

    private static boolean isVirtual() throws ReflectiveOperationException {
        return (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
    }

    @Test
    void getProcessPushKeepsTheOrderOfTheSource() throws Exception {
        List<Integer> out = new ArrayList<>();
        var scheduler = OrderedScheduler.<Integer>builder((ticket, value) -> out.add(value))
                .window(16)
                .build();
        int[] source = {0};
        var pattern =
                new GetProcessPush<Integer, Integer>(() -> source[0] < 5_000 ? source[0]++ : null, i -> -i, scheduler);
        List<Future<Long>> done = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Callable<Long> all = () -> {
                assertThat(isVirtual()).isTrue();
                return pattern.executeAll();
            };
            done.add(virtual.submit(all));
        }
        long items = 0;
        for (Future<Long> one : done) {
            items += one.get();
        }
        assertThat(items).isEqualTo(5_000);
        assertThat(scheduler.drain(LONG)).isTrue();
        assertThat(out).hasSize(5_000).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    }

    /** Takers that held their carriers while they are parked would leave none to complete the head. */
    @Test
    void parkedTakersLeaveTheirCarriersToTheFinisherOfTheHead() throws Exception {
        int takers = 1_000;
        List<Long> out = new ArrayList<>();
        var scheduler = OrderedScheduler.<Long>builder((ticket, value) -> out.add(value))
                .window(1)
                .tickets(TicketMode.MANY)
                .build();
        long head = scheduler.next();
        List<Future<Long>> done = new ArrayList<>();
        for (int i = 0; i < takers; i++) {
            Callable<Long> taker = () -> {
                long ticket = scheduler.next();
                scheduler.complete(ticket, ticket);
                return ticket;
            };
            done.add(virtual.submit(taker));
        }
        assertThat(virtual.submit(() -> scheduler.complete(head, head)).get(30, TimeUnit.SECONDS))
                .isTrue();
        boolean[] seen = new boolean[takers + 1];
        for (Future<Long> one : done) {
            int ticket = Math.toIntExact(one.get(30, TimeUnit.SECONDS));
            assertThat(seen[ticket]).as("ticket %s twice", ticket).isFalse();
            seen[ticket] = true;
        }
        assertThat(scheduler.drain(LONG)).isTrue();
        assertThat(out).hasSize(takers + 1).isSorted();
    }

    @Test
    void mapOrderedGivesResultsInOrder() throws Exception {
        List<Integer> order = new ArrayList<>();
        try (var mapper = new MapOrdered<Integer, Integer>(virtual, 8, i -> i)) {
            for (int i = 0; i < 5_000; i++) {
                var recorded = mapper.map(i).thenAccept(order::add);
                assertThat(recorded.isCompletedExceptionally()).isFalse();
            }
            assertThat(mapper.drain(LONG)).isTrue();
        }
        assertThat(order).hasSize(5_000);
    }

    @Test
    void anInterruptedVirtualTakerTakesNoTicket() throws Exception {
        var scheduler =
                OrderedScheduler.<Long>builder((ticket, value) -> {}).window(1).build();
        long head = scheduler.next();
        var waiting = virtual.submit(() -> scheduler.next(LONG, TimeUnit.NANOSECONDS));
        virtual.shutdownNow();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(OrderedScheduler.INTERRUPTED);
        scheduler.complete(head, head);
        assertThat(scheduler.tryNext()).isEqualTo(head + 1);
        scheduler.close();
    }
}
