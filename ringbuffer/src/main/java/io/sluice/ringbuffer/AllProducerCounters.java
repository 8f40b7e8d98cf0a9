package io.sluice.ringbuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The counters of one ring's producers. Joined and left under a lock, off the hot path; read without. */
final class AllProducerCounters {
    private final CopyOnWriteArrayList<ProducerCounters> all = new CopyOnWriteArrayList<>();

    // under the lock of this
    private final List<ProducerCounters> free = new ArrayList<>();

    /** Counters for the calling thread's producer: those that nobody uses, those whose thread has ended, or new ones. */
    synchronized ProducerCounters join(Producer<?> user) {
        Thread thread = Thread.currentThread();
        if (!free.isEmpty()) {
            ProducerCounters counters = free.remove(free.size() - 1);
            counters.takeOver(thread, user);
            return counters;
        }
        for (ProducerCounters counters : all) {
            if (!counters.thread().isAlive()) { // none of them is free, so only a producer of the ended thread has it
                counters.takeOver(thread, user);
                return counters;
            }
        }
        ProducerCounters counters = new ProducerCounters(thread, user);
        all.add(counters);
        return counters;
    }

    /** A producer is closed. Its counters are given back, unless another has taken them over since the producer's thread ended. */
    synchronized void leave(ProducerCounters counters, Producer<?> user) {
        if (counters.isUsedBy(user)) {
            if (counters.isWaiting()) { // closed within its own wait, or its thread ended there
                counters.stallEnds(System.nanoTime() - counters.waitsSince());
            }
            free.add(counters);
        }
    }

    /** Any thread; neither locks nor allocates. */
    void forEach(Consumer<? super ProducerCounters> reader) {
        all.forEach(reader);
    }
}
