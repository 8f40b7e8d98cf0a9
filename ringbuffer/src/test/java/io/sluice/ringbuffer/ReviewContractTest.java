package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Corners of the contract that no combination of shapes reaches; each was wrong once. */
@Timeout(30)
class ReviewContractTest {
    private static RingBuffer<long[]> multi(int capacity) {
        return RingBuffer.builder(() -> new long[1]).capacity(capacity).build();
    }

    private static RingBuffer<long[]> single(int capacity) {
        return RingBuffer.builder(() -> new long[1])
                .capacity(capacity)
                .singleProducer()
                .build();
    }

    // claims

    @Test
    void aRangeOverTwoAdjacentClaimsIsPublishedByBothKinds() {
        for (RingBuffer<long[]> ring : List.of(single(8), multi(8))) {
            Producer<long[]> producer = ring.producer();
            producer.next(1);
            producer.next(2);
            producer.next(1);
            producer.publish(0, 2);
            producer.publish(3, 3);
            assertThat(ring.cursor().get()).isEqualTo(3);
            assertThatThrownBy(() -> producer.publish(0, 3)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRangeOverAnothersClaimIsRefused() {
        RingBuffer<long[]> ring = multi(8);
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        one.next(1);
        other.next(1);
        one.next(1);
        assertThatThrownBy(() -> one.publish(0, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("publish(0, 2)")
                .hasMessageContaining("0 to 0, 2 to 2");
        assertThat(ring.leftover().openClaims()).isEqualTo(3);
    }

    /** A producer that always has a claim in flight while others claim too must not collect its old claims. */
    @Test
    void claimsAlwaysInFlightKeepABoundedRecord() {
        RingBuffer<long[]> ring = multi(16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor agent = pipeline.startProcessors().get(0);
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        long open = one.next(1);
        for (int i = 0; i < 10_000; i++) {
            long mine = other.next(1);
            long next = one.next(1);
            other.publish(mine, mine);
            one.publish(open, open);
            open = next;
            while (agent.doWork() > 0) {}
        }
        assertThat(((MultiProducer<long[]>) one).openClaimRecords()).isLessThanOrEqualTo(16);
        one.close();
        assertThat(ring.leftover().openClaims()).isZero();
    }

    // cursor

    @Test
    void theCursorOfARingWithoutConsumersStopsBeforeAnOpenClaim() {
        for (RingBuffer<long[]> ring : List.of(single(4), multi(4))) {
            Producer<long[]> producer = ring.producer();
            producer.next(1);
            assertThat(ring.cursor().get()).isEqualTo(-1);
            producer.publish(0, 0);
            assertThat(ring.cursor().get()).isEqualTo(0);
            for (int i = 1; i < 20; i++) {
                producer.next(1);
                assertThat(ring.cursor().get()).isEqualTo(i - 1);
                producer.publish(i, i);
                assertThat(ring.cursor().get()).isEqualTo(i);
            }
        }
    }

    /** Also while consumers and producers go on between the reads that the cursor of a ring with many producers needs. */
    @Test
    @Tag("concurrency")
    void theCursorNeverGoesBack() throws InterruptedException {
        for (RingBuffer<long[]> ring : List.of(single(4), multi(4))) {
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            EventProcessor agent = pipeline.startProcessors().get(0);
            int events = 200_000;
            Thread both = new Thread(() -> {
                Producer<long[]> producer = ring.producer();
                for (int i = 0; i < events; i++) {
                    producer.publishEvent((event, sequence, value) -> event[0] = value, i);
                    agent.doWork();
                }
            });
            both.start();
            long last = -1;
            while (last < events - 1) {
                long now = ring.cursor().get();
                assertThat(now).isGreaterThanOrEqualTo(last);
                last = now;
            }
            both.join();
        }
    }

    // ends

    @Test
    void awaitHandledEndsWithTheRingThoughNobodyPollsAPoller() {
        RingBuffer<long[]> ring = single(8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.poller("poller");
        pipeline.startInvoked();
        ring.close();
        assertThat(pipeline.awaitHandled(0, TimeUnit.MINUTES.toNanos(5))).isFalse();
        assertThat(poller.isDone()).isTrue();
    }

    @Test
    void awaitHandledOfAPipelineThatNeverStartedEndsWithTheRing() {
        RingBuffer<long[]> ring = single(8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        ring.close();
        assertThat(pipeline.awaitHandled(0, TimeUnit.MINUTES.toNanos(5))).isFalse();
        assertThat(pipeline.consumers().get(0).state()).isEqualTo(State.CLOSED);
    }

    /** Every method of a handler is called by the thread that close would wait for. */
    @Test
    @Tag("concurrency")
    void closeAndDrainFromAnyHandlerMethodAreRefused() throws InterruptedException {
        for (String method : List.of("onStart", "onTimeout", "onBatchStart", "onEvent", "onBatchEnd", "onShutdown")) {
            RingBuffer<long[]> ring = single(8);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<Throwable> refusals = new ArrayList<>();
            CountDownLatch called = new CountDownLatch(1);
            EventHandler<long[]> handler = new EventHandler<>() {
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
                public void onEvent(long[] event, long sequence, boolean endOfBatch) {
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
            pipeline.handleEventsWith(handler);
            pipeline.settings(handler).timeout(1000);
            pipeline.start();
            try (Producer<long[]> producer = ring.producer()) {
                producer.publishEvent((event, sequence) -> event[0] = 1);
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

    // batch handlers

    /** A device that is not ready: nothing more is published, nobody signals, and the handler must be asked again. */
    @Test
    @Tag("concurrency")
    void aBatchHandlerThatFinishedNothingIsCalledAgainThoughNobodySignals() {
        for (boolean exact : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = RingBuffer.builder(() -> new long[1])
                    .capacity(8)
                    .consumersIdle(exact ? () -> SignalledIdle.exact(0) : SignalledIdle::timed)
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            AtomicInteger calls = new AtomicInteger();
            pipeline.handleBatchesWith((events, lo, hi) -> calls.incrementAndGet() < 5 ? lo - 1 : hi);
            pipeline.start();
            try (Producer<long[]> producer = ring.producer()) {
                producer.publishEvent((event, sequence) -> event[0] = 1);
            }
            assertThat(ring.drain(TimeUnit.SECONDS.toNanos(20)).isNone()).isTrue();
            assertThat(calls).hasValue(5);
            ring.close();
        }
    }

    private static final class Both implements EventHandler<long[]>, BatchHandler<long[]> {
        final AtomicReference<String> called = new AtomicReference<>("");

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            called.set("onEvent");
        }

        @Override
        public long onBatch(RingBuffer<long[]> ring, long lo, long hi) {
            called.set("onBatch");
            return hi;
        }
    }

    @Test
    void aHandlerOfBothKindsIsCalledAsItWasDeclared() {
        for (boolean batches : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = single(8);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Both both = new Both();
            if (batches) {
                pipeline.handleBatchesWith(both);
            } else {
                pipeline.handleEventsWith(both);
            }
            EventProcessor agent = pipeline.startProcessors().get(0);
            ring.producer().publishEvent((event, sequence) -> event[0] = 1);
            agent.doWork();
            assertThat(both.called).hasValue(batches ? "onBatch" : "onEvent");
        }
    }

    @Test
    void progressAheadOfWhatABatchHandlerReturnsStands() {
        RingBuffer<long[]> ring = multi(8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Long> seen = new ArrayList<>();
        BatchHandler<long[]> handler = new BatchHandler<>() {
            @Override
            public long onBatch(RingBuffer<long[]> events, long lo, long hi) {
                seen.add(lo);
                if (lo == 0) {
                    pipeline.consumer(this).progress(1);
                    return -1;
                }
                return hi;
            }
        };
        pipeline.handleBatchesWith(handler);
        EventProcessor agent = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        producer.publishEvents((event, sequence, index) -> event[0] = index, 8);
        while (agent.doWork() > 0) {}
        producer.publishEvents((event, sequence, index) -> event[0] = index, 8);
        while (agent.doWork() > 0) {}
        assertThat(seen).startsWith(0L, 2L);
        assertThat(ring.leftover().unhandled()).isZero();
    }
}
