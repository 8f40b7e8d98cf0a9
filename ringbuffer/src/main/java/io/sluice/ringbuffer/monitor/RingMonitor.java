package io.sluice.ringbuffer.monitor;

import io.sluice.core.Sequence;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Follower;
import io.sluice.ringbuffer.ProducerCounters;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A window into a running ring: {@link #sample} takes a snapshot, the other methods return its figures, {@link #dump} describes it in
 * words.
 *
 * <p>Taking a snapshot takes no lock and makes no garbage (but once for each new consumer), and neither producers nor consumers notice
 * it: they count anyway, with one opaque store a batch, two more for each event of a worker, and some on slow paths. On a ring with many
 * producers a snapshot walks over the slots that are not handled yet. Two kinds of rings differ while nobody consumes them: slots of bytes
 * for a single producer, where a snapshot takes the lock under which producers are made and closed, and messages of many producers, where
 * it takes that lock and copies the list of the producers. The figures are read one after another. Each is recent, and no lag or fill is
 * negative or above the capacity, but two figures may differ by the events that passed in between.
 *
 * <p>A monitor belongs to one thread at a time. There may be any number of monitors of one ring.
 */
public final class RingMonitor {
    private static final int MOST_CAUSES = 10;

    final FollowedRing<?> ring;
    private final Consumer<Follower> consumerReader = this::read;
    private final Consumer<ProducerCounters> producerReader = this::read;
    final StalledClaimDetector stalled;

    private ConsumerSample[] samples = {};
    private int consumers;
    private long now;
    private long published = Sequence.INITIAL;
    private long slowest = Sequence.INITIAL;
    private State state;
    private long stalls;
    private long stalledNanos;
    private long refused;
    private long dropped;
    private int waiting;

    private RingMonitor(FollowedRing<?> ring) {
        this.ring = ring;
        this.stalled = StalledClaimDetector.of(ring);
        this.state = ring.state();
    }

    /**
     * A monitor, with a first snapshot taken.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind, in any state
     * @return a new monitor
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     */
    public static RingMonitor of(RingBuffer<?> ring) {
        return new RingMonitor(FollowedRing.of(ring)).sample();
    }

    /**
     * Takes a snapshot in place of the last one. Never blocks while the ring has a consumer.
     *
     * @return this
     */
    public RingMonitor sample() {
        now = System.nanoTime();
        state = ring.state();
        consumers = 0;
        ring.followers().forEach(consumerReader);
        Arrays.fill(samples, consumers, samples.length, null); // those who have left, with their handlers
        // Consumers before the cursor: the cursor only grows, so no lag is negative.
        long gate = ring.gating().minimum(Long.MAX_VALUE);
        published = Math.max(published, ring.cursor().get());
        slowest = Math.min(gate, published);
        for (int i = 0; i < consumers; i++) {
            samples[i].see(published, ring.capacity(), now);
        }
        stalls = 0;
        stalledNanos = 0;
        refused = 0;
        dropped = 0;
        waiting = 0;
        ring.forEachProducer(producerReader);
        return this;
    }

    /** Sets the time of {@link System#nanoTime} since when the slowest consumers have stood still. */
    RingMonitor stoodSince(long since) {
        for (int i = 0; i < consumers; i++) {
            ConsumerSample one = samples[i]; // of the workers of a stage, the one that holds it up
            boolean slow = one.sequence == slowest && (!one.node.isWorker() || one.event == slowest + 1);
            one.stoodSince = slow ? since : one.stoodSince;
        }
        return this;
    }

    private void read(Follower node) {
        int at = consumers++;
        if (at == samples.length) {
            samples = Arrays.copyOf(samples, Math.max(4, at * 2));
        }
        ConsumerSample sample = at < samples.length ? samples[at] : null;
        for (int i = at; i < samples.length && (sample == null || sample.node != node); i++) {
            if (samples[i] != null && samples[i].node == node) { // one before it has left
                sample = samples[i];
                samples[i] = samples[at];
            }
        }
        if (sample == null || sample.node != node) {
            sample = new ConsumerSample(node);
        }
        samples[at] = sample;
        sample.read();
    }

    private void read(ProducerCounters counters) {
        stalls += counters.stalls();
        stalledNanos += counters.stalledNanos();
        refused += counters.refusals();
        dropped += counters.drops();
        if (counters.isWaiting()) {
            waiting++;
        }
    }

    /**
     * The ring's name.
     *
     * @return the name that it was built with
     */
    public String name() {
        return ring.name();
    }

    /**
     * The ring's state when the snapshot was taken.
     *
     * @return the state
     */
    public State state() {
        return state;
    }

    /**
     * The cause of the ring's failure: the consumer, the sequence or the method it failed at, and the throwable, in one line. Any
     * failure is seen at once, without a new snapshot. Allocates.
     *
     * @return the cause, null while the ring has not failed
     */
    public @Nullable String failure() {
        Throwable failure = ring.failure();
        if (failure == null) {
            return null;
        }
        StringBuilder cause = new StringBuilder();
        for (int i = 0; i < consumers; i++) {
            if (samples[i].node.failure() == failure) {
                cause.append("consumer ").append(samples[i].name()).append(' ');
                cause.append(samples[i].node.failedWhere()).append(": ");
                break;
            }
        }
        cause.append(failure);
        Throwable deeper = failure.getCause();
        for (int depth = 0; deeper != null && depth < MOST_CAUSES; depth++, deeper = deeper.getCause()) {
            if (cause.indexOf(deeper.toString()) < 0) { // many say what their cause says
                cause.append(", caused by ").append(deeper);
            }
        }
        return cause.toString().replaceAll("\\R", " ");
    }

    /**
     * How many slots there are.
     *
     * @return a power of two
     */
    public long capacity() {
        return (int) ring.capacity();
    }

    /**
     * How many sequences have been published or aborted, from the ring's beginning.
     *
     * @return 0 or more; never falls
     */
    public long published() {
        return published + 1;
    }

    /**
     * How many sequences every consumer has finished, and so how many slots have been given back.
     *
     * @return 0 to {@link #published}; without consumers {@link #published}
     */
    public long handled() {
        return slowest + 1;
    }

    /**
     * How many published slots are not given back yet.
     *
     * @return 0 to {@link #capacity}; 0 without consumers
     */
    public long fill() {
        return Math.min(published - slowest, ring.capacity());
    }

    /**
     * How often a claim had to wait for room.
     *
     * @return 0 or more; never falls
     */
    public long stalls() {
        return stalls;
    }

    /**
     * How long claims have waited for room, all producers together; without waits that have not ended.
     *
     * @return nanoseconds, 0 or more; never falls
     */
    public long stalledNanos() {
        return stalledNanos;
    }

    /**
     * How many claims got no room: at once, or within their time.
     *
     * @return 0 or more; never falls
     */
    public long refused() {
        return refused;
    }

    /**
     * How many new events were dropped because the ring was full, by {@link DroppingProducer}s.
     *
     * @return 0 or more; never falls
     */
    public long dropped() {
        return dropped;
    }

    /**
     * How many producers were waiting for room.
     *
     * @return 0 or more
     */
    public int producersWaiting() {
        return waiting;
    }

    /**
     * How many consumers there are, ended ones included.
     *
     * @return 0 or more
     */
    public int consumers() {
        return consumers;
    }

    /**
     * The snapshot of one consumer.
     *
     * @param index 0 to {@link #consumers} - 1, in the order in which they came to the ring
     * @return a view, refreshed by each {@link #sample} while the consumer is there
     * @throws IllegalArgumentException if there is none of this index
     */
    public ConsumerSample consumer(int index) {
        if (index < 0 || index >= consumers) {
            throw new IllegalArgumentException(
                    "index must be from 0 to " + (consumers - 1) + ", there being " + consumers + ", but was " + index);
        }
        return samples[index];
    }

    // in words

    /**
     * Takes a snapshot and describes the ring in words: who waits for whom, and since when. A line for the ring, one for each
     * producer that waits, one for an open claim that blocks the publications, one for each consumer, with the stack of its
     * failure behind it. Allocates. How long a producer waits, or a thread has been parked, is known
     * exactly; how long a consumer has stood still only since this monitor first saw it there.
     *
     * @return several lines, each ended by a line feed
     */
    public String dump() {
        return RingDump.of(sample());
    }

    /**
     * The snapshot of one consumer. On a ring of messages a sequence is 8 bytes, and headers and padding count too: the lag, {@link
     * #handled} and the mean size of a batch count such sequences. But a worker counts the records that it has handled, and the other sizes
     * of batches count messages, those of a poller sequences. Belongs to the monitor's thread.
     */
    public static final class ConsumerSample {
        final Follower node;

        private long sequence;
        private long event;
        private long lag;
        private long parks;
        private long failures;
        private long shed;
        private final long[] sizes = new long[Follower.BATCH_BUCKETS];
        private long seenAt;
        private long stoodSince;

        private ConsumerSample(Follower node) {
            this.node = node;
            this.seenAt = Long.MIN_VALUE;
        }

        private void read() {
            event = node.currentEvent();
            sequence = node.sequence().get(); // acquire inside: before the cursor is read
            SignalledIdle idle = node.idle();
            parks = idle == null ? 0 : idle.parks();
            failures = node.failures();
            shed = node.shed();
            for (int i = 1; i < sizes.length; i++) {
                sizes[i] = node.batches(i);
            }
        }

        private void see(long published, long capacity, long now) {
            lag = Math.max(0, Math.min(published - sequence, capacity));
            long position = node.isWorker() ? event : sequence;
            if (seenAt != position) {
                seenAt = position;
                stoodSince = now;
            }
        }

        /** The event that a worker was handling, or {@link Follower#NO_EVENT}. */
        long event() {
            return event;
        }

        /** Of workers of one stage, the one that handles the next event behind their progress is the slower. */
        boolean isSlowerThan(ConsumerSample other) {
            return node.sharesProgressWith(other.node) ? event == sequence + 1 : sequence < other.sequence;
        }

        /**
         * Its name.
         *
         * @return the name, unique in its pipeline
         */
        public String name() {
            return node.name();
        }

        /**
         * Its state now.
         *
         * @return the ring's state while it runs, CLOSED when it has ended, FAILED when its handler has failed
         */
        public State state() {
            return node.state();
        }

        /**
         * Its progress; a worker's is that of its stage.
         *
         * @return the last sequence finished, -1 for none
         */
        public long sequence() {
            return sequence;
        }

        /**
         * How many published sequences it had not finished; for a worker, its stage.
         *
         * @return 0 to the capacity
         */
        public long lag() {
            return lag;
        }

        /**
         * How many sequences it has finished, aborted and dropped ones included; a worker, those that it took.
         *
         * @return 0 or more; never falls
         */
        public long handled() {
            return node.isWorker() ? batches() : sequence - node.base();
        }

        /**
         * How many batches it has finished.
         *
         * @return 0 or more; never falls
         */
        public long batches() {
            long all = 0;
            for (long batches : sizes) {
                all += batches;
            }
            return all;
        }

        /**
         * How many batches had at most so many sequences, to the next power of two: the sizes are counted in buckets of 1, 2
         * to 3, 4 to 7, and so on.
         *
         * @param size 1 or more
         * @return the number of batches in the buckets up to the one that the size is in
         * @throws IllegalArgumentException if the size is below 1
         */
        public long batchesUpTo(int size) {
            Check.inRange(size, 1, Integer.MAX_VALUE, "size");
            int last = Integer.SIZE - Integer.numberOfLeadingZeros(size);
            long all = 0;
            for (int i = 1; i <= last; i++) {
                all += sizes[i];
            }
            return all;
        }

        /**
         * The upper end of the bucket that holds a share of the batches.
         *
         * @param percent more than 0, to 100
         * @return a size that at least so many percent of the batches do not exceed: 1, 3, 7, and so on; 0 without batches
         * @throws IllegalArgumentException if the percentage is out of its range
         */
        public int batchSizeAt(double percent) {
            if (!(percent > 0 && percent <= 100)) {
                throw new IllegalArgumentException("percent must be more than 0 and at most 100, but was " + percent);
            }
            long all = batches();
            if (all == 0) {
                return 0;
            }
            long seen = 0;
            int bucket = 0;
            while (seen < all * (percent / 100) && bucket < sizes.length - 1) {
                seen += sizes[++bucket];
            }
            return (int) ((1L << bucket) - 1);
        }

        /**
         * The mean size of its batches.
         *
         * @return sequences; 0 without batches
         */
        public double meanBatchSize() {
            long all = batches();
            return all == 0 ? 0 : (double) handled() / all;
        }

        /**
         * How often its thread has parked; consumers that share a thread share this.
         *
         * @return 0 or more; 0 where the idle strategy is not a {@link SignalledIdle}
         */
        public long parks() {
            return parks;
        }

        /**
         * How often its handler has thrown.
         *
         * @return 0 or more; never falls
         */
        public long failures() {
            return failures;
        }

        /**
         * How many events it has dropped because a publisher asked for room.
         *
         * @return 0 or more; never falls. 0 on a ring without {@link RingBufferBuilder#shedding}
         */
        public long shed() {
            return shed;
        }

        /**
         * When this monitor first saw it at its present sequence (a worker: at its present event), by
         * {@link System#nanoTime}.
         *
         * @return a time of {@link System#nanoTime}
         */
        public long stoodSince() {
            return stoodSince;
        }
    }
}
