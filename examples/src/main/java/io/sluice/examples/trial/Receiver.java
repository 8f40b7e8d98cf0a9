package io.sluice.examples.trial;

import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.UdpNakTransport;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The receiving process of a trial. Its main thread carries packets from the socket into a ring, watches the ring's fill and says
 * NAK; a second thread handles the messages, as slowly as it is told to; a third reads commands.
 *
 * <p>Commands on standard input, a line each: {@code rate N} (messages a second; 0 to stop, -1 for as fast as it can), {@code end}.
 * On standard output: {@code ready PORT RECEIVE_BUFFER CAPACITY} (of the socket, in packets, as tried out), {@code loss FIRST LOST
 * SENT STALL} for each time that packets were missing, {@code drop FIRST COUNT} for each time that the ring was full, at last {@code
 * end HANDLED MISSING LOST DROPPED WRONG NAKS}.
 */
public final class Receiver {
    /** Messages that the ring holds. */
    static final int RING = 1 << 16;

    /** How often an overloaded receiver says so, nanoseconds. */
    static final long REFRESH_NANOS = 1_000_000;

    static final long STREAM = 7;

    private static final long UNBOUND = -1;
    private static final long PARK_NANOS = 100_000;

    private final PrintStream out;
    private final AtomicLong rate = new AtomicLong(UNBOUND);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicBoolean drained = new AtomicBoolean();
    private final RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[2])
            .capacity(RING)
            .singleProducer()
            .build();
    private final EventPoller<long[]> poller = Pipeline.on(ring).poller("handler");
    private final Producer<long[]> producer = ring.producer();
    private final AtomicLong consumed = new AtomicLong();

    // the main thread's
    private final Gaps gaps = new Gaps(System.nanoTime());
    private long published;
    private long session;
    private long lost;
    private long dropped;
    private boolean dropping;
    private long dropFirst;
    private long dropCount;

    // the handling thread's, read by the main thread after join
    private long handled;
    private long next = -1;
    private long missing;
    private long wrong;

    private Receiver(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs a receiver.
     *
     * @param arguments its id, the address of the sender's NAK socket, its port, the receive buffer to ask for, whether to say
     *     NAK, and for multicast the group's address and port
     * @throws Exception if a socket fails
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        new Receiver(out).run(arguments);
    }

    private void run(String[] arguments) throws Exception {
        int id = Integer.parseInt(arguments[0]);
        InetSocketAddress naks =
                new InetSocketAddress(InetAddress.getByName(arguments[1]), Integer.parseInt(arguments[2]));
        int buffer = Integer.parseInt(arguments[3]);
        boolean speaks = Boolean.parseBoolean(arguments[4]);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
                UdpNakTransport transport =
                        UdpNakTransport.unicast(new InetSocketAddress(loopback, 0), naks, STREAM, 1 << 16)) {
            int capacity = tryOut(buffer, loopback);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, buffer);
            if (arguments.length > 5) {
                NetworkInterface network = NetworkInterface.getByInetAddress(loopback);
                int port = Integer.parseInt(arguments[6]);
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(new InetSocketAddress(port));
                channel.join(InetAddress.getByName(arguments[5]), network);
            } else {
                channel.bind(new InetSocketAddress(loopback, 0));
            }
            channel.configureBlocking(false);
            FillMonitor monitor =
                    new FillMonitor(source(), transport, SystemNanoClock.INSTANCE, STREAM, id, REFRESH_NANOS);
            Thread handler = new Thread(this::handle, "handler");
            Thread commands = new Thread(this::commands, "commands");
            commands.setDaemon(true);
            handler.start();
            tell("ready " + ((InetSocketAddress) channel.getLocalAddress()).getPort() + " "
                    + channel.getOption(StandardSocketOptions.SO_RCVBUF) + " " + capacity);
            commands.start();
            carry(channel, speaks ? monitor : null);
            endOfDrop();
            drained.set(true);
            handler.join();
            tell("end " + handled + " " + missing + " " + lost + " " + dropped + " " + wrong + " "
                    + monitor.sentNaks());
        }
    }

    /** Says a line in one write, so that a process that is killed has said all of it or nothing. */
    private void tell(String line) {
        out.print(line + "\n");
        out.flush();
    }

    /** How many packets a socket with this buffer holds: fills one that nobody reads. */
    private static int tryOut(int buffer, InetAddress loopback) throws IOException {
        try (DatagramChannel full = DatagramChannel.open(StandardProtocolFamily.INET);
                DatagramChannel from = DatagramChannel.open(StandardProtocolFamily.INET)) {
            full.setOption(StandardSocketOptions.SO_RCVBUF, buffer);
            full.bind(new InetSocketAddress(loopback, 0));
            full.configureBlocking(false);
            ByteBuffer packet = Wire.buffer();
            for (int i = 0; i < buffer / 128; i++) { // more than it can hold: each packet costs it more than that
                Wire.encode(packet, 0, i);
                from.send(packet, full.getLocalAddress());
            }
            int held = 0;
            for (packet.clear(); full.receive(packet) != null; packet.clear()) {
                held++;
            }
            return held;
        }
    }

    private FillSource source() {
        return new FillSource() {
            @Override
            public long capacity() {
                return RING;
            }

            @Override
            public long fill() {
                return published - 1 - poller.sequence().get();
            }

            @Override
            public long consumedPosition() {
                return consumed.get();
            }

            @Override
            public long newestPosition() {
                return gaps.expected();
            }

            @Override
            public long session() {
                return session;
            }
        };
    }

    // ---- the main thread

    private void carry(DatagramChannel channel, @Nullable FillMonitor monitor) throws IOException {
        ByteBuffer packet = Wire.buffer();
        while (true) {
            boolean last = ended.get(); // asked for before the socket is emptied once more
            int packets = 0;
            for (packet.clear(); channel.receive(packet) != null; packet.clear()) {
                packet.flip();
                long number = Wire.first(packet);
                if (number < 0) {
                    continue;
                }
                session = Wire.session(packet);
                if (gaps.packet(number, Wire.MESSAGES, System.nanoTime())) {
                    put(packet, number);
                }
                if ((++packets & 15) == 0 && monitor != null) {
                    monitor.poll();
                }
            }
            long gone = gaps.emptied(System.nanoTime());
            if (gone > 0) {
                lost += gone;
                tell(gaps.inWords());
            }
            gaps.next();
            if (monitor != null) {
                monitor.poll();
            }
            if (last) {
                return;
            }
            if (packets == 0) {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }

    private void put(ByteBuffer packet, long first) {
        long hi = producer.tryNext(Wire.MESSAGES);
        if (hi < 0) {
            dropFirst = dropping ? dropFirst : first;
            dropCount += Wire.MESSAGES;
            dropping = true;
            return;
        }
        endOfDrop();
        long lo = producer.claimedFrom();
        for (int i = 0; i < Wire.MESSAGES; i++) {
            long[] event = producer.get(lo + i);
            event[0] = Wire.number(packet, i);
            event[1] = Wire.check(packet, i);
        }
        producer.publish(lo, hi);
        published = hi + 1;
    }

    private void endOfDrop() {
        if (dropping) {
            tell("drop " + dropFirst + " " + dropCount);
            dropped += dropCount;
            dropping = false;
            dropCount = 0;
        }
    }

    // ---- the handling thread

    private void handle() {
        long last = System.nanoTime();
        double credit = 0;
        while (true) {
            boolean end = drained.get(); // asked for before the ring is looked at once more
            long allowed = end ? UNBOUND : rate.get();
            long now = System.nanoTime();
            credit = allowed <= 0 ? 0 : Math.min(RING, credit + (now - last) * 1e-9 * allowed);
            last = now;
            int most = allowed == UNBOUND ? 1024 : (int) credit;
            int done = most == 0 ? 0 : poll(most);
            credit -= allowed > 0 ? done : 0;
            if (done == 0) {
                if (end) {
                    return;
                }
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }

    private int poll(int most) {
        try {
            int done = poller.poll(this::check, most);
            consumed.set(next);
            return done;
        } catch (Exception e) {
            throw new IllegalStateException("the handler threw", e);
        }
    }

    private void check(long[] event, long sequence, boolean endOfBatch) {
        long number = event[0];
        if (event[1] != Wire.check(number) || (next >= 0 && number < next)) {
            wrong++;
        } else if (next >= 0) {
            missing += number - next;
        }
        next = number + 1;
        handled++;
    }

    // ---- the commands' thread

    private void commands() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                if (line.startsWith("rate ")) {
                    rate.set(Long.parseLong(line.substring("rate ".length())));
                }
            }
        } catch (IOException e) {
            tell("fault " + e);
        }
        rate.set(UNBOUND);
        ended.set(true);
    }
}
