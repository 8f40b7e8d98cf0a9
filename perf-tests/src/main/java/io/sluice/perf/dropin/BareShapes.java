package io.sluice.perf.dropin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Three of the {@link Shapes} by bare loops: the least that a ring has to do for them. A producer writes a slot and stores the cursor,
 * a consumer loads the cursor, reads the slots and stores its progress once a batch. There is no class of {@code com.lmax.disruptor}, no
 * wait strategy, no alert and no check. A jar that is faster than this has a consumer that waits.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as the shapes do
final class BareShapes {
    private static final int SIZE = 65_536;
    private static final int BATCH = 10;
    private static final int JOIN_MILLIS = 10_000;

    private BareShapes() {}

    /** Makes the rings of a shape, for runs of so many events. */
    static Workload named(String id, int events) {
        return switch (id) {
            case "poller" -> new OneToOne(events, 1);
            case "batches" -> new OneToOne(events / BATCH * BATCH, BATCH);
            case "three-to-three" -> new ThreeToThree(events);
            default ->
                throw new IllegalArgumentException(
                        "shape must be one of poller, batches, three-to-three, but was " + id);
        };
    }

    /** Slots, a cursor and the progress of one consumer. */
    private static final class Ring<E> {
        private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
        private static final int CURSOR = 16;
        private static final int PROGRESS = 48;
        private static final int LONGS_IN_ALL = 80;
        private static final int HINTS = 10;
        private static final int YIELDS = 30;
        private static final int PARK_NANOS = 5_000;

        final Object[] slots = new Object[SIZE];
        private final long[] longs = new long[LONGS_IN_ALL];
        private long gate; // the producer's

        Ring(Supplier<E> factory) {
            for (int i = 0; i < SIZE; i++) {
                slots[i] = factory.get();
            }
        }

        /** The number of events that are published. */
        long published() {
            return (long) LONGS.getAcquire(longs, CURSOR); // acquire: the slots before it
        }

        void publish(long count) {
            LONGS.setRelease(longs, CURSOR, count); // release: the slots before it
        }

        long handled() {
            return longs[PROGRESS]; // the consumer's own
        }

        void handled(long count) {
            LONGS.setRelease(longs, PROGRESS, count); // release: the slots were read
        }

        /** Waits until so many may be claimed in all. The producer's. */
        void awaitRoom(long count) {
            for (int attempt = 0; count - SIZE > gate; attempt++) {
                gate = (long) LONGS.getAcquire(longs, PROGRESS); // acquire: the slots were read
                if (count - SIZE <= gate) {
                    return;
                }
                if (attempt < HINTS) {
                    Thread.onSpinWait();
                } else if (attempt < YIELDS) {
                    Thread.yield();
                } else {
                    LockSupport.parkNanos(PARK_NANOS);
                }
            }
        }

        @SuppressWarnings("unchecked") // the factory made it
        E get(long index) {
            return (E) slots[(int) index & (SIZE - 1)];
        }
    }

    private static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static final class OneToOne implements Workload {
        private final Ring<Payload> ring = new Ring<>(Payload::new);
        private final Summing sum = new Summing();
        private final int events;
        private final int claim;

        OneToOne(int events, int claim) {
            this.events = events;
            this.claim = claim;
        }

        private void consume() {
            long next = ring.handled();
            while (sum.handled < events) {
                long available = ring.published();
                if (next == available) {
                    Thread.yield();
                    continue;
                }
                for (; next < available; next++) {
                    sum.add(ring.get(next).value);
                }
                ring.handled(next);
            }
        }

        @Override
        public double[] run() throws Exception {
            CountDownLatch latch = sum.expect(events);
            Thread consumer = start("consumer", this::consume);
            long start = System.nanoTime();
            long next = ring.published();
            for (long value = 0; value < events; ) {
                ring.awaitRoom(next + claim);
                for (int i = 0; i < claim; i++) {
                    ring.get(next++).value = value++;
                }
                ring.publish(next);
            }
            Consumers.await(List.of(latch));
            double rate = events / ((System.nanoTime() - start) / 1e9);
            consumer.join();
            sum.check((long) events * (events - 1) / 2);
            return new double[] {rate};
        }
    }

    private static final class ThreeToThree extends ThreeProducers {
        private final List<Ring<long[]>> rings = new ArrayList<>();

        ThreeToThree(int events) {
            super(events, THREE);
            for (int i = 0; i < THREE; i++) {
                rings.add(new Ring<>(() -> new long[THREE]));
            }
        }

        @Override
        Consumer consumer() {
            Thread thread = start("consumer", this::consume);
            return () -> thread.join(JOIN_MILLIS);
        }

        private void consume() {
            while (sum.handled < (long) THREE * share) {
                long taken = 0;
                for (int i = 0; i < THREE; i++) {
                    taken += take(rings.get(i));
                }
                if (taken == 0) {
                    Thread.yield();
                }
            }
        }

        private long take(Ring<long[]> ring) {
            long first = ring.handled();
            long available = ring.published();
            for (long next = first; next < available; next++) {
                long[] event = ring.get(next);
                sum.add(event[0] + event[1] + event[2]);
            }
            if (available > first) {
                ring.handled(available);
            }
            return available - first;
        }

        @Override
        void publish(int producer) {
            Ring<long[]> ring = rings.get(producer);
            long next = ring.published();
            for (long i = 0; i < share; i++) {
                ring.awaitRoom(next + 1);
                long[] event = ring.get(next++);
                event[0] = i;
                event[1] = i + 1;
                event[2] = i + 2;
                ring.publish(next);
            }
        }
    }
}
