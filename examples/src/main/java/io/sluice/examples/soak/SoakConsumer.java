package io.sluice.examples.soak;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that keeps a ledger, pauses now and then, and fails as planned by the seed. Its fields belong to the thread that
 * runs it, until that has ended.
 */
final class SoakConsumer implements EventHandler<SoakEvent> {
    private static final long NEVER = Long.MAX_VALUE;

    /** One event in so many is paused at, or fails at first. */
    private static final int RARELY = 2_000;

    private static final long LONGEST_PAUSE_NANOS = 500_000;

    final String name;

    private final long seed;
    private final SplittableRandom random;
    private final List<Edge> upstream = new ArrayList<>();
    private long dieAfter = NEVER;
    private @Nullable ConsumerHandle member;

    /** Whether it has left, and been told so. */
    boolean left;

    private Ledger ledger;
    private @Nullable Ledger batchStart;
    private boolean rewinding;
    private boolean retrying;
    private long failing = -1;

    /** The sequence at which it died, -1 if it lives. */
    long diedAt = -1;

    long pauses;
    long skipped;
    long retried;
    long rewound;

    SoakConsumer(String name, List<SoakConsumer> upstream, long seed, SplittableRandom random, int producers) {
        this.name = name;
        upstream.forEach(one -> this.upstream.add(new Edge(one, 0)));
        this.seed = seed;
        this.random = random;
        this.ledger = new Ledger(producers);
    }

    /** Plans its death after so many events. */
    void dieAfter(long events) {
        dieAfter = events;
    }

    boolean isToDie() {
        return dieAfter != NEVER;
    }

    /** Its place in the pipeline, once it has one. */
    void isMember(ConsumerHandle consumer) {
        member = consumer;
    }

    ConsumerHandle member() {
        return Objects.requireNonNull(member, name);
    }

    /** The events that it was given; without a batch that it was to try again, and gave up because it was asked to leave. */
    Ledger ledger() {
        return (rewinding || retrying) && batchStart != null ? batchStart : ledger;
    }

    /** From this sequence on its events come through another, too. */
    void followsFrom(SoakConsumer other, long sequence) {
        upstream.add(new Edge(other, sequence));
    }

    boolean follows(SoakConsumer other) {
        return followsSince(other) != NEVER;
    }

    /** The first sequence from which on all its events come through another; {@link #NEVER} if they do not. */
    private long followsSince(SoakConsumer other) {
        long since = NEVER;
        for (Edge edge : upstream) {
            long through = edge.consumer == other ? 0 : edge.consumer.followsSince(other);
            since = Math.min(since, Math.max(edge.since, through));
        }
        return since;
    }

    /** Whether it was given only events that another one that died had finished, as far as it followed that. */
    boolean stayedBehind(SoakConsumer dead) {
        return ledger().lastSequence() < Math.max(dead.diedAt, followsSince(dead));
    }

    /** One whose events it gets, from a sequence on. Stays when that one leaves: its own upstream takes its place. */
    private record Edge(SoakConsumer consumer, long since) {}

    @Override
    public void onBatchStart(long size, long available) {
        if (rewinding && batchStart != null) {
            ledger = batchStart;
            rewinding = false;
        }
        batchStart = ledger.copy();
    }

    @Override
    public void onEvent(SoakEvent event, long sequence, boolean endOfBatch) {
        retrying = false;
        if (sequence != failing) {
            if (ledger.handled() >= dieAfter) {
                diedAt = sequence;
                throw new PlannedFailure();
            }
            int chance = random.nextInt(RARELY);
            if (chance == 0) {
                pauses++;
                LockSupport.parkNanos(random.nextLong(1, LONGEST_PAUSE_NANOS));
            } else if (chance == 1) {
                failing = sequence;
                throw new PlannedFailure();
            }
        }
        ledger.enter(event, seed, sequence);
    }

    /** The failure policy. */
    Action decide(Throwable cause, @Nullable SoakEvent event, long sequence, int attempt) {
        if (diedAt >= 0 || !(cause instanceof PlannedFailure) || event == null) {
            return Action.HALT;
        }
        switch (random.nextInt(3)) {
            case 0 -> {
                skipped++;
                ledger.enter(event, seed, sequence); // it was given, which is what is counted
                return Action.SKIP;
            }
            case 1 -> {
                retried++;
                retrying = true;
                return Action.RETRY_EVENT;
            }
            default -> {
                rewound++;
                rewinding = true;
                return Action.REWIND_BATCH;
            }
        }
    }
}
