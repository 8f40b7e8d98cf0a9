package io.sluice.perf.batching;

import io.sluice.batching.BatchSink;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The {@link Bathtub} in virtual time: the same messages, due at the same times, and a device that takes exactly its time. No
 * machine disturbs it, and the same seed gives the same figures, so here only the approach decides.
 *
 * <p>Smart batches are made by the library's own {@link BatchingHandler} on its own ring, run by the calling thread; messages that become
 * due while the sink is busy are published meanwhile. The lock is fair and costs nothing. The timer is the best that there can be: it
 * counts from when the first message was due, a full buffer goes at once, and gathering goes on during a send.
 *
 * <p>A message that is not done when the time is over counts with the time that it has waited by then.
 */
final class VirtualBathtub {
    private static final int CAPACITY = 1024;
    private static final byte[] PAYLOAD = new byte[Bathtub.MESSAGE - Long.BYTES];

    private final long nanos;
    private final long seed;

    /** The outcome of a run: the time at which each message was done, and the number of sends. */
    static final class Outcome {
        private final long[] done;
        private final long sends;

        Outcome(long[] done, long sends) {
            this.done = done;
            this.sends = sends;
        }

        /** The times at which the device was done with each message, in the order in which the messages were due. */
        long[] done() {
            return done;
        }

        /** The number of times that the device was used. */
        long sends() {
            return sends;
        }
    }

    /**
     * Prepares.
     *
     * @param nanos how long messages are due at each load
     * @param seed of the times
     */
    VirtualBathtub(long nanos, long seed) {
        this.nanos = nanos;
        this.seed = seed;
    }

    /** The times at which messages are due at a load in percent, from 0 on; those of a {@link Bathtub} of the same seed. */
    long[] due(double load) {
        double rate = Bathtub.DEVICE_RATE * load / 100;
        SplittableRandom random = new SplittableRandom(seed);
        long[] due = new long[16];
        int count = 0;
        for (double next = Bathtub.gap(random, rate); (long) next < nanos; next += Bathtub.gap(random, rate)) {
            if (count == due.length) {
                due = Arrays.copyOf(due, count * 2);
            }
            due[count++] = (long) next;
        }
        return Arrays.copyOf(due, count);
    }

    /** Computes the results of one approach under one load, in percent. */
    Bathtub.Point measure(Approach approach, double load) {
        long[] due = due(load);
        Outcome outcome = outcome(approach, due);
        long[] latencies = new long[due.length];
        long inTime = 0;
        for (int i = 0; i < due.length; i++) {
            latencies[i] = Math.min(outcome.done[i], nanos) - due[i];
            inTime += outcome.done[i] < nanos ? 1 : 0;
        }
        Arrays.sort(latencies);
        double seconds = nanos / 1e9;
        return new Bathtub.Point(
                approach,
                load,
                due.length / seconds,
                inTime / seconds,
                inTime < due.length * Bathtub.KEEPS_UP,
                Arrays.stream(latencies).average().orElse(0),
                percentile(latencies, 50),
                percentile(latencies, 99),
                percentile(latencies, 100),
                outcome.sends,
                due.length,
                due.length);
    }

    /** Sends messages that are due at given times, ascending. */
    static Outcome outcome(Approach approach, long[] due) {
        return switch (approach) {
            case LOCK -> lock(due);
            case TIMER -> timer(due);
            case SMART -> new Smart(due).run();
        };
    }

    private static Outcome lock(long[] due) {
        long[] done = new long[due.length];
        long free = 0;
        for (int i = 0; i < due.length; i++) {
            free = Math.max(free, due[i]) + Bathtub.SEND_NANOS;
            done[i] = free;
        }
        return new Outcome(done, due.length);
    }

    private static Outcome timer(long[] due) {
        long[] done = new long[due.length];
        long sends = 0;
        long free = 0;
        for (int next = 0; next < due.length; sends++) {
            int last = next + Bathtub.IN_BUFFER - 1;
            long ready = due[next] + Bathtub.TIMER_NANOS;
            if (last < due.length) {
                ready = Math.min(ready, due[last]);
            }
            long begin = Math.max(free, ready);
            free = begin + Bathtub.SEND_NANOS;
            for (int i = 0; i < Bathtub.IN_BUFFER && next < due.length && due[next] <= begin; i++) {
                done[next++] = free;
            }
        }
        return new Outcome(done, sends);
    }

    /** A slot. */
    private static final class Numbered {
        private int number;
    }

    /** One run of the ring and its handler. */
    private static final class Smart {
        private final long[] due;
        private final long[] done;
        private final RingBuffer<Numbered> ring = RingBufferBuilder.of(Numbered::new)
                .capacity(CAPACITY)
                .singleProducer()
                .build();
        private final Producer<Numbered> producer = ring.producer();
        private long now;
        private int arrived;
        private int sent;
        private long sends;

        Smart(long[] due) {
            this.due = due;
            done = new long[due.length];
        }

        Outcome run() {
            BatchSink device = batch -> {
                sends++;
                now += Bathtub.SEND_NANOS;
                for (int i = 0; i < batch.messages(); i++) {
                    done[batch.buffer().getInt(batch.offset(i))] = now;
                }
                sent += batch.messages();
                batch.buffer().position(batch.buffer().limit());
                arrive(); // while the device was busy
            };
            BatchingHandler<Numbered> handler = new BatchingHandler<>(
                    (event, buffer, offset) -> {
                        buffer.putInt(offset, event.number);
                        buffer.put(offset + Long.BYTES, PAYLOAD, 0, PAYLOAD.length);
                        return Bathtub.MESSAGE;
                    },
                    device,
                    BatchingConfig.defaults().bufferSize(Bathtub.BUFFER).clock(() -> now));
            try (Pipeline<Numbered> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(handler);
                EventProcessor processor = pipeline.startProcessors().get(0);
                processor.onStart();
                while (sent < due.length) {
                    arrive();
                    if (processor.doWork() == 0) {
                        if (arrived == due.length || due[arrived] <= now) {
                            throw new IllegalStateException("message " + sent + " of " + due.length
                                    + " is not sent; the ring is " + ring.state());
                        }
                        now = due[arrived];
                    }
                }
                producer.close();
                processor.onClose();
            }
            return new Outcome(done, sends);
        }

        /** Publishes the messages that are due by now, as far as there is room; the rest waits before the ring. */
        private void arrive() {
            while (arrived < due.length
                    && due[arrived] <= now
                    && producer.tryPublishEvent((event, sequence, value) -> event.number = (int) value, (long) arrived)
                            >= 0) {
                arrived++;
            }
        }
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length * (long) percent + 99) / 100) - 1];
    }
}
