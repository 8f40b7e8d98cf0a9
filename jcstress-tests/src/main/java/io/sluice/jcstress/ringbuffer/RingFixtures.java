package io.sluice.jcstress.ringbuffer;

import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Meeting;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import io.sluice.ringbuffer.pipeline.Wiring;
import java.util.concurrent.TimeoutException;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.jspecify.annotations.Nullable;

/** The common part of the tests: small rings whose producers and consumers never park, and bounded attempts. */
final class RingFixtures {
    /** How often an actor tries before it gives up: both actors must come to their end whatever the other does. */
    static final int ATTEMPTS = 200;

    /** How often an actor works while the other one joins or leaves, which takes a few parks of 20 us. */
    static final int MANY_ATTEMPTS = 50_000;

    /** How long to wait for the other actor's consumer to rest. */
    static final long JOIN_LIMIT_NANOS = 5_000_000;

    private RingFixtures() {}

    static RingBuffer<Event> single(int capacity) {
        return builder(capacity).singleProducer().build();
    }

    static RingBuffer<Event> multi(int capacity) {
        return builder(capacity).multiProducer().build();
    }

    static RingBufferBuilder<Event> builder(int capacity) {
        return spinning(RingBufferBuilder.of(Event::new), capacity);
    }

    /** As {@link #builder}, for a ring of bytes: see {@link Words#BYTES}. */
    static RingBufferBuilder<ByteSlots> bytes(int capacity) {
        return spinning(RingBufferBuilder.bytes(Words.LENGTH), capacity);
    }

    private static <E> RingBufferBuilder<E> spinning(RingBufferBuilder<E> builder, int capacity) {
        return builder.capacity(capacity)
                .producersIdle(() -> BusySpinIdleStrategy.INSTANCE)
                .consumersIdle(() -> BusySpinIdleStrategy.INSTANCE);
    }

    /** Publishes an event filled with its sequence plus one; returns what the claim gave. */
    static long publish(Producer<Event> producer) {
        return producer.tryPublishEvent(Words.OBJECTS);
    }

    /**
     * Fills events in, by a producer that is closed then, and gives another, for the actor whose thread will own it: a producer
     * belongs to the first thread that claims.
     */
    static Producer<Event> producerBehind(RingBuffer<Event> ring, int events) {
        try (Producer<Event> first = ring.producer()) {
            for (int i = 0; i < events; i++) {
                publish(first);
            }
        }
        return ring.producer();
    }

    /** As {@link #publish}, again while the ring is full, a bounded number of times. */
    static long publishSoon(Producer<Event> producer) {
        return publishSoon(producer, Words.OBJECTS);
    }

    /** As above, on a ring of any kind of events. */
    static <E> long publishSoon(Producer<E> producer, Words<E> words) {
        long sequence = producer.tryPublishEvent(words);
        for (int i = 0; sequence == Producer.FULL && i < ATTEMPTS; i++) {
            Thread.onSpinWait();
            sequence = producer.tryPublishEvent(words);
        }
        return sequence;
    }

    /** Polls once. */
    static <E> int poll(EventPoller<E> poller, PollHandler<E, RuntimeException> handler, int limit) {
        return poller.poll(handler, limit);
    }

    /** Polls again while nothing comes, a bounded number of times. */
    static <E> int pollSoon(EventPoller<E> poller, PollHandler<E, RuntimeException> handler, int limit) {
        int polled = poll(poller, handler, limit);
        for (int i = 0; polled == 0 && i < ATTEMPTS; i++) {
            Thread.onSpinWait();
            polled = poll(poller, handler, limit);
        }
        return polled;
    }

    /**
     * Looks for a claim, and aborts it on its owner's behalf, once the owner has come to the meeting or has not for
     * long. Returns how many sequences it aborted.
     */
    static long abortForOwner(RingBuffer<?> ring, Meeting meeting) {
        StalledClaimDetector watch = StalledClaimDetector.of(ring);
        AbandonedClaim claim = null;
        for (int i = 0; i < ATTEMPTS && (claim == null || !claim.isOwnerKnown()); i++) {
            claim = watch.look(0);
        }
        meeting.other();
        return claim != null && claim.isOwnerKnown() ? claim.abort() : 0;
    }

    /** Joins a poller, with a limit in case no thread runs a consumer that has to rest. Null if none did. */
    static @Nullable EventPoller<Event> join(Join<Event> join) {
        try {
            return join.poller(JOIN_LIMIT_NANOS);
        } catch (TimeoutException e) {
            return null;
        }
    }

    /** Joins a poller where the calling thread runs all consumers that have to rest. */
    static EventPoller<Event> joinAtOnce(Join<Event> join) {
        EventPoller<Event> joined = join(join);
        if (joined == null) {
            throw new IllegalStateException("not at rest");
        }
        return joined;
    }

    /** Declares a consumer and connects its idle strategy, without a thread that runs it. */
    static void connect(RingBuffer<Event> ring) {
        Pipeline<Event> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        pipeline.threads(Unstarted::new);
        pipeline.start();
        Wiring.quiet(ring);
    }

    /** A thread that never runs. */
    static final class Unstarted extends Thread {
        Unstarted(Runnable runnable) {
            super(runnable);
        }

        @Override
        public void start() {
            // the test's actor does what the thread would do
        }
    }

    /** Whether a runner that has announced its park, and seen nothing since, would sleep. */
    static boolean wouldSleep(SignalledIdle idle) {
        long before = idle.parks();
        idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
        idle.idle();
        return idle.parks() != before;
    }
}
