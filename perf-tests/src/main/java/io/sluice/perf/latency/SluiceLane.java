package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;

/** Sluice's ring with one handler, built by the factory call of all rows. */
final class SluiceLane implements Lane {
    private final RingBuffer<Parcel> ring;
    private final Pipeline<Parcel> pipeline;
    private final List<Thread> threads = new ArrayList<>();

    private record Handler(Receiver receiver) implements EventHandler<Parcel> {
        @Override
        public void onStart() {
            receiver.begin();
        }

        @Override
        public void onEvent(Parcel event, long sequence, boolean endOfBatch) {
            receiver.received(event.value, event.time);
        }
    }

    SluiceLane(SluiceRing.Setup setup, boolean backOff, Receiver receiver, int core) {
        ring = SluiceRing.ring(Parcel::new, setup);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(new Handler(receiver));
        if (!backOff) {
            pipeline.pollBackOff(false);
        }
        pipeline.onThreadStart(name -> Pinning.pin(core));
        pipeline.threads(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        });
        pipeline.start();
    }

    @Override
    public Sender sender() {
        Producer<Parcel> producer = ring.producer();
        return (value, time) -> {
            long sequence = producer.next(1);
            Parcel parcel = producer.get(sequence);
            parcel.value = value;
            parcel.time = time;
            producer.publish(sequence, sequence);
        };
    }

    @Override
    public void close() {
        pipeline.close();
        for (Thread thread : threads) {
            LaneThread.join(thread);
        }
    }
}
