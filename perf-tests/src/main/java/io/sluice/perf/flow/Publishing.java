package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import java.lang.invoke.VarHandle;

/** The ways in which a producer of Sluice publishes. */
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
                for (int i = 0; i < count; i += TENS) {
                    publishTen(producer, from + i);
                }
            };
        }
    },

    /** As {@link #ONE}, with a full fence behind: the cost of a volatile store of the cursor. */
    ONE_AND_FENCE {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return oneAnd(producer, VarHandle::fullFence); // full: this is what is measured
        }
    },

    /** As {@link #ONE}, with one look at a word behind: the least that a publisher must do to know whether somebody waits. */
    ONE_AND_LOOK {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            Sequence word = new Sequence(0); // alone on its line, and nobody writes it
            return oneAnd(producer, () -> checkQuiet(word));
        }
    },

    /** As {@link #ONE_AND_FENCE}, with one look at a word behind: the least, where no wake-up may be missed. */
    ONE_AND_FENCE_AND_LOOK {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return oneAnd(producer, fenceAndLook());
        }
    },

    /** As {@link #TEN}, with a full fence and one look at a word behind each ten. */
    TEN_AND_FENCE_AND_LOOK {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            Runnable behind = fenceAndLook();
            return (from, count) -> {
                for (int i = 0; i < count; i += TENS) {
                    publishTen(producer, from + i);
                    behind.run();
                }
            };
        }
    },

    /** As {@link #ONE}, in a method of an application that keeps the producer in a field, as most do. */
    FIELD {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return new Application(producer);
        }
    },

    /** As {@link #ONE}, with the producer in a local variable around all. */
    LOCAL {
        @Override
        Exchange.Source source(Producer<Event> producer) {
            return new Local(producer);
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

    private static final int TENS = 10;

    private static final EventTranslatorLong<Event> SET = (event, sequence, value) -> event.value = value;

    /** The code of an application: an object with a producer and other state, and a method for one event. */
    private static final class Application implements Exchange.Source {
        private Producer<Event> producer;
        private long sent;

        Application(Producer<Event> producer) {
            this.producer = producer;
        }

        @Override
        public void produce(long from, int count) {
            sent = from;
            for (int i = 0; i < count; i++) {
                send();
            }
        }

        private void send() {
            long sequence = producer.next();
            producer.get(sequence).value = sent++;
            producer.publish(sequence);
        }
    }

    private record Local(Producer<Event> kept) implements Exchange.Source {
        @Override
        public void produce(long from, int count) {
            Producer<Event> producer = kept;
            long value = from;
            for (int i = 0; i < count; i++) {
                long sequence = producer.next();
                producer.get(sequence).value = value++;
                producer.publish(sequence);
            }
        }
    }

    /** One claim and publication after the other, each followed by {@code behind}; a JVM has one kind of it, which is inlined. */
    private static Exchange.Source oneAnd(Producer<Event> producer, Runnable behind) {
        return (from, count) -> {
            long value = from;
            for (int i = 0; i < count; i++) {
                long sequence = producer.next(1);
                producer.get(sequence).value = value++;
                producer.publish(sequence, sequence);
                behind.run();
            }
        };
    }

    private static void publishTen(Producer<Event> producer, long from) {
        long hi = producer.next(TENS);
        long lo = hi - TENS + 1;
        long value = from;
        for (long sequence = lo; sequence <= hi; sequence++) {
            producer.get(sequence).value = value++;
        }
        producer.publish(lo, hi);
    }

    private static Runnable fenceAndLook() {
        Sequence word = new Sequence(0);
        return () -> {
            VarHandle.fullFence(); // full: this is what is measured
            checkQuiet(word);
        };
    }

    private static void checkQuiet(Sequence word) {
        if (word.getOpaque() != 0) { // opaque: looked at each time, orders nothing
            throw new IllegalStateException("somebody waits");
        }
    }

    /**
     * Makes the source that runs on the producer's thread.
     *
     * @param producer where to publish
     * @return a source
     */
    abstract Exchange.Source source(Producer<Event> producer);
}
