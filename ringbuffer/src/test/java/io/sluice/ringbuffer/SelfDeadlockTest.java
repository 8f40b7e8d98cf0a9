package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.fill;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that would wait for itself gets an exception. */
@Timeout(60)
class SelfDeadlockTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void noSelfDeadlockGoesUndetected(boolean single) throws Exception {
        aClaimFromAHandler(single);
        aClaimFromAPollingOrInvokingThread(single);
        aClaimBehindAnOpenClaimOfTheSameProducer(single);
        anEndFromTheThreadsHook(single);
        aWaitByAPollingOrInvokingThread(single);
    }

    private static void aClaimFromAHandler(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicReference<Producer<long[]>> own = new AtomicReference<>();
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            for (; ; ) {
                own.get().publishEvent((slot, number) -> slot[0] = number); // a loop back: the ring fills up
            }
        });
        Producer<long[]> first = ring.producer();
        publish(first, 1);
        first.close();
        own.set(ring.producer());
        pipeline.start();
        Rings.await("the failure", () -> ring.state() == State.FAILED);
        assertThat(ring.failure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("consumer-1")
                .hasMessageContaining("wait for itself");
        ring.close();
    }

    private static void aClaimFromAPollingOrInvokingThread(boolean single) throws Exception {
        for (boolean polls : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            if (polls) {
                pipeline.poller("own").poll((event, sequence, endOfBatch) -> {}, 1);
            } else {
                pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
                pipeline.startInvoked().doWork();
            }
            Producer<long[]> producer = ring.producer();
            fill(producer);
            assertThatThrownBy(() -> producer.next(1)).hasMessageContaining("wait for itself");
            assertThatThrownBy(() -> producer.next(1, LONG)).hasMessageContaining("wait for itself");
            assertThatThrownBy(() -> publish(producer, 1)).hasMessageContaining("wait for itself");
            assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
            assertThat(ring.leftover().openClaims()).isZero();
        }
    }

    private static void aClaimBehindAnOpenClaimOfTheSameProducer(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("other");
        Producer<long[]> producer = ring.producer();
        producer.next(1);
        producer.next(2);
        producer.publish(0, 0);
        producer.next(1);
        assertThatThrownBy(() -> producer.next(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sequence 1 ")
                .hasMessageContaining("wait for itself");
        assertThat(producer.next(1, 1000)).isEqualTo(Producer.TIMED_OUT);
        producer.publish(1, 1);
        producer.publish(2, 2);
        assertThat(producer.next(2, 1000)).isEqualTo(Producer.TIMED_OUT);
        producer.publish(3, 3);
        Thread other = new Thread(() -> poll(poller, 4));
        other.start();
        assertThat(producer.next(4)).isEqualTo(7);
        other.join();
    }

    private static void anEndFromTheThreadsHook(boolean single) {
        for (BiConsumer<RingBuffer<long[]>, Pipeline<long[]>> call :
                List.<BiConsumer<RingBuffer<long[]>, Pipeline<long[]>>>of(
                        (ring, pipeline) -> ring.close(),
                        (ring, pipeline) -> ring.drain(Long.MAX_VALUE),
                        (ring, pipeline) -> pipeline.awaitHandled(3, Long.MAX_VALUE))) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            pipeline.onThreadStart(name -> call.accept(ring, pipeline));
            publish(ring.producer(), 1);
            pipeline.start();
            Rings.await("the refusal", () -> ring.failure() != null);
            assertThat(ring.failure()).hasMessageContaining("wait for itself");
            ring.close();
        }
    }

    private static void aWaitByAPollingOrInvokingThread(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.doWork();
        publish(ring.producer(), 2);
        assertThat(pipeline.awaitHandled(1, 0)).isFalse();
        assertThatThrownBy(() -> pipeline.awaitHandled(1, LONG)).hasMessageContaining("wait for itself");
        assertThatThrownBy(() -> ring.drain(LONG)).hasMessageContaining("wait for itself");
        assertThat(ring.drain(0).unhandled()).isEqualTo(2);
        Rings.exhaust(processor);
        assertThat(ring.drain(LONG).isNone()).isTrue();
    }

    /** What it has not finished itself it would wait for, and only that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void whoHasFinishedAnEventAwaitsTheOthersThoughItIsBehind(boolean behindAtOnce) throws Exception {
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> own = pipeline.poller("own");
        CountDownLatch goesOn = new CountDownLatch(1);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            if (sequence == 3) {
                goesOn.await();
            }
        });
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        publish(producer, behindAtOnce ? 10 : 5);
        Rings.Caller caller = new Rings.Caller(() -> {
            poll(own, 4);
            assertThat(pipeline.awaitHandled(3, 0)).isFalse();
            assertThatThrownBy(() -> pipeline.awaitHandled(4, LONG)).hasMessageContaining("wait for itself");
            poll(own, 1);
            assertThat(pipeline.awaitHandled(3, LONG)).isTrue();
        });
        Rings.await(
                "the wait, or its end",
                () -> caller.thread.getState() == Thread.State.TIMED_WAITING || !caller.thread.isAlive());
        publish(producer, 1); // more that it is behind of
        goesOn.countDown();
        assertThat(caller.result()).isNull();
        ring.close();
    }

    private static void poll(EventPoller<long[]> poller, int limit) {
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, limit)).isEqualTo(limit);
    }
}
