package io.sluice.examples.soak;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * One ring with a random graph, from its start to its end, and the comparison of the events that came with those that were
 * sent. The graph, the idle strategies and the planned failures come from the seed; the interleaving from the machine.
 */
final class Round {
    private static final long PATIENCE_SECONDS = 60;
    private static final int MOST_EVENTS = 40_000;

    private final long seed;
    private final Tally tally;
    private final RingBuffer<SoakEvent> ring;
    private final Pipeline<SoakEvent> pipeline;
    private final List<SoakConsumer> consumers = new CopyOnWriteArrayList<>(); // the membership's thread adds
    private final List<SoakProducer> producers = new ArrayList<>();
    private final @Nullable Membership membership;

    Round(long seed, BooleanSupplier stopped, Tally tally) {
        this.seed = seed;
        this.tally = tally;
        SplittableRandom random = new SplittableRandom(seed);
        int capacity = 1 << random.nextInt(15);
        boolean single = random.nextBoolean();
        int idle = random.nextInt(4);
        boolean changes = random.nextBoolean();
        int retained = changes && random.nextBoolean() ? capacity / 2 : 0;
        RingBufferBuilder<SoakEvent> builder = RingBufferBuilder.of(SoakEvent::new)
                .name("soak")
                .capacity(capacity)
                .retain(retained)
                .consumersIdle(() -> idle(idle));
        ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
        pipeline = Pipeline.on(ring);
        int senders = single ? 1 : random.nextInt(1, 4);
        declareConsumers(random, senders);
        int events = random.nextInt(100, capacity < 8 ? MOST_EVENTS / 10 : MOST_EVENTS);
        if (random.nextInt(4) == 0) {
            consumers.get(random.nextInt(consumers.size())).dieAfter(random.nextInt(events));
        }
        for (int i = 0; i < senders; i++) {
            producers.add(
                    new SoakProducer(i, ring.producer(), random.split(), stopped, events, seed, capacity - retained));
        }
        membership = changes ? new Membership(pipeline, consumers, senders, seed, random.split(), retained) : null;
    }

    private static IdleStrategy idle(int which) {
        return switch (which) {
            case 0 -> new YieldingIdleStrategy();
            case 1 -> SignalledIdle.exact(5);
            case 2 -> SignalledIdle.timed();
            default -> new BackoffIdleStrategy();
        };
    }

    private void declareConsumers(SplittableRandom random, int senders) {
        int count = random.nextInt(1, 6);
        for (int i = 0; i < count; i++) {
            List<SoakConsumer> upstream = new ArrayList<>();
            for (SoakConsumer one : consumers) {
                if (random.nextInt(3) == 0) {
                    upstream.add(one);
                }
            }
            SoakConsumer consumer = new SoakConsumer("consumer-" + i, upstream, seed, random.split(), senders);
            NewConsumer<SoakEvent> settings =
                    pipeline.consumer(consumer.name, consumer).onFailure(consumer::decide);
            if (random.nextBoolean()) {
                settings.batchLimit(random.nextInt(1, 33));
            }
            if (random.nextBoolean()) {
                settings.thread("shared-" + random.nextInt(2));
            }
            if (upstream.isEmpty()) {
                pipeline.handleEventsWith(settings);
            } else {
                pipeline.after(upstream.toArray(SoakConsumer[]::new)).then(settings);
            }
            consumers.add(consumer);
        }
    }

    RingBuffer<SoakEvent> ring() {
        return ring;
    }

    /** Runs it, and adds its result to the tally. */
    void run() throws InterruptedException {
        long wrongBefore = tally.wrong();
        pipeline.threads(task -> {
            Thread thread = new Thread(task, "sluice-soak-consumer");
            thread.setDaemon(true);
            return thread;
        });
        pipeline.start();
        consumers.forEach(consumer -> consumer.isMember(pipeline.consumer(consumer)));
        producers.forEach(Thread::start);
        if (membership != null) {
            membership.start();
        }
        if (awaitEnd()) {
            compare();
        }
        count();
        tally.rounds++;
        if (tally.wrong() != wrongBefore) {
            tally.failedRounds++;
        }
    }

    private boolean awaitEnd() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (SoakProducer producer : producers) {
            TimeUnit.NANOSECONDS.timedJoin(producer, Math.max(1, deadline - System.nanoTime()));
            if (producer.isAlive()) {
                return stuck(producer.getName() + " waits, ring " + ring.state());
            }
            if (producer.failure != null) {
                return stuck(producer.getName() + " threw " + producer.failure);
            }
        }
        try {
            Ring.Leftover left = pipeline.drain(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            if (left.isNone() && membership != null) {
                membership.joinNoFurtherBack(); // a close would cut off who has joined so meanwhile
                left = pipeline.drain(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            }
            if (!left.isNone()) {
                return stuck("left is " + left);
            }
        } catch (RingFailedException failed) {
            if (!haveEnded()) {
                return stuck("the consumers of the failed ring have not ended");
            }
        }
        Ring.Leftover cutOff = ring.close(Duration.ofSeconds(PATIENCE_SECONDS));
        if (ring.state() != State.FAILED && !cutOff.isNone()) {
            return stuck("the close of the drained ring has left " + cutOff);
        }
        if (membership != null) {
            TimeUnit.NANOSECONDS.timedJoin(membership, Math.max(1, deadline - System.nanoTime()));
            if (membership.isAlive() || membership.failure != null) {
                return stuck("joining and leaving: " + (membership.isAlive() ? "waits" : membership.failure));
            }
        }
        pipeline.close(); // waits for the consumers' threads
        return true;
    }

    /** Waits until the consumers of a failed ring have ended: their counts are final then. */
    private boolean haveEnded() {
        long patience = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        long began = System.nanoTime();
        try {
            pipeline.awaitHandled(Long.MAX_VALUE, patience);
            return false;
        } catch (RingFailedException expected) {
            return System.nanoTime() - began < patience;
        }
    }

    private boolean stuck(String what) {
        tally.stuck++;
        tally.fault("round with seed " + seed + ": " + what);
        ring.close();
        return false;
    }

    private void compare() {
        SoakConsumer dead = null;
        for (SoakConsumer consumer : consumers) {
            if (consumer.diedAt >= 0) {
                dead = consumer;
            }
        }
        if (dead == null && ring.state() == State.FAILED) {
            tally.stuck++;
            tally.fault("round with seed " + seed + ": failed unplanned, " + ring.failure());
            return;
        }
        for (SoakConsumer consumer : consumers) {
            long before = tally.wrong();
            compare(consumer, dead != null);
            if (dead != null) {
                compareWithDead(consumer, dead);
            }
            if (tally.wrong() != before) {
                tally.fault("round with seed " + seed + ": wrong at " + consumer.name);
            }
        }
    }

    /** From where it joined to where it left, or to the end, each event of each producer came once, in order. */
    private void compare(SoakConsumer consumer, boolean failed) {
        Ledger ledger = consumer.ledger();
        tally.doubled += ledger.doubled;
        tally.outOfOrder += ledger.outOfOrder;
        tally.torn += ledger.torn;
        long end = Long.MAX_VALUE;
        if (consumer.diedAt >= 0) {
            end = consumer.diedAt;
        } else if (failed || consumer.left) {
            end = consumer.member().sequence().get() + 1;
        }
        for (int index = 0; index < producers.size(); index++) {
            SoakProducer producer = producers.get(index);
            int from = producer.firstFrom(consumer.member().joinedFrom());
            int to = Math.max(from, producer.firstFrom(end));
            tally.lost += ledger.lost(index, from, to);
            tally.strays += ledger.strays(index, from, to);
            tally.checksums += ledger.sum(index) == producer.sum(from, to) ? 0 : 1;
        }
    }

    /** Consumers that do not follow a dead one have handled all up to the event of its death; those that follow it stayed behind that. */
    private void compareWithDead(SoakConsumer consumer, SoakConsumer dead) {
        if (consumer == dead) {
            return; // compared up to its death
        }
        if (consumer.follows(dead)) {
            tally.outOfOrder += consumer.stayedBehind(dead) ? 0 : 1;
        } else if (!consumer.left) {
            tally.lost += consumer.member().sequence().get() >= dead.diedAt ? 0 : 1;
        }
    }

    private void count() {
        tally.producers += producers.size();
        tally.consumers += consumers.size();
        for (SoakProducer producer : producers) {
            tally.published += producer.published;
            tally.aborted += producer.aborted;
        }
        for (SoakConsumer consumer : consumers) {
            tally.handled += consumer.ledger().handled();
            tally.pauses += consumer.pauses;
            tally.skipped += consumer.skipped;
            tally.retried += consumer.retried;
            tally.rewound += consumer.rewound;
            tally.halted += consumer.diedAt >= 0 ? 1 : 0;
            tally.left += consumer.left ? 1 : 0;
        }
        tally.joined += membership == null ? 0 : membership.joined;
    }
}
