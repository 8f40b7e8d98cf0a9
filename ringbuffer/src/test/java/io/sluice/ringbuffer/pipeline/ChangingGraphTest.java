package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalGroups;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold while consumers join and leave: nothing is overwritten, nothing is handled too late, nothing is kept. */
@Timeout(60)
class ChangingGraphTest {
    /** Checks that each event is what was published as its sequence, and comes in order. */
    private static class InOrder implements EventHandler<long[]> {
        long next = -1;

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
            assertThat(event[0]).as("content of sequence %d", sequence).isEqualTo(sequence);
            if (next >= 0) {
                assertThat(sequence).as("in order").isEqualTo(next);
            }
            next = sequence + 1;
        }
    }

    private static long tryPublish(Producer<long[]> producer) {
        return producer.tryPublishEvent((event, sequence) -> event[0] = sequence);
    }

    private static void publish(Producer<long[]> producer, int n) {
        for (int i = 0; i < n; i++) {
            assertThat(tryPublish(producer)).isGreaterThanOrEqualTo(0);
        }
    }

    private static long tryMany(Producer<long[]> producer, int n) {
        long published = 0;
        for (int i = 0; i < n && tryPublish(producer) >= 0; i++) {
            published++;
        }
        return published;
    }

    private static void exhaust(EventProcessor... processors) {
        int work;
        do {
            work = 0;
            for (EventProcessor one : processors) {
                work += one.doWork();
            }
        } while (work > 0);
    }

    // a consumer's events stay until it has handled them

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowConsumersEventsStayWhenTheOneBehindItLeavesAndAnotherIsFurtherOn(boolean single) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(single, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder v = new InOrder();
        InOrder u = new InOrder();
        InOrder d = new InOrder();
        pipeline.handleEventsWith(v).then(u);
        List<EventProcessor> run = pipeline.startProcessors();
        run.forEach(EventProcessor::onStart);
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        EventProcessor runD =
                pipeline.join(d).after(pipeline.consumer(u)).from(8).processor(0);
        assertThat(pipeline.consumer(u).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(tryMany(producer, 8)).as("claims of a ring full for v").isZero();
        exhaust(run.get(0), runD);
        assertThat(v.next).isEqualTo(8);
        publish(producer, 8);
        exhaust(run.get(0), runD);
        assertThat(v.next).isEqualTo(16);
        assertThat(d.next).isEqualTo(16);
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowConsumersEventsStayWhenTheOneBehindItLeavesAndOneBeforeItWasFurtherOn(boolean single) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(single, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder v = new InOrder();
        InOrder u = new InOrder();
        InOrder quick = new InOrder();
        InOrder d = new InOrder();
        pipeline.handleEventsWith(v).then(u);
        pipeline.handleEventsWith(quick);
        List<EventProcessor> run = pipeline.startProcessors();
        run.forEach(EventProcessor::onStart);
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        exhaust(run.get(2));
        // d joins where the furthest of those before which it joins stands: at the end
        EventProcessor runD = pipeline.join(d)
                .after(pipeline.consumer(u))
                .before(pipeline.consumer(quick))
                .processor(0);
        assertThat(pipeline.consumer(d).joinedFrom()).isEqualTo(8);
        assertThat(pipeline.consumer(u).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(tryMany(producer, 8)).as("claims of a ring full for v").isZero();
        exhaust(run.get(0), run.get(2), runD);
        publish(producer, 8);
        exhaust(run.get(0), run.get(2), runD);
        assertThat(v.next).isEqualTo(16);
        assertThat(quick.next).isEqualTo(16);
        ring.close();
    }

    /** A chain of four, each handler leaves in each order while one far ahead follows the last. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inAChainTheSlowestLivingOneGatesInWhateverOrderTheOthersLeave(boolean single) throws Exception {
        int[][] orders = {
            {3, 2, 1}, {3, 1, 2}, {2, 3, 1}, {2, 1, 3}, {1, 2, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}, {0, 1, 2}
        };
        for (int[] order : orders) {
            RingBuffer<long[]> ring = Rings.ring(single, 8);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            InOrder[] chain = {new InOrder(), new InOrder(), new InOrder(), new InOrder()};
            Stage<long[]> stage = pipeline.handleEventsWith(chain[0]);
            for (int i = 1; i < chain.length; i++) {
                stage = stage.then(chain[i]);
            }
            List<EventProcessor> run = new ArrayList<>(pipeline.startProcessors());
            run.forEach(EventProcessor::onStart);
            Producer<long[]> producer = ring.producer();
            publish(producer, 8);
            InOrder ahead = new InOrder();
            run.add(pipeline.join(ahead)
                    .after(pipeline.consumer(chain[3]))
                    .from(8)
                    .processor(0));
            for (int at : order) {
                assertThat(pipeline.consumer(chain[at]).remove(0)).isEqualTo(Removal.LEFT);
                assertThat(tryMany(producer, 8))
                        .as("claims of a full ring, order %s, after %d", Arrays.toString(order), at)
                        .isZero();
            }
            exhaust(run.toArray(EventProcessor[]::new));
            publish(producer, 8);
            exhaust(run.toArray(EventProcessor[]::new));
            assertThat(ahead.next).isEqualTo(16);
            assertThat(pipeline.consumers())
                    .hasSize(2)
                    .allMatch(one -> one.sequence().get() == 15);
            ring.close();
        }
    }

    @Test
    void aConsumersGateCanNotBeTakenByHand() {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder handler = new InOrder();
        pipeline.handleEventsWith(pipeline.consumer("handler", handler));
        ConsumerHandle consumer = pipeline.consumer(handler);
        String message =
                "sequence must be of nobody in the pipeline, but was that of consumer handler, which the pipeline gates"
                        + " by itself";
        assertThatThrownBy(() -> ring.addGating(consumer.sequence()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> ring.removeGating(consumer.sequence()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        assertThat(tryPublish(producer)).isEqualTo(Producer.FULL);
        ring.close();
    }

    @Test
    void workersEventsStayWhenTheOneBehindThemLeavesAndAnotherIsFurtherOn() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Long> handled = new ArrayList<>();
        EventHandler<long[]> a = (event, sequence, endOfBatch) -> {
            assertThat(event[0]).isEqualTo(sequence);
            handled.add(sequence);
        };
        EventHandler<long[]> b = (event, sequence, endOfBatch) -> {
            assertThat(event[0]).isEqualTo(sequence);
            handled.add(sequence);
        };
        EventPoller<long[]> u = pipeline.handleEventsWithWorkerPool(a, b).thenPoller("u");
        List<EventProcessor> run = pipeline.startProcessors();
        run.forEach(EventProcessor::onStart);
        assertThat(u.poll(new InOrder()::onEvent, 1)).isZero();
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        InOrder d = new InOrder();
        EventProcessor runD = pipeline.join(d).after(u.consumer()).from(8).processor(0);
        assertThat(u.consumer().remove(0)).isEqualTo(Removal.LEFT);
        assertThat(tryMany(producer, 8)).as("claims of a full ring").isZero();
        assertThat(pipeline.consumer(a).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(tryMany(producer, 8)).as("claims of a full ring").isZero();
        exhaust(run.get(1), runD);
        publish(producer, 8);
        exhaust(run.get(1), runD);
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L, 14L, 15L);
        assertThat(d.next).isEqualTo(16);
        ring.close();
    }

    @Test
    void aStageOfWorkersThatHasLeftHoldsNobodyUp() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder stays = new InOrder();
        EventHandler<long[]> one = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(stays);
        pipeline.handleEventsWithWorkerPool(one, other);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.onStart();
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        exhaust(processor);
        assertThat(producer.tryNext(1)).as("the workers have handled nothing").isEqualTo(Producer.FULL);
        assertThat(pipeline.consumer(one).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(producer.tryNext(1)).as("one worker is left").isEqualTo(Producer.FULL);
        assertThat(pipeline.consumer(other).remove(0)).isEqualTo(Removal.LEFT);
        publish(producer, 8);
        exhaust(processor);
        assertThat(stays.next).isEqualTo(16);
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aWorkerThatCouldNotStartAfterItsColleagueLeftTakesTheStageWithIt() throws Exception {
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 8).consumersIdle(SignalledIdle::exact).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> worker = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> last = (event, sequence, endOfBatch) -> {};
        AtomicBoolean refuses = new AtomicBoolean();
        pipeline.threads(task -> {
            if (refuses.get()) {
                assertThat(pipeline.consumer(worker).remove(LONG)).isEqualTo(Removal.LEFT);
                throw new IllegalStateException("no more threads");
            }
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        pipeline.handleEventsWith(first).thenWorkerPool(worker).then(last);
        pipeline.start();
        pipeline.consumer(first).pause();
        refuses.set(true);
        assertThatThrownBy(() -> pipeline.join((event, sequence, endOfBatch) -> {})
                        .sharingWith(pipeline.consumer(worker))
                        .start(LONG))
                .hasMessage("no more threads");
        publish(ring.producer(), 8);
        // it would handle all at once, ahead of the first, if it followed the publications
        assertThat(pipeline.awaitHandled(7, TimeUnit.MILLISECONDS.toNanos(20))).isFalse();
        assertThat(pipeline.consumer(last).sequence().get()).isEqualTo(-1);
        pipeline.consumer(first).resume();
        assertThat(pipeline.awaitHandled(7, LONG)).isTrue();
        assertThat(pipeline.consumer(last).sequence().get()).isEqualTo(7);
        ring.close();
    }

    // leaving while another thread takes over

    private static final int HAND_OVERS = 4_000;
    private static final int AT_ONCE = 500;

    /** Two threads: one removes a consumer, which it has run itself, while the other begins to run it. */
    private static void handOver(Function<Pipeline<long[]>, HandedOver> consumers) throws Exception {
        for (int done = 0; done < HAND_OVERS; done += AT_ONCE) {
            List<HandedOver> all = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                RingBuffer<long[]> ring = Rings.ring(true, 4);
                HandedOver one = consumers.apply(Pipeline.on(ring));
                one.work(); // so that this thread is the one that has run it
                publish(ring.producer(), 2);
                all.add(one);
            }
            Rings.Caller other = new Rings.Caller(() -> all.forEach(one -> {
                one.meet();
                one.runUntilDone();
            }));
            for (int i = 0; i < AT_ONCE; i++) {
                HandedOver one = all.get(i);
                one.meet();
                spin(i / 2 % 50); // so that they meet here and there
                Removal removed = one.consumer().remove(i % 2 * LONG);
                one.gone = removed == Removal.LEFT;
                assertThat(
                                i % 2 == 0 && removed == Removal.LATER
                                        ? one.consumer().remove(LONG)
                                        : removed)
                        .as("removed within the time, %d", i)
                        .isEqualTo(Removal.LEFT);
            }
            assertThat(other.result()).isNull();
            assertThat(all.stream().mapToInt(one -> one.late).sum())
                    .as("events handed out after the removal")
                    .isZero();
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /** A consumer that changes threads. */
    private abstract static class HandedOver implements EventHandler<long[]> {
        private final AtomicInteger met = new AtomicInteger();
        volatile boolean gone;
        int late;

        abstract ConsumerHandle consumer();

        abstract boolean isDone();

        abstract void work();

        @Override
        public final void onEvent(long[] event, long sequence, boolean endOfBatch) {
            spin(100);
            if (gone) {
                late++;
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // nothing depends on the yield
        final void meet() {
            met.incrementAndGet();
            for (int i = 0; met.get() < 2; i++) {
                if (i % 1_000 == 999) {
                    Thread.yield();
                } else {
                    Thread.onSpinWait();
                }
            }
        }

        final void runUntilDone() {
            while (!isDone()) {
                work();
            }
        }
    }

    @Test
    @Tag("concurrency")
    void aPollerThatAnotherThreadTakesOverHandsOutNothingAfterItsRemoval() throws Exception {
        handOver(pipeline -> {
            EventPoller<long[]> poller = pipeline.poller("poller");
            return new HandedOver() {
                @Override
                ConsumerHandle consumer() {
                    return poller.consumer();
                }

                @Override
                boolean isDone() {
                    return poller.isDone();
                }

                @Override
                void work() {
                    try {
                        poller.poll(this::onEvent, 1);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
        });
    }

    @Test
    @Tag("concurrency")
    void anInvokedConsumerThatAnotherThreadTakesOverHandsOutNothingAfterItsRemoval() throws Exception {
        handOver(pipeline -> {
            EventProcessor[] processor = new EventProcessor[1];
            ConsumerHandle[] consumer = new ConsumerHandle[1];
            HandedOver one = new HandedOver() {
                @Override
                ConsumerHandle consumer() {
                    return consumer[0];
                }

                @Override
                boolean isDone() {
                    return processor[0].isDone();
                }

                @Override
                void work() {
                    processor[0].doWork();
                }
            };
            pipeline.handleEventsWith(one);
            consumer[0] = pipeline.consumer(one);
            processor[0] = pipeline.startProcessors().get(0);
            return one;
        });
    }

    @Test
    void aConsumerThatNobodyEverRanCanBeTakenOut() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder first = new InOrder();
        pipeline.handleEventsWith(first);
        EventProcessor run = pipeline.startProcessors().get(0);
        run.onStart();
        InOrder never = new InOrder();
        EventProcessor neverRun = pipeline.join(never).processor(0);
        ConsumerHandle consumer = pipeline.consumer(never);
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        exhaust(run);
        assertThat(tryPublish(producer)).as("it gates").isEqualTo(Producer.FULL);
        assertThat(consumer.remove(0)).isEqualTo(Removal.LEFT);
        publish(producer, 8);
        exhaust(run, neverRun);
        assertThat(first.next).isEqualTo(16);
        assertThat(never.next).as("begun after its removal, it gets nothing").isEqualTo(-1);
        assertThat(neverRun.isDone()).isTrue();
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aThreadThatBeginsAfterItsConsumerWasTakenOutEndsAlsoWhileAnotherJoins() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch begins = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        pipeline.handleEventsWith(slow);
        List<Thread> threads = new ArrayList<>();
        pipeline.threads(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        });
        pipeline.onThreadStart(name -> {
            if (name.equals("late")) {
                try {
                    begins.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        pipeline.start();
        ConsumerHandle late =
                pipeline.join(pipeline.consumer("late", new InOrder())).start(LONG);
        assertThat(late.remove(LONG)).isEqualTo(Removal.LEFT);
        publish(ring.producer(), 1);
        inside.await();
        Rings.Caller joins = new Rings.Caller(() -> {
            try {
                pipeline.join(pipeline.consumer("other", new InOrder())).start(LONG);
            } catch (TimeoutException e) {
                throw new IllegalStateException(e);
            }
        });
        joins.awaitWaiting();
        begins.countDown();
        Rings.await("the end of the late thread", () -> !threads.get(1).isAlive());
        goOn.countDown();
        assertThat(joins.result()).isNull();
        ring.close();
    }

    /** The one that it follows knew of nobody to be told when its batch began. */
    @Test
    @Tag("concurrency")
    void whoJoinsBehindABatchAndParksIsToldOfItsEnd() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        InOrder gate = new InOrder(); // rests for the join, in place of the slow one
        SignalledIdle gates = SignalledIdle.exact(0);
        pipeline.handleEventsWith(pipeline.consumer("gate", gate), pipeline.consumer("slow", slow));
        pipeline.idle("gate", () -> gates);
        pipeline.start();
        pipeline.consumer(gate).pause();
        Rings.await(
                "it rests", () -> gates.parkedSince() != SignalledIdle.NO_DEADLINE); // else it may still take the event
        publish(ring.producer(), 1);
        inside.await();
        SignalledIdle idle = SignalledIdle.exact(0);
        ConsumerHandle late = pipeline.join(new InOrder())
                .after(pipeline.consumer(slow))
                .idle(() -> idle)
                .start(LONG);
        Rings.await("it sleeps", () -> idle.parkedSince() != SignalledIdle.NO_DEADLINE);
        goOn.countDown();
        Rings.await("the end of the batch to reach it", () -> late.sequence().get() == 0);
        ring.close();
    }

    /** The colleague rests: only the one that has joined finishes the event, and tells who follows the stage. */
    @Test
    @Tag("concurrency")
    void whoFollowsWorkersAndParksIsToldOfWhatOneThatJoinedHasFinished() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder colleague = new InOrder();
        InOrder joined = new InOrder();
        SignalledIdle colleagues = SignalledIdle.exact(0);
        SignalledIdle followers = SignalledIdle.exact(0);
        NewConsumer<long[]> follower = pipeline.consumer("follower", new InOrder());
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("colleague", colleague))
                .then(follower);
        pipeline.idle("colleague", () -> colleagues);
        pipeline.idle("follower", () -> followers);
        pipeline.start();
        pipeline.join(joined).sharingWith(pipeline.consumer(colleague)).start(LONG);
        pipeline.consumer(colleague).pause();
        Rings.await(
                "the colleague rests",
                () -> colleagues.parkedSince() != SignalledIdle.NO_DEADLINE); // else it takes the event
        Rings.await("the follower sleeps", () -> followers.parkedSince() != SignalledIdle.NO_DEADLINE);
        publish(ring.producer(), 1);
        Rings.await("the event to reach it", () -> follower.handle().sequence().get() == 0);
        ring.close();
    }

    // nothing is kept

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumersSignalsDoNotGrowWithThoseWhoCameAheadOfItAndLeft(boolean clears) throws Exception {
        SignalledIdle idle = SignalledIdle.exact(0);
        SignalledIdle clearersIdle = SignalledIdle.exact(0);
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 8).consumersIdle(SignalledIdle::exact).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder first = new InOrder();
        InOrder last = new InOrder();
        pipeline.handleEventsWith(first).then(pipeline.consumer("last", last));
        pipeline.idle("last", () -> idle);
        if (clears) {
            pipeline.clearEventsWith(event -> {});
            pipeline.idle("clear", () -> clearersIdle);
        }
        pipeline.threads(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        pipeline.start();
        for (int i = 0; i < 20; i++) {
            Join<long[]> join =
                    pipeline.join((event, sequence, endOfBatch) -> {}).after(pipeline.consumer(first));
            if (!clears) {
                join.before(pipeline.consumer(last));
            }
            ConsumerHandle joined = join.start(LONG);
            assertThat(joined.remove(LONG)).isEqualTo(Removal.LEFT);
        }
        assertThat(SignalGroups.of(idle))
                .as("the end, and the first's progress")
                .isEqualTo(2);
        if (clears) {
            assertThat(SignalGroups.of(clearersIdle))
                    .as("the end, and the progress of the last and of the first, which all that left had followed")
                    .isEqualTo(3);
        }
        publish(ring.producer(), 8);
        assertThat(pipeline.awaitHandled(7, LONG)).isTrue();
        ring.close();
    }

    @Test
    void oneThreadOfTwoConsumersIsNotWokenForTheOneThatLeft() throws Exception {
        SignalledIdle idle = SignalledIdle.exact(0);
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 8).consumersIdle(SignalledIdle::exact).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder a = new InOrder();
        InOrder b = new InOrder();
        InOrder behindA = new InOrder();
        InOrder behindB = new InOrder();
        pipeline.handleEventsWith(a).then(pipeline.consumer("behindA", behindA).thread("both"));
        pipeline.handleEventsWith(b).then(pipeline.consumer("behindB", behindB).thread("both"));
        pipeline.idle("both", () -> idle);
        pipeline.start();
        assertThat(SignalGroups.of(idle)).as("the end, and the progress of two").isEqualTo(3);
        assertThat(pipeline.consumer(behindA).remove(LONG)).isEqualTo(Removal.LEFT);
        assertThat(SignalGroups.of(idle)).as("the end, and the progress of one").isEqualTo(2);
        publish(ring.producer(), 8);
        assertThat(pipeline.awaitHandled(7, LONG)).isTrue();
        ring.close();
    }

    // large graphs

    @ParameterizedTest
    @ValueSource(ints = {20, 200})
    @Timeout(20)
    void aGraphOfManyLayersStartsAndTakesJoiners(int layers) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<InOrder> handlers = new ArrayList<>();
        Stage<long[]> stage = null;
        for (int layer = 0; layer < layers; layer++) {
            InOrder[] three = {new InOrder(), new InOrder(), new InOrder()};
            NewConsumer<long[]> first = pipeline.consumer(layer + ".0", three[0]);
            NewConsumer<long[]> second = pipeline.consumer(layer + ".1", three[1]);
            NewConsumer<long[]> third = pipeline.consumer(layer + ".2", three[2]);
            if (layer % 50 == 0) {
                second.finishesEvents();
            }
            stage = stage == null ? pipeline.handleEventsWith(first, second, third) : stage.then(first, second, third);
            handlers.addAll(Arrays.asList(three));
        }
        List<EventProcessor> run = new ArrayList<>(pipeline.startProcessors());
        run.forEach(EventProcessor::onStart);
        InOrder between = new InOrder();
        run.add(pipeline.join(between)
                .after(pipeline.consumer(handlers.get(handlers.size() / 2)))
                .before(pipeline.consumer(handlers.get(handlers.size() - 1)))
                .processor(0));
        assertThatThrownBy(() -> pipeline.join(pipeline.consumer("cycle", new InOrder()))
                        .after(pipeline.consumer(handlers.get(handlers.size() - 1)))
                        .before(pipeline.consumer(handlers.get(0)))
                        .processor(0))
                .hasMessageContaining("must make no cycle");
        publish(ring.producer(), 8);
        exhaust(run.toArray(EventProcessor[]::new));
        assertThat(handlers).allMatch(one -> one.next == 8);
        assertThat(between.next).isEqualTo(8);
        ring.close();
    }
}
