package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;

/**
 * What the ring's loop copies change: four rings with handlers of four classes, in one JVM, one after the other in one thread. The figure
 * is nanoseconds an event of handling alone; publishing is not in it. With {@code -Dio.sluice.hiddenClasses=false} all rings share one
 * loop, whose call of the handler has then met four classes.
 */
final class RingDispatch implements Contestant {
    private static final int EVENTS = 1024;
    private static final int ROUNDS_BEFORE = 3_000;

    /** The kinds of handlers, each of which has a loop of its own. */
    enum Kind {
        EVENT {
            @Override
            List<Lane> lanes(long[] sum) {
                return List.of(
                        Lane.of((slot, sequence, last) -> sum[0] += slot.value),
                        Lane.of((slot, sequence, last) -> sum[1] += 2 * slot.value),
                        Lane.of((slot, sequence, last) -> sum[2] += 3 * slot.value),
                        Lane.of((slot, sequence, last) -> sum[3] += 4 * slot.value));
            }
        },
        MESSAGE {
            @Override
            List<Lane> lanes(long[] sum) {
                return List.of(
                        Lane.ofMessages(
                                (type, buffer, offset, length, sequence, last) -> sum[0] += buffer.getLong(offset)),
                        Lane.ofMessages(
                                (type, buffer, offset, length, sequence, last) -> sum[1] += 2 * buffer.getLong(offset)),
                        Lane.ofMessages(
                                (type, buffer, offset, length, sequence, last) -> sum[2] += 3 * buffer.getLong(offset)),
                        Lane.ofMessages((type, buffer, offset, length, sequence, last) ->
                                sum[3] += 4 * buffer.getLong(offset)));
            }
        };

        /** Four rings, whose handlers are of four classes; the first one's adds the values to the first sum. */
        abstract List<Lane> lanes(long[] sum);
    }

    /** What lies in a slot. */
    static final class Slot {
        private long value;
    }

    /** Publishes one value. */
    @FunctionalInterface
    private interface Publisher {
        void publish(long value);
    }

    /** A ring whose consumer runs in the thread that publishes. */
    static final class Lane {
        private final Publisher publisher;
        private final EventProcessor processor;
        private long value;

        private Lane(Publisher publisher, EventProcessor processor) {
            this.publisher = publisher;
            this.processor = processor;
        }

        static Lane of(EventHandler<Slot> handler) {
            RingBuffer<Slot> ring = SluiceRing.ring(Slot::new, SluiceRing.Setup.spinning(true, EVENTS));
            Pipeline<Slot> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<Slot> producer = ring.producer();
            return new Lane(
                    value -> {
                        long sequence = producer.next();
                        producer.get(sequence).value = value;
                        producer.publish(sequence);
                    },
                    processor);
        }

        static Lane ofMessages(MessageHandler handler) {
            // a message of 8 bytes takes two sequences of 8 bytes
            RingBuffer<Messages> ring = RingBufferBuilder.messages(2 * 2 * Long.BYTES * EVENTS)
                    .singleProducer()
                    .build();
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            MessageProducer producer = MessageProducer.of(ring);
            return new Lane(
                    value -> {
                        long sequence = producer.claim(1, Long.BYTES, Long.MAX_VALUE);
                        producer.buffer().putLong(producer.offset(sequence), value);
                        producer.commit(sequence);
                    },
                    processor);
        }

        /** Publishes 1,024 values, has them handled, and gives the nanoseconds of the latter. */
        long round() throws Exception {
            for (int i = 0; i < EVENTS; i++) {
                publisher.publish(value++);
            }
            long begin = System.nanoTime();
            int handled = 0;
            while (handled < EVENTS) {
                handled += processor.doWork();
            }
            return System.nanoTime() - begin;
        }
    }

    private final long[] sum = new long[4];
    private final Lane lane;

    RingDispatch(Kind kind) throws Exception {
        List<Lane> lanes = kind.lanes(sum);
        lane = lanes.get(0);
        for (int i = 0; i < ROUNDS_BEFORE; i++) {
            for (Lane each : lanes) {
                each.round();
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        long events = 0;
        long busy = 0;
        long begin = System.nanoTime();
        do {
            busy += lane.round();
            events += EVENTS;
        } while (System.nanoTime() - begin < nanos);
        long expected = lane.value * (lane.value - 1) / 2;
        if (sum[0] != expected) {
            throw new IllegalStateException("the values must add up to " + expected + ", but did to " + sum[0]);
        }
        return busy / (double) events;
    }

    @Override
    public int warmUps() {
        return 2;
    }
}
