package io.sluice.examples.soak;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingFailedException;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A publishing thread that numbers its events. What it counts is read once it has ended. */
final class SoakProducer extends Thread {
    private static final int LARGEST_CLAIM = 8;

    private final int index;
    private final Producer<SoakEvent> producer;
    private final SplittableRandom random;
    private final BooleanSupplier stopped;
    private final long events;
    private final long seed;
    private final int largestClaim;

    long published;
    long aborted;
    long sum;
    boolean refused;

    @Nullable
    Throwable failure;

    SoakProducer(
            int index,
            Producer<SoakEvent> producer,
            SplittableRandom random,
            BooleanSupplier stopped,
            long events,
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
            long added = 0;
            for (int i = 0; i < n; i++) {
                SoakEvent event = to.get(lo + i);
                event.fill(seed, index, published + i, lo + i);
                added += event.check;
            }
            to.publish(lo, hi);
            published += n;
            sum += added;
        } else {
            long sequence =
                    to.publishEvent((event, claimed, number) -> event.fill(seed, index, number, claimed), published);
            sum += SoakEvent.check(seed, index, published, sequence);
            published++;
        }
    }

    /** Nobody may see this. */
    private static void spoil(SoakEvent event) {
        event.producer = -1;
        event.check = 0;
    }
}
