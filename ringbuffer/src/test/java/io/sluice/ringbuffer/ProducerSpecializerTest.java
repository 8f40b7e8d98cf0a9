package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Producers know the class of their events, whatever it is, where all have the same; and work as well where they do not. */
class ProducerSpecializerTest {
    private static final boolean COPIES = !"false".equals(System.getProperty(HiddenClassSpecializer.PROPERTY));

    /** The kinds of rings, small and large. */
    private enum Kind {
        SMALL(true, 8),
        LARGE(true, CachedCursorProducer.FEWEST_SLOTS),
        MULTI(false, 8);

        private final boolean single;
        private final int capacity;

        Kind(boolean single, int capacity) {
            this.single = single;
            this.capacity = capacity;
        }

        <E> ObjectRing<E> ring(EventFactory<E> events) {
            RingBufferBuilder<E> builder = RingBufferBuilder.of(events).capacity(capacity);
            return (ObjectRing<E>) (single ? builder.singleProducer() : builder.multiProducer()).build();
        }
    }

    private static class Order {
        long price;
    }

    private static final class LimitOrder extends Order {}

    /** What is published comes out, by each way of getting at a slot. */
    private static <E> void checkWorks(ObjectRing<E> ring) throws Exception {
        EventPoller<E> poller = Pipeline.on(ring).poller("poller");
        Producer<E> producer = ring.producer();
        List<E> published = new ArrayList<>();
        for (int i = 0; i < 8; i += 2) {
            long sequence = producer.next(1);
            published.add(producer.get(sequence));
            producer.publish(sequence, sequence);
            producer.publishEvent((event, number) -> published.add(event));
        }
        List<E> handled = new ArrayList<>();
        poller.poll((event, sequence, endOfBatch) -> handled.add(event), 8);
        assertThat(handled).hasSize(8).containsExactlyElementsOf(published);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void eventsOfOneClassLieInAnArrayOfIt(Kind kind) throws Exception {
        ObjectRing<Order> ring = kind.ring(Order::new);
        assertThat(ring.slots).isInstanceOf(Order[].class);
        checkWorks(ring);
        ObjectRing<Order> others = kind.ring(LimitOrder::new);
        assertThat(others.slots).isInstanceOf(LimitOrder[].class);
        checkWorks(others);
        Class<?> first = kind.ring(Order::new).producer().getClass();
        assertThat(first.isHidden()).isEqualTo(COPIES);
        assertThat(kind.ring(Order::new).producer().getClass()).isSameAs(first);
        assertThat(kind.ring(LimitOrder::new).producer().getClass() == first).isEqualTo(!COPIES);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void eventsOfSeveralClassesLieInAnArrayOfObjects(Kind kind) throws Exception {
        AtomicInteger made = new AtomicInteger();
        ObjectRing<Order> ring = kind.ring(() -> made.getAndIncrement() == 5 ? new LimitOrder() : new Order());
        assertThat(ring.slots.getClass()).isSameAs(Object[].class);
        checkWorks(ring);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void eventsMayBeOfAnyKindOfClass(Kind kind) throws Exception {
        ObjectRing<long[]> arrays = kind.ring(() -> new long[1]);
        assertThat(arrays.slots).isInstanceOf(long[][].class);
        checkWorks(arrays);
        assertThat(kind.ring(() -> new long[1]).producer().getClass().isHidden())
                .as("a class kept for ever by one of the JDK's")
                .isFalse();
        int[] captured = {0};
        ObjectRing<Runnable> lambdas = kind.ring(() -> () -> captured[0]++);
        assertThat(lambdas.slots).isInstanceOf(Runnable[].class);
        checkWorks(lambdas);
        checkWorks(kind.ring(Object::new));
        checkWorks(kind.ring(StringBuilder::new));
    }

    /** Where an abort on the owner's behalf puts a fresh event, it may be of any class. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void whereEventsAreReplacedTheSlotsTakeAny(boolean single) {
        RingBufferBuilder<Order> builder =
                RingBufferBuilder.of(Order::new).capacity(8).trackClaims();
        ObjectRing<Order> ring =
                (ObjectRing<Order>) (single ? builder.singleProducer() : builder.multiProducer()).build();
        assertThat(ring.slots.getClass()).isSameAs(Object[].class);
    }

    /** Beyond the cap the template does the work. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aTemplateWorksItself(Kind kind) throws Exception {
        ObjectRing<Order> ring = kind.ring(Order::new);
        AbstractProducer<Order> producer = kind == Kind.MULTI
                ? new PlainMultiProducer<>(
                        ring, ((MultiProducerRing<Order>) ring).claims, ((MultiProducerRing<Order>) ring).stamps)
                : kind == Kind.LARGE
                        ? new CachedCursorProducer<>(ring, ((SingleProducerRing<Order>) ring).cursor)
                        : new CursorReadingProducer<>(ring, ((SingleProducerRing<Order>) ring).cursor);
        EventPoller<Order> poller = Pipeline.on(ring).poller("poller");
        long sequence = producer.next(1);
        producer.get(sequence).price = 7;
        producer.publish(sequence, sequence);
        assertThat(poller.poll(
                        (event, number, endOfBatch) -> assertThat(event.price).isEqualTo(7), 1))
                .isEqualTo(1);
    }
}
