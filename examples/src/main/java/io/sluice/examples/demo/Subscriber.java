package io.sluice.examples.demo;

import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.core.Sequence;
import io.sluice.core.SignalledIdle;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Gets the market data from the network and checks every byte of it: the checksum of each datagram, the sequence of each
 * message, and its record against the input, which it reads for itself. Missing messages are counted.
 *
 * <pre>
 *   socket --&gt; receiving thread --&gt; queue, {@value #QUEUE} messages --&gt; checking thread
 *                    |
 *                    +--&gt; NAKs, when the queue is at least half full
 * </pre>
 *
 * <p>When the queue is full, datagrams wait in the socket's buffer, and the subscriber says that it is full. So nothing is
 * lost before the socket's buffer is full too.
 *
 * <p>Made, finished and closed by the thread of the run.
 */
final class Subscriber implements AutoCloseable {
    /** Messages that can wait to be checked. */
    static final int QUEUE = 1 << 16;

    /**
     * Bytes of the socket's buffer, as far as the system gives them. Without NAKs from it, because its receiving thread does not
     * run or the queue is not yet half full, the sender goes on: all that it sends meanwhile must fit in here.
     */
    static final int RECEIVE_BUFFER = 1 << 22;

    /** The stream that NAKs name. */
    static final long STREAM = 1;

    /** How often a NAK is said again. */
    static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long RECEIVER = 1;
    private static final int BATCH = 64;
    private static final long SELECT_MILLIS = 1;
    private static final long FULL_PARK_NANOS = 50_000;

    /** When nothing has come for so long after the last datagram was sent, nothing more comes. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long UNKNOWN = -1;
    private static final long ABANDONED = -2;

    private final DatagramChannel channel;
    private final RingBuffer<Arrival> queue;
    private final Pipeline<Arrival> pipeline;
    private final Checker checker;
    private final Receiver receiver;
    private final Thread thread;
    private final ArrivalClock arrivals = new ArrivalClock();

    /** The number of messages sent; {@link #UNKNOWN} while more come. Written by the run, read by the receiving thread. */
    private final Sequence sent = new Sequence(UNKNOWN);

    /** How far messages have been handled, as a position of the feed. Written by the checking thread. */
    private final Sequence handled = new Sequence(0);

    /**
     * Creates a subscriber.
     *
     * @param channel where datagrams arrive; closed by this
     * @param truth the input, at its first message; read by the checking thread, closed by the caller
     * @param nanosEach how long a message takes to be handled at least; 0 for as fast as it can
     * @param naks where NAKs go, or null to say nothing
     * @param receiveBuffer bytes to ask for as the socket's buffer
     * @throws IOException if the socket cannot be set up
     */
    Subscriber(
            DatagramChannel channel, FeedReader truth, long nanosEach, @Nullable NakTransport naks, int receiveBuffer)
            throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
        channel.configureBlocking(false);
        queue = RingBufferBuilder.of(Arrival::new)
                .capacity(QUEUE)
                .singleProducer()
                .consumersIdle(SignalledIdle::exact)
                .build();
        checker = new Checker(truth, nanosEach);
        pipeline = Pipeline.on(queue);
        // Progress is published at the end of a batch. Batches are small,
        // so that the queue is not taken to be fuller than it is.
        pipeline.handleEventsWith(pipeline.consumer("subscriber", checker).batchLimit(BATCH));
        receiver = new Receiver(naks);
        thread = new Thread(receiver::run, "sluice-demo-receiver");
        thread.setDaemon(true);
    }

    /** How many messages of the feed have been handled or passed over. Any thread. */
    long handled() {
        return handled.getAcquire(); // acquire: as far as the checker says, not further
    }

    /** Takes the times of messages on their way to here. */
    ArrivalClock arrivals() {
        return arrivals;
    }

    /** How many messages wait to be checked. Any thread. */
    long queued() {
        return pipeline.consumer(checker).lag();
    }

    /** Starts both threads. */
    Subscriber start() {
        pipeline.start();
        thread.start();
        return this;
    }

    /**
     * Waits until everything that was sent has arrived and been checked, or will not arrive any more.
     *
     * @param messages how many were sent
     */
    SubscriberResult finish(long messages) throws IOException {
        sent.setRelease(messages); // release: the receiver that sees it knows that all datagrams are sent
        join();
        if (receiver.published >= 0) {
            pipeline.awaitHandled(receiver.published, Long.MAX_VALUE);
        }
        int receiveBuffer = channel.getOption(StandardSocketOptions.SO_RCVBUF);
        close();
        return new SubscriberResult(
                receiver.datagrams,
                receiver.bytes,
                checker.matching,
                receiver.lost + messages - 1 - receiver.newest,
                receiver.faults + checker.faults,
                receiver.firstFault.isEmpty() ? checker.firstFault : receiver.firstFault,
                receiver.monitor == null ? 0 : receiver.monitor.sentNaks(),
                receiver.longestGapNanos,
                receiveBuffer);
    }

    @Override
    public void close() throws IOException {
        sent.compareAndSet(UNKNOWN, ABANDONED);
        join();
        pipeline.close();
        channel.close();
    }

    private void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The receiving thread's part. Its results are read when the thread has ended. */
    private final class Receiver implements FillSource {
        private final @Nullable FillMonitor monitor;
        private final Datagram datagram = new Datagram();
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        private @Nullable ConsumerHandle consumer;
        private boolean held; // the buffer has a datagram that the queue has no room for
        private long newest = -1;
        private long published = -1;
        private long datagrams;
        private long bytes;
        private long lost;
        private long polledNanos;
        private long longestGapNanos;
        private long faults;
        private String firstFault = "";

        Receiver(@Nullable NakTransport naks) {
            monitor = naks == null
                    ? null
                    : new FillMonitor(this, naks, SystemNanoClock.INSTANCE, STREAM, RECEIVER, REFRESH_NANOS);
        }

        void run() {
            consumer = pipeline.consumer(checker);
            try (Selector selector = Selector.open();
                    Producer<Arrival> producer = queue.producer()) {
                channel.register(selector, SelectionKey.OP_READ);
                long lastArrival = System.nanoTime();
                polledNanos = lastArrival;
                while (true) {
                    long messages = sent.getAcquire(); // acquire: pairs with finish()
                    if (receiveAll(producer)) {
                        lastArrival = polledNanos;
                    } else if (held && messages != ABANDONED) {
                        lastArrival = polledNanos;
                        LockSupport.parkNanos(FULL_PARK_NANOS);
                    } else if (messages == ABANDONED
                            || (messages != UNKNOWN
                                    && (newest == messages - 1 || polledNanos - lastArrival > QUIET_NANOS))) {
                        return;
                    } else {
                        selector.select(SELECT_MILLIS);
                        selector.selectedKeys().clear();
                    }
                    poll();
                }
            } catch (IOException | RuntimeException e) {
                fault("the receiver failed: " + e);
            }
        }

        /** Takes what has arrived, as far as there is room; returns whether it took anything. */
        private boolean receiveAll(Producer<Arrival> producer) throws IOException {
            boolean any = false;
            for (int i = 0; i < BATCH; i++) {
                if (!held && !receive()) {
                    return any;
                }
                held = !take(producer);
                if (held) {
                    return any;
                }
                any = true;
                poll();
            }
            return any;
        }

        /** Reads the next datagram that is whole; returns whether there was one. */
        private boolean receive() throws IOException {
            while (true) {
                buffer.clear();
                int length = channel.read(buffer);
                if (length <= 0) {
                    return false;
                }
                buffer.flip();
                datagrams++;
                bytes += length;
                String wrong = datagram.fault(buffer);
                if (!wrong.isEmpty()) {
                    fault(wrong);
                } else if (Datagram.firstSequence(buffer) <= newest) {
                    fault("sequence " + Datagram.firstSequence(buffer) + " after " + newest);
                } else {
                    return true;
                }
            }
        }

        /** Puts the datagram's messages into the queue; returns whether there was room for all of them. */
        private boolean take(Producer<Arrival> producer) {
            long first = Datagram.firstSequence(buffer);
            int messages = Datagram.messages(buffer);
            long highest = producer.tryNext(messages);
            if (highest == Producer.FULL) {
                return false;
            }
            if (highest < 0) {
                throw new IllegalStateException("the queue is " + Producer.resultName(highest));
            }
            long lowest = highest - messages + 1;
            lost += first - newest - 1;
            newest = first + messages - 1;
            try {
                int at = Datagram.HEADER;
                for (long slot = lowest; slot <= highest; slot++) {
                    int length = Datagram.recordLength(buffer, at);
                    producer.get(slot).set(first + slot - lowest, buffer, at + Datagram.PREFIX, length);
                    at += Datagram.PREFIX + length;
                }
            } finally {
                producer.publish(lowest, highest);
            }
            published = highest;
            return true;
        }

        private void poll() {
            long now = System.nanoTime();
            longestGapNanos = Math.max(longestGapNanos, now - polledNanos);
            polledNanos = now;
            if (monitor != null) {
                monitor.poll();
            }
        }

        private void fault(String what) {
            if (faults == 0) {
                firstFault = what;
            }
            faults++;
        }

        @Override
        public long capacity() {
            return QUEUE;
        }

        @Override
        public long fill() {
            return held ? QUEUE : consumer == null ? 0 : consumer.lag();
        }

        @Override
        public long consumedPosition() {
            return handled();
        }

        @Override
        public long newestPosition() {
            return newest + 1;
        }
    }

    /** The checking thread's part. */
    private final class Checker implements EventHandler<Arrival> {
        private static final long PARK_NANOS = 100_000;
        private static final long CATCH_UP_NANOS = 1_000_000;

        private final FeedReader truth;
        private final long nanosEach;
        private final MarketEvent expected = new MarketEvent();
        private long position = -1;
        private long freeNanos = System.nanoTime();
        private long matching;
        private long faults;
        private String firstFault = "";

        Checker(FeedReader truth, long nanosEach) {
            this.truth = truth;
            this.nanosEach = nanosEach;
        }

        @Override
        public void onEvent(Arrival arrival, long sequence, boolean endOfBatch) {
            arrivals.arrived(arrival.sequence(), System.nanoTime());
            if (nanosEach > 0) {
                takeTime();
            }
            try {
                while (position < arrival.sequence() && truth.next()) {
                    position++;
                }
                truth.copyTo(expected);
                if (position == arrival.sequence() && arrival.sameAs(expected)) {
                    matching++;
                } else {
                    fault("message " + arrival.sequence() + " is not that of the input");
                }
            } catch (FeedFault e) {
                fault("message " + arrival.sequence() + " is not in the input: " + e.getMessage());
            }
            handled.setRelease(arrival.sequence() + 1); // release: handled before it is said so
        }

        /** Keeps to the rate on average: waits when ahead, and makes good for waits that took too long. */
        private void takeTime() {
            long now = System.nanoTime();
            freeNanos = Math.max(freeNanos, now - CATCH_UP_NANOS) + nanosEach;
            while (freeNanos - now > PARK_NANOS) {
                LockSupport.parkNanos(freeNanos - now);
                now = System.nanoTime();
            }
        }

        private void fault(String what) {
            if (faults == 0) {
                firstFault = what;
            }
            faults++;
        }
    }
}
