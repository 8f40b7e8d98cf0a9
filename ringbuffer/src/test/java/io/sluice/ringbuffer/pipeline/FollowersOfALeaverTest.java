package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A consumer joins before another, which then leaves. Whoever followed the leaver follows the one that joined before it, and so does
 * one that joins behind that one later.
 */
@Timeout(60)
class FollowersOfALeaverTest {
    private static final int CAPACITY = 8;
    private static final int ROUNDS = 5;

    private final EventHandler<long[]> leaver = handler();
    private final EventHandler<long[]> follower = handler();
    private final EventHandler<long[]> later = handler();
    private Pipeline<long[]> pipeline;

    private static EventHandler<long[]> handler() {
        return new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}
        };
    }

    /** The leaver is there from the start, or has joined before its follower, which then followed it for no reason of its own. */
    private void declare(boolean leaverJoins) {
        if (leaverJoins) {
            pipeline.handleEventsWith(follower);
        } else {
            pipeline.handleEventsWith(leaver).then(follower);
        }
    }

    private ConsumerHandle consumer(EventHandler<long[]> handler) {
        return pipeline.consumer(handler);
    }

    private long handled(EventHandler<long[]> handler) {
        return consumer(handler).sequence().get() + 1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoFollowedALeaverFollowsTheOneThatHadJoinedBeforeIt(boolean leaverJoins) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, CAPACITY).build();
        pipeline = Pipeline.on(ring);
        declare(leaverJoins);
        List<EventProcessor> run = new ArrayList<>(pipeline.startProcessors());
        run.forEach(EventProcessor::doWork);
        if (leaverJoins) {
            run.add(pipeline.join(leaver).before(consumer(follower)).processor(LONG));
            run.forEach(EventProcessor::doWork);
        }
        EventHandler<long[]> first = handler();
        EventProcessor runsFirst = pipeline.join(first).before(consumer(leaver)).processor(LONG);
        runsFirst.doWork();
        assertThat(consumer(leaver).remove(LONG)).isEqualTo(Removal.LEFT);
        run.add(pipeline.join(later).after(consumer(first)).processor(LONG));
        Producer<long[]> producer = ring.producer();
        for (int round = 1; round <= ROUNDS; round++) {
            long before = handled(first);
            Rings.publish(producer, CAPACITY);
            run.forEach(Rings::exhaust);
            assertThat(List.of(handled(follower), handled(later)))
                    .as("what the first has not handled")
                    .containsOnly(before);
            Rings.exhaust(runsFirst);
            run.forEach(Rings::exhaust);
            assertThat(List.of(handled(follower), handled(later))).containsOnly((long) round * CAPACITY);
        }
        ring.close();
    }

    /** As above, on threads that park until they are signalled. Its progress alone wakes them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void whoFollowedALeaverIsWokenByTheOneThatHadJoinedBeforeIt(boolean leaverJoins) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, CAPACITY)
                .consumersIdle(SignalledIdle::exact)
                .build();
        pipeline = Pipeline.on(ring);
        declare(leaverJoins);
        pipeline.start();
        if (leaverJoins) {
            pipeline.join(leaver).before(consumer(follower)).start(LONG);
        }
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> goOn.await();
        pipeline.join(first).before(consumer(leaver)).start(LONG);
        assertThat(consumer(leaver).remove(LONG)).isEqualTo(Removal.LEFT);
        pipeline.join(later).after(consumer(first)).start(LONG);
        Rings.publish(ring.producer(), 1);
        awaitWaiting(first);
        awaitWaiting(follower);
        awaitWaiting(later);
        assertThat(List.of(handled(follower), handled(later)))
                .as("what the first has not handled")
                .containsOnly(0L);
        goOn.countDown();
        assertThat(pipeline.awaitHandled(0, LONG)).isTrue();
        assertThat(List.of(handled(follower), handled(later))).containsOnly(1L);
        pipeline.close();
    }

    private void awaitWaiting(EventHandler<long[]> handler) {
        Rings.await("a wait", () -> {
            Thread runner = ((ConsumerControl) consumer(handler)).runner();
            return runner != null && runner.getState() == Thread.State.WAITING;
        });
    }
}
