package io.sluice.perf.flow;

import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import java.lang.invoke.VarHandle;

/** How a producer of Sluice publishes. */
public enum Publishing {
    /** A claim and a publication for each event. */
    ONE {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return (from, count) -> {
                long value = from;
                for (int i = 0; i < count; i++) {
                    long sequence = producer.next(1);
                    producer.get(sequence).value = value++;
                    producer.publish(sequence, sequence);
                }
            };
        }
    },

    /** A claim and a publication for ten events. */
    TEN {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return (from, count) -> {
                int n = 10;
                long value = from;
                for (int i = 0; i < count; i += n) {
                    long hi = producer.next(n);
                    long lo = hi - n + 1;
                    for (long sequence = lo; sequence <= hi; sequence++) {
                        producer.get(sequence).value = value++;
                    }
                    producer.publish(lo, hi);
                }
            };
        }
    },

    /** As {@link #ONE}, with a full fence behind: what a volatile store of the cursor would cost. */
    ONE_AND_FENCE {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return (from, count) -> {
                long value = from;
                for (int i = 0; i < count; i++) {
                    long sequence = producer.next(1);
                    producer.get(sequence).value = value++;
                    producer.publish(sequence, sequence);
                    VarHandle.fullFence(); // full: this is what is measured
                }
            };
        }
    },

    /** Through a translator, one event at a time. */
    TRANSLATOR {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return (from, count) -> {
                long value = from;
                for (int i = 0; i < count; i++) {
                    producer.publishEvent(SET, value++);
                }
            };
        }
    };

    private static final EventTranslatorLong<Event> SET = (event, sequence, value) -> event.value = value;

    /**
     * What runs on the producer's thread.
     *
     * @param producer where to publish
     * @return a source
     */
    abstract Exchange.Source source(Producer<Event> producer);
}
