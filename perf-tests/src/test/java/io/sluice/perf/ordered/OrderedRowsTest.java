package io.sluice.perf.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.ordered.TicketMode;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.Target;
import io.sluice.perf.compare.Times;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every contestant of {@code ./sluice bench ordered} puts out every item, in order; what they measure is not looked at. */
@Timeout(120)
class OrderedRowsTest {
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(5);

    @TestFactory
    @Tag("once")
    Stream<DynamicTest> everyContestantRuns() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : Rows.suite(OrderedRows.SUITE)) {
            for (Entry entry : row.entries()) {
                tests.add(DynamicTest.dynamicTest(row.id() + " " + entry.id(), () -> {
                    Contestant contestant = entry.maker().make();
                    double figure = contestant.sample(SHORT);
                    // on a busy machine a sample may be over before its first item came; then the next is longer
                    for (long nanos = 4 * SHORT; figure == 0 && nanos < LONGEST; nanos *= 4) {
                        figure = contestant.sample(nanos);
                    }
                    assertThat(figure).isPositive().isFinite();
                }));
            }
        }
        return tests.stream();
    }

    @Test
    void itsRowsAreWhatIsToBeShown() {
        List<Row> rows = Rows.suite(OrderedRows.SUITE);
        assertThat(rows)
                .extracting(Row::id)
                .containsExactly(
                        "ordered-1",
                        "ordered-2",
                        "ordered-delay-50",
                        "ordered-delay-99",
                        "ordered-work-1",
                        "ordered-work-20",
                        "ordered-work-5");
        for (Row row : rows) {
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            assertThat(ids)
                    .contains(row.reference(), "sluice", "sluice-unchecked", "published", "synchronized", "sequencer")
                    .doesNotHaveDuplicates();
            for (Target target : row.targets()) {
                assertThat(ids).contains(target.contestant(), target.peer());
                assertThat(target.atMost()).isEqualTo(row.lessIsBetter());
            }
        }
        Map<String, Double> work = Map.of("ordered-work-1", 0.90, "ordered-work-5", 0.97, "ordered-work-20", 0.99);
        work.forEach((id, must) ->
                assertThat(row(rows, id).targets()).containsExactly(Target.atLeast("sluice", "unordered", must, 1.0)));
        assertThat(row(rows, "ordered-1").targets())
                .extracting(Target::contestant, Target::peer, Target::must)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("sluice", "published", 1.5),
                        org.assertj.core.groups.Tuple.tuple("sluice-unchecked", "published", 2.0),
                        org.assertj.core.groups.Tuple.tuple("sluice", "synchronized", 1.5));
    }

    private static Row row(List<Row> rows, String id) {
        return rows.stream().filter(row -> row.id().equals(id)).findFirst().orElseThrow();
    }

    @Test
    void badUsageIsRefused() {
        assertThatThrownBy(() -> new Bench().run(List.of("ordered", "--fast")))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith("but one was '--fast'");
        assertThatThrownBy(() -> new Bench().run(List.of("ordered", "--peers", "nobody")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--peers must name contestants of row ordered-1");
        assertThatThrownBy(() -> new Bench().run(List.of("ordered", "--svg", System.getProperty("java.io.tmpdir"))))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--svg must name a file");
        assertThatThrownBy(() -> new Bench().run(List.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("ordered");
        assertThat(new Bench().usage()).contains("./sluice bench ordered");
    }

    // ---- the means

    @Test
    void theOutputNoticesWhatIsWrong() {
        for (long[] tickets : new long[][] {{0, 2, 1}, {0, 1, 1}, {1, 0, 2}, {0, 1}, {0, 1, 2, 3}, {}}) {
            CheckedOutput output = new CheckedOutput();
            for (long ticket : tickets) {
                output.on(ticket, Item.of(ticket));
            }
            assertThatThrownBy(() -> output.check(3))
                    .as(Arrays.toString(tickets))
                    .isInstanceOf(Exception.class);
        }
        CheckedOutput wrongValue = new CheckedOutput();
        wrongValue.on(0, Item.of(0) + 1);
        assertThatThrownBy(() -> wrongValue.check(1)).hasMessageContaining("their sum is 2 and must be 1");
        CheckedOutput good = new CheckedOutput();
        long sum = 0;
        for (long ticket = 0; ticket < 1_001; ticket++) {
            good.on(ticket, Item.of(ticket));
            sum += Item.of(ticket);
            assertThat(Item.ticket(Item.of(ticket))).isEqualTo(ticket);
            assertThat(Item.sum(ticket + 1)).isEqualTo(sum);
        }
        good.check(1_001);
    }

    @Test
    void anUnorderedLaneIsNotTakenForAnOrderedOne() {
        Entry entry = Rate.entry("x", "x", 1, Workload.inOrder(), output -> new UnorderedLane());
        assertThatThrownBy(() -> entry.maker().make().sample(1_000_000)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ordersArePermutations() {
        byte[] orders = Orders.of(3);
        assertThat(orders.length % Orders.HANDFUL).isZero();
        boolean mixed = false;
        for (int at = 0; at < orders.length; at += Orders.HANDFUL) {
            byte[] one = Arrays.copyOfRange(orders, at, at + Orders.HANDFUL);
            mixed |= one[0] != 0;
            Arrays.sort(one);
            for (int i = 0; i < Orders.HANDFUL; i++) {
                assertThat(one[i]).isEqualTo((byte) i);
            }
        }
        assertThat(mixed).isTrue();
    }

    /** Item 1 is finished first, so 0 and 1 can be put out at 100, 2 at 150; what takes very long is counted apart. */
    @Test
    void delaysCountFromWhenAllBeforeWereFinished() {
        long[] finished = {100, 50, 150, 200};
        long[] released = {110, 130, 150, 200 + 2 * Delay.PREEMPTED_NANOS};
        Histogram delays = Delay.delays(finished, released, 4);
        assertThat(delays.getTotalCount()).isEqualTo(4);
        assertThat(delays.getValueAtPercentile(50)).isEqualTo(10);
        assertThat(Delay.preempted(delays)).isEqualTo(1);
        assertThat(Delay.percentile(delays, 99)).as("one in four").isGreaterThan(Delay.PREEMPTED_NANOS);
    }

    @Test
    void atMostOneDelayInAThousandIsCountedApart() {
        Histogram delays = Times.histogram();
        delays.recordValueWithCount(30, 1_998);
        Times.record(delays, 2 * Delay.PREEMPTED_NANOS);
        Times.record(delays, 3 * Delay.PREEMPTED_NANOS);
        assertThat(Delay.preempted(delays)).isEqualTo(2);
        assertThat(Delay.percentile(delays, 100)).as("two in two thousand").isEqualTo(30);
        Times.record(delays, 3 * Delay.PREEMPTED_NANOS);
        assertThat(Delay.percentile(delays, 100)).as("one more").isGreaterThan(2.0 * Delay.PREEMPTED_NANOS);
    }

    // ---- the bound

    @Test
    void theBoundsTakeEachTicketInItsTurnOnly() throws InterruptedException {
        for (Lane.Maker maker : List.<Lane.Maker>of(BareLane.one(), BareLane.two(), DutiesLane::new)) {
            List<Long> out = new ArrayList<>();
            Output output = (ticket, value) -> out.add(ticket);
            try (Lane lane = maker.make(output)) {
                Item item = new Item(output);
                for (long ticket = 0; ticket < 2L * Lane.WINDOW; ticket++) {
                    assertThat(lane.take(1)).isEqualTo(ticket);
                    lane.complete(ticket, item.fill(ticket));
                    assertThat(out).hasSize((int) ticket + 1).endsWith(ticket);
                }
                lane.awaitOutput(2L * Lane.WINDOW);
                assertThatThrownBy(() -> lane.awaitOutput(5)).hasMessage("not 5 items were put out");
                assertThatThrownBy(() -> lane.complete(3, item.fill(3)))
                        .hasMessage("ticket must have the turn, but 3 has not");
            }
        }
    }

    // ---- the peer

    @Test
    void thePublishedAlgorithmIsWhatItsDescriptionSays() {
        List<Long> done = new ArrayList<>();
        PublishedScheduler scheduler = new PublishedScheduler(4);
        assertThat(scheduler.run(1, () -> done.add(1L))).as("left for its turn").isFalse();
        assertThat(scheduler.run(3, () -> done.add(3L))).isFalse();
        assertThat(done).isEmpty();
        assertThat(scheduler.run(0, () -> done.add(0L))).as("runs 0 and 1").isTrue();
        assertThat(done).containsExactly(0L, 1L);
        assertThat(scheduler.tail()).isEqualTo(2);
        assertThat(scheduler.run(2, () -> {
                    done.add(2L);
                    throw new IllegalStateException("dropped");
                }))
                .isTrue();
        assertThat(scheduler.run(4, () -> done.add(4L))).as("a slot again").isTrue();
        assertThat(done).containsExactly(0L, 1L, 2L, 3L, 4L);
        scheduler.run(6, () -> {});
        assertThatThrownBy(() -> scheduler.run(6, () -> {})).hasMessage("ticket 6 was completed twice");
    }

    @Test
    void aLaneWithItsOwnTicketsTakesThemOneByOne() {
        try (Lane lane = SchedulerLane.of(TicketMode.MANY, false, false).make((ticket, value) -> {})) {
            assertThatThrownBy(() -> lane.take(2))
                    .hasMessageContaining("count must be 1 with tickets of the scheduler, but was 2");
        }
    }

    @Test
    void theGatherersArePartOfItWhereTheJdkHasThem() {
        assertThat(Stage.available())
                .extracting(Stage::id)
                .filteredOn("gatherers"::equals)
                .hasSize(Runtime.version().feature() >= 24 ? 1 : 0);
    }
}
