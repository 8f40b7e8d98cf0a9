package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FillMonitorTest {
    private static final long REFRESH = 1_000_000;

    private final VirtualClock clock = new VirtualClock(Long.MAX_VALUE - 3 * REFRESH);
    private final List<String> said = new ArrayList<>();
    private final Queue queue = new Queue(1_000);
    private boolean taken = true;

    private final NakTransport transport = new NakTransport() {
        @Override
        public boolean send(Nak nak) {
            if (taken) {
                said.add((nak.session() == 0 ? "" : nak.session() + ":") + nak.level() + ":" + nak.fill());
            }
            return taken;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            return 0;
        }
    };

    private static final class Queue implements FillSource {
        final long capacity;
        long fill;
        long session;

        Queue(long capacity) {
            this.capacity = capacity;
        }

        @Override
        public long capacity() {
            return capacity;
        }

        @Override
        public long fill() {
            return fill;
        }

        @Override
        public long consumedPosition() {
            return 7;
        }

        @Override
        public long newestPosition() {
            return 7 + fill;
        }

        @Override
        public long session() {
            return session;
        }
    }

    private FillMonitor monitor(Queue of) {
        return new FillMonitor(of, transport, clock, 1, 2, REFRESH);
    }

    private void at(FillMonitor monitor, long fill) {
        queue.fill = fill;
        monitor.poll();
    }

    @Test
    void silentAndWithoutAClockBelowTheLowestLevel() {
        FillMonitor monitor = monitor(queue);
        for (int fill = 0; fill < 500; fill++) {
            clock.now += REFRESH;
            at(monitor, fill);
        }
        assertThat(said).isEmpty();
        assertThat(clock.reads).isZero();
    }

    @Test
    void eachLevelAtOnceAndOnce() {
        FillMonitor monitor = monitor(queue);
        for (int fill = 0; fill <= 1_000; fill++) {
            at(monitor, fill);
        }
        assertThat(said).containsExactly("50:500", "75:750", "87:870", "100:1000");
        assertThat(monitor.sentNaks()).isEqualTo(4);
    }

    /** A sender takes a receiver for full at 100 percent only, so a full queue must never count as a lower level. */
    @Test
    void aFullQueueIsSaidThoughTheLevelsOfOnesOwnEndBelow() {
        FillMonitor monitor = new FillMonitor(queue, transport, clock, 1, 2, REFRESH, 12, 50, 75, 95);
        for (int fill = 0; fill <= 1_000; fill++) {
            at(monitor, fill);
        }
        assertThat(said).containsExactly("50:500", "75:750", "95:950", "100:1000");
        clock.now += REFRESH;
        at(monitor, 1_000);
        assertThat(said).endsWith("100:1000", "100:1000");

        said.clear();
        int[] most = {84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99};
        at(new FillMonitor(queue, transport, clock, 1, 2, REFRESH, 12, most), 1_000);
        assertThat(said).containsExactly("100:1000");
    }

    @Test
    void aJumpSaysTheHighestLevelOnly() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 900);
        at(monitor, 900);
        assertThat(said).containsExactly("87:900");
    }

    @Test
    void refreshWhileAboveAcrossAWrappingClock() {
        FillMonitor monitor = monitor(queue);
        for (int i = 0; i <= 60; i++) {
            at(monitor, 600 + i);
            clock.now += REFRESH / 10;
        }
        assertThat(said).containsExactly("50:600", "50:610", "50:620", "50:630", "50:640", "50:650", "50:660");
    }

    @Test
    void hysteresisKeepsAWaveringFillFromSpeaking() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 750);
        for (int i = 0; i < 100; i++) {
            at(monitor, 740);
            at(monitor, 750);
            at(monitor, 499);
            at(monitor, 640);
            at(monitor, 380);
            at(monitor, 510);
        }
        assertThat(said.subList(0, 1)).containsExactly("75:750");
        assertThat(said).doesNotContain("75:740").hasSize(100 - 1 + 1); // 640 and below re-arms 75 once a round
        assertThat(said.subList(1, 100)).containsOnly("75:750");
    }

    /** A refresh tells of the fill as it is; the level above it was reported all the same. */
    @Test
    void aRefreshAtALowerLevelDoesNotMakeTheHigherOneNewsAgain() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 750);
        clock.now += REFRESH;
        at(monitor, 740);
        for (int i = 0; i < 10; i++) {
            at(monitor, 750);
            at(monitor, 740);
        }
        assertThat(said).containsExactly("75:750", "50:740");
        at(monitor, 629);
        at(monitor, 750);
        assertThat(said).containsExactly("75:750", "50:740", "75:750");
    }

    @Test
    void fallenBelowTheHysteresisALevelIsNewsAgain() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 500);
        at(monitor, 380);
        at(monitor, 500);
        assertThat(said).containsExactly("50:500");
        at(monitor, 379);
        at(monitor, 500);
        assertThat(said).containsExactly("50:500", "50:500");
    }

    /** A sender that starts again has heard nothing: the level is news to it, though no refresh is due. */
    @Test
    void aNewSessionHearsTheLevelAtOnce() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 800);
        queue.session = 5;
        at(monitor, 760);
        at(monitor, 770);
        queue.session = 6;
        at(monitor, 400);
        at(monitor, 500);
        assertThat(said).containsExactly("75:800", "5:75:760", "6:50:500");
    }

    /** Several refreshes in a row, each counted from the last NAK, whatever made that one be said. */
    @Test
    void aNewLevelPutsTheRefreshOff() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 500);
        clock.now += REFRESH - 1;
        at(monitor, 750);
        clock.now += REFRESH - 1;
        at(monitor, 751);
        assertThat(said).containsExactly("50:500", "75:750");
        clock.now += 1;
        at(monitor, 752);
        clock.now += REFRESH - 1;
        at(monitor, 753);
        clock.now += 1;
        at(monitor, 754);
        assertThat(said).containsExactly("50:500", "75:750", "75:752", "75:754");
    }

    @Test
    void aRefusedNakIsTriedAgain() {
        FillMonitor monitor = monitor(queue);
        taken = false;
        at(monitor, 500);
        at(monitor, 501);
        taken = true;
        at(monitor, 502);
        at(monitor, 503);
        assertThat(said).containsExactly("50:502");
        assertThat(monitor.refusedNaks()).isEqualTo(2);
    }

    @Test
    void aClockThatStepsBackDoesNotSilenceIt() {
        FillMonitor monitor = monitor(queue);
        at(monitor, 500);
        clock.now -= 3_600_000_000_000L;
        at(monitor, 501);
        assertThat(said).containsExactly("50:500", "50:501");
    }

    @Test
    void capacityOneAndTheLargestAndOddOnes() {
        Queue one = new Queue(1);
        FillMonitor monitor = monitor(one);
        monitor.poll();
        assertThat(said).isEmpty();
        one.fill = 1;
        monitor.poll();
        assertThat(said).containsExactly("100:1");

        said.clear();
        Queue three = new Queue(3);
        FillMonitor odd = monitor(three);
        for (three.fill = 0; three.fill <= 3; three.fill++) {
            odd.poll();
        }
        assertThat(said).containsExactly("50:2", "100:3");

        said.clear();
        Queue huge = new Queue(Long.MAX_VALUE);
        huge.fill = Long.MAX_VALUE / 2;
        FillMonitor big = monitor(huge);
        big.poll();
        assertThat(said).isEmpty();
        huge.fill++;
        big.poll();
        assertThat(said).hasSize(1);
    }

    @Test
    void readingsOutOfRangeAreClamped() {
        FillMonitor monitor = monitor(queue);
        at(monitor, -4);
        at(monitor, 5_000);
        assertThat(said).containsExactly("100:1000");
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() -> monitor(new Queue(0)))
                .hasMessage("capacity of the source must be 1 or more, but was 0");
        assertThatThrownBy(() -> new FillMonitor(queue, transport, clock, 1, 2, 0))
                .hasMessage("refreshNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> new FillMonitor(queue, transport, clock, 1, 2, 1, 51, 50))
                .hasMessage("hysteresis must be from 0 to 50, but was 51");
        for (int[] levels : new int[][] {{75, 50}, {50, 50}, {0}, {101}, {-1, 50}, {}, new int[17]}) {
            assertThatThrownBy(() -> new FillMonitor(queue, transport, clock, 1, 2, 1, 12, levels))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching(
                            "number of levels must be from 1 to 16, but was .*|levels must rise and be from 1 to 100, but were .*");
        }
        assertThatThrownBy(() -> monitor(queue).senders(0)).hasMessage("senders must be 1 or more, but was 0");
    }
}
