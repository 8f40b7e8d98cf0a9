package io.sluice.perf.dropin;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A processor of a user's own: goes from ring to ring, takes the events that are there, and yields where there were none. */
final class ManyRings implements EventProcessor {
    private final List<RingBuffer<long[]>> rings;
    private final Consumer<long[]> handler;
    private final List<SequenceBarrier> barriers = new ArrayList<>();
    private final List<Sequence> sequences = new ArrayList<>();
    private final AtomicBoolean running = new AtomicBoolean();

    ManyRings(List<RingBuffer<long[]>> rings, Consumer<long[]> handler) {
        this.rings = rings;
        this.handler = handler;
        for (RingBuffer<long[]> ring : rings) {
            barriers.add(ring.newBarrier());
            sequences.add(new Sequence());
        }
    }

    Sequence sequence(int ring) {
        return sequences.get(ring);
    }

    @Override
    public Sequence getSequence() {
        return sequences.get(0);
    }

    @Override
    public void halt() {
        running.set(false);
        barriers.forEach(SequenceBarrier::alert);
    }

    @Override
    public boolean isRunning() {
        return running.get();
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // gives the processor to a producer
    public void run() {
        barriers.forEach(SequenceBarrier::clearAlert);
        running.set(true);
        while (running.get()) {
            try {
                long taken = 0;
                for (int i = 0; i < barriers.size(); i++) {
                    taken += take(rings.get(i), barriers.get(i), sequences.get(i));
                }
                if (taken == 0) {
                    Thread.yield();
                }
            } catch (AlertException halted) {
                // the loop looks
            } catch (TimeoutException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private long take(RingBuffer<long[]> ring, SequenceBarrier barrier, Sequence sequence)
            throws AlertException, TimeoutException, InterruptedException {
        long taken = sequence.get();
        long available = barrier.waitFor(-1); // what is there: it never waits
        for (long next = taken + 1; next <= available; next++) {
            handler.accept(ring.get(next));
        }
        if (available > taken) {
            sequence.set(available);
        }
        return Math.max(0, available - taken);
    }
}
