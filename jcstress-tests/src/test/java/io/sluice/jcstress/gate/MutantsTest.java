package io.sluice.jcstress.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.gate.Mutants.Fate;
import io.sluice.jcstress.gate.Mutants.Result;
import io.sluice.jcstress.twin.Catalogue;
import io.sluice.jcstress.twin.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When the list of mutations is enough, and what the command line may say. */
@Tag("once")
class MutantsTest {
    private static final Row ROW = Catalogue.row("sequence-release");

    private static Result result(Fate fate) {
        return new Result(ROW, fate, "why", 1);
    }

    private static List<Result> caughtAnd(int caught, Fate... others) {
        List<Result> all = new ArrayList<>(Collections.nCopies(caught, result(Fate.CAUGHT)));
        for (Fate fate : others) {
            all.add(result(fate));
        }
        return all;
    }

    @Test
    void oneSurvivorWithoutExplanationIsTooMuch() {
        assertThat(Mutants.holds(caughtAnd(1))).isTrue();
        assertThat(Mutants.holds(List.of(result(Fate.PINNED)))).isTrue();
        assertThat(Mutants.holds(caughtAnd(1000, Fate.SURVIVED))).isFalse();
        assertThat(Mutants.holds(caughtAnd(1000, Fate.BROKEN))).isFalse();
        assertThat(Mutants.holds(List.of())).isFalse();
    }

    @Test
    void explainedSurvivorsAreAtMostFiveInAHundred() {
        assertThat(Mutants.holds(caughtAnd(19, Fate.HARMLESS))).isTrue();
        assertThat(Mutants.holds(caughtAnd(18, Fate.HARMLESS))).isFalse();
    }

    @Test
    void pinnedRowsDoNotMakeUpForSurvivors() {
        List<Result> results = new ArrayList<>(Collections.nCopies(1000, result(Fate.PINNED)));
        results.addAll(caughtAnd(18, Fate.HARMLESS));
        assertThat(Mutants.holds(results)).isFalse();
        results.add(result(Fate.CAUGHT));
        assertThat(Mutants.holds(results)).isTrue();
    }

    @Test
    void aPinnedRowThatATestCanSeeFails() {
        assertThat(Mutants.holds(List.of(result(Fate.NOT_SEEN)))).isTrue();
        assertThat(Mutants.holds(List.of(result(Fate.NOT_SEEN), result(Fate.SEEN))))
                .isFalse();
        assertThat(Mutants.report(List.of(result(Fate.NOT_SEEN), result(Fate.SEEN))))
                .contains("pinned rows before jcstress: 1 not seen, as expected; 1 seen, which are to become twins")
                .last()
                .isEqualTo("1 passed, 1 failed, 0 skipped");
    }

    @Test
    void theReportCountsPinnedRowsApart() {
        List<String> report = Mutants.report(caughtAnd(3, Fate.PINNED, Fate.SURVIVED, Fate.HARMLESS));
        assertThat(report).last().isEqualTo("4 passed, 1 failed, 0 skipped, 1 pinned");
        assertThat(report)
                .contains(
                        "5 mutations: 3 caught, 2 survived (1 of them explained), 0 broken; caught 60.0 %, demanded 95 %",
                        "apart from these, 1 pinned: no test notices them, the scan of the byte code does");
    }

    /** A pinned row that no jcstress test looks at would survive for want of a test. */
    @Test
    void eachPinnedRowIsRunBeforeTestsThatLookAtIt() throws Exception {
        List<StressTest> tests = StressTest.all();
        for (Row row : Catalogue.rows()) {
            if (row.layer() == Row.Layer.PINNED) {
                assertThat(Mutants.nearby(row, tests, 2)).as(row.name()).isNotEmpty();
            }
        }
        assertThat(Mutants.nearby(Catalogue.row("idle-word-opaque"), tests, 2))
                .extracting(StressTest::shortName)
                .contains("core.SignalledIdleTest");
    }

    @Test
    void optionsAreChecked() throws UsageException {
        Row pinned = Catalogue.row("idle-word-opaque");
        assertThat(Mutants.Options.parse(List.of()).selects(ROW)).isTrue();
        assertThat(Mutants.Options.parse(List.of()).pins()).isNull();
        assertThat(Mutants.Options.parse(List.of("--only", "idle")).selects(pinned))
                .isTrue();
        assertThat(Mutants.Options.parse(List.of("--only", "idle")).selects(ROW))
                .isFalse();
        assertThat(Mutants.Options.parse(List.of("--pins")).selects(ROW)).isFalse();
        assertThat(Mutants.Options.parse(List.of("--pins")).selects(pinned)).isTrue();
        assertThat(Mutants.Options.parse(List.of("--pins")).pins()).isSameAs(Setting.TOUGH);
        assertThat(Mutants.Options.parse(List.of("--pins", "--quick")).pins()).isSameAs(Setting.QUICK);
        assertThatThrownBy(() -> Mutants.Options.parse(List.of("--all"))).hasMessageContaining("--all");
        assertThatThrownBy(() -> Mutants.Options.parse(List.of("--only"))).hasMessageContaining("--only");
        assertThatThrownBy(() -> Mutants.Options.parse(List.of("--only", "("))).hasMessageContaining("(");
        assertThatThrownBy(() -> Mutants.Options.parse(List.of("--tough"))).hasMessageContaining("--pins");
    }

    @Test
    void theVerbIsFound() {
        assertThat(StreamSupport.stream(ServiceLoader.load(Verb.class).spliterator(), false))
                .anyMatch(verb -> verb instanceof Mutants
                        && verb.name().equals("mutants")
                        && verb.usage().contains("--only"));
    }
}
