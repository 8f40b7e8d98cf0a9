package io.sluice.perf.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.compare.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every contestant of every row of latency runs, twice, and its histogram holds what its figure says. */
@Tag("concurrency")
class ContestantsTest {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final List<Row> ROWS = new LatencyRows().rows();

    @TestFactory
    Stream<DynamicTest> everyContestantMeasures() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : ROWS) {
            for (Entry entry : row.entries()) {
                tests.add(DynamicTest.dynamicTest(row.id() + " " + entry.id(), () -> {
                    Contestant contestant = entry.maker().make();
                    for (int i = 0; i < 2; i++) {
                        double figure = contestant.sample(SAMPLE_NANOS);
                        Histogram histogram = Times.read(contestant.detail());
                        assertThat(histogram.getTotalCount()).isPositive();
                        assertThat((double) histogram.getValueAtPercentile(50)).isEqualTo(figure);
                        assertThat(histogram.getEndTimeStamp()).isGreaterThanOrEqualTo(histogram.getStartTimeStamp());
                    }
                }));
            }
        }
        return tests.stream();
    }

    @Test
    void rowsNameTheirOwnEntriesAndNoTwoAreCalledTheSame() {
        assertThat(ROWS).extracting(Row::id).doesNotHaveDuplicates();
        for (Row row : ROWS) {
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            assertThat(ids).doesNotHaveDuplicates().contains(row.reference());
            assertThat(row.targets()).isNotEmpty().allSatisfy(target -> {
                assertThat(ids).contains(target.contestant(), target.peer());
                assertThat(target.atMost()).isTrue();
            });
            assertThat(row.unit()).isEqualTo("ns");
        }
    }

    @Test
    void openLoopAndRoundTripHaveTargetsInTheTailsToo() {
        for (Row row : ROWS) {
            if (row.id().startsWith("open-loop") || row.id().equals("round-trip")) {
                for (String peer : List.of("lmax", "jctools-spsc", "agrona-queue")) {
                    assertThat(row.targets())
                            .filteredOn(target -> target.peer().equals(peer))
                            .extracting(Target::figure)
                            .containsExactly(Figure.MEDIAN, Figure.P90, Figure.QUIET_P99);
                }
            }
        }
    }

    /** What a lane does wrong is noticed: these are the controls of the checks. */
    private static Lane.Transport spoiled(LongUnaryOperator change) {
        return (receiver, core) -> QueueLane.spinning(
                new ArrayBlockingQueue<>(1024),
                1024,
                new Lane.Receiver() {
                    @Override
                    public void begin() {
                        receiver.begin();
                    }

                    @Override
                    public void received(long value, long time) {
                        long changed = change.applyAsLong(value);
                        if (changed >= 0) {
                            receiver.received(changed, time);
                        }
                    }
                },
                core);
    }

    @Test
    void aPingThatComesBackChangedEndsTheSample() {
        Lane.Transport transport = spoiled(value -> value == 100 ? 101 : value);
        assertThatThrownBy(() -> new RoundTrip(transport, 0).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ping 100 came back as 101");
    }

    @Test
    void aSumThatTheEchoingSideSawDifferentlyEndsTheSample() {
        AtomicLong seen = new AtomicLong();
        // changed on the way there and changed back on the way back
        Lane.Transport transport = spoiled(
                value -> value == 100 || value == 1_000_000 ? (seen.getAndIncrement() == 0 ? 1_000_000 : 100) : value);
        assertThatThrownBy(() -> new RoundTrip(transport, 0).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sum");
    }

    @Test
    void eventsOutOfOrderEndTheSample() {
        Lane.Transport transport = spoiled(value -> value == 100 ? 101 : value == 101 ? 100 : value);
        assertThatThrownBy(() -> new OpenLoop(transport, 1_000_000).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event 100 arrived as 101");
    }

    /** A receiver that stands still for a while makes all that is due meanwhile late: no coordinated omission. */
    @Test
    void whatIsDueDuringAPauseIsLateByTheRestOfIt() throws Exception {
        long pause = TimeUnit.MILLISECONDS.toNanos(20);
        Lane.Transport transport = spoiled(value -> {
            if (value == 5_000) {
                long end = System.nanoTime() + pause;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
            return value;
        });
        OpenLoop loop = new OpenLoop(transport, 1_000_000);
        loop.sample(SAMPLE_NANOS);
        Histogram histogram = Times.read(loop.detail());
        assertThat(histogram.getMaxValue()).isGreaterThanOrEqualTo(pause * 9 / 10);
        // about 6,000 events were due in what remained of the sample: at least a third are late by half of the pause
        assertThat(histogram.getCountBetweenValues(pause / 2, Times.histogram().getHighestTrackableValue()))
                .isGreaterThan(2_000);
    }
}
