package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The same features as in {@link OrderedProductTest}, by real threads, where no oracle can say what comes when. What must hold:
 * each stage's callbacks come one at a time, in the order of the tickets, each seeing what the one before did (plain fields);
 * what was accepted is handed out once, by the end at the latest; the account says the same; and everybody comes back, also who
 * drains or closes a stage from inside another one's handler.
 *
 * <p>{@link RandomPrograms} runs them; {@code -Dio.sluice.ordered.steps=N}: a tenth of so many calls.
 */
@Tag("concurrency")
@Timeout(3600)
@SuppressWarnings("EnumOrdinal") // deeds that are alike stand side by side
class OrderedThreadsProductTest {
    private static final int THREADS = 3;
    private static final int CALLS = 60;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void whateverThreadsDoTheOrderAndTheAccountHold() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, THREADS * CALLS), program -> {
                    new Round(program.seed(), program.size() / THREADS).run();
                    return 10L * program.size(); // which threads make a tenth as many
                })
                .budget("io.sluice.ordered.steps", 100_000)
                .from(20261123)
                .run();
    }

    /** How an executor treats the task that it is given. */
    private enum Executes {
        NEVER_GIVEN,
        ELSEWHERE,
        ELSEWHERE_THEN_THROWS,
        ELSEWHERE_TO_ITS_END_THEN_THROWS,
        HERE,
        HERE_THEN_THROWS,
        REFUSED,
        ELSEWHERE_TWICE
    }

    private final class Round {
        private final long seed;
        private final int calls;
        private final SplittableRandom random;
        private final TicketMode mode;
        private final int window;
        private final List<Node> nodes = new ArrayList<>();
        private final AtomicReference<@Nullable String> fault = new AtomicReference<>();
        private final ConcurrentLinkedQueue<Future<?>> executed = new ConcurrentLinkedQueue<>();
        private final String setting;

        Round(long seed, int calls) {
            this.seed = seed;
            this.calls = calls;
            random = new SplittableRandom(seed);
            mode = TicketMode.values()[random.nextInt(3)];
            window = 1 << random.nextInt(4);
            StringBuilder text = new StringBuilder(mode + ", window " + window);
            for (int stage = 1 + random.nextInt(3); stage > 0; stage--) {
                Node node = new Node(nodes.size());
                nodes.add(node);
                text.append(", ").append(node.executes).append(node.timed ? " timed" : "");
            }
            setting = text.toString();
        }

        private void fault(String what) {
            fault.compareAndSet(null, what);
        }

        void run() throws Exception {
            CyclicBarrier barrier = new CyclicBarrier(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                boolean issues = i == 0; // external tickets have one source; SINGLE ones one taker
                all.add(threads.submit(() -> {
                    barrier.await();
                    for (int call = 0; call < calls; call++) {
                        call(own, issues);
                    }
                    return null;
                }));
            }
            try {
                for (Future<?> one : all) {
                    one.get(60, TimeUnit.SECONDS);
                }
                for (Node node : nodes) {
                    threads.submit(node.scheduler::close).get(60, TimeUnit.SECONDS);
                }
                for (Future<?> one = executed.poll(); one != null; one = executed.poll()) {
                    one.get(60, TimeUnit.SECONDS);
                }
            } catch (ExecutionException e) {
                throw new AssertionError("seed " + seed + ": " + setting, e.getCause());
            } catch (java.util.concurrent.TimeoutException e) {
                throw new AssertionError("seed " + seed + ": somebody did not come back; " + setting + "\n" + nodes, e);
            }
            nodes.forEach(Node::check);
            assertThat(fault.get()).as("seed %d, %s, %s", seed, setting, nodes).isNull();
        }

        private void call(SplittableRandom own, boolean issues) {
            int kind = own.nextInt(1000);
            Node node = nodes.get(own.nextInt(nodes.size()));
            if (kind < 350) {
                if (issues || mode == TicketMode.MANY) {
                    take(own, nodes.get(0));
                }
            } else if (kind < 900) {
                node.finish(own);
            } else if (kind < 970) {
                node.scheduler.expireOverdue();
            } else if (kind < 990) {
                node.scheduler.snapshot();
                node.scheduler.totals();
            } else if (kind < 993) {
                node.scheduler.drain(0);
            } else if (kind == 993) {
                node.scheduler.close();
            }
        }

        private long nextExternal; // by the one source

        private void take(SplittableRandom own, Node first) {
            long nanos = own.nextInt(4) == 0 ? own.nextInt(200_000) : 0;
            long ticket;
            if (mode == TicketMode.EXTERNAL) {
                ticket = first.scheduler.awaitRoom(nextExternal, nanos);
                nextExternal += ticket >= 0 ? 1 : 0;
            } else {
                ticket = nanos == 0 ? first.scheduler.tryNext() : first.scheduler.next(nanos, TimeUnit.NANOSECONDS);
            }
            if (ticket >= 0) {
                nodes.forEach(node -> node.open.add(ticket));
            }
        }

        /** One stage, its callbacks, and the tickets that are to be completed there. */
        private final class Node implements OrderedHandler<Long> {
            private static final int TICKETS = THREADS * CALLS + 1;
            final int number;
            final Executes executes;
            final boolean timed;
            final OrderedScheduler<Long> scheduler;
            final ConcurrentLinkedQueue<Long> open = new ConcurrentLinkedQueue<>();
            private final AtomicIntegerArray accepted = new AtomicIntegerArray(TICKETS);
            private final int[] handed = new int[TICKETS];
            private final int failing;
            private final int halting;
            // plain: what one call did must be visible to the next
            private final SplittableRandom inner;
            private boolean inside;
            private long next;
            private long last = -1;
            private long discarded;

            Node(int number) {
                this.number = number;
                executes = Executes.values()[random.nextInt(Executes.values().length)];
                timed = random.nextInt(3) == 0;
                failing = random.nextInt(3) == 0 ? 3 + random.nextInt(5) : 0;
                halting = random.nextInt(3) == 0 ? 20 + random.nextInt(60) : 0;
                inner = random.split();
                OrderedSchedulerBuilder<Long> builder = OrderedScheduler.<Long>builder(this)
                        .window(window)
                        .tickets(mode)
                        .onFailure(this::onThrown)
                        .errorHandler(failure -> {});
                if (executes != Executes.NEVER_GIVEN) {
                    builder.batchLimit(1 + random.nextInt(3), this::execute);
                }
                if (timed) {
                    builder.timeLimit(1 + random.nextInt(100_000));
                }
                if (number > 0) {
                    builder.after(nodes.get(number - 1).scheduler);
                }
                scheduler = builder.build();
            }

            private FailurePolicy.Action onThrown(Throwable cause, @Nullable Long value, long ticket, int attempt) {
                return halting > 0 && ticket == halting
                        ? FailurePolicy.Action.HALT
                        : attempt < 3 || (ticket % 10 == 0 && attempt < 50)
                                ? FailurePolicy.Action.RETRY_EVENT
                                : FailurePolicy.Action.SKIP;
            }

            private void turn(long ticket, boolean end) {
                if (inside) {
                    fault("stage " + number + ": two at once at ticket " + ticket);
                }
                inside = true;
                if (ticket != last) {
                    if (end ? ticket < next : ticket != next) {
                        fault("stage " + number + ": ticket " + ticket + " came, expected was " + next);
                    }
                    next = ticket + 1;
                    handed[(int) ticket]++;
                }
                last = ticket;
                endFromInside(inner.nextInt(1000));
                inside = false;
                boolean fails = failing > 0 && ticket % failing == 0;
                if (!end && (fails || (halting > 0 && ticket == halting))) {
                    throw new IllegalStateException("asked for");
                }
            }

            private void endFromInside(int kind) {
                Node node = nodes.get(inner.nextInt(nodes.size()));
                if (kind == 0
                        && nodes.stream()
                                .noneMatch(each -> each.executes == Executes.ELSEWHERE_TO_ITS_END_THEN_THROWS)) {
                    node.scheduler.close(); // an executor that waits for its task would wait for this
                } else if (kind > 0 && kind < 4) {
                    try {
                        boolean drained = node.scheduler.drain(inner.nextInt(200_000));
                        State state = node.scheduler.state();
                        if (!drained && node.number >= number && state != State.CLOSED && state != State.FAILED) {
                            fault("stage " + number + " waited for the drain of stage " + node.number);
                        }
                    } catch (TicketRefusedException e) {
                        if (e.reason() != Reason.SELF_DEADLOCK) {
                            fault("stage " + number + ": " + e);
                        }
                    }
                }
            }

            @Override
            public void onCompleted(long ticket, Long value) {
                if (value != ticket) {
                    fault("stage " + number + ": ticket " + ticket + " came with the value of " + value);
                }
                turn(ticket, false);
            }

            @Override
            public void onFailed(long ticket, Throwable cause) {
                turn(ticket, false);
            }

            @Override
            public void onTrashed(long ticket) {
                turn(ticket, false);
            }

            @Override
            public void onDiscarded(long ticket, @Nullable Long value) {
                discarded++;
                turn(ticket, true);
            }

            void finish(SplittableRandom own) {
                Long ticket = open.poll();
                if (ticket == null) {
                    return;
                }
                try {
                    switch (own.nextInt(8)) {
                        case 0 -> scheduler.trash(ticket);
                        case 1 -> scheduler.fail(ticket, new IllegalStateException("given"));
                        case 2 -> scheduler.run(ticket, () -> turn(ticket, false));
                        default -> scheduler.complete(ticket, ticket);
                    }
                    accepted.incrementAndGet((int) (long) ticket);
                } catch (TicketRefusedException e) {
                    Set<Reason> allowed = EnumSet.of(Reason.CLOSED, Reason.FAILED);
                    if (timed) {
                        allowed.add(Reason.EXPIRED);
                        long issued = nodes.get(0).scheduler.totals().issued();
                        if (mode == TicketMode.EXTERNAL || issued > ticket + window) {
                            allowed.add(Reason.LATE); // a later one of its slot may have expired too
                        }
                    }
                    if (number > 0) { // the stage before was faster
                        allowed.addAll(Set.of(Reason.LATE, Reason.DUPLICATE));
                    }
                    if (!allowed.contains(e.reason())) {
                        fault("stage " + number + ": " + e);
                    }
                }
            }

            private void execute(Runnable task) {
                Future<?> begun = null;
                switch (executes) {
                    case ELSEWHERE, ELSEWHERE_THEN_THROWS, ELSEWHERE_TO_ITS_END_THEN_THROWS ->
                        begun = threads.submit(task);
                    case ELSEWHERE_TWICE -> {
                        executed.add(threads.submit(task));
                        begun = threads.submit(task);
                    }
                    case HERE, HERE_THEN_THROWS -> task.run();
                    default -> {}
                }
                if (begun != null) {
                    executed.add(begun);
                    if (executes == Executes.ELSEWHERE_TO_ITS_END_THEN_THROWS) {
                        try {
                            begun.get(20, TimeUnit.SECONDS);
                        } catch (Exception e) {
                            fault("stage " + number + ": a task that was handed over: " + e);
                        }
                    }
                }
                if (executes == Executes.REFUSED
                        || executes == Executes.HERE_THEN_THROWS
                        || executes == Executes.ELSEWHERE_THEN_THROWS
                        || executes == Executes.ELSEWHERE_TO_ITS_END_THEN_THROWS) {
                    throw new RejectedExecutionException("asked for");
                }
            }

            void check() {
                TicketTotals account = scheduler.totals();
                long all = account.delivered()
                        + account.failed()
                        + account.trashed()
                        + account.expired()
                        + account.discarded()
                        + account.open();
                if (!account.settled() || all != account.issued() || account.discarded() != discarded) {
                    fault("stage " + number + ", " + discarded + " discarded: " + account);
                }
                for (int ticket = 0; ticket < TICKETS; ticket++) {
                    if (handed[ticket] > 1 || accepted.get(ticket) > handed[ticket]) {
                        fault("stage " + number + ", ticket " + ticket + ": accepted " + accepted.get(ticket)
                                + " times, handed out " + handed[ticket] + " times");
                    }
                }
            }

            @Override
            public String toString() {
                return scheduler + " " + scheduler.totals() + " " + scheduler.snapshot();
            }
        }
    }
}
