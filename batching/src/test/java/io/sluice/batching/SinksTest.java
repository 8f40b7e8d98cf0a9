package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class SinksTest {
    private static final InetSocketAddress ANY_LOCAL_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final BatchingConfig CONFIG =
            BatchingConfig.defaults().bufferSize(64).sinkIdle(new YieldingIdleStrategy(), TimeUnit.SECONDS.toNanos(20));

    @Test
    void eachBatchIsOneDatagram() throws Exception {
        try (DatagramChannel receiver = DatagramChannel.open().bind(ANY_LOCAL_PORT);
                DatagramChannel connected = DatagramChannel.open().connect(receiver.getLocalAddress());
                DatagramChannel unconnected = DatagramChannel.open()) {
            for (DatagramSink sink :
                    List.of(new DatagramSink(connected), new DatagramSink(unconnected, receiver.getLocalAddress()))) {
                BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
                handler.onEvent("one ", 0, false);
                handler.onEvent("two", 1, true);
                handler.onEvent("three", 2, true);
                assertThat(receive(receiver)).isEqualTo("one two");
                assertThat(receive(receiver)).isEqualTo("three");
                handler.close();
            }
            assertThat(connected.isOpen()).as("the user's").isTrue();
        }
    }

    /** The peer is absent, comes, goes, and comes back; the ring runs all the time. */
    @Test
    @Tag("concurrency")
    void anAbsentPeerIsCountedAndDoesNotFailTheRing() throws Exception {
        InetSocketAddress address;
        try (DatagramChannel free = DatagramChannel.open(StandardProtocolFamily.INET)
                .bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0))) {
            address = (InetSocketAddress) free.getLocalAddress();
        }
        try (DatagramChannel connected =
                DatagramChannel.open(StandardProtocolFamily.INET).connect(address)) {
            DatagramSink sink = new DatagramSink(connected);
            BatchingHandler<String[]> handler = new BatchingHandler<>(
                    (event, buffer, offset) -> RecordingSink.encode(event[0], buffer, offset), sink, CONFIG);
            RingBuffer<String[]> ring =
                    RingBufferBuilder.of(() -> new String[1]).capacity(16).build();
            try (Pipeline<String[]> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(handler);
                pipeline.start();
                try (Producer<String[]> producer = ring.producer()) {
                    long before = 0;
                    for (int life = 0; life < 3; life++) {
                        for (int i = 0; i < 20; i++) {
                            publish(pipeline, producer, "nobody " + i);
                        }
                        assertThat(sink.unreachable()).as("life " + life).isGreaterThan(before);
                        before = sink.unreachable();
                        try (DatagramChannel peer = DatagramChannel.open(StandardProtocolFamily.INET)
                                .bind(address)) {
                            publish(
                                    pipeline,
                                    producer,
                                    "to life " + life); // a report may be due: it is sent all the same
                            publish(pipeline, producer, "and on");
                            assertThat(receive(peer)).isEqualTo("to life " + life);
                            assertThat(receive(peer)).isEqualTo("and on");
                        }
                    }
                }
                assertThat(ring.state()).isEqualTo(State.RUNNING);
                assertThat(handler.takenSequence()).isEqualTo(3 * 22 - 1);
                assertThat(handler.pendingMessages()).isZero();
            }
        }
    }

    private static void publish(Pipeline<String[]> pipeline, Producer<String[]> producer, String text) {
        producer.publishEvent((event, sequence, value) -> event[0] = value, text);
        assertThat(pipeline.awaitHandled(pipeline.ring().cursor().get(), TimeUnit.SECONDS.toNanos(20)))
                .isTrue();
    }

    /** A channel that answers each try with a report about an earlier datagram: the present one is lost, and nothing else. */
    @Test
    void reportsWithoutEndLoseADatagramAndFailNothing() throws Exception {
        try (DatagramChannel receiver = DatagramChannel.open().bind(ANY_LOCAL_PORT);
                DatagramChannel real = DatagramChannel.open().connect(receiver.getLocalAddress())) {
            int[] reports = {5};
            DatagramSink sink = new DatagramSink(new Reporting(real, reports));
            BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
            handler.onEvent("one", 0, true);
            assertThat(sink.unreachable()).isEqualTo(5);
            assertThat(receive(receiver)).isEqualTo("one");
            reports[0] = Integer.MAX_VALUE;
            handler.onEvent("lost", 1, true);
            assertThat(handler.takenSequence()).isEqualTo(1);
            assertThat(sink.unreachable()).isBetween(6L, 100L);
            reports[0] = 0;
            handler.onEvent("three", 2, true);
            assertThat(receive(receiver)).isEqualTo("three");
        }
    }

    @Test
    void aBatchThatNoDatagramCanHoldIsRefusedWhenTheHandlerIsMade() throws Exception {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSink sink = new DatagramSink(channel, ANY_LOCAL_PORT);
            assertThatThrownBy(() -> new BatchingHandler<>(RecordingSink::encode, sink, CONFIG.bufferSize(65_508)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65508")
                    .hasMessageContaining("65507");
            assertThatThrownBy(() -> new DatagramSink(channel)).hasMessageContaining("must be connected");
        }
    }

    @Test
    void multicastReachesTheMembersOnThisMachine() throws Exception {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        InetAddress group = InetAddress.getByName("239.255.77.7");
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)
                .setOption(StandardSocketOptions.SO_REUSEADDR, true)
                .bind(new InetSocketAddress(0))) {
            try {
                receiver.join(group, loopback);
            } catch (IOException | IllegalArgumentException e) {
                assumeThat(false)
                        .as("no multicast on the loopback interface: " + e)
                        .isTrue();
            }
            int port = ((InetSocketAddress) receiver.getLocalAddress()).getPort();
            DatagramSink sink = DatagramSink.multicast(new InetSocketAddress(group, port), loopback, 0, true);
            BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
            handler.onEvent("to ", 0, false);
            handler.onEvent("all", 1, true);
            assertThat(receive(receiver)).isEqualTo("to all");
            handler.close();
            assertThatThrownBy(() -> handler.onEvent("late", 2, true))
                    .isInstanceOf(SinkException.class)
                    .hasCauseInstanceOf(ClosedChannelException.class);
        }
        assertThatThrownBy(() -> DatagramSink.multicast(ANY_LOCAL_PORT, loopback, 0, true))
                .hasMessageContaining("must be a resolved multicast address");
        assertThatThrownBy(() -> DatagramSink.multicast(new InetSocketAddress(group, 1), loopback, 256, true))
                .hasMessage("timeToLive must be from 0 to 255, but was 256");
    }

    @Test
    @Tag("concurrency")
    void aSlowReaderOfAStreamGetsEveryByteInOrder() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT);
                SocketChannel client = SocketChannel.open()) {
            client.setOption(StandardSocketOptions.SO_SNDBUF, 4096);
            client.connect(server.getLocalAddress());
            client.configureBlocking(false);
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            Thread reader = new Thread(() -> {
                try (SocketChannel accepted = server.accept()) {
                    ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                    while (accepted.read(buffer.clear()) >= 0) {
                        read.write(buffer.array(), 0, buffer.position());
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            reader.start();
            int size = 1 << 18;
            BatchingHandler<byte[]> handler = new BatchingHandler<>(
                    (event, buffer, offset) -> {
                        buffer.put(event);
                        return event.length;
                    },
                    new StreamSink(client),
                    CONFIG.bufferSize(size));
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            for (int i = 0; i < 9; i++) {
                byte[] event = new byte[size - i];
                for (int k = 0; k < event.length; k++) {
                    event[k] = (byte) (i + k * 31);
                }
                sent.write(event);
                handler.onEvent(event, i, i % 3 == 2);
            }
            client.shutdownOutput();
            reader.join(30_000);
            assertThat(reader.isAlive()).isFalse();
            assertThat(read.toByteArray()).isEqualTo(sent.toByteArray());
        }
    }

    @Test
    void aStreamWithoutReconnectionReportsItsFailure() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT)) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            BatchingHandler<String> handler =
                    new BatchingHandler<>(RecordingSink::encode, new StreamSink(client), CONFIG);
            client.close();
            assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                    .isInstanceOf(SinkException.class)
                    .hasCauseInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
            assertThatThrownBy(() -> new StreamSink(SocketChannel.open())).hasMessageContaining("must be connected");
        }
    }

    @Test
    void aReconnectionThatFailsDoesNotHideWhyTheConnectionBroke() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT)) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            IOException refused = new IOException("nobody there yet");
            int[] asked = {0};
            StreamSink sink = new StreamSink(client, StreamSink.Delivery.AT_MOST_ONCE, (failed, cause) -> {
                throw asked[0]++ == 0 ? refused : cause;
            });
            BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
            client.close();
            assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                    .isInstanceOf(SinkException.class)
                    .hasCauseInstanceOf(ClosedChannelException.class)
                    .satisfies(e -> assertThat(e.getCause().getSuppressed()).containsExactly(refused));
            assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                    .isInstanceOf(SinkException.class)
                    .hasRootCauseMessage("the connection must be open, but has failed before and no new one was made");
        }
    }

    /** As where the peer's name is not to be found for now, which the JDK says by an unchecked exception. */
    @Test
    void aReconnectionThatFailsUncheckedDoesNotHideWhyTheConnectionBrokeAndTheNextOneGoesOn() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT)) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel[] made = new SocketChannel[3];
            int[] asked = {0};
            StreamSink sink = new StreamSink(client, StreamSink.Delivery.AT_MOST_ONCE, (failed, cause) -> {
                made[asked[0]] = SocketChannel.open();
                if (asked[0] == 0) {
                    made[0].connect(InetSocketAddress.createUnresolved("nobody", 1));
                } else if (asked[0] == 2) {
                    made[2].connect(server.getLocalAddress());
                }
                return made[asked[0]++];
            });
            BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
            client.close();
            assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                    .isInstanceOf(SinkException.class)
                    .hasCauseInstanceOf(ClosedChannelException.class)
                    .satisfies(e -> assertThat(e.getCause().getSuppressed())
                            .singleElement()
                            .isInstanceOf(UnresolvedAddressException.class));
            asked[0]++;
            assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                    .isInstanceOf(SinkException.class)
                    .hasRootCauseMessage("the connection must be open, but has failed before and no new one was made")
                    .satisfies(e -> assertThat(e.getCause().getSuppressed())
                            .singleElement()
                            .asString()
                            .contains("channel must be connected, but was not connected"));
            handler.onEvent("a", 0, true);
            assertThat(handler.takenSequence()).isZero();
            for (SocketChannel each : made) {
                each.close();
            }
        }
    }

    @Test
    void aNewConnectionGoesOnAtAMessageOrAtTheBatch() throws Exception {
        // The first connection takes seven bytes, that is one message and a half, and breaks.
        assertThat(afterReconnection(StreamSink.Delivery.AT_MOST_ONCE, CONFIG)).isEqualTo("msg1|msg2|");
        assertThat(afterReconnection(StreamSink.Delivery.AT_LEAST_ONCE, CONFIG)).isEqualTo("msg0|msg1|msg2|");
        BatchingConfig withHeader = CONFIG.header(1, batch -> batch.buffer().put(0, (byte) '#'));
        assertThat(afterReconnection(StreamSink.Delivery.AT_MOST_ONCE, withHeader))
                .isEqualTo("#msg0|msg1|msg2|");
    }

    /** Each new connection takes a part and breaks. */
    @Test
    void aPeerThatBreaksEachConnectionIsReportedInsteadOfConnectedToForEver() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT)) {
            List<SocketChannel> made = new ArrayList<>();
            made.add(SocketChannel.open(server.getLocalAddress()));
            StreamSink sink = new StreamSink(made.get(0), StreamSink.Delivery.AT_LEAST_ONCE, (failed, cause) -> {
                if (made.size() == 30) {
                    return null; // without end
                }
                server.accept().close();
                made.add(SocketChannel.open(server.getLocalAddress()));
                return made.get(made.size() - 1);
            });
            BatchSink breaking = batch -> {
                SocketChannel present = made.get(made.size() - 1);
                if (present.isOpen()) {
                    batch.buffer().position(7);
                    present.close();
                } else {
                    sink.send(batch);
                }
            };
            long[] now = {0};
            BatchingHandler<String> handler = new BatchingHandler<>(
                    RecordingSink::encode,
                    breaking,
                    CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
            handler.onEvent("msg0|", 0, false);
            assertThatThrownBy(() -> handler.onEvent("msg1|", 1, true))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("took nothing for 1000 ns that was not lost again")
                    .hasMessageContaining("2 of 2 messages not taken");
            assertThat(made.size()).isLessThan(20);
            for (SocketChannel each : made) {
                each.close();
            }
        }
    }

    private static String afterReconnection(StreamSink.Delivery delivery, BatchingConfig config) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(ANY_LOCAL_PORT)) {
            SocketChannel first = SocketChannel.open(server.getLocalAddress());
            server.accept().close();
            SocketChannel second = SocketChannel.open(server.getLocalAddress());
            int[] asked = {0};
            StreamSink sink = new StreamSink(first, delivery, (failed, cause) -> {
                assertThat(failed).isSameAs(first);
                return asked[0]++ == 0 ? null : second;
            });
            BatchSink breaking = new BatchSink() {
                private boolean broken;

                @Override
                public void send(Batch batch) throws IOException {
                    if (!broken) {
                        broken = true;
                        batch.buffer().position(7);
                        first.close();
                        return;
                    }
                    sink.send(batch);
                }
            };
            BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, breaking, config);
            handler.onEvent("msg0|", 0, false);
            handler.onEvent("msg1|", 1, false);
            assertThatThrownBy(() -> handler.onEvent("msg2|", 2, true)).isInstanceOf(SinkException.class);
            handler.onEvent("msg2|", 2, true);
            assertThat(asked[0]).isEqualTo(2);
            second.close();
            try (SocketChannel accepted = server.accept()) {
                ByteBuffer got = ByteBuffer.allocate(1000);
                while (accepted.read(got) >= 0) {
                    // to the end
                }
                return RecordingSink.text(got.flip());
            }
        }
    }

    @Test
    void aChannelGetsTheBytesAndAClosedOneIsReported() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        WritableByteChannel channel = Channels.newChannel(bytes);
        BatchingHandler<String> handler =
                new BatchingHandler<>(RecordingSink::encode, new ByteChannelSink(channel), CONFIG);
        handler.onEvent("abc", 0, false);
        handler.onEvent("def", 1, true);
        assertThat(bytes.toString(StandardCharsets.US_ASCII)).isEqualTo("abcdef");
        channel.close();
        assertThatThrownBy(() -> handler.onEvent("g", 2, true))
                .isInstanceOf(SinkException.class)
                .hasCauseInstanceOf(ClosedChannelException.class);
    }

    /** A disk is full, and then is not. The channel of a stream moves the buffer's position before the stream gets the bytes. */
    @ParameterizedTest
    @CsvSource({"3, 0, 2", "6000, 0, 2", "6000, 1, 1", "20000, 3, 1"})
    void whatAStreamBehindAChannelHasNotTakenIsNamedAndGoesAtTheNextAttempt(int length, int writes, int notTaken)
            throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] left = {writes};
        OutputStream disk = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int count) throws IOException {
                if (left[0]-- == 0) {
                    throw new IOException("no space left on device");
                }
                bytes.write(from, offset, count);
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                new ByteChannelSink(Channels.newChannel(disk)),
                BatchingConfig.defaults().bufferSize(1 << 16));
        String first = "a".repeat(length);
        String second = "b".repeat(length);
        handler.onEvent(first, 0, false);
        assertThatThrownBy(() -> handler.onEvent(second, 1, true))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining(notTaken + " of 2 messages not taken");
        handler.onEvent(second, 1, true); // RETRY_EVENT
        assertThat(bytes.toString(StandardCharsets.US_ASCII)).isEqualTo(first + second);
        assertThat(handler.pendingMessages()).isZero();
    }

    @Test
    void aCompositeSendsToAllAndToNoneTwice() throws Exception {
        RecordingSink first = new RecordingSink();
        RecordingSink second = new RecordingSink();
        RecordingSink third = new RecordingSink();
        second.maxBatchLength = 100;
        CompositeSink sink = new CompositeSink(List.of(first, second, third));
        assertThat(sink.maxBatchLength()).isEqualTo(100);
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode, sink, CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000_000_000));
        second.script.addAll(List.of(1, RecordingSink.failAfter(2)));
        third.script.addAll(List.of(4, 0));
        assertThatThrownBy(() -> handler.onEvent("abcdef", 0, true)).isInstanceOf(SinkException.class);
        second.endFailures.add(new IOException("end"));
        assertThatThrownBy(() -> handler.onEvent("abcdef", 0, true)).isInstanceOf(SinkException.class);
        handler.onEvent("abcdef", 0, true);
        handler.onEvent("g", 1, true);
        for (RecordingSink each : List.of(first, second, third)) {
            assertThat(each.taken()).isEqualTo("abcdefg");
            assertThat(each.batches).containsExactly("abcdef", "g");
            assertThat(each.ends).isEqualTo(2);
        }
        handler.onTimeout(1);
        handler.close();
        assertThat(List.of(first, second, third)).allSatisfy(each -> {
            assertThat(each.closed).isTrue();
            assertThat(each.idles).isEqualTo(1);
        });
        assertThatThrownBy(() -> new CompositeSink(List.of()))
                .hasMessage("sinks must have 1 element or more, but had 0");
    }

    @Test
    void aCompositeClosesAllEvenIfOneFails() {
        List<String> closed = new ArrayList<>();
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) {}

            @Override
            public void close() throws IOException {
                closed.add("x");
                throw new IOException("close");
            }
        };
        RecordingSink last = new RecordingSink();
        assertThatThrownBy(() -> new CompositeSink(List.of(failing, failing, last)).close())
                .hasMessage("close")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(closed).hasSize(2);
        assertThat(last.closed).isTrue();
    }

    /** Two sinks over one connection throw one exception, if they keep it. */
    @Test
    void aCompositeClosesAllEvenIfTwoFailWithOneException() {
        IOException broken = new IOException("broken before");
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) {}

            @Override
            public void close() throws IOException {
                throw broken;
            }
        };
        RecordingSink last = new RecordingSink();
        assertThatThrownBy(() -> new CompositeSink(List.of(failing, failing, last)).close())
                .isSameAs(broken);
        assertThat(last.closed).isTrue();
    }

    /** As where a class is missing at a program's end: a journal beside it would lose its last batch. */
    @Test
    void aSinkThatFailsWithAnErrorDoesNotKeepTheOthersFromTheirEndNorOpen() {
        Error missing = new NoClassDefFoundError("planned");
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) {
                batch.buffer().position(batch.buffer().limit());
            }

            @Override
            public void endOfBatch() {
                throw missing;
            }

            @Override
            public void onIdle() {
                throw missing;
            }

            @Override
            public void close() {
                throw missing;
            }
        };
        RecordingSink journal = new RecordingSink();
        CompositeSink sink = new CompositeSink(List.of(failing, failing, journal));
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, sink, CONFIG);
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isSameAs(missing);
        assertThat(journal.ends).as("a force").isEqualTo(1);
        assertThatThrownBy(sink::onIdle).isSameAs(missing);
        assertThat(journal.idles).as("a timed force, say").isEqualTo(1);
        assertThatThrownBy(handler::close).isSameAs(missing);
        assertThat(journal.closed).isTrue();
    }

    @Test
    void aSinkThatFailsWhenIdleDoesNotKeepTheOthersFromTheirTurn() {
        RecordingSink failing = new RecordingSink();
        RecordingSink unchecked = new RecordingSink();
        RecordingSink journal = new RecordingSink();
        failing.onIdle = () -> {
            throw new IOException("idle");
        };
        unchecked.onIdle = () -> {
            throw new IllegalStateException("unchecked");
        };
        CompositeSink sink = new CompositeSink(List.of(failing, unchecked, journal));
        assertThatThrownBy(sink::onIdle)
                .hasMessage("idle")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(journal.idles).as("a timed force, say").isEqualTo(1);
    }

    private static String receive(DatagramChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(2048);
        channel.receive(buffer);
        return RecordingSink.text(buffer.flip());
    }

    /** A connected channel that reports an absent peer so many times before it sends. */
    private static final class Reporting extends DatagramChannel {
        private final DatagramChannel real;
        private final int[] reports;

        Reporting(DatagramChannel real, int[] reports) {
            super(real.provider());
            this.real = real;
            this.reports = reports;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (reports[0] > 0) {
                reports[0]--;
                throw new PortUnreachableException();
            }
            return real.write(source);
        }

        @Override
        public SocketAddress getRemoteAddress() throws IOException {
            return real.getRemoteAddress();
        }

        @Override
        public DatagramChannel bind(SocketAddress local) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> DatagramChannel setOption(SocketOption<T> name, T value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public DatagramSocket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public DatagramChannel connect(SocketAddress remote) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DatagramChannel disconnect() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress receive(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int send(ByteBuffer source, SocketAddress target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            return real.getLocalAddress();
        }

        @Override
        public MembershipKey join(InetAddress group, NetworkInterface network) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MembershipKey join(InetAddress group, NetworkInterface network, InetAddress source) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean block) {}
    }
}
