package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the handler of one that leaves, and of one that is to leave but is closed before. */
@Timeout(60)
class LeavingTest {
    private final RingBuffer<long[]> ring = Rings.ring(true, 8);
    private final Pipeline<long[]> pipeline = Pipeline.on(ring);

    /** It stays when the others leave. This thread polls it. */
    private final EventPoller<long[]> stays = pipeline.poller("stays");

    private final Producer<long[]> producer = ring.producer();

    /** Stays in its onShutdown until it may go on. */
    private static final class SlowToShutDown extends Rings.Recorder {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch shuttingDown = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private boolean within;

        @Override
        public void onStart() {
            super.onStart();
            assertThat(within).as("within onShutdown").isFalse();
            started.countDown();
        }

        @Override
        public void onShutdown() {
            super.onShutdown();
            within = true;
            shuttingDown.countDown();
            uninterruptibly(goOn);
            within = false;
        }
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private ConsumerHandle join(String name, EventHandler<long[]> handler, long limitNanos) throws TimeoutException {
        return pipeline.join(pipeline.consumer(name, handler)).start(limitNanos);
    }

    private void assertOnlyOneStays() {
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).containsExactly("stays");
        for (int i = 0; i < 3; i++) {
            Rings.publish(producer, 8);
            int polled = 0;
            while (polled < 8) {
                polled += stays.poll((event, sequence, endOfBatch) -> {}, 8);
            }
        }
        assertThat(ring.leftover().unhandled()).isZero();
    }

    // its handler

    /** Else two threads run one handler at once. */
    @Test
    @Tag("concurrency")
    void aHandlerJoinsAgainOnlyBehindItsOnShutdown() throws Exception {
        SlowToShutDown handler = new SlowToShutDown();
        pipeline.handleEventsWith(pipeline.consumer("former", handler));
        pipeline.start();
        handler.started.await(); // who is removed before he begins hears of nothing
        stays.poll((event, sequence, endOfBatch) -> {}, 1); // this thread's own from now on
        assertThat(pipeline.consumer(handler).remove(Rings.LONG)).isEqualTo(Removal.LEFT);
        handler.shuttingDown.await();
        assertThatThrownBy(() -> join("again", handler, 0))
                .isInstanceOf(TimeoutException.class)
                .hasMessage(
                        "a join must find the others at rest, but consumer former, which has left and has the same handler,"
                                + " was not closed behind its onShutdown within 0.0 ms: nothing has joined");
        AtomicReference<ConsumerHandle> again = new AtomicReference<>();
        Rings.Caller interrupted = new Rings.Caller(() -> assertThatThrownBy(() -> join("again", handler, Rings.LONG))
                .isInstanceOf(TimeoutException.class)
                .hasMessageEndingWith("before the caller was interrupted: nothing has joined"));
        interrupted.awaitWaiting();
        interrupted.thread.interrupt();
        assertThat(interrupted.result()).isNull();
        Rings.Caller joins = new Rings.Caller(() -> {
            try {
                again.set(join("again", handler, Rings.LONG));
            } catch (TimeoutException e) {
                throw new AssertionError(e);
            }
        });
        joins.awaitWaiting();
        handler.goOn.countDown();
        while (joins.thread.isAlive()) {
            stays.poll((event, sequence, endOfBatch) -> {}, 1); // it may have to rest
        }
        assertThat(joins.result()).isNull();
        assertThat(again.get().remove(Rings.LONG)).isEqualTo(Removal.LEFT);
        assertThat(ring.close(Duration.ofNanos(Rings.LONG)).isNone()).isTrue();
        assertThat(ring.failure()).isNull();
    }

    /** Else its onShutdown comes when the handler is at work again. Nobody but this thread can close the processor. */
    @Test
    void aHandlerWhoseProcessorIsNotClosedIsRefused() throws Exception {
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(pipeline.consumer("former", handler));
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.onStart();
        stays.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(pipeline.consumer(handler).remove(0)).isEqualTo(Removal.LEFT);
        Join<long[]> again = pipeline.join(pipeline.consumer("again", handler));
        assertThatThrownBy(() -> again.processor(Rings.LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "handler of again must be shut down before it joins again, but this thread has not closed the"
                                + " processor of consumer former, which has left: call its onClose first, or doWork of the"
                                + " agent that runs all");
        processor.onClose();
        EventProcessor next = again.processor(0);
        next.onStart();
        processor.onClose();
        assertThat(handler.calls).containsExactly("onStart", "onShutdown", "onStart");
    }

    /** Nobody will close it. */
    @Test
    void aHandlerWhoseThreadHasDiedJoinsAgain() throws Exception {
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(pipeline.consumer("former", handler));
        EventProcessor processor = pipeline.startProcessors().get(0);
        stays.poll((event, sequence, endOfBatch) -> {}, 1);
        Rings.onOwnThread(processor::onStart);
        assertThat(pipeline.consumer(handler).remove(0)).isEqualTo(Removal.LEFT);
        join("again", handler, 0);
        ring.close();
    }

    /** Its thread is not that far yet: a hook of the program holds it up. */
    @Test
    @Tag("concurrency")
    void oneThatHasLeftBeforeItBeganHearsOfNothing() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch begun = new CountDownLatch(1);
        pipeline.onThreadStart(name -> {
            thread.set(Thread.currentThread());
            begun.countDown();
            uninterruptibly(goOn);
        });
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(handler);
        pipeline.start();
        begun.await();
        assertThat(pipeline.consumer(handler).remove(0)).isEqualTo(Removal.LEFT);
        goOn.countDown();
        thread.get().join();
        assertThat(handler.calls).isEmpty();
        assertOnlyOneStays();
    }

    /** As above, by its runner's hand: whether or not it is called before it is closed. */
    @Test
    void aProcessorThatHasLeftBeforeItBeganHearsOfNothing() {
        Rings.Recorder called = new Rings.Recorder();
        Rings.Recorder closed = new Rings.Recorder();
        pipeline.handleEventsWith(called, closed);
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.publish(producer, 1);
        assertThat(pipeline.consumer(called).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(pipeline.consumer(closed).remove(0)).isEqualTo(Removal.LEFT);
        processors.forEach(EventProcessor::onStart);
        assertThat(processors.get(0).doWork()).isZero();
        assertThat(processors.get(0).isDone()).isTrue();
        processors.forEach(EventProcessor::onClose);
        assertThat(called.calls).isEmpty();
        assertThat(closed.calls).isEmpty();
    }

    // one that is closed before it leaves

    @Test
    void oneThatIsClosedBeforeItsNextCallLeaves() throws Exception {
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.onStart();
        ConsumerHandle consumer = pipeline.consumer(handler);
        Rings.onOwnThread(() -> assertThat(consumer.remove(0)).isEqualTo(Removal.LATER));
        processor.onClose();
        assertThat(handler.calls).containsExactly("onStart", "onShutdown");
        assertOnlyOneStays();
        assertThat(consumer.remove(0)).isEqualTo(Removal.LEFT);
    }

    @Test
    void oneThatAsksForItInItsOwnOnShutdownLeaves() {
        AtomicReference<ConsumerHandle> self = new AtomicReference<>();
        AtomicReference<Removal> said = new AtomicReference<>();
        EventHandler<long[]> handler = new Rings.Recorder() {
            @Override
            public void onShutdown() {
                said.set(self.get().remove(Rings.LONG));
            }
        };
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        self.set(pipeline.consumer(handler));
        processor.onStart();
        processor.onClose();
        assertThat(said).hasValue(Removal.LATER);
        assertOnlyOneStays();
    }

    @Test
    void whatIsSaidInItsOwnOnShutdownIsSo() {
        AtomicReference<Removal> ofOneThatHasLeft = new AtomicReference<>();
        AtomicReference<Removal> onAClosedRing = new AtomicReference<>();
        EventHandler<long[]> leaves = asksInItsOnShutdown(ofOneThatHasLeft);
        EventHandler<long[]> ends = asksInItsOnShutdown(onAClosedRing);
        pipeline.handleEventsWith(leaves, ends);
        List<EventProcessor> processors = pipeline.startProcessors();
        processors.forEach(EventProcessor::onStart);
        assertThat(pipeline.consumer(leaves).remove(0)).isEqualTo(Removal.LEFT);
        processors.get(0).onClose();
        assertThat(ofOneThatHasLeft).hasValue(Removal.LEFT);
        Rings.publish(producer, 1);
        ring.close();
        processors.get(1).onClose();
        assertThat(onAClosedRing).hasValue(Removal.NEVER);
        assertThat(ring.leftover().unhandled()).isEqualTo(1);
    }

    private EventHandler<long[]> asksInItsOnShutdown(AtomicReference<Removal> said) {
        return new Rings.Recorder() {
            private ConsumerHandle self;

            @Override
            public void onStart() {
                self = pipeline.consumer(this);
            }

            @Override
            public void onShutdown() {
                said.set(self.remove(Rings.LONG));
            }
        };
    }

    /** A join that waits for another consumer has the graph: it takes the leaver out. */
    @Test
    @Tag("concurrency")
    void oneThatIsClosedWhileAnotherJoinsLeavesBehindTheJoin() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        Rings.Recorder closed = new Rings.Recorder();
        pipeline.handleEventsWith(slow, closed);
        List<EventProcessor> processors = pipeline.startProcessors();
        processors.get(1).onStart();
        Rings.publish(producer, 1);
        Rings.Caller runs = new Rings.Caller(() -> processors.get(0).doWork());
        inside.await();
        Rings.Caller joins = new Rings.Caller(() -> {
            try {
                pipeline.joinPoller("joins").before(pipeline.consumer(slow)).poller(Rings.LONG);
            } catch (TimeoutException e) {
                throw new AssertionError(e);
            }
        });
        joins.awaitWaiting();
        Rings.await(
                "the hold", () -> (((ConsumerControl) pipeline.consumer(slow)).control() & ConsumerControl.HOLD) != 0);
        ConsumerHandle consumer = pipeline.consumer(closed);
        Rings.onOwnThread(() -> assertThat(consumer.remove(0)).isEqualTo(Removal.LATER));
        processors.get(1).onClose();
        assertThat(pipeline.consumers()).contains(consumer);
        goOn.countDown();
        assertThat(runs.result()).isNull();
        assertThat(joins.result()).isNull();
        assertThat(pipeline.consumers()).doesNotContain(consumer);
    }

    /** Neither waits for the other's end. */
    @Test
    @Tag("concurrency")
    void twoThatRemoveEachOtherInTheirOnShutdownBothLeave() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        AtomicReference<Removal> first = new AtomicReference<>();
        AtomicReference<Removal> second = new AtomicReference<>();
        ConsumerHandle[] consumers = new ConsumerHandle[2];
        EventHandler<long[]> one = removes(consumers, 1, both, first);
        EventHandler<long[]> other = removes(consumers, 0, both, second);
        pipeline.handleEventsWith(one, other);
        consumers[0] = pipeline.consumer(one);
        consumers[1] = pipeline.consumer(other);
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.Caller closesOne = new Rings.Caller(() -> startAndClose(processors.get(0)));
        Rings.Caller closesOther = new Rings.Caller(() -> startAndClose(processors.get(1)));
        assertThat(closesOne.result()).isNull();
        assertThat(closesOther.result()).isNull();
        assertThat(first).hasValue(Removal.LEFT);
        assertThat(second).hasValue(Removal.LEFT);
        assertOnlyOneStays();
        assertThat(ring.state()).isEqualTo(State.RUNNING);
    }

    private static void startAndClose(EventProcessor processor) {
        processor.onStart();
        processor.onClose();
    }

    private static EventHandler<long[]> removes(
            ConsumerHandle[] consumers, int which, CountDownLatch both, AtomicReference<Removal> said) {
        return new Rings.Recorder() {
            @Override
            public void onShutdown() {
                both.countDown();
                uninterruptibly(both);
                said.set(consumers[which].remove(Duration.ofDays(1)));
            }
        };
    }
}
