package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.nak.UdpNakTransport;
import io.sluice.batching.BatchSink;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.cli.Interruption;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.oracle.Inputs;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes to the subscriber, what it notices, and what its NAKs are worth. */
@Timeout(60)
class MarketLinkTest {
    /** A thread that did not look for so long was stopped by the machine. */
    private static final long STOPPED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final BatchSink DISCARD =
            batch -> batch.buffer().position(batch.buffer().limit());

    private static byte[] session(int messages) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SessionGenerator(messages, 11).writeTo(bytes);
        return bytes.toByteArray();
    }

    private static FeedReader reader(byte[] session) {
        return new ItchReader("session", Inputs.source(session, 1 << 16));
    }

    /** The datagrams of a session, as the publisher's handler makes them. */
    private static List<byte[]> datagrams(byte[] session, int inEach) throws Exception {
        List<byte[]> sent = new ArrayList<>();
        BatchSink keeping = batch -> {
            byte[] bytes = new byte[batch.buffer().remaining()];
            batch.buffer().get(bytes);
            sent.add(bytes);
        };
        Datagram datagram = new Datagram();
        try (FeedReader reader = reader(session);
                BatchingHandler<MarketEvent> handler = new BatchingHandler<>(
                        Datagram::encode,
                        keeping,
                        BatchingConfig.defaults()
                                .bufferSize(Datagram.LENGTH)
                                .maxMessages(inEach)
                                .header(Datagram.HEADER, datagram::encodeHeader))) {
            MarketEvent event = new MarketEvent();
            for (long sequence = 0; reader.next(); sequence++) {
                reader.copyTo(event);
                handler.onEvent(event, sequence, false);
            }
            event.end();
            handler.onEvent(event, Long.MAX_VALUE, true);
        }
        return sent;
    }

    private static ByteBuffer buffer(byte[] datagram) {
        return ByteBuffer.wrap(datagram).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void everyBitOfADatagramIsChecked() throws Exception {
        byte[] datagram = datagrams(session(100), 10).get(3);
        Datagram layout = new Datagram();
        assertThat(layout.fault(buffer(datagram))).isEmpty();
        assertThat(Datagram.firstSequence(buffer(datagram))).isEqualTo(30);
        assertThat(Datagram.messages(buffer(datagram))).isEqualTo(10);
        for (int bit = 0; bit < datagram.length * 8; bit++) {
            byte[] flipped = datagram.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(layout.fault(buffer(flipped))).as("bit " + bit).isEqualTo("a datagram with a wrong checksum");
        }
        for (int length = 0; length < datagram.length; length++) {
            assertThat(layout.fault(buffer(java.util.Arrays.copyOf(datagram, length))))
                    .as("length " + length)
                    .isNotEmpty();
        }
        ByteBuffer empty = buffer(new byte[Datagram.HEADER]);
        CRC32C crc = new CRC32C();
        crc.update(new byte[20]);
        empty.putInt(20, (int) crc.getValue());
        assertThat(layout.fault(empty)).isEqualTo("a datagram of 0 messages, at least 1 is expected");
    }

    @Test
    void theSubscriberComparesWithTheInputAndCountsWhatIsMissing() throws Exception {
        byte[] session = session(100);
        List<byte[]> sent = datagrams(session, 10);
        assertThat(sent).hasSize(10);
        List<byte[]> all = new ArrayList<>(sent);
        assertThat(result(session, all, 100))
                .returns(100L, SubscriberResult::matching)
                .returns(0L, SubscriberResult::lostByUdp)
                .returns(0L, SubscriberResult::naks)
                .returns(0L, SubscriberResult::faults)
                .returns(10L, SubscriberResult::datagrams);

        all.remove(9); // the end
        all.remove(4);
        all.remove(3);
        all.remove(0);
        assertThat(result(session, all, 100))
                .returns(60L, SubscriberResult::matching)
                .returns(40L, SubscriberResult::lostByUdp)
                .returns(0L, SubscriberResult::faults);

        all = new ArrayList<>(sent);
        all.add(5, sent.get(4)); // a datagram twice
        assertThat(result(session, all, 100))
                .returns(100L, SubscriberResult::matching)
                .returns(1L, SubscriberResult::faults)
                .returns("sequence 40 after 49", SubscriberResult::firstFault);

        all = new ArrayList<>(sent);
        byte[] damaged = sent.get(2).clone();
        damaged[100] ^= 1;
        all.set(2, damaged);
        assertThat(result(session, all, 100))
                .returns(90L, SubscriberResult::matching)
                .returns(10L, SubscriberResult::lostByUdp)
                .returns(1L, SubscriberResult::faults)
                .returns("a datagram with a wrong checksum", SubscriberResult::firstFault);
    }

    @Test
    void aMessageThatIsNotThatOfTheInputIsAFault() throws Exception {
        byte[] session = session(100);
        byte[] other = session.clone();
        other[other.length - 1] ^= 1; // of the last message; its datagram is whole
        assertThat(result(other, datagrams(session, 10), 100))
                .returns(99L, SubscriberResult::matching)
                .returns(1L, SubscriberResult::faults)
                .returns("message 99 is not that of the input", SubscriberResult::firstFault);
        assertThat(result(session(50), datagrams(session, 10), 100))
                .as("more than there is in the input")
                .satisfies(result -> assertThat(result.faults()).isGreaterThanOrEqualTo(50));
    }

    /** The sender finds the subscriber's rate from how far it is, so that must be told, and be true. */
    @Test
    void naksSayHowFarTheSubscriberIs() throws Exception {
        int messages = Subscriber.QUEUE / 4 * 3;
        byte[] session = session(messages);
        List<Long> consumed = new ArrayList<>();
        NakTransport recording = new NakTransport() {
            @Override
            public boolean send(Nak nak) {
                consumed.add(nak.consumedPosition());
                assertThat(nak.capacity()).isEqualTo(Subscriber.QUEUE);
                assertThat(nak.newestPosition()).isBetween(nak.consumedPosition(), (long) messages);
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                return 0;
            }
        };
        SubscriberResult result = result(session, datagrams(session, 64), messages, 10_000, recording);
        assertThat(result.faults()).as(result.firstFault()).isZero();
        assertThat(result.matching() + result.lostByUdp()).isEqualTo(messages);
        assertThat(consumed).hasSize((int) result.naks()).isNotEmpty().isSorted();
        assertThat(consumed.get(consumed.size() - 1))
                .as("the first messages were handled before the queue was half full")
                .isPositive();
    }

    private static SubscriberResult result(byte[] truth, List<byte[]> datagrams, long messages) throws Exception {
        return result(truth, datagrams, messages, 0, null);
    }

    private static SubscriberResult result(
            byte[] truth, List<byte[]> datagrams, long messages, long nanosEach, @Nullable NakTransport naks)
            throws Exception {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
        try (FeedReader reader = reader(truth);
                DatagramChannel in = DatagramChannel.open().bind(loopback);
                DatagramChannel out = DatagramChannel.open().bind(loopback).connect(in.getLocalAddress());
                Subscriber subscriber = new Subscriber(
                                in.connect(out.getLocalAddress()), reader, nanosEach, naks, Subscriber.RECEIVE_BUFFER)
                        .start()) {
            for (int i = 0; i < datagrams.size(); i++) {
                byte[] datagram = datagrams.get(i);
                assertThat(out.write(ByteBuffer.wrap(datagram))).isEqualTo(datagram.length);
                if (naks != null && i == datagrams.size() / 3) { // the queue is less than half full
                    awaitThat("there is something to tell", () -> subscriber.handled() > 0);
                }
            }
            return subscriber.finish(messages);
        }
    }

    /** Spins; ends when the test's time is over, which interrupts its thread. */
    private static void awaitThat(String what, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("waited in vain until " + what);
            }
            Thread.onSpinWait();
        }
    }

    /** The queue is full, and nothing is lost: what comes waits in the socket, and the NAKs say that there is no room. */
    @Test
    void whatTheQueueCannotHoldWaitsInTheSocket() throws Exception {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
        List<Long> fills = Collections.synchronizedList(new ArrayList<>());
        NakTransport recording = new NakTransport() {
            @Override
            public boolean send(Nak nak) {
                fills.add(nak.fill());
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                return 0;
            }
        };
        CountDownLatch gate = new CountDownLatch(1);
        try (DatagramChannel in = DatagramChannel.open().bind(loopback);
                DatagramChannel out = DatagramChannel.open().bind(loopback).connect(in.getLocalAddress())) {
            in.setOption(StandardSocketOptions.SO_RCVBUF, Subscriber.RECEIVE_BUFFER);
            // A datagram takes less of the buffer than this, whatever the system counts besides its bytes.
            int inSocket = in.getOption(StandardSocketOptions.SO_RCVBUF) / 8192;
            int inEach = 30; // the queue is no multiple of it, so it never holds as many messages as it can
            int messages = Subscriber.QUEUE + inSocket * inEach;
            byte[] session = session(messages);
            List<byte[]> datagrams = datagrams(session, inEach);
            try (FeedReader truth = new GatedReader(reader(session), gate);
                    Subscriber subscriber = new Subscriber(
                                    in.connect(out.getLocalAddress()), truth, 0, recording, Subscriber.RECEIVE_BUFFER)
                            .start()) {
                int sent = 0;
                for (byte[] datagram : datagrams) {
                    out.write(ByteBuffer.wrap(datagram));
                    sent += Datagram.messages(buffer(datagram));
                    long least = Math.min(Subscriber.QUEUE - inEach, sent);
                    awaitThat("messages are queued", () -> subscriber.queued() >= least);
                }
                awaitThat("a NAK says full", () -> fills.contains((long) Subscriber.QUEUE));
                gate.countDown();
                assertThat(subscriber.finish(messages))
                        .returns((long) messages, SubscriberResult::matching)
                        .returns(0L, SubscriberResult::lostByUdp)
                        .returns(0L, SubscriberResult::faults)
                        .returns((long) datagrams.size(), SubscriberResult::datagrams);
            } finally {
                gate.countDown();
            }
        }
        assertThat(fills)
                .allSatisfy(fill -> assertThat(fill).isBetween(Subscriber.QUEUE / 2L, (long) Subscriber.QUEUE));
    }

    /** Hands out the first message when it may. */
    private record GatedReader(FeedReader reader, CountDownLatch gate) implements FeedReader {
        @Override
        public boolean next() throws FeedFault {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return reader.next();
        }

        @Override
        public void copyTo(MarketEvent event) {
            reader.copyTo(event);
        }

        @Override
        public FeedFormat format() {
            return reader.format();
        }

        @Override
        public String instrumentName(long instrument) {
            return reader.instrumentName(instrument);
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    /**
     * The same subscriber, which handles 100,000 messages a second: its NAKs slow the feed down, and nothing is lost; without
     * them, and with a small socket buffer that is full early in this short run, it loses. A receiving thread that the machine
     * stops for long cannot say anything, and the socket's buffer does not last for ever: only then may a run lose.
     */
    @Tag("concurrency")
    @Test
    void aSlowSubscriberSlowsTheFeedOrLoses() throws Exception {
        LinkResult silent = slow(false, 1 << 18);
        assertThat(silent.subscriber().lostByUdp()).as(silent.toString()).isPositive();
        assertThat(silent.subscriber().naks()).isZero();
        assertThat(silent.pace()).isNull();

        LinkResult heard = slow(true, Subscriber.RECEIVE_BUFFER);
        if (heard.subscriber().longestGapNanos() < STOPPED_NANOS) {
            assertThat(heard.subscriber().lostByUdp()).as(heard.toString()).isZero();
        }
        assertThat(heard.subscriber().matching()).as(heard.toString()).isPositive();
        assertThat(heard.subscriber().naks()).isPositive();
        assertThat(heard.pace()).isNotNull().satisfies(pace -> {
            assertThat(pace.naks()).isPositive();
            assertThat(pace.limited()).isPositive();
            assertThat(pace.lowest()).isLessThan(Double.POSITIVE_INFINITY);
        });
    }

    private static LinkResult slow(boolean naks, int receiveBuffer) throws Exception {
        int messages = 3 * Subscriber.QUEUE;
        byte[] session = session(messages);
        try (Interruption interruption = new Interruption("sluice demo");
                FeedReader truth = reader(session);
                FeedReader reader = reader(session);
                MarketLink link = new MarketLink(truth, 10_000, naks, receiveBuffer)) {
            LinkResult result = new Exchange(
                            reader,
                            DISCARD,
                            new JournalRecords(),
                            link,
                            0,
                            0,
                            false,
                            new Progress(System.err, false, System::nanoTime),
                            interruption)
                    .run()
                    .link();
            SubscriberResult got = result.subscriber();
            assertThat(got.faults()).as(got.firstFault()).isZero();
            assertThat(result.sent().messages()).isEqualTo(messages);
            assertThat(got.matching() + got.lostByUdp()).isEqualTo(messages);
            return result;
        }
    }

    /** A feed that is held back has collected messages when its input ends: they must not be forgotten. */
    @Test
    void whatWasCollectedIsPublishedAtTheEnd() throws Exception {
        byte[] session = session(50);
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
        try (Interruption interruption = new Interruption("sluice demo");
                FeedReader truth = reader(session);
                FeedReader reader = reader(session);
                MarketLink link = new MarketLink(truth, 0, true);
                UdpNakTransport another = UdpNakTransport.unicast(
                        loopback,
                        java.util.Objects.requireNonNull(link.naks()).localAddress(),
                        Subscriber.STREAM,
                        1 << 16)) {
            assertThat(another.send(new Nak().set(Subscriber.STREAM, 2, 100, 100, 100, 0, 0, 0, 1)))
                    .isTrue();
            RunResult run = new Exchange(
                            reader,
                            DISCARD,
                            new JournalRecords(),
                            link,
                            0,
                            0,
                            false,
                            new Progress(System.err, false, System::nanoTime),
                            interruption)
                    .run();
            assertThat(run.link().pace()).isNotNull().satisfies(pace -> {
                assertThat(pace.naks()).isEqualTo(1);
                assertThat(pace.limited()).isEqualTo(1);
            });
            assertThat(run.tally().total()).isEqualTo(50);
            assertThat(run.link().subscriber().matching()).isEqualTo(50);
        }
    }

    /** Nobody may hang when a subscriber holds the feed back and the user wants to stop. */
    @Test
    void aFeedThatIsHeldBackEndsWhenAsked() throws Exception {
        Nak nak = new Nak();
        NakTransport saysFull = new NakTransport() {
            private long nanos;

            @Override
            public boolean send(Nak none) {
                return false;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                nanos += Subscriber.REFRESH_NANOS;
                handler.onNak(nak.set(Subscriber.STREAM, 1, 100, 100, 100, 0, 0, nanos, 1));
                return 1;
            }
        };
        RingBuffer<MarketEvent> ring = RingBufferBuilder.of(MarketEvent::new)
                .capacity(1024)
                .singleProducer()
                .build();
        try (Interruption interruption = new Interruption("sluice demo");
                Producer<MarketEvent> producer = ring.producer();
                FeedReader reader = reader(session(1_000))) {
            PacedFeed feed = new PacedFeed(producer, saysFull, interruption);
            interruption.request();
            int taken = 0;
            while (reader.next() && feed.publish(reader, System.nanoTime())) {
                taken++;
            }
            assertThat(taken).as("collected before it waited").isPositive().isLessThan(1_000);
            assertThat(feed.flush()).isFalse();
            assertThat(feed.pace().naks()).isPositive();
            assertThat(feed.pace().limited()).isEqualTo(1);
            assertThat(feed.pace().pauses()).isPositive();
            assertThat(ring.cursor().get()).isLessThan(taken);
        }
    }
}
