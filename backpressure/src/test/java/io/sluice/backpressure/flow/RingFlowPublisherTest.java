package io.sluice.backpressure.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;

class RingFlowPublisherTest {
    private static final int CAPACITY = 8;

    private final RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
            .capacity(CAPACITY)
            .singleProducer()
            .build();
    private final EventPoller<long[]> poller = Pipeline.on(ring).poller("flow");
    private final Producer<long[]> producer = ring.producer();
    private final RingFlowPublisher<long[], Long> publisher = new RingFlowPublisher<>(ring, poller, event -> event[0]);
    private final Log log = new Log();

    private static final class Log implements Flow.Subscriber<Long> {
        final List<String> heard = new ArrayList<>();
        Flow.Subscription subscription = null;
        RuntimeException next;

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
        }

        @Override
        public void onNext(Long item) {
            heard.add(item.toString());
            if (next != null) {
                throw next;
            }
        }

        @Override
        public void onError(Throwable throwable) {
            heard.add(throwable.getMessage());
        }

        @Override
        public void onComplete() {
            heard.add("complete");
        }
    }

    private void publish(int from, int to) {
        for (int i = from; i <= to; i++) {
            assertThat(producer.tryPublishEvent((event, sequence, value) -> event[0] = value, (long) i))
                    .isNotNegative();
        }
    }

    @Test
    void nothingIsTakenThatWasNotAskedForAndTheRingFillsUp() {
        publish(1, CAPACITY);
        assertThat(publisher.doWork()).isZero();
        publisher.subscribe(log);
        assertThat(publisher.doWork()).isZero();
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL); // back pressure
        log.subscription.request(3);
        assertThat(publisher.doWork()).isEqualTo(3);
        assertThat(log.heard).containsExactly("1", "2", "3");
        publish(9, 11);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
        log.subscription.request(Long.MAX_VALUE);
        log.subscription.request(Long.MAX_VALUE); // the sum does not wrap
        while (publisher.doWork() > 0) {
            assertThat(log.heard).doesNotContain("complete");
        }
        assertThat(log.heard).hasSize(11);
        assertThat(publisher.isDone()).isFalse();
    }

    @Test
    void aDrainedRingCompletesTheStreamWithoutDemand() {
        publish(1, 2);
        producer.close();
        publisher.subscribe(log);
        log.subscription.request(2);
        ring.drain(0);
        assertThat(publisher.doWork()).isEqualTo(2);
        assertThat(publisher.doWork()).isEqualTo(1);
        assertThat(log.heard).containsExactly("1", "2", "complete");
        assertThat(publisher.isDone()).isTrue();
        assertThat(publisher.doWork()).isZero();
    }

    /** As behind a translator that threw: what was aborted is no event, so nobody asks for it, and nothing is lost with it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimThatWasAbortedBehindTheLastEventKeepsNoStreamFromItsEnd(boolean closed) {
        publish(1, 2);
        long aborted = producer.next(1);
        producer.abort(aborted, aborted);
        producer.close();
        publisher.subscribe(log);
        log.subscription.request(2);
        assertThat(publisher.doWork()).isEqualTo(2);
        assertThat(ring.drain(0).isNone()).isTrue();
        if (closed) {
            ring.close();
        }
        assertThat(publisher.doWork()).isEqualTo(1);
        assertThat(log.heard).containsExactly("1", "2", "complete");
    }

    /** The same of a message that was given up; and a message is one event, however many sequences it takes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStreamOfMessagesEndsByTheMessagesThatAreLeft(boolean left) {
        RingBuffer<Messages> messages = RingBufferBuilder.messages(256).build();
        RingFlowPublisher<Messages, Long> stream =
                new RingFlowPublisher<>(messages, Pipeline.on(messages).poller("flow"), (event, sequence) -> 7L);
        SafeBuffer sixteen = SafeBuffer.allocate(16);
        try (MessageProducer own = MessageProducer.of(messages)) {
            own.offer(1, sixteen, 0, 16);
            if (left) {
                own.offer(1, sixteen, 0, 16);
            }
            own.abort(own.tryClaim(1, 24));
        }
        stream.subscribe(log);
        log.subscription.request(1);
        assertThat(stream.doWork()).isPositive();
        messages.drain(0);
        messages.close();
        assertThat(stream.doWork()).isEqualTo(1);
        assertThat(log.heard)
                .containsExactly(
                        "7", left ? "ring " + messages.name() + " was closed with 1 events unhandled" : "complete");
    }

    @Test
    void theSlotsOfARingOfBytesAreCopiedByTheirSequences() {
        RingBuffer<ByteSlots> bytes =
                RingBufferBuilder.bytes(8).capacity(8).singleProducer().build();
        RingFlowPublisher<ByteSlots, Long> stream = new RingFlowPublisher<>(
                bytes,
                Pipeline.on(bytes).poller("flow"),
                (slots, sequence) -> slots.buffer().getLong(slots.offset(sequence)));
        stream.subscribe(log);
        log.subscription.request(Long.MAX_VALUE);
        try (Producer<ByteSlots> own = bytes.producer()) {
            for (long i = 0; i < 20; i++) {
                own.publishEvent((slots, sequence, value) -> slots.buffer().putLong(slots.offset(sequence), value), i);
                assertThat(stream.doWork()).isEqualTo(1);
            }
        }
        assertThat(log.heard)
                .containsExactlyElementsOf(
                        LongStream.range(0, 20).mapToObj(Long::toString).toList());
    }

    /** The subscriber asks for messages; the answer of a call counts their sequences. */
    @Test
    void theMessagesOfARingAreCopiedByTheirSequences() {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(1 << 12).singleProducer().build();
        RingFlowPublisher<Messages, Long> stream = new RingFlowPublisher<>(
                ring,
                Pipeline.on(ring).poller("flow"),
                (messages, sequence) ->
                        messages.buffer().getLong(messages.offset(sequence)) + messages.length(sequence));
        stream.subscribe(log);
        SafeBuffer payload = SafeBuffer.allocate(64);
        try (MessageProducer own = MessageProducer.of(ring)) {
            for (int i = 1; i <= 4; i++) {
                payload.putLong(0, 1_000L * i);
                own.offer(1, payload, 0, 8 * i);
            }
        }
        log.subscription.request(1);
        assertThat(stream.doWork()).isEqualTo(2);
        assertThat(log.heard).containsExactly("1008");
        log.subscription.request(Long.MAX_VALUE);
        while (stream.doWork() > 0) {}
        assertThat(log.heard).containsExactly("1008", "2016", "3024", "4032");
    }

    /** One event stands for all of its sequences there, so that each item would be made of the same bytes. */
    @Test
    void aCopyWithoutTheSequenceIsRefusedOnARingOfBytesOrMessages() {
        RingBuffer<ByteSlots> bytes = RingBufferBuilder.bytes(8).capacity(8).build();
        EventPoller<ByteSlots> slots = Pipeline.on(bytes).poller("slots");
        assertThatThrownBy(() -> new RingFlowPublisher<>(
                        bytes, slots, event -> event.buffer().getLong(event.offset(0))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("copy must take the sequence too on a ring of bytes or of messages, but ring "
                        + bytes.name() + " is one and copy takes the event alone");
        RingBuffer<Messages> messages = RingBufferBuilder.messages(256).build();
        EventPoller<Messages> all = Pipeline.on(messages).poller("all");
        assertThatThrownBy(() -> new RingFlowPublisher<>(messages, all, event -> 7L))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("copy must take the sequence too on a ring of bytes or of messages, but ring "
                        + messages.name());
    }

    @Test
    void aProducerThatMayStillPublishKeepsTheStreamOpen() {
        publisher.subscribe(log);
        long claimed = producer.next(1);
        Thread drainer = new Thread(() -> ring.drain(0));
        drainer.start();
        join(drainer);
        assertThat(publisher.doWork()).isZero();
        producer.get(claimed)[0] = 5;
        producer.publish(claimed, claimed);
        producer.close();
        assertThat(publisher.doWork()).isZero(); // it has not been asked for
        log.subscription.request(1);
        publisher.doWork();
        publisher.doWork();
        assertThat(log.heard).containsExactly("5", "complete");
    }

    /** It has no claim open, but it may have looked at the state of the ring just before the drain. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProducerWithoutAnOpenClaimKeepsTheStreamOpenUntilItIsRefusedOrClosed(boolean refused) throws Exception {
        publisher.subscribe(log);
        log.subscription.request(2);
        ExecutorService publishes = Executors.newSingleThreadExecutor(); // lives on: an ended thread publishes nothing
        try {
            publishes.submit(() -> publish(5, 5)).get();
            ring.drain(0);
            assertThat(publisher.doWork()).isEqualTo(1);
            assertThat(publisher.doWork()).isZero();
            assertThat(log.heard).containsExactly("5");
            if (refused) {
                assertThat(publishes.submit(() -> producer.tryNext(1)).get()).isNegative();
            } else {
                publishes.submit(producer::close).get();
            }
            assertThat(publisher.doWork()).isEqualTo(1);
            assertThat(log.heard).containsExactly("5", "complete");
        } finally {
            publishes.shutdown();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aRingClosedWithEventsUnhandledIsAnError() {
        publish(1, 2);
        publisher.subscribe(log);
        ring.close();
        assertThat(publisher.doWork()).isEqualTo(1);
        assertThat(log.heard).containsExactly("ring " + ring.name() + " was closed with 2 events unhandled");
    }

    /** As from Kotlin, Scala, or a sneaky throw. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X unchecked(Throwable checked) throws X {
        throw (X) checked;
    }

    @Test
    void aCheckedExceptionOfTheSubscriberEndsItToo() {
        List<Long> heard = new ArrayList<>();
        publisher.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(5);
            }

            @Override
            public void onNext(Long item) {
                heard.add(item);
                throw RingFlowPublisherTest.<RuntimeException>unchecked(new IOException("mine"));
            }

            @Override
            public void onError(Throwable throwable) {}

            @Override
            public void onComplete() {}
        });
        publish(7, 7);
        assertThatThrownBy(publisher::doWork)
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("mine");
        publisher.doWork();
        assertThat(heard).as("it is not called again").containsExactly(7L);
    }

    @Test
    void aCheckedExceptionOfTheCopyEndsTheStreamWithIt() {
        RingBuffer<long[]> own =
                RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY).build();
        EventPoller<long[]> ownPoller = Pipeline.on(own).poller("own");
        RingFlowPublisher<long[], Long> fails = new RingFlowPublisher<>(own, ownPoller, event -> {
            throw RingFlowPublisherTest.<RuntimeException>unchecked(new IOException("copy"));
        });
        fails.subscribe(log);
        log.subscription.request(5);
        try (Producer<long[]> ownProducer = own.producer()) {
            ownProducer.tryPublishEvent((event, sequence, value) -> event[0] = value, 7L);
        }
        fails.doWork();
        assertThat(fails.isDone()).isTrue();
        assertThat(log.heard).singleElement().isEqualTo("copy");
    }

    @Test
    void aPollerOfAnotherRingIsRefused() {
        RingBuffer<long[]> other =
                RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY).build();
        EventPoller<long[]> foreign = Pipeline.on(other).poller("foreign");
        assertThatThrownBy(() -> new RingFlowPublisher<>(ring, foreign, event -> event[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("poller must be one of ring ")
                .hasMessageEndingWith(", but foreign is of another ring");
    }

    @ParameterizedTest
    @ValueSource(strings = {"runs", "is drained", "is closed"})
    void aPollerThatWasRemovedIsAnErrorAndNotSilence(String ring) {
        publish(1, 2);
        publisher.subscribe(log);
        log.subscription.request(10);
        assertThat(publisher.doWork()).isEqualTo(2);
        assertThat(poller.consumer().remove(0)).isEqualTo(Removal.LEFT);
        publish(3, 4);
        if (ring.equals("is drained")) {
            producer.close();
            this.ring.drain(0);
        } else if (ring.equals("is closed")) {
            this.ring.close();
        }
        assertThat(publisher.doWork()).isEqualTo(1);
        assertThat(log.heard).containsExactly("1", "2", "poller flow must stay in its pipeline, but was removed");
        assertThat(publisher.isDone()).isTrue();
        assertThat(publisher.doWork()).isZero();
    }

    @Test
    void askingForLessThanOneIsAnError() {
        publish(1, 2);
        publisher.subscribe(log);
        log.subscription.request(0);
        assertThat(publisher.doWork()).isEqualTo(1);
        assertThat(log.heard).containsExactly("n of request(n) must be 1 or more (rule 3.9), but was 0 or less");
    }

    @Test
    void aCancelledSubscriberHoldsUpNobody() {
        publish(1, 4);
        publisher.subscribe(log);
        log.subscription.request(1);
        publisher.doWork();
        log.subscription.cancel();
        assertThat(publisher.doWork()).isEqualTo(3);
        publish(5, 12);
        assertThat(publisher.doWork()).isEqualTo(8);
        assertThat(log.heard).containsExactly("1");
        assertThat(publisher.isDone()).isFalse();
    }

    @Test
    void aSecondSubscriberIsRefused() {
        publisher.subscribe(new Log());
        publisher.subscribe(log);
        assertThat(log.heard)
                .containsExactly("subscribe() must be called once, but this publisher has had its subscriber");
        log.subscription.request(1);
        log.subscription.cancel();
    }

    @Test
    void aSubscriberThatThrowsIsLeftAloneAndReported() {
        publish(1, 3);
        log.next = new IllegalStateException("mine");
        publisher.subscribe(log);
        log.subscription.request(3);
        assertThatThrownBy(publisher::doWork).hasMessageContaining("onNext").hasCause(log.next);
        publish(4, 6);
        publisher.doWork();
        assertThat(log.heard).containsExactly("1");
    }

    @Test
    void aCopyThatThrowsOrGivesNothingIsAnError() {
        RingBuffer<long[]> own =
                RingBufferBuilder.of(() -> new long[1]).capacity(8).build();
        EventPoller<long[]> ownPoller = Pipeline.on(own).poller("flow");
        RingFlowPublisher<long[], Long> nulls = new RingFlowPublisher<>(own, ownPoller, event -> null);
        try (Producer<long[]> one = own.producer()) {
            one.publishEvent((event, sequence) -> event[0] = 1);
        }
        nulls.subscribe(log);
        log.subscription.request(5);
        assertThat(nulls.doWork()).isEqualTo(2);
        assertThat(log.heard).containsExactly("the item that copy returns must not be null");
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> publisher.subscribe(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new RingFlowPublisher<>(null, poller, event -> event))
                .isInstanceOf(NullPointerException.class);
        assertThat(publisher.roleName()).isEqualTo("ring-flow-publisher");
    }

    // ---- the TCK

    @TestFactory
    @Tag("concurrency")
    @Timeout(120)
    Stream<DynamicTest> passesTheReactiveStreamsTck() {
        return Tck.tests(
                Verification::new,
                Verification::stop,
                Set.of(
                        // one subscriber for each publisher, which the specification allows
                        "optional_spec111_maySupportMultiSubscribe",
                        "optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals",
                        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront",
                        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected",
                        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne"));
    }

    /** A ring, fed and served by one thread, as an agent would be. */
    public static final class Verification extends FlowPublisherVerification<Long> {
        private final AtomicBoolean running = new AtomicBoolean(true);
        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        Verification() {
            super(new TestEnvironment(1_000, 50));
        }

        @Override
        public Flow.Publisher<Long> createFlowPublisher(long elements) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(16)
                    .singleProducer()
                    .build();
            RingFlowPublisher<long[], Long> publisher =
                    new RingFlowPublisher<>(ring, Pipeline.on(ring).poller("tck"), event -> event[0]);
            Thread thread = new Thread(() -> serve(ring, publisher, elements), "tck");
            threads.add(thread);
            thread.start();
            return publisher;
        }

        private void serve(RingBuffer<long[]> ring, RingFlowPublisher<long[], Long> publisher, long elements) {
            Producer<long[]> producer = ring.producer();
            long sent = 0;
            while (running.get()) {
                if (sent < elements) {
                    sent += producer.tryPublishEvent((event, sequence, value) -> event[0] = value, sent) >= 0 ? 1 : 0;
                } else if (sent == elements) {
                    producer.close();
                    ring.drain(0);
                    sent++;
                }
                publisher.doWork();
                LockSupport.parkNanos(20_000);
            }
        }

        @Override
        public Flow.Publisher<Long> createFailedFlowPublisher() {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1]).build();
            RingFlowPublisher<long[], Long> taken =
                    new RingFlowPublisher<>(ring, Pipeline.on(ring).poller("taken"), event -> event[0]);
            taken.subscribe(new Log());
            return taken;
        }

        void stop() {
            running.set(false);
            threads.forEach(RingFlowPublisherTest::join);
        }
    }
}
