package io.sluice.perf.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.rows.RingRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every contestant moves its events, and what is lost or changed on the way is noticed. */
@Tag("concurrency")
@Timeout(120)
@Tag("any-jdk")
class ThroughputTest {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    @TestFactory
    Stream<DynamicTest> everyContestantMovesItsEvents() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : new RingRows().rows()) {
            if (Set.of("1p1c", "3p1c-far", "idle-cpu").contains(row.id())) {
                continue; // the contestants of 1p1c-1024 and of 3p1c; and one that takes a second
            }
            for (Entry entry : row.entries()) {
                tests.add(DynamicTest.dynamicTest(row.id() + " " + entry.id(), () -> {
                    Contestant contestant = entry.maker().make();
                    try {
                        assertThat(contestant.sample(SAMPLE_NANOS)).isPositive();
                        assertThat(contestant.sample(SAMPLE_NANOS)).isPositive();
                    } finally {
                        contestant.finish();
                    }
                }));
            }
        }
        return tests.stream();
    }

    /** Every contestant says a share; how large it is depends on what else runs here. */
    @Test
    void anIdlePipelineIsMeasured() throws Exception {
        Row row = new RingRows()
                .rows().stream()
                        .filter(one -> one.id().equals("idle-cpu"))
                        .findFirst()
                        .orElseThrow();
        for (Entry entry : row.entries()) {
            double percent = entry.maker().make().sample(SAMPLE_NANOS);
            assertThat(percent).as(entry.id()).isGreaterThanOrEqualTo(0);
        }
    }

    /** Calls itself moved what it was given, but for one event. */
    private static final class Faulty implements Exchange {
        private final AtomicLong handled = new AtomicLong();
        private final AtomicLong sum = new AtomicLong();
        private final long change;

        Faulty(long change) {
            this.change = change;
        }

        @Override
        public Source source(int producer) {
            return (from, count) -> {
                for (long value = from; value < from + count; value++) {
                    sum.addAndGet(value == 5 ? value + change : value);
                    handled.incrementAndGet();
                }
            };
        }

        @Override
        public long handled() {
            return handled.get();
        }

        @Override
        public long[] sums() {
            return new long[] {sum.get()};
        }

        @Override
        public void close() {}
    }

    @Test
    void aChangedPayloadIsNoticed() throws Exception {
        assertThat(new Throughput(() -> new Faulty(0), 1, false).sample(SAMPLE_NANOS))
                .isPositive();
        for (long change : new long[] {-5, 1}) {
            assertThatThrownBy(() -> new Throughput(() -> new Faulty(change), 1, false).sample(SAMPLE_NANOS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the payloads' sum is");
        }
    }

    @Test
    void aChangedPayloadIsNoticedAtTheEndOfALifeToo() throws Exception {
        Living right = new Living(() -> new Faulty(0), 1, false);
        assertThat(right.sample(SAMPLE_NANOS)).isPositive();
        right.finish();
        Living wrong = new Living(() -> new Faulty(1), 1, false);
        assertThat(wrong.sample(SAMPLE_NANOS)).isPositive();
        assertThatThrownBy(wrong::finish)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the payloads' sum is");
    }

    @Test
    void oneExchangeLivesOnFromSampleToSample() throws Exception {
        AtomicLong made = new AtomicLong();
        Living living = new Living(
                () -> {
                    made.incrementAndGet();
                    return new Faulty(0);
                },
                2,
                false);
        assertThat(living.runsOn()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(living.sample(SAMPLE_NANOS)).isPositive();
        }
        living.finish();
        assertThat(made).hasValue(1);
    }

    @Test
    void anExchangeThatMovesNothingHasNoFigure() throws Exception {
        Living stuck = new Living(() -> new Stuck(), 1, false, 3 * SAMPLE_NANOS);
        assertThatThrownBy(() -> stuck.sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no event was handled");
        assertThatThrownBy(stuck::finish).hasMessageContaining("not all were handled in time");
    }

    @Test
    void aProducerThatFailsIsNamed() {
        Living failing = new Living(() -> new Failing(), 1, false);
        assertThatThrownBy(() -> {
                    failing.sample(SAMPLE_NANOS);
                    failing.finish();
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a producer failed: java.lang.ArithmeticException: meant");
    }

    /** Takes events and hands on none. */
    private static class Stuck implements Exchange {
        @Override
        public Source source(int producer) {
            return (from, count) -> Thread.onSpinWait();
        }

        @Override
        public long handled() {
            return 0;
        }

        @Override
        public long[] sums() {
            return new long[1];
        }

        @Override
        public void close() {}
    }

    private static final class Failing extends Stuck {
        @Override
        public Source source(int producer) {
            return (from, count) -> {
                throw new ArithmeticException("meant");
            };
        }

        @Override
        public long handled() {
            return System.nanoTime();
        }
    }

    @Test
    void queuesAreChainedInShapesOfThreeConsumers() {
        assertThatThrownBy(() -> new ChainedQueues(java.util.concurrent.ArrayBlockingQueue::new, 8, Shape.ONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("shape must have three consumers, but was ONE");
    }

    /** Each part of the application brings its own classes; those of the one before are not seen again. */
    @Test
    void eachGuestHasClassesOfItsOwn() throws Exception {
        Seen.LOADERS.clear();
        Guests.live(Visitor.class, 3);
        assertThat(Seen.LOADERS).hasSize(3).doesNotHaveDuplicates().doesNotContain(Visitor.class.getClassLoader());
        assertThatThrownBy(() -> Guests.live(Forgetful.class, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the payloads' sum is 0");
    }

    /** Shared by all visitors: it is loaded once. */
    public static final class Seen {
        public static final List<ClassLoader> LOADERS = new ArrayList<>();

        private Seen() {}
    }

    /** A guest that says who loaded it. */
    public static final class Visitor implements LongUnaryOperator {
        @Override
        public long applyAsLong(long events) {
            Seen.LOADERS.add(Visitor.class.getClassLoader());
            return events * (events - 1) / 2;
        }
    }

    /** A guest that loses its events. */
    public static final class Forgetful implements LongUnaryOperator {
        @Override
        public long applyAsLong(long events) {
            return 0;
        }
    }
}
