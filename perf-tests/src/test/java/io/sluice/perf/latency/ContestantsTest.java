package io.sluice.perf.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.compare.Times;
import io.sluice.perf.report.Role;
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

/**
 * Every contestant of every row of latency runs, twice, and its histogram holds what its figure says; of rows that differ in a number
 * only, those at the ends run.
 */
@Tag("concurrency")
@Tag("any-jdk")
class ContestantsTest {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final List<Row> ROWS = Stream.of(new LatencyRows(), new LoadRows(), new WordRows())
            .flatMap(table -> table.rows().stream())
            .toList();

    private static final List<String> LOADS_AT_THE_ENDS = List.of(
            "open-loop-1m",
            "open-loop-1m-default",
            "open-loop-60m",
            "open-loop-1m-multi",
            "open-loop-60m-multi",
            "bursts-10-1m",
            "bursts-1000-5m",
            "bursts-10-1m-multi",
            "bursts-1000-5m-multi",
            "changing-load",
            "changing-load-multi",
            "bytes-open-loop-1m",
            "bytes-open-loop-20m",
            "bytes-bursts-100-1m");

    private static Stream<Row> rowsToRun() {
        return ROWS.stream().filter(row -> row.id().startsWith("round-trip") || LOADS_AT_THE_ENDS.contains(row.id()));
    }

    @TestFactory
    Stream<DynamicTest> everyContestantMeasures() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : rowsToRun().toList()) {
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
    void theRowsAtTheEndsAreThere() {
        assertThat(rowsToRun()).hasSize(LOADS_AT_THE_ENDS.size() + 3);
    }

    @Test
    void rowsNameTheirOwnEntriesAndNoTwoAreCalledTheSame() {
        assertThat(ROWS).extracting(Row::id).doesNotHaveDuplicates();
        for (Row row : ROWS) {
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            assertThat(ids).doesNotHaveDuplicates().contains(row.reference());
            assertThat(row.targets()).isNotEmpty().allSatisfy(target -> {
                assertThat(ids).contains(target.contestant(), target.peer());
                assertThat(target.atMost()).isEqualTo(target.figure() != Figure.FAST_PHASES);
            });
            assertThat(row.unit()).isEqualTo("ns");
        }
    }

    @Test
    void openLoopAndRoundTripHaveTargetsInTheTailsToo() {
        for (Row row : ROWS) {
            boolean openLoop = row.id().startsWith("open-loop") && !row.id().endsWith("-default");
            if (openLoop || row.id().equals("round-trip")) {
                List<String> peers = row.id().endsWith("-multi")
                        ? List.of("lmax-multi", "jctools-mpsc", "agrona-nqueue")
                        : List.of("lmax", "jctools-spsc", "agrona-queue");
                for (String peer : peers) {
                    assertThat(row.targets())
                            .filteredOn(target -> target.peer().equals(peer))
                            .extracting(Target::figure)
                            .containsExactly(Figure.MEDIAN, Figure.P90, Figure.QUIET_P99);
                }
            }
        }
    }

    /** Fixed slots and messages, each to Agrona's ring and queue; nobody else's is the measure of a ring of bytes. */
    @Test
    void rowsOfBytesAskBothRingsToBeAsQuickAsTheBestOfAgronas() {
        List<Row> rows =
                ROWS.stream().filter(row -> row.id().startsWith("bytes-")).toList();
        assertThat(rows)
                .extracting(Row::id)
                .containsExactly(
                        "bytes-open-loop-1m",
                        "bytes-open-loop-5m",
                        "bytes-open-loop-10m",
                        "bytes-open-loop-20m",
                        "bytes-bursts-10-1m",
                        "bytes-bursts-100-1m");
        List<String> peers = List.of("agrona-1to1", "agrona-queue");
        for (Row row : rows) {
            assertThat(row.isOnRequest()).isTrue();
            assertThat(row.targets())
                    .extracting(target -> target.contestant() + " " + target.peer())
                    .containsExactly(
                            "sluice-bytes-8 agrona-1to1",
                            "sluice-bytes-8 agrona-queue",
                            "sluice-messages-8 agrona-1to1",
                            "sluice-messages-8 agrona-queue");
            double most = row.id().contains("bursts") ? Double.POSITIVE_INFINITY : LoadRows.KEEPS_UP_NANOS;
            assertThat(row.targets()).allSatisfy(target -> {
                assertThat(target.must()).isEqualTo(1.0);
                assertThat(target.figure()).isEqualTo(Figure.MEDIAN);
                assertThat(target.field()).isEqualTo(new Target.Field(peers, most));
            });
        }
    }

    @Test
    void theDefaultsRowHasOneTargetToTheDefaultOfLmax() {
        assertThat(ROWS)
                .filteredOn(row -> row.id().equals("open-loop-1m-default"))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.isOnRequest()).isFalse();
                    assertThat(row.targets())
                            .containsExactly(Target.atMost("sluice-default", "lmax-default", 1.0, 1.0));
                });
        assertThat(LoadRows.even()).extracting(Row::id).doesNotContain("open-loop-1m-default");
    }

    /** A miss can be set beside what one cursor and no ring does. */
    @Test
    void theBoundOfRingsTakesPartInBursts() {
        for (Row row : ROWS) {
            if (row.id().startsWith("bursts-")) {
                assertThat(row.entries())
                        .as(row.id())
                        .filteredOn(entry -> entry.role() == Role.BOUND)
                        .extracting(Entry::id)
                        .containsExactlyInAnyOrder("cursor", "platform");
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
        assertThatThrownBy(() -> new OpenLoop(transport, Pace.even(1_000_000)).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event 100 arrived as 101");
    }

    @Test
    void wordsOutOfOrderEndTheSample() {
        Lane.Transport transport = spoiled(value -> value == 100 ? 101 : value == 101 ? 100 : value);
        assertThatThrownBy(
                        () -> OpenLoop.ofWords(transport, Pace.even(1_000_000)).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event 100 arrived as 101");
    }

    @Test
    void eventsThatAreLostDuringAChangingLoadEndTheSample() {
        Lane.Transport transport = spoiled(value -> value == 100 ? -1 : value);
        assertThatThrownBy(() -> new ChangingLoad(transport).sample(SAMPLE_NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event 100 arrived as 101");
    }

    /** The whole burst is due at its beginning: a receiver that takes a while for each event makes the last one the latest. */
    @Test
    void theLastOfABurstIsLateByTheWholeBurst() throws Exception {
        long each = TimeUnit.MICROSECONDS.toNanos(10);
        int size = 10;
        Lane.Transport transport = spoiled(value -> {
            spinFor(each);
            return value;
        });
        OpenLoop loop = new OpenLoop(transport, Pace.bursts(10_000, size));
        double median = loop.sample(SAMPLE_NANOS);
        assertThat(Times.read(loop.detail()).getTotalCount()).isEqualTo(100);
        assertThat(median).isGreaterThanOrEqualTo(each * size / 2.0 * 0.99);
        assertThat(last(loop)).isGreaterThanOrEqualTo(each * size * 0.99);
        OpenLoop single = new OpenLoop(transport, Pace.bursts(10_000, size));
        single.sample(
                TimeUnit.MILLISECONDS.toNanos(1)); // one burst, whose last event is the latest of all on any machine
        assertThat(Times.read(single.detail()).getTotalCount()).isEqualTo(size);
        assertThat(last(single)).isEqualTo((double) Times.read(single.detail()).getMaxValue());
    }

    @Test
    void ofEventsDueByEightsOneInEightIsTimed() throws Exception {
        OpenLoop loop = new OpenLoop(spoiled(value -> value), Pace.eights(800_000));
        loop.sample(SAMPLE_NANOS);
        assertThat(Times.read(loop.detail()).getTotalCount()).isEqualTo(1_000);
    }

    /** Only slow phases are timed: as many events as are due in one cycle, and the one that ends it. */
    @Test
    void ofAChangingLoadTheSlowPhasesAreTimedAndTheFastOnesCounted() throws Exception {
        ChangingLoad load = new ChangingLoad(spoiled(value -> value));
        load.sample(2 * ChangingLoad.PHASE_NANOS);
        assertThat(Times.read(load.detail()).getTotalCount()).isEqualTo(ChangingLoad.PHASE_NANOS / 200 + 1);
        assertThat(Double.parseDouble(load.detail().replaceFirst(".* fast=", "")))
                .isPositive();
    }

    @Test
    void aPaceOutOfItsRangeIsRefused() {
        assertThatThrownBy(() -> Pace.even(0))
                .hasMessageContaining("perSecond must be from 1 to 1000000000, but was 0");
        assertThatThrownBy(() -> Pace.bursts(1, 0)).hasMessageContaining("group must be from 1 to 65536, but was 0");
    }

    /** The receiver computes when each was due: of a whole burst at its beginning, of the next burst an interval later. */
    @Test
    void wordsAreAsLateAsEventsThatCarryTheirTimes() throws Exception {
        long each = TimeUnit.MICROSECONDS.toNanos(10);
        int size = 10;
        Lane.Transport slow = spoiled(value -> {
            spinFor(each);
            return value;
        });
        Lane.Transport transport = (receiver, core) -> slow.open(withoutTimes(receiver), core);
        OpenLoop loop = OpenLoop.ofWords(transport, Pace.bursts(1_000, size));
        double median = loop.sample(10 * SAMPLE_NANOS);
        Histogram histogram = Times.read(loop.detail());
        assertThat(histogram.getTotalCount()).isEqualTo(100);
        assertThat(histogram.getMinValue()).isGreaterThanOrEqualTo((long) (each * 0.99));
        assertThat(median).isGreaterThanOrEqualTo(each * size / 2.0 * 0.99);
        assertThat(last(loop)).isGreaterThanOrEqualTo(each * size * 0.99);
        // of a burst that is taken to be due an interval too early, every event would be late by that
        assertThat(median).isLessThan((double) SAMPLE_NANOS);
    }

    private static Lane.Receiver withoutTimes(Lane.Receiver receiver) {
        return new Lane.Receiver() {
            @Override
            public void begin() {
                receiver.begin();
            }

            @Override
            public void received(long value, long time) {
                receiver.received(value, Long.MIN_VALUE);
            }
        };
    }

    private static double last(OpenLoop loop) {
        return Double.parseDouble(loop.detail().replaceFirst(".* last=", ""));
    }

    private static void spinFor(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    /** A receiver that stands still for a while makes all that is due meanwhile late: no coordinated omission. */
    @Test
    void whatIsDueDuringAPauseIsLateByTheRestOfIt() throws Exception {
        long pause = TimeUnit.MILLISECONDS.toNanos(20);
        Lane.Transport transport = spoiled(value -> {
            if (value == 5_000) {
                spinFor(pause);
            }
            return value;
        });
        OpenLoop loop = new OpenLoop(transport, Pace.even(1_000_000));
        loop.sample(SAMPLE_NANOS);
        Histogram histogram = Times.read(loop.detail());
        assertThat(histogram.getMaxValue()).isGreaterThanOrEqualTo(pause * 9 / 10);
        // about 6,000 events were due in what remained of the sample: at least a third are late by half of the pause
        assertThat(histogram.getCountBetweenValues(pause / 2, Times.histogram().getHighestTrackableValue()))
                .isGreaterThan(2_000);
    }
}
