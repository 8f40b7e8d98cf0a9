package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a thread that has parked once waits for, and how long, when it parks again. */
class ParkAgainTest {
    /** Else a thread that once had a deadline, and no work at it, would spin from then on. */
    @Test
    @Timeout(20)
    void aDeadlineThatHasPassedDoesNotKeepTheThreadFromParkingAgain() {
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle(); // announced
        idle.deadline(System.nanoTime() - 1);
        idle.idle(); // too late to park
        assertThat(idle.parks()).isZero();
        idle.idle(); // announced again
        idle.deadline(System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        LockSupport.unpark(Thread.currentThread()); // so that the park ends at once
        idle.idle();
        assertThat(idle.parks()).isEqualTo(1);
    }

    /** A wake-up that a timed strategy misses after a quiet hour costs the shortest park again once there was work. */
    @Test
    @Timeout(20)
    void afterWorkATimedParkIsTheShortestAgain() {
        SignalledIdle idle = SignalledIdle.timed(1_000_000, TimeUnit.HOURS.toNanos(1));
        while (idle.parks() < 30) {
            LockSupport.unpark(Thread.currentThread()); // so that no park lasts
            idle.idle();
        }
        idle.reset(); // work was found
        while (idle.parks() < 31) {
            idle.idle(); // would last an hour, had the limit stayed where it had grown to
        }
        assertThat(idle.parks()).isEqualTo(31);
    }
}
