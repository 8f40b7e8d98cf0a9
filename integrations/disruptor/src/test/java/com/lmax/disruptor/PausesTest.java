package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void whoseYieldsReturnAtOnceLooksForLongerAndWhoseCoreIsWantedDoesNot() {
        LooksBeforeYield looks = new LooksBeforeYield();
        assertThat(looks.looks()).isEqualTo(100);
        assertThat(looks.yielded(999)).isTrue();
        assertThat(looks.looks()).isEqualTo(1_000);
        assertThat(looks.yielded(1_000)).isFalse();
        assertThat(looks.looks()).isEqualTo(100);
    }

    @Test
    void onACoreThatIsWantedOneYieldOfSixteenIsTimed() {
        LooksBeforeYield looks = new LooksBeforeYield();
        for (int i = 1; i < LooksBeforeYield.YIELDS_A_TIMED_ONE; i++) {
            assertThat(looks.yieldOnce()).as("not timed: %s", i).isFalse();
            assertThat(looks.looks()).isEqualTo(100);
            assertThat(looks.untimed).isEqualTo(i);
        }
        assertThat(looks.yieldOnce()).isEqualTo(looks.looks() == 1_000);
        assertThat(looks.untimed).as("the sixteenth is timed").isZero();
        looks.yielded(999);
        looks.yieldOnce();
        assertThat(looks.untimed)
                .as("on a core that nobody wants each is timed")
                .isZero();
    }

    @Test
    void eachConsumerFindsOutForItselfWhetherItsCoreIsWanted() {
        ProcessingSequenceBarrier shared = barrier(new YieldingWaitStrategy(), 64);
        assertThat(shared.forRun(new RunState(shared)).looksBeforeYield()).isNotSameAs(shared.looksBeforeYield());
    }

    /** Before the first yield nobody knows whether the core is wanted. */
    @Test
    void aConsumerYieldsAfterEachBatchWhileItsCoreComesBackSoon() {
        LooksBeforeYield looks = new LooksBeforeYield();
        for (int i = 0; i < 3; i++) {
            assertThat(looks.yieldsAfterBatch()).isTrue();
            looks.yieldedAfterBatch(LooksBeforeYield.LONG_NANOS - 1);
        }
        looks.yieldedAfterBatch(999);
        assertThat(looks.yieldsAfterBatch()).as("nobody wants the core").isFalse();
        looks.yielded(1_000);
        assertThat(looks.yieldsAfterBatch()).as("a yield in a wait was slow").isTrue();
    }

    @Test
    void aLongYieldMakesTheNextOnesRarer() {
        LooksBeforeYield looks = new LooksBeforeYield();
        assertThat(batchesUntilAYield(looks)).isZero();
        for (int batches = 64; batches <= 65_536; batches *= 2) {
            looks.yieldedAfterBatch(LooksBeforeYield.LONG_NANOS);
            assertThat(batchesUntilAYield(looks)).isEqualTo(batches);
        }
        looks.yieldedAfterBatch(Long.MAX_VALUE);
        assertThat(batchesUntilAYield(looks)).as("no rarer than that").isEqualTo(65_536);
        looks.yieldedAfterBatch(LooksBeforeYield.LONG_NANOS - 1);
        assertThat(batchesUntilAYield(looks)).as("after a short one").isZero();
        looks.yieldedAfterBatch(LooksBeforeYield.LONG_NANOS);
        assertThat(batchesUntilAYield(looks)).as("it begins anew").isEqualTo(64);
    }

    /** A batch that is too small for a yield takes none away. */
    @Test
    void aYieldThatWasNotMadeIsMadeAtTheNextBatch() {
        LooksBeforeYield looks = new LooksBeforeYield();
        looks.yieldedAfterBatch(LooksBeforeYield.LONG_NANOS);
        assertThat(batchesUntilAYield(looks)).isEqualTo(64);
        assertThat(batchesUntilAYield(looks)).isZero();
        assertThat(batchesUntilAYield(looks)).isZero();
    }

    private static int batchesUntilAYield(LooksBeforeYield looks) {
        int batches = 0;
        while (!looks.yieldsAfterBatch()) {
            batches++;
        }
        return batches;
    }

    @Test
    void onlyWhoYieldsToOneProducerYieldsAfterABatch() {
        assertThat(barrierOfOne(new YieldingWaitStrategy()).yieldsAfterBatch()).isTrue();
        assertThat(barrierOfOne(new BusySpinWaitStrategy()).yieldsAfterBatch()).isFalse();
        assertThat(barrierOfOne(new SleepingWaitStrategy()).yieldsAfterBatch()).isFalse();
        assertThat(barrier(new YieldingWaitStrategy(), 64).yieldsAfterBatch())
                .as("several producers")
                .isFalse();
        ProcessingSequenceBarrier shared = barrierOfOne(new YieldingWaitStrategy());
        assertThat(shared.forRun(new RunState(shared)).yieldsAfterBatch())
                .as("of a processor")
                .isTrue();
    }

    /** Beyond any number of looks before a yield; alerts are heard in each. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 99, 100, 101, 5_000})
    void whatComesAtALookIsFoundByThatLookAndSoIsAnAlert(int number) throws Exception {
        ProcessingSequenceBarrier barrier = barrier(new YieldingWaitStrategy(), 64);
        Looks published = new Looks(number, number, () -> {});
        assertThat(new YieldingWaitStrategy().waitFor(0, published, published, barrier))
                .isEqualTo(number);
        assertThat(published.looks).isEqualTo(number + 1);
        Looks alerted = new Looks(number, Integer.MAX_VALUE, barrier::alert);
        assertThatThrownBy(() -> new YieldingWaitStrategy().waitFor(0, alerted, alerted, barrier))
                .isInstanceOf(AlertException.class);
        assertThat(alerted.looks).as("before another look").isEqualTo(number + 1);
    }

    /** A sequence at which something happens at one look, and which is -1 before another one, and its number from then on. */
    private static final class Looks extends Sequence {
        private final int happensAt;
        private final int publishedAt;
        private final Runnable happens;
        private int looks;

        Looks(int happensAt, int publishedAt, Runnable happens) {
            this.happensAt = happensAt;
            this.publishedAt = publishedAt;
            this.happens = happens;
        }

        @Override
        public long get() {
            if (looks == happensAt) {
                happens.run();
            }
            return looks++ < publishedAt ? -1 : publishedAt;
        }
    }

    private static ProcessingSequenceBarrier barrierOfOne(WaitStrategy strategy) {
        return (ProcessingSequenceBarrier) new SingleProducerSequencer(64, strategy).newBarrier();
    }

    private static ProcessingSequenceBarrier barrier(WaitStrategy strategy, int size) {
        return (ProcessingSequenceBarrier) new MultiProducerSequencer(size, strategy).newBarrier();
    }
}
