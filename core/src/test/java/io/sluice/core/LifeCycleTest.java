package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
