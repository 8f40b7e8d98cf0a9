package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who has a run, and who hears a halt, with the barrier's steps held where another thread may come in between. */
@Tag("concurrency")
class RunStateTest {
    private static final int ROUNDS = 20_000;
    private static final int STEPS = 128;

    private final ExecutorService threads = Executors.newFixedThreadPool(2, DaemonThreadFactory.INSTANCE);
    private final Barrier barrier = new Barrier();
    private final RunState state = new RunState(barrier);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void aRunClearsTheAlertOfARunBefore() {
        barrier.alert();
        assertThat(state.tryBegin()).isTrue();
        assertThat(barrier.isAlerted()).isFalse();
        assertThat(state.mayContinue()).isTrue();
        assertThat(state.isRunning()).isTrue();
        assertThat(state.tryBegin()).as("a second run").isFalse();
        assertThatThrownBy(state::begin).isInstanceOf(IllegalStateException.class);
        state.end();
        assertThat(state.isRunning()).isFalse();
    }

    @Test
    void aHaltBeforeTheAlertIsClearedIsAlertedAgain() {
        barrier.beforeClear = state::halt;
        state.begin();
        assertThat(state.mayContinue()).isFalse();
        assertThat(barrier.isAlerted()).as("who waits hears it").isTrue();
    }

    @Test
    void whoHearsAHaltSeesIt() {
        state.begin();
        AtomicBoolean wentOn = new AtomicBoolean(true);
        barrier.whenAlerted = () -> wentOn.set(state.mayContinue());
        state.halt();
        assertThat(wentOn).isFalse();
    }

    @Test
    void aHaltOfNobodyHoldsForTheNextRunOnly() {
        state.halt();
        assertThat(state.isRunning()).isFalse();
        state.begin();
        assertThat(state.isRunning()).isTrue();
        assertThat(state.mayContinue()).isFalse();
        state.end();
        state.begin();
        assertThat(state.mayContinue()).isTrue();
        assertThat(barrier.isAlerted()).isFalse();
    }

    @Test
    void aRunCannotWaitForTheEndOfItself() {
        state.begin();
        state.halt();
        assertThatThrownBy(state::begin).isInstanceOf(IllegalStateException.class);
    }

    /** Another processor of the same barrier has begun, and has cleared the alert: who waits for the halted run alerts again. */
    @Test
    void whoWaitsForTheEndOfAHaltedRunAlertsItAgain() throws Exception {
        state.begin();
        state.halt();
        barrier.clearAlert();
        Future<?> next = threads.submit(state::begin);
        awaitAlert();
        state.end();
        next.get(30, SECONDS);
        assertThat(state.mayContinue()).isTrue();
    }

    /** The Disruptor does not let such a run handle events either. */
    @Test
    void aHaltThatComesWhileARunWaitsEndsThatRun() throws Exception {
        state.begin();
        state.halt();
        barrier.clearAlert();
        Future<?> next = threads.submit(state::begin);
        awaitAlert();
        state.halt();
        state.end();
        next.get(30, SECONDS);
        assertThat(state.isRunning()).isTrue();
        assertThat(state.mayContinue()).isFalse();
        state.end();
        state.begin();
        assertThat(state.mayContinue()).as("the run after it").isTrue();
    }

    @Test
    void haltsThatCameBeforeARunBeganToWaitDoNotEndIt() throws Exception {
        state.begin();
        state.halt();
        state.halt();
        state.halt();
        barrier.clearAlert();
        Future<?> next = threads.submit(state::begin);
        awaitAlert();
        state.end();
        next.get(30, SECONDS);
        assertThat(state.mayContinue()).isTrue();
        state.haltRun();
        assertThat(state.mayContinue()).isFalse();
        assertThat(state.wasHalted()).isTrue();
    }

    /** The count stays above the state for good. */
    @Test
    void aRunBeginsAndIsHaltedThoughHaltsWereCounted() {
        state.begin();
        state.halt();
        state.halt();
        state.end();
        assertThat(state.isRunning()).isFalse();
        assertThat(state.tryBegin()).as("a run").isTrue();
        assertThat(state.mayContinue()).isTrue();
        state.haltRun();
        assertThat(state.mayContinue()).isFalse();
        state.end();
        state.halt();
        assertThat(state.tryBegin()).as("a run that takes a halt").isTrue();
        assertThat(state.mayContinue()).isFalse();
        state.end();
        assertThat(state.tryBegin()).as("the run after it").isTrue();
        assertThat(state.mayContinue()).isTrue();
    }

    @Test
    void runsAreCountedWhenTheyBeginToWaitAndWhenTheyEnd() throws Exception {
        assertThat(state.runsBegun).hasValue(0);
        state.begin();
        assertThatThrownBy(state::begin).isInstanceOf(IllegalStateException.class);
        assertThat(state.runsBegun).hasValue(2);
        assertThat(state.runsEnded).as("the one that was refused").hasValue(1);
        state.halt();
        barrier.clearAlert();
        Future<?> next = threads.submit(state::begin);
        awaitAlert();
        assertThat(state.runsBegun).as("one waits").hasValue(3);
        state.end();
        next.get(30, SECONDS);
        assertThat(state.runsEnded).hasValue(2);
    }

    private void awaitAlert() {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (!barrier.isAlerted() && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(barrier.isAlerted()).isTrue();
    }

    @Test
    void oneOfTwoThreadsGetsTheRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        together(
                () -> {
                    if (state.tryBegin()) {
                        runs.incrementAndGet();
                    }
                },
                () -> {
                    if (state.tryBegin()) {
                        runs.incrementAndGet();
                    }
                },
                () -> {
                    assertThat(runs.getAndSet(0)).isEqualTo(1);
                    state.end();
                });
    }

    @Test
    void oneOfTwoThreadsGetsTheHalt() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        state.halt();
        together(
                () -> {
                    if (state.tryBegin()) {
                        runs.incrementAndGet();
                    }
                },
                () -> {
                    if (state.tryBegin()) {
                        runs.incrementAndGet();
                    }
                },
                () -> {
                    assertThat(runs.getAndSet(0)).isEqualTo(1);
                    state.end();
                    state.halt();
                });
    }

    /** However a halt and the end of a run meet, the processor can run again: after one run at the most that ends at once. */
    @Test
    void aHaltThatMeetsTheEndOfARunLeavesNoRunBehind() throws Exception {
        state.begin();
        together(state::end, state::halt, () -> {
            assertThat(state.isRunning()).isFalse();
            state.begin();
            if (!state.mayContinue()) {
                state.end();
                state.begin();
            }
            assertThat(state.mayContinue()).isTrue();
        });
    }

    /** However a halt meets the end of a run that was halted before, it halts one run at the most, and only one that comes later. */
    @Test
    void aHaltThatMeetsTheEndOfAHaltedRunLeavesNoRunBehind() throws Exception {
        state.begin();
        state.halt();
        together(state::end, state::halt, () -> {
            assertThat(state.isRunning()).isFalse();
            state.begin();
            if (!state.mayContinue()) {
                state.end();
                state.begin();
            }
            assertThat(state.mayContinue()).isTrue();
            state.halt();
        });
    }

    /** However a halt meets the change from a halted run to one that waits for it, the latter is halted, and no further one. */
    @Test
    void aHaltThatMeetsTheChangeFromAHaltedRunToTheNextEndsThat() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        state.begin();
        state.halt();
        together(
                () -> {
                    int begun = 2 * rounds.incrementAndGet(); // one by each thread in each round
                    while (state.runsBegun.get() < begun) {
                        Thread.onSpinWait();
                    }
                    if (begun % 4 == 0) {
                        state.halt();
                        state.end();
                    } else {
                        state.end();
                        state.halt();
                    }
                },
                state::begin,
                () -> {
                    assertThat(state.isRunning()).isTrue();
                    assertThat(state.mayContinue()).isFalse();
                    state.end();
                    state.begin();
                    assertThat(state.mayContinue()).as("the run after it").isTrue();
                    state.halt();
                });
    }

    /** However a halt and the begin of a run meet, the run is halted, and who waits hears it. */
    @Test
    void aHaltThatMeetsTheBeginOfARunHaltsIt() throws Exception {
        together(state::begin, state::halt, () -> {
            assertThat(state.isRunning()).isTrue();
            assertThat(state.mayContinue()).isFalse();
            assertThat(barrier.isAlerted()).isTrue();
            barrier.clearAlert();
            state.end();
        });
    }

    /** The halt is one processor's, but the alert is for all who wait at the barrier. */
    @Test
    void anAlertOfTheProgramThatMeetsAHaltIsHeardByAll() throws Exception {
        SequenceBarrier shared =
                RingBuffer.createMultiProducer(() -> new long[1], 4).newBarrier();
        RunState halted = new RunState(shared);
        RunState other = new RunState(shared);
        other.begin();
        together(halted::halt, shared::alert, () -> {
            assertThat(other.barrier().isAlerted()).isTrue();
            shared.clearAlert();
        });
    }

    /** Runs both at the same time, now one a little later and now the other, then the third alone, again and again. */
    private void together(Runnable one, Runnable other, Runnable then) throws Exception {
        AtomicInteger arrived = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Future<?> first = threads.submit(() -> {
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    meet(arrived, over);
                    delay(arrived, round % STEPS);
                    one.run();
                    meet(arrived, over);
                    then.run();
                }
            } finally {
                over.set(true);
            }
        });
        Future<?> second = threads.submit(() -> {
            for (int round = 0; meet(arrived, over); round++) {
                delay(arrived, round / STEPS % STEPS);
                other.run();
                meet(arrived, over);
            }
        });
        first.get(60, SECONDS);
        second.get(60, SECONDS);
    }

    private static void delay(AtomicInteger arrived, int steps) {
        for (int step = 0; step < steps; step++) {
            arrived.get(); // a nanosecond or so; nobody writes it now
        }
    }

    /** Waits for the other thread. Returns whether it came; else it has ended. */
    private static boolean meet(AtomicInteger arrived, AtomicBoolean over) {
        int mine = arrived.incrementAndGet();
        int both = mine + (mine & 1);
        for (int looks = 1; arrived.get() < both; looks++) {
            if (over.get()) {
                return false;
            }
            if (looks % 1_000 == 0) {
                LockSupport.parkNanos(1_000); // where there is one core
            } else {
                Thread.onSpinWait();
            }
        }
        return !over.get();
    }

    /** An alert, with what comes in between. */
    private static final class Barrier implements SequenceBarrier {
        private final AtomicBoolean alerted = new AtomicBoolean();
        private Runnable beforeClear = () -> {};
        private Runnable whenAlerted = () -> {};

        @Override
        public long waitFor(long sequence) {
            return -1;
        }

        @Override
        public long getCursor() {
            return -1;
        }

        @Override
        public boolean isAlerted() {
            return alerted.get();
        }

        @Override
        public void alert() {
            alerted.set(true);
            whenAlerted.run();
        }

        @Override
        public void clearAlert() {
            beforeClear.run();
            alerted.set(false);
        }

        @Override
        public void checkAlert() throws AlertException {
            if (alerted.get()) {
                throw AlertException.INSTANCE;
            }
        }
    }
}
