package io.sluice.perf.safepoint;

import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BusySpinIdleStrategy;

/** The work of the child's other thread while it is to be stopped. */
enum Work {
    /** Nothing: the thread is parked, and need not be stopped. */
    IDLE("a parked thread") {
        @Override
        long turn(Job job) {
            LockSupport.park(job);
            return 0;
        }
    },
    /** A loop that can be stopped at each turn: the cost of a running thread by itself. */
    TURNS("a loop that can stop at each turn") {
        @Override
        long turn(Job job) {
            while ((long) SINK.getVolatile(job) >= 0) { // volatile: read each time, so this is no counted loop
                Thread.onSpinWait();
            }
            return 0;
        }
    },
    /** A ring with one producer, filled to the brim and handled in batches as long as they come. */
    SINGLE("batches, one producer") {
        @Override
        long turn(Job job) {
            return job.fillAndHandle();
        }
    },
    /** The same with the ring for many producers. */
    MULTI("batches, many producers") {
        @Override
        long turn(Job job) {
            return job.fillAndHandle();
        }
    },
    /** The control: a counted loop of a million dependent steps, compiled without a poll. */
    BLIND("control: a million steps without a poll") {
        @Override
        long turn(Job job) {
            long value = job.sum;
            for (int i = 0; i < BLIND_STEPS; i++) {
                value = value * 6_364_136_223_846_793_005L + i;
            }
            return value;
        }

        @Override
        List<String> flags() {
            return List.of("-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0");
        }
    };

    private static final int BLIND_STEPS = 1 << 20;
    private static final VarHandle SINK;

    final String label;

    Work(String label) {
        this.label = label;
    }

    /** Does some milliseconds of the work, or less; returns a value that depends on all of it. */
    abstract long turn(Job job);

    /** Further flags of its JVM. */
    List<String> flags() {
        return List.of();
    }

    boolean isRing() {
        return this == SINGLE || this == MULTI;
    }

    /** The largest batch that a ring of so many slots has by default. */
    static int largestBatch(int slots) {
        return Math.max(1, slots / 4);
    }

    /** One thread's work: that of a producer and of a consumer by turns, so that the ring is always full when it is handled. */
    static final class Job implements Runnable {
        private final Work work;
        private final int slots;
        private final Producer<long[]> producer;
        private final EventProcessor processor;
        private final Sum handler = new Sum();

        private long sum;

        Job(Work work, int slots) {
            this.work = work;
            this.slots = slots;
            RingBuffer<long[]> ring = SluiceRing.ring(
                    () -> new long[1],
                    new SluiceRing.Setup(
                            work != MULTI, slots, BusySpinIdleStrategy::new, BusySpinIdleStrategy::new, false, false));
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            processor = pipeline.startProcessors().get(0);
            producer = ring.producer();
        }

        private static final class Sum implements EventHandler<long[]> {
            long sum;

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                sum += event[0];
            }
        }

        private long fillAndHandle() {
            long highest = producer.next(slots);
            producer.publish(highest - slots + 1, highest);
            while (handle(processor) > 0) {
                // batch by batch
            }
            return handler.sum;
        }

        private static int handle(EventProcessor processor) {
            try {
                return processor.doWork();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("a processor threw", e);
            }
        }

        /** For ever: its thread is a daemon. */
        @Override
        public void run() {
            for (; ; ) {
                SINK.setRelease(this, sum + work.turn(this)); // release: a use that the compiler has to respect
            }
        }
    }

    static {
        try {
            SINK = MethodHandles.lookup().findVarHandle(Job.class, "sum", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
