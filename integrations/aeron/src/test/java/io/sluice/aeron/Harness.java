package io.sluice.aeron;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aeron.ExclusivePublication;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;

/** A driver, a link, senders and receivers on the test's own thread, one step after another. */
final class Harness implements AutoCloseable {
    static final String IPC = "aeron:ipc?term-length=64k";
    static final int STREAM = 7;
    static final int NAKS = 99;
    static final long NAK_STREAM = 5;

    /** Aeron wants the address of a group to be odd; the even one behind it is for what goes back. */
    private static final String GROUP = "224.20.30.41";

    static final EventEncoder<long[]> ENCODER =
            EventEncoder.fixed(8, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
    static final MessageDecoder<long[]> DECODER =
            (event, buffer, offset, length, number) -> event[0] = buffer.getLong(offset);

    final List<Throwable> errors = new ArrayList<>();
    final AeronLink link;
    private final List<Agent> agents = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    Harness() {
        this(context -> {});
    }

    Harness(Consumer<MediaDriver.Context> settings) {
        link = AeronLink.embedded(this::error)
                .threads(ThreadingMode.INVOKER)
                .driver(context -> {
                    small(context);
                    settings.accept(context);
                })
                .reconnectAfter(Duration.ofMillis(20))
                .start();
        agents.add(link);
    }

    Harness(AeronLink link) {
        this.link = link;
        agents.add(link);
    }

    synchronized void error(Throwable t) {
        errors.add(t);
    }

    static void small(MediaDriver.Context context) {
        context.aeronDirectoryName(freshDirectory().toString())
                .publicationTermBufferLength(64 * 1024)
                .ipcTermBufferLength(64 * 1024)
                .statusMessageTimeoutNs(TimeUnit.MILLISECONDS.toNanos(20))
                .timerIntervalNs(TimeUnit.MILLISECONDS.toNanos(50))
                .imageLivenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(1_000))
                .publicationLingerTimeoutNs(TimeUnit.MILLISECONDS.toNanos(200))
                .counterFreeToReuseTimeoutNs(0);
    }

    static Path freshDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"), "sluice-aeron-" + java.util.UUID.randomUUID());
    }

    static String udp() {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return "aeron:udp?endpoint=127.0.0.1:" + socket.getLocalPort() + "|term-length=64k";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A group on loopback, with a port that nobody else has. */
    static String multicast() {
        return udp().replace("127.0.0.1", GROUP) + "|interface=127.0.0.1";
    }

    /** Skips the test where a datagram to a group does not come back on loopback. Aeron has no part in that. */
    static void assumeMulticast() {
        boolean came;
        try (DatagramChannel in = DatagramChannel.open(StandardProtocolFamily.INET);
                DatagramChannel out = DatagramChannel.open(StandardProtocolFamily.INET);
                Selector selector = Selector.open()) {
            InetAddress group = InetAddress.getByName(GROUP);
            NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
            in.bind(new InetSocketAddress(0));
            in.join(group, loopback);
            in.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            out.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
            out.send(
                    ByteBuffer.allocate(1),
                    new InetSocketAddress(group, in.socket().getLocalPort()));
            came = selector.select(2_000) == 1;
        } catch (IOException e) {
            came = abort("loopback has no multicast: " + e);
        }
        assumeTrue(came, "loopback has no multicast: a datagram to " + GROUP + " did not come back");
    }

    /** A ring that a sender sends. */
    abstract class Sending<E> {
        final RingBuffer<E> ring;
        final Pipeline<E> pipeline;
        final AeronSender<E> sender;

        Sending(RingBuffer<E> ring, AeronSender<E> sender) {
            this.ring = ring;
            this.sender = sender;
            pipeline = Pipeline.on(ring);
            pipeline.errorHandler(Harness.this::error);
            open.add(ring);
            open.add(sender);
        }

        /** Whether there was room for one with this value. */
        abstract boolean offer(long value);

        void publish(long from, long to) {
            for (long value = from; value <= to; value++) {
                long next = value;
                runUntil(() -> offer(next));
            }
        }
    }

    /** A ring whose events a sender sends. */
    final class Out extends Sending<long[]> {
        final Producer<long[]> producer;

        Out(int capacity, AeronSender<long[]> sender) {
            this(capacity, sender, FailurePolicies.halt());
        }

        Out(int capacity, AeronSender<long[]> sender, FailurePolicy<long[]> policy) {
            super(
                    RingBufferBuilder.of(() -> new long[1])
                            .capacity(capacity)
                            .singleProducer()
                            .build(),
                    sender);
            pipeline.handleEventsWith(pipeline.batchConsumer("out", sender).onFailure(policy));
            agents.add(pipeline.startInvoked());
            producer = ring.producer();
        }

        @Override
        boolean offer(long value) {
            return producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value) >= 0;
        }
    }

    /** A ring of messages that a sender sends. A value is a message's type, and its 8 bytes. */
    final class MessagesOut extends Sending<Messages> {
        final MessageProducer producer;

        MessagesOut(int bytes, AeronSender<Messages> sender) {
            this(RingBufferBuilder.messages(bytes).singleProducer(), sender, FailurePolicies.halt());
        }

        MessagesOut(RingBufferBuilder<Messages> builder, AeronSender<Messages> sender, FailurePolicy<Messages> policy) {
            super(builder.build(), sender);
            pipeline.handleEventsWith(
                    pipeline.consumer("out", RingMessages.handler(ring, sender)).onFailure(policy));
            agents.add(pipeline.startInvoked());
            producer = MessageProducer.of(ring);
        }

        @Override
        boolean offer(long value) {
            long claimed = producer.tryClaim((int) value, 8);
            if (claimed < 0) {
                return false;
            }
            producer.buffer().putLong(producer.offset(claimed), value);
            producer.commit(claimed);
            return true;
        }
    }

    /** Reads what {@link MessagesOut} has published into a ring of objects. */
    static final MessageDecoder<long[]> OF_MESSAGES = (event, buffer, offset, length, number) -> {
        event[0] = buffer.getLong(offset + RingMessages.HEAD);
        if (length != RingMessages.HEAD + 8 || RingMessages.type(buffer, offset, length) != event[0]) {
            throw new IllegalStateException("not of MessagesOut, but of " + length + " bytes");
        }
    };

    /** A ring that a receiver fills, and what a test has polled out of it. */
    final class In {
        final RingBuffer<long[]> ring;
        final EventPoller<long[]> poller;
        final Producer<long[]> producer;
        final List<Long> values = new ArrayList<>();
        RunnerAgent receiver;
        boolean polls = true;

        In(int capacity) {
            ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(capacity)
                    .singleProducer()
                    .build();
            poller = Pipeline.on(ring).poller("in");
            producer = ring.producer();
            open.add(ring);
            agents.add(new Agent() {
                @Override
                public int doWork() {
                    return polls ? poll(Integer.MAX_VALUE) : 0;
                }

                @Override
                public String roleName() {
                    return "in";
                }
            });
        }

        int poll(int limit) {
            return poller.poll((event, sequence, endOfBatch) -> values.add(event[0]), limit);
        }

        MessageSink sink() {
            return RingSink.waiting(producer, DECODER);
        }
    }

    AeronReceiver receiver(AeronReceiver receiver) {
        agents.add(receiver);
        open.add(0, receiver);
        return receiver;
    }

    void agent(Agent agent) {
        agents.add(agent);
    }

    void remove(Agent agent) {
        agents.remove(agent);
    }

    void step() {
        for (Agent agent : List.copyOf(agents)) {
            try {
                agent.doWork();
            } catch (Exception e) {
                error(e);
            }
        }
    }

    /** Leaves no room for a message in the publication's term, so that the next try is answered by ADMIN_ACTION. */
    void toTheEndOfTheTerm(ExclusivePublication publication) {
        while (publication.termBufferLength() - publication.termOffset() > 32) {
            int room = publication.termBufferLength() - publication.termOffset() - 64;
            if (publication.appendPadding(Math.max(0, Math.min(1_024, room))) < 0) {
                runReceivers();
            }
        }
    }

    static List<Long> numbers(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    /** Writes down what becomes of a sender's publications. */
    static SenderListener writer(List<String> told) {
        return new SenderListener() {
            @Override
            public void onOpen(int sessionId, long nextNumber) {
                told.add("open at " + nextNumber);
            }

            @Override
            public void onEnd(int sessionId, SendResult result, long nextNumber) {
                told.add("end at " + nextNumber + " " + result);
            }
        };
    }

    /** Runs the link and the receivers, for a sender that is within its batch. */
    void runReceivers() {
        link.doWork();
        for (Agent agent : agents) {
            if (agent instanceof AeronReceiver receiver) {
                receiver.doWork();
            }
        }
    }

    void steps(int n) {
        for (int i = 0; i < n; i++) {
            step();
        }
    }

    void runUntil(BooleanSupplier condition) {
        runUntil(condition, () -> "");
    }

    void runUntil(BooleanSupplier condition, Supplier<String> whereItStands) {
        long started = System.nanoTime();
        while (!condition.getAsBoolean()) {
            step();
            if (System.nanoTime() - started > TimeUnit.SECONDS.toNanos(60)) {
                throw new AssertionError("not after 60 s; " + whereItStands.get() + " errors: " + errors);
            }
        }
    }

    @Override
    public void close() {
        CloseHelper.closeAll(open);
        link.close();
    }
}
