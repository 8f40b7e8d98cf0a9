package io.sluice.examples.soak;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingFailedException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A publishing thread that numbers its events. Its counts are read once it has ended. */
final class SoakProducer extends Thread {
    private static final int LARGEST_CLAIM = 8;

    private final int index;
    private final Producer<SoakEvent> producer;
    private final SplittableRandom random;
    private final BooleanSupplier stopped;
    private final int events;
    private final long seed;
    private final int largestClaim;

    /** Where its events went, by their numbers. */
    private final long[] sequences;

    int published;
    long aborted;
    boolean refused;

    @Nullable
    Throwable failure;

    SoakProducer(
            int index,
            Producer<SoakEvent> producer,
            SplittableRandom random,
            BooleanSupplier stopped,
            int events,
            long seed,
            long capacity) {
        super("sluice-soak-producer-" + index);
        setDaemon(true);
        this.index = index;
        this.producer = producer;
        this.random = random;
        this.stopped = stopped;
        this.events = events;
        this.seed = seed;
        this.largestClaim = (int) Math.min(LARGEST_CLAIM, capacity);
        this.sequences = new long[events + LARGEST_CLAIM];
    }

    @Override
    public void run() {
        try (Producer<SoakEvent> closing = producer) {
            while (published < events && !stopped.getAsBoolean()) {
                step(closing);
            }
        } catch (RingFailedException e) {
            refused = true;
        } catch (Throwable t) {
            failure = t;
        }
    }

    private void step(Producer<SoakEvent> to) {
        int chance = random.nextInt(64);
        if (chance == 0) {
            try {
                to.publishEvent((event, sequence) -> {
                    spoil(event);
                    throw new PlannedFailure();
                });
            } catch (PlannedFailure expected) {
                aborted++;
            }
        } else if (chance < 8) {
            int n = random.nextInt(1, largestClaim + 1);
            long hi = to.next(n);
            long lo = hi - n + 1;
            if (chance == 1) {
                spoil(to.get(hi));
                to.abort(lo, hi);
                aborted += n;
                return;
            }
            for (int i = 0; i < n; i++) {
                to.get(lo + i).fill(seed, index, published + i, lo + i);
                sequences[published + i] = lo + i;
            }
            to.publish(lo, hi);
            published += n;
        } else {
            sequences[published] =
                    to.publishEvent((event, claimed, number) -> event.fill(seed, index, number, claimed), published);
            published++;
        }
    }

    /** The number of its first event at a sequence or behind it. */
    int firstFrom(long sequence) {
        int found = Arrays.binarySearch(sequences, 0, published, sequence);
        return found >= 0 ? found : -found - 1;
    }

    /** The sum of the checks of its events from one number to before another. */
    long sum(int from, int to) {
        long sum = 0;
        for (int number = from; number < to; number++) {
            sum += SoakEvent.check(seed, index, number, sequences[number]);
        }
        return sum;
    }

    /** Nobody may see this. */
    private static void spoil(SoakEvent event) {
        event.producer = -1;
        event.check = 0;
    }
}
