package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.ringbuffer.Allocated;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No bytes an event where workers share events, keys divide them, or handlers finish them; failures that are skipped included. */
@Tag("once")
class SharedStagesAllocationTest {
    private static final int EVENTS = 10_000;

    /** Where the control's objects escape to. */
    static Object escape = new Object();

    private static final class Preallocated extends RuntimeException {
        private static final long serialVersionUID = 1;

        Preallocated() {
            super("preallocated", null, false, false);
        }
    }

    private static long allocated(boolean single, boolean control) {
        RingBuffer<long[]> ring = Rings.ring(single, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        RuntimeException planned = new Preallocated();
        ConsumerHandle[] self = new ConsumerHandle[1];
        EventHandler<long[]> finisher = (event, sequence, endOfBatch) -> {
            if (event[0] % 7 == 0) {
                self[0].finish(sequence);
            }
        };
        EventHandler<long[]> one = (event, sequence, endOfBatch) -> {
            if (event[0] % 5 == 0) {
                throw planned;
            }
        };
        EventHandler<long[]> two = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> even = (event, sequence, endOfBatch) -> {
            if (event[0] % 11 == 0) {
                throw planned;
            }
        };
        EventHandler<long[]> odd = (event, sequence, endOfBatch) -> {
            if (control) {
                escape = new Object();
            }
        };
        pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> {}));
        pipeline.handleEventsWith(pipeline.consumer("finisher", finisher).finishesEvents())
                .thenWorkerPool(one, two)
                .thenPartitionedBy(event -> event[0], even, odd);
        List<EventProcessor> run = pipeline.startProcessors();
        self[0] = pipeline.consumer(finisher);
        Producer<long[]> producer = ring.producer();
        return Allocated.least(() -> {
            for (int i = 0; i < EVENTS; i++) {
                producer.publishEvent((event, sequence, value) -> event[0] = value, i);
                if (i % 8 == 7) {
                    int work;
                    do {
                        work = 0;
                        for (int j = 0; j < run.size(); j++) {
                            work += run.get((i + j) % run.size()).doWork();
                        }
                    } while (work > 0);
                }
            }
        });
    }

    @Test
    void nothingIsAllocatedForAnEvent() {
        assertThat(allocated(true, false)).isZero();
        assertThat(allocated(false, false)).isZero();
    }

    /** The control: an object for each event is seen. */
    @Test
    void anObjectForEachEventIsSeen() {
        assertThat(allocated(true, true)).isGreaterThan(EVENTS / 4 * 8L);
    }
}
