package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.backpressure.VirtualClock;
import io.sluice.backpressure.rate.RateLimiter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NakControllerTest {
    private static final long MS = 1_000_000;

    private final VirtualClock clock = new VirtualClock(0);
    private final Inbox inbox = new Inbox();
    private final RateLimiter limiter = RateLimiter.singleWriter(clock, 1024);
    private long sent;
    private NakController controller = build(NakController.builder(inbox, limiter, () -> sent, clock));

    private NakController build(NakController.Builder builder) {
        return builder.build();
    }

    private static final class Inbox implements NakTransport {
        final ArrayDeque<Nak> naks = new ArrayDeque<>();
        final List<String> echoes = new ArrayList<>();
        boolean group;
        long junk;
        long looked;
        RuntimeException broken;

        @Override
        public boolean send(Nak nak) {
            assertThat(group).as("nobody else hears").isTrue();
            assertThat(nak.isEcho()).isTrue();
            echoes.add(nak.receiver() + " " + nak.session() + " " + nak.level());
            return true;
        }

        @Override
        public boolean isGroup() {
            return group;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            if (broken != null) {
                throw broken;
            }
            int n = 0;
            while (n < limit && (junk > 0 || !naks.isEmpty())) {
                n++;
                if (junk > 0) {
                    junk--;
                } else {
                    handler.onNak(naks.remove());
                }
            }
            looked += n;
            return n;
        }
    }

    /** Sends at a rate for a time, a step of 10 µs at a time. */
    private void send(double perSecond, long nanos) {
        for (long t = 0; t < nanos; t += 10_000) {
            clock.now += 10_000;
            sent += Math.round(perSecond * 10_000 / 1e9);
            controller.doWork();
        }
    }

    private void nak(long receiver, int level, long fill, long consumed) {
        inbox.naks.add(new Nak().set(1, receiver, 8_000, fill, level, consumed, sent, clock.now, 1));
        controller.doWork();
    }

    @Test
    void isUnlimitedUntilSomebodyComplains() {
        send(1_000_000, 50 * MS);
        assertThat(controller.isLimited()).isFalse();
        assertThat(limiter.rate()).isInfinite();
        assertThat(controller.engagements()).isZero();
    }

    // ---- what counts

    /** The receivers of B11: one of ten says that it has handled 2^62 messages, and is never heard again. */
    @Test
    void aReceiverThatHasHandledMoreThanWasSentIsCountedAndChangesNothing() {
        double[] rates = new double[2];
        for (int lies = 0; lies < 2; lies++) {
            clock.now = 0;
            sent = 0;
            RateLimiter own = RateLimiter.singleWriter(clock, 1024);
            controller = build(NakController.builder(inbox, own, () -> sent, clock));
            send(1_000_000, 10 * MS);
            if (lies == 1) {
                nak(99, 50, 4_000, 1L << 62);
                assertThat(controller.impossibleNaks()).isEqualTo(1);
                assertThat(controller.isLimited()).isFalse();
            }
            for (int i = 0; i < 100; i++) { // ten receivers, more than are remembered, speak in turn: 200,000 a second
                inbox.naks.add(new Nak().set(1, i % 10, 8_000, 5_000, 50, 2_000 + 50L * i, sent, clock.now, 1));
                send(200_000, MS / 4);
            }
            rates[lies] = own.rate();
            assertThat(controller.impossibleNaks()).isEqualTo(lies);
        }
        assertThat(rates[1]).isEqualTo(rates[0]).isCloseTo(AdaptiveAlgorithm.DRAIN * 200_000, within(2_000.0));
    }

    /** With several senders none can check what was handled of all: such a lie is forgotten some epochs after it was told. */
    @Test
    void aLieAboutWhatAllSendersSentIsForgotten() {
        double[] rates = new double[2];
        for (int lies = 0; lies < 2; lies++) {
            clock.now = 0;
            sent = 0;
            RateLimiter own = RateLimiter.singleWriter(clock, 1024);
            controller = build(NakController.builder(inbox, own, () -> sent, clock));
            send(1_000_000, 10 * MS);
            if (lies == 1) {
                inbox.naks.add(new Nak().set(1, 99, 8_000, 4_000, 50, 1L << 62, sent, clock.now, 2));
            }
            send(100_000, 100 * MS);
            assertThat(controller.isLimited()).isFalse();
            for (int i = 0; i < 100; i++) { // ten receivers, more than are remembered, speak in turn
                inbox.naks.add(new Nak().set(1, i % 10, 8_000, 5_000, 50, 2_000 + 50L * i, sent, clock.now, 2));
                send(300_000, MS / 4);
            }
            rates[lies] = own.rate();
            assertThat(controller.impossibleNaks()).isZero();
        }
        assertThat(rates[1]).isCloseTo(rates[0], within(rates[0] / 100)).isGreaterThan(10_000);
    }

    @Test
    void positionsAreCheckedToTheMessage() {
        send(1_000_000, 10 * MS);
        inbox.naks.add(new Nak().set(1, 1, 8_000, 4_000, 50, sent + 1, sent, clock.now, 1));
        inbox.naks.add(new Nak().set(1, 2, 8_000, 4_000, 50, sent, sent + 1, clock.now, 1));
        controller.doWork();
        assertThat(controller.impossibleNaks()).isEqualTo(2);
        assertThat(controller.isLimited()).isFalse();
        inbox.naks.add(new Nak().set(1, 3, 8_000, 4_000, 50, sent, sent + 1, clock.now, 7));
        inbox.naks.add(new Nak().set(1, 4, 8_000, 4_000, 50, sent + 1, sent, clock.now, 2));
        controller.doWork();
        assertThat(controller.impossibleNaks()).isEqualTo(2);
        assertThat(controller.isLimited())
                .as("what others sent has arrived and was handled, too")
                .isTrue();
        inbox.naks.add(new Nak().set(1, 1, 8_000, 4_000, 50, sent, sent, clock.now, 1));
        controller.doWork();
        assertThat(controller.impossibleNaks()).isEqualTo(2);
        assertThat(controller.staleNaks()).as("it was never heard of before").isZero();
    }

    /** A message goes out between the controller's look at the position and its look at the NAKs. */
    @Test
    void aMessageSentWhileTheControllerWorksIsNoLie() {
        long[] looks = {0};
        controller = build(NakController.builder(inbox, limiter, () -> looks[0]++ == 0 ? sent : ++sent, clock));
        send(1_000_000, 10 * MS);
        long before = sent;
        inbox.naks.add(new Nak().set(1, 1, 8_000, 4_000, 50, before - 4_000, before + 2, clock.now, 1));
        controller.doWork();
        assertThat(controller.impossibleNaks()).isZero();
        assertThat(controller.isLimited()).isTrue();
    }

    /** A sender that starts again takes a new session: what is still on its way, or said by who has not noticed, is counted. */
    @Test
    void aSenderThatStartsAgainIgnoresTheNaksOfTheSessionBefore() {
        controller =
                build(NakController.builder(inbox, limiter, () -> sent, clock).session(77));
        send(1_000_000, 10 * MS);
        for (long session : new long[] {0, 76, Long.MIN_VALUE}) {
            inbox.naks.add(new Nak()
                    .set(1, 1, 8_000, 8_000, 100, 2_000, 3_000, clock.now, 1)
                    .session(session));
        }
        controller.doWork();
        assertThat(controller.otherSessionNaks()).isEqualTo(3);
        assertThat(controller.receivedNaks()).isEqualTo(3);
        assertThat(controller.isLimited()).isFalse();
        inbox.naks.add(new Nak()
                .set(1, 1, 8_000, 8_000, 100, 2_000, 3_000, clock.now, 1)
                .session(77));
        controller.doWork();
        assertThat(limiter.rate()).isZero();
        assertThat(controller.staleNaks())
                .as("the receiver is new to this session")
                .isZero();
    }

    /** Without sessions: the positions of a sender that starts again tell the old ones. */
    @Test
    void aSenderThatStartsAgainWithoutASessionSeesPositionsThatItNeverHad() {
        send(1_000_000, 10 * MS);
        nak(1, 100, 8_000, 5_000_000);
        assertThat(controller.impossibleNaks()).isEqualTo(1);
        assertThat(controller.isLimited()).isFalse();
    }

    @Test
    void whatDoesNotCountIsSentBackWhereReceiversHearEachOther() {
        controller = build(NakController.builder(inbox, limiter, () -> sent, clock)
                .session(5)
                .knownReceivers(id -> id != 9));
        for (int round = 0; round < 2; round++) {
            inbox.group = round == 1;
            controller.leaveBehind(3);
            inbox.naks.add(new Nak().set(1, 9, 100, 50, 50, 0, 0, round, 1).session(5)); // unknown
            inbox.naks.add(new Nak().set(1, 3, 100, 75, 75, 0, 0, round, 1).session(5)); // left behind
            inbox.naks.add(new Nak().set(1, 1, 100, 87, 87, 0, 0, round, 1).session(4)); // of another session
            inbox.naks.add(new Nak().set(1, 2, 100, 99, 87, 1, 1, round, 1).session(5)); // of what was not sent
            inbox.naks.add(new Nak().set(1, 4, 100, 50, 50, 0, 0, round, 1).session(5));
            controller.doWork();
            clock.now += MS;
        }
        assertThat(inbox.echoes).containsExactly("9 5 50", "3 5 75", "1 4 87", "2 5 87");
        assertThat(controller.receivedNaks()).isEqualTo(10);
        assertThat(controller.ignoredNaks()).isEqualTo(4);
        assertThat(controller.otherSessionNaks()).isEqualTo(2);
        assertThat(controller.impossibleNaks()).isEqualTo(2);
    }

    /** It hears itself on a multicast group, and other senders: an echo is no NAK and has no echo. */
    @Test
    void echoesAreNotHeeded() {
        inbox.group = true;
        inbox.naks.add(new Nak().set(1, 1, 100, 100, 100, 0, 0, 1, 1).asEcho());
        inbox.naks.add(new Nak().set(1, 1, 100, 100, 100, 0, 0, 1, 1).session(4).asEcho());
        controller.doWork();
        assertThat(inbox.echoes).isEmpty();
        assertThat(controller.receivedNaks()).isZero();
        assertThat(controller.isLimited()).isFalse();
    }

    /**
     * NAKs of one epoch at steps longer than the window: each may act, and each is computed from the rate before the epoch. So
     * they do not compound, though no window holds two of them.
     */
    @ParameterizedTest
    @ValueSource(strings = {"ADAPTIVE", "AIMD", "CUBIC", "LADDER"})
    void naksOfAnEpochAtStepsLongerThanTheWindowDoNotCompound(String control) {
        controller = build(
                NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.valueOf(control)));
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        double once = limiter.rate();
        assertThat(controller.windowNanos()).isEqualTo(MS / 10);
        assertThat(controller.epochNanos()).isEqualTo(MS);
        for (int i = 2; i < 6; i++) {
            send(once, 2 * MS / 10); // 800 µs in all: within the epoch
            nak(i, 50, 4_000, sent - 4_000);
            assertThat(controller.windowNanos()).isEqualTo(MS / 10);
        }
        assertThat(limiter.rate()).as("halved once, not five times").isCloseTo(once, within(once / 10));
        assertThat(controller.overloadEpochs()).isEqualTo(1);
        send(once, 2 * MS / 10);
        nak(6, 50, 4_000, sent - 4_000);
        assertThat(controller.overloadEpochs()).as("the next epoch").isEqualTo(2);
    }

    /** A refresh that comes in time keeps the sender from taking it for silence, again and again. */
    @Test
    void eachNakPutsTheSilenceOff() {
        send(1_000_000, 10 * MS);
        long consumed = 4_000;
        for (int i = 0; i < 20; i++) {
            nak(1, 75, 6_000, consumed); // it has stopped, which its second NAK tells
            send(0, MS + MS / 8);
            if (i > 0) {
                assertThat(limiter.rate()).as("round " + i).isZero();
            }
        }
        send(0, MS / 2);
        assertThat(limiter.rate()).as("silence since the last").isPositive();
    }

    /** The sign: an overloaded receiver slows the sender down. */
    @ParameterizedTest
    @ValueSource(strings = {"ADAPTIVE", "AIMD", "CUBIC", "LADDER"})
    void theFirstNakLowersTheRateAtOnce(String control) {
        controller = build(
                NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.valueOf(control)));
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        assertThat(limiter.rate()).isLessThan(900_000).isGreaterThan(100_000);
        assertThat(controller.engagements()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ADAPTIVE", "AIMD", "CUBIC", "LADDER"})
    void silenceRaisesTheRateUntilItLimitsNobody(String control) {
        controller = build(
                NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.valueOf(control)));
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        double low = limiter.rate();
        send(100_000, 300 * MS);
        assertThat(limiter.rate()).isGreaterThan(low);
        assertThat(controller.isLimited()).isFalse();
        assertThat(controller.releases()).isEqualTo(1);
    }

    /** The limit goes once it has bound nobody for four epochs in a row. Those before a NAK do not count. */
    @Test
    void aNakPutsOffTheEndOfALimitThatBindsNobody() {
        controller =
                build(NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.AIMD));
        controller.startLimited(1_000);
        send(0, 3 * MS + MS / 2); // three epochs
        assertThat(controller.isLimited()).isTrue();
        nak(1, 50, 4_000, sent);
        send(0, 4 * MS); // three more
        assertThat(controller.isLimited()).isTrue();
        send(0, MS / 2);
        assertThat(controller.isLimited()).isFalse();
    }

    /** As above. Those of a limit that was lifted before do not count either. */
    @Test
    @Timeout(60)
    void aLimitThatIsSetAgainStaysUntilItHasBoundNobodyForFourEpochs() {
        controller =
                build(NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.AIMD));
        for (int i = 1; i <= 2; i++) {
            controller.startLimited(1_000);
            send(0, 3 * MS + MS / 2); // three epochs
            assertThat(controller.isLimited()).as("limit %d", i).isTrue();
            send(0, MS);
            assertThat(controller.isLimited()).as("limit %d", i).isFalse();
        }
        assertThat(controller.releases()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ADAPTIVE", "AIMD", "CUBIC", "LADDER"})
    void repeatedNaksOfAnEpochDoNotCompound(String control) {
        controller = build(
                NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.valueOf(control)));
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        double once = limiter.rate();
        for (int i = 2; i < 20; i++) {
            clock.now += 1_000;
            nak(i, 50, 4_000, sent - 4_000);
        }
        assertThat(limiter.rate()).isEqualTo(once);
        assertThat(controller.overloadEpochs()).isEqualTo(1);
    }

    @Test
    void aStrongerNakUpgradesWithinTheWindow() {
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        double once = limiter.rate();
        clock.now += 10_000;
        nak(2, 87, 7_000, sent - 7_000);
        assertThat(limiter.rate()).isLessThanOrEqualTo(once).isPositive();
        clock.now += 10_000;
        nak(3, 100, 8_000, sent - 8_000);
        assertThat(limiter.rate()).isZero();
        clock.now += 10_000;
        nak(4, 50, 4_000, sent - 4_000);
        assertThat(limiter.rate()).isZero();
        assertThat(controller.overloadEpochs()).isEqualTo(1);
    }

    /** What one has said in a window counts in that window: later others are heard as before. */
    @Test
    void aStrongerNakUpgradesWithinAWindowThoughOneWasFullLongBefore() {
        controller =
                build(NakController.builder(inbox, limiter, () -> sent, clock).rateControl(RateControl.LADDER));
        send(1_000_000, 10 * MS);
        nak(1, 100, 8_000, sent - 8_000);
        send(200_000, 20 * MS);
        nak(2, 50, 4_000, sent - 4_000);
        double once = limiter.rate();
        clock.now += 10_000;
        assertThat(controller.windowNanos()).isGreaterThan(10_000);
        nak(3, 87, 7_000, sent - 7_000);
        assertThat(limiter.rate()).isPositive().isLessThan(once * 0.8);
    }

    /** One that is half full keeps speaking; the full one has a refresh time to speak again before the pause may end. */
    @Test
    void nobodyElseEndsThePauseOfAFullReceiver() {
        send(1_000_000, 10 * MS);
        long consumed = 4_000;
        for (int i = 0; i < 10; i++) {
            nak(1, 50, 4_000, consumed);
            send(200_000, MS / 4);
            consumed += 50;
        }
        nak(2, 100, 8_000, 2_000);
        for (int i = 0; i < 4; i++) {
            send(0, MS / 4);
            nak(1, 50, 4_000, consumed += 50);
            assertThat(limiter.rate()).as(i + " quarters after it").isZero();
        }
        send(0, MS / 2);
        nak(1, 50, 4_000, consumed += 50);
        assertThat(limiter.rate()).as("it has not refreshed").isPositive();

        nak(2, 100, 8_000, 2_100);
        assertThat(limiter.rate()).isZero();
        send(0, MS / 4);
        controller.leaveBehind(2);
        nak(1, 50, 4_000, consumed += 50);
        assertThat(limiter.rate()).as("it was left behind").isPositive();
    }

    /** Two are full within a window; the first has room again, the second has not. */
    @Test
    void asLongAsOneIsFullTheRoomOfAnotherEndsNoPause() {
        send(1_000_000, 10 * MS);
        nak(1, 100, 8_000, 2_000);
        clock.now += 10_000;
        nak(2, 100, 8_000, 2_000);
        clock.now += 10_000;
        nak(1, 50, 4_000, 6_000);
        assertThat(limiter.rate()).isZero();
        clock.now += 10_000;
        nak(2, 50, 4_000, 6_000);
        assertThat(controller.staleNaks()).isZero();
        clock.now += MS / 2;
        nak(2, 50, 4_000, 6_010);
        assertThat(limiter.rate()).isPositive();
        nak(3, 100, 8_000, 2_000);
        assertThat(limiter.rate()).isZero();
    }

    @Test
    void twoNaksOfAReceiverGiveItsServiceRate() {
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, 4_000);
        send(400_000, MS);
        nak(1, 50, 4_200, 4_500); // 500 in a millisecond
        assertThat(limiter.rate()).isCloseTo(AdaptiveAlgorithm.DRAIN * 500_000, within(5_000.0));
    }

    @Test
    void aStoppedReceiverPausesAndSilenceGoesOnCarefully() {
        send(1_000_000, 10 * MS);
        nak(1, 75, 6_000, 4_000);
        send(100_000, MS);
        nak(1, 75, 6_100, 4_000);
        assertThat(limiter.rate()).isZero();
        double room = 8_000 - 6_100;
        send(0, 2 * MS);
        assertThat(limiter.rate()).isPositive().isLessThanOrEqualTo(room / 4 * 1000 + 1);
    }

    @Test
    void twoReceiversTakingTurnsAsTheStrongest() {
        send(1_000_000, 10 * MS);
        long slow = 4_000;
        long fast = 4_000;
        for (int i = 0; i < 20; i++) {
            nak(1, 75, 6_000, slow);
            slow += 300;
            clock.now += MS / 2;
            nak(2, 75, 6_000, fast);
            fast += 600;
            clock.now += MS / 2;
        }
        assertThat(limiter.rate()).isLessThanOrEqualTo(300_000 * 1.01).isGreaterThan(100_000);
    }

    @Test
    void aStaleNakIsCountedAndIgnored() {
        send(1_000_000, 10 * MS);
        Nak old = new Nak().set(1, 1, 8_000, 8_000, 100, 3_000, sent, clock.now - 1_000, 1);
        nak(1, 50, 4_000, sent - 4_000);
        double rate = limiter.rate();
        inbox.naks.add(old);
        controller.doWork();
        assertThat(controller.staleNaks()).isEqualTo(1);
        assertThat(limiter.rate()).isEqualTo(rate);
    }

    @Test
    void aReceiverWhoseClockStepsBackIsHeardAgain() {
        send(1_000_000, 10 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        send(100_000, 20 * MS);
        inbox.naks.add(new Nak().set(1, 1, 8_000, 8_000, 100, 10, sent, 5, 1));
        controller.doWork();
        assertThat(controller.staleNaks()).isZero();
        assertThat(limiter.rate()).isZero();
    }

    @Test
    void unknownAndLeftBehindReceiversAreIgnored() {
        controller =
                build(NakController.builder(inbox, limiter, () -> sent, clock).knownReceivers(id -> id != 9));
        send(1_000_000, 10 * MS);
        nak(9, 100, 8_000, 0);
        controller.leaveBehind(3);
        nak(3, 100, 8_000, 0);
        assertThat(controller.isLimited()).isFalse();
        assertThat(controller.ignoredNaks()).isEqualTo(2);
        assertThat(controller.readmit(3)).isTrue();
        assertThat(controller.readmit(3)).isFalse();
        nak(3, 100, 8_000, 0);
        assertThat(limiter.rate()).isZero();
    }

    @Test
    void withOneTooManyLeftBehindTheFirstIsTakenBack() {
        for (int i = 0; i <= NakController.MAX_LEFT_BEHIND; i++) {
            controller.leaveBehind(i);
            controller.leaveBehind(i);
        }
        assertThat(controller.isLeftBehind(0)).isFalse();
        assertThat(controller.isLeftBehind(1)).isTrue();
        assertThat(controller.isLeftBehind(NakController.MAX_LEFT_BEHIND)).isTrue();
    }

    @Test
    void aReceiverThatKeepsEveryoneSlowIsNamedAndLeftBehind() {
        List<Long> named = new ArrayList<>();
        controller = build(NakController.builder(inbox, limiter, () -> sent, clock)
                .onSlowReceiver(20 * MS, (receiver, rate, nanos) -> {
                    named.add(receiver);
                    assertThat(nanos).isGreaterThanOrEqualTo(20 * MS);
                    assertThat(rate).isCloseTo(100_000, within(5_000.0));
                    return SlowReceiverHandler.Decision.LEAVE_BEHIND;
                }));
        send(1_000_000, 10 * MS);
        long consumed = 2_000;
        for (int i = 0; i < 40; i++) {
            nak(7, 75, 6_000, consumed);
            consumed += 100;
            send(100_000, MS);
        }
        assertThat(named).containsExactly(7L);
        assertThat(controller.isLeftBehind(7)).isTrue();
        assertThat(controller.ignoredNaks()).isPositive();
    }

    @Test
    void aFloodIsLookedAtInPortions() {
        inbox.junk = Long.MAX_VALUE;
        for (int i = 0; i < 100_000; i++) { // 100 ms, a doWork each microsecond
            clock.now += 1_000;
            controller.doWork();
        }
        assertThat(inbox.looked)
                .isBetween(99L * NakController.PACKETS_PER_MILLISECOND, 101L * NakController.PACKETS_PER_MILLISECOND);
    }

    @Test
    void aClockThatStepsBackOrWrapsChangesNothing() {
        clock.now = Long.MAX_VALUE - 5 * MS;
        controller = build(NakController.builder(inbox, limiter, () -> sent, clock));
        send(1_000_000, 10 * MS); // wraps
        nak(1, 50, 4_000, sent - 4_000);
        double rate = limiter.rate();
        assertThat(rate).isCloseTo(500_000, within(20_000.0));
        clock.now -= 1_000 * MS;
        controller.doWork();
        assertThat(limiter.rate()).isEqualTo(rate);
        send(100_000, 300 * MS);
        assertThat(controller.isLimited()).isFalse();
    }

    @Test
    void positionsMayOverflow() {
        sent = Long.MAX_VALUE - 10_000;
        controller = build(NakController.builder(inbox, limiter, () -> sent, clock));
        send(1_000_000, 8 * MS);
        nak(1, 50, 4_000, sent - 4_000);
        send(500_000, MS);
        send(500_000, 4 * MS); // past the end
        assertThat(sent).isNegative();
        nak(1, 50, 4_000, sent - 4_000);
        assertThat(limiter.rate()).isBetween(100_000.0, 1_000_000.0);
        assertThat(controller.staleNaks()).isZero();
    }

    @Test
    void aReceiverOfCapacityOne() {
        send(1_000, 10 * MS);
        sent += 1;
        inbox.naks.add(new Nak().set(1, 1, 1, 1, 100, sent - 1, sent, clock.now, 1));
        controller.doWork();
        assertThat(limiter.rate()).isZero();
        send(0, 30 * MS);
        assertThat(limiter.rate()).isPositive();
    }

    @Test
    void badSettingsAreRefused() {
        NakController.Builder builder = NakController.builder(inbox, limiter, () -> sent, clock);
        assertThatThrownBy(() -> builder.refreshNanos(999))
                .hasMessageContaining("refreshNanos must be from 1000 to 10000000000, but was 999");
        assertThatThrownBy(() -> builder.refreshNanos(10_000_000_001L)).hasMessageContaining("refreshNanos");
        assertThatThrownBy(() -> builder.onSlowReceiver(0, (r, m, n) -> SlowReceiverHandler.Decision.KEEP))
                .hasMessageContaining("afterNanos must be 1 or more, but was 0");
        for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> controller.startLimited(bad))
                    .hasMessageContaining("permitsPerSecond must be from 0.015625 to 100000000, but was " + bad);
        }
        assertThat(controller.isLimited()).isFalse();
    }

    /** As one that was closed, with a full receiver's NAK as the last thing that it brought. */
    @Test
    void aTransportThatThrowsKeepsNoSenderPausedForEver() {
        send(1_000_000, 10 * MS);
        nak(1, 100, 8_000, 2_000);
        assertThat(limiter.rate()).isZero();
        inbox.broken = new IllegalStateException("closed");
        int thrown = 0;
        for (int i = 0; i < 1_000; i++) {
            clock.now += MS;
            try {
                controller.doWork();
            } catch (IllegalStateException e) {
                assertThat(e).isSameAs(inbox.broken);
                thrown++;
            }
        }
        assertThat(thrown).as("the caller hears of each").isEqualTo(1_000);
        assertThat(controller.isLimited()).isFalse();
        assertThat(limiter.rate()).isInfinite();
    }

    // ---- times as durations

    @Test
    void theRefreshTimeMayBeADuration() {
        NakController.Builder builder = NakController.builder(inbox, limiter, () -> sent, clock);
        assertThat(builder.refreshTime(Duration.ofMillis(70)).build().epochNanos())
                .isEqualTo(builder.refreshNanos(70 * MS).build().epochNanos())
                .isEqualTo(70 * MS);
        assertThatThrownBy(() -> builder.refreshTime(Duration.ofNanos(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("refreshNanos must be from 1000 to 10000000000, but was 999");
        assertThatThrownBy(() -> builder.refreshTime(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("refreshNanos must be from 1000 to 10000000000, but was " + Long.MAX_VALUE);
        assertThatThrownBy(() -> builder.refreshTime(null)).hasMessageContaining("time");
    }

    /** As nanoseconds and as a duration, the same NAKs name the slow receiver at the same moment. */
    @Test
    void theTimeOfASlowReceiverMayBeADuration() {
        SlowReceiverHandler keep = (receiver, rate, nanos) -> SlowReceiverHandler.Decision.KEEP;
        List<Long> named = new ArrayList<>();
        SlowReceiverHandler names = (receiver, rate, nanos) -> {
            named.add(clock.now);
            return SlowReceiverHandler.Decision.LEAVE_BEHIND;
        };
        for (boolean duration : new boolean[] {false, true}) {
            clock.now = 0;
            sent = 0;
            RateLimiter own = RateLimiter.singleWriter(clock, 1024);
            NakController.Builder builder = NakController.builder(inbox, own, () -> sent, clock);
            controller = build(
                    duration
                            ? builder.onSlowReceiver(Duration.ofMillis(20), names)
                            : builder.onSlowReceiver(20 * MS, names));
            send(1_000_000, 10 * MS);
            for (int i = 0; i < 40; i++) {
                nak(7, 75, 6_000, 2_000 + 100L * i);
                send(100_000, MS);
            }
        }
        assertThat(named).hasSize(2);
        assertThat(named.get(1)).isEqualTo(named.get(0));
        NakController.Builder builder = NakController.builder(inbox, limiter, () -> sent, clock);
        assertThatThrownBy(() -> builder.onSlowReceiver(Duration.ZERO, keep))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("afterNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> builder.onSlowReceiver((Duration) null, keep)).hasMessageContaining("after");
    }
}
