package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.ExclusivePublication;
import io.aeron.exceptions.RegistrationException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver does with sessions that follow each other, and with several of one poll. */
@Tag("once")
class SessionsTest {
    private static AeronSender<long[]> sender(Harness harness, String channel, long first) {
        return sender(harness, channel, STREAM, first);
    }

    private static AeronSender<long[]> sender(Harness harness, String channel, int stream, long first) {
        return AeronSender.<long[]>builder(harness.link, channel, stream, ENCODER)
                .firstNumber(first)
                .build();
    }

    private static String channel(String by) {
        return by.equals("ipc") ? IPC : Harness.udp();
    }

    private static AeronReceiver ofOneSender(Harness harness, String channel, MessageSink sink, Heard heard) {
        return harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, sink, heard)
                .oneSender(1)
                .build());
    }

    private static void end(Harness.Out out) {
        out.ring.close();
        out.sender.close();
    }

    // ---- of one sender: an older session has messages that are not read yet

    /** The ring is full when a new publication is opened: what the old one holds comes first. With 900 by UDP some are not even on their way. */
    @ParameterizedTest
    @CsvSource({"ipc, 20", "ipc, 400", "udp, 20", "udp, 900"})
    void aPublicationThatIsOpenedAgainLosesNothingThatAFullReceiverHasNotRead(String by, int backlog) throws Exception {
        String channel = channel(by);
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, channel, 1));
            Harness.In in = harness.new In(8);
            in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = ofOneSender(harness, channel, in.sink(), heard);
            out.publish(1, backlog);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == backlog && receiver.held() > 0);
            out.sender.publication().close();
            out.publish(backlog + 1, backlog + 5);
            harness.runUntil(() -> heard.all.contains("first " + (backlog + 1)));
            in.polls = true;
            harness.runUntil(() -> in.values.size() + receiver.missing() >= backlog + 5);
            assertThat(in.values).isEqualTo(numbers(1, backlog + 5));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(heard.all).noneMatch(text -> text.startsWith("gap"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void aSenderThatStartsAgainLosesNothingThatAFullReceiverHasNotReadAndItsGapIsToldBehind(String by)
            throws Exception {
        String channel = channel(by);
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(8);
            in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = ofOneSender(harness, channel, in.sink(), heard);
            long[] starts = {1, 21, 44}; // the third one has lost three
            for (long start : starts) {
                Harness.Out out = harness.new Out(64, sender(harness, channel, start));
                out.publish(start, start + 19);
                harness.runUntil(() -> out.sender.count(SendResult.SENT) == 20);
                end(out);
                harness.runUntil(() -> heard.all.contains("first " + start));
            }
            assertThat(heard.all).noneMatch(text -> text.startsWith("gap"));
            in.polls = true;
            harness.runUntil(() -> in.values.size() + receiver.missing() >= 63);
            List<Long> all = new ArrayList<>(numbers(1, 40));
            all.addAll(numbers(44, 63));
            assertThat(in.values).isEqualTo(all);
            assertThat(receiver.missing()).isEqualTo(3);
            assertThat(receiver.repeated()).isZero();
            assertThat(heard.all).filteredOn(text -> text.startsWith("gap")).containsExactly("gap 41 to 43");
            harness.runUntil(() -> receiver.gone() == 3);
        }
    }

    /** Two sessions are there when the receiver polls again. The ring has room. One poll more, and Aeron begins with the other session. */
    @ParameterizedTest
    @CsvSource({"8, false, 0", "8, true, 0", "5000, false, 0", "8, false, 1", "8, true, 1", "5000, false, 1"})
    void aReceiverThatPollsSeldomReadsTheOlderSessionFirst(int length, boolean behindTheEndOfATerm, int more)
            throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<long[]> encoder =
                    EventEncoder.fixed(length, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC + "|mtu=1408", STREAM, encoder)
                            .build());
            Harness.In in = harness.new In(64);
            AeronReceiver receiver = ofOneSender(harness, IPC, in.sink(), new Heard());
            out.publish(1, 3);
            harness.runUntil(() -> in.values.size() == 3);
            if (behindTheEndOfATerm) {
                harness.toTheEndOfTheTerm((ExclusivePublication) out.sender.publication());
                harness.steps(10);
            }
            harness.steps(more);
            harness.remove(receiver);
            out.publish(4, 6);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 6);
            out.sender.publication().close();
            out.publish(7, 9);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 9);
            harness.agent(receiver);
            harness.runUntil(() -> in.values.size() + receiver.missing() >= 9);
            assertThat(in.values).isEqualTo(numbers(1, 9));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
        }
    }

    /** By UDP nobody knows whether a silent session will bring something more. It may never end. */
    @Test
    void aSessionByUdpThatIsSilentForTenSecondsIsWaitedForNoMore() throws Exception {
        String channel = Harness.udp();
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver = ofOneSender(harness, channel, in.sink(), heard);
            Harness.Out silent = harness.new Out(64, sender(harness, channel, 1));
            silent.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 10);
            EventEncoder<long[]> breaks = EventEncoder.fixed(8, (event, buffer, offset) -> {
                if (event[0] == 18) {
                    throw new IllegalStateException("mine");
                }
                buffer.putLong(offset, event[0]);
            });
            Harness.Out next = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, channel, STREAM, breaks)
                            .firstNumber(16)
                            .skipUnencodable(e -> {})
                            .build());
            next.publish(16, 17);
            harness.runUntil(() -> heard.all.contains("first 16"));
            long started = System.nanoTime();
            harness.runUntil(() -> receiver.missing() != 0);
            assertThat(System.nanoTime() - started).isGreaterThan(TimeUnit.SECONDS.toNanos(9));
            harness.runUntil(() -> in.values.size() == 12);
            long again = System.nanoTime();
            next.publish(18, 20);
            harness.runUntil(() -> in.values.size() == 14);
            assertThat(System.nanoTime() - again).as("it is silent still").isLessThan(TimeUnit.SECONDS.toNanos(9));
            assertThat(heard.all)
                    .filteredOn(text -> text.startsWith("gap"))
                    .containsExactly("gap 11 to 15", "gap 18 to 18");
            silent.publish(11, 12);
            harness.runUntil(() -> receiver.repeated() == 2);
            assertThat(in.values).as("what comes too late is passed over").hasSize(14);
        }
    }

    // ---- a session id that comes again

    @ParameterizedTest
    @CsvSource({
        "ipc, ''",
        "udp, ''",
        "ipc, |init-term-id=5|term-id=5|term-offset=0",
        "udp, |init-term-id=5|term-id=5|term-offset=0"
    })
    void aSenderThatStartsAgainWithItsSessionIdIsHeardFromItsFirstMessageOn(String by, String begins) throws Exception {
        String channel = channel(by);
        String chosen = channel + "|session-id=77" + begins;
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), heard)
                            .build());
            Harness.Out first = harness.new Out(64, sender(harness, chosen, 1));
            first.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 10);
            end(first);
            harness.runUntil(() -> receiver.gone() == 1);
            Harness.Out second = harness.new Out(64, sender(harness, chosen, 1));
            harness.runUntil(() -> isOpen(second.sender));
            assertThat(second.sender.sessionId()).isEqualTo(77);
            second.publish(101, 105);
            harness.runUntil(() -> receiver.received() + receiver.repeated() == 15);
            harness.steps(1);
            assertThat(in.values.subList(10, in.values.size())).isEqualTo(numbers(101, 105));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(heard.all).filteredOn(text -> text.startsWith("first")).containsExactly("first 1", "first 1");
        }
    }

    /** A driver refuses an id while it keeps the publication that had it. */
    private static boolean isOpen(AeronSender<long[]> sender) {
        try {
            return sender.open();
        } catch (RegistrationException e) {
            return false;
        }
    }

    /** The live session goes and comes again while the receiver is in the middle of its replay. */
    @Test
    void aSessionIdThatComesAgainBetweenTwoPollsIsThatOfANewSession() throws Exception {
        String chosen = IPC + "|session-id=77";
        try (Harness harness = new Harness()) {
            List<Long> values = new ArrayList<>();
            Heard heard = new Heard();
            Harness.Out first = harness.new Out(64, sender(harness, chosen, 1));
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                if (number == 2) {
                                    end(first);
                                    Harness.Out second = harness.new Out(64, sender(harness, chosen, 2));
                                    harness.runUntil(() -> isOpen(second.sender));
                                    second.publish(2, 3);
                                    harness.runUntil(() -> second.sender.count(SendResult.SENT) == 2);
                                }
                                return taken(values, number);
                            },
                            heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, STREAM + 1)
                    .build();
            first.publish(1, 1);
            run(harness, receiver, () -> values.size() == 1);
            Harness.Out replay = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM + 1, ENCODER)
                            .firstNumber(2)
                            .build());
            replay.publish(2, 2);
            run(harness, receiver, () -> values.size() == 3);
            assertThat(values).isEqualTo(numbers(1, 3));
            assertThat(heard.all)
                    .filteredOn(text -> !text.startsWith("available"))
                    .containsExactly("first 1", "first 2", "unavailable aeron:ipc", "first 2");
            receiver.close();
        }
    }

    /** As above; the new session goes on with just the number that is due, so its number does not say that it is another one. */
    @ParameterizedTest
    @ValueSource(ints = {8, 5_000})
    void aSessionIdThatComesAgainWithTheNumberThatIsDueIsToldBeforeItsFirstMessage(int length) throws Exception {
        String chosen = IPC + "|mtu=1408|session-id=79";
        EventEncoder<long[]> encoder =
                EventEncoder.fixed(length, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
        try (Harness harness = new Harness()) {
            Heard heard = new Heard();
            Harness.Out first = harness.new Out(64, sender(harness, chosen, 1));
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, size, session, number) -> {
                                heard.all.add("message " + number);
                                if (number == 2) {
                                    end(first);
                                    Harness.Out second = harness
                                    .new Out(
                                            64,
                                            AeronSender.<long[]>builder(harness.link, chosen, STREAM, encoder)
                                                    .firstNumber(3)
                                                    .build());
                                    harness.runUntil(() -> isOpen(second.sender));
                                    second.publish(3, 4);
                                    harness.runUntil(() -> second.sender.count(SendResult.SENT) == 2);
                                }
                                return MessageSink.Taken.TAKEN;
                            },
                            heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, STREAM + 1)
                    .build();
            first.publish(1, 1);
            run(harness, receiver, () -> receiver.received() == 1);
            Harness.Out replay = harness.new Out(64, sender(harness, IPC, STREAM + 1, 2));
            replay.publish(2, 2);
            run(harness, receiver, () -> receiver.received() == 4);
            assertThat(heard.all)
                    .containsExactly(
                            "available aeron:ipc",
                            "first 1",
                            "message 1",
                            "available aeron:ipc",
                            "first 2",
                            "message 2",
                            "unavailable aeron:ipc",
                            "available aeron:ipc",
                            "first 3",
                            "message 3",
                            "message 4");
            receiver.close();
        }
    }

    /** As above; a publication leaves the receiver behind and takes it in again: then Aeron has another image of the same publication. */
    @Test
    void aSessionThatComesAgainBetweenTwoPollsIsToldBeforeItsGap() throws Exception {
        try (Harness harness = new Harness(context -> context.untetheredWindowLimitTimeoutNs(200_000_000)
                .untetheredLingerTimeoutNs(100_000_000)
                .untetheredRestingTimeoutNs(100_000_000))) {
            Heard heard = new Heard();
            Harness.In fast = harness.new In(64);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, fast.sink(), new Heard())
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, IPC, 1));
            AeronReceiver[] leftBehind = {null};
            long[] next = {2};
            leftBehind[0] = AeronReceiver.builder(
                            harness.link,
                            IPC + "|tether=false|rejoin=true",
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                if (number == 2) {
                                    while (leftBehind[0].changes.isEmpty()) {
                                        live.publish(next[0], next[0]);
                                        next[0]++;
                                    }
                                    harness.runUntil(() -> leftBehind[0].changes.size() == 2);
                                    long last = next[0];
                                    live.publish(last, last);
                                    harness.runUntil(() -> fast.values.contains(last));
                                }
                                return MessageSink.Taken.TAKEN;
                            },
                            heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, STREAM + 1)
                    .build();
            AeronReceiver receiver = leftBehind[0];
            run(harness, receiver, () -> live.sender.open() && receiver.isConnected());
            live.publish(1, 1);
            run(harness, receiver, () -> receiver.received() == 1);
            Harness.Out replay = harness.new Out(64, sender(harness, IPC, STREAM + 1, 2));
            replay.publish(2, 2);
            run(harness, receiver, () -> receiver.held() > 0);
            assertThat(heard.all)
                    .startsWith(
                            "available aeron:ipc",
                            "first 1",
                            "available aeron:ipc",
                            "first 2",
                            "unavailable aeron:ipc",
                            "available aeron:ipc")
                    .hasSize(7)
                    .last()
                    .asString()
                    .startsWith("gap 3 to ");
            receiver.close();
        }
    }

    /** As above; the new session's first message comes in fragments, all in one poll, and finds no room. */
    @Test
    void aMessageInFragmentsOfASessionIdThatComesAgainIsNotLostWhereItsSinkIsFull() throws Exception {
        String chosen = IPC + "|mtu=1408|session-id=78";
        EventEncoder<long[]> fragmented =
                EventEncoder.fixed(5_000, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
        try (Harness harness = new Harness()) {
            List<Long> values = new ArrayList<>();
            int[] full = {0};
            Harness.Out first = harness.new Out(64, sender(harness, chosen, 1));
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                if (number == 2) {
                                    end(first);
                                    Harness.Out second = harness
                                    .new Out(
                                            64,
                                            AeronSender.<long[]>builder(harness.link, chosen, STREAM, fragmented)
                                                    .firstNumber(3)
                                                    .build());
                                    harness.runUntil(() -> isOpen(second.sender));
                                    second.publish(3, 4);
                                    harness.runUntil(() -> second.sender.count(SendResult.SENT) == 2);
                                }
                                if (number == 3 && full[0]++ < 3) {
                                    return MessageSink.Taken.FULL;
                                }
                                return taken(values, number);
                            },
                            new Heard())
                    .oneSender(1)
                    .fillGapsFrom(IPC, STREAM + 1)
                    .build();
            first.publish(1, 1);
            run(harness, receiver, () -> values.size() == 1);
            Harness.Out replay = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM + 1, ENCODER)
                            .firstNumber(2)
                            .build());
            replay.publish(2, 2);
            run(harness, receiver, () -> values.contains(4L) || receiver.missing() > 0);
            assertThat(full[0]).isPositive();
            assertThat(values).isEqualTo(numbers(1, 4));
            receiver.close();
        }
    }

    /** For a receiver whose sink runs the harness. */
    private static void run(Harness harness, AeronReceiver receiver, BooleanSupplier condition) {
        harness.runUntil(() -> {
            receiver.doWork();
            return condition.getAsBoolean();
        });
    }

    /** The receiver's driver gives up the image, and gets another one of the same publication, perhaps at the same position. */
    @ParameterizedTest
    @ValueSource(ints = {20, 0})
    void aSessionByUdpThatIsOutOfReachForAWhileGoesOnAndItsGapIsTold(int meanwhile) throws Exception {
        try (Harness harness = new Harness();
                Relay relay = new Relay(new SplittableRandom(7))) {
            Harness.Out out = harness.new Out(64, sender(harness, relay.channelIn(), 1));
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, relay.channelOut(), STREAM, in.sink(), heard)
                            .build());
            harness.agent(relay);
            out.publish(1, 100);
            harness.runUntil(() -> in.values.size() == 100);
            harness.remove(relay);
            out.publish(101, 100 + meanwhile);
            harness.runUntil(() -> receiver.gone() == 1);
            harness.agent(relay);
            harness.runUntil(receiver::isConnected);
            long[] next = {100 + meanwhile};
            harness.runUntil(() -> {
                if (out.offer(next[0] + 1)) {
                    next[0]++;
                }
                return !in.values.isEmpty() && in.values.get(in.values.size() - 1) > 150;
            });
            long last = in.values.get(in.values.size() - 1);
            assertThat(in.values).isSorted().doesNotHaveDuplicates();
            assertThat(in.values.size() + receiver.missing()).isEqualTo(last);
            assertThat(heard.all).filteredOn(text -> text.startsWith("first")).containsExactly("first 1");
        }
    }

    // ---- several sessions in one poll

    @Test
    void aSinkThatHasEndedIsNotAskedForAnotherSessionOfTheSamePoll() throws Exception {
        try (Harness harness = new Harness()) {
            boolean[] ends = {false};
            int[] asked = {0};
            AeronReceiver receiver = twoWait(harness, (buffer, offset, length, session, number) -> {
                asked[0] += ends[0] ? 1 : 0;
                return ends[0] ? MessageSink.Taken.ENDED : MessageSink.Taken.FULL;
            });
            ends[0] = true;
            harness.runUntil(receiver::isDone);
            assertThat(asked[0]).isEqualTo(1);
        }
    }

    @Test
    void aSinkThatHasThrownIsNotAskedForAnotherSessionOfTheSamePollAndItsFirstFailureIsThrown() throws Exception {
        try (Harness harness = new Harness()) {
            List<Error> failures = new ArrayList<>();
            boolean[] fails = {false};
            List<Long> values = new ArrayList<>();
            twoWait(harness, (buffer, offset, length, session, number) -> {
                if (fails[0]) {
                    failures.add(new StackOverflowError("session " + session));
                    throw failures.get(failures.size() - 1);
                }
                return failures.isEmpty() ? MessageSink.Taken.FULL : taken(values, number);
            });
            fails[0] = true;
            Throwable thrown = null;
            try {
                harness.step();
            } catch (StackOverflowError e) {
                thrown = e;
            }
            assertThat(failures).hasSize(1);
            assertThat(thrown).isSameAs(failures.get(0));
            fails[0] = false;
            harness.runUntil(() -> values.size() == 2);
            assertThat(values).as("both are still there").containsExactly(1L, 1L);
        }
    }

    private static MessageSink.Taken taken(List<Long> values, long number) {
        values.add(number);
        return MessageSink.Taken.TAKEN;
    }

    /**
     * The other session has a message that waits, and has not begun. Aeron begins each poll with another image, so of two polls that
     * are the first with both one begins with the session that ends the receiver.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aReceiverThatHasEndedTellsNoFirstMessageOfAnotherSessionOfTheSamePoll(int polls) throws Exception {
        try (Harness harness = new Harness()) {
            Heard heard = new Heard();
            int[] asked = {0};
            List<String> heardAtEnd = new ArrayList<>();
            Harness.Out first = harness.new Out(64, sender(harness, IPC, 1));
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                asked[0]++;
                                if (asked[0] > polls) {
                                    heardAtEnd.addAll(heard.all);
                                    return MessageSink.Taken.ENDED;
                                }
                                if (asked[0] == polls) {
                                    Harness.Out second = harness.new Out(64, sender(harness, IPC, 1));
                                    second.publish(1, 1);
                                    int[] turns = {0}; // also some more, for its image to come
                                    harness.runUntil(
                                            () -> second.sender.count(SendResult.SENT) == 1 && turns[0]++ > 100);
                                }
                                return MessageSink.Taken.FULL;
                            },
                            heard)
                    .build();
            first.publish(1, 1);
            run(harness, receiver, receiver::isDone);
            assertThat(asked[0]).isEqualTo(polls + 1);
            assertThat(heard.all).isEqualTo(heardAtEnd);
            receiver.close();
        }
    }

    /** A receiver with two sessions, of each of which a message waits. */
    private static AeronReceiver twoWait(Harness harness, MessageSink sink) {
        AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, new Heard())
                .build());
        for (int i = 0; i < 2; i++) {
            Harness.Out out = harness.new Out(64, sender(harness, IPC, 1));
            out.publish(1, 1);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 1);
        }
        long held = receiver.held();
        harness.runUntil(() -> receiver.held() > held + 4);
        return receiver;
    }

    // ---- random senders that end and start again

    /**
     * Publications end, senders start again, and some of what they had sent they send again; some events cannot be encoded and leave a hole; the
     * receiver's ring is full now and then. Whatever was sent comes once and in order, and nothing else is missing.
     */
    @ParameterizedTest
    @CsvSource({"ipc, 20", "udp, 4"})
    void whateverSessionsFollowEachOtherNothingIsLost(String by, int programs) throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        for (int i = 0; i < programs; i++) {
            try (Harness harness = new Harness()) {
                new Program(harness, channel(by), seed + i).run();
            }
        }
    }

    private static final class Program {
        private final Harness harness;
        private final String channel;
        private final long seed;
        private final SplittableRandom random;
        private final Harness.In in;
        private final Heard heard = new Heard();
        private final AeronReceiver receiver;
        private Harness.Out out;
        private long first;
        private long next;
        private long sent; // behind the highest number that was sent before this sender

        Program(Harness harness, String channel, long seed) {
            this.harness = harness;
            this.channel = channel;
            this.seed = seed;
            random = new SplittableRandom(seed);
            in = harness.new In(1 << random.nextInt(5));
            in.polls = false;
            receiver = harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fragmentLimit(random.nextInt(1, 20))
                    .build());
            start(1);
        }

        /** The same for each sender that sends it. */
        private boolean isBroken(long value) {
            return new SplittableRandom(seed ^ value).nextInt(20) == 0;
        }

        private void start(long number) {
            first = number;
            next = number;
            int length = random.nextInt(10) == 0 ? 3_000 : 8;
            EventEncoder<long[]> encoder = new EventEncoder<>() {
                @Override
                public int length(long[] event) {
                    return length;
                }

                @Override
                public void encode(long[] event, MutableDirectBuffer buffer, int offset, int bytes) throws Exception {
                    if (isBroken(event[0])) {
                        throw new java.io.IOException("mine");
                    }
                    buffer.putLong(offset, event[0]);
                }
            };
            out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, channel + "|mtu=1408", STREAM, encoder)
                            .firstNumber(number)
                            .skipUnencodable(e -> {})
                            .build());
        }

        /** Goes on behind what has been sent, or a little before. */
        private void startAgain() {
            end(out);
            long behind = first + out.sender.count(SendResult.SENT) + out.sender.unencodable();
            sent = Math.max(sent, behind);
            start(Math.max(1, behind - (random.nextBoolean() ? 0 : random.nextInt(10))));
        }

        void run() {
            for (int step = 0; step < 100; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> {
                        for (int n = random.nextInt(30); n > 0 && out.offer(next); n--) {
                            next++;
                        }
                    }
                    case 3, 4 -> in.poll(random.nextInt(1, 40));
                    case 5 -> in.polls = random.nextInt(4) == 0;
                    case 6 -> {
                        if (random.nextBoolean() && out.sender.publication() != null) {
                            out.sender.publication().close();
                        }
                    }
                    default -> {
                        if (random.nextInt(3) == 0) {
                            startAgain();
                        }
                    }
                }
                harness.steps(random.nextInt(20));
            }
            in.polls = true;
            while (next < sent || isBroken(next)) { // what nobody sends tells no gap
                out.publish(next, next);
                next++;
            }
            out.publish(next, next);
            List<Long> all =
                    numbers(1, next).stream().filter(value -> !isBroken(value)).toList();
            harness.runUntil(
                    () -> !in.values.isEmpty() && in.values.get(in.values.size() - 1) >= next,
                    () -> "seed " + seed + ", " + in.values.size() + " of " + all.size());
            assertThat(in.values).as("seed %d", seed).isEqualTo(all);
            assertThat(receiver.missing()).as("seed %d, %s", seed, heard.all).isEqualTo(next - all.size());
        }
    }
}
