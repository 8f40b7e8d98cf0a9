package io.sluice.perf.flow;

import io.sluice.perf.compare.Contestant;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * A Sluice contestant whose JVM has a past, as any real one has: five other classes of handlers and of translators, both producer types, a
 * full ring and a failure have gone through the same code before the first measurement, so that no figure rests on code that
 * was compiled for one user only.
 */
public final class WarmedSluice implements Contestant {
    private static final int EVENTS = 300_000;

    private final Contestant contestant;

    /**
     * Lives the past, then measures.
     *
     * @param contestant what is measured
     * @throws InterruptedException if interrupted on the way
     */
    public WarmedSluice(Contestant contestant) throws InterruptedException {
        this.contestant = contestant;
        for (boolean single : new boolean[] {true, false}) {
            List<EventTranslatorLong<Event>> translators = translators();
            int translator = 0;
            for (EventHandler<Event> handler : handlers()) {
                live(handler, translators.get(translator++), single);
            }
            fail(single);
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        return contestant.sample(nanos);
    }

    @Override
    public String detail() {
        return contestant.detail();
    }

    @Override
    public int warmUps() {
        return contestant.warmUps();
    }

    @Override
    public boolean runsOn() {
        return contestant.runsOn();
    }

    @Override
    public void finish() throws Exception {
        contestant.finish();
    }

    private static List<EventHandler<Event>> handlers() {
        long[] seen = new long[5];
        return List.of(
                (event, sequence, endOfBatch) -> seen[0] += event.value,
                (event, sequence, endOfBatch) -> seen[1] ^= event.value,
                (event, sequence, endOfBatch) -> seen[2] = Math.max(seen[2], event.value),
                (event, sequence, endOfBatch) -> seen[3] += endOfBatch ? 1 : 0,
                (event, sequence, endOfBatch) -> seen[4] -= sequence);
    }

    private static List<EventTranslatorLong<Event>> translators() {
        return List.of(
                (event, sequence, value) -> event.value = value,
                (event, sequence, value) -> event.value = -value,
                (event, sequence, value) -> event.value = value + sequence,
                (event, sequence, value) -> event.value ^= value,
                (event, sequence, value) -> event.value = Math.max(value, event.value));
    }

    /** A ring that is full all the time, and one claimed in every way. */
    private static void live(EventHandler<Event> handler, EventTranslatorLong<Event> translator, boolean single) {
        RingBuffer<Event> ring = ring(single);
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler);
            pipeline.start();
            Producer<Event> producer = ring.producer();
            for (long value = 0; value < EVENTS; value++) {
                long sequence = producer.next(1);
                producer.get(sequence).value = value;
                producer.publish(sequence, sequence);
                producer.publishEvent(translator, value);
                if (value % 1000 == 0) {
                    long hi = producer.next(10);
                    producer.abort(hi - 9, hi);
                }
            }
            pipeline.drain(TimeUnit.SECONDS.toNanos(10));
        }
    }

    private static void fail(boolean single) throws InterruptedException {
        RingBuffer<Event> ring = ring(single);
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                if (sequence == 5_000) {
                    throw new IllegalArgumentException("meant to fail");
                }
            });
            pipeline.start();
            Producer<Event> producer = ring.producer();
            try {
                for (int i = 0; i < EVENTS; i++) {
                    long sequence = producer.next(1);
                    producer.publish(sequence, sequence);
                }
                throw new IllegalStateException("the ring did not fail");
            } catch (RingException e) {
                Thread.sleep(1); // as meant
            }
        }
    }

    private static RingBuffer<Event> ring(boolean single) {
        return SluiceRing.ring(
                Event::new,
                new SluiceRing.Setup(single, 64, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false));
    }
}
