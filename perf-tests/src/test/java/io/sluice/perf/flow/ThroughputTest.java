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
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every contestant moves its events, and what is lost or changed on the way is noticed. */
@Tag("concurrency")
@Timeout(120)
class ThroughputTest {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    @TestFactory
    Stream<DynamicTest> everyContestantMovesItsEvents() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : new RingRows().rows()) {
            if (Set.of("1p1c", "idle-cpu").contains(row.id())) {
                continue; // the contestants of 1p1c-1024; and one that takes a second
            }
            for (Entry entry : row.entries()) {
                tests.add(DynamicTest.dynamicTest(row.id() + " " + entry.id(), () -> {
                    Contestant contestant = entry.maker().make();
                    assertThat(contestant.sample(SAMPLE_NANOS)).isPositive();
                    assertThat(contestant.sample(SAMPLE_NANOS)).isPositive();
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
        public boolean isHandled(long events) {
            return handled.get() == events;
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
}
