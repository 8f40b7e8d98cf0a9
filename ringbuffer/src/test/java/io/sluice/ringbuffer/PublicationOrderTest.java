package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a single producer publishes and aborts, in which order, against a model of three numbers; on small rings and on large
 * ones, whose producers remember in different places what they have published.
 */
class PublicationOrderTest {
    private static final int STEPS = 40_000;
    private static final int LARGEST_CLAIM = 5;

    @ParameterizedTest
    @ValueSource(ints = {8, CachedCursorProducer.FEWEST_SLOTS / 2, CachedCursorProducer.FEWEST_SLOTS})
    void onlyTheNextOpenRangeIsTaken(int capacity) throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    run(program, capacity);
                    return program.size();
                })
                .budget("io.sluice.model.steps", STEPS)
                .run();
    }

    private static void run(SeededProgram program, int capacity) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, capacity);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
        List<Long> handled = new ArrayList<>();
        List<Long> expected = new ArrayList<>();
        Producer<long[]> producer = ring.producer();
        assertThat(producer.getClass().getName()) // a copy of it
                .startsWith((capacity < CachedCursorProducer.FEWEST_SLOTS
                                ? CursorReadingProducer.class
                                : CachedCursorProducer.class)
                        .getName());
        long claimed = -1;
        long published = -1;
        for (int step : program.steps()) {
            SplittableRandom random = program.random(step);
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    int n = random.nextInt(1, LARGEST_CLAIM + 1);
                    long hi = producer.tryNext(n);
                    if (hi >= 0) {
                        claimed += n;
                        assertThat(hi).isEqualTo(claimed);
                    }
                }
                case 2, 3 -> {
                    long lo = published + 1 + (random.nextInt(8) == 0 ? random.nextInt(-2, 3) : 0);
                    long hi = lo + random.nextInt(-1, LARGEST_CLAIM);
                    boolean aborts = random.nextInt(4) == 0;
                    if (lo == published + 1 && hi >= lo && hi <= claimed) {
                        if (aborts) {
                            producer.abort(lo, hi);
                        } else {
                            producer.publish(lo, hi);
                            for (long sequence = lo; sequence <= hi; sequence++) {
                                expected.add(sequence);
                            }
                        }
                        published = hi;
                    } else {
                        String call = (aborts ? "abort(" : "publish(") + lo + ", " + hi + ")";
                        assertThatThrownBy(() -> {
                                    if (aborts) {
                                        producer.abort(lo, hi);
                                    } else {
                                        producer.publish(lo, hi);
                                    }
                                })
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining("but was called as " + call);
                    }
                }
                case 4 -> {
                    if (claimed == published && producer.tryPublishEvent((event, sequence) -> {}) >= 0) {
                        expected.add(++claimed);
                        published = claimed;
                    }
                }
                default -> pollInto(poller, handled);
            }
            assertThat(ring.cursor().get()).isEqualTo(published);
        }
        if (claimed == published) {
            pollInto(poller, handled); // the ring may be full, and nobody else polls
            assertThat(producer.next(1)).isEqualTo(++claimed); // something is open when it closes
        }
        producer.close();
        assertThat(ring.cursor().get()).as("the open claims are aborted").isEqualTo(claimed);
        pollInto(poller, handled);
        assertThat(handled).isEqualTo(expected);
        Producer<long[]> next = ring.producer();
        assertThat(next.next(2)).isEqualTo(claimed + 2);
        next.publish(claimed + 1, claimed + 2);
        assertThat(ring.cursor().get()).isEqualTo(claimed + 2);
    }

    private static void pollInto(EventPoller<long[]> poller, List<Long> handled) throws Exception {
        int polled;
        do {
            polled = poller.poll((event, sequence, endOfBatch) -> handled.add(sequence), Integer.MAX_VALUE);
        } while (polled > 0);
    }
}
