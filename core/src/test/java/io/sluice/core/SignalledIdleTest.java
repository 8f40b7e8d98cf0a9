package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SignalledIdleTest {
    /** Waits, without sleeping, until a thread has parked in an untimed park. */
    private static void awaitParked(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void spinsThenYieldsThenAnnouncesThenParks() {
        SignalledIdle idle = SignalledIdle.exact(3);
        for (int i = 0; i < 3 + SignalledIdle.YIELDS + 1; i++) { // spins, yields and the announcement
            idle.idle();
        }
        assertThat(idle.parks()).isZero();
        idle.signal(); // so that the park below does not last
        idle.idle();
        assertThat(idle.parks()).as("signalled before the park").isZero();
        idle.idle(); // announced again
        idle.deadline(System.nanoTime() + 1_000);
        idle.idle();
        assertThat(idle.parks()).isLessThanOrEqualTo(1);
    }

    @Test
    void withoutSpinsTheFirstEmptyCycleAnnounces() {
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle();
        idle.signal(); // taken only if announced
        idle.idle();
        assertThat(idle.parks()).isZero();
    }

    @Test
    void workBetweenAnnouncementAndParkTakesTheAnnouncementBack() {
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle(); // announced
        idle.idle(1); // work was found
        idle.idle(0); // announced again, not parked
        assertThat(idle.parks()).isZero();
    }

    @Test
    void aPastDeadlineDoesNotPark() {
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle();
        idle.deadline(System.nanoTime() - 1);
        idle.idle();
        assertThat(idle.parks()).isZero();
    }

    @Test
    @Timeout(20)
    void theNearestOfSeveralDeadlinesCounts() {
        LockSupport.parkNanos(1); // takes the permit that a signal of another test has left this thread
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle();
        idle.deadline(System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        idle.deadline(SignalledIdle.NO_DEADLINE);
        idle.deadline(System.nanoTime() + 1_000_000);
        idle.deadline(System.nanoTime() + TimeUnit.HOURS.toNanos(2));
        idle.idle(); // would last an hour, were a later one to count
        assertThat(idle.parks()).isLessThanOrEqualTo(1);
    }

    @Test
    @Timeout(20)
    void timedParksEndByThemselves() {
        SignalledIdle idle = SignalledIdle.timed(1_000, 100_000);
        while (idle.parks() < 20) {
            idle.idle();
        }
        assertThat(idle.worstStalenessNanos()).isEqualTo(100_000);
        assertThat(SignalledIdle.exact().worstStalenessNanos()).isZero();
    }

    @Test
    @Tag("concurrency")
    @Timeout(20)
    void aSignalWakesAnExactPark() throws InterruptedException {
        SignalledIdle idle = SignalledIdle.exact(0);
        Sequence woken = new Sequence(0);
        Thread runner = new Thread(() -> {
            idle.idle();
            idle.idle(); // parks
            woken.setRelease(1);
        });
        runner.start();
        awaitParked(runner);
        idle.signal();
        runner.join();
        assertThat(woken.get()).isEqualTo(1);
        assertThat(idle.parks()).isEqualTo(1);
    }

    @Test
    @Tag("concurrency")
    @Timeout(20)
    void anInterruptEndsAParkAndKeepsItsFlag() throws InterruptedException {
        SignalledIdle idle = SignalledIdle.exact(0);
        AtomicBoolean flag = new AtomicBoolean();
        CountDownLatch second = new CountDownLatch(1);
        Thread runner = new Thread(() -> {
            idle.idle();
            idle.idle(); // parks; the interrupt ends it
            flag.set(Thread.interrupted());
            second.countDown();
            idle.idle();
            idle.idle(); // parks again, now that the flag is cleared
        });
        runner.start();
        awaitParked(runner);
        runner.interrupt();
        second.await();
        assertThat(flag).isTrue();
        awaitParked(runner);
        idle.signal();
        runner.join();
        assertThat(idle.parks()).isEqualTo(2);
    }

    /** A loop that ends when it is interrupted must see the flag, however late in its cycle the interrupt came. */
    @Test
    @Timeout(20)
    void anInterruptThatCameBeforeAParkPreventsItAndKeepsItsFlag() {
        SignalledIdle idle = SignalledIdle.exact(0);
        idle.idle(); // announces
        Thread.currentThread().interrupt();
        idle.idle(); // would park for ever
        assertThat(Thread.interrupted()).isTrue();
        assertThat(idle.parks()).isZero();
    }

    @Test
    void aMemberThatWaitsWhenItIsAddedIsWokenByTheNextSignal() {
        SignalledIdle idle = SignalledIdle.exact(0);
        SignalGroup group = new SignalGroup(true);
        group.signal(); // nobody is there
        idle.idle(); // announced
        group.add(idle);
        group.signal();
        idle.idle(); // would park for ever
        assertThat(idle.parks()).isZero();
    }

    @Test
    void eachGroupOfAMemberWakesItAgainAndAgain() {
        SignalledIdle idle = SignalledIdle.exact(0);
        SignalledIdle busy = SignalledIdle.exact(0);
        List<SignalGroup> groups = List.of(new SignalGroup(true), new SignalGroup(true));
        groups.forEach(group -> {
            group.add(busy);
            group.add(idle);
            group.add(idle); // once
        });
        for (int i = 0; i < 4; i++) {
            idle.idle(); // announced
            groups.get(i % 2).signal();
            idle.idle(); // would park for ever
        }
        assertThat(idle.parks()).isZero();
    }

    @Test
    void aMemberThatWasTakenOutIsLeftAlone() {
        SignalledIdle idle = SignalledIdle.exact(0);
        SignalGroup group = new SignalGroup(true);
        group.add(idle);
        group.remove(idle);
        idle.idle(); // announced
        group.signal();
        idle.deadline(System.nanoTime() + 10_000_000);
        idle.idle();
        assertThat(idle.parks()).isEqualTo(1);
    }

    /** No wake-up is lost: a consumer that parks at every chance gets each of many single publications. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void noPublicationIsMissed() throws InterruptedException {
        int rounds = 100_000;
        SignalledIdle idle = SignalledIdle.exact(0);
        SignalGroup group = new SignalGroup(true);
        group.add(idle);
        Sequence published = new Sequence(0);
        Sequence consumed = new Sequence(0);
        Thread runner = new Thread(() -> {
            long seen = 0;
            while (seen < rounds) {
                long now = published.getAcquire(); // acquire: pairs with the publication
                idle.idle(now > seen ? 1 : 0);
                seen = now;
                consumed.setRelease(seen); // release: lets the publisher go on
            }
        });
        runner.start();
        for (int round = 1; round <= rounds; round++) {
            published.setRelease(round); // release: the publication
            group.signal();
            while (consumed.getAcquire() < round) { // acquire: the runner has seen it
                Thread.onSpinWait();
            }
        }
        runner.join();
        assertThat(consumed.get()).isEqualTo(rounds);
    }

    @Test
    void badLimitsAreRefused() {
        assertThatThrownBy(() -> SignalledIdle.exact(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spins must be 0 or more, but was -1");
        assertThatThrownBy(() -> SignalledIdle.timed(0, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("minParkNanos was 0 and maxParkNanos 5");
        assertThatThrownBy(() -> SignalledIdle.timed(6, 5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anExactMemberIsRefusedByATimedGroup() {
        SignalGroup timed = new SignalGroup(false);
        assertThatThrownBy(() -> timed.add(SignalledIdle.exact()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SignalledIdle{exact");
        timed.add(SignalledIdle.timed());
        timed.empty().add(SignalledIdle.timed());
        new SignalGroup(true).empty().add(SignalledIdle.exact());
    }

    @Test
    void namesItself() {
        assertThat(SignalledIdle.exact().alias()).isEqualTo("signalled-exact");
        assertThat(SignalledIdle.timed().alias()).isEqualTo("signalled-timed");
        assertThat(SignalledIdle.timed(1, 2)).hasToString("SignalledIdle{timed, 1 to 2 ns}");
    }

    @Test
    void theMostSpinsAreNoParks() {
        SignalledIdle idle = SignalledIdle.exact(Integer.MAX_VALUE);
        for (int cycle = 0; cycle < 4; cycle++) {
            idle.deadline(System.nanoTime() + 1_000_000); // so that a park would end
            idle.idle();
        }
        assertThat(idle.parks()).isZero();
    }
}
