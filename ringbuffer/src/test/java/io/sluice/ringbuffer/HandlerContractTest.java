package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How handlers end the wait for them, which calls they are refused, and what a handler of ranges may return; on both kinds of slots. */
@Timeout(30)
class HandlerContractTest {
    private static RingBuffer<Object> multi(boolean bytes, int capacity) {
        return Words.ring(bytes, 1).capacity(capacity).build();
    }

    private static RingBuffer<Object> single(boolean bytes, int capacity) {
        return Words.ring(bytes, 1).capacity(capacity).singleProducer().build();
    }

    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    void awaitHandledEndsWithTheRingThoughNobodyPollsAPoller(boolean bytes) {
        RingBuffer<Object> ring = single(bytes, 8);
        Pipeline<Object> pipeline = Pipeline.on(ring);
        EventPoller<Object> poller = pipeline.poller("poller");
        pipeline.startInvoked();
        ring.close();
        assertThat(pipeline.awaitHandled(0, TimeUnit.MINUTES.toNanos(5))).isFalse();
        assertThat(poller.isDone()).isTrue();
    }

    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    void awaitHandledOfAPipelineThatNeverStartedEndsWithTheRing(boolean bytes) {
        RingBuffer<Object> ring = single(bytes, 8);
        Pipeline<Object> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        ring.close();
        assertThat(pipeline.awaitHandled(0, TimeUnit.MINUTES.toNanos(5))).isFalse();
        assertThat(pipeline.consumers().get(0).state()).isEqualTo(State.CLOSED);
    }

    /** Every method of a handler is called by the thread that close would wait for. */
    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    @Tag("concurrency")
    void closeAndDrainFromAnyHandlerMethodAreRefused(boolean bytes) throws InterruptedException {
        for (String method : List.of("onStart", "onTimeout", "onBatchStart", "onEvent", "onBatchEnd", "onShutdown")) {
            RingBuffer<Object> ring = single(bytes, 8);
            Pipeline<Object> pipeline = Pipeline.on(ring);
            List<Throwable> refusals = new ArrayList<>();
            CountDownLatch called = new CountDownLatch(1);
            EventHandler<Object> handler = new EventHandler<>() {
                private void act(String where) {
                    if (where.equals(method) && called.getCount() > 0) {
                        for (Runnable call : List.<Runnable>of(
                                ring::close,
                                () -> ring.drain(TimeUnit.HOURS.toNanos(1)),
                                () -> pipeline.awaitHandled(5, TimeUnit.HOURS.toNanos(1)))) {
                            try {
                                call.run();
                            } catch (IllegalStateException e) {
                                refusals.add(e);
                            }
                        }
                        called.countDown();
                    }
                }

                @Override
                public void onStart() {
                    act("onStart");
                }

                @Override
                public void onTimeout(long sequence) {
                    act("onTimeout");
                }

                @Override
                public void onBatchStart(long size, long available) {
                    act("onBatchStart");
                }

                @Override
                public void onEvent(Object event, long sequence, boolean endOfBatch) {
                    act("onEvent");
                }

                @Override
                public void onBatchEnd(long sequence) {
                    act("onBatchEnd");
                }

                @Override
                public void onShutdown() {
                    act("onShutdown");
                }
            };
            pipeline.handleEventsWith(pipeline.consumer("handler", handler).timeout(1000));
            pipeline.start();
            try (Producer<Object> producer = ring.producer()) {
                producer.publishEvent((event, sequence) -> Words.set(event, sequence, 0, 1));
            }
            if (!method.equals("onShutdown")) {
                called.await();
                assertThat(ring.state()).as(method).isEqualTo(State.RUNNING);
            }
            ring.close();
            called.await();
            assertThat(refusals).as(method).hasSize(3);
            assertThat(ring.failure()).as(method).isNull();
        }
    }

    /** A device that is not ready: nothing more is published, nobody signals, and the handler must be asked again. */
    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    @Tag("concurrency")
    void aBatchHandlerThatFinishedNothingIsCalledAgainThoughNobodySignals(boolean bytes) {
        for (boolean exact : new boolean[] {true, false}) {
            RingBuffer<Object> ring = Words.ring(bytes, 1)
                    .capacity(8)
                    .consumersIdle(exact ? () -> SignalledIdle.exact(0) : SignalledIdle::timed)
                    .build();
            Pipeline<Object> pipeline = Pipeline.on(ring);
            AtomicInteger calls = new AtomicInteger();
            pipeline.handleBatchesWith((events, lo, hi) -> calls.incrementAndGet() < 50 ? lo - 1 : hi);
            pipeline.start();
            try (Producer<Object> producer = ring.producer()) {
                producer.publishEvent((event, sequence) -> Words.set(event, sequence, 0, 1));
            }
            assertThat(ring.drain(TimeUnit.SECONDS.toNanos(20)).isNone()).isTrue();
            assertThat(calls).hasValue(50); // more often than start, publication and drain wake it
            ring.close();
        }
    }

    private static final class Both implements EventHandler<Object>, BatchHandler<Object> {
        final AtomicReference<String> called = new AtomicReference<>("");

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) {
            called.set("onEvent");
        }

        @Override
        public long onBatch(RingBuffer<Object> ring, long lo, long hi) {
            called.set("onBatch");
            return hi;
        }
    }

    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    void aHandlerOfBothKindsIsCalledAsItWasDeclared(boolean bytes) {
        for (boolean batches : new boolean[] {true, false}) {
            RingBuffer<Object> ring = single(bytes, 8);
            Pipeline<Object> pipeline = Pipeline.on(ring);
            Both both = new Both();
            if (batches) {
                pipeline.handleBatchesWith(both);
            } else {
                pipeline.handleEventsWith(both);
            }
            EventProcessor agent = pipeline.startProcessors().get(0);
            ring.producer().publishEvent((event, sequence) -> Words.set(event, sequence, 0, 1));
            agent.doWork();
            assertThat(both.called).hasValue(batches ? "onBatch" : "onEvent");
        }
    }

    @ParameterizedTest(name = "bytes {0}")
    @ValueSource(booleans = {false, true})
    void progressAheadOfWhatABatchHandlerReturnsStands(boolean bytes) {
        RingBuffer<Object> ring = multi(bytes, 8);
        Pipeline<Object> pipeline = Pipeline.on(ring);
        List<Long> seen = new ArrayList<>();
        AtomicReference<@Nullable ConsumerHandle> self = new AtomicReference<>();
        BatchHandler<Object> handler = new BatchHandler<>() {
            @Override
            public long onBatch(RingBuffer<Object> events, long lo, long hi) {
                seen.add(lo);
                if (lo == 0) {
                    Objects.requireNonNull(self.get()).progress(1);
                    return -1;
                }
                return hi;
            }
        };
        NewConsumer<Object> consumer = pipeline.batchConsumer("ranges", handler);
        pipeline.handleEventsWith(consumer);
        self.set(consumer.handle());
        EventProcessor agent = pipeline.startProcessors().get(0);
        Producer<Object> producer = ring.producer();
        producer.publishEvents((event, sequence, index) -> Words.set(event, sequence, 0, index), 8);
        while (agent.doWork() > 0) {}
        producer.publishEvents((event, sequence, index) -> Words.set(event, sequence, 0, index), 8);
        while (agent.doWork() > 0) {}
        assertThat(seen).startsWith(0L, 2L);
        assertThat(ring.leftover().unhandled()).isZero();
    }
}
