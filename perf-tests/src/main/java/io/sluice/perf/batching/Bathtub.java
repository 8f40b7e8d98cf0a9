package io.sluice.perf.batching;

import io.sluice.batching.BatchSink;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.perf.compare.Quartiles;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.BusySpinIdleStrategy;

/**
 * Latency against offered load, for each {@link Approach}. Messages of {@value #MESSAGE} bytes are due at random times (a Poisson process,
 * seeded), no matter what became of those before; latency runs from the time at which a message was due until the device was done with it.
 * The device takes buffers of {@value #BUFFER} bytes, so its rate is {@value #IN_BUFFER} messages a send.
 *
 * <p>A message that is not sent when the time is over counts with the time that it has waited by then; so the figures of a saturated
 * approach are lower bounds, and grow with the length of the run.
 */
final class Bathtub {
    static final int BUFFER = 4096;
    static final int MESSAGE = 256;
    static final int IN_BUFFER = BUFFER / MESSAGE;
    static final long SEND_NANOS = 100_000;

    /** The messages that the device takes a second, all buffers full. */
    static final double DEVICE_RATE = IN_BUFFER * 1e9 / SEND_NANOS;

    /** An approach that sends less than this share of the offered messages counts as saturated. */
    static final double KEEPS_UP = 0.97;

    static final long TIMER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(100);
    private static final int CAPACITY = 1024;
    private static final byte[] PAYLOAD = new byte[MESSAGE - Long.BYTES];

    private final long nanos;
    private final long seed;

    /**
     * The results of one approach under one load, in one turn or over several.
     *
     * @param approach which
     * @param load offered, in percent of the device's rate
     * @param offered messages due a second
     * @param sent messages sent a second while messages were due
     * @param saturated whether it did not keep up
     * @param meanNanos mean latency
     * @param medianNanos median latency
     * @param p99Nanos 99th percentile
     * @param maxNanos the longest
     * @param sends how often the device was used
     * @param messages how many messages were due
     * @param sentMessages how many of them were sent, in time or after it
     * @param means quartiles of the runs' mean latencies
     */
    record Point(
            Approach approach,
            double load,
            double offered,
            double sent,
            boolean saturated,
            double meanNanos,
            long medianNanos,
            long p99Nanos,
            long maxNanos,
            long sends,
            long messages,
            long sentMessages,
            Quartiles means) {
        /** The results of one run. */
        Point(
                Approach approach,
                double load,
                double offered,
                double sent,
                boolean saturated,
                double meanNanos,
                long medianNanos,
                long p99Nanos,
                long maxNanos,
                long sends,
                long messages,
                long sentMessages) {
            this(
                    approach,
                    load,
                    offered,
                    sent,
                    saturated,
                    meanNanos,
                    medianNanos,
                    p99Nanos,
                    maxNanos,
                    sends,
                    messages,
                    sentMessages,
                    Quartiles.of(new double[] {meanNanos}));
        }

        /** The results of several runs of the same approach under the same load: counts are sums, all else medians. */
        static Point median(List<Point> runs) {
            Point any = runs.get(0);
            return new Point(
                    any.approach,
                    any.load,
                    median(runs, Point::offered),
                    median(runs, Point::sent),
                    median(runs, run -> run.saturated ? 1 : 0) > 0.5,
                    median(runs, Point::meanNanos),
                    (long) median(runs, Point::medianNanos),
                    (long) median(runs, Point::p99Nanos),
                    (long) median(runs, Point::maxNanos),
                    runs.stream().mapToLong(Point::sends).sum(),
                    runs.stream().mapToLong(Point::messages).sum(),
                    runs.stream().mapToLong(Point::sentMessages).sum(),
                    Quartiles.of(runs.stream().mapToDouble(Point::meanNanos).toArray()));
        }

        private static double median(List<Point> runs, ToDoubleFunction<Point> figure) {
            return JournalBench.median(runs.stream().mapToDouble(figure).toArray());
        }
    }

    /** A slot. */
    private static final class Due {
        private long nanos;
    }

    /**
     * Prepares.
     *
     * @param nanos how long messages are due at each load
     * @param seed of the times
     */
    Bathtub(long nanos, long seed) {
        this.nanos = nanos;
        this.seed = seed;
    }

    /** The time to the next message of a Poisson process, in nanoseconds; the same on every machine. */
    static double gap(SplittableRandom random, double messagesPerSecond) {
        return -StrictMath.log(1 - random.nextDouble()) * 1e9 / messagesPerSecond;
    }

    /** Measures one approach at one load, in percent. */
    Point measure(Approach approach, double load) throws Exception {
        return new Run(approach, load).go();
    }

    private final class Run {
        private final Approach approach;
        private final double load;
        private final double rate;
        private final SplittableRandom random;
        private final Device device = new Device(SEND_NANOS);
        private final Histogram latencies = new Histogram(1, MOST_NANOS, 3); // of the sending thread
        private final Histogram waiting = new Histogram(1, MOST_NANOS, 3); // of what was not sent
        private long sentInTime;
        private long start;
        private long end;
        private double nextNanos;

        Run(Approach approach, double load) {
            this.approach = approach;
            this.load = load;
            rate = DEVICE_RATE * load / 100;
            random = new SplittableRandom(seed);
        }

        Point go() throws Exception {
            switch (approach) {
                case LOCK -> lock();
                case TIMER -> timer();
                default -> smart();
            }
            long sentMessages = latencies.getTotalCount();
            latencies.add(waiting);
            double seconds = nanos / 1e9;
            long messages = latencies.getTotalCount();
            return new Point(
                    approach,
                    load,
                    messages / seconds,
                    sentInTime / seconds,
                    sentInTime < messages * KEEPS_UP,
                    latencies.getMean(),
                    latencies.getValueAtPercentile(50),
                    latencies.getValueAtPercentile(99),
                    latencies.getMaxValue(),
                    device.sends(),
                    messages,
                    sentMessages);
        }

        private void begin() {
            start = System.nanoTime();
            end = start + nanos;
            nextNanos = gap(random, rate);
        }

        /** Waits for the next message; returns the time at which it was due, or {@link Long#MIN_VALUE} when the time is over. */
        private long next() {
            long due = start + (long) nextNanos;
            nextNanos += gap(random, rate);
            if (due - end >= 0) {
                return Long.MIN_VALUE;
            }
            while (true) {
                long now = System.nanoTime();
                if (now - end >= 0) {
                    unsent(due);
                    while ((due = start + (long) nextNanos) - end < 0) {
                        unsent(due);
                        nextNanos += gap(random, rate);
                    }
                    return Long.MIN_VALUE;
                }
                if (now - due >= 0) {
                    return due;
                }
                Thread.onSpinWait();
            }
        }

        private void unsent(long due) {
            count(waiting, end - due);
        }

        private void sent(long due, long now) {
            count(latencies, now - due);
            if (now - end < 0) {
                sentInTime++;
            }
        }

        private void lock() {
            Object lock = new Object();
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            begin();
            long due;
            while ((due = next()) != Long.MIN_VALUE) {
                synchronized (lock) {
                    buffer.clear();
                    encode(due, buffer, 0);
                    sent(due, device.send());
                }
            }
        }

        private void smart() throws Exception {
            BatchSink sink = batch -> {
                ByteBuffer buffer = batch.buffer();
                long now = device.send();
                for (int i = 0; i < batch.messages(); i++) {
                    sent(buffer.getLong(batch.offset(i)), now);
                }
                buffer.position(buffer.limit());
            };
            BatchingHandler<Due> handler = new BatchingHandler<>(
                    (event, buffer, offset) -> encode(event.nanos, buffer, offset),
                    sink,
                    BatchingConfig.defaults().bufferSize(BUFFER));
            RingBuffer<Due> ring = ring();
            try (Pipeline<Due> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(handler);
                pipeline.start();
                long last = publishAll(ring);
                if (last >= 0) {
                    pipeline.awaitHandled(last, Long.MAX_VALUE);
                }
            }
        }

        private void timer() throws Exception {
            RingBuffer<Due> ring = ring();
            try (Pipeline<Due> pipeline = Pipeline.on(ring)) {
                EventPoller<Due> poller = pipeline.poller("timer");
                pipeline.start();
                io.sluice.core.Sequence last = new io.sluice.core.Sequence(Long.MAX_VALUE);
                Throwable[] failure = new Throwable[1];
                Thread thread = new Thread(
                        () -> {
                            try {
                                new Timer().run(poller, last);
                            } catch (Throwable e) {
                                failure[0] = e;
                            }
                        },
                        "timer");
                thread.setDaemon(true);
                thread.start();
                last.setRelease(publishAll(ring)); // release: the thread may end when it has come there
                thread.join();
                if (failure[0] != null) {
                    throw new IllegalStateException("the timer's thread failed", failure[0]);
                }
            }
        }

        private RingBuffer<Due> ring() {
            return RingBufferBuilder.of(Due::new)
                    .capacity(CAPACITY)
                    .singleProducer()
                    .consumersIdle(() -> BusySpinIdleStrategy.INSTANCE)
                    .build();
        }

        private long publishAll(RingBuffer<Due> ring) {
            long last = -1;
            try (Producer<Due> producer = ring.producer()) {
                begin();
                long due;
                while ((due = next()) != Long.MIN_VALUE) {
                    last = producer.publishEvent((slot, sequence, value) -> slot.nanos = value, due);
                }
            }
            return last;
        }

        /** The usual alternative: wait for more, but not for longer than a timer says. */
        private final class Timer implements PollHandler<Due, Exception> {
            private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            private int count;
            private long firstNanos;

            void run(EventPoller<Due> poller, io.sluice.core.Sequence last) throws Exception {
                while (true) {
                    int polled = poller.poll(this, IN_BUFFER);
                    if (count > 0 && System.nanoTime() - firstNanos >= TIMER_NANOS) {
                        send();
                    }
                    // acquire: everything up to it is published
                    if (polled == 0 && poller.sequence().get() >= last.getAcquire()) {
                        if (count > 0) {
                            send();
                        }
                        return;
                    }
                    if (polled == 0) {
                        Thread.onSpinWait();
                    }
                }
            }

            @Override
            public void onEvent(Due event, long sequence, boolean endOfBatch) {
                if (count == 0) {
                    firstNanos = System.nanoTime();
                }
                encode(event.nanos, buffer, count * MESSAGE);
                count++;
                if (count == IN_BUFFER) {
                    send();
                }
            }

            private void send() {
                long now = device.send();
                for (int i = 0; i < count; i++) {
                    sent(buffer.getLong(i * MESSAGE), now);
                }
                count = 0;
            }
        }
    }

    private static int encode(long due, ByteBuffer buffer, int offset) {
        buffer.putLong(offset, due);
        buffer.put(offset + Long.BYTES, PAYLOAD, 0, PAYLOAD.length);
        return MESSAGE;
    }

    private static void count(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(1, Math.min(MOST_NANOS, nanos)));
    }
}
