package io.sluice.examples.soak;

import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets consumers join, pause and leave while the ring runs and drains, until it has ended. What it counts, and the list of
 * consumers, are read once it has ended.
 */
final class Membership extends Thread {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LONGEST_REST_NANOS = 300_000;
    private static final int MOST_PRESENT = 8;

    private final Pipeline<SoakEvent> pipeline;
    private final List<SoakConsumer> consumers;
    private final List<SoakConsumer> present;
    private final int producers;
    private final long seed;
    private final SplittableRandom random;
    private final int retained;

    long joined;

    @Nullable
    Throwable failure;

    Membership(
            Pipeline<SoakEvent> pipeline,
            List<SoakConsumer> consumers,
            int producers,
            long seed,
            SplittableRandom random,
            int retained) {
        super("sluice-soak-membership");
        setDaemon(true);
        this.pipeline = pipeline;
        this.consumers = consumers;
        this.present = new ArrayList<>(consumers);
        this.producers = producers;
        this.seed = seed;
        this.random = random;
        this.retained = retained;
    }

    @Override
    public void run() {
        try {
            while (!isOver()) {
                switch (random.nextInt(4)) {
                    case 0 -> letOneLeave();
                    case 1 -> letOnePause();
                    default -> letOneJoin();
                }
                rest();
            }
        } catch (Throwable t) {
            failure = isOver() && (t instanceof IllegalStateException || t instanceof TimeoutException) ? null : t;
        }
    }

    private boolean isOver() {
        return switch (pipeline.ring().state()) {
            case CLOSED, FAILED -> true;
            default -> false;
        };
    }

    private void rest() {
        LockSupport.parkNanos(random.nextLong(1, LONGEST_REST_NANOS));
    }

    private SoakConsumer anyPresent() {
        return present.get(random.nextInt(present.size()));
    }

    private void letOneJoin() throws TimeoutException {
        if (present.size() >= MOST_PRESENT) {
            return;
        }
        SoakConsumer before = random.nextInt(3) == 0 ? anyPresent() : null;
        List<SoakConsumer> upstream = new ArrayList<>();
        for (SoakConsumer one : present) {
            if (random.nextInt(4) == 0 && one != before && (before == null || !one.follows(before))) {
                upstream.add(one);
            }
        }
        SoakConsumer newcomer =
                new SoakConsumer("joined-" + consumers.size(), upstream, seed, random.split(), producers);
        Join<SoakEvent> join =
                pipeline.join(pipeline.consumer(newcomer.name, newcomer).onFailure(newcomer::decide));
        upstream.forEach(one -> join.after(one.member()));
        if (before != null) {
            join.before(before.member());
        } else if (retained > 0 && random.nextBoolean()) {
            join.from(Math.max(0, slowest() - random.nextInt(retained)));
        }
        ConsumerHandle member;
        try {
            member = join.start(PATIENCE_NANOS);
        } catch (IllegalArgumentException e) {
            if (before == null && String.valueOf(e.getMessage()).startsWith("from ")) {
                return; // the ring has gone on meanwhile, and holds that sequence no more
            }
            throw e;
        }
        newcomer.isMember(member);
        if (before != null) {
            before.followsFrom(newcomer, member.joinedFrom());
        }
        consumers.add(newcomer);
        present.add(newcomer);
        joined++;
    }

    private long slowest() {
        long slowest = Long.MAX_VALUE;
        for (SoakConsumer one : present) {
            slowest = Math.min(slowest, one.member().sequence().get());
        }
        return slowest;
    }

    /** All but the last, and one that is to die. */
    private void letOneLeave() {
        SoakConsumer leaver = anyPresent();
        if (present.size() == 1 || leaver.isToDie()) {
            return;
        }
        leaver.left = leaver.member().remove(PATIENCE_NANOS) == Removal.LEFT;
        if (leaver.left) {
            present.remove(leaver);
        } else if (!isOver()) {
            throw new IllegalStateException(leaver.name + " has not left");
        }
    }

    private void letOnePause() {
        ConsumerHandle member = anyPresent().member();
        member.pause();
        try {
            rest();
        } finally {
            member.resume();
        }
    }
}
