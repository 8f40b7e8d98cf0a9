package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A consumer of a ring as a monitor sees it. Any thread; each figure is recent, two may differ by the events that passed in between. */
public interface Follower {
    /**
     * The bucket b of batch sizes, from 1 to this less 1, holds batches of 2^(b-1) to 2^b - 1 sequences; on a ring of messages, of as
     * many messages. A poller counts sequences there too.
     */
    int BATCH_BUCKETS = 32;

    /** The value of {@link #currentEvent} between two events. */
    long NO_EVENT = -1;

    /**
     * Its name.
     *
     * @return the name, unique in its pipeline
     */
    String name();

    /**
     * Its published progress; a worker's is that of its stage.
     *
     * @return the last sequence finished
     */
    SequenceView sequence();

    /**
     * Where it stands: the ring's state while it runs, CLOSED when it has ended, FAILED when its handler has failed.
     *
     * @return the state
     */
    State state();

    /**
     * The failure of its own handler that halted it.
     *
     * @return the failure, null if there is none
     */
    @Nullable
    Throwable failure();

    /**
     * Where it failed, in the words of its report. Only where {@link #failure} is not null. Allocates.
     *
     * @return such as {@code at sequence 5}; if it failed at no event, such as {@code in onStart}
     */
    String failedWhere();

    /**
     * Whether it handles nothing more.
     *
     * @return true once it has ended
     */
    boolean isEnded();

    /**
     * Whether it has been asked to pause, and not to go on.
     *
     * @return a recent value
     */
    boolean isPaused();

    /**
     * The thread that ran it last.
     *
     * @return the thread, null if none has begun
     */
    @Nullable
    Thread runner();

    /**
     * The idle strategy of its thread, where that can be signalled.
     *
     * @return the idle strategy, null if it is another one
     */
    @Nullable
    SignalledIdle idle();

    /**
     * The consumers that it follows.
     *
     * @return an empty list if it follows the publications
     */
    List<? extends Follower> upstream();

    /**
     * The last sequence before its join point; it handles everything after it.
     *
     * @return -1 if it was there from the first on
     */
    long base();

    /**
     * Whether it is a worker, which shares the progress of its stage with others.
     *
     * @return true for a worker
     */
    boolean isWorker();

    /**
     * Whether it is a worker of the same stage as another, or the same consumer.
     *
     * @param other another one
     * @return true if they have one progress
     */
    boolean sharesProgressWith(Follower other);

    /**
     * The event that a worker is handling.
     *
     * @return its sequence, or {@link #NO_EVENT}
     */
    long currentEvent();

    /**
     * How many batches of a size it has finished.
     *
     * @param bucket 1 to {@link #BATCH_BUCKETS} - 1
     * @return 0 or more; never falls
     */
    long batches(int bucket);

    /**
     * How often its handler has thrown.
     *
     * @return 0 or more; never falls
     */
    long failures();

    /**
     * How many events it has dropped because a publisher asked for room.
     *
     * @return 0 or more; never falls
     */
    long shed();
}
