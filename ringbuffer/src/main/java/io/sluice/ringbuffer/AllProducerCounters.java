package io.sluice.ringbuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The watches of one ring's producers. Joined and left under a lock, off the hot path; read without. */
final class AllProducerCounters {
    private final CopyOnWriteArrayList<ProducerCounters> all = new CopyOnWriteArrayList<>();

    // under the lock of this
    private final List<ProducerCounters> free = new ArrayList<>();

    /** A watch for the calling thread's producer: one that nobody uses, one whose thread has ended, or a new one. */
    synchronized ProducerCounters join(AbstractProducer<?> user) {
        Thread thread = Thread.currentThread();
        if (!free.isEmpty()) {
            ProducerCounters watch = free.remove(free.size() - 1);
            watch.takeOver(thread, user);
            return watch;
        }
        for (ProducerCounters watch : all) {
            if (!watch.thread().isAlive()) { // none of them is free, so only a producer of the ended thread has it
                watch.takeOver(thread, user);
                return watch;
            }
        }
        ProducerCounters watch = new ProducerCounters(thread, user);
        all.add(watch);
        return watch;
    }

    /** A producer is closed. Its watch is given back, unless another has taken it over since the producer's thread ended. */
    synchronized void leave(ProducerCounters watch, AbstractProducer<?> user) {
        if (watch.isUsedBy(user)) {
            free.add(watch);
        }
    }

    /** Any thread; neither locks nor allocates. */
    void forEach(Consumer<? super ProducerCounters> reader) {
        all.forEach(reader);
    }
}
