package io.sluice.perf.latency;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.Pinning;
import java.util.ArrayList;
import java.util.List;

/** The LMAX Disruptor with one handler. */
// Stands beside SluiceLane line by line on purpose: the peers share no method, and so no profile.
final class LmaxLane implements Lane {
    private final Disruptor<Parcel> disruptor;
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

    LmaxLane(int capacity, ProducerType producers, WaitStrategy wait, Receiver receiver, int core) {
        disruptor = new Disruptor<>(
                Parcel::new,
                capacity,
                task -> {
                    Thread thread = new Thread(
                            () -> {
                                Pinning.pin(core);
                                task.run();
                            },
                            "lmax");
                    thread.setDaemon(true);
                    threads.add(thread);
                    return thread;
                },
                producers,
                wait);
        disruptor.handleEventsWith(new Handler(receiver));
        disruptor.start();
    }

    @Override
    public Sender sender() {
        RingBuffer<Parcel> ring = disruptor.getRingBuffer();
        return (value, time) -> {
            long sequence = ring.next();
            Parcel parcel = ring.get(sequence);
            parcel.value = value;
            parcel.time = time;
            ring.publish(sequence);
        };
    }

    @Override
    public void close() {
        disruptor.halt();
        for (Thread thread : threads) {
            LaneThread.join(thread);
        }
    }
}
