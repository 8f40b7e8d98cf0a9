package io.sluice.ringbuffer;

import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceView;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The consumers of one ring: for reports, for finding a thread that would wait for itself, and to be ended with it. */
final class Consumers<E> {
    private final CopyOnWriteArrayList<ConsumerNode<E>> all = new CopyOnWriteArrayList<>();

    // under the lock of this
    private @Nullable Pipeline<E> pipeline;

    void add(ConsumerNode<E> consumer) {
        all.add(consumer);
    }

    void remove(ConsumerNode<E> consumer) {
        all.remove(consumer);
    }

    /** Any thread; neither locks nor allocates. */
    void forEach(Consumer<? super ConsumerNode<E>> reader) {
        all.forEach(reader);
    }

    /** The ring has one pipeline at most. */
    synchronized void join(Pipeline<E> joining) {
        if (pipeline != null) {
            throw new IllegalStateException("the ring has a pipeline already: allowed is one");
        }
        pipeline = joining;
    }

    synchronized boolean havePipeline() {
        return pipeline != null;
    }

    void halt() {
        all.forEach(ConsumerNode::markHalted);
    }

    /** Waits for the consumers' threads; they have been halted before. */
    void awaitThreads() {
        Pipeline<E> ending;
        synchronized (this) {
            ending = pipeline;
        }
        if (ending != null) {
            ending.awaitThreads();
        }
    }

    /** The name of the consumer with the least progress. */
    String slowest() {
        ConsumerNode<E> slowest = null;
        for (ConsumerNode<E> consumer : all) {
            if (slowest == null || isSlower(consumer, slowest)) {
                slowest = consumer;
            }
        }
        return slowest == null ? "" : slowest.name();
    }

    /** Of workers of one stage, the one that handles the next event behind their progress is the slower. */
    static boolean isSlower(ConsumerNode<?> one, ConsumerNode<?> than) {
        long sequence = one.sequence.getAcquire(); // acquire: for a fair comparison
        return one.isColleagueOf(than)
                ? one.counts.event() == sequence + 1
                : sequence < than.sequence.getAcquire(); // acquire: as above
    }

    /** The pipeline decides when its consumers gate: who took one out by hand would have its events overwritten. */
    void checkNotOwn(SequenceView sequence) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.sequence == sequence) {
                throw new IllegalArgumentException("sequence of consumer " + consumer.name()
                        + ", which the pipeline gates by itself: allowed are sequences of nobody in the pipeline");
            }
        }
    }

    /** A thread that runs a consumer can not wait for room: the room would have to come from itself. */
    void checkNotRunBy(Thread thread) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isRunBy(thread) && !consumer.isEnded()) {
                throw new IllegalStateException("the ring is full, and " + thread + " runs its consumer "
                        + consumer.name() + ": it would wait for itself; allowed from there are the try forms");
            }
        }
    }

    /** A full ring whose consumer has ended, halted or closed by its own runner, stays full: whoever waits is told. */
    void checkNoneEnded(LifeCycle life) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isEnded()
                    && !consumer.hasLeft() // in this order: who leaves has left before it ends
                    && all.stream().noneMatch(other -> other.isColleagueOf(consumer) && !other.isEnded())
                    && life.isRunning()) { // in this order: the end of the ring comes before its consumers'
                throw new IllegalStateException("the ring is full, and its consumer " + consumer.name()
                        + " has ended, by halt() or its runner's end, while the ring is RUNNING: nobody makes room; allowed"
                        + " are the try forms");
            }
        }
    }

    /** A thread that polls or invokes a consumer can not wait for it to catch up; only to look is allowed. */
    void checkNotAwaitedBy(Thread thread, String call) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isRunBy(thread) && !consumer.isEnded() && consumer.lag() > 0) {
                throw new IllegalStateException(
                        call + " has to wait, and " + thread + " runs consumer " + consumer.name()
                                + ", which is behind: it would wait for itself; allowed is to poll first, or a time-out of 0");
            }
        }
    }

    /** Refuses a call that waits for consumers from where it would wait for itself: a handler, or a pipeline's thread. */
    void checkMayWait(String call) {
        checkNotInHandler(call);
        Pipeline<E> own;
        synchronized (this) {
            own = pipeline;
        }
        if (own != null) {
            own.checkNotOwnThread(call);
        }
    }

    private void checkNotInHandler(String call) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isInOwnHandler()) {
                throw new IllegalStateException(call + " called from the handler of consumer " + consumer.name()
                        + ": it would wait for itself; allowed is any other thread");
            }
        }
    }
}
