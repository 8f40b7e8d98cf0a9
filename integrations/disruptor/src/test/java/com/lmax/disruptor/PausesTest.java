package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long producers wait for room, and which consumers wait after a batch. */
class PausesTest {
    @Test
    void whoHasWaitedForRoomForLongParksForLonger() {
        assertThat(RoomPause.parkNanos(0)).isEqualTo(5_000);
        assertThat(RoomPause.parkNanos(7)).isEqualTo(5_000);
        assertThat(RoomPause.parkNanos(8)).isEqualTo(10_000);
        assertThat(RoomPause.parkNanos(64)).isEqualTo(1_280_000);
        assertThat(RoomPause.parkNanos(Integer.MAX_VALUE)).isEqualTo(1_280_000);
    }

    @Test
    void aWaitForNoTimeEndsAtOnce() throws Exception {
        Object monitor = new Object();
        Future<Long> left = Executors.newSingleThreadExecutor(DaemonThreadFactory.INSTANCE)
                .submit(() -> {
                    synchronized (monitor) {
                        return Util.awaitNanos(monitor, 0);
                    }
                });
        assertThat(left.get(30, SECONDS)).isZero();
    }

    @Test
    void theCountOfPausesDoesNotOverflow() {
        assertThat(RoomPause.pause(0)).isEqualTo(1);
        assertThat(RoomPause.pause(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void onlyWhoLooksAgainAndAgainWaitsAfterABatch() {
        assertThat(barrier(new YieldingWaitStrategy(), 64).newBackOff()).isNotNull();
        assertThat(barrier(new BusySpinWaitStrategy(), 64).newBackOff()).isNotNull();
        assertThat(barrier(new BlockingWaitStrategy(), 64).newBackOff()).isNull();
        assertThat(barrier(new SleepingWaitStrategy(), 64).newBackOff()).isNull();
        WaitStrategy own = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
                return dependent.get();
            }

            @Override
            public void signalAllWhenBlocking() {}
        };
        assertThat(barrier(own, 64).newBackOff()).as("a user's own").isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64})
    void aRoomyBatchIsAQuarterOfTheRing(int size) {
        assertThat(barrier(new YieldingWaitStrategy(), size).backOffBatchLimit())
                .isEqualTo(Math.max(1, size / 4));
    }

    private static ProcessingSequenceBarrier barrier(WaitStrategy strategy, int size) {
        return (ProcessingSequenceBarrier) new MultiProducerSequencer(size, strategy).newBarrier();
    }
}
