package io.sluice.backpressure.nak;

import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queue that a {@link FillMonitor} watches: a ring, another queue, the backlog of a socket. Called by: the monitor's
 * thread. Each method must cost a constant time and must not block.
 */
public interface FillSource {
    /**
     * A ring, seen from one of its consumers: full when the next publication would have to wait for that consumer. Once
     * that consumer has been removed, no publication waits for it: then the source is empty, and has handled all. A consumer
     * that was halted still gates the ring. Slots that a ring {@linkplain io.sluice.ringbuffer.RingBufferBuilder#retain retains} do
     * not count as capacity. The sender's positions are the ring's sequences, each counted from 1. They count the messages of
     * all producers, so with several senders {@link FillMonitor#senders} has to say how many there are. A consumer publishes its
     * progress at the end of a batch, so a batch under way counts as not handled. A look costs a few acquire reads with a single
     * producer. With many producers it looks at the stamps of all that is not handled yet, so poll it less often there.
     *
     * @param ring the ring
     * @param consumer one of its consumers, the slowest where there are several
     * @return a source for one monitor
     * @throws IllegalArgumentException if the consumer is that of another ring, and has not ended
     */
    static FillSource of(Ring ring, ConsumerHandle consumer) {
        Check.notNull(ring, "ring");
        Check.notNull(consumer, "consumer");
        FollowedRing<?> followed = ring instanceof FollowedRing<?> own ? own : null;
        checkItsOwn(followed, consumer);
        long room = followed == null ? ring.capacity() : followed.window();
        return new FillSource() {
            @Override
            public long capacity() {
                return room;
            }

            @Override
            public long fill() {
                return gates() ? consumer.lag() : 0;
            }

            @Override
            public long consumedPosition() {
                return (gates() ? consumer.sequence() : ring.cursor()).get() + 1;
            }

            @Override
            public long newestPosition() {
                return ring.cursor().get() + 1;
            }

            private boolean gates() {
                return followed == null || followed.gating().contains(consumer.sequence());
            }
        };
    }

    private static void checkItsOwn(@Nullable FollowedRing<?> ring, ConsumerHandle consumer) {
        if (ring != null && !ring.gating().contains(consumer.sequence())) { // another ring's, or it has left
            State state = consumer.state();
            if (state != State.CLOSED && state != State.FAILED) {
                throw new IllegalArgumentException("consumer must be one of ring " + ring.name() + ", but "
                        + consumer.name() + " is of another ring");
            }
        }
    }

    /**
     * The capacity.
     *
     * @return messages, 1 or more, always the same
     */
    long capacity();

    /**
     * The messages that it holds. A value read without a lock may be a little off: below 0 counts as 0, above the capacity as full.
     *
     * @return messages
     */
    long fill();

    /**
     * How far messages have been handled.
     *
     * @return a position of the sender
     */
    long consumedPosition();

    /**
     * The newest position that reached the queue.
     *
     * @return a position of the sender
     */
    long newestPosition();

    /**
     * The sender's session that {@link #consumedPosition()} and {@link #newestPosition()} count in, as the sender told it with the
     * data. When it changes, the monitor starts anew, since the new session has heard of no level yet. A sender checks positions
     * against what it has sent in its session, so the three of one look belong together.
     *
     * @return its number; 0 unless a source says otherwise, for senders without sessions
     */
    default long session() {
        return 0;
    }
}
