package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a thread looks for its event before it sleeps. Each look asks the barrier once, so the looks can be counted. */
@Timeout(60)
class SleepersTest {
    private final Sleepers sleepers = new Sleepers();
    private final Sequence cursor = new Sequence();
    private final CountingBarrier barrier = new CountingBarrier();

    @Test
    void afterAFewLooksInVainAThreadLooksOnlyNowAndThen() {
        int sleepsWithALook = 0;
        for (int i = 0; i < 10 * Sleepers.MANY; i++) {
            int looks = looksInVain();
            if (looks == Sleepers.LOOKS) {
                sleepsWithALook++;
            } else {
                assertThat(looks).isZero();
            }
        }
        assertThat(sleepsWithALook).isEqualTo(Sleepers.FEW + 9);
    }

    @Test
    void anEventThatComesWhileAThreadLooksEndsThat() throws Exception {
        giveUp();
        int looks = 0;
        while (looks == 0) {
            looks = looksInVain();
        }
        for (int i = 1; i < Sleepers.MANY; i++) {
            assertThat(looksInVain()).isZero();
        }
        barrier.asked = 0;
        barrier.publishAfter = Sleepers.LOOKS / 2;
        assertThat(sleepers.waitFor(0, cursor, cursor, barrier, Sleepers.NO_LIMIT))
                .isZero();
        assertThat(barrier.asked).isEqualTo(Sleepers.LOOKS / 2 + 1);
        for (int i = 0; i < Sleepers.FEW; i++) {
            assertThat(looksInVain()).isEqualTo(Sleepers.LOOKS);
        }
        assertThat(looksInVain()).isZero();
    }

    /** In a graph the followers find the cursor ahead of them at each wait, and the first consumers sleep. */
    @Test
    void anEventThatIsThereAtOnceChangesNothingForTheOthers() throws Exception {
        giveUp();
        cursor.set(5);
        assertThat(sleepers.waitFor(3, cursor, cursor, barrier, Sleepers.NO_LIMIT))
                .isEqualTo(5);
        assertThat(looksInVain()).isZero();
    }

    @Test
    void aSleepWithATimeLimitBeginsWithALookToo() {
        assertThatThrownBy(() -> sleepers.waitFor(0, cursor, cursor, barrier, 1))
                .isInstanceOf(TimeoutException.class);
        assertThat(barrier.asked).isGreaterThan(Sleepers.LOOKS);
    }

    @Test
    void anAlertEndsALook() {
        barrier.alertAfter = 7;
        assertThatThrownBy(() -> sleepers.waitFor(0, cursor, cursor, barrier, Sleepers.NO_LIMIT))
                .isInstanceOf(AlertException.class);
        assertThat(barrier.asked).isEqualTo(8);
    }

    @Test
    void anAlertEndsAWaitForThoseWhomTheConsumerFollows() {
        cursor.set(0);
        barrier.alertAfter = 7;
        assertThatThrownBy(() -> sleepers.waitFor(0, cursor, new Sequence(), barrier, Sleepers.NO_LIMIT))
                .isInstanceOf(AlertException.class);
    }

    /** Else the next one would park by the announcement of the one before, and the wake-up would go to that one. */
    @Test
    void whoSleepsAfterOneThatWasAlertedBetweenItsAnnouncementAndItsSleepIsWoken() throws Exception {
        barrier.alertAfter = Sleepers.LOOKS + 1;
        assertThatThrownBy(() -> sleepers.waitFor(0, cursor, cursor, barrier, Sleepers.NO_LIMIT))
                .isInstanceOf(AlertException.class);
        FutureTask<Long> next = new FutureTask<>(() -> sleepers.waitFor(0, cursor, cursor, barrier, Sleepers.NO_LIMIT));
        Thread sleeper = DaemonThreadFactory.INSTANCE.newThread(next);
        sleeper.start();
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (sleeper.getState() != Thread.State.WAITING && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        cursor.set(0);
        sleepers.signal();
        assertThat(next.get(30, SECONDS)).isZero();
    }

    private void giveUp() {
        for (int i = 0; i < Sleepers.FEW; i++) {
            assertThat(looksInVain()).isEqualTo(Sleepers.LOOKS);
        }
        assertThat(looksInVain()).isZero();
    }

    /** How often a thread looks for an event that does not come. Its sleep asks the barrier once, and is interrupted. */
    private int looksInVain() {
        barrier.asked = 0;
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> sleepers.waitFor(cursor.get() + 1, cursor, cursor, barrier, Sleepers.NO_LIMIT))
                .isInstanceOf(InterruptedException.class);
        return barrier.asked - 1;
    }

    private final class CountingBarrier implements SequenceBarrier {
        private int asked;
        private int publishAfter = Integer.MAX_VALUE;
        private int alertAfter = Integer.MAX_VALUE;

        @Override
        public void checkAlert() throws AlertException {
            if (asked++ == alertAfter) {
                throw AlertException.INSTANCE;
            }
            if (asked > publishAfter) {
                publishAfter = Integer.MAX_VALUE;
                cursor.set(0);
            }
        }

        @Override
        public long waitFor(long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long getCursor() {
            return cursor.get();
        }

        @Override
        public boolean isAlerted() {
            return false;
        }

        @Override
        public void alert() {}

        @Override
        public void clearAlert() {}
    }
}
