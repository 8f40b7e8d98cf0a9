package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.core.conflation.LatestByKey;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No bytes an event: not for claims, publications and consumption in any form, nor for aborts and skipped failures. Producer
 * and consumers run on the test's thread, whose allocation the JVM counts exactly.
 */
@Tag("once")
class AllocationTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int EVENTS = 20_000;

    /** What reading the counter may cost, and the JVM may do by the way; less than a hundred objects in all. */
    private static final long NOISE = 1_000;

    @SuppressWarnings("StaticAssignmentOfThrowable") // made once, so that throwing it allocates nothing
    private static final RuntimeException PREALLOCATED = new Preallocated();

    private static final class Preallocated extends RuntimeException {
        private static final long serialVersionUID = 1;

        Preallocated() {
            super("preallocated", null, false, false);
        }
    }

    /** Where the control's objects escape to, so that the compiler can not leave them out. */
    static Object escape = new Object();

    private interface Step {
        void run(Producer<long[]> producer, long i);
    }

    private static final Step PUBLISH_EVENT = (producer, i) -> producer.publishEvent((event, sequence) -> event[0] = 1);
    private static final Step PUBLISH_LONG =
            (producer, i) -> producer.publishEvent((event, sequence, value) -> event[0] = value, i);
    private static final Step PUBLISH_TWO_LONGS =
            (producer, i) -> producer.publishEvent((event, sequence, a, b) -> event[0] = a + b, i, 1);
    private static final Step PUBLISH_ONE = (producer, i) -> {
        long sequence = producer.next();
        producer.publish(sequence);
    };
    private static final Step TRY_PUBLISH_LONG =
            (producer, i) -> producer.tryPublishEvent((event, sequence, value) -> event[0] = value, i);
    private static final Step PUBLISH_OBJECTS =
            (producer, i) -> producer.publishEvent((event, sequence, a, b, c) -> event[0] = sequence, "a", "b", "c");
    private static final Step PUBLISH_SEVERAL =
            (producer, i) -> producer.publishEvents((event, sequence, index) -> event[0] = index, 10);
    private static final Step CLAIM = (producer, i) -> {
        long hi = producer.next(10);
        for (long sequence = producer.claimedFrom(); sequence <= hi; sequence++) {
            producer.get(sequence)[0] = sequence;
        }
        producer.publish(hi - 9, hi);
    };
    private static final Step CLAIM_IN_TIME = (producer, i) -> {
        long sequence = producer.next(1, 1_000);
        producer.publish(sequence, sequence);
    };
    private static final Step CLAIMS_IN_FLIGHT = (producer, i) -> {
        long first = producer.tryNext(2);
        long second = producer.tryNextUpTo(3);
        producer.publish(first - 1, first);
        producer.publish(producer.claimedFrom(), second);
    };
    private static final Step ABORT = (producer, i) -> {
        long sequence = producer.next(1);
        producer.abort(sequence, sequence);
    };
    private static final Step THROWING = (producer, i) -> {
        try {
            producer.publishEvent((event, sequence) -> {
                throw PREALLOCATED;
            });
        } catch (RuntimeException e) {
            if (e != PREALLOCATED) {
                throw e;
            }
        }
    };
    private static final Step FULL = (producer, i) -> {
        while (producer.tryNext(1) >= 0) {
            producer.publish(producer.claimedFrom(), producer.claimedFrom());
        }
    };

    private static long allocatedBy(
            boolean single, Supplier<? extends IdleStrategy> idle, boolean fails, Step step, boolean control) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(64).consumersIdle(idle);
        RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicLong reported = new AtomicLong();
        pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> reported.incrementAndGet()));
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {
            if (fails) {
                throw PREALLOCATED;
            }
        };
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> {
            if (control) {
                escape = new Object();
            }
        };
        BatchHandler<long[]> third = (events, lo, hi) -> hi;
        pipeline.handleEventsWith(first).then(second).thenBatches(third);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        long before = 0;
        for (int i = -EVENTS / 2; i < EVENTS; i++) {
            if (i == 0) {
                before = THREADS.getCurrentThreadAllocatedBytes();
            }
            step.run(producer, i);
            int work;
            do {
                work = 0;
                for (int j = 0; j < processors.size(); j++) {
                    work += processors.get(j).doWork();
                }
            } while (work > 0);
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(ring.leftover().unhandled()).isZero();
        assertThat(fails || reported.get() == 0).isTrue();
        return allocated;
    }

    /** The JVM allocates on behalf of a thread too, when it links and compiles, but not in every run. */
    private static long leastBy(boolean single, Supplier<? extends IdleStrategy> idle, boolean fails, Step step) {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5 && least > NOISE; attempt++) {
            least = Math.min(least, allocatedBy(single, idle, fails, step, false));
        }
        return least;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsAllocatedForAnEvent(boolean single) {
        List<String> found = new ArrayList<>();
        Object[][] steps = {
            {"publishEvent", PUBLISH_EVENT},
            {"publishEvent of a long", PUBLISH_LONG},
            {"tryPublishEvent of a long", TRY_PUBLISH_LONG},
            {"publishEvent of two longs", PUBLISH_TWO_LONGS},
            {"publishEvent of objects", PUBLISH_OBJECTS},
            {"claim and publication of one", PUBLISH_ONE},
            {"publishEvents", PUBLISH_SEVERAL},
            {"claim", CLAIM},
            {"claim in time", CLAIM_IN_TIME},
            {"claims in flight", CLAIMS_IN_FLIGHT},
            {"abort", ABORT},
            {"translator that throws", THROWING},
            {"full", FULL},
        };
        for (Object[] step : steps) {
            for (boolean fails : new boolean[] {false, true}) {
                long bytes = leastBy(single, BackoffIdleStrategy::new, fails, (Step) step[1]);
                if (bytes > NOISE) {
                    found.add(step[0] + (fails ? ", skipped" : "") + ": " + bytes + " bytes");
                }
            }
        }
        long signalled = leastBy(single, SignalledIdle::exact, false, PUBLISH_LONG);
        if (signalled > NOISE) {
            found.add("signalled: " + signalled + " bytes");
        }
        assertThat(found).isEmpty();
    }

    /** The control: one object an event is seen, so nothing would be overlooked above. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anObjectForEachEventIsSeen(boolean single) {
        assertThat(allocatedBy(single, BackoffIdleStrategy::new, false, PUBLISH_LONG, true))
                .isGreaterThanOrEqualTo(EVENTS * 8L)
                .isLessThan(EVENTS * 64L);
    }

    @Test
    void theLatestByKeyAllocatesNothing() {
        LatestByKey<String> latest = new LatestByKey<>(3, value -> {});
        long[] got = {0};
        LatestByKey.Handler<String> count = (key, value) -> got[0]++;
        int[] rounds = {0};
        assertThat(Allocated.least(() -> {
                    for (int i = 0; i < 1_000; i++, rounds[0]++) {
                        latest.offer(0, "a");
                        latest.offer(0, "b");
                        latest.offer(2, "c");
                        latest.drain(count, 10);
                    }
                }))
                .isZero();
        assertThat(got[0]).isEqualTo(2L * rounds[0]);
    }
}
