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
 * Lets consumers join, pause and leave while the ring runs and drains, until it has ended. Its counts, and the list
 * of consumers, are read once it has ended.
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

    /** Held while one joins that has events to handle already. */
    private final Object joiningFurtherBack = new Object();

    // under the lock of joiningFurtherBack
    private boolean drained;

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

    /** The ring is drained: from now on nobody joins that has events to handle. Waits for a join under way; to be drained again. */
    void joinNoFurtherBack() {
        synchronized (joiningFurtherBack) {
            drained = true;
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
        ConsumerHandle member;
        if (before == null && retained > 0 && random.nextBoolean()) {
            member = startFurtherBack(join, random.nextInt(retained));
        } else {
            if (before != null) {
                join.before(before.member());
            }
            member = join.start(PATIENCE_NANOS);
        }
        if (member == null) {
            return;
        }
        newcomer.isMember(member);
        if (before != null) {
            before.followsFrom(newcomer, member.joinedFrom());
        }
        consumers.add(newcomer);
        present.add(newcomer);
        joined++;
    }

    /** Joins so far behind the slowest; null if the ring has gone on meanwhile and holds that no more, or is drained. */
    private @Nullable ConsumerHandle startFurtherBack(Join<SoakEvent> join, int behind) throws TimeoutException {
        synchronized (joiningFurtherBack) {
            if (drained) {
                return null;
            }
            join.from(Math.max(0, slowest() - behind));
            try {
                return join.start(PATIENCE_NANOS);
            } catch (IllegalArgumentException e) {
                if (String.valueOf(e.getMessage()).startsWith("join point ")) {
                    return null;
                }
                throw e;
            }
        }
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
