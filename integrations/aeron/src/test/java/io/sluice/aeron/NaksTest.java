package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.NAKS;
import static io.sluice.aeron.Harness.NAK_STREAM;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.Counter;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.NakSuppression;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.nak.SilentReceiverHandler;
import io.sluice.backpressure.nak.SlowReceiverHandler.Decision;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.CachedNanoClock;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** NAKs on an Aeron stream, and what they do to a sender. Time is the test's own: a step is ten microseconds. */
@Tag("once")
class NaksTest {
    private static final long REFRESH = 1_000_000;
    private static final long STEP = 10_000;

    /** The longest time that a receiver of a group waits for others to speak: 20 steps. */
    private static final long BACK_OFF = 200_000;

    /** Steps of silence after which a receiver is named: it says a sign of life each hundred. */
    private static final int SILENT = 500;

    private final CachedNanoClock clock = new CachedNanoClock();
    private long now;

    private void step(Harness harness) {
        now += STEP;
        clock.update(now);
        harness.step();
    }

    private static Nak nak(long session, long receiver) {
        return new Nak().set(NAK_STREAM, receiver, 100, 80, 75, 10, 20, 1, 1).session(session);
    }

    private static List<String> hear(Harness harness, AeronNakTransport at, int atLeast) {
        List<String> heard = new ArrayList<>();
        harness.runUntil(() -> {
            at.receive(nak -> heard.add(nak.toString()), 10);
            return heard.size() >= atLeast;
        });
        return heard;
    }

    @Test
    void aNakAboutOneOfTheSendersSessionsArrivesWithSessionZero() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            harness.runUntil(sender::open);
            int first = sender.sessionId();
            AeronNakTransport at = AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, sender);
            AeronNakTransport from = AeronNakTransport.atReceiver(harness.link, IPC, NAKS, NAK_STREAM);
            assertThat(at.isGroup() || from.isGroup()).isFalse();
            at.receive(nak -> {}, 1);
            harness.runUntil(() -> {
                at.receive(nak -> {}, 1);
                return from.send(nak(AeronNakTransport.session(first), 1));
            });
            assertThat(from.refused()).as("those before it was open").isPositive();
            Nak mine = nak(AeronNakTransport.session(first), 2);
            assertThat(from.send(mine)).isTrue();
            assertThat(mine.session()).as("left as it was").isEqualTo(AeronNakTransport.session(first));
            assertThat(from.send(nak(AeronNakTransport.session(first + 1), 3))).isTrue();
            assertThat(hear(harness, at, 2))
                    .extracting(text -> text.replaceAll(".*(session -?\\d+, receiver \\d).*", "$1"))
                    .contains("session 0, receiver 2")
                    .contains("session " + AeronNakTransport.session(first + 1) + ", receiver 3");
            from.close();
            at.close();
            assertThat(from.send(mine)).isFalse();
            sender.close();
        }
    }

    @Test
    void whatIsNoNakOfTheStreamIsCountedAndIgnored() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            AeronNakTransport at = AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, sender);
            Publication any = harness.link.aeron().addPublication(IPC, NAKS);
            harness.runUntil(() -> {
                at.receive(nak -> {}, 1);
                return any.isConnected();
            });
            UnsafeBuffer good = new UnsafeBuffer(ByteBuffer.allocateDirect(200));
            nak(0, 1).encode(good.byteBuffer(), 0);
            assertThat(any.offer(good, 0, 5)).isPositive();
            assertThat(any.offer(good, 0, 81)).isPositive();
            assertThat(any.offer(good, 0, 200)).isPositive();
            assertThat(any.offer(new UnsafeBuffer(new byte[80]), 0, 80)).isPositive();
            nak(0, 1).set(NAK_STREAM + 1, 1, 100, 80, 75, 10, 20, 1, 1).encode(good.byteBuffer(), 0);
            assertThat(any.offer(good, 0, 80)).isPositive();
            nak(0, 7).encode(good.byteBuffer(), 0);
            assertThat(any.offer(good, 0, 80)).isPositive();
            assertThat(hear(harness, at, 1)).singleElement().asString().contains("receiver 7");
            assertThat(at.packets(Nak.DecodeResult.TRUNCATED)).isEqualTo(1);
            assertThat(at.packets(Nak.DecodeResult.OVERSIZED)).isEqualTo(2);
            assertThat(at.packets(Nak.DecodeResult.FOREIGN)).isEqualTo(1);
            assertThat(at.packets(Nak.DecodeResult.OTHER_STREAM)).isEqualTo(1);
            assertThat(at.packets(Nak.DecodeResult.ACCEPTED)).isEqualTo(1);
            at.close();
        }
    }

    @Test
    void whatTheHandlerThrowsReachesTheCallerOnceAndTheNextNakComes() throws Exception {
        try (Harness harness = new Harness()) {
            AeronNakTransport group = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, null);
            assertThat(group.isGroup()).isTrue();
            group.receive(nak -> {}, 1);
            harness.runUntil(() -> {
                group.receive(nak -> {}, 1);
                return group.send(nak(0, 1));
            });
            group.send(nak(0, 2));
            assertThatThrownBy(() -> harness.runUntil(() -> group.receive(
                                    nak -> {
                                        throw new IllegalStateException("mine");
                                    },
                                    10)
                            > 10))
                    .hasMessage("mine");
            assertThat(harness.errors).isEmpty();
            assertThat(hear(harness, group, 1)).singleElement().asString().contains("receiver 2");
            group.close();
        }
    }

    @Test
    void anErrorOfTheHandlerReachesTheCaller() throws Exception {
        try (Harness harness = new Harness()) {
            AeronNakTransport group = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, null);
            harness.runUntil(() -> {
                group.receive(nak -> {}, 1);
                return group.send(nak(0, 1));
            });
            assertThatThrownBy(() -> harness.runUntil(() -> group.receive(
                                    nak -> {
                                        throw new StackOverflowError("mine");
                                    },
                                    10)
                            > 10))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(harness.errors).isEmpty();
            group.close();
        }
    }

    @Test
    void aClosedEndOpensNothingAgain() throws Exception {
        try (Harness harness = new Harness()) {
            AeronNakTransport group = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, null);
            harness.runUntil(() -> {
                group.receive(nak -> {}, 1);
                return group.send(nak(0, 1));
            });
            group.close();
            List<String> heard = new ArrayList<>();
            Subscription other = harness.link.aeron().addSubscription(IPC, NAKS);
            for (int i = 0; i < 1_000; i++) {
                assertThat(group.send(nak(0, 2))).isFalse();
                assertThat(group.receive(nak -> heard.add(nak.toString()), 1)).isZero();
                harness.step();
            }
            assertThat(other.imageCount()).as("nobody says NAKs any more").isZero();
            assertThat(heard).isEmpty();
            group.close();
        }
    }

    @Test
    void anEchoNamesTheSessionThatTheReceiverHasNamed() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            harness.runUntil(sender::open);
            AeronNakTransport at = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, sender);
            AeronNakTransport other = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, null);
            NakController controller = NakController.builder(
                            at, RateLimiter.singleWriter(clock, 64), sender::position, clock)
                    .refreshNanos(REFRESH)
                    .build();
            controller.leaveBehind(1);
            List<String> echoes = new ArrayList<>();
            other.receive(nak -> {}, 1);
            harness.runUntil(() -> {
                step(harness);
                controller.doWork();
                other.send(nak(AeronNakTransport.session(sender.sessionId()), 1));
                other.receive(nak -> echoes.add(nak.toString()), 10);
                return echoes.stream().anyMatch(text -> text.startsWith("Echo"));
            });
            assertThat(echoes)
                    .filteredOn(text -> text.startsWith("Echo"))
                    .allMatch(text ->
                            text.contains("session " + AeronNakTransport.session(sender.sessionId()) + ", receiver 1"));
            assertThat(controller.ignoredNaks()).isPositive();
            harness.runUntil(
                    () -> { // and none where the receiver has named none, also behind one that has
                        step(harness);
                        controller.doWork();
                        other.send(nak(0, 1));
                        other.receive(nak -> echoes.add(nak.toString()), 10);
                        return echoes.stream()
                                .anyMatch(text -> text.startsWith("Echo") && text.contains("session 0, receiver 1"));
                    });
            at.close();
            other.close();
            sender.close();
        }
    }

    /** A source of as many messages as it may send, receivers of different speeds, and the NAKs between them. */
    private final class Chain {
        final Harness harness = new Harness(context -> context.ipcTermBufferLength(256 * 1024));
        final Harness.Out out = harness
        .new Out(
                1_024,
                AeronSender.<long[]>builder(harness.link, CHANNEL, STREAM, ENCODER)
                        .build());
        final RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
        final boolean group;
        final NakController controller;
        final PacedPublisher<Long> publisher;
        final List<Slow> receivers = new ArrayList<>();
        final List<Long> slow = new ArrayList<>();
        final List<String> silent = new ArrayList<>();
        long sent;

        static final String CHANNEL = "aeron:ipc?term-length=256k";

        Chain(Decision decision) {
            this(decision, false);
        }

        /** With a group, receivers hear each other, and each stands behind a suppression. */
        Chain(Decision decision, boolean group) {
            this.group = group;
            AeronNakTransport heard = group
                    ? AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, out.sender)
                    : AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, out.sender);
            controller = NakController.builder(heard, limiter, out.sender::position, clock)
                    .refreshNanos(REFRESH)
                    .onSlowReceiver(20 * REFRESH, (receiver, rate, nanos) -> {
                        slow.add(receiver);
                        return decision;
                    })
                    .onSilentReceiver(SILENT * STEP, new SilentReceiverHandler() {
                        @Override
                        public void onSilent(long receiver, long position, long nanos) {
                            silent.add(receiver + " silent at " + position);
                        }

                        @Override
                        public void onReturn(long receiver, long position, long nanos) {
                            silent.add(receiver + " back at " + position);
                        }
                    })
                    .build();
            publisher = PacedPublisher.on(
                    limiter, 16, NoOpIdleStrategy.INSTANCE, out.producer, (event, sequence, value) -> event[0] = value);
        }

        /** A receiver that handles so many messages every so many steps. */
        Slow receiver(long id, int messages, int steps) {
            return added(new Slow(this, id, messages, steps, false));
        }

        /** One that drops what does not fit, so that it holds nobody. */
        Slow dropping(long id, int messages, int steps) {
            return added(new Slow(this, id, messages, steps, true));
        }

        private Slow added(Slow receiver) {
            receivers.add(receiver);
            return receiver;
        }

        void begin() {
            harness.runUntil(
                    () -> out.sender.open() && receivers.stream().allMatch(receiver -> receiver.agent.isConnected()));
        }

        /** One message is wanted a step, 100,000 a second. */
        void run(int steps) {
            for (int i = 0; i < steps; i++) {
                step(harness);
                controller.doWork();
                if (out.producer.claimedFrom()
                                        - out.pipeline
                                                .consumers()
                                                .get(0)
                                                .sequence()
                                                .get()
                                < 900
                        && publisher.tryPublish(sent + 1)) {
                    sent++;
                }
                publisher.tryFlush();
                for (Slow receiver : receivers) {
                    receiver.handle(i);
                }
            }
        }

        void runUntil(BooleanSupplier condition) {
            harness.runUntil(() -> {
                run(1);
                return condition.getAsBoolean();
            });
        }
    }

    private final class Slow {
        final Harness.In in;
        final AeronReceiver agent;
        final FillMonitor monitor;
        final LifeSigns signs;
        final NakSuppression suppression;
        final int steps;
        int messages;

        Slow(Chain chain, long id, int messages, int steps, boolean drops) {
            this.messages = messages;
            this.steps = steps;
            in = chain.harness.new In(512);
            in.polls = false;
            RingSink<long[]> sink = drops
                    ? RingSink.dropping(
                            DroppingProducer.dropNewest(in.producer, new long[1], event -> {}), Harness.DECODER)
                    : RingSink.waiting(in.producer, Harness.DECODER);
            AeronLink link = chain.harness.link;
            AeronNakTransport end = chain.group
                    ? AeronNakTransport.inGroup(link, IPC, NAKS, NAK_STREAM, null)
                    : AeronNakTransport.atReceiver(link, IPC, NAKS, NAK_STREAM);
            suppression = new NakSuppression(end, clock, id, 2, BACK_OFF, id);
            NakTransport says = chain.group ? suppression : end;
            FillSource fill = sink.fillSource(in.ring, in.poller.consumer());
            monitor = new FillMonitor(fill, says, clock, NAK_STREAM, id, REFRESH);
            signs = new LifeSigns(fill, says, clock, NAK_STREAM, id, REFRESH);
            agent = chain.harness.receiver(
                    AeronReceiver.builder(chain.harness.link, Chain.CHANNEL, STREAM, sink, new Heard())
                            .monitor(monitor)
                            .lifeSigns(signs)
                            .build());
            if (chain.group) {
                chain.harness.agent(new Agent() {
                    @Override
                    public int doWork() {
                        return suppression.receive(nak -> {}, 100) + suppression.poll();
                    }

                    @Override
                    public String roleName() {
                        return "suppression";
                    }
                });
            }
        }

        void handle(int step) {
            if (messages > 0 && step % steps == 0) {
                in.poll(messages);
            }
        }
    }

    /** Its sender is to hear of it all the more. */
    @Test
    void naksAndSignsOfLifeGoOnWhileTheRingBehindTheReceiverFailsEachMessage() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            Harness.Out out = harness.new Out(64, sender);
            Harness.In in = harness.new In(16);
            in.polls = false;
            boolean[] fails = {false};
            RingSink<long[]> sink =
                    RingSink.waiting(ReceiverTest.failing(in.producer, "tryNext", fails), Harness.DECODER);
            AeronNakTransport at = AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, sender);
            AeronNakTransport says = AeronNakTransport.atReceiver(harness.link, IPC, NAKS, NAK_STREAM);
            FillSource fill = sink.fillSource(in.ring, in.poller.consumer());
            FillMonitor monitor = new FillMonitor(fill, says, clock, NAK_STREAM, 1, REFRESH);
            LifeSigns signs = new LifeSigns(fill, says, clock, NAK_STREAM, 1, REFRESH);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, new Heard())
                            .monitor(monitor)
                            .lifeSigns(signs)
                            .build());
            Runnable turn = () -> {
                step(harness);
                at.receive(nak -> {}, 10);
            };
            out.publish(1, 16);
            harness.runUntil(() -> {
                turn.run();
                return monitor.sentNaks() > 0 && signs.sentSigns() > 0;
            });
            assertThat(receiver.received()).isEqualTo(16);
            fails[0] = true;
            out.publish(17, 17);
            harness.runUntil(() -> harness.errors.size() > 1);
            long naks = monitor.sentNaks();
            long said = signs.sentSigns();
            int failures = harness.errors.size();
            for (int i = 0; i < 10 * REFRESH / STEP; i++) {
                turn.run();
            }
            assertThat(harness.errors.size() - failures)
                    .as("it fails each time")
                    .isEqualTo((int) (10 * REFRESH / STEP));
            assertThat(monitor.sentNaks()).as("NAKs").isBetween(naks + 5, naks + 15);
            assertThat(signs.sentSigns()).as("signs of life").isBetween(said + 5, said + 15);
            fails[0] = false;
            in.polls = true;
            harness.runUntil(() -> in.values.size() == 17);
            assertThat(harness.errors).allSatisfy(e -> assertThat(e).hasMessage("tryNext is mine"));
            at.close();
            says.close();
        }
    }

    @Test
    void aSlowReceiverSlowsTheSourceDownBeforeItsRingIsFullAndNothingIsLost() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            Slow slow = chain.receiver(1, 1, 4);
            chain.begin();
            chain.run(40_000);
            assertThat(chain.controller.isLimited()).isTrue();
            assertThat(chain.controller.engagements()).isPositive();
            assertThat(slow.monitor.sentNaks()).isPositive();
            assertThat(chain.controller.otherSessionNaks() + chain.controller.impossibleNaks())
                    .isZero();
            assertThat(slow.agent.held()).as("the ring was never full").isZero();
            assertThat(chain.sent).as("a quarter of what was wanted").isBetween(8_000L, 12_000L);
            assertThat(slow.in.values)
                    .as("in order, without a gap")
                    .isEqualTo(LongStream.rangeClosed(1, slow.in.values.size())
                            .boxed()
                            .toList());
            assertThat((double) slow.in.values.size())
                    .as("the receiver was busy")
                    .isGreaterThan(0.9 * 40_000 / 4);
            slow.messages = 100;
            chain.run(60_000);
            assertThat(chain.controller.isLimited()).as("released again").isFalse();
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void withoutNaksTheRingIsFullAndAeronHolds() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            Slow slow = chain.receiver(1, 1, 4);
            chain.controller.leaveBehind(1);
            chain.begin();
            chain.run(40_000);
            assertThat(chain.controller.isLimited()).isFalse();
            assertThat(slow.agent.held()).isPositive();
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void theSlowestOfSeveralReceiversSetsTheRateAndIsNamed() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            chain.receiver(1, 1, 2);
            Slow slowest = chain.receiver(2, 1, 5);
            chain.receiver(3, 1, 1);
            chain.begin();
            chain.run(40_000);
            assertThat(chain.sent).isBetween(6_000L, 10_500L);
            assertThat(chain.slow).isNotEmpty().containsOnly(2L);
            assertThat(slowest.agent.held()).isZero();
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void aReceiverThatIsTooSlowIsLeftBehindAndTheOthersGoOn() throws Exception {
        Chain chain = new Chain(Decision.LEAVE_BEHIND);
        try (Harness harness = chain.harness) {
            chain.receiver(1, 10, 1);
            Slow tooSlow = chain.receiver(2, 1, 10);
            chain.begin();
            chain.run(4_000);
            assertThat(chain.slow).containsExactly(2L);
            assertThat(chain.controller.isLeftBehind(2)).isTrue();
            harness.remove(tooSlow.agent); // with flow control of its own it would hold the others: see docs/aeron.md
            tooSlow.agent.close();
            long before = chain.sent;
            chain.run(40_000);
            assertThat(chain.sent - before).as("most of what was wanted").isGreaterThan(30_000);
            assertThat(chain.controller.isLimited()).isFalse();
        }
    }

    // ---- receivers that hear each other

    /** Both are overloaded alike, and one speaks for both. Then one is slower than the other, and sets the rate. */
    @Test
    void receiversOfAGroupSpareNaksAndTheStrongestStillLimitsTheSender() throws Exception {
        Chain chain = new Chain(Decision.KEEP, true);
        try (Harness harness = chain.harness) {
            Slow one = chain.receiver(1, 2, 8);
            Slow two = chain.receiver(2, 2, 8);
            chain.begin();
            chain.run(20_000);
            assertThat(chain.sent).as("a quarter of what was wanted").isBetween(4_000L, 6_500L);
            long spared = one.suppression.suppressedNaks() + two.suppression.suppressedNaks();
            assertThat(one.suppression.suppressedNaks()).isPositive();
            assertThat(two.suppression.suppressedNaks()).isPositive();
            assertThat(chain.controller.receivedNaks())
                    .isBetween(1L, one.monitor.sentNaks() + two.monitor.sentNaks() - spared);

            two.messages = 1;
            chain.run(10_000);
            chain.slow.clear();
            long before = chain.sent;
            chain.run(40_000);
            assertThat(chain.sent - before).as("an eighth of what was wanted").isBetween(4_000L, 6_500L);
            assertThat(chain.slow).isNotEmpty().containsOnly(2L);
            assertThat(one.agent.held() + two.agent.held())
                    .as("no ring was ever full")
                    .isZero();
            assertThat(chain.controller.ignoredNaks()
                            + chain.controller.otherSessionNaks()
                            + chain.controller.impossibleNaks())
                    .isZero();
            assertThat(one.suppression.echoedNaks() + two.suppression.echoedNaks())
                    .isZero();
            assertThat(harness.errors).isEmpty();
        }
    }

    /** The second one is full all the time, and says so louder than the first one, but the sender does not act on it, and tells so. */
    @Test
    void aReceiverOfAGroupThatIsLeftBehindSilencesNobody() throws Exception {
        Chain chain = new Chain(Decision.KEEP, true);
        try (Harness harness = chain.harness) {
            Slow heeded = chain.receiver(1, 1, 4);
            Slow left = chain.dropping(2, 1, 10);
            chain.begin();
            chain.controller.leaveBehind(2);
            chain.run(40_000);
            assertThat(left.monitor.sentNaks()).as("one each refresh").isGreaterThan(300);
            assertThat(left.suppression.echoedNaks())
                    .as("all, but for one on its way")
                    .isBetween(chain.controller.ignoredNaks() - 1, chain.controller.ignoredNaks());
            assertThat(heeded.suppression.suppressedNaks()).isZero();
            assertThat(heeded.agent.held()).as("the ring was never full").isZero();
            assertThat(chain.sent).as("a quarter of what was wanted").isBetween(8_000L, 12_000L);
            assertThat((double) heeded.in.values.size())
                    .as("the receiver was busy")
                    .isGreaterThan(0.9 * 40_000 / 4);
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void allEndsOfAGroupHearEachOtherByMulticast() throws Exception {
        Harness.assumeMulticast();
        String channel = Harness.multicast();
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            harness.runUntil(sender::open);
            long session = AeronNakTransport.session(sender.sessionId());
            List<AeronNakTransport> ends = List.of(
                    AeronNakTransport.inGroup(harness.link, channel, NAKS, NAK_STREAM, sender),
                    AeronNakTransport.inGroup(harness.link, channel, NAKS, NAK_STREAM, null),
                    AeronNakTransport.inGroup(harness.link, channel, NAKS, NAK_STREAM, null));
            List<Set<String>> heard = List.of(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
            harness.runUntil(() -> {
                boolean all = true;
                for (int i = 0; i < ends.size(); i++) {
                    Set<String> at = heard.get(i);
                    ends.get(i).receive(nak -> at.add(nak.receiver() + " about " + nak.session()), 10);
                    all &= at.size() == 3;
                    ends.get(i).send(nak(session, i));
                }
                return all;
            });
            assertThat(heard.get(0)).containsExactly("0 about 0", "1 about 0", "2 about 0");
            for (Set<String> at : heard.subList(1, 3)) {
                assertThat(at).containsExactly("0 about " + session, "1 about " + session, "2 about " + session);
            }
            assertThat(harness.errors).isEmpty();
            ends.forEach(AeronNakTransport::close);
            sender.close();
        }
    }

    /** Its publication is asked for when the end is made: an overload does not wait for the driver. */
    @Test
    void theFirstNakGoesAtOnceAndSoDoesTheFirstEcho() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            harness.runUntil(sender::open);
            AeronNakTransport at = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, sender);
            AeronNakTransport other = AeronNakTransport.inGroup(harness.link, IPC, NAKS, NAK_STREAM, null);
            AeronNakTransport says = AeronNakTransport.atReceiver(harness.link, IPC, NAKS, NAK_STREAM);
            List<String> heard = new ArrayList<>();
            harness.runUntil(() -> {
                at.receive(nak -> {}, 1);
                other.receive(nak -> {}, 1);
                return at.isListening() && other.isListening();
            });
            harness.steps(10);
            NakController controller = NakController.builder(
                            at, RateLimiter.singleWriter(clock, 64), sender::position, clock)
                    .build();
            controller.leaveBehind(1);
            assertThat(says.send(nak(AeronNakTransport.session(sender.sessionId()), 1)))
                    .isTrue();
            harness.runUntil(() -> {
                step(harness);
                controller.doWork();
                other.receive(nak -> heard.add(nak.isEcho() ? "echo" : "NAK"), 10);
                return heard.size() == 2;
            });
            assertThat(heard).containsExactly("NAK", "echo");
            assertThat(says.refused() + at.refused()).isZero();
            says.close();
            other.close();
            at.close();
            sender.close();
        }
    }

    // ---- who is silent

    @Test
    void aReceiverThatStandsStillIsNamedWithItsPositionAndSoIsItsReturn() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            chain.receiver(1, 10, 1);
            Slow stopped = chain.receiver(2, 10, 1);
            chain.receiver(3, 10, 1);
            chain.begin();
            chain.run(1_000);
            assertThat(stopped.signs.sentSigns()).isPositive();
            assertThat(chain.silent).isEmpty();
            harness.remove(stopped.agent);
            chain.run(2 * SILENT);
            assertThat(chain.silent).singleElement().asString().matches("2 silent at [1-9]\\d*");
            assertThat(chain.controller.silentReceivers()).isEqualTo(1);
            Publication first = chain.out.sender.publication();
            first.close(); // positions go on behind it, and are understood
            chain.run(100);
            assertThat(chain.out.sender.reopened()).isEqualTo(1);
            harness.agent(stopped.agent);
            chain.run(2 * SILENT);
            assertThat(chain.silent).hasSize(2).last().asString().matches("2 back at [1-9]\\d*");
            assertThat(chain.controller.silentReceivers()).isZero();
            assertThat(chain.controller.otherSessionNaks()).isZero();
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void aReceiverThatIsClosedSaysFarewellAndIsNotMissed() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            chain.receiver(1, 10, 1);
            Slow leaves = chain.receiver(2, 10, 1);
            chain.begin();
            chain.run(1_000);
            harness.remove(leaves.agent);
            long said = leaves.signs.sentSigns();
            leaves.agent.close();
            assertThat(leaves.signs.sentSigns()).isEqualTo(said + 1);
            chain.run(4 * SILENT);
            assertThat(chain.silent).isEmpty();
            leaves.agent.close();
            assertThat(leaves.signs.sentSigns()).as("said once").isEqualTo(said + 1);
        }
    }

    @Test
    void aReceiverThatIsLeftBehindIsMissedNoMore() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            Slow left = chain.receiver(1, 10, 1);
            chain.begin();
            chain.run(1_000);
            chain.controller.leaveBehind(1);
            harness.remove(left.agent);
            chain.run(4 * SILENT);
            assertThat(chain.silent).isEmpty();
        }
    }

    private static List<String> silentOnes(Harness harness) {
        List<String> labels = new ArrayList<>();
        CountersReader counters = harness.link.aeron().countersReader();
        counters.forEach((id, typeId, key, label) -> {
            if (typeId == SilentReceiverCounters.TYPE_ID) {
                labels.add(label);
                assertThat(counters.getCounterValue(id)).isNotNegative();
            }
        });
        return labels;
    }

    private static long silentMillis(Harness harness) {
        long[] value = {0};
        CountersReader counters = harness.link.aeron().countersReader();
        counters.forEach((id, typeId, key, label) ->
                value[0] += typeId == SilentReceiverCounters.TYPE_ID ? counters.getCounterValue(id) : 0);
        return value[0];
    }

    /** Among Aeron's counters for as long as it is silent, also when the client that had added the counter is lost. */
    @Test
    void aSilentReceiverHasACounterUntilItIsHeardAgainOrLeftBehind() throws Exception {
        Chain chain = new Chain(Decision.KEEP);
        try (Harness harness = chain.harness) {
            Slow stopped = chain.receiver(7, 10, 1);
            chain.receiver(8, 10, 1);
            SilentReceiverCounters counters = new SilentReceiverCounters(harness.link, chain.controller, NAK_STREAM);
            harness.agent(counters);
            chain.begin();
            chain.run(1_000);
            assertThat(silentOnes(harness)).isEmpty();

            harness.remove(stopped.agent);
            chain.runUntil(() -> !silentOnes(harness).isEmpty());
            assertThat(silentOnes(harness))
                    .singleElement()
                    .asString()
                    .matches("silent: receiver 7 of stream 5, ms; handled [1-9]\\d*");
            chain.runUntil(() -> silentMillis(harness) > 2 * SILENT * STEP / 1_000_000);

            harness.link.aeron().close();
            chain.runUntil(
                    () -> harness.link.reconnects() == 1 && silentOnes(harness).size() == 1);
            chain.runUntil(() -> silentMillis(harness) > 0);

            harness.agent(stopped.agent);
            chain.runUntil(() -> chain.controller.silentReceivers() == 0
                    && silentOnes(harness).isEmpty());
            harness.remove(stopped.agent);
            chain.runUntil(() -> !silentOnes(harness).isEmpty());
            chain.controller.leaveBehind(7);
            chain.runUntil(() -> silentOnes(harness).isEmpty());

            chain.controller.readmit(7);
            harness.agent(stopped.agent);
            chain.runUntil(() -> chain.controller.watchedReceivers() == 2);
            harness.remove(stopped.agent);
            chain.runUntil(() -> !silentOnes(harness).isEmpty());
            counters.close();
            chain.runUntil(() -> silentOnes(harness).isEmpty());
            chain.run(100);
            assertThat(silentOnes(harness)).as("it stays closed").isEmpty();
            assertThat(harness.errors).hasOnlyElementsOfType(LinkLostException.class);
        }
    }

    /** A driver that has no room for a counter refuses it: told once, and the rest goes on. */
    @Test
    void aCounterThatTheDriverRefusesIsToldOnce() throws Exception {
        try (Harness harness = new Harness(context -> context.counterValuesBufferLength(1 << 20))) {
            List<Counter> all = new ArrayList<>();
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            AeronNakTransport at = AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, sender);
            NakController controller = NakController.builder(
                            at, RateLimiter.singleWriter(clock, 64), sender::position, clock)
                    .onSilentReceiver(SILENT * STEP, (receiver, position, nanos) -> {})
                    .build();
            AeronNakTransport says = AeronNakTransport.atReceiver(harness.link, IPC, NAKS, NAK_STREAM);
            Harness.In in = harness.new In(8);
            LifeSigns signs = new LifeSigns(
                    RingSink.waiting(in.producer, Harness.DECODER).fillSource(in.ring, in.poller.consumer()),
                    says,
                    clock,
                    NAK_STREAM,
                    1,
                    REFRESH);
            Runnable turn = () -> {
                step(harness);
                controller.doWork();
            };
            harness.runUntil(() -> {
                turn.run();
                signs.poll();
                return controller.receivedSigns() > 3;
            });
            assertThatThrownBy(() -> {
                        while (all.size() < 10_000) {
                            all.add(harness.link.aeron().addCounter(2_000, "taken"));
                        }
                    })
                    .isInstanceOf(RegistrationException.class);
            SilentReceiverCounters counters = new SilentReceiverCounters(harness.link, controller, NAK_STREAM);
            harness.agent(counters);
            harness.errors.clear();
            harness.runUntil(() -> {
                turn.run();
                return harness.errors.stream().anyMatch(RegistrationException.class::isInstance);
            });
            long first = System.nanoTime();
            harness.runUntil(() -> {
                turn.run();
                return System.nanoTime() - first > 50_000_000; // five looks
            });
            assertThat(harness.errors)
                    .as("the driver inside the process tells too")
                    .filteredOn(RegistrationException.class::isInstance)
                    .hasSize(1);
            assertThat(controller.silentReceivers()).isEqualTo(1);
            counters.close();
            at.close();
            says.close();
            sender.close();
        }
    }

    /** The sender's side has lost its own client; its receivers are on another link, and speak on. */
    @Test
    void aLinkThatWasLostNamesNobody() throws Exception {
        List<Throwable> errors = new ArrayList<>();
        try (Harness harness = new Harness();
                AeronLink other = AeronLink.external(harness.link.directory(), errors::add)
                        .start()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                    .build();
            AeronNakTransport at = AeronNakTransport.atSender(harness.link, IPC, NAKS, NAK_STREAM, sender);
            List<Long> silent = new ArrayList<>();
            NakController controller = NakController.builder(
                            at, RateLimiter.singleWriter(clock, 64), sender::position, clock)
                    .onSilentReceiver(SILENT * STEP, (receiver, position, nanos) -> silent.add(receiver))
                    .build();
            AeronNakTransport says = AeronNakTransport.atReceiver(other, IPC, NAKS, NAK_STREAM);
            Harness.In in = harness.new In(8);
            RingSink<long[]> sink = RingSink.waiting(in.producer, Harness.DECODER);
            LifeSigns signs =
                    new LifeSigns(sink.fillSource(in.ring, in.poller.consumer()), says, clock, NAK_STREAM, 1, REFRESH);
            boolean[] speaks = {true};
            Runnable turn = () -> {
                step(harness);
                other.doWork();
                controller.doWork();
                if (speaks[0]) {
                    signs.poll();
                }
            };
            assertThat(at.isListening()).isFalse();
            harness.runUntil(() -> {
                turn.run();
                return controller.receivedSigns() > 3;
            });
            assertThat(at.isListening()).isTrue();
            harness.link.aeron().close();
            assertThat(at.isListening()).isFalse();
            long before = now;
            long heard = controller.receivedSigns();
            harness.runUntil(() -> {
                turn.run();
                return controller.receivedSigns() > heard && now - before > 4 * SILENT * STEP;
            });
            assertThat(silent).isEmpty();
            speaks[0] = false;
            harness.runUntil(() -> {
                turn.run();
                return !silent.isEmpty();
            });
            assertThat(silent).containsExactly(1L);
            says.close();
            at.close();
            sender.close();
        }
    }

    @Test
    void positionsAreThoseOfTheSenderAlsoForAReceiverThatJoinsLate() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .whenNotConnected(AeronSender.Refused.DROP)
                            .build());
            out.publish(1, 50);
            harness.runUntil(() -> out.sender.dropped() == 50);
            Harness.In in = harness.new In(64);
            in.polls = false;
            RingSink<long[]> sink = RingSink.waiting(in.producer, Harness.DECODER);
            var source = sink.fillSource(in.ring, in.poller.consumer());
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, new Heard())
                            .build());
            harness.runUntil(
                    () -> receiver.isConnected() && out.sender.publication().isConnected());
            out.publish(51, 60);
            harness.runUntil(() -> receiver.received() == 10);
            assertThat(source.newestPosition()).isEqualTo(60);
            assertThat(source.consumedPosition()).isEqualTo(50);
            assertThat(source.fill()).isEqualTo(10);
            in.poll(4);
            assertThat(source.consumedPosition()).isEqualTo(54);
            assertThat(source.session()).isEqualTo(AeronNakTransport.session(out.sender.sessionId()));
            assertThat(out.sender.position()).isEqualTo(60);
        }
    }

    /** Nobody waits for it any more, so the sender hears that all was handled. */
    @Test
    void aConsumerThatHasLeftIsNotFullAndHasHandledAll() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(8)
                .singleProducer()
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.poller("in");
        EventPoller<long[]> audit = pipeline.poller("audit");
        pipeline.startProcessors();
        RingSink<long[]> sink = RingSink.waiting(ring.producer(), Harness.DECODER);
        FillSource source = sink.fillSource(ring, audit.consumer());
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        for (long number = 5; number <= 7; number++) {
            assertThat(sink.onMessage(message, 0, 8, 1, number)).isEqualTo(MessageSink.Taken.TAKEN);
        }
        assertThat(source.fill()).isEqualTo(3);
        assertThat(source.consumedPosition()).isEqualTo(4);
        assertThat(audit.consumer().remove(0)).isEqualTo(Removal.LEFT);
        for (long number = 8; number <= 30; number++) {
            poller.poll((event, sequence, endOfBatch) -> {}, 8);
            assertThat(sink.onMessage(message, 0, 8, 1, number)).isEqualTo(MessageSink.Taken.TAKEN);
        }
        assertThat(source.fill()).isZero();
        assertThat(source.consumedPosition()).isEqualTo(30);
        assertThat(source.newestPosition()).isEqualTo(30);
        ring.close();
    }

    /** What waits of the session before is behind the consumer's position in this one, and counts as handled. */
    @Test
    void positionsAreThoseOfTheSessionThatWasHeardLast() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(8)
                .retain(2)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        RingSink<long[]> sink = RingSink.waiting(ring.producer(), Harness.DECODER);
        FillSource source = sink.fillSource(ring, poller.consumer());
        assertThat(source.capacity()).as("less what is retained").isEqualTo(6);
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        for (long number = 5; number <= 7; number++) {
            assertThat(sink.onMessage(message, 0, 8, 1, number)).isEqualTo(MessageSink.Taken.TAKEN);
        }
        assertThat(source.session()).isEqualTo(AeronNakTransport.session(1));
        assertThat(source.consumedPosition()).isEqualTo(4);
        assertThat(sink.onMessage(message, 0, 8, 2, 100)).isEqualTo(MessageSink.Taken.TAKEN);
        assertThat(source.session()).isEqualTo(AeronNakTransport.session(2));
        assertThat(source.consumedPosition()).isEqualTo(99);
        assertThat(source.newestPosition()).isEqualTo(100);
        poller.poll((event, sequence, endOfBatch) -> {}, 4);
        assertThat(source.consumedPosition()).isEqualTo(100);
        ring.close();
    }

    /** A sender may choose its session's id, and start again with it. */
    @Test
    void positionsBeginAgainWithASenderThatHasTheSessionIdOfTheOneBefore() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(8)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        RingSink<long[]> sink = RingSink.waiting(ring.producer(), Harness.DECODER);
        FillSource source = sink.fillSource(ring, poller.consumer());
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        for (long number : new long[] {5, 6, 1}) {
            assertThat(sink.onMessage(message, 0, 8, 77, number)).isEqualTo(MessageSink.Taken.TAKEN);
        }
        assertThat(source.newestPosition()).isEqualTo(1);
        assertThat(source.consumedPosition()).isZero();
        poller.poll((event, sequence, endOfBatch) -> {}, 3);
        assertThat(source.consumedPosition()).isEqualTo(1);
        ring.close();
    }

    @Test
    void aRingThatRetainsEventsIsFullWhenItsProducerWaits() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(8)
                .retain(3)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        RingSink<long[]> sink = RingSink.waiting(ring.producer(), Harness.DECODER);
        FillSource source = sink.fillSource(ring, poller.consumer());
        UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        long number = 1;
        while (sink.onMessage(message, 0, 8, 1, number) == MessageSink.Taken.TAKEN) {
            number++;
        }
        assertThat(source.fill()).isEqualTo(5).isEqualTo(source.capacity());
        ring.close();
    }
}
