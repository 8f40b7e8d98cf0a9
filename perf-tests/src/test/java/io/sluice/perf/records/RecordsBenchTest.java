package io.sluice.perf.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.records.RecordTable;
import io.sluice.perf.batching.Check;
import io.sluice.perf.records.RecordsBench.ObjectLine;
import io.sluice.perf.records.RecordsBench.Pass;
import io.sluice.perf.records.RecordsBench.TradesLine;
import io.sluice.perf.report.Machine;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the benchmark does and judges; not how fast this machine is just now. */
@Timeout(120)
@Tag("once")
class RecordsBenchTest {
    @Test
    void everyWayReadsWhatItWrote() throws Exception {
        for (String name : List.of("byte-buffer", "byte-buffer-direct", "codec", "codec-direct")) {
            Way<Serialisation.Item> way = Serialisation.way(name);
            for (int place = 0; place < Way.PLACES; place++) {
                assertThat(way.write(Serialisation.item(place), place)).as(name).isEqualTo(185);
            }
            for (int place = 0; place < Way.PLACES; place++) {
                assertThat(way.read(place).isSame(Serialisation.item(place)))
                        .as(name)
                        .isTrue();
            }
        }
    }

    /** It has no lengths of arrays, so it is shorter. What is read shares nothing with what was written. */
    @Test
    void theBoundCopiesBothWays() throws Exception {
        Way<Serialisation.Item> bound = Serialisation.way("bound");
        Serialisation.Item written = Serialisation.item(3);
        assertThat(bound.write(written, 3)).isEqualTo(177);
        written.prices()[0] = -1;
        Serialisation.Item read = bound.read(3);
        assertThat(read.isSame(Serialisation.item(3))).isTrue();
        read.quantities()[9] = -1;
        read.prices()[9] = -1;
        assertThat(bound.read(3).isSame(Serialisation.item(3))).isTrue();
    }

    @Test
    void theTableAndTheCheckNameTheBound() throws Exception {
        Pass pass = pass(200, 10, 2_000, 40, 20, 185, 299);
        assertThat(RecordsBench.checks(List.of(pass), true))
                .extracting(Check::what)
                .anyMatch(what -> what.contains("ByteBuffer by hand, at least 2; off the heap 1.0 (1.0 to 1.0) times;"
                        + " the bound 4.0 (4.0 to 4.0) times"));
        Machine machine = Machine.own("", "", List.of());
        RecordsBench.Result result = new RecordsBench.Result("", "", true, true, "", machine, List.of(pass), List.of());
        assertThat(RecordsBench.tables(result).get(1).rows())
                .contains(List.of("bound: copies of the arrays, objects that are read", "5.0", "5.0", "10.0", "177"));
    }

    /** Each child compares what it reads with what it wrote, and ends with an error if they differ. */
    @Test
    void eachWayToWriteAnObjectRunsInAJvmOfItsOwn() throws Exception {
        for (String way : List.of("java", "codec", "bound")) {
            ChildRun run = ChildRun.of(Serialisation.class, List.of("-Xmx64m"), way, "64");
            assertThat(run.numbers("round")).as(way).hasSize(7);
        }
        for (String way : List.of("java", "externalizable", "fory", "codec", "codec-slot")) {
            ChildRun run = ChildRun.of(ObjectGraphs.class, List.of("-Xmx256m"), way, "64");
            assertThat(run.numbers("round")).as(way).hasSize(7);
            assertThat(run.median("round", 2)).as(way + ", bytes").isBetween(100.0, 400.0);
        }
        assertThat(ObjectGraphs.CODEC.size()).isEqualTo(117);
    }

    @Test
    void aWayThatReadsSomethingElseIsAnError() {
        Way<Integer> wrong = new Way<>() {
            @Override
            public int write(Integer object, int place) {
                return 4;
            }

            @Override
            public Integer read(int place) {
                return place == 63 ? 0 : place;
            }
        };
        assertThatThrownBy(() -> Way.run(wrong, i -> i, Integer::equals, 64, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("read something else than was written");
    }

    @Test
    void aTradeTakes42BytesAndATableHoldsWhatWasFilledIn() {
        assertThat(Trades.CODEC.size()).isEqualTo(42);
        try (RecordTable<Trades.Trade> table = RecordTable.onHeap(Trades.CODEC, 5)) {
            Trades.fill(table);
            assertThat(table.get(3)).isEqualTo(new Trades.Trade(3, 1, 123, 321, 3, 3, 'S'));
            assertThat(Trades.scan(table)).isEqualTo(0 - 1 + 4 - 9 + 16);
        }
    }

    @Test
    void eachWayToHoldTradesRunsInAJvmOfItsOwn() throws Exception {
        for (String how : List.of("objects", "kept", "anew", "anew-on-heap")) {
            ChildRun run = ChildRun.of(Trades.class, List.of("-Xmx64m"), how, "1000", "3");
            assertThat(run.numbers("first")).as(how).hasSize(1);
            assertThat(run.numbers("round")).as(how).hasSize(2);
            assertThat(run.median("round", 0)).as(how).isPositive();
        }
    }

    @Test
    void theLongestPauseIsThatOfTheLog() {
        assertThat(ChildRun.longest(List.of(
                        "[0.1s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(64M) 2.125ms",
                        "[0.2s][info][gc] GC(1) Pause Full (System.gc()) 24M->3M(64M) 12.500ms",
                        "[0.3s][info][gc] GC(2) Concurrent Mark Cycle 99.000ms")))
                .isEqualTo(12.5);
    }

    @Test
    void whatHasToHold() {
        assertThat(checks(false, pass(200, 10, 2_000, 40, 20, 185, 299)))
                .containsExactly(true, true, true, true, true, true, true, true, true);
        assertThat(checks(false, pass(201, 11, 2_000, 40, 21, 186, 300)))
                .containsExactly(false, true, false, false, false, false, false, false, true);
        assertThat(checks(true, pass(201, 10, 2_000, 40, 20, 185, 299)))
                .containsExactly(true, true, true, true, true, true, true, true);
    }

    @Test
    void aRatioIsTheMedianOfThoseOfThePasses() {
        Pass slow = pass(200, 10, 1_999, 40, 20, 185, 299);
        Pass fast = pass(200, 10, 2_000, 40, 20, 185, 299);
        assertThat(checks(false, slow, fast, fast)).doesNotContain(false);
        assertThat(checks(false, slow, fast, slow)).containsOnlyOnce(false);
    }

    private static List<Boolean> checks(boolean quick, Pass... passes) {
        return RecordsBench.checks(List.of(passes), quick).stream()
                .map(Check::holds)
                .toList();
    }

    private static Pass pass(
            double kept, double pause, double java, double buffer, double codec, int bytes, double graph) {
        return new Pass(
                List.of(
                        new TradesLine("objects", 0, 900, 100, 300),
                        new TradesLine("kept", 0, kept / 2, kept / 2, pause),
                        new TradesLine("anew", 0, 100, 100, 1_000),
                        new TradesLine("anew-on-heap", 0, 100, 100, 1_000)),
                List.of(
                        new ObjectLine("java", java / 2, java / 2, 340),
                        new ObjectLine("byte-buffer", buffer / 2, buffer / 2, 185),
                        new ObjectLine("codec", codec / 2, codec / 2, bytes),
                        new ObjectLine("byte-buffer-direct", 1, 1, 185),
                        new ObjectLine("codec-direct", 1, 1, 185),
                        new ObjectLine("bound", 5, 5, 177)),
                List.of(
                        new ObjectLine("java", 1, 1, 319),
                        new ObjectLine("externalizable", 1, 1, 205),
                        new ObjectLine("codec", 1, 1, 117),
                        new ObjectLine("fory", graph / 2, graph / 2, 200),
                        new ObjectLine("codec-slot", graph / 2, graph / 2, 117)));
    }
}
