package io.sluice.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.monitor.RingMonitor.ConsumerSample;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
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
 * <p>The meters of a consumer belong to its name. Once it has left, its gauges are NaN and its counters stay where they were read last. If
 * another one comes with that name, they are its own: its counters are added to the counts before, so that none ever falls. Nor does
 * {@code sluice.ring.handled} when a consumer joins from retained events: it stays until that one has come as far.
 *
 * <p>A ring that cannot be read, as where a gating sequence of the program's own throws, keeps nobody from reading other meters: its gauges
 * are NaN meanwhile, and its counters stay behind. The {@code System.Logger} named {@code io.sluice.micrometer} is told once, until it can
 * be read again.
 *
 * <p>A registry has one meter for each name and set of tags, so the tags must tell rings apart: by the ring's name, which is
 * unique where {@link RingBufferBuilder#name} gave none, or by further tags. A second binder of the same tags is refused.
 *
 * <p>The meters are named alike for every kind of ring. On a ring of messages the unit of those that others count in events or slots is
 * {@code sequences}: a sequence is 8 bytes, and headers and padding count too, see {@link ConsumerSample}.
 *
 * <p>Any thread may call any method. A registry holds the objects that gauges read only weakly: keep the binder as long as the ring.
 */
public final class RingMetrics implements MeterBinder {
    private static final System.Logger LOG = System.getLogger("io.sluice.micrometer");

    /** Held from the look whether a meter is new to its being known as a binder's own. */
    private static final Object BINDING = new Object();

    private static final List<Count> COUNTS = List.of(
            new Count("handled", "events", "Sequences finished", one -> one.handled()),
            new Count("batches", "batches", "Batches finished", one -> one.batches()),
            new Count("parks", "parks", "Parks of its thread", one -> one.parks()),
            new Count("failures", "failures", "Exceptions of its handler", one -> one.failures()),
            new Count("shed", "events", "Events that it dropped for room", one -> one.shed()));

    private final RingMonitor monitor;
    private final Tags tags;
    private final boolean ofMessages;

    // of consumers, by name; under the lock of the binder
    private final Map<String, ConsumerSample> present = new HashMap<>();
    // those whose meters are bound: they have the name, or had it last
    private final Map<String, ConsumerSample> last = new HashMap<>();
    // the counts of those before it, by count and name
    private final Map<String, Double> before = new HashMap<>();
    private boolean told;

    /** The first meter of this binder in each registry. Under the lock of BINDING. */
    private final Map<MeterRegistry, Meter> first = new WeakHashMap<>();

    private RingMetrics(RingMonitor monitor, Tags tags, boolean ofMessages) {
        this.monitor = monitor;
        this.tags = tags;
        this.ofMessages = ofMessages;
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
        boolean ofMessages = FollowedRing.of(ring).messages() != null;
        return new RingMetrics(monitor, Tags.of(tags).and("ring", monitor.name()), ofMessages);
    }

    /**
     * Registers the meters of the ring and of the consumers that it has now. Called again, it adds those of consumers that have
     * come since with names of their own. Meters of a ring that cannot be read now are registered all the same.
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
            sample(); // where it fails: the consumers are read before what may throw
            for (int i = 0; i < monitor.consumers(); i++) {
                bind(registry, monitor.consumer(i));
            }
        }
    }

    private void bind(MeterRegistry registry, ConsumerSample consumer) {
        String name = consumer.name();
        last.putIfAbsent(name, consumer);
        Tags own = tags.and("consumer", name);
        Gauge.builder("sluice.consumer.lag", this, self -> self.read(name, one -> one.lag()))
                .tags(own)
                .baseUnit(unit("events"))
                .description("Published sequences not finished yet")
                .register(registry);
        Gauge.builder("sluice.consumer.batch.mean", this, self -> self.read(name, one -> one.meanBatchSize()))
                .tags(own)
                .baseUnit(unit("events"))
                .description("Mean size of the batches")
                .register(registry);
        for (Count count : COUNTS) {
            FunctionCounter.builder("sluice.consumer." + count.name, this, self -> self.read(name, count))
                    .tags(own)
                    .baseUnit(unit(count.unit))
                    .description(count.what)
                    .register(registry);
        }
    }

    private Gauge gauge(
            MeterRegistry registry, String name, String unit, String what, ToDoubleFunction<RingMonitor> value) {
        return Gauge.builder("sluice.ring." + name, this, self -> self.read(value))
                .tags(tags)
                .baseUnit(unit(unit))
                .description(what)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String unit, String what, ToDoubleFunction<RingMonitor> value) {
        double[] most = {0}; // under the lock: a counter does not fall, also if a consumer joins further back
        FunctionCounter.builder("sluice.ring." + name, this, self -> self.readMost(most, value))
                .tags(tags)
                .baseUnit(unit(unit))
                .description(what)
                .register(registry);
    }

    private String unit(String ofEvents) {
        return ofMessages && (ofEvents.equals("events") || ofEvents.equals("slots")) ? "sequences" : ofEvents;
    }

    private synchronized double read(ToDoubleFunction<RingMonitor> value) {
        return sample() ? value.applyAsDouble(monitor) : Double.NaN;
    }

    private synchronized double readMost(double[] most, ToDoubleFunction<RingMonitor> value) {
        if (sample()) {
            most[0] = Math.max(most[0], value.applyAsDouble(monitor));
        }
        return most[0];
    }

    private synchronized double read(String name, ToDoubleFunction<ConsumerSample> value) {
        ConsumerSample consumer = sample() ? present.get(name) : null;
        return consumer == null ? Double.NaN : value.applyAsDouble(consumer);
    }

    private synchronized double read(String name, Count count) {
        sample(); // else what was seen last
        return before.getOrDefault(count.of(name), 0.0) + count.value.applyAsDouble(last.get(name));
    }

    /**
     * Takes a snapshot, and looks which consumer has each name now; false if the ring cannot be read. Throws nothing: a reader of
     * all meters of a registry would get none of those behind this one.
     */
    private boolean sample() {
        try {
            monitor.sample();
            look();
            told = false;
            return true;
        } catch (Throwable t) { // a gating sequence that throws, or no memory
            tell(t);
            return false;
        }
    }

    private void tell(Throwable thrown) {
        if (told) {
            return;
        }
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "ring " + monitor.name()
                            + " has meters, but cannot be read: its gauges are NaN, and its counters stay behind",
                    thrown);
            told = true;
        } catch (Throwable t) {
            // a log that throws, or no memory: the reader of the next meter tells it
        }
    }

    private void look() {
        present.clear();
        for (int i = 0; i < monitor.consumers(); i++) {
            ConsumerSample now = monitor.consumer(i);
            present.put(now.name(), now);
            ConsumerSample other = last.replace(now.name(), now);
            if (other != null && other != now) {
                COUNTS.forEach(
                        count -> before.merge(count.of(now.name()), count.value.applyAsDouble(other), Double::sum));
            }
        }
    }

    /** One count of a consumer. */
    private record Count(String name, String unit, String what, ToDoubleFunction<ConsumerSample> value) {
        String of(String consumer) {
            return name + " of " + consumer;
        }
    }
}
