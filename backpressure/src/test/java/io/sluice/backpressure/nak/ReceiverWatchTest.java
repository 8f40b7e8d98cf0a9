package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.backpressure.rate.RateLimiter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receivers that say signs of life, in virtual time: a step is a millisecond, a sign is due each ten, and fifty of silence are too long. */
class ReceiverWatchTest {
    private static final long MS = 1_000_000;
    private static final long EVERY = 10 * MS;
    private static final long AFTER = 50 * MS;
    private static final long STREAM = 1;

    private final VirtualClock clock = new VirtualClock(Long.MAX_VALUE - 20 * MS); // wraps soon
    private final VirtualClock receiversClock = new VirtualClock(7);
    private final Wire wire = new Wire();
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Teller teller = new Teller();
    private final RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
    private long sent = 1_000_000;
    private NakController controller = watching(0).build();

    private NakController.Builder watching(long session) {
        return NakController.builder(wire, limiter, () -> sent, clock)
                .session(session)
                .onSilentReceiver(AFTER, teller);
    }

    private class Teller implements SilentReceiverHandler {
        @Override
        public void onSilent(long receiver, long position, long nanos) {
            told.add("silent " + receiver + " at " + position + " for " + nanos / MS);
        }

        @Override
        public void onReturn(long receiver, long position, long nanos) {
            told.add("back " + receiver + " at " + position + " after " + nanos / MS);
        }
    }

    /** What receivers say waits here until the controller looks. */
    private static final class Wire implements NakTransport {
        final ArrayDeque<Nak> packets = new ArrayDeque<>();
        boolean listening = true;
        boolean full;

        @Override
        public boolean send(Nak nak) {
            if (!full) {
                packets.add(new Nak().copy(nak));
            }
            return !full;
        }

        @Override
        public boolean isListening() {
            return listening;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            int looked = 0;
            for (; looked < limit && !packets.isEmpty(); looked++) {
                handler.onNak(packets.remove());
            }
            return looked;
        }
    }

    private final class Receiver implements FillSource {
        final long id;
        final LifeSigns signs;
        long fill;
        long consumed;
        long session;
        boolean runs = true;

        Receiver(long id) {
            this.id = id;
            signs = new LifeSigns(this, wire, receiversClock, STREAM, id, EVERY);
            receivers.add(this);
        }

        @Override
        public long capacity() {
            return 100;
        }

        @Override
        public long fill() {
            return fill;
        }

        @Override
        public long consumedPosition() {
            return consumed;
        }

        @Override
        public long newestPosition() {
            return consumed + fill;
        }

        @Override
        public long session() {
            return session;
        }
    }

    private void step(long nanos) {
        clock.now += nanos;
        receiversClock.now += nanos;
        for (Receiver receiver : receivers) {
            if (receiver.runs) {
                receiver.consumed++;
                receiver.signs.poll();
            }
        }
    }

    private void run(long millis) {
        for (int i = 0; i < millis; i++) {
            step(MS);
            controller.doWork();
        }
    }

    private Nak nak(long receiver, int level) {
        return new Nak().set(STREAM, receiver, 100, level, level, 10, 20, receiversClock.now, 1);
    }

    @Test
    void theOneThatIsStoppedIsNamedOnceAndSoIsItsReturn() {
        Receiver stopped = new Receiver(8);
        IntStream.range(0, 7).forEach(Receiver::new);
        run(1_001);
        assertThat(told).isEmpty();
        stopped.runs = false;
        run(49);
        assertThat(told).as("its last sign was said a moment ago").isEmpty();
        run(1);
        assertThat(told).containsExactly("silent 8 at 1001 for 50");
        assertThat(controller.silentReceivers()).isEqualTo(1);
        run(60_000);
        assertThat(told).as("left for good, and told once").hasSize(1);
        stopped.runs = true;
        run(1);
        assertThat(told).hasSize(2).last().isEqualTo("back 8 at 1002 after 60051");
        assertThat(controller.silentReceivers()).isZero();
        stopped.runs = false;
        run(100);
        assertThat(told).hasSize(3).last().isEqualTo("silent 8 at 1002 for 50");
        assertThat(controller.silences()).isEqualTo(2);
        assertThat(controller.receivedSigns()).isGreaterThan(7 * 6_000);
        assertThat(controller.isLimited()).as("signs are no NAKs").isFalse();
        assertThat(controller.receivedNaks()).isZero();
    }

    @Test
    void theTimeOfASilenceMayBeADuration() {
        NakController.Builder builder = NakController.builder(wire, limiter, () -> sent, clock);
        controller = builder.onSilentReceiver(Duration.ofMillis(70), teller).build();
        Receiver stopped = new Receiver(8);
        run(1_001);
        stopped.runs = false;
        run(69);
        assertThat(told).isEmpty();
        run(1);
        assertThat(told).containsExactly("silent 8 at 1001 for 70");
        assertThatThrownBy(() -> builder.onSilentReceiver(Duration.ofNanos(999), teller))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("afterNanos must be from 1000 to 3600000000000, but was 999");
        assertThatThrownBy(() -> builder.onSilentReceiver(Duration.ofHours(1).plusNanos(1), teller))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("afterNanos must be from 1000 to 3600000000000, but was 3600000000001");
        assertThatThrownBy(() -> builder.onSilentReceiver((Duration) null, teller))
                .hasMessageContaining("after");
    }

    @Test
    void severalThatStopAtOnceAreAllNamed() {
        IntStream.range(0, 5).forEach(Receiver::new);
        run(20);
        receivers.forEach(receiver -> receiver.runs = receiver.id == 3);
        run(100);
        assertThat(told).hasSize(4).allMatch(text -> text.matches("silent [0124] .*"));
        assertThat(controller.silentReceivers()).isEqualTo(4);
    }

    @Test
    void aLostSignIsNoSilenceAndANakIsASignToo() {
        Receiver receiver = new Receiver(1);
        run(20);
        receiver.runs = false;
        run(40);
        receiver.runs = true;
        run(20);
        receiver.runs = false;
        for (int i = 0; i < 10; i++) {
            run(40);
            wire.send(nak(1, 50));
        }
        assertThat(told).isEmpty();
        run(60);
        assertThat(told).hasSize(1);
        wire.send(nak(1, 50));
        run(1);
        assertThat(told).hasSize(2).last().asString().startsWith("back 1 at 10 ");
    }

    @Test
    void whoSaysOnlyNaksIsNotWatched() {
        wire.send(nak(1, 50));
        run(1_000);
        assertThat(told).isEmpty();
        assertThat(controller.receivedNaks()).isEqualTo(1);
    }

    @Test
    void aSignOfAFullReceiverSlowsNobody() {
        new Receiver(1).fill = 100;
        run(100);
        assertThat(controller.receivedSigns()).isPositive();
        assertThat(controller.isLimited()).isFalse();
    }

    // ---- farewell

    @Test
    void whoSaysFarewellIsNotMissed() {
        Receiver leaves = new Receiver(1);
        new Receiver(2);
        run(20);
        assertThat(leaves.signs.farewell()).isTrue();
        run(1_000);
        assertThat(told).isEmpty();
        assertThat(controller.watchedReceivers()).isEqualTo(1);
        assertThat(leaves.signs.poll()).as("it says nothing more").isZero();
        assertThat(leaves.signs.farewell()).as("said once").isFalse();
        receivers.remove(leaves);
        Receiver again = new Receiver(1);
        run(100);
        assertThat(controller.watchedReceivers()).isEqualTo(2);
        again.runs = false;
        run(100);
        assertThat(told).as("with the same id again it is watched again").hasSize(1);
        wire.send(
                new Nak().set(STREAM, 1, 100, 0, 1, 5, 5, receiversClock.now, 1).asSign(true));
        run(1_000);
        assertThat(told).as("a silent one may say farewell").hasSize(1);
        assertThat(controller.silentReceivers()).isZero();
    }

    @Test
    void aSignThatTheFarewellHasOvertakenDoesNotBringItBack() {
        Receiver leaves = new Receiver(1);
        run(20);
        Nak late =
                new Nak().set(STREAM, 1, 100, 0, 1, 5, 5, receiversClock.now, 1).asSign(false);
        receiversClock.now += 1;
        leaves.signs.farewell();
        run(10);
        wire.send(late);
        wire.send(nak(1, 50));
        run(1_000);
        assertThat(told).isEmpty();
        wire.send(late); // by a clock of its own, it may be another one that has begun
        run(100);
        assertThat(told).hasSize(1);
    }

    /** A clock that steps in microseconds or more gives both the same time, and a network may swap them. */
    @Test
    void aSignOfTheSameMomentAsTheFarewellDoesNotBringItBack() {
        Receiver leaves = new Receiver(1);
        run(20);
        Nak late =
                new Nak().set(STREAM, 1, 100, 0, 1, 5, 5, receiversClock.now, 1).asSign(false);
        leaves.signs.farewell();
        run(10);
        wire.send(late);
        run(1_000);
        assertThat(told).isEmpty();
        assertThat(controller.watchedReceivers()).isZero();
    }

    @Test
    void aFarewellOfANobodyIsNothing() {
        wire.send(nak(1, 50).asSign(true));
        run(1_000);
        assertThat(told).isEmpty();
        Receiver never = new Receiver(1);
        assertThat(never.signs.farewell()).as("nobody knows it").isFalse();
        assertThat(wire.packets).isEmpty();
    }

    // ---- who is watched

    @Test
    void whoIsLeftBehindIsWatchedAgainWhenItIsReadmitted() {
        Receiver left = new Receiver(1);
        run(20);
        controller.leaveBehind(1);
        left.runs = false;
        run(1_000);
        left.runs = true;
        run(100);
        left.runs = false;
        run(100);
        assertThat(told).isEmpty();
        controller.readmit(1);
        left.runs = true;
        run(20);
        left.runs = false;
        run(100);
        assertThat(told).hasSize(1);
        controller.leaveBehind(1);
        assertThat(controller.silentReceivers()).isZero();
        left.runs = true;
        run(100);
        assertThat(told).as("it does not come back").hasSize(1);
    }

    @Test
    void theUnknownAreNotWatched() {
        controller = watching(0).knownReceivers(receiver -> receiver != 1).build();
        new Receiver(1).signs.poll();
        new Receiver(2).signs.poll();
        receivers.forEach(receiver -> receiver.runs = false);
        run(100);
        assertThat(told).containsExactly("silent 2 at 0 for 50");
    }

    /** The handler takes away rows that are still to be looked at, and rows that have been. */
    @Test
    void theHandlerMayLeaveReceiversBehind() {
        for (int first = 0; first < 5; first++) {
            told.clear();
            receivers.clear();
            int leaver = first;
            controller = NakController.builder(wire, limiter, () -> sent, clock)
                    .onSilentReceiver(AFTER, (receiver, position, nanos) -> {
                        told.add("silent " + receiver);
                        if (receiver == leaver) {
                            IntStream.range(0, 5).forEach(controller::leaveBehind);
                        }
                    })
                    .build();
            IntStream.range(0, 5).forEach(Receiver::new);
            run(20);
            receivers.forEach(receiver -> receiver.runs = false);
            run(1_000);
            assertThat(told).contains("silent " + leaver).doesNotHaveDuplicates();
            assertThat(controller.silentReceivers()).isZero();
            receivers.forEach(receiver -> receiver.runs = true);
            run(1_000);
            assertThat(told).doesNotHaveDuplicates();
        }
    }

    @Test
    void whatTheHandlerThrowsReachesTheCallerAndTheOthersAreStillTold() {
        controller = NakController.builder(wire, limiter, () -> sent, clock)
                .onSilentReceiver(AFTER, (receiver, position, nanos) -> {
                    told.add("silent " + receiver);
                    throw new IllegalStateException("mine " + receiver);
                })
                .build();
        IntStream.range(0, 3).forEach(Receiver::new);
        run(20);
        receivers.forEach(receiver -> receiver.runs = false);
        int thrown = 0;
        for (int i = 0; i < 100; i++) {
            try {
                run(1);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageStartingWith("mine ");
                thrown++;
            }
        }
        assertThat(thrown).isEqualTo(3);
        assertThat(told).containsExactlyInAnyOrder("silent 0", "silent 1", "silent 2");
    }

    @Test
    void thereIsRoomForSoManyAndForAFurtherOneOnceOneIsMissing() {
        wire.packets.clear();
        for (long id = 0; id <= NakController.MAX_WATCHED; id++) {
            wire.send(nak(id, 1).asSign(false));
            run(1);
        }
        assertThat(controller.unwatchedSigns())
                .as("those silent by then made room")
                .isZero();
        told.clear();
        controller = watching(0).build();
        for (int round = 0; round < 2; round++) {
            for (long id = 0; id <= NakController.MAX_WATCHED; id++) {
                wire.send(nak(id, 1).asSign(false));
                if (id % 30 == 29) {
                    run(1);
                }
            }
            run(4);
        }
        assertThat(controller.unwatchedSigns()).isEqualTo(2);
        run(100);
        assertThat(told).hasSize(NakController.MAX_WATCHED);
        assertThat(controller.silentReceivers()).isEqualTo(NakController.MAX_WATCHED);
        wire.send(nak(NakController.MAX_WATCHED, 1).asSign(false));
        run(1);
        assertThat(controller.silentReceivers()).isEqualTo(NakController.MAX_WATCHED - 1);
        run(100);
        assertThat(told).last().isEqualTo("silent " + NakController.MAX_WATCHED + " at 10 for 50");
    }

    /** Everybody but those below the first id says a sign. */
    private void signsFrom(long first) {
        for (long id = first; id < NakController.MAX_WATCHED; id++) {
            wire.send(nak(id, 1).asSign(false));
            if (id % 30 == 29) {
                run(1);
            }
        }
        run(1);
    }

    @Test
    void theOneThatIsMissingForLongestMakesRoom() {
        signsFrom(0);
        signsFrom(1);
        signsFrom(2);
        signsFrom(2);
        signsFrom(2);
        assertThat(told).containsExactly("silent 0 at 10 for 50", "silent 1 at 10 for 50");
        wire.send(nak(5_000, 1).asSign(false)); // takes the place of 0
        wire.send(nak(1, 1).asSign(false));
        wire.send(nak(0, 1).asSign(false));
        run(1);
        assertThat(told).hasSize(3).last().asString().startsWith("back 1 ");
        assertThat(controller.unwatchedSigns()).as("nobody is missing now").isEqualTo(1);
        wire.send(nak(2, 1).asSign(true));
        run(1);
        assertThat(controller.watchedReceivers()).isEqualTo(NakController.MAX_WATCHED - 1);
        wire.send(nak(0, 1).asSign(false)); // takes the place of the one that has left
        run(1);
        assertThat(controller.unwatchedSigns()).isEqualTo(1);
        assertThat(controller.watchedReceivers()).isEqualTo(NakController.MAX_WATCHED);
        assertThat(told).hasSize(3);
    }

    /** Packets wait all the time between the return and its report, so that nobody is told of anything meanwhile. */
    @Test
    @Timeout(60)
    void whoIsLeftBehindWhenItsReturnIsToldIsNotNamedSilentForGood() {
        controller = NakController.builder(wire, limiter, () -> sent, clock)
                .onSilentReceiver(AFTER, new SilentReceiverHandler() {
                    @Override
                    public void onSilent(long receiver, long position, long nanos) {
                        teller.onSilent(receiver, position, nanos);
                    }

                    @Override
                    public void onReturn(long receiver, long position, long nanos) {
                        teller.onReturn(receiver, position, nanos);
                        controller.leaveBehind(receiver); // it comes and goes
                    }
                })
                .build();
        Receiver unsteady = new Receiver(1);
        run(101);
        unsteady.runs = false;
        run(100);
        assertThat(told).containsExactly("silent 1 at 101 for 50");
        wire.send(nak(1, 1).asSign(false)); // it is back
        for (int i = 0; i < 60 * NakController.PACKETS_PER_MILLISECOND; i++) {
            wire.send(nak(2, 50).asEcho());
        }
        run(200);
        assertThat(wire.packets).isEmpty();
        assertThat(told).hasSize(2).last().asString().startsWith("back 1 ");
        assertThat(controller.isLeftBehind(1)).isTrue();
        assertThat(controller.watchedReceivers()).isZero();
        assertThat(controller.silentReceivers()).isZero();
        assertThat(controller.silences()).isEqualTo(1);
    }

    // ---- when it is the sender

    @Test
    void aSenderThatStoodStillNamesNobodyForIt() {
        Receiver stopped = new Receiver(1);
        new Receiver(2);
        run(100);
        stopped.runs = false;
        for (int i = 0; i < 1_000; i++) {
            step(MS); // the sender does nothing, and what is said waits
        }
        controller.doWork();
        assertThat(told).isEmpty();
        run(10);
        assertThat(told).isEmpty();
        run(40);
        assertThat(told).singleElement().asString().startsWith("silent 1 ");
    }

    @Test
    void aSenderThatIsRunSeldomNamesLaterButDoesName() {
        Receiver stopped = new Receiver(1);
        new Receiver(2);
        run(100);
        stopped.runs = false;
        for (int i = 0; i < 10; i++) {
            step(AFTER);
            controller.doWork();
        }
        assertThat(told).singleElement().asString().startsWith("silent 1 ");
    }

    @Test
    void whileNothingCanBeHeardNobodyIsSilent() {
        Receiver receiver = new Receiver(1);
        run(101);
        receiver.runs = false;
        run(40);
        wire.listening = false;
        run(1_000);
        wire.listening = true;
        run(49);
        assertThat(told).as("the silence begins anew").isEmpty();
        run(1);
        assertThat(told).containsExactly("silent 1 at 101 for 50");
    }

    @Test
    void whilePacketsWaitNobodyIsSilent() {
        Receiver receiver = new Receiver(1);
        run(100);
        receiver.runs = false;
        for (int i = 0; i < 60 * NakController.PACKETS_PER_MILLISECOND; i++) {
            wire.send(nak(2, 50).asEcho());
        }
        wire.send(nak(1, 1).asSign(false)); // behind the flood
        run(59);
        assertThat(wire.packets).isNotEmpty();
        assertThat(told).isEmpty();
        run(10);
        assertThat(wire.packets).isEmpty();
        assertThat(told).isEmpty();
        run(100);
        assertThat(told).hasSize(1);
    }

    @Test
    void aSenderThatStartsAgainWatchesWhomItHearsAndKnowsPositionsOfItsSessionOnly() {
        Receiver notices = new Receiver(1);
        Receiver doesNot = new Receiver(2);
        run(100);
        controller = watching(77).build();
        run(20);
        notices.session = 77;
        notices.consumed = 5;
        run(20);
        notices.runs = false;
        doesNot.runs = false;
        run(100);
        assertThat(told)
                .hasSize(2)
                .anyMatch(text -> text.matches("silent 1 at (1|2)\\d for 50"))
                .contains("silent 2 at -1 for 50");
    }

    @Test
    void anotherOneWithTheSameIdComesBackInItsPlace() {
        Receiver dies = new Receiver(1);
        run(101);
        receivers.remove(dies);
        run(100);
        receiversClock.now = -5_000 * MS; // of another machine
        Receiver successor = new Receiver(1);
        run(100);
        assertThat(told).hasSize(2).last().isEqualTo("back 1 at 1 after 101");
        successor.runs = false;
        run(100);
        assertThat(told).hasSize(3).last().asString().startsWith("silent 1 ");
    }

    @Test
    void signsArePassedOverUnlessTheyAreWanted() {
        controller = NakController.builder(wire, limiter, () -> sent, clock).build();
        Receiver receiver = new Receiver(1);
        run(100);
        receiver.runs = false;
        run(100);
        controller.leaveBehind(1);
        assertThat(told).isEmpty();
        assertThat(controller.receivedSigns()).isPositive();
        assertThat(controller.silences() + controller.silentReceivers() + controller.unwatchedSigns())
                .isZero();
    }

    // ---- signs

    @Test
    void aSignIsSaidAtOnceThenAtItsIntervalAndAgainWhenItWasRefused() {
        Receiver receiver = new Receiver(1);
        assertThat(receiver.signs.poll()).isEqualTo(1);
        receiversClock.now += EVERY - 1;
        assertThat(receiver.signs.poll()).isZero();
        receiversClock.now += 1;
        wire.full = true;
        assertThat(receiver.signs.poll()).isZero();
        wire.full = false;
        assertThat(receiver.signs.poll()).isEqualTo(1);
        assertThat(receiver.signs.poll()).isZero();
        receiversClock.now -= 1;
        assertThat(receiver.signs.poll()).as("its clock stepped back").isEqualTo(1);
        assertThat(receiver.signs.sentSigns()).isEqualTo(3);
        assertThat(receiver.signs.refusedSigns()).isEqualTo(1);
    }

    @Test
    void aSignSaysHowItStands() {
        Receiver receiver = new Receiver(9);
        receiver.fill = 120; // a little off, as values are that are read without a lock
        receiver.consumed = 33;
        receiver.session = 4;
        receiver.signs.poll();
        assertThat(wire.packets.remove())
                .hasToString(
                        "Alive[stream 1, session 4, receiver 9, level 0 %, fill 100 of 100, consumed 33, newest 153, time 7, senders 1]");
        receiver.fill = -1;
        receiver.signs.farewell();
        assertThat(wire.packets.remove())
                .hasToString(
                        "Farewell[stream 1, session 4, receiver 9, level 0 %, fill 0 of 100, consumed 33, newest 32, time 7, senders 1]");
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() ->
                        NakController.builder(wire, limiter, () -> 0, clock).onSilentReceiver(999, teller))
                .hasMessage("afterNanos must be from 1000 to 3600000000000, but was 999");
        assertThatThrownBy(() ->
                        NakController.builder(wire, limiter, () -> 0, clock).onSilentReceiver(AFTER, null))
                .hasMessageContaining("handler");
        assertThatThrownBy(() -> new LifeSigns(new Receiver(1), wire, clock, STREAM, 1, 0))
                .hasMessage("everyNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> new LifeSigns(new Receiver(1), null, clock, STREAM, 1, 1))
                .hasMessageContaining("transport");
    }

    @Test
    void thoseThatAreSilentNowAreShownWithWhatIsKnownNow() {
        Receiver first = new Receiver(1);
        Receiver second = new Receiver(2);
        new Receiver(3);
        run(20);
        first.runs = false;
        second.runs = false;
        run(70);
        told.clear();
        controller.forEachSilent(teller);
        assertThat(told).hasSize(2).allMatch(text -> text.matches("silent [12] at [0-9]+ for (6|7)[0-9]"));
        second.runs = true;
        run(20);
        told.clear();
        controller.forEachSilent(teller);
        assertThat(told).hasSize(1).allMatch(text -> text.matches("silent 1 at [0-9]+ for (8|9)[0-9]"));
        controller.leaveBehind(1);
        told.clear();
        controller.forEachSilent(teller);
        assertThat(told).isEmpty();
        assertThatThrownBy(() -> controller.forEachSilent(null)).hasMessageContaining("shown");
    }
}
