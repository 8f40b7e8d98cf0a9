package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two thousand processors start, work and stop. */
@Timeout(60)
@Tag("concurrency")
class ManyProcessorsTest {
    private static final int PROCESSORS = 2_000;
    private static final int EVENTS = 20;

    @Test
    void twoThousandProcessorsStartWorkAndStopOnOneThread() {
        run(true);
    }

    @Test
    void twoThousandProcessorsStartWorkAndStopOnAsManyParkedThreads() {
        run(false);
    }

    private static void run(boolean oneThread) {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 16)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicLong handled = new AtomicLong();
        AtomicLong shutDown = new AtomicLong();
        for (int i = 0; i < PROCESSORS; i++) {
            pipeline.handleEventsWith(new EventHandler<long[]>() {
                @Override
                public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                    handled.incrementAndGet();
                }

                @Override
                public void onShutdown() {
                    shutDown.incrementAndGet();
                }
            });
        }
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        pipeline.threads(body -> {
            Thread thread = new Thread(null, body, "many", 64 * 1024);
            threads.add(thread);
            return thread;
        });
        if (oneThread) {
            pipeline.oneThread("all");
        }
        pipeline.start();
        assertThat(threads).hasSize(oneThread ? 1 : PROCESSORS);
        Rings.await("all park", () -> threads.stream().allMatch(t -> t.getState() == Thread.State.WAITING));
        publish(ring.producer(), EVENTS);
        assertThat(ring.drain(LONG).isNone()).isTrue();
        assertThat(handled).hasValue((long) PROCESSORS * EVENTS);
        ring.close();
        assertThat(threads).noneMatch(Thread::isAlive);
        assertThat(shutDown).hasValue(PROCESSORS);
        assertThat(pipeline.consumers()).allMatch(consumer -> consumer.lag() == 0);
    }
}
