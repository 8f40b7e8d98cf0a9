package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.Publication;
import io.aeron.exceptions.AeronException;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakTransport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A receiver whose neighbours fail: its sender while it is asked, its sink and the way back at once, Aeron when it is closed. */
class ReceiverTroubleTest {
    private static final int REPLAY = 8;

    private static AeronSender<long[]> sender(Harness harness, int stream, long first) {
        return AeronSender.<long[]>builder(harness.link, IPC, stream, ENCODER)
                .firstNumber(first)
                .build();
    }

    /** The one that was asked for what is missing has died before it answered. */
    @Test
    void aGapIsToldOnceAgainToTheSenderThatComesInPlaceOfTheOneThatWasAsked() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out first = harness.new Out(16, sender(harness, STREAM, 11));
            first.publish(11, 11);
            harness.runUntil(() -> receiver.held() > 0);
            harness.steps(20);
            assertThat(gaps(heard)).containsExactly("gap 1 to 10");
            first.ring.close();
            first.sender.close();
            Harness.Out second = harness.new Out(16, sender(harness, STREAM, 11)); // it begins too early, as it may
            second.publish(11, 12);
            harness.runUntil(() -> second.sender.count(SendResult.SENT) == 2);
            harness.runUntil(() -> gaps(heard).size() > 1);
            harness.steps(20);
            assertThat(gaps(heard)).containsOnly("gap 1 to 10").hasSizeBetween(2, 3); // the old session may go later
            Harness.Out replay = harness.new Out(16, sender(harness, REPLAY, 1));
            replay.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 12);
            assertThat(in.values).isEqualTo(numbers(1, 12));
        }
    }

    private static List<String> gaps(Heard heard) {
        return heard.all.stream().filter(text -> text.startsWith("gap")).toList();
    }

    /** What is said goes into a list, or fails. */
    private static final class Said implements NakTransport {
        final List<Boolean> farewells = new ArrayList<>();

        @Nullable
        Error error;

        boolean fails;

        @Override
        public boolean send(Nak nak) {
            if (fails && error != null) {
                throw error;
            }
            if (fails) {
                throw new IllegalStateException("the way back is refused");
            }
            farewells.add(nak.isFarewell());
            return true;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            return 0;
        }
    }

    private static LifeSigns signs(Harness.In in, NakTransport by) {
        long[] now = {0};
        return new LifeSigns(
                FillSource.of(in.ring, in.poller.consumer()), by, () -> now[0] += 10_000_000, 5, 3, 10_000_000);
    }

    /** An error of their own, and then the same one, as a program may have made it once for all. */
    @Test
    void anErrorOfTheSinkIsSeenThoughTheSignsFailWithAnErrorToo() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Said said = new Said();
            Error failure = new AssertionError("the sink's own failure");
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                said.fails = true;
                                throw failure;
                            },
                            new Heard())
                    .lifeSigns(signs(in, said))
                    .build();
            Harness.Out out = harness.new Out(16, sender(harness, STREAM, 1));
            out.publish(1, 1);
            for (Error own : List.of(new AssertionError("the way back is refused"), failure)) {
                said.error = own;
                said.fails = false;
                assertThatThrownBy(() -> harness.runUntil(() -> {
                            receiver.doWork();
                            return false;
                        }))
                        .isSameAs(failure)
                        .hasSuppressedException(new AssertionError("the way back is refused"));
            }
            said.fails = false;
            receiver.close();
        }
    }

    @Test
    void aFailureOfTheSinkIsSeenThoughSignsCannotBeSaidEither() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Said said = new Said();
            boolean[] fails = {false};
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                if (fails[0]) {
                                    throw new AssertionError("the sink's own failure");
                                }
                                return MessageSink.Taken.TAKEN;
                            },
                            new Heard())
                    .lifeSigns(signs(in, said))
                    .build();
            Harness.Out out = harness.new Out(16, sender(harness, STREAM, 1));
            out.publish(1, 1);
            harness.runUntil(() -> {
                receiver.doWork();
                return receiver.received() == 1;
            });
            fails[0] = true;
            out.publish(2, 2);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 2);
            said.fails = true;
            assertThatThrownBy(receiver::doWork)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("the sink's own failure")
                    .hasSuppressedException(new IllegalStateException("the way back is refused"));
            said.fails = false;
            int before = said.farewells.size();
            assertThatThrownBy(receiver::doWork)
                    .isInstanceOf(AssertionError.class)
                    .hasNoSuppressedExceptions();
            assertThat(said.farewells).as("the sender hears of it all the same").hasSizeGreaterThan(before);
            fails[0] = false;
            harness.runUntil(() -> {
                receiver.doWork();
                return receiver.received() == 2;
            });
            receiver.close();
        }
    }

    /** Its listener closes it at the first message, or when it hears that its one sender is gone. */
    private static AeronReceiver closedByItsListener(Harness harness, Harness.In in, boolean atTheFirst) {
        AeronReceiver[] receiver = {null};
        ReceiverListener listener = new ReceiverListener() {
            @Override
            public void onFirst(int sessionId, long number) {
                if (atTheFirst) {
                    receiver[0].close();
                }
            }

            @Override
            public void onUnavailable(int sessionId, String source, long position, boolean revoked) {
                receiver[0].close();
            }

            @Override
            public void onBadMessage(int sessionId, long number, Exception failure) {}
        };
        receiver[0] = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), listener)
                .build());
        return receiver[0];
    }

    @Test
    void aReceiverThatItsListenerClosesHoldsNoLaterSender() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            AeronReceiver receiver = closedByItsListener(harness, in, false);
            Harness.Out first = harness.new Out(16, sender(harness, STREAM, 1));
            first.publish(1, 3);
            harness.runUntil(() -> in.values.size() == 3);
            first.ring.close();
            first.sender.close();
            harness.runUntil(receiver::isDone);
            Harness.Out second = harness.new Out(16, sender(harness, STREAM, 4));
            second.publish(4, 4);
            harness.runUntil(() ->
                    second.sender.count(SendResult.NOT_CONNECTED) > 100 || second.sender.count(SendResult.SENT) > 0);
            assertThat(second.sender.count(SendResult.SENT))
                    .as("sent to a subscription that nobody reads")
                    .isZero();
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void aReceiverThatItsListenerClosesHandsOverNoMessageAnyMore() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            AeronReceiver receiver = closedByItsListener(harness, in, true);
            Harness.Out out = harness.new Out(16, sender(harness, STREAM, 1));
            out.publish(1, 3);
            harness.runUntil(receiver::isDone);
            harness.steps(20);
            assertThat(in.values).isEmpty();
            assertThat(receiver.received()).isZero();
            assertThat(harness.errors).isEmpty();
        }
    }

    /** Aeron's poll would hand the message out again. */
    @Test
    void aSinkThatRunsItsReceiverIsRefusedAndNothingIsHandedOverTwice() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            MessageSink sink = in.sink();
            AeronReceiver[] receiver = {null};
            List<String> refused = new ArrayList<>();
            receiver[0] = harness.receiver(AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, sessionId, number) -> {
                                try {
                                    receiver[0].doWork();
                                } catch (IllegalStateException e) {
                                    refused.add(e.getMessage());
                                }
                                return sink.onMessage(buffer, offset, length, sessionId, number);
                            },
                            new Heard())
                    .build());
            Harness.Out out = harness.new Out(16, sender(harness, STREAM, 1));
            out.publish(1, 3);
            harness.runUntil(() -> in.values.size() >= 3);
            harness.steps(20);
            assertThat(in.values).isEqualTo(numbers(1, 3));
            assertThat(receiver[0].received()).isEqualTo(3);
            assertThat(refused)
                    .hasSize(3)
                    .containsOnly("doWork must not be called from within a sink or listener that it calls, but was");
        }
    }

    @Test
    void aMessageInFragmentsForWhichThereIsNoMemoryStaysWithAeron() throws Exception {
        try (Child child = new Child(NoMemoryChild.class)) {
            assertThat(child.end()).as("status, of %s", child.lines).isZero();
            assertThat(child.lines).contains("no memory", "received [1, 2, 3]", "heard [available aeron:ipc, first 1]");
        }
    }

    /** Aeron lets nobody close a subscription from within its own callbacks. */
    @Test
    void aReceiverThatAeronDoesNotLetCloseHasSaidFarewellAllTheSameAndCanBeClosedLater() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Said said = new Said();
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .oneSender(1)
                            .fillGapsFrom(IPC, REPLAY)
                            .lifeSigns(signs(in, said))
                            .build());
            Harness.Out out = harness.new Out(16, sender(harness, STREAM, 1));
            out.publish(1, 1);
            harness.runUntil(() -> in.values.size() == 1);
            List<Throwable> thrown = new ArrayList<>();
            harness.link
                    .aeron()
                    .addSubscription(
                            IPC,
                            STREAM + 50,
                            image -> {
                                try {
                                    receiver.close();
                                } catch (AeronException e) {
                                    thrown.add(e);
                                }
                            },
                            image -> {});
            try (Publication other = harness.link.aeron().addPublication(IPC, STREAM + 50)) {
                harness.runUntil(() -> other.isConnected() && receiver.isDone());
            }
            assertThat(thrown).singleElement().satisfies(t -> assertThat(t).hasMessageContaining("reentrant"));
            assertThat(said.farewells).endsWith(true).containsOnlyOnce(true);
            assertThat(out.sender.publication().isConnected()).as("not closed").isTrue();
            receiver.close();
            harness.runUntil(() -> !out.sender.publication().isConnected());
        }
    }
}
