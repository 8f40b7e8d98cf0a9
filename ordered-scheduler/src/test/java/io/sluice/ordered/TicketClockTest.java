package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two looks at one slot, of which one was delayed, step by step. */
class TicketClockTest {
    private final TicketClock clock = new TicketClock(SystemNanoClock.INSTANCE, 1);

    @Test
    void aLookThatWasDelayedMarksNothingOverALaterTicket() {
        long mark = clock.expiredMark(0); // the delayed look has got so far, with ticket 0
        assertThat(clock.markExpired(0, clock.expiredMark(0), 1))
                .isTrue(); // meanwhile ticket 1 has expired in that slot
        assertThat(clock.markExpired(0, mark, 0)).isFalse();
        assertThat(clock.isExpired(0, 1)).isTrue();
        assertThat(clock.isExpired(0, 0)).isFalse();
    }

    @Test
    void aLookThatWasDelayedTakesBackItsOwnMarkOnly() {
        assertThat(clock.markExpired(0, clock.expiredMark(0), 0)).isTrue();
        assertThat(clock.markExpired(0, clock.expiredMark(0), 1)).isTrue();
        clock.unmarkExpired(0, 0);
        assertThat(clock.isExpired(0, 1)).isTrue();
        clock.unmarkExpired(0, 1);
        assertThat(clock.isExpired(0, 1)).isFalse();
    }

    /** The first one's refusal would else say that the owner came first, and take back the mark of an expiry. */
    @Test
    void ofTwoLooksTheSecondLeavesATicketToTheOneThatHasMarkedIt() {
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> {})
                .errorHandler(failure -> {})
                .timeLimit(1)
                .build();
        assertThat(scheduler.tryNext()).isZero();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1000) {
            Thread.onSpinWait();
        }
        TicketClock marked = Objects.requireNonNull(scheduler.delivery.clock);
        assertThat(marked.markExpired(0, marked.expiredMark(0), 0)).isTrue(); // the first look has got so far
        assertThat(scheduler.expireOverdue()).isZero();
        marked.unmarkExpired(0, 0);
        assertThat(scheduler.expireOverdue()).isEqualTo(1);
    }

    @Test
    void aSlotThatIsClearedHasNoAgeAndNoOwner() {
        assertThat(clock.start(0, clock.started(0), Thread.currentThread())).isNotZero();
        assertThat(clock.age(0, System.nanoTime())).isNotNegative();
        clock.clear(0);
        assertThat(clock.age(0, System.nanoTime())).isEqualTo(-1);
        assertThat(clock.owner(0)).isNull();
    }

    /** The ticket before is let in and completed at once, and its slot goes to the next one meanwhile. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void aTicketIsExpiredAlthoughTheOneBeforeInItsSlotWasLetInLate() throws InterruptedException {
        int rounds = 10_000;
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder(new OrderedHandler<>() {
                    @Override
                    public void onCompleted(long ticket, String value) {}

                    @Override
                    public void onFailed(long ticket, Throwable cause) {}
                })
                .tickets(TicketMode.EXTERNAL)
                .window(1)
                .timeLimit(1)
                .build();
        AtomicLong asked = new AtomicLong(-1);
        AtomicLong letIn = new AtomicLong(-1);
        Thread late = new Thread(() -> {
            for (long ticket = 0; ticket < 2L * rounds; ticket += 2) {
                while (asked.get() < ticket) {
                    Thread.onSpinWait();
                }
                scheduler.awaitRoom(ticket, 0);
                letIn.set(ticket);
            }
        });
        late.start();
        int expired = 0;
        for (long ticket = 0; ticket < 2L * rounds; ticket += 2) {
            asked.set(ticket);
            for (long spin = ticket / 2 % 32; spin > 0; spin--) { // meets another moment in each round
                Thread.onSpinWait();
            }
            scheduler.complete(ticket, "v");
            assertThat(scheduler.awaitRoom(ticket + 1, 0)).isEqualTo(ticket + 1);
            while (letIn.get() < ticket) {
                Thread.onSpinWait();
            }
            long now = System.nanoTime();
            while (System.nanoTime() - now < 1_000) {
                Thread.onSpinWait();
            }
            expired += scheduler.expireOverdue();
            if (scheduler.snapshot().head() == ticket + 1) {
                scheduler.complete(ticket + 1, "v");
            }
        }
        late.join();
        assertThat(expired).as("tickets whose time was over").isEqualTo(rounds);
    }

    /** One thread handles what the other has left to it, and the other one takes the ticket that the slot is free for at once. */
    @Test
    @Tag("concurrency")
    @Timeout(120)
    void theTimeOfATicketIsKeptThoughItsSlotWasFreedAMomentAgo() throws InterruptedException {
        int rounds = 10_000;
        AtomicLong inHandler = new AtomicLong(-1);
        AtomicLong left = new AtomicLong(-1);
        AtomicLong done = new AtomicLong(-1);
        AtomicLong taken = new AtomicLong(-1);
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> {
                    if ((ticket & 1) == 0) {
                        inHandler.set(ticket);
                        while (left.get() < ticket) {
                            Thread.onSpinWait();
                        }
                    }
                })
                .window(2)
                .timeLimit(Long.MAX_VALUE)
                .build();
        TicketClock kept = Objects.requireNonNull(scheduler.delivery.clock);
        Thread drainer = new Thread(() -> {
            for (long ticket = 0; ticket < 2L * rounds; ticket += 2) {
                while (taken.get() < ticket) {
                    Thread.onSpinWait();
                }
                scheduler.complete(ticket, "v");
                done.set(ticket);
            }
        });
        drainer.start();
        int lost = 0;
        assertThat(scheduler.tryNext()).isZero();
        assertThat(scheduler.tryNext()).isEqualTo(1);
        for (long ticket = 0; ticket < 2L * rounds; ticket += 2) {
            taken.set(ticket);
            while (inHandler.get() < ticket) {
                Thread.onSpinWait();
            }
            scheduler.complete(ticket + 1, "v");
            left.set(ticket);
            while (scheduler.tryNext() < 0) {
                Thread.onSpinWait();
            }
            while (scheduler.tryNext() < 0) {
                Thread.onSpinWait();
            }
            while (done.get() < ticket) {
                Thread.onSpinWait();
            }
            lost += kept.started(1) == 0 ? 1 : 0;
        }
        drainer.join();
        assertThat(lost).as("tickets without a time").isZero();
    }

    /** Step by step: the late one has looked at the slot while it was its own ticket's. */
    @Test
    void aTimeThatIsStartedLateLeavesAloneThatOfALaterTicket() {
        long before = clock.started(0);
        assertThat(clock.start(0, clock.started(0), Thread.currentThread())).isNotZero();
        long later = clock.started(0);
        assertThat(clock.start(0, before, Thread.currentThread())).isZero();
        assertThat(clock.started(0)).isEqualTo(later);
    }
}
