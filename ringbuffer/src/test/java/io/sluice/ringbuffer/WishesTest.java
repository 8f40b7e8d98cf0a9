package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.fill;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Rings.Caller;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of other rings wished for: one test for each wish, named after it. */
@Timeout(60)
class WishesTest {
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure() {
            super("on purpose");
        }
    }

    // orders

    /**
     * Every order of the public steps, each up to twice: what was published was handled or is reported as left, and what was
     * not published was refused by an exception or a constant.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void nothingPublishedIsLostInAnyOrderOfStartPublishDrainAndClose(boolean single) {
        String[] steps = {"start", "publish", "publish", "drain", "close"};
        List<List<String>> orders = new ArrayList<>();
        permute(List.of(steps), new ArrayList<>(), orders);
        assertThat(orders).hasSize(120);
        for (List<String> order : orders) {
            runInOrder(single, order);
        }
    }

    private static void permute(List<String> left, List<String> order, List<List<String>> orders) {
        if (left.isEmpty()) {
            orders.add(List.copyOf(order));
        }
        for (int i = 0; i < left.size(); i++) {
            List<String> rest = new ArrayList<>(left);
            order.add(rest.remove(i));
            permute(rest, order, orders);
            order.remove(order.size() - 1);
        }
    }

    private static void runInOrder(boolean single, List<String> order) {
        RingBuffer<long[]> ring = ring(single, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicLong handled = new AtomicLong();
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        Producer<long[]> producer = ring.producer();
        long published = 0;
        boolean ended = false;
        boolean closed = false;
        boolean started = false;
        for (String step : order) {
            switch (step) {
                case "start" -> {
                    if (closed) {
                        assertThatThrownBy(pipeline::start)
                                .as(order.toString())
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("CLOSED");
                    } else {
                        pipeline.start();
                        started = true;
                    }
                }
                case "publish" -> {
                    if (ended) {
                        assertThatThrownBy(() -> publish(producer, 1))
                                .as(order.toString())
                                .isInstanceOf(RingClosedException.class);
                        assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
                    } else {
                        publish(producer, 3);
                        published += 3;
                    }
                }
                case "drain" -> {
                    Ring.Leftover left = ring.drain(started && !closed ? LONG : 0);
                    if (started && !closed) {
                        assertThat(left.isNone()).as(order + ": " + left).isTrue();
                        assertThat(handled).as(order.toString()).hasValue(published);
                    }
                    assertThat(left.openProducers()).as(order.toString()).isZero();
                    ended = true;
                }
                default -> {
                    ring.close();
                    ended = true;
                    closed = true;
                }
            }
        }
        assertThat(handled.get() + ring.leftover().unhandled())
                .as(order.toString())
                .isEqualTo(published);
        assertThat(ring.leftover().openClaims()).as(order.toString()).isZero();
    }

    // release

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

    private static RingBuffer<long[]> parkingProducers(boolean single, int capacity) {
        return ringBuilder(single, capacity)
                .producersIdle(() -> new BackoffIdleStrategy(1, 1, 1_000_000, 1_000_000))
                .build();
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
            pipeline.handleEventsWith(handler).then(slow);
            pipeline.settings(handler).name("mortal");
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

    // translators

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTranslatorThatThrowsPublishesNothing(boolean single) {
        Failure failure = new Failure();
        List<BiConsumer<Producer<long[]>, Failure>> forms = List.of(
                (p, f) -> p.publishEvent((event, sequence) -> {
                    throw f;
                }),
                (p, f) -> p.publishEvent(
                        (event, sequence, a) -> {
                            throw f;
                        },
                        "a"),
                (p, f) -> p.publishEvent(
                        (event, sequence, a, b) -> {
                            throw f;
                        },
                        "a",
                        "b"),
                (p, f) -> p.publishEvent(
                        (event, sequence, a, b, c) -> {
                            throw f;
                        },
                        "a",
                        "b",
                        "c"),
                (p, f) -> p.publishEvent(
                        (EventTranslatorLong<long[]>) (event, sequence, value) -> {
                            throw f;
                        },
                        1L),
                (p, f) -> p.publishEvents(
                        (event, sequence, index) -> {
                            event[0] = -1;
                            if (index == 2) {
                                throw f;
                            }
                        },
                        3),
                (p, f) -> p.tryPublishEvent((event, sequence) -> {
                    throw f;
                }),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a) -> {
                            throw f;
                        },
                        "a"),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a, b) -> {
                            throw f;
                        },
                        "a",
                        "b"),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a, b, c) -> {
                            throw f;
                        },
                        "a",
                        "b",
                        "c"),
                (p, f) -> p.tryPublishEvent(
                        (EventTranslatorLong<long[]>) (event, sequence, value) -> {
                            throw f;
                        },
                        1L),
                (p, f) -> p.tryPublishEvents(
                        (event, sequence, index) -> {
                            event[0] = -1;
                            if (index == 2) {
                                throw f;
                            }
                        },
                        3));
        for (int i = 0; i < forms.size(); i++) {
            BiConsumer<Producer<long[]>, Failure> form = forms.get(i);
            RingBuffer<long[]> ring = ring(single, 8);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<Long> delivered = new ArrayList<>();
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> delivered.add(event[0]));
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            publish(producer, 1);
            assertThatThrownBy(() -> form.accept(producer, failure))
                    .as("form " + i)
                    .isSameAs(failure);
            producer.publishEvent((event, sequence, value) -> event[0] = value, 77L);
            Rings.exhaust(processor);
            assertThat(delivered).as("form " + i).containsExactly(0L, 77L);
            assertThat(ring.drain(0).isNone()).as("form " + i).isTrue();
        }
    }

    // limits of a claim

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimHasATimeLimit(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        fill(producer);
        assertThat(producer.next(1, TimeUnit.MILLISECONDS.toNanos(2))).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(4, 0)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(1, -1)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(1, Long.MIN_VALUE)).isEqualTo(Producer.TIMED_OUT);
        assertThat(ring.leftover()).isEqualTo(new Ring.Leftover(4, 0, 1, "poller"));
        assertThat(poller.consumer().lag()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWaitingClaimCanBeInterruptedAndKeepsTheFlag(boolean single) throws Exception {
        for (boolean timed : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = parkingProducers(single, 4);
            Pipeline.on(ring).poller("nobody polls");
            AtomicReference<Boolean> flag = new AtomicReference<>();
            Caller publisher = new Caller(() -> {
                Producer<long[]> producer = ring.producer();
                fill(producer);
                try {
                    if (timed) {
                        assertThat(producer.next(1, TimeUnit.HOURS.toNanos(1))).isEqualTo(Producer.INTERRUPTED);
                    } else {
                        assertThatThrownBy(() -> producer.next(1)).isInstanceOf(ClaimInterruptedException.class);
                    }
                } finally {
                    flag.set(Thread.currentThread().isInterrupted());
                    producer.close();
                }
            });
            publisher.awaitWaiting();
            publisher.thread.interrupt();
            assertThat(publisher.result()).isNull();
            assertThat(flag).hasValue(true);
            assertThat(ring.leftover()).isEqualTo(new Ring.Leftover(4, 0, 0, "nobody polls"));
        }
    }

    @Test
    void aBatchCanBeLimited() {
        RingBuffer<long[]> ring = ring(true, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(handler);
        pipeline.settings(handler).batchLimit(3);
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 7);
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(processor.sequence().get()).isEqualTo(2);
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(handler.calls)
                .containsExactly(
                        "onStart",
                        "start 3/7",
                        "0",
                        "1",
                        "2!",
                        "end 2",
                        "start 3/4",
                        "3",
                        "4",
                        "5!",
                        "end 5",
                        "start 1/1",
                        "6!",
                        "end 6");
    }

    // parking

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void dependentsParkAndAreWokenByTheirUpstream(boolean single) {
        RingBuffer<long[]> ring = ringBuilder(single, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(first).then(second);
        pipeline.settings(first).name("first");
        pipeline.settings(second).name("second");
        SignalledIdle firstIdle = SignalledIdle.exact(0);
        SignalledIdle secondIdle = SignalledIdle.exact(0);
        List<Thread> threads = new ArrayList<>();
        pipeline.idle("first", () -> firstIdle).idle("second", () -> secondIdle).threads(body -> {
            Thread thread = new Thread(body);
            threads.add(thread);
            return thread;
        });
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 200; i++) {
            Rings.await("both park", () -> threads.stream().allMatch(t -> t.getState() == Thread.State.WAITING));
            long parks = secondIdle.parks();
            assertThat(parks).isPositive();
            publish(producer, 1);
            assertThat(pipeline.awaitHandled(i, LONG)).as("event " + i).isTrue();
            Rings.await("the dependent parks again", () -> secondIdle.parks() > parks);
        }
        ring.close();
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    // reports

    @Test
    void aSlowConsumerIsNamedWithItsLag() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 16);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventPoller<long[]> fast = pipeline.poller("fast");
            EventPoller<long[]> slow = pipeline.poller("slow");
            publish(ring.producer(), 10);
            poll(fast, 10);
            poll(slow, 4);
            assertThat(ring.leftover().slowest()).isEqualTo("slow");
            assertThat(ring.leftover().unhandled()).isEqualTo(6);
            assertThat(fast.consumer().lag()).isZero();
            assertThat(slow.consumer().lag()).isEqualTo(6);
            poll(slow, 6);
            assertThat(ring.leftover().slowest()).isEmpty();
            assertThat(slow.consumer().lag()).isZero();
        }
    }

    private static void poll(EventPoller<long[]> poller, int limit) {
        try {
            assertThat(poller.poll((event, sequence, endOfBatch) -> {}, limit)).isEqualTo(limit);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    // self-deadlocks

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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void twoThreadsOnOneProducerAreFoundAtOnceWhereAssertionsAreEnabled(boolean single) throws Exception {
        Producer<long[]> producer = ring(single, 4).producer();
        publish(producer, 1);
        assertThat(new Caller(() -> producer.next(1)).result())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("used by one thread only");
        producer.next(1);
        assertThat(new Caller(() -> producer.publish(1, 1)).result()).isInstanceOf(IllegalStateException.class);
        producer.publish(1, 1);
    }

    /** A compare-and-set decides: a producer that two threads hold for their own has no owner to go by. */
    @Test
    @Tag("concurrency")
    void ofTwoThreadsThatClaimFirstAtOnceOneOwnsTheProducer() throws Exception {
        RingBuffer<long[]> ring = ring(false, 4);
        AtomicInteger made = new AtomicInteger();
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger bound = new AtomicInteger();
        AtomicReference<AbstractProducer<long[]>> producer = new AtomicReference<>();
        AtomicBoolean over = new AtomicBoolean();
        List<Caller> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            boolean leads = i == 0;
            both.add(new Caller(() -> {
                for (int round = 0; round < 1_000 && !over.get(); round++) {
                    int all = 2 * round;
                    meet(() -> arrived.get() >= all || over.get());
                    if (leads) {
                        assertThat(bound.get())
                                .as("owners of %d producers", round)
                                .isEqualTo(round);
                        producer.set((AbstractProducer<long[]>) ring.producer());
                        made.incrementAndGet();
                    } else {
                        int before = round;
                        meet(() -> made.get() > before || over.get());
                    }
                    try {
                        producer.get().bindOwner();
                        bound.incrementAndGet();
                    } catch (IllegalStateException e) {
                        assertThat(producer.get().owner()).isNotSameAs(Thread.currentThread());
                    }
                    arrived.incrementAndGet();
                }
            }));
        }
        try {
            for (Caller one : both) {
                assertThat(one.result()).isNull();
            }
            assertThat(bound.get()).isEqualTo(1_000);
        } finally {
            over.set(true);
        }
    }

    /** Spins for a moment, so that both go on at once, and then lets others run. */
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    private static void meet(BooleanSupplier condition) {
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            if (spins < 2_000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** A thread that goes on with an ended one's producer is refused, and takes one of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWorkerThatFollowsADeadOneTakesAProducerOfItsOwn(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        Rings.onOwnThread(() -> publish(producer, 4));
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 4)).isEqualTo(4);
        assertThatThrownBy(() -> producer.next(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("each thread takes its own from the ring");
        producer.close();
        try (Producer<long[]> own = ring.producer()) {
            publish(own, 4);
        }
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 4)).isEqualTo(4);
        assertThat(ring.drain(0).isNone()).isTrue();
    }
}
