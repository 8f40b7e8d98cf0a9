package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;

/**
 * What the ring's loop copies change: four rings with handlers of four classes, in one JVM, one after the other in one thread. The figure
 * is nanoseconds an event of handling alone; publishing is not in it. With {@code -Dio.sluice.hiddenClasses=false} all rings share one
 * loop, whose call of the handler has then met four classes.
 */
final class RingDispatch implements Contestant {
    private static final int SLOTS = 1024;
    private static final int ROUNDS_BEFORE = 3_000;

    /** What lies in a slot. */
    private static final class Slot {
        private long value;
    }

    /** Adds the values. */
    private static final class One implements EventHandler<Slot> {
        private long sum;

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            sum += slot.value;
        }
    }

    /** Adds twice the values. */
    private static final class Two implements EventHandler<Slot> {
        private long sum;

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            sum += 2 * slot.value;
        }
    }

    /** Adds three times the values. */
    private static final class Three implements EventHandler<Slot> {
        private long sum;

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            sum += 3 * slot.value;
        }
    }

    /** Adds four times the values. */
    private static final class Four implements EventHandler<Slot> {
        private long sum;

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            sum += 4 * slot.value;
        }
    }

    /** A ring whose consumer runs in the thread that publishes. */
    private static final class Lane {
        private final Producer<Slot> producer;
        private final EventProcessor processor;
        private long value;

        Lane(EventHandler<Slot> handler) {
            RingBuffer<Slot> ring = SluiceRing.ring(Slot::new, SluiceRing.Setup.spinning(true, SLOTS));
            Pipeline<Slot> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            processor = pipeline.startProcessors().get(0);
            producer = ring.producer();
        }

        /** Publishes a full ring, has it handled, and gives the nanoseconds of the latter. */
        long round() throws Exception {
            for (int i = 0; i < SLOTS; i++) {
                long sequence = producer.next();
                producer.get(sequence).value = value++;
                producer.publish(sequence);
            }
            long begin = System.nanoTime();
            int handled = 0;
            while (handled < SLOTS) {
                handled += processor.doWork();
            }
            return System.nanoTime() - begin;
        }
    }

    private final One measured = new One();
    private final Lane lane;
    private final Lane[] others;

    RingDispatch() throws Exception {
        lane = new Lane(measured);
        others = new Lane[] {new Lane(new Two()), new Lane(new Three()), new Lane(new Four())};
        for (int i = 0; i < ROUNDS_BEFORE; i++) {
            lane.round();
            for (Lane other : others) {
                other.round();
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
            events += SLOTS;
        } while (System.nanoTime() - begin < nanos);
        long expected = lane.value * (lane.value - 1) / 2;
        if (measured.sum != expected) {
            throw new IllegalStateException("the values must add up to " + expected + ", but did to " + measured.sum);
        }
        return busy / (double) events;
    }

    @Override
    public int warmUps() {
        return 2;
    }
}
