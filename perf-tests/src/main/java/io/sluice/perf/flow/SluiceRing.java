package io.sluice.perf.flow;

import io.sluice.perf.Pinning;
import io.sluice.ringbuffer.EventFactory;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Sluice's ring in a comparison. Every one is built by {@link #ring}, with nothing set but the settings of {@link Setup}: the rows differ
 * in producer type, capacity, idle strategies and threads, and in nothing else. One contestant sets the pipeline's
 * {@code pollBackOff(false)}, and its name says so.
 */
public final class SluiceRing implements Exchange {
    /**
     * The settings that a row may choose.
     *
     * @param singleProducer one producer at a time, or many
     * @param capacity the number of slots
     * @param consumersIdle how consumers wait, null for the builder's default
     * @param producersIdle how producers wait, null for the builder's default
     * @param oneThread whether all consumers share one thread
     * @param pinned whether the consumers' one thread is to run on core 1
     * @param backOff whether consumers wait a little after a batch, which is the default
     */
    public record Setup(
            boolean singleProducer,
            int capacity,
            @Nullable Supplier<? extends IdleStrategy> consumersIdle,
            @Nullable Supplier<? extends IdleStrategy> producersIdle,
            boolean oneThread,
            boolean pinned,
            boolean backOff) {
        /**
         * With the default wait after a batch.
         *
         * @param singleProducer one producer at a time, or many
         * @param capacity the number of slots
         * @param consumersIdle how consumers wait
         * @param producersIdle how producers wait
         * @param oneThread whether all consumers share one thread
         * @param pinned whether the consumers' one thread is to run on core 1
         */
        public Setup(
                boolean singleProducer,
                int capacity,
                Supplier<? extends IdleStrategy> consumersIdle,
                Supplier<? extends IdleStrategy> producersIdle,
                boolean oneThread,
                boolean pinned) {
            this(singleProducer, capacity, consumersIdle, producersIdle, oneThread, pinned, true);
        }

        /**
         * The same without a wait after a batch.
         *
         * @return another setup
         */
        public Setup withoutBackOff() {
            return new Setup(singleProducer, capacity, consumersIdle, producersIdle, oneThread, pinned, false);
        }

        /**
         * No idle strategy is set: all wait as a builder sets it by default.
         *
         * @param singleProducer one producer at a time, or many
         * @param capacity the number of slots
         * @param pinned whether the consumers' one thread is to run on core 1
         * @return the setup
         */
        public static Setup withDefaultIdle(boolean singleProducer, int capacity, boolean pinned) {
            return new Setup(singleProducer, capacity, null, null, false, pinned, true);
        }

        /**
         * All threads spin, each on a core of its own.
         *
         * @param singleProducer one producer at a time, or many
         * @param capacity the number of slots
         * @return the setup
         */
        public static Setup spinning(boolean singleProducer, int capacity) {
            return new Setup(
                    singleProducer,
                    capacity,
                    () -> BusySpinIdleStrategy.INSTANCE,
                    () -> BusySpinIdleStrategy.INSTANCE,
                    false,
                    true);
        }
    }

    /** The handler of a user: it adds up the values. */
    static final class Sum extends PaddedSum implements EventHandler<Event> {
        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            sum += event.value;
        }
    }

    private final RingBuffer<Event> ring;
    private final Pipeline<Event> pipeline;
    private final Publishing publishing;
    private final Sum[] handlers;
    private final ConsumerHandle[] consumers;

    /**
     * Builds a ring and starts its consumers.
     *
     * @param setup what the row chooses
     * @param shape the shape of the consumers
     * @param publishing how events are published
     */
    public SluiceRing(Setup setup, Shape shape, Publishing publishing) {
        this.publishing = publishing;
        ring = ring(Event::new, setup);
        pipeline = Pipeline.on(ring);
        handlers = new Sum[shape.consumers()];
        consumers = new ConsumerHandle[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            handlers[i] = new Sum();
        }
        switch (shape) {
            case ONE, MULTICAST -> pipeline.handleEventsWith(handlers);
            case PIPELINE ->
                pipeline.handleEventsWith(handlers[0]).then(handlers[1]).then(handlers[2]);
            case DIAMOND -> pipeline.handleEventsWith(handlers[0], handlers[1]).then(handlers[2]);
        }
        for (int i = 0; i < handlers.length; i++) {
            consumers[i] = pipeline.consumer(handlers[i]);
        }
        if (setup.oneThread()) {
            pipeline.oneThread("consumers");
        }
        if (!setup.backOff()) {
            pipeline.pollBackOff(false);
        }
        if (setup.pinned()) {
            pipeline.onThreadStart(name -> Pinning.pin(1));
        }
        pipeline.start();
    }

    /**
     * The one factory call of every row.
     *
     * @param events makes what is moved
     * @param setup what the row chooses
     * @param <E> the events' type
     * @return a ring
     */
    public static <E> RingBuffer<E> ring(EventFactory<E> events, Setup setup) {
        return ring(RingBufferBuilder.of(events), setup);
    }

    /**
     * The same for a ring of bytes.
     *
     * @param slots a builder of which nothing is set but the slots' length
     * @param setup what the row chooses
     * @param <E> the events' type
     * @return a ring
     */
    public static <E> RingBuffer<E> ring(RingBufferBuilder<E> slots, Setup setup) {
        RingBufferBuilder<E> builder = idle(slots.capacity(setup.capacity()), setup);
        return (setup.singleProducer() ? builder.singleProducer() : builder.multiProducer()).build();
    }

    /**
     * Sets how consumers and producers wait, where the setup says so.
     *
     * @param builder a ring's
     * @param setup what the row chooses
     * @param <E> the events' type
     * @return the builder
     */
    public static <E> RingBufferBuilder<E> idle(RingBufferBuilder<E> builder, Setup setup) {
        Supplier<? extends IdleStrategy> consumers = setup.consumersIdle();
        Supplier<? extends IdleStrategy> producers = setup.producersIdle();
        if (consumers != null) {
            builder.consumersIdle(consumers);
        }
        if (producers != null) {
            builder.producersIdle(producers);
        }
        return builder;
    }

    @Override
    public Source source(int producer) {
        return publishing.source(ring.producer());
    }

    @Override
    public long handled() {
        long least = Long.MAX_VALUE;
        for (ConsumerHandle consumer : consumers) {
            least = Math.min(least, consumer.sequence().get());
        }
        return least + 1;
    }

    @Override
    public long[] sums() {
        long[] sums = new long[handlers.length];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = handlers[i].sum;
        }
        return sums;
    }

    @Override
    public void close() {
        ring.close();
    }
}
