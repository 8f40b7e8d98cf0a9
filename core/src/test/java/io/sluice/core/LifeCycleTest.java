package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LifeCycleTest {
    private final LifeCycle life = new LifeCycle();

    @Test
    void beginsRunning() {
        assertThat(life.isRunning()).isTrue();
        assertThat(life.state()).isEqualTo(State.RUNNING);
        assertThat(life.cause()).isNull();
    }

    @Test
    void drainsThenCloses() {
        assertThat(life.drain()).isTrue();
        assertThat(life.drain()).isFalse();
        assertThat(life.isRunning()).isFalse();
        assertThat(life.state()).isEqualTo(State.DRAINING);
        assertThat(life.close()).isTrue();
        assertThat(life.close()).isFalse();
        assertThat(life.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void closedIsFinal() {
        life.close();
        assertThat(life.drain()).isFalse();
        assertThat(life.fail(new IllegalStateException("late"))).isFalse();
        assertThat(life.state()).isEqualTo(State.CLOSED);
        assertThat(life.cause()).isNull();
    }

    @Test
    void failedIsFinalAndKeepsTheFirstCause() {
        Exception first = new Exception("first");
        life.drain();
        assertThat(life.fail(first)).isTrue();
        assertThat(life.fail(new Exception("second"))).isFalse();
        assertThat(life.close()).isFalse();
        assertThat(life.drain()).isFalse();
        assertThat(life.state()).isEqualTo(State.FAILED);
        assertThat(life.cause()).isSameAs(first);
        assertThat(life).hasToString("FAILED: java.lang.Exception: first");
    }

    @Test
    void aFailureNeedsACause() {
        assertThatThrownBy(() -> life.fail(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("cause");
        assertThat(life.isRunning()).isTrue();
    }

    /** Two threads begin each round as nearly at once as they can: whatever the drain meets, nothing stays DRAINING. */
    @Test
    @Tag("concurrency")
    @Timeout(120)
    void aCloseOrAFailureBesideADrainIsTheEnd() throws InterruptedException {
        LifeCycle[] lives = Stream.generate(LifeCycle::new).limit(5_000).toArray(LifeCycle[]::new);
        Exception cause = new Exception("cause");
        AtomicInteger drainer = new AtomicInteger(-1);
        AtomicInteger ender = new AtomicInteger(-1);
        Thread draining = new Thread(() -> {
            for (int round = 0; round < lives.length; round++) {
                meet(drainer, ender, round);
                lives[round].drain();
            }
        });
        draining.setDaemon(true);
        draining.start();
        int ended = 0;
        for (int round = 0; round < lives.length; round++) {
            meet(ender, drainer, round);
            LifeCycle life = lives[round];
            ended += (round % 2 == 0 ? life.close() : life.fail(cause)) ? 1 : 0;
        }
        draining.join();
        assertThat(ended).isEqualTo(lives.length);
        for (int round = 0; round < lives.length; round++) {
            assertThat(lives[round].state()).isEqualTo(round % 2 == 0 ? State.CLOSED : State.FAILED);
        }
    }

    private static void meet(AtomicInteger mine, AtomicInteger other, int round) {
        mine.set(round);
        while (other.get() < round && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @Test
    @Tag("concurrency")
    void oneOfTwoEndsWins() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            LifeCycle raced = new LifeCycle();
            AtomicInteger wins = new AtomicInteger();
            Exception cause = new Exception("cause");
            Thread failing = new Thread(() -> {
                if (raced.fail(cause)) {
                    wins.incrementAndGet();
                }
            });
            failing.start();
            raced.drain();
            if (raced.close()) {
                wins.incrementAndGet();
            }
            failing.join();
            assertThat(wins).hasValue(1);
            assertThat(raced.cause()).isEqualTo(raced.state() == State.FAILED ? cause : null);
        }
    }
}
