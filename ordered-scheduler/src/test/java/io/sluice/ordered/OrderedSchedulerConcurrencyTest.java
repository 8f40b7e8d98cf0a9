package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("concurrency")
@Timeout(60)
class OrderedSchedulerConcurrencyTest {
    /** A taker that is woken is back before that; one that nobody wakes looks again later. */
    private static final long LEFT_ASLEEP = TimeUnit.SECONDS.toNanos(3);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Checks order and visibility with plain fields: what one call did must be visible to the next. */
    private static final class Checker implements OrderedHandler<Long> {
        long next;
        long delivered;
        long failed;
        long trashed;
        long discarded;
        boolean inside;
        final AtomicInteger faults = new AtomicInteger();

        private void turn(long ticket) {
            if (inside || ticket != next) {
                faults.incrementAndGet();
            }
            inside = true;
            next = ticket + 1;
            inside = false;
        }

        @Override
        public void onCompleted(long ticket, Long value) {
            turn(ticket);
            if (value != ticket) {
                faults.incrementAndGet();
            }
            delivered++;
        }

        @Override
        public void onFailed(long ticket, Throwable cause) {
            turn(ticket);
            failed++;
        }

        @Override
        public void onTrashed(long ticket) {
            turn(ticket);
            trashed++;
        }

        @Override
        public void onDiscarded(long ticket, @Nullable Long value) {
            if (ticket < next || inside) {
                faults.incrementAndGet();
            }
            next = ticket + 1;
            discarded++;
        }
    }

    private void all(List<Callable<?>> calls) throws Exception {
        CompletionService<Object> results = new ExecutorCompletionService<>(threads);
        for (Callable<?> call : calls) {
            Future<Object> unused = results.submit(call::call);
        }
        for (int i = 0; i < calls.size(); i++) {
            results.take().get(); // the first that fails ends the test; the others may wait for it
        }
    }

    /** Workers take tickets and complete several of their own in random order. */
    private void soak(OrderedScheduler<Long> scheduler, Checker checker, int workers, long count, long seed)
            throws Exception {
        AtomicLong left = new AtomicLong(count);
        AtomicLong trashed = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        List<Callable<?>> calls = new ArrayList<>();
        int held = Math.max(1, Math.min(8, scheduler.window() / workers));
        for (int w = 0; w < workers; w++) {
            SplittableRandom random = new SplittableRandom(seed + w);
            calls.add(() -> {
                long[] mine = new long[held];
                while (true) {
                    int n = 0;
                    // only the first ticket may be waited for: whoever waits holds none
                    while (n < held && left.get() > 0) {
                        long ticket = n == 0 ? scheduler.next() : scheduler.tryNext();
                        if (ticket < 0) {
                            break;
                        }
                        mine[n++] = ticket;
                        left.decrementAndGet();
                    }
                    if (n == 0) {
                        return null;
                    }
                    while (n > 0) {
                        int pick = random.nextInt(n);
                        long ticket = mine[pick];
                        mine[pick] = mine[--n];
                        int kind = random.nextInt(16);
                        if (kind == 0) {
                            trashed.incrementAndGet();
                            scheduler.trash(ticket);
                        } else if (kind == 1) {
                            failed.incrementAndGet();
                            scheduler.fail(ticket, new IllegalStateException("asked for"));
                        } else {
                            scheduler.complete(ticket, ticket);
                        }
                    }
                }
            });
        }
        all(calls);
        assertThat(scheduler.drain(30_000_000_000L)).as("seed %d", seed).isTrue();
        scheduler.close();
        TicketTotals account = scheduler.totals();
        assertThat(checker.faults).as("seed %d", seed).hasValue(0);
        assertThat(account.issued()).isEqualTo(checker.next).isGreaterThanOrEqualTo(count);
        assertThat(account.trashed()).isEqualTo(checker.trashed).isEqualTo(trashed.get());
        assertThat(account.failed()).isEqualTo(checker.failed).isEqualTo(failed.get());
        assertThat(account.delivered()).isEqualTo(checker.delivered);
        assertThat(account.open() + account.discarded()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2, false", "2, 2, false", "4, 3, false", "1024, 4, false",
        "1, 2, true", "2, 2, true", "4, 3, true", "1024, 4, true"
    })
    void aMillionTicketsInOrder(int window, int workers, boolean unchecked) throws Exception {
        Checker checker = new Checker();
        var builder = OrderedScheduler.<Long>builder(checker).window(window);
        soak((unchecked ? builder.unchecked() : builder).build(), checker, workers, 150_000, 42);
    }

    /** A quarter of them with each window; with {@code -Dsluice.soak.tickets=N} so many instead. */
    @Tag("slow")
    @Timeout(1100)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 1024})
    void aHundredMillionTicketsInOrder(int window) throws Exception {
        Checker checker = new Checker();
        int tickets = Integer.getInteger("sluice.soak.tickets", 100_000_000);
        soak(OrderedScheduler.<Long>builder(checker).window(window).build(), checker, 4, tickets / 4, 43);
    }

    @Test
    void handsOverToAnExecutorAndKeepsTheOrder() throws Exception {
        Checker checker = new Checker();
        soak(
                OrderedScheduler.<Long>builder(checker)
                        .window(64)
                        .batchLimit(2, threads)
                        .build(),
                checker,
                3,
                100_000,
                44);
    }

    @RepeatedTest(5)
    void ofTwoCompletionsOfOneTicketExactlyOneIsAccepted() throws Exception {
        Checker checker = new Checker();
        var scheduler = OrderedScheduler.<Long>builder(checker).window(4).build();
        int rounds = 20_000;
        AtomicInteger refused = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(2);
        AtomicLong current = new AtomicLong();
        List<Callable<?>> calls = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            boolean issuer = w == 0;
            calls.add(() -> {
                for (int i = 0; i < rounds / 2; i++) {
                    if (issuer) {
                        current.set(scheduler.next());
                        scheduler.next();
                    }
                    barrier.await();
                    long first = current.get();
                    // odd rounds: the second ticket while it waits, then the head; else the head first
                    for (long ticket : i % 2 == 0 ? new long[] {first, first + 1} : new long[] {first + 1, first}) {
                        try {
                            scheduler.complete(ticket, ticket);
                        } catch (TicketRefusedException e) {
                            assertThat(e.reason()).isIn(Reason.DUPLICATE, Reason.LATE);
                            refused.incrementAndGet();
                        }
                    }
                    barrier.await();
                }
                return null;
            });
        }
        all(calls);
        assertThat(refused).hasValue(rounds);
        assertThat(checker.faults).hasValue(0);
        assertThat(checker.delivered).isEqualTo(rounds);
    }

    @RepeatedTest(5)
    void ofExpiryAndCompletionExactlyOneWins() throws Exception {
        Checker checker = new Checker();
        var scheduler =
                OrderedScheduler.<Long>builder(checker).window(4).timeLimit(1).build();
        int rounds = 20_000;
        AtomicInteger told = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(2);
        all(List.of(
                () -> {
                    for (int i = 0; i < rounds; i++) {
                        long ticket = scheduler.next();
                        barrier.await();
                        Reason later = Reason.LATE;
                        try {
                            scheduler.complete(ticket, ticket);
                        } catch (TicketRefusedException e) {
                            assertThat(e.reason()).isEqualTo(Reason.EXPIRED);
                            told.incrementAndGet();
                            later = Reason.EXPIRED;
                        }
                        barrier.await();
                        try { // the look that came too late must have left no mark
                            scheduler.complete(ticket, ticket);
                            throw new AssertionError("ticket " + ticket + " was taken twice");
                        } catch (TicketRefusedException e) {
                            assertThat(e.reason()).isEqualTo(later);
                        }
                    }
                    return null;
                },
                () -> {
                    for (int i = 0; i < rounds; i++) {
                        barrier.await();
                        scheduler.expireOverdue();
                        barrier.await();
                    }
                    return null;
                }));
        assertThat(checker.faults).hasValue(0);
        assertThat(checker.failed).isEqualTo(told.get());
        assertThat(checker.delivered + checker.failed).isEqualTo(rounds);
        assertThat(scheduler.totals().expired()).isEqualTo(told.get());
    }

    /** The owners come when both looks are over: none may be told that it had completed its ticket itself. */
    @RepeatedTest(5)
    void ofTwoLooksAtOnceOneFailsATicketAndItsOwnerIsToldSo() throws Exception {
        int window = 64;
        int rounds = 2_000;
        Checker checker = new Checker();
        var scheduler = OrderedScheduler.<Long>builder(checker)
                .window(window)
                .timeLimit(1)
                .build();
        AtomicLong expired = new AtomicLong();
        CyclicBarrier barrier = new CyclicBarrier(2);
        all(List.of(
                () -> {
                    for (int i = 0; i < rounds; i++) {
                        long end = 0;
                        for (int n = 0; n < window; n++) {
                            end = scheduler.next() + 1;
                        }
                        long start = System.nanoTime();
                        while (System.nanoTime() - start < 1000) {
                            Thread.onSpinWait(); // until the last one is overdue
                        }
                        barrier.await();
                        expired.addAndGet(scheduler.expireOverdue());
                        barrier.await();
                        for (long ticket = end - window; ticket < end; ticket++) {
                            try {
                                scheduler.complete(ticket, ticket);
                                throw new AssertionError("ticket " + ticket + " was not expired");
                            } catch (TicketRefusedException e) {
                                assertThat(e.reason()).as("ticket %d", ticket).isEqualTo(Reason.EXPIRED);
                            }
                        }
                    }
                    return null;
                },
                () -> {
                    for (int i = 0; i < rounds; i++) {
                        barrier.await();
                        expired.addAndGet(scheduler.expireOverdue());
                        barrier.await();
                    }
                    return null;
                }));
        assertThat(expired).hasValue((long) rounds * window);
        assertThat(checker.failed).isEqualTo((long) rounds * window);
        assertThat(checker.faults).hasValue(0);
    }

    @RepeatedTest(100)
    void closeRacesWithCompletionsAndAccountsForEveryTicket() throws Exception {
        Checker checker = new Checker();
        var scheduler = OrderedScheduler.<Long>builder(checker).window(16).build();
        AtomicInteger accepted = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(3);
        List<Callable<?>> calls = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            calls.add(() -> {
                barrier.await();
                while (true) {
                    long ticket = scheduler.next(1_000_000_000, TimeUnit.NANOSECONDS);
                    if (ticket < 0) {
                        return ticket;
                    }
                    try {
                        scheduler.complete(ticket, ticket);
                        accepted.incrementAndGet();
                    } catch (TicketRefusedException e) {
                        assertThat(e.reason()).isEqualTo(Reason.CLOSED);
                    }
                }
            });
        }
        calls.add(() -> {
            barrier.await();
            while (scheduler.totals().delivered() < 50) {
                Thread.onSpinWait();
            }
            scheduler.close();
            return null;
        });
        all(calls);
        TicketTotals account = scheduler.totals();
        assertThat(checker.faults).hasValue(0);
        assertThat(account.settled()).isTrue();
        assertThat(account.delivered() + account.discarded()).isEqualTo(accepted.get());
        assertThat(account.delivered()).isEqualTo(checker.delivered);
        assertThat(account.discarded()).isEqualTo(checker.discarded);
        assertThat(account.issued()).isEqualTo(accepted.get() + account.open());
    }

    @RepeatedTest(20)
    void aHaltRacesWithCompletionsAndAccountsForEveryTicket() throws Exception {
        AtomicInteger discarded = new AtomicInteger();
        var scheduler = OrderedScheduler.builder(new OrderedHandler<Long>() {
                    @Override
                    public void onCompleted(long ticket, Long value) throws Exception {
                        if (ticket == 200) {
                            throw new Exception("asked for");
                        }
                    }

                    @Override
                    public void onDiscarded(long ticket, @Nullable Long value) {
                        discarded.incrementAndGet();
                    }
                })
                .window(16)
                .build();
        AtomicInteger accepted = new AtomicInteger();
        Callable<Object> worker = () -> {
            while (true) {
                long ticket = scheduler.next(1_000_000_000, TimeUnit.NANOSECONDS);
                if (ticket < 0) {
                    return ticket;
                }
                try {
                    scheduler.complete(ticket, ticket);
                    accepted.incrementAndGet();
                } catch (TicketRefusedException e) {
                    assertThat(e.reason()).isEqualTo(Reason.FAILED);
                }
            }
        };
        all(List.of(worker, worker));
        scheduler.close();
        TicketTotals account = scheduler.totals();
        assertThat(scheduler.state()).isEqualTo(State.FAILED);
        assertThat(account.settled()).isTrue();
        assertThat(account.delivered()).isEqualTo(200);
        assertThat(account.failed()).isEqualTo(1);
        assertThat(account.discarded()).isEqualTo(discarded.get());
        assertThat(account.delivered() + account.failed() + account.discarded()).isEqualTo(accepted.get());
    }

    /** A taker that parks for long must be woken each time: the window is 1, so it parks again and again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parkedTakersAreAlwaysWoken(int takers) throws Exception {
        Checker checker = new Checker();
        var scheduler = OrderedScheduler.<Long>builder(checker).window(1).build();
        int each = 3_000;
        AtomicLong leftAsleep = new AtomicLong();
        var queue = new java.util.concurrent.LinkedBlockingQueue<Long>();
        List<Callable<?>> calls = new ArrayList<>();
        for (int t = 0; t < takers; t++) {
            calls.add(() -> {
                for (int i = 0; i < each; i++) {
                    long began = System.nanoTime();
                    queue.add(scheduler.next());
                    leftAsleep.addAndGet(System.nanoTime() - began > LEFT_ASLEEP ? 1 : 0);
                }
                return null;
            });
        }
        calls.add(() -> {
            for (int i = 0; i < each * takers; i++) {
                long ticket = queue.take();
                if (i % 3 == 0) { // let the taker get to its park
                    long parks = scheduler.snapshot().parks();
                    for (int spin = 0; spin < 10_000 && scheduler.snapshot().parks() == parks; spin++) {
                        Thread.onSpinWait();
                    }
                }
                scheduler.complete(ticket, ticket);
            }
            return null;
        });
        all(calls);
        assertThat(checker.faults).hasValue(0);
        assertThat(checker.delivered).isEqualTo((long) each * takers);
        assertThat(scheduler.snapshot().parks()).isPositive();
        assertThat(leftAsleep).as("woken by nobody but the clock").hasValue(0);
    }

    @Test
    void aTakerIsParkedWhileTheHeadIsStalledAndHonoursInterrupts() throws Exception {
        var scheduler = OrderedScheduler.<Long>builder(new Checker()).window(1).build();
        long head = scheduler.next();
        Thread[] taker = new Thread[1];
        Future<Object> waiting = threads.submit(() -> {
            taker[0] = Thread.currentThread();
            try {
                return scheduler.next();
            } catch (InterruptedException e) {
                return e.getMessage();
            }
        });
        while (scheduler.snapshot().parks() == 0 || taker[0].getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(scheduler.snapshot().parks())
                .as("it is not awake again and again")
                .isLessThan(5);
        taker[0].interrupt();
        assertThat(waiting.get()).isEqualTo("next() must wait without an interrupt, but the thread was interrupted");
        assertThat(scheduler.next(0, TimeUnit.NANOSECONDS)).isEqualTo(OrderedScheduler.TIMED_OUT);
        scheduler.complete(head, head);
        assertThat(scheduler.next()).isEqualTo(head + 1);
    }

    @Test
    void aParkedTakerIsWokenByClose() throws Exception {
        var scheduler = OrderedScheduler.<Long>builder(new Checker()).window(1).build();
        long unused = scheduler.next();
        assertThat(unused).isZero();
        Future<Long> waiting = threads.submit(() -> scheduler.next(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        while (scheduler.snapshot().parks() == 0) {
            Thread.onSpinWait();
        }
        scheduler.close();
        assertThat(waiting.get(LEFT_ASLEEP, TimeUnit.NANOSECONDS)).isEqualTo(OrderedScheduler.CLOSED);
    }

    /** Nothing is completed, so no drainer wakes it: the drain itself has to. */
    @Test
    void aParkedTakerIsWokenByADrain() throws Exception {
        var scheduler = OrderedScheduler.<Long>builder(new Checker()).window(1).build();
        long head = scheduler.next();
        Future<Long> waiting = threads.submit(() -> scheduler.next(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        while (scheduler.snapshot().parks() == 0) {
            Thread.onSpinWait();
        }
        assertThat(scheduler.drain(0)).isFalse();
        assertThat(waiting.get(LEFT_ASLEEP, TimeUnit.NANOSECONDS)).isEqualTo(OrderedScheduler.CLOSED);
        scheduler.complete(head, head);
        assertThat(scheduler.drain(0)).isTrue();
    }

    @Test
    void twoStagesKeepTheOrderOfOneTicket() throws Exception {
        Checker last = new Checker();
        var tickets = new java.util.concurrent.LinkedBlockingQueue<Long>();
        var one = OrderedScheduler.<Long>builder(new OrderedHandler<Long>() {
                    @Override
                    public void onCompleted(long ticket, Long value) throws Exception {
                        if (ticket % 7 == 0) {
                            throw new Exception("asked for");
                        }
                        tickets.add(ticket);
                    }
                })
                .window(8)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        var two = OrderedScheduler.<Long>builder(last).after(one).build();
        int each = 20_000;
        Callable<Object> first = () -> {
            for (int i = 0; i < each; i++) {
                long ticket = one.next();
                if (ticket % 5 == 0) {
                    one.trash(ticket);
                } else {
                    one.complete(ticket, ticket);
                }
            }
            return "";
        };
        Callable<Object> second = () -> {
            for (long ticket = tickets.take(); ticket >= 0; ticket = tickets.take()) {
                two.complete(ticket, ticket);
            }
            tickets.add(-1L);
            return "";
        };
        Future<?> later = threads.submit(second);
        Future<?> later2 = threads.submit(second);
        all(List.of(first, first));
        assertThat(one.drain(30_000_000_000L)).isTrue();
        assertThat(two.drain(30_000_000_000L)).isTrue();
        tickets.add(-1L);
        later.get();
        later2.get();
        assertThat(last.faults).hasValue(0);
        assertThat(last.next).isEqualTo(2L * each);
        assertThat(last.trashed).isEqualTo(2L * each / 5);
        assertThat(last.failed).isEqualTo(one.totals().failed());
        assertThat(last.delivered + last.failed + last.trashed).isEqualTo(2L * each);
    }

    @Test
    void aSnapshotNeverCountsLessThanNoTicketAsOutstanding() throws Exception {
        var scheduler =
                OrderedScheduler.<Long>builder((ticket, value) -> {}).window(4).build();
        var over = new AtomicBoolean();
        Future<Long> worker = threads.submit(() -> {
            long ticket = 0;
            while (!over.get()) {
                ticket = scheduler.next();
                scheduler.complete(ticket, ticket);
            }
            return ticket;
        });
        long lowest = 0;
        for (int i = 0; i < 500_000; i++) {
            lowest = Math.min(lowest, scheduler.snapshot().outstanding());
        }
        over.set(true);
        assertThat(worker.get()).isPositive();
        assertThat(lowest).isZero();
    }

    /** Its time is started while another thread completes it; the time is not to stay for the ticket one window later. */
    @Test
    void aTicketThatIsLetInWhileItIsCompletedStartsNoClockForALaterOne() throws Exception {
        int count = 100_000;
        var scheduler = OrderedScheduler.<Long>builder((ticket, value) -> {})
                .tickets(TicketMode.EXTERNAL)
                .window(1)
                .timeLimit(1)
                .build();
        var begun = new AtomicLong(-1);
        var done = new AtomicLong(-1);
        Future<?> completes = threads.submit(() -> {
            for (long ticket = 0; ticket < count; ticket++) {
                while (begun.get() < ticket) {
                    Thread.onSpinWait();
                }
                for (int i = (int) ticket % 32; i > 0; i--) {
                    done.lazySet(ticket - 1);
                }
                scheduler.complete(ticket, ticket);
                done.set(ticket);
            }
        });
        for (long ticket = 0; ticket < count; ticket++) {
            begun.set(ticket);
            scheduler.awaitRoom(ticket, 0);
            while (done.get() < ticket) {
                Thread.onSpinWait();
            }
            assertThat(scheduler.expireOverdue())
                    .as("failed before it was let in: ticket " + (ticket + 1))
                    .isZero();
        }
        completes.get();
    }

    @Test
    void keyedLanesKeepTheOrderOfEachKey() throws Exception {
        int keys = 32;
        long[] lastOfKey = new long[keys];
        AtomicInteger faults = new AtomicInteger();
        try (var lanes = new KeyedLanes<long[]>(
                8,
                lane -> OrderedScheduler.<long[]>builder((ticket, keyed) -> {
                            int key = (int) keyed[0];
                            if (keyed[1] != lastOfKey[key] + 1) {
                                faults.incrementAndGet();
                            }
                            lastOfKey[key] = keyed[1];
                        })
                        .window(16)
                        .tickets(TicketMode.SINGLE))) {
            ExecutorService pool = Executors.newFixedThreadPool(4);
            try {
                SplittableRandom random = new SplittableRandom(45);
                long[] issued = new long[keys];
                for (int i = 0; i < 50_000; i++) {
                    int key = random.nextInt(keys);
                    long[] item = {key, ++issued[key]};
                    OrderedScheduler<long[]> lane = lanes.lane(key);
                    long ticket = lane.next();
                    pool.execute(() -> lane.complete(ticket, item));
                }
                assertThat(lanes.drain(30_000_000_000L)).isTrue();
                assertThat(faults).hasValue(0);
                assertThat(lastOfKey).isEqualTo(issued);
            } finally {
                pool.shutdownNow();
            }
        }
    }

    @Test
    void getProcessPushKeepsTheOrderOfTheSource() throws Exception {
        List<Integer> out = new ArrayList<>();
        var scheduler = OrderedScheduler.<Integer>builder((ticket, value) -> out.add(value))
                .window(16)
                .build();
        int[] source = {0};
        var pattern =
                new GetProcessPush<Integer, Integer>(() -> source[0] < 20_000 ? source[0]++ : null, i -> -i, scheduler);
        Callable<Long> all = pattern::executeAll;
        Future<Long> other = threads.submit(all);
        long mine = pattern.executeAll();
        assertThat(mine + other.get()).isEqualTo(20_000);
        assertThat(scheduler.drain(30_000_000_000L)).isTrue();
        assertThat(out).hasSize(20_000).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    }

    @Test
    void mapOrderedGivesResultsInOrder() throws Exception {
        var inputs = java.util.stream.IntStream.range(0, 5_000).boxed().toList();
        var expected = inputs.stream().map(i -> "r" + i).toList();
        assertThat(inputs.stream().collect(MapOrdered.mapOrdered(threads, 8, i -> "r" + i)))
                .isEqualTo(expected);
        try (var stream = MapOrdered.mapOrdered(inputs.stream(), threads, 8, i -> "r" + i)) {
            assertThat(stream.toList()).isEqualTo(expected);
        }
        List<Integer> order = new ArrayList<>();
        try (var mapper = new MapOrdered<Integer, Integer>(threads, 8, i -> i)) {
            for (int i = 0; i < 5_000; i++) {
                mapper.map(i).thenAccept(order::add).exceptionally(e -> null);
            }
            assertThat(mapper.drain(30_000_000_000L)).isTrue();
        }
        assertThat(order).hasSize(5_000);
    }
}
