package io.sluice.perf.dropin;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventTranslator;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/**
 * The shapes of LMAX's own throughput tests, with their ring sizes: consumers yield, nobody is pinned, the clock runs from the first
 * claim until the last event is handled. Rings stay from run to run; threads are started anew.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as those tests do
final class Shapes {
    private static final int LARGE = 65_536;
    private static final int SMALL = 8_192;
    private static final int TINY = 1_024;
    private static final int BATCH = 10;
    private static final int THREE = 3;
    /** A ping-pong takes so many times as long as an event of a stream. */
    private static final int EVENTS_A_TRIP = 10;

    private static final Map<String, IntFunction<Workload>> ALL = Map.of(
            "one-to-one", OneToOne::new,
            "batches", Batches::new,
            "poller", Poller::new,
            "translator", Translated::new,
            "one-to-three", OneToThree::new,
            "three-to-one", ThreeToOne::new,
            "three-to-three", ThreeToThree::new,
            "pipeline", Pipeline::new,
            "diamond", Diamond::new,
            "ping-pong", PingPong::new);

    private Shapes() {}

    /** Makes the rings of a shape, for runs of so many events. */
    static Workload named(String id, int events) {
        IntFunction<Workload> maker = ALL.get(id);
        if (maker == null) {
            throw new IllegalArgumentException("shape must be one of " + ALL.keySet() + ", but was " + id);
        }
        return maker.apply(events);
    }

    /** The sum of 0, 1, … events - 1. */
    private static long sumBelow(long events) {
        return events * (events - 1) / 2;
    }

    private static RingBuffer<Payload> single(int size) {
        return RingBuffer.createSingleProducer(Payload::new, size, new YieldingWaitStrategy());
    }

    private static <T> BatchEventProcessor<T> processor(
            RingBuffer<T> ring, EventHandler<? super T> handler, Sequence... behind) {
        return new BatchEventProcessorBuilder().build(ring, ring.newBarrier(behind), handler);
    }

    private static double[] rate(long events, long start) {
        return new double[] {events / ((System.nanoTime() - start) / 1e9)};
    }

    /** One ring for one producer, the caller's thread. */
    private abstract static class OneProducer implements Workload {
        final RingBuffer<Payload> ring;
        final int events;
        final List<Summing> handlers = new ArrayList<>();
        final List<BatchEventProcessor<Payload>> processors = new ArrayList<>();

        OneProducer(int size, int events) {
            ring = single(size);
            this.events = events;
        }

        final BatchEventProcessor<Payload> add(Sequence... behind) {
            Summing handler = new Summing();
            BatchEventProcessor<Payload> processor = processor(ring, handler, behind);
            handlers.add(handler);
            processors.add(processor);
            return processor;
        }

        void publish() {
            for (long i = 0; i < events; i++) {
                long next = ring.next();
                ring.get(next).value = i;
                ring.publish(next);
            }
        }

        @Override
        public double[] run() throws Exception {
            List<CountDownLatch> latches = new ArrayList<>();
            for (Summing handler : handlers) {
                latches.add(handler.expect(events));
            }
            double[] rate;
            Consumers consumers = new Consumers(processors);
            try {
                long start = System.nanoTime();
                publish();
                Consumers.await(latches);
                rate = rate(events, start);
            } finally {
                consumers.end();
            }
            for (Summing handler : handlers) {
                handler.check(sumBelow(events));
            }
            return rate;
        }
    }

    private static class OneToOne extends OneProducer {
        OneToOne(int events) {
            super(LARGE, events);
            ring.addGatingSequences(add().getSequence());
        }
    }

    private static final class Batches extends OneToOne {
        Batches(int events) {
            super(events / BATCH * BATCH);
        }

        @Override
        void publish() {
            long value = 0;
            for (int i = 0; i < events; i += BATCH) {
                long hi = ring.next(BATCH);
                long lo = hi - (BATCH - 1);
                for (long sequence = lo; sequence <= hi; sequence++) {
                    ring.get(sequence).value = value++;
                }
                ring.publish(lo, hi);
            }
        }
    }

    private static final class Translated extends OneToOne implements EventTranslator<Payload> {
        private long value;

        Translated(int events) {
            super(events);
        }

        @Override
        public void translateTo(Payload event, long sequence) {
            event.value = value++;
        }

        @Override
        void publish() {
            value = 0;
            for (int i = 0; i < events; i++) {
                ring.publishEvent(this);
            }
        }
    }

    private static final class OneToThree extends OneProducer {
        OneToThree(int events) {
            super(SMALL, events);
            for (int i = 0; i < THREE; i++) {
                ring.addGatingSequences(add().getSequence());
            }
        }
    }

    private static final class Pipeline extends OneProducer {
        Pipeline(int events) {
            super(SMALL, events);
            ring.addGatingSequences(add(add(add().getSequence()).getSequence()).getSequence());
        }
    }

    private static final class Diamond extends OneProducer {
        Diamond(int events) {
            super(SMALL, events);
            ring.addGatingSequences(
                    add(add().getSequence(), add().getSequence()).getSequence());
        }
    }

    private static final class Poller implements Workload {
        private final RingBuffer<Payload> ring = single(LARGE);
        private final EventPoller<Payload> poller = ring.newPoller();
        private final Summing sum = new Summing();
        private final int events;

        Poller(int events) {
            this.events = events;
            ring.addGatingSequences(poller.getSequence());
        }

        private void poll() {
            EventPoller.Handler<Payload> handler = (event, sequence, endOfBatch) -> {
                sum.add(event.value);
                return true;
            };
            try {
                while (sum.handled < events) {
                    if (poller.poll(handler) != EventPoller.PollState.PROCESSING) {
                        Thread.yield();
                    }
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public double[] run() throws Exception {
            CountDownLatch latch = sum.expect(events);
            Thread thread = new Thread(this::poll, "poller");
            thread.setDaemon(true);
            thread.start();
            long start = System.nanoTime();
            for (long i = 0; i < events; i++) {
                long next = ring.next();
                ring.get(next).value = i;
                ring.publish(next);
            }
            Consumers.await(List.of(latch));
            double[] rate = rate(events, start);
            thread.join();
            sum.check(sumBelow(events));
            return rate;
        }
    }

    private static final class ThreeToOne extends ThreeProducers {
        private final RingBuffer<Payload> ring =
                RingBuffer.createMultiProducer(Payload::new, LARGE, new YieldingWaitStrategy());
        private final BatchEventProcessor<Payload> processor = processor(ring, sum);

        ThreeToOne(int events) {
            super(events, 1);
            ring.addGatingSequences(processor.getSequence());
        }

        @Override
        Consumer consumer() {
            return new Consumers(List.of(processor))::end;
        }

        @Override
        void publish(int producer) {
            for (long i = 0; i < share; i++) {
                long next = ring.next();
                ring.get(next).value = i;
                ring.publish(next);
            }
        }
    }

    /** Three producers with a ring each, and one consumer that goes from ring to ring: three values an event. */
    private static final class ThreeToThree extends ThreeProducers {
        private final List<RingBuffer<long[]>> rings = new ArrayList<>();
        private final ManyRings consumer;

        ThreeToThree(int events) {
            super(events, THREE);
            for (int i = 0; i < THREE; i++) {
                rings.add(RingBuffer.createSingleProducer(() -> new long[THREE], LARGE, new YieldingWaitStrategy()));
            }
            consumer = new ManyRings(rings, event -> sum.add(event[0] + event[1] + event[2]));
            for (int i = 0; i < THREE; i++) {
                rings.get(i).addGatingSequences(consumer.sequence(i));
            }
        }

        @Override
        Consumer consumer() {
            return new Consumers(List.of(consumer))::end;
        }

        @Override
        void publish(int producer) {
            RingBuffer<long[]> ring = rings.get(producer);
            for (long i = 0; i < share; i++) {
                long next = ring.next();
                long[] event = ring.get(next);
                event[0] = i;
                event[1] = i + 1;
                event[2] = i + 2;
                ring.publish(next);
            }
        }
    }

    /** Two rings and two consumers; each answers the other, one ping on its way. */
    private static final class PingPong implements Workload {
        private final RingBuffer<Payload> pings = single(TINY);
        private final RingBuffer<Payload> pongs = single(TINY);
        private final Summing asked = new Summing();
        private final Summing answered = new Summing();
        private final BatchEventProcessor<Payload> echo = processor(pings, (event, sequence, end) -> {
            asked.add(event.value);
            send(pongs, event.value);
        });
        private final BatchEventProcessor<Payload> asker = processor(pongs, (event, sequence, end) -> {
            answered.add(event.value);
            if (answered.handled < answered.expected) {
                send(pings, event.value + 1);
            }
        });
        private final int trips;

        PingPong(int events) {
            trips = Math.max(1, events / EVENTS_A_TRIP);
            pings.addGatingSequences(echo.getSequence());
            pongs.addGatingSequences(asker.getSequence());
        }

        private static void send(RingBuffer<Payload> ring, long value) {
            long next = ring.next();
            ring.get(next).value = value;
            ring.publish(next);
        }

        @Override
        public double[] run() throws Exception {
            List<CountDownLatch> latches = List.of(asked.expect(trips), answered.expect(trips));
            double[] rate;
            Consumers consumers = new Consumers(List.of(echo, asker));
            try {
                long start = System.nanoTime();
                send(pings, 0);
                Consumers.await(latches);
                rate = rate(trips, start);
            } finally {
                consumers.end();
            }
            asked.check(sumBelow(trips));
            answered.check(sumBelow(trips));
            return rate;
        }
    }
}
