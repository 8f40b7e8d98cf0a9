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
    void theReportCountsThem() {
        List<String> report = Mutants.report(caughtAnd(3, Fate.PINNED, Fate.SURVIVED, Fate.HARMLESS));
        assertThat(report).last().isEqualTo("5 passed, 1 failed, 0 skipped");
        assertThat(report)
                .anyMatch(
                        line -> line.startsWith(
                                "6 mutations: 3 caught, 1 pinned, 2 survived (1 of them explained), 0 broken; caught or pinned 66.7 %"));
    }

    @Test
    void optionsAreChecked() throws UsageException {
        assertThat(Mutants.selection(List.of()).test("any")).isTrue();
        assertThat(Mutants.selection(List.of("--only", "idle")).test("idle-x")).isTrue();
        assertThat(Mutants.selection(List.of("--only", "idle")).test("x")).isFalse();
        assertThatThrownBy(() -> Mutants.selection(List.of("--all"))).hasMessageContaining("--all");
        assertThatThrownBy(() -> Mutants.selection(List.of("--only"))).hasMessageContaining("--only");
        assertThatThrownBy(() -> Mutants.selection(List.of("--only", "("))).hasMessageContaining("(");
    }

    @Test
    void theVerbIsFound() {
        assertThat(StreamSupport.stream(ServiceLoader.load(Verb.class).spliterator(), false))
                .anyMatch(verb -> verb instanceof Mutants
                        && verb.name().equals("mutants")
                        && verb.usage().contains("--only"));
    }
}
