package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clearing consumer: behind all leaves, whoever joins and leaves, and nothing is kept alive. */
@Timeout(60)
class ClearingTest {
    private static final class Box {
        Object payload;
    }

    private static RingBuffer<Box> ring(boolean single, int capacity, int retained) {
        RingBufferBuilder<Box> builder =
                RingBufferBuilder.of(Box::new).capacity(capacity).retain(retained);
        return (single ? builder.singleProducer() : builder).build();
    }

    private static void publish(Producer<Box> producer, Object payload) {
        assertThat(producer.tryPublishEvent((event, sequence, a) -> event.payload = a, payload))
                .isNotNegative();
    }

    private static int payloads(RingBuffer<Box> ring) {
        int count = 0;
        for (long i = 0; i < ring.capacity(); i++) {
            count += ring.get(i).payload == null ? 0 : 1;
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPayloadIsUnreachableAfterItsLastConsumer(boolean single) {
        RingBuffer<Box> ring = ring(single, 8, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        List<Boolean> seen = new ArrayList<>();
        pipeline.clearEventsWith(event -> event.payload = null);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> seen.add(event.payload != null))
                .then((event, sequence, endOfBatch) -> seen.add(event.payload != null));
        List<EventProcessor> processors = pipeline.startProcessors();
        assertThat(processors)
                .extracting(EventProcessor::roleName)
                .containsExactly("clear", "consumer-2", "consumer-3");
        Producer<Box> producer = ring.producer();
        Object payload = new byte[1 << 20];
        WeakReference<Object> published = new WeakReference<>(payload);
        publish(producer, payload);
        Object half = new byte[1 << 20];
        WeakReference<Object> aborted = new WeakReference<>(half);
        ring.get(producer.next(1)).payload = half;
        producer.abort(1, 1);
        payload = null;
        half = null;
        Rings.exhaust(processors.get(1));
        Rings.exhaust(processors.get(0));
        System.gc();
        assertThat(published.get()).as("before its last consumer").isNotNull();
        Rings.exhaust(processors.get(2));
        Rings.exhaust(processors.get(0));
        assertThat(seen).containsExactly(true, true);
        Rings.await("the payloads to be unreachable", () -> {
            System.gc();
            return published.get() == null && aborted.get() == null;
        });
        assertThat(payloads(ring)).isZero();
    }

    @Test
    void producersWaitForTheClearingConsumer() throws Exception {
        RingBuffer<Box> ring = ring(true, 2, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        EventPoller<Box> poller = pipeline.poller("books");
        pipeline.clearEventsWith(pipeline.clearer("empty", event -> event.payload = null));
        EventProcessor clear = pipeline.startProcessors().get(0);
        assertThat(clear.roleName()).isEqualTo("empty");
        Producer<Box> producer = ring.producer();
        publish(producer, "a");
        publish(producer, "b");
        poller.poll((event, sequence, endOfBatch) -> {}, 10);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
        assertThat(ring.leftover().unhandled()).isEqualTo(2);
        Rings.exhaust(clear);
        assertThat(ring.leftover().unhandled()).isZero();
        assertThat(producer.tryNext(1)).isEqualTo(2);
        assertThat(producer.get(2).payload).isNull();
    }

    @Test
    void itFollowsWhoJoinsAndWhoIsLeft() throws Exception {
        RingBuffer<Box> ring = ring(false, 8, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        EventPoller<Box> first = pipeline.poller("first");
        pipeline.clearEventsWith(event -> event.payload = null);
        EventProcessor clear = pipeline.startProcessors().get(0);
        Producer<Box> producer = ring.producer();
        publish(producer, "a");
        EventHandler<Box> whole =
                (event, sequence, endOfBatch) -> assertThat(event.payload).isNotNull();
        first.poll(whole::onEvent, 10);
        clear.doWork();
        assertThat(payloads(ring)).isZero();
        EventPoller<Box> second = pipeline.joinPoller("second").poller(Rings.LONG);
        EventPoller<Box> third =
                pipeline.joinPoller("third").after(second.consumer()).poller(Rings.LONG);
        assertThat(second.poll(whole::onEvent, 1) + third.poll(whole::onEvent, 1))
                .isZero(); // so that they can be held
        EventPoller<Box> inner =
                pipeline.joinPoller("inner").before(third.consumer()).poller(Rings.LONG);
        publish(producer, "b");
        for (EventPoller<Box> poller : List.of(first, second, inner)) {
            assertThat(poller.poll(whole::onEvent, 10)).isEqualTo(1);
            clear.doWork();
            assertThat(payloads(ring)).isEqualTo(1);
        }
        third.poll(whole::onEvent, 10);
        clear.doWork();
        assertThat(payloads(ring)).isZero();
        publish(producer, "c");
        assertThat(third.consumer().remove(0)).isEqualTo(Removal.LEFT);
        assertThat(third.poll(whole::onEvent, 10)).isZero();
        assertThat(third.isDone()).isTrue();
        for (EventPoller<Box> poller : List.of(first, inner, second)) {
            clear.doWork();
            assertThat(payloads(ring)).isEqualTo(1);
            assertThat(poller.poll(whole::onEvent, 10)).isEqualTo(1);
        }
        clear.doWork();
        assertThat(payloads(ring)).isZero();
        // nobody is left but the clearing one: it follows the publications, and somebody may still join
        for (EventPoller<Box> poller : List.of(first, inner, second)) {
            poller.consumer().remove(0);
            poller.poll(whole::onEvent, 10);
        }
        publish(producer, "d");
        clear.doWork();
        assertThat(payloads(ring)).isZero();
        EventPoller<Box> late = pipeline.joinPoller("late").poller(Rings.LONG);
        publish(producer, "e");
        clear.doWork();
        assertThat(late.poll(whole::onEvent, 10)).isEqualTo(1);
        clear.doWork();
        assertThat(payloads(ring)).isZero();
        assertThat(late.consumer().joinedFrom()).isEqualTo(4);
        // and once it has left itself, the leaves gate again, and nothing is cleared
        ConsumerHandle clearing = pipeline.consumers().stream()
                .filter(one -> one.name().equals("clear"))
                .findFirst()
                .orElseThrow();
        assertThat(clearing.remove(0)).isEqualTo(Removal.LEFT);
        publish(producer, "f");
        assertThat(late.poll(whole::onEvent, 10)).isEqualTo(1);
        assertThat(payloads(ring)).isEqualTo(1);
        assertThat(pipeline.joinPoller("again").poller(Rings.LONG).consumer().joinedFrom())
                .isEqualTo(6);
    }

    @Test
    void whatIsRetainedIsWholeForThoseWhoJoinAndIsClearedLater() throws Exception {
        RingBuffer<Box> ring = ring(true, 8, 3);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        EventPoller<Box> first = pipeline.poller("first");
        pipeline.clearEventsWith(event -> event.payload = null);
        EventProcessor clear = pipeline.startProcessors().get(0);
        Producer<Box> producer = ring.producer();
        List<Object> joined = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            publish(producer, i);
            first.poll(
                    (event, sequence, endOfBatch) -> assertThat(event.payload).isNotNull(), 10);
            clear.doWork();
            assertThat(payloads(ring)).isEqualTo(Math.min(i + 1, 3));
        }
        assertThatThrownBy(() -> pipeline.joinPoller("late").from(36).poller(Rings.LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "join point must be from 37 to 40 (what the ring still holds, and the next event), but was 36");
        EventPoller<Box> late = pipeline.joinPoller("late").from(37).poller(Rings.LONG);
        for (int i = 40; i < 42; i++) {
            publish(producer, i);
            first.poll((event, sequence, endOfBatch) -> {}, 10);
            clear.doWork();
        }
        while (late.poll((event, sequence, endOfBatch) -> joined.add(event.payload), 2) > 0) {
            clear.doWork();
        }
        assertThat(joined).containsExactly(37, 38, 39, 40, 41);
        Rings.exhaust(clear);
        assertThat(payloads(ring)).isEqualTo(3);
    }

    @Test
    void itsFailuresGoToThePolicy() {
        RingBuffer<Box> ring = ring(true, 4, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        pipeline.clearEventsWith(event -> {
                    Object payload = event.payload;
                    event.payload = null;
                    if ("bad".equals(payload)) {
                        throw new IllegalStateException("planned");
                    }
                })
                .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.SKIP);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<Box> producer = ring.producer();
        publish(producer, "good");
        publish(producer, "bad");
        publish(producer, "good");
        processors.forEach(Rings::exhaust);
        processors.forEach(Rings::exhaust);
        assertThat(payloads(ring)).isZero();
        assertThat(processors.get(1).sequence().get()).isEqualTo(2);
    }

    @Test
    void aClearerThatIsToRewindTriesItsEventAgain() {
        RingBuffer<Box> ring = ring(true, 16, 0); // a batch spans 4
        Pipeline<Box> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        AtomicInteger calls = new AtomicInteger();
        pipeline.clearEventsWith(pipeline.clearer("clear", (Box event) -> {
                    if (calls.incrementAndGet() == 2) {
                        throw new IllegalStateException("planned");
                    }
                    event.payload = null;
                })
                .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.REWIND_BATCH));
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<Box> producer = ring.producer();
        for (int i = 0; i < 3; i++) {
            publish(producer, i);
        }
        processors.forEach(Rings::exhaust);
        assertThat(ring.failure()).isNull();
        assertThat(payloads(ring)).isZero();
        assertThat(calls).as("three events, one of them twice").hasValue(4);
    }

    /** While events go round, a consumer joins and leaves: none sees an empty event, and no claimed slot is full. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void nobodySeesAnEmptyEventAndNoClaimAFullOne(boolean single) throws Exception {
        RingBufferBuilder<Box> builder = RingBufferBuilder.of(Box::new)
                .capacity(8)
                .producersIdle(YieldingIdleStrategy::new)
                .consumersIdle(YieldingIdleStrategy::new);
        RingBuffer<Box> ring = (single ? builder.singleProducer() : builder).build();
        AtomicReference<String> wrong = new AtomicReference<>();
        Pipeline<Box> pipeline = Pipeline.on(ring);
        pipeline.clearEventsWith(event -> event.payload = null);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            if (event.payload == null) {
                wrong.set("empty at " + sequence);
            }
        });
        pipeline.start();
        Rings.Caller publisher = new Rings.Caller(() -> {
            Producer<Box> producer = ring.producer();
            for (int i = 0; i < 20_000; i++) {
                producer.publishEvent(
                        (event, sequence, value) -> {
                            if (event.payload != null) {
                                wrong.set("full at " + sequence);
                            }
                            event.payload = this;
                        },
                        i);
            }
            producer.close();
        });
        for (int i = 0; i < 30; i++) {
            ConsumerHandle joined = pipeline.join(pipeline.consumer("joined " + i, (event, sequence, endOfBatch) -> {
                        if (event.payload == null) {
                            wrong.set("empty at " + sequence + " for one that joined");
                        }
                    }))
                    .start(Rings.LONG);
            assertThat(joined.remove(Rings.LONG)).isEqualTo(Removal.LEFT);
        }
        assertThat(publisher.result()).isNull();
        assertThat(pipeline.drain(TimeUnit.SECONDS.toNanos(20)).isNone()).isTrue();
        pipeline.close();
        assertThat(wrong.get()).isNull();
        assertThat(payloads(ring)).isZero();
    }

    @Test
    void badInputIsRefused() {
        RingBuffer<Box> ring = ring(true, 4, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        assertThatThrownBy(() -> pipeline.clearEventsWith((EventClearer<Box>) null))
                .isInstanceOf(NullPointerException.class);
        Both both = new Both();
        pipeline.handleEventsWith(both);
        assertThatThrownBy(() -> pipeline.clearEventsWith(both))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("Both is in the pipeline already");
        assertThat(pipeline.consumers()).hasSize(1);
    }

    /** It follows all others, so each would wait for the other: nothing were handled, and publishers waited for ever. */
    @Test
    void nobodyIsDeclaredBehindTheClearingConsumer() {
        RingBuffer<Box> ring = ring(true, 4, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        NewConsumer<Box> clear = pipeline.clearer("clear", event -> event.payload = null);
        pipeline.clearEventsWith(clear);
        EventHandler<Box> handler = (event, sequence, endOfBatch) -> {};
        Stage<Box> behind = pipeline.after(clear.handle());
        String refusal =
                "consumers must be declared behind consumers that handle events, but clear clears events, behind all others";
        assertThatThrownBy(() -> behind.then(handler))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(refusal);
        assertThatThrownBy(() -> behind.thenPoller("books"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(refusal);
        assertThat(pipeline.consumers()).hasSize(1);
        pipeline.handleEventsWith(handler);
        List<EventProcessor> processors = pipeline.startProcessors();
        publish(ring.producer(), "a");
        Rings.exhaust(processors.get(1));
        Rings.exhaust(processors.get(0));
        assertThat(ring.leftover().unhandled()).isZero();
        assertThat(payloads(ring)).isZero();
    }

    /** An object that could be either. */
    private static final class Both implements EventHandler<Box>, EventClearer<Box> {
        @Override
        public void onEvent(Box event, long sequence, boolean endOfBatch) {}

        @Override
        public void clear(Box event) {}
    }

    @Test
    void aSecondClearerAndFollowingOneAreRefused() {
        RingBuffer<Box> ring = ring(true, 4, 0);
        Pipeline<Box> pipeline = Pipeline.on(ring);
        pipeline.clearEventsWith(event -> {});
        assertThatThrownBy(() -> pipeline.clearEventsWith(event -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("clearEventsWith must be called once");
        assertThatThrownBy(pipeline::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no consumers");
        pipeline.poller("books");
        pipeline.start();
        ConsumerHandle clear = pipeline.consumers().get(0);
        assertThatThrownBy(() -> pipeline.joinPoller("late").after(clear).poller(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must make no cycle");
        pipeline.close();
    }
}
