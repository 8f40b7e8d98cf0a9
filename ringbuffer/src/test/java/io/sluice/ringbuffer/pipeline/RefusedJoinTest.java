package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The graph changes while the thread of one that has joined is being made, and then no thread is made. Whoever followed that one by
 * its own wish follows its upstream. Whoever followed it only because it had joined before him does not.
 */
@Timeout(60)
class RefusedJoinTest {
    private static final EventHandler<long[]> REFUSED = (event, sequence, endOfBatch) -> {};

    private final AtomicReference<ThreadFactory> factory = new AtomicReference<>(RefusedJoinTest::daemon);
    private final List<EventProcessor> run = new ArrayList<>();
    private RingBuffer<long[]> ring;
    private Pipeline<long[]> pipeline;

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private static EventHandler<long[]> handler() {
        return new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}
        };
    }

    private void pipelineOn(RingBufferBuilder<long[]> builder) {
        ring = builder.build();
        pipeline = Pipeline.on(ring);
        pipeline.threads(task -> factory.get().newThread(task));
    }

    /** Starts what is declared, to be run by hand in the order of declaration. */
    private void startByHand() {
        pipeline.startProcessors().forEach(this::runByHand);
    }

    private void runByHand(EventProcessor processor) {
        processor.onStart();
        processor.doWork();
        run.add(processor);
    }

    private void joinByHand(Join<long[]> join) throws Exception {
        runByHand(join.processor(LONG));
    }

    private void publishThree() {
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 3);
    }

    /** Joins, does something while its thread is being made, and then there is no thread. */
    private void refuse(Join<long[]> join, Callable<?> meanwhile) {
        factory.set(task -> {
            factory.set(RefusedJoinTest::daemon);
            try {
                meanwhile.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return null;
        });
        assertThatThrownBy(() -> join.start(LONG)).hasMessageContaining("gave null");
    }

    private Void leaves(EventHandler<long[]> handler) {
        assertThat(pipeline.consumer(handler).remove(LONG)).isEqualTo(Removal.LEFT);
        return null;
    }

    private long handled(EventHandler<long[]> handler) {
        return pipeline.consumer(handler).sequence().get() + 1;
    }

    private void exhaust(int processor) {
        Rings.exhaust(run.get(processor));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoJoinedBehindOneThatCouldNotStartFollowsItsUpstream(boolean single) {
        pipelineOn(Rings.ringBuilder(single, 8));
        EventHandler<long[]> first = handler();
        EventHandler<long[]> behind = handler();
        pipeline.handleEventsWith(first);
        startByHand();
        publishThree();
        refuse(pipeline.join(REFUSED).after(pipeline.consumer(first)), () -> {
            joinByHand(pipeline.join(behind).after(pipeline.consumer(REFUSED)));
            return null;
        });
        exhaust(1);
        assertThat(handled(behind)).as("what the first has not handled").isZero();
        exhaust(0);
        exhaust(1);
        assertThat(handled(behind)).isEqualTo(3);
        assertThat(pipeline.consumers()).hasSize(2);
        ring.close();
    }

    /** As above, on threads that park until they are signalled. */
    @Test
    @Tag("concurrency")
    void whoJoinedBehindOneThatCouldNotStartIsWokenByItsUpstream() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            pipelineOn(Rings.ringBuilder(single, 8).consumersIdle(SignalledIdle::exact));
            EventHandler<long[]> first = handler();
            EventHandler<long[]> behind = handler();
            pipeline.handleEventsWith(first);
            pipeline.start();
            pipeline.consumer(first).pause();
            refuse(
                    pipeline.join(REFUSED).after(pipeline.consumer(first)),
                    () -> pipeline.join(behind)
                            .after(pipeline.consumer(REFUSED))
                            .start(LONG));
            publishThree();
            assertThat(pipeline.awaitHandled(2, 20_000_000)).isFalse();
            assertThat(handled(behind)).as("what the first has not handled").isZero();
            pipeline.consumer(first).resume();
            assertThat(pipeline.awaitHandled(2, LONG)).isTrue();
            assertThat(handled(behind)).isEqualTo(3);
            pipeline.close();
        }
    }

    /** What the refused one follows may change meanwhile, too. */
    @Test
    void whoJoinedBehindOneThatCouldNotStartFollowsWhatThatOneFollowedInTheEnd() {
        pipelineOn(Rings.ringBuilder(true, 8));
        EventHandler<long[]> first = handler();
        EventHandler<long[]> second = handler();
        EventHandler<long[]> behind = handler();
        pipeline.handleEventsWith(first).then(second);
        startByHand();
        refuse(pipeline.join(REFUSED).after(pipeline.consumer(second)), () -> {
            joinByHand(pipeline.join(behind).after(pipeline.consumer(REFUSED)));
            return leaves(second);
        });
        publishThree();
        exhaust(2);
        assertThat(handled(behind)).as("what the first has not handled").isZero();
        exhaust(0);
        exhaust(2);
        assertThat(handled(behind)).isEqualTo(3);
        ring.close();
    }

    /** One that stood before a leaver follows in its place what the leaver followed by its own wish. */
    @Test
    void whoTookTheRefusedOneOverFromALeaverFollowsItsUpstream() {
        pipelineOn(Rings.ringBuilder(true, 8));
        EventHandler<long[]> first = handler();
        EventHandler<long[]> last = handler();
        EventHandler<long[]> between = handler();
        pipeline.handleEventsWith(first, last);
        startByHand();
        refuse(pipeline.join(REFUSED).after(pipeline.consumer(first)).before(pipeline.consumer(last)), () -> {
            joinByHand(pipeline.join(between).after(pipeline.consumer(REFUSED)).before(pipeline.consumer(last)));
            return leaves(between);
        });
        publishThree();
        exhaust(1);
        assertThat(handled(last)).as("what the first has not handled").isZero();
        exhaust(0);
        exhaust(1);
        assertThat(handled(last)).isEqualTo(3);
        ring.close();
    }

    /** The leaver followed it for no reason of its own, so neither does who stands in its place. */
    @Test
    void whoTookTheRefusedOneOverFromOneBeforeWhichItHadJoinedDoesNotFollowItsUpstream() {
        pipelineOn(Rings.ringBuilder(true, 8));
        EventHandler<long[]> first = handler();
        EventHandler<long[]> before = handler();
        EventHandler<long[]> last = handler();
        pipeline.handleEventsWith(first);
        pipeline.handleEventsWith(before).then(last);
        startByHand();
        refuse(
                pipeline.join(REFUSED).after(pipeline.consumer(first)).before(pipeline.consumer(before)),
                () -> leaves(before));
        publishThree();
        exhaust(2);
        assertThat(handled(last)).isEqualTo(3);
        assertThat(handled(first)).isZero();
        ring.close();
    }

    /** A worker that comes meanwhile follows the refused one for no better reason than its colleague does. */
    @Test
    void aWorkerWhoseColleagueWasToFollowOneThatCouldNotStartDoesNotFollowItsUpstream() {
        pipelineOn(Rings.ringBuilder(false, 8));
        EventHandler<long[]> first = handler();
        EventHandler<long[]> worker = handler();
        EventHandler<long[]> colleague = handler();
        pipeline.handleEventsWith(first);
        pipeline.handleEventsWithWorkerPool(worker);
        startByHand();
        refuse(pipeline.join(REFUSED).after(pipeline.consumer(first)).before(pipeline.consumer(worker)), () -> {
            joinByHand(pipeline.join(colleague).sharingWith(pipeline.consumer(worker)));
            return null;
        });
        publishThree();
        exhaust(2);
        assertThat(handled(colleague)).isEqualTo(3);
        assertThat(handled(first)).isZero();
        ring.close();
    }
}
