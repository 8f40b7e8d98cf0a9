package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two threads that claim as fast as they can: a claim that loses is kept in mind, so that frequent losses can be told. */
@Timeout(20)
class ContendedSequencerTest {
    private final MultiProducerSequencer sequencer = new MultiProducerSequencer(64, new BusySpinWaitStrategy());

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLostClaimIsKeptInMind(boolean tries) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread rival = new Thread(() -> {
            while (!over.get()) {
                claim(tries);
            }
        });
        rival.start();
        try {
            while (sequencer.lastLoss.get() == 0 && !Thread.currentThread().isInterrupted()) {
                claim(tries);
            }
        } finally {
            over.set(true);
            rival.join();
        }
        assertThat(sequencer.lastLoss.get()).isNotZero();
    }

    private void claim(boolean tries) {
        try {
            sequencer.publish(tries ? sequencer.tryNext() : sequencer.next());
        } catch (InsufficientCapacityException full) {
            throw new IllegalStateException("without consumers a ring is never full", full);
        }
    }
}
