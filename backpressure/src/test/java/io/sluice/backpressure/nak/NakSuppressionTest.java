package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NakSuppressionTest {
    private static final long T = 1_000_000;

    private final VirtualClock clock = new VirtualClock(0);
    private final Wire wire = new Wire();
    private final NakSuppression suppression = new NakSuppression(wire, clock, 1, 1000, T, 42);

    private static final class Wire implements NakTransport {
        final List<String> sent = new ArrayList<>();
        final ArrayDeque<Nak> incoming = new ArrayDeque<>();
        boolean full;

        @Override
        public boolean send(Nak nak) {
            if (!full) {
                sent.add(nak.receiver() + " says " + nak.level() + " at " + nak.fill());
            }
            return !full;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            int n = 0;
            for (; n < limit && !incoming.isEmpty(); n++) {
                handler.onNak(incoming.remove());
            }
            return n;
        }
    }

    private static Nak nak(long receiver, int level, long fill) {
        return new Nak().set(1, receiver, 1000, fill, level, 0, 0, 0, 1);
    }

    private void hear(Nak nak) {
        wire.incoming.add(nak);
        assertThat(suppression.receive(other -> {}, 10)).isEqualTo(1);
    }

    @Test
    void waitsNoLongerThanTheLongestBackOff() {
        suppression.send(nak(1, 50, 500));
        assertThat(wire.sent).isEmpty();
        clock.now += T;
        assertThat(suppression.poll()).isEqualTo(1);
        assertThat(suppression.poll()).isZero();
        assertThat(wire.sent).containsExactly("1 says 50 at 500");
    }

    @Test
    void aSignOfLifeGoesAtOnceAndSilencesNobody() {
        suppression.send(nak(1, 50, 500));
        suppression.send(nak(1, 50, 500).asSign(false));
        assertThat(wire.sent).containsExactly("1 says 0 at 500");
        hear(nak(2, 100, 1000).asSign(false));
        hear(nak(3, 100, 1000).asSign(true));
        clock.now += T;
        assertThat(suppression.poll()).as("the NAK still goes").isEqualTo(1);
        hear(nak(2, 50, 500));
        hear(nak(3, 100, 1000).session(5).asSign(false));
        suppression.send(nak(1, 50, 500));
        assertThat(suppression.suppressedNaks())
                .as("what was heard before is still known")
                .isEqualTo(1);
        assertThat(suppression.isListening()).isTrue();
    }

    @Test
    void aFullReceiverDoesNotWait() {
        suppression.send(nak(1, 50, 500));
        suppression.send(nak(1, 100, 1000));
        assertThat(wire.sent).containsExactly("1 says 100 at 1000");
        clock.now += T;
        assertThat(suppression.poll()).isZero();
    }

    @Test
    void isSilentWhenAnotherHasSaidAsMuch() {
        suppression.send(nak(1, 50, 500));
        hear(nak(2, 50, 500));
        clock.now += T - 1;
        assertThat(suppression.poll()).isZero();
        suppression.send(nak(1, 50, 600));
        assertThat(suppression.suppressedNaks()).isEqualTo(2);
        suppression.send(nak(1, 87, 870)); // stronger than what was heard
        clock.now += T / 4;
        assertThat(suppression.poll() + wire.sent.size()).isPositive();
        assertThat(wire.sent).containsExactly("1 says 87 at 870");
    }

    @Test
    void aWeakerOneOfAnotherOrItsOwnDoesNotSilenceIt() {
        suppression.send(nak(1, 75, 750));
        hear(nak(2, 50, 500));
        hear(nak(1, 100, 1000));
        clock.now += T;
        suppression.poll();
        assertThat(wire.sent).containsExactly("1 says 75 at 750");
    }

    /** The sender does not act on what receiver 2 says, and tells so: below 100 percent it silences nobody any more. */
    @Test
    void aReceiverThatWasLeftBehindSilencesNobody() {
        suppression.send(nak(1, 50, 500));
        hear(nak(2, 87, 870));
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
        hear(nak(2, 87, 870).asEcho());
        assertThat(suppression.suppressedNaks()).as("it waits again").isZero();
        clock.now += T;
        suppression.poll();
        assertThat(wire.sent).containsExactly("1 says 50 at 500");

        for (int i = 1; i <= 20; i++) { // and goes on so: each refresh
            clock.now += T;
            hear(nak(2, 87, 870));
            suppression.send(nak(1, 50, 500 + i));
            clock.now += T;
            suppression.poll();
        }
        assertThat(wire.sent).hasSize(21).last().isEqualTo("1 says 50 at 520");
        assertThat(suppression.suppressedNaks()).isZero();

        clock.now += 1_000_000_000L; // the sender has said no more of it: it may have been taken back
        hear(nak(2, 87, 870));
        suppression.send(nak(1, 50, 600));
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
        hear(nak(2, 87, 870).asEcho());
        clock.now += T;
        assertThat(suppression.poll()).isEqualTo(1);
        assertThat(wire.sent).last().isEqualTo("1 says 50 at 600");
    }

    @Test
    void eachEchoStartsTheTimeInWhichItsReceiverSilencesNobodyAgain() {
        long second = 1_000_000_000L;
        hear(nak(2, 87, 870).asEcho());
        for (int i = 0; i < 3; i++) {
            clock.now += second - 1;
            hear(nak(2, 87, 870));
            suppression.send(nak(1, 50, 500));
            assertThat(suppression.suppressedNaks()).as("round %d", i).isZero();
            hear(nak(2, 87, 870).asEcho());
        }
        clock.now += second;
        hear(nak(2, 87, 870));
        assertThat(suppression.suppressedNaks())
                .as("a second without an echo is over")
                .isEqualTo(1);
    }

    /** A receiver that has drained has nothing to say, and so nothing takes the place of what was silenced. */
    @Test
    void anEchoRevivesNothingThatIsNoLongerTrue() {
        suppression.send(nak(1, 50, 500));
        hear(nak(2, 87, 870));
        clock.now += 3_600_000_000_000L; // it drains, and is well for an hour
        hear(nak(2, 87, 870));
        hear(nak(2, 87, 870).asEcho()); // the sender has left the other one behind
        clock.now += T;
        assertThat(suppression.poll()).isZero();
        assertThat(wire.sent).isEmpty();
        assertThat(suppression.suppressedNaks()).as("it was never sent").isEqualTo(1);
        suppression.send(nak(1, 50, 555)); // too full again
        clock.now += T;
        suppression.poll();
        assertThat(wire.sent).containsExactly("1 says 50 at 555");
    }

    @Test
    void whatTheTransportRefusesForLongIsNotSaidAnyMore() {
        suppression.send(nak(1, 50, 500));
        clock.now += T;
        wire.full = true;
        assertThat(suppression.poll()).isZero();
        wire.full = false;
        assertThat(suppression.poll()).as("tried again").isEqualTo(1);
        suppression.send(nak(1, 50, 501));
        wire.full = true;
        for (int i = 0; i < 100; i++) {
            clock.now += T;
            assertThat(suppression.poll()).isZero();
        }
        wire.full = false;
        assertThat(suppression.poll()).as("its receiver may be well since long").isZero();
        assertThat(wire.sent).containsExactly("1 says 50 at 500");
    }

    /** The echo says that nobody heeds that receiver, so what was heard of it a moment ago silences nothing either. */
    @Test
    void whatWasHeardOfAReceiverCountsNoMoreOnceItIsKnownToBeIgnored() {
        suppression.send(nak(1, 50, 500));
        hear(nak(2, 87, 870));
        hear(nak(2, 87, 870).asEcho());
        suppression.send(nak(1, 50, 501));
        assertThat(suppression.suppressedNaks()).isZero();
        clock.now += T;
        suppression.poll();
        assertThat(wire.sent).as("the newest").containsExactly("1 says 50 at 501");
    }

    /** The echo of one does not free what another has silenced, nor make others heard of less. */
    @Test
    void anEchoConcernsItsReceiverOnly() {
        suppression.send(nak(1, 50, 500));
        hear(nak(3, 50, 500));
        hear(nak(2, 50, 500).asEcho());
        clock.now += T - 1;
        suppression.poll();
        assertThat(wire.sent).isEmpty();
        suppression.send(nak(1, 50, 500));
        assertThat(suppression.suppressedNaks()).isEqualTo(2);
        hear(nak(3, 50, 500).asEcho());
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
        clock.now += T;
        assertThat(suppression.poll()).isEqualTo(1);
    }

    @Test
    void itsOwnEchoesAreCounted() {
        suppression.send(nak(1, 100, 1000));
        hear(nak(1, 100, 1000).asEcho());
        hear(nak(2, 100, 1000).asEcho());
        assertThat(suppression.echoedNaks()).isEqualTo(1);
        assertThat(wire.sent).hasSize(1);
    }

    /** More receivers that are not heeded than are remembered: the one noted first may silence once more. */
    @Test
    void asManyUnheededReceiversAreRememberedAsCanBeLeftBehind() {
        for (int i = 0; i < NakController.MAX_LEFT_BEHIND; i++) {
            hear(nak(100 + i, 50, 500).asEcho());
            hear(nak(100 + i, 50, 500).asEcho());
        }
        for (int i = 0; i < NakController.MAX_LEFT_BEHIND; i++) {
            hear(nak(100 + i, 87, 870));
        }
        suppression.send(nak(1, 50, 500));
        assertThat(suppression.suppressedNaks()).isZero();
        hear(nak(100 + NakController.MAX_LEFT_BEHIND, 50, 500).asEcho());
        hear(nak(101, 87, 870));
        hear(nak(100 + NakController.MAX_LEFT_BEHIND, 87, 870));
        assertThat(suppression.suppressedNaks()).isZero();
        hear(nak(100, 87, 870));
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
    }

    @Test
    void aNakOfAnotherSessionSilencesNobody() {
        suppression.send(nak(1, 50, 500).session(8));
        hear(nak(2, 87, 870).session(7));
        assertThat(suppression.suppressedNaks()).isZero();
        clock.now += T;
        assertThat(suppression.poll()).isEqualTo(1);
        hear(nak(2, 87, 870).session(7));
        suppression.send(nak(1, 50, 510).session(8));
        assertThat(suppression.suppressedNaks()).isZero();
        hear(nak(3, 50, 500).session(8));
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
        suppression.send(nak(1, 50, 510).session(8));
        assertThat(suppression.suppressedNaks()).isEqualTo(2);
    }

    /** The time without an own word starts again with each that is heard, and ends when nothing more is. */
    @Test
    void whatIsHeardSilencesForOneBackOffAndThenNoMore() {
        hear(nak(2, 50, 500));
        for (int i = 0; i < 10; i++) {
            clock.now += T - 1;
            suppression.send(nak(1, 50, 500));
            assertThat(suppression.suppressedNaks()).as("round " + i).isEqualTo(i + 1);
            hear(nak(2, 50, 500));
        }
        clock.now += T;
        suppression.send(nak(1, 50, 500));
        assertThat(suppression.suppressedNaks()).isEqualTo(10);
        clock.now += T;
        assertThat(suppression.poll() + wire.sent.size()).isPositive();
        assertThat(wire.sent).hasSize(1);
    }

    @Test
    void theNewestIsSent() {
        suppression.send(nak(1, 50, 500));
        suppression.send(nak(1, 50, 555));
        clock.now += T;
        suppression.poll();
        assertThat(wire.sent).containsExactly("1 says 50 at 555");
    }

    @Test
    void whatTheTransportRefusesIsTriedAgain() {
        suppression.send(nak(1, 50, 500));
        clock.now += T;
        wire.full = true;
        assertThat(suppression.poll()).isZero();
        assertThat(suppression.send(nak(1, 100, 1000))).isFalse();
        wire.full = false;
        assertThat(suppression.send(nak(1, 100, 1000))).isTrue();
        assertThat(wire.sent).containsExactly("1 says 100 at 1000");
    }

    @Test
    void ofAThousandFewSpeakEarly() {
        int early = 0;
        for (int i = 0; i < 1000; i++) {
            Wire own = new Wire();
            NakSuppression one = new NakSuppression(own, () -> clock.now, i, 1000, T, i);
            clock.now = 0;
            one.send(nak(i, 50, 500));
            clock.now = T / 4;
            one.poll();
            early += own.sent.size();
        }
        assertThat(early).isBetween(0, 10); // e^(-3/4 lambda) of 1000 is 2.7
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() -> new NakSuppression(wire, clock, 1, 0, T, 1))
                .hasMessage("groupSize must be from 1 to 1000000, but was 0");
        assertThatThrownBy(() -> new NakSuppression(wire, clock, 1, 1, -1, 1))
                .hasMessage("maxBackOffNanos must be from 0 to 10000000000, but was -1");
    }
}
