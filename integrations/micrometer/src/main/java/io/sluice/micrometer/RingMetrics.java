package io.sluice.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.ToDoubleFunction;

/**
 * Binds the figures of a ring and its consumers to Micrometer. The ring does not notice: a meter that is read takes a snapshot
 * by a {@link RingMonitor} of its own, under a lock that only readers of meters share.
 *
 * <p>Meters of the ring, with the tag {@code ring}: gauges {@code sluice.ring.capacity}, {@code .fill}, {@code
 * .producers.waiting}; counters {@code sluice.ring.published}, {@code .handled}, {@code .stalls}, {@code .stalled} (seconds),
 * {@code .refused}, {@code .dropped}. Of each consumer, with the tags {@code ring} and {@code consumer}: gauges {@code
 * sluice.consumer.lag}, {@code .batch.mean}; counters {@code sluice.consumer.handled}, {@code .batches}, {@code .parks},
 * {@code .failures}, {@code .shed}.
 *
 * <p>A registry has one meter for each name and set of tags, so the tags must tell rings apart: by the ring's name, which is
 * unique where {@link RingBufferBuilder#name} gave none, or by further tags. A second binder of the same tags is refused.
 *
 * <p>Any thread may call any method. A registry keeps only weak hold of what gauges read: keep the binder as long as the ring.
 */
public final class RingMetrics implements MeterBinder {
    /** Held from the look whether a meter is new to its being known as a binder's own. */
    private static final Object BINDING = new Object();

    private final RingMonitor monitor;
    private final Tags tags;

    /** The first meter of this binder in each registry. Under the lock of BINDING. */
    private final Map<MeterRegistry, Meter> first = new WeakHashMap<>();

    private RingMetrics(RingMonitor monitor, Tags tags) {
        this.monitor = monitor;
        this.tags = tags;
    }

    /**
     * A binder for a ring, which is not bound yet.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind
     * @param tags further tags for all of its meters
     * @return a new binder
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     */
    public static RingMetrics of(RingBuffer<?> ring, Tag... tags) {
        RingMonitor monitor = RingMonitor.of(ring);
        return new RingMetrics(monitor, Tags.of(tags).and("ring", monitor.name()));
    }

    /**
     * Registers the meters of the ring and of the consumers that it has now. Called again, it adds those of consumers that have
     * come since; a meter of a consumer that has left stays, and shows its last value.
     *
     * @param registry where
     * @throws IllegalStateException if the registry has meters of another binder with the same tags; then nothing is registered
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        synchronized (BINDING) {
            IdentityHashMap<Meter, Boolean> before =
                    new IdentityHashMap<>(); // by identity: meters of one name and tags are equal
            registry.getMeters().forEach(meter -> before.put(meter, true));
            Meter meter = gauge(registry, "capacity", "slots", "Slots", ring -> ring.capacity());
            if (before.containsKey(meter) && first.get(registry) != meter) {
                throw new IllegalStateException("tags of ring " + monitor.name()
                        + " must be its own in the registry, which reads one binder only, but another binder has meters with the tags "
                        + tags + ": give the ring a name of its own or a further tag, or remove those meters first");
            }
            first.put(registry, meter);
        }
        gauge(registry, "fill", "slots", "Published slots that are not given back yet", ring -> ring.fill());
        gauge(
                registry,
                "producers.waiting",
                "producers",
                "Producers that wait for room",
                ring -> ring.producersWaiting());
        counter(registry, "published", "events", "Sequences published or aborted", ring -> ring.published());
        counter(registry, "handled", "events", "Sequences that every consumer has finished", ring -> ring.handled());
        counter(registry, "stalls", "claims", "Claims that had to wait for room", ring -> ring.stalls());
        counter(registry, "stalled", "seconds", "Time that claims have waited", ring -> ring.stalledNanos() / 1e9);
        counter(registry, "refused", "claims", "Claims that got no room", ring -> ring.refused());
        counter(registry, "dropped", "events", "Events dropped because the ring was full", ring -> ring.dropped());
        synchronized (this) {
            monitor.sample();
            for (int i = 0; i < monitor.consumers(); i++) {
                bind(registry, monitor.consumer(i));
            }
        }
    }

    private void bind(MeterRegistry registry, RingMonitor.ConsumerSample consumer) {
        Tags own = tags.and("consumer", consumer.name());
        Gauge.builder("sluice.consumer.lag", this, self -> self.read(consumer, one -> one.lag()))
                .tags(own)
                .baseUnit("events")
                .description("Published sequences not finished yet")
                .register(registry);
        Gauge.builder("sluice.consumer.batch.mean", this, self -> self.read(consumer, one -> one.meanBatchSize()))
                .tags(own)
                .baseUnit("events")
                .description("Mean size of the batches")
                .register(registry);
        counter(registry, own, consumer, "handled", "events", "Sequences finished", one -> one.handled());
        counter(registry, own, consumer, "batches", "batches", "Batches finished", one -> one.batches());
        counter(registry, own, consumer, "parks", "parks", "Parks of its thread", one -> one.parks());
        counter(registry, own, consumer, "failures", "failures", "Exceptions of its handler", one -> one.failures());
        counter(registry, own, consumer, "shed", "events", "Events that it dropped for room", one -> one.shed());
    }

    private Gauge gauge(
            MeterRegistry registry, String name, String unit, String what, ToDoubleFunction<RingMonitor> value) {
        return Gauge.builder("sluice.ring." + name, this, self -> self.read(value))
                .tags(tags)
                .baseUnit(unit)
                .description(what)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String unit, String what, ToDoubleFunction<RingMonitor> value) {
        FunctionCounter.builder("sluice.ring." + name, this, self -> self.read(value))
                .tags(tags)
                .baseUnit(unit)
                .description(what)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry,
            Tags own,
            RingMonitor.ConsumerSample consumer,
            String name,
            String unit,
            String what,
            ToDoubleFunction<RingMonitor.ConsumerSample> value) {
        FunctionCounter.builder("sluice.consumer." + name, this, self -> self.read(consumer, value))
                .tags(own)
                .baseUnit(unit)
                .description(what)
                .register(registry);
    }

    private synchronized double read(ToDoubleFunction<RingMonitor> value) {
        return value.applyAsDouble(monitor.sample());
    }

    private synchronized double read(
            RingMonitor.ConsumerSample consumer, ToDoubleFunction<RingMonitor.ConsumerSample> value) {
        monitor.sample();
        return value.applyAsDouble(consumer);
    }
}
