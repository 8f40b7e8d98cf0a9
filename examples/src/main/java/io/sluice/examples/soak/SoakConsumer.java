package io.sluice.examples.soak;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.EventHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that keeps a ledger, pauses now and then, and fails as planned by the seed. Its fields belong to the thread that
 * runs it, until that has ended.
 */
final class SoakConsumer implements EventHandler<SoakEvent> {
    /** One event in so many is paused at, or fails at first. */
    private static final int RARELY = 2_000;

    private static final long LONGEST_PAUSE_NANOS = 500_000;

    final String name;
    final List<SoakConsumer> upstream;

    private final long seed;
    private final SplittableRandom random;
    private long dieAfter = Long.MAX_VALUE;

    private Ledger ledger;
    private @Nullable Ledger batchStart;
    private boolean rewinding;
    private long failing = -1;

    /** The sequence at which it died, -1 if it lives. */
    long diedAt = -1;

    long pauses;
    long skipped;
    long retried;
    long rewound;

    SoakConsumer(String name, List<SoakConsumer> upstream, long seed, SplittableRandom random, int producers) {
        this.name = name;
        this.upstream = upstream;
        this.seed = seed;
        this.random = random;
        this.ledger = new Ledger(producers);
    }

    /** Plans its death after so many events. */
    void dieAfter(long events) {
        dieAfter = events;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Whether its events come through another consumer. */
    boolean follows(SoakConsumer other) {
        List<SoakConsumer> reached = new ArrayList<>(upstream);
        for (int i = 0; i < reached.size(); i++) {
            if (reached.get(i) == other) {
                return true;
            }
            reached.addAll(reached.get(i).upstream);
        }
        return false;
    }

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
