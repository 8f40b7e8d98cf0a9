package io.sluice.perf.latency;

import java.util.Queue;
import java.util.concurrent.BlockingQueue;

/**
 * A queue of pooled events. The events are made beforehand and go round, so that payload memory moves as in a ring. From a blocking queue
 * events may also be taken by blocking.
 */
final class QueueLane implements Lane {
    /** The number of events beyond those that the queue holds: one may still be read after it was polled. */
    private static final int SPARE = 64;

    private final Queue<Parcel> queue;
    private final int capacity;
    private final Receiver receiver;
    private final LaneThread thread;

    private QueueLane(Queue<Parcel> queue, int capacity, Receiver receiver, int core, boolean blocking) {
        this.queue = queue;
        this.capacity = capacity;
        this.receiver = receiver;
        this.thread = new LaneThread(core, blocking ? this::take : this::poll).start();
    }

    static Lane spinning(Queue<Parcel> queue, int capacity, Receiver receiver, int core) {
        return new QueueLane(queue, capacity, receiver, core, false);
    }

    static Lane blocking(BlockingQueue<Parcel> queue, int capacity, Receiver receiver, int core) {
        return new QueueLane(queue, capacity, receiver, core, true);
    }

    private void poll(LaneThread own) {
        Queue<Parcel> from = queue;
        receiver.begin();
        for (; ; ) {
            Parcel parcel = from.poll();
            if (parcel != null) {
                receiver.received(parcel.value, parcel.time);
            } else if (own.isStopped()) {
                return;
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void take(LaneThread own) throws InterruptedException {
        BlockingQueue<Parcel> from = (BlockingQueue<Parcel>) queue;
        receiver.begin();
        while (!own.isStopped()) {
            Parcel parcel = from.take();
            receiver.received(parcel.value, parcel.time);
        }
    }

    @Override
    public Sender sender() {
        return new Pooled();
    }

    private final class Pooled implements Sender {
        private final Parcel[] pool = new Parcel[capacity + SPARE];
        private int next;

        Pooled() {
            for (int i = 0; i < pool.length; i++) {
                pool[i] = new Parcel();
            }
        }

        @Override
        public void send(long value, long time) {
            Parcel parcel = pool[next];
            next = next + 1 == pool.length ? 0 : next + 1;
            parcel.value = value;
            parcel.time = time;
            while (!queue.offer(parcel)) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() {
        thread.stop();
    }
}
