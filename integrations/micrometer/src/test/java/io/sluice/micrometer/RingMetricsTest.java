package io.sluice.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class RingMetricsTest {
    private final RingBuffer<long[]> ring =
            RingBufferBuilder.of(() -> new long[1]).name("orders").capacity(8).build();
    private final EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private Map<String, Double> values() {
        Map<String, Double> values = new TreeMap<>();
        registry.getMeters()
                .forEach(meter -> meter.measure()
                        .forEach(measured -> values.put(
                                meter.getId().getName() + meter.getId().getTags(), measured.getValue())));
        return values;
    }

    @Test
    void everyFigureIsBoundAndFollowsTheRing() throws Exception {
        RingMetrics metrics = RingMetrics.of(ring, Tag.of("host", "a"));
        metrics.bindTo(registry);
        metrics.bindTo(registry);
        assertThat(values()).hasSize(16).containsEntry("sluice.ring.fill[tag(host=a), tag(ring=orders)]", 0.0);
        Producer<long[]> producer = ring.producer();
        while (producer.tryPublishEvent((event, sequence) -> event[0] = sequence) >= 0) {}
        poller.poll((event, sequence, endOfBatch) -> {}, 3);
        String tags = "[tag(host=a), tag(ring=orders)]";
        String own = "[tag(consumer=books), tag(host=a), tag(ring=orders)]";
        assertThat(values())
                .hasSize(16)
                .containsEntry("sluice.ring.capacity" + tags, 8.0)
                .containsEntry("sluice.ring.fill" + tags, 5.0)
                .containsEntry("sluice.ring.published" + tags, 8.0)
                .containsEntry("sluice.ring.handled" + tags, 3.0)
                .containsEntry("sluice.ring.refused" + tags, 1.0)
                .containsEntry("sluice.ring.stalls" + tags, 0.0)
                .containsEntry("sluice.ring.stalled" + tags, 0.0)
                .containsEntry("sluice.ring.dropped" + tags, 0.0)
                .containsEntry("sluice.ring.producers.waiting" + tags, 0.0)
                .containsEntry("sluice.consumer.lag" + own, 5.0)
                .containsEntry("sluice.consumer.handled" + own, 3.0)
                .containsEntry("sluice.consumer.batches" + own, 1.0)
                .containsEntry("sluice.consumer.batch.mean" + own, 3.0)
                .containsEntry("sluice.consumer.parks" + own, 0.0)
                .containsEntry("sluice.consumer.failures" + own, 0.0)
                .containsEntry("sluice.consumer.shed" + own, 0.0);
        assertThat(metrics).as("kept alive, since registries hold it weakly").isNotNull();
    }

    @Test
    void aRingOfMessagesCountsInSequences() {
        RingBuffer<Messages> messages =
                RingBufferBuilder.messages(1_024).name("orders").build();
        Pipeline.on(messages).poller("books");
        RingMetrics ofEvents = RingMetrics.of(ring);
        RingMetrics ofMessages = RingMetrics.of(messages);
        MeterRegistry other = new SimpleMeterRegistry();
        ofEvents.bindTo(registry);
        ofMessages.bindTo(other);
        for (String name :
                List.of("ring.published", "ring.handled", "consumer.lag", "consumer.batch.mean", "consumer.handled")) {
            assertThat(unit(registry, name)).as(name).isEqualTo("events");
            assertThat(unit(other, name)).as(name).isEqualTo("sequences");
        }
        for (String name : List.of("ring.capacity", "ring.fill")) {
            assertThat(unit(registry, name)).as(name).isEqualTo("slots");
            assertThat(unit(other, name)).as(name).isEqualTo("sequences");
        }
        assertThat(unit(other, "consumer.batches")).isEqualTo("batches");
    }

    private static String unit(MeterRegistry of, String name) {
        return of.get("sluice." + name).meter().getId().getBaseUnit();
    }

    /** A registry keeps one meter for a name and tags: a second ring of the same would vanish from it. */
    @Test
    void twoRingsWithoutANameBothHaveTheirMeters() {
        RingBuffer<long[]> small =
                RingBufferBuilder.of(() -> new long[1]).capacity(2).build();
        RingBuffer<long[]> large =
                RingBufferBuilder.of(() -> new long[1]).capacity(4).build();
        RingMetrics first = RingMetrics.of(small);
        RingMetrics second = RingMetrics.of(large);
        first.bindTo(registry);
        second.bindTo(registry);
        assertThat(values().entrySet().stream()
                        .filter(entry -> entry.getKey().startsWith("sluice.ring.capacity"))
                        .map(Map.Entry::getValue))
                .containsExactlyInAnyOrder(2.0, 4.0);
        assertThat(List.of(first, second))
                .as("kept alive, since registries hold them weakly")
                .hasSize(2);
    }

    @Test
    void aSecondRingOfTheSameNameAndTagsIsRefusedInTheSameRegistryOnly() {
        RingBuffer<long[]> other = RingBufferBuilder.of(() -> new long[1])
                .name("orders")
                .capacity(4)
                .build();
        RingMetrics first = RingMetrics.of(ring);
        first.bindTo(registry);
        first.bindTo(registry);
        RingMetrics second = RingMetrics.of(other);
        assertThatThrownBy(() -> second.bindTo(registry))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "tags of ring orders must be its own in the registry, which reads one binder only, but another binder"
                                + " has meters with the tags [tag(ring=orders)]: give the ring a name of its own or a further tag,"
                                + " or remove those meters first");
        assertThat(values()).hasSize(16).containsEntry("sluice.ring.capacity[tag(ring=orders)]", 8.0);
        MeterRegistry elsewhere = new SimpleMeterRegistry();
        second.bindTo(elsewhere);
        RingMetrics tagged = RingMetrics.of(other, Tag.of("host", "b"));
        tagged.bindTo(registry);
        assertThat(values()).containsEntry("sluice.ring.capacity[tag(host=b), tag(ring=orders)]", 4.0);
        registry.getMeters().forEach(registry::remove);
        second.bindTo(registry);
        assertThat(values()).containsEntry("sluice.ring.capacity[tag(ring=orders)]", 4.0);
        assertThatThrownBy(() -> first.bindTo(registry)).isInstanceOf(IllegalStateException.class);
        assertThat(List.of(first, second, tagged)).as("kept alive").hasSize(3);
    }

    /** Meters that a filter denies, or that a composite has nowhere to put, are nobody's. */
    @Test
    void deniedMetersAndCompositesAreNotTakenForAnotherRings() {
        RingBuffer<long[]> other =
                RingBufferBuilder.of(() -> new long[1]).name("orders").build();
        MeterRegistry denying = new SimpleMeterRegistry();
        denying.config().meterFilter(MeterFilter.deny());
        RingMetrics first = RingMetrics.of(ring);
        RingMetrics second = RingMetrics.of(other);
        first.bindTo(denying);
        first.bindTo(denying);
        second.bindTo(denying);
        MeterRegistry composite = new CompositeMeterRegistry();
        first.bindTo(composite);
        first.bindTo(composite);
        assertThatThrownBy(() -> second.bindTo(composite)).isInstanceOf(IllegalStateException.class);
    }

    /** One after another has the same name: the meters follow whoever has it, and no counter falls. */
    @Test
    void aConsumerWithTheNameOfOneThatHasLeftIsSeen() throws Exception {
        RingBuffer<long[]> trades = RingBufferBuilder.of(() -> new long[1])
                .name("trades")
                .capacity(8)
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(trades);
        EventPoller<long[]> consumer = pipeline.poller("books");
        EventPoller<long[]> audit = pipeline.poller("audit");
        pipeline.startProcessors();
        MeterRegistry other = new SimpleMeterRegistry(); // bound once, and read at the end
        RingMetrics metrics = RingMetrics.of(trades);
        metrics.bindTo(other);
        Producer<long[]> producer = trades.producer();
        String books = "[tag(consumer=books), tag(ring=trades)]";
        for (int round = 1; round <= 3; round++) {
            metrics.bindTo(registry);
            for (int i = 0; i < 5; i++) {
                producer.publishEvent((event, sequence) -> event[0] = sequence);
            }
            assertThat(consumer.poll((event, sequence, endOfBatch) -> {}, 3)).isEqualTo(3);
            audit.poll((event, sequence, endOfBatch) -> {}, 8);
            assertThat(values())
                    .as("round " + round)
                    .containsEntry("sluice.consumer.lag" + books, 2.0)
                    .containsEntry("sluice.consumer.batch.mean" + books, 3.0)
                    .containsEntry("sluice.consumer.handled" + books, 3.0 * round)
                    .containsEntry("sluice.consumer.batches" + books, 1.0 * round)
                    .containsEntry("sluice.consumer.handled[tag(consumer=audit), tag(ring=trades)]", 5.0 * round);
            assertThat(consumer.consumer().remove(0)).isEqualTo(Removal.LEFT);
            assertThat(values())
                    .as("nobody has the name")
                    .containsEntry("sluice.consumer.lag" + books, Double.NaN)
                    .containsEntry("sluice.consumer.batch.mean" + books, Double.NaN)
                    .containsEntry("sluice.consumer.handled" + books, 3.0 * round);
            consumer = pipeline.joinPoller("books").poller(Duration.ofSeconds(10));
        }
        assertThat(other.get("sluice.consumer.handled")
                        .tag("consumer", "books")
                        .functionCounter()
                        .count())
                .isEqualTo(9.0);
        assertThat(metrics).as("kept alive, since registries hold it weakly").isNotNull();
    }

    /** A counter that falls is a restart for who reads it: all that was counted before would count again. */
    @Test
    void whatIsHandledDoesNotFallWhenAConsumerJoinsFromRetainedEvents() throws Exception {
        RingBuffer<long[]> retaining = RingBufferBuilder.of(() -> new long[1])
                .name("retaining")
                .capacity(16)
                .retain(8)
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(retaining);
        EventPoller<long[]> first = pipeline.poller("first");
        pipeline.startProcessors();
        RingMetrics metrics = RingMetrics.of(retaining);
        metrics.bindTo(registry);
        Producer<long[]> producer = retaining.producer();
        for (int i = 0; i < 20; i++) {
            producer.publishEvent((event, sequence) -> event[0] = sequence);
            first.poll((event, sequence, endOfBatch) -> {}, 1);
        }
        String tags = "[tag(ring=retaining)]";
        assertThat(values()).containsEntry("sluice.ring.handled" + tags, 20.0);
        EventPoller<long[]> late = pipeline.joinPoller("late").from(14).poller(Duration.ofSeconds(10));
        assertThat(values())
                .containsEntry("sluice.ring.handled" + tags, 20.0)
                .containsEntry("sluice.ring.fill" + tags, 6.0);
        late.poll((event, sequence, endOfBatch) -> {}, 16);
        producer.publishEvent((event, sequence) -> event[0] = sequence);
        first.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(values()).containsEntry("sluice.ring.handled" + tags, 20.0);
        late.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(values()).containsEntry("sluice.ring.handled" + tags, 21.0);
        assertThat(metrics).as("kept alive, since registries hold it weakly").isNotNull();
    }

    @Test
    void whatConsumersShedIsCounted() throws Exception {
        List<String> shed = new ArrayList<>();
        RingBuffer<long[]> small = RingBufferBuilder.of(() -> new long[1])
                .capacity(2)
                .name("small")
                .shedding((consumer, event, sequence) -> shed.add(consumer + " " + sequence))
                .build();
        EventPoller<long[]> slow = Pipeline.on(small).poller("slow");
        RingMetrics metrics = RingMetrics.of(small);
        metrics.bindTo(registry);
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(small.producer(), 0);
        for (int i = 0; i < 3; i++) {
            producer.publishEvent((event, sequence) -> event[0] = sequence); // the third asks for the room of the first
        }
        slow.poll((event, sequence, endOfBatch) -> {}, 2);
        assertThat(shed).containsExactly("slow 0");
        assertThat(values()).containsEntry("sluice.consumer.shed[tag(consumer=slow), tag(ring=small)]", 1.0);
        assertThat(metrics).as("kept alive, since registries hold it weakly").isNotNull();
    }

    /** Who reads all meters reads those of the other rings too. The log is told once, and again once it could be read meanwhile. */
    @Test
    void aRingThatCannotBeReadKeepsNobodyFromReadingTheOthers() {
        boolean[] broken = {false};
        RingBuffer<long[]> trades = RingBufferBuilder.of(() -> new long[1])
                .name("trades")
                .capacity(8)
                .build();
        trades.addGating(() -> {
            if (broken[0]) {
                throw new IllegalStateException("planned");
            }
            return -1;
        });
        Pipeline.on(trades).poller("audit");
        RingMetrics ofTrades = RingMetrics.of(trades);
        RingMetrics ofOrders = RingMetrics.of(ring);
        ofTrades.bindTo(registry);
        ofOrders.bindTo(registry);
        String tags = "[tag(ring=trades)]";
        String own = "[tag(consumer=audit), tag(ring=trades)]";
        for (int round = 1; round <= 2; round++) {
            int published = round;
            broken[0] = false;
            trades.producer().publishEvent((event, sequence) -> event[0] = sequence);
            assertThat(logged(() -> assertThat(values())
                            .containsEntry("sluice.ring.published" + tags, 0.0 + published)
                            .containsEntry("sluice.ring.fill" + tags, 0.0 + published)
                            .containsEntry("sluice.consumer.lag" + own, 0.0 + published)))
                    .isEmpty();
            ring.producer().publishEvent((event, sequence) -> event[0] = sequence);
            broken[0] = true;
            assertThat(logged(() -> assertThat(values())
                            .hasSize(32)
                            .containsEntry("sluice.ring.published[tag(ring=orders)]", 0.0 + published)
                            .containsEntry("sluice.ring.published" + tags, 0.0 + published)
                            .containsEntry("sluice.ring.fill" + tags, Double.NaN)
                            .containsEntry("sluice.consumer.lag" + own, Double.NaN)
                            .containsEntry("sluice.consumer.batches" + own, 0.0)))
                    .containsExactly(
                            "ring trades has meters, but cannot be read: its gauges are NaN, and its counters stay behind");
        }
        assertThat(List.of(ofTrades, ofOrders)).as("kept alive").hasSize(2);
    }

    @Test
    void theMetersOfARingThatCannotBeReadAreBoundAllTheSame() {
        boolean[] broken = {false};
        ring.addGating(() -> {
            if (broken[0]) {
                throw new IllegalStateException("planned");
            }
            return -1;
        });
        RingMetrics metrics = RingMetrics.of(ring);
        broken[0] = true;
        String lag = "sluice.consumer.lag[tag(consumer=books), tag(ring=orders)]";
        assertThat(logged(() -> {
                    metrics.bindTo(registry);
                    assertThat(values()).hasSize(16).containsEntry(lag, Double.NaN);
                }))
                .hasSize(1);
        broken[0] = false;
        assertThat(values()).hasSize(16).containsEntry(lag, 0.0);
        assertThat(List.of(metrics, poller)).as("kept alive").hasSize(2);
    }

    private static List<String> logged(Runnable body) {
        List<String> messages = new ArrayList<>();
        Logger logger = Logger.getLogger("io.sluice.micrometer");
        logger.setFilter(line -> {
            messages.add(line.getMessage());
            return false;
        });
        try {
            body.run();
        } finally {
            logger.setFilter(null);
        }
        return messages;
    }
}
