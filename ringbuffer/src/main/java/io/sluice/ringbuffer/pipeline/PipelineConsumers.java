package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SequenceView;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Follower;
import io.sluice.ringbuffer.Followers;
import io.sluice.ringbuffer.Ring;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The consumers of one pipeline, as its ring sees them. */
final class PipelineConsumers<E> implements Followers {
    private final CopyOnWriteArrayList<ConsumerNode<E>> all = new CopyOnWriteArrayList<>();

    private final FollowedRing<E> ring;
    private final PipelineThreads<E> threads;
    private final FailureReports reports;

    // under the lock of this
    private boolean leftoverReported;

    PipelineConsumers(FollowedRing<E> ring, PipelineThreads<E> threads, FailureReports reports) {
        this.ring = ring;
        this.threads = threads;
        this.reports = reports;
    }

    void add(ConsumerNode<E> consumer) {
        all.add(consumer);
    }

    void remove(ConsumerNode<E> consumer) {
        all.remove(consumer);
    }

    @Override
    public void forEach(Consumer<? super Follower> reader) {
        all.forEach(reader);
    }

    @Override
    public void halt() {
        all.forEach(ConsumerNode::markHalted);
    }

    @Override
    public List<String> awaitEnd(long limitNanos) {
        return threads.awaitEnd(limitNanos);
    }

    @Override
    public void closed(Ring.Leftover left) {
        synchronized (this) {
            if (leftoverReported) {
                return;
            }
            leftoverReported = true;
        }
        if (left.unhandled() > 0 || left.openClaims() > 0 || !left.running().isEmpty()) {
            reports.left(new EventsLeftException(ring.name(), left));
        }
    }

    @Override
    public String slowest() {
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
                ? one.currentEvent() == sequence + 1
                : sequence < than.sequence.getAcquire(); // acquire: as above
    }

    /** The pipeline decides when its consumers gate: the events of one that is taken out by hand would be overwritten. */
    @Override
    public void checkNotOwn(SequenceView sequence) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.sequence == sequence) {
                throw new IllegalArgumentException(
                        "sequence must be of nobody in the pipeline, but was that of consumer " + consumer.name()
                                + ", which the pipeline gates by itself");
            }
        }
    }

    @Override
    public void checkNotRunBy(Thread thread) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isRunBy(thread) && !consumer.isEnded()) {
                throw new IllegalStateException(
                        "a thread that waits for room must run no consumer of the ring, but the ring is full and "
                                + thread + " runs its consumer " + consumer.name()
                                + ", so it would wait for itself: use the try forms there");
            }
        }
    }

    @Override
    public void takeOutRefused() {
        all.forEach(PipelineConsumers::takeOutIfRefused); // no iterator: allocates nothing
    }

    private static <E> void takeOutIfRefused(ConsumerNode<E> consumer) {
        if (consumer.hasLeft() || consumer.isLeftBehind()) {
            consumer.owner.takeOutRefused(consumer);
        }
    }

    /** A full ring whose consumer has ended, halted or closed by its own runner, stays full: tells each thread that waits. */
    @Override
    public void checkNoneEnded(long needed) {
        takeOutRefused();
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isEnded()
                    && consumer.sequence.getAcquire() < needed // acquire, after the end: its last progress
                    && !consumer.hasLeft() // in this order: who leaves has left before it ends
                    && all.stream().noneMatch(other -> other.isColleagueOf(consumer) && !other.isEnded())
                    && ring.life().isRunning()) { // in this order: the end of the ring comes before its consumers'
                throw new IllegalStateException(
                        "the consumers of a full ring must be at work for a producer to wait for room, but consumer "
                                + consumer.name()
                                + " has ended, by halt() or its runner's end, while the ring is RUNNING, so nobody makes room: use the try forms");
            }
        }
    }

    @Override
    public void checkNotAwaitedBy(Thread thread, String call) {
        checkNotAwaitedBy(thread, call, Long.MAX_VALUE, true);
    }

    /** Only the published sequences up to the awaited one count. */
    void checkNotAwaitedBy(Thread thread, String call, long awaited) {
        checkNotAwaitedBy(thread, call, awaited, false);
    }

    /** With `eventsOnly` aborted sequences do not count: nobody waits for a consumer to pass them. */
    private void checkNotAwaitedBy(Thread thread, String call, long awaited, boolean eventsOnly) {
        long due = Math.min(awaited, ring.cursor().get());
        for (ConsumerNode<E> consumer : all) {
            long finished = consumer.sequence.getAcquire(); // acquire: as good as any, the thread's own
            if (consumer.isRunBy(thread)
                    && !consumer.isEnded()
                    && finished < due
                    && (!eventsOnly || ring.unhandledFrom(finished + 1) > 0)) {
                throw new IllegalStateException("a thread that waits in " + call
                        + " must run no consumer that is behind, but " + thread + " runs consumer " + consumer.name()
                        + ", which is behind, so it would wait for itself: poll first, or use a time-out of 0");
            }
        }
    }

    @Override
    public void checkMayWait(String call) {
        checkNotInHandler(call);
        threads.checkNotOwnThread(call);
    }

    private void checkNotInHandler(String call) {
        for (ConsumerNode<E> consumer : all) {
            if (consumer.isInOwnHandler()) {
                throw new IllegalStateException(call
                        + " must be called from outside the handlers of this ring, but was called from the handler of consumer "
                        + consumer.name() + ", so it would wait for itself: use any other thread");
            }
        }
    }
}
