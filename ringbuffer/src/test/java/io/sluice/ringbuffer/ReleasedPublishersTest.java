package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.fill;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.ringbuffer.Rings.Caller;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers that wait on a full ring are released by its end, and told of the failure that ended it. */
@Timeout(60)
class ReleasedPublishersTest {
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure() {
            super("on purpose");
        }
    }

    private static RingBuffer<long[]> parkingProducers(boolean single, int capacity) {
        return ringBuilder(single, capacity)
                .producersIdle(() -> new BackoffIdleStrategy(1, 1, 1_000_000, 1_000_000))
                .build();
    }

    private static List<BiConsumer<Producer<long[]>, AtomicLong>> waitingForms() {
        return List.of(
                (producer, result) -> producer.next(1),
                (producer, result) -> result.set(producer.next(1, TimeUnit.HOURS.toNanos(1))),
                (producer, result) -> producer.publishEvent((event, sequence) -> event[0] = 1),
                (producer, result) -> producer.publishEvent((event, sequence, a) -> event[0] = 1, "a"),
                (producer, result) -> producer.publishEvent((event, sequence, a, b) -> event[0] = 1, "a", "b"),
                (producer, result) -> producer.publishEvent((event, sequence, a, b, c) -> event[0] = 1, "a", "b", "c"),
                (producer, result) -> producer.publishEvent((event, sequence, value) -> event[0] = value, 1L),
                (producer, result) -> producer.publishEvents((event, sequence, index) -> event[0] = index, 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aPublisherWaitingOnAFullRingIsReleasedWhenTheRingCloses(boolean single) throws Exception {
        for (BiConsumer<Producer<long[]>, AtomicLong> form : waitingForms()) {
            for (boolean drains : new boolean[] {true, false}) {
                RingBuffer<long[]> ring = parkingProducers(single, 4);
                Pipeline.on(ring).poller("nobody polls");
                AtomicLong result = new AtomicLong();
                Caller publisher = new Caller(() -> {
                    Producer<long[]> producer = ring.producer();
                    fill(producer);
                    form.accept(producer, result);
                });
                publisher.awaitWaiting();
                if (drains) {
                    ring.drain(0);
                } else {
                    ring.close();
                }
                Throwable thrown = publisher.result();
                if (thrown == null) {
                    assertThat(result).hasValue(Producer.CLOSED);
                } else {
                    assertThat(thrown)
                            .isInstanceOf(RingClosedException.class)
                            .hasMessageContaining(drains ? "DRAINING" : "CLOSED");
                }
                assertThat(ring.leftover().unhandled()).isEqualTo(4);
                assertThat(ring.leftover().openProducers()).isZero();
                ring.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aPublisherWaitingOnAFullRingIsReleasedWithTheCauseWhenAConsumerDies(boolean single) throws Exception {
        for (BiConsumer<Producer<long[]>, AtomicLong> form : waitingForms()) {
            RingBuffer<long[]> ring = parkingProducers(single, 4);
            CountDownLatch die = new CountDownLatch(1);
            Failure failure = new Failure();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                die.await();
                throw failure;
            });
            pipeline.start();
            AtomicLong result = new AtomicLong();
            Caller publisher = new Caller(() -> {
                Producer<long[]> producer = ring.producer();
                fill(producer);
                form.accept(producer, result);
            });
            publisher.awaitWaiting();
            die.countDown();
            Throwable thrown = publisher.result();
            if (thrown == null) {
                assertThat(result).hasValue(Producer.FAILED);
            } else {
                assertThat(thrown).isInstanceOf(RingFailedException.class).hasCause(failure);
            }
            ring.close();
            assertThat(ring.leftover().unhandled()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlerThatThrowsIsVisible(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Failure failure = new Failure();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            throw failure;
        };
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        publish(producer, 1);
        processor.doWork();
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(ring.failure()).isSameAs(failure);
        assertThat(pipeline.consumer(handler).state()).isEqualTo(State.FAILED);
        assertThat(pipeline.consumer(handler).failure()).isSameAs(failure);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FAILED);
        assertThat(producer.next(1, 5)).isEqualTo(Producer.FAILED);
        assertThat(producer.tryNextUpTo(1)).isEqualTo(Producer.FAILED);
        assertThatThrownBy(() -> producer.next(1)).hasCause(failure);
        assertThatThrownBy(() -> pipeline.awaitHandled(0, LONG)).hasCause(failure);
        assertThatThrownBy(ring::producer).isInstanceOf(RingException.class);
    }

    /** However its thread died: by its handler, its idle strategy, its hook, or by never starting. */
    @ParameterizedTest
    @ValueSource(strings = {"handler", "idle", "hook", "onStart", "thread"})
    @Tag("concurrency")
    void aDeadConsumerNeverLeavesPublishersWaitingInSilence(String how) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            Failure failure = new Failure();
            RingBuffer<long[]> ring = parkingProducers(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            CountDownLatch die = new CountDownLatch(1);
            Runnable dying = () -> {
                try {
                    die.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                throw failure;
            };
            EventHandler<long[]> handler = new EventHandler<>() {
                @Override
                public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                    if (how.equals("handler")) {
                        dying.run();
                    }
                }

                @Override
                public void onStart() {
                    if (how.equals("onStart")) {
                        dying.run();
                    }
                }
            };
            EventHandler<long[]> slow = (event, sequence, endOfBatch) -> die.await();
            pipeline.handleEventsWith(pipeline.consumer("mortal", handler)).then(slow);
            pipeline.threads(body -> {
                Thread thread = new Thread(body) {
                    @Override
                    public synchronized void start() {
                        if (how.equals("thread")) {
                            throw failure;
                        }
                        super.start();
                    }
                };
                thread.setUncaughtExceptionHandler((dead, why) -> {});
                return thread;
            });
            if (how.equals("hook")) {
                pipeline.onThreadStart(name -> {
                    if (name.equals("mortal")) {
                        dying.run();
                    }
                });
            }
            if (how.equals("idle")) {
                pipeline.idle("mortal", () -> new IdleStrategy() {
                    @Override
                    public void idle(int work) {
                        dying.run();
                    }

                    @Override
                    public void idle() {
                        dying.run();
                    }

                    @Override
                    public void reset() {}

                    @Override
                    public String alias() {
                        return "dying";
                    }
                });
            }
            Caller publisher = new Caller(() -> {
                Producer<long[]> producer = ring.producer();
                for (; ; ) {
                    publish(producer, 1);
                }
            });
            publisher.awaitWaiting();
            if (how.equals("thread")) {
                assertThatThrownBy(pipeline::start).isSameAs(failure);
            } else {
                pipeline.start();
            }
            die.countDown();
            assertThat(publisher.result())
                    .isInstanceOf(RingFailedException.class)
                    .hasCause(failure);
            assertThat(ring.failure()).isSameAs(failure);
            ring.close();
        }
    }
}
