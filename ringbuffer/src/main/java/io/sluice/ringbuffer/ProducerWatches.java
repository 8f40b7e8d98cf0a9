package io.sluice.ringbuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The watches of one ring's producers. Joined and left under a lock, off the hot path; read without. */
final class ProducerWatches {
    private final CopyOnWriteArrayList<ProducerWatch> all = new CopyOnWriteArrayList<>();

    // under the lock of this
    private final List<ProducerWatch> free = new ArrayList<>();

    /** A watch for the calling thread's producer: one that nobody uses, or a new one. */
    synchronized ProducerWatch join() {
        Thread thread = Thread.currentThread();
        if (!free.isEmpty()) {
            ProducerWatch watch = free.remove(free.size() - 1);
            watch.takeOver(thread);
            return watch;
        }
        for (ProducerWatch watch : all) {
            if (!watch.thread().isAlive()) { // none of them is free, so nobody else has it
                watch.takeOver(thread);
                return watch;
            }
        }
        ProducerWatch watch = new ProducerWatch(thread);
        all.add(watch);
        return watch;
    }

    /** Its producer is closed. By another thread than its own it is not given back, but taken over once that has ended. */
    synchronized void leave(ProducerWatch watch) {
        if (watch.thread() == Thread.currentThread()) {
            free.add(watch);
        }
    }

    /** Any thread; neither locks nor allocates. */
    void forEach(Consumer<ProducerWatch> reader) {
        all.forEach(reader);
    }
}
