package io.sluice.perf.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.records.RecordTable;
import io.sluice.perf.batching.Check;
import io.sluice.perf.records.RecordsBench.ObjectLine;
import io.sluice.perf.records.RecordsBench.TradesLine;
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
        for (String name : List.of("java", "byte-buffer", "byte-buffer-direct", "codec", "codec-direct")) {
            Serialisation.Way way = Serialisation.way(name);
            for (int place = 0; place < Serialisation.PLACES; place++) {
                int bytes = way.write(Serialisation.item(place), place);
                assertThat(bytes).as(name).isBetween(185, name.equals("java") ? 1_000 : 185);
            }
            for (int place = 0; place < Serialisation.PLACES; place++) {
                assertThat(way.read(place).isSame(Serialisation.item(place)))
                        .as(name)
                        .isTrue();
            }
        }
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
        for (String how : List.of("objects", "kept", "anew")) {
            ChildRun run = ChildRun.of(Trades.class, List.of("-Xmx64m"), how, "1000", "3");
            assertThat(run.numbers("round")).as(how).hasSize(3);
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
        TradesLine objects = new TradesLine("objects", 900, 100, 300);
        TradesLine slow = new TradesLine("kept", 100, 101, 11);
        TradesLine fast = new TradesLine("kept", 100, 100, 10);
        assertThat(RecordsBench.tradeChecks(List.of(objects, fast, slow), false))
                .extracting(Check::holds)
                .containsExactly(true, true, true);
        assertThat(RecordsBench.tradeChecks(List.of(objects, slow, slow), false))
                .extracting(Check::holds)
                .containsExactly(false, true, false);
        assertThat(RecordsBench.tradeChecks(List.of(objects, slow, slow), true))
                .extracting(Check::holds)
                .containsExactly(true, false);
        ObjectLine java = new ObjectLine("java", 1_000, 1_000, 340);
        ObjectLine buffer = new ObjectLine("byte-buffer", 20, 20, 185);
        assertThat(RecordsBench.objectChecks(List.of(java, buffer, new ObjectLine("codec", 10, 10, 185))))
                .extracting(Check::holds)
                .containsExactly(true, true, true);
        assertThat(RecordsBench.objectChecks(List.of(java, buffer, new ObjectLine("codec", 10, 11, 186))))
                .extracting(Check::holds)
                .containsExactly(false, false, false);
    }
}
