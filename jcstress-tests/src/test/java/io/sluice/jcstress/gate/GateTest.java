package io.sluice.jcstress.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.Proof;
import io.sluice.jcstress.core.SequenceReleaseTest;
import io.sluice.jcstress.ringbuffer.DrainTest;
import io.sluice.jcstress.twin.Catalogue;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/** The gate's own decisions: what it must not let through. */
@Tag("once")
class GateTest {
    private static final StressTest TEST =
            new StressTest("io.sluice.jcstress.core.T", 2, "claim", List.of("0, 1"), List.of("sequence-release"));
    private static final Sampled GOOD = new Sampled(14, Map.of("0, 1", 3L, "1, 1", 5L), List.of(), List.of());

    @Test
    void everyTestSaysWhatItProvesAndEveryTwinIsNamedByATest() throws Exception {
        List<StressTest> all = StressTest.all();
        assertThat(all).isNotEmpty();
        assertThat(Jcstress.checkTwins(all)).isEmpty();
    }

    @Test
    void aTestWithoutProofIsRefused() {
        assertThatThrownBy(() -> StressTest.of(String.class, 2)).hasMessageContaining("no Proof");
    }

    @Test
    void anOverlapThatIsNoAcceptableOutcomeIsRefused() {
        assertThatThrownBy(() -> StressTest.of(WrongOverlap.class, 2)).hasMessageContaining("'5'");
    }

    @Test
    void aTestWithoutTwinIsRefused() {
        assertThatThrownBy(() -> StressTest.of(NoTwin.class, 2)).hasMessageContaining("no twin");
    }

    @Outcome(id = "1", expect = Expect.ACCEPTABLE)
    @Proof(claim = "c", overlap = "5", twins = "t")
    private static final class WrongOverlap {}

    @Outcome(id = "1", expect = Expect.ACCEPTABLE)
    @Proof(
            claim = "c",
            overlap = "1",
            twins = {})
    private static final class NoTwin {}

    @Test
    void readsWhatATestSaysOfItself() {
        StressTest test = StressTest.of(SequenceReleaseTest.class, 2);
        assertThat(test.shortName()).isEqualTo("core.SequenceReleaseTest");
        assertThat(test.overlap()).containsExactly("-1, 8", "3, 7");
        assertThat(StressTest.selector(List.of(test, TEST)))
                .isEqualTo("^io\\.sluice\\.jcstress\\.core\\.SequenceReleaseTest$|^io\\.sluice\\.jcstress\\.core\\.T$");
    }

    @Test
    void knowsNestedTestsByTheNamesThatJcstressWrites() throws ClassNotFoundException {
        assertThat(StressTest.all())
                .extracting(StressTest::shortName)
                .contains("ringbuffer.DrainTest.Single", "ringbuffer.DrainTest.Multi", "core.SequenceReleaseTest");
        assertThat(StressTest.of(DrainTest.Multi.class, 2).name())
                .isEqualTo("io.sluice.jcstress.ringbuffer.DrainTest.Multi");
    }

    @Test
    void readsTheLastLineOfTotals() {
        assertThat(Totals.last(List.of(
                        "(Results: 1,428 planned; 1 passed, 0 failed, 0 soft errs, 0 hard errs)",
                        "other",
                        "(Results: 1,428 planned; 1,400 passed, 25 failed, 1 soft errs, 2 hard errs)")))
                .isEqualTo(new Totals(1428, 1400, 25, 3));
        assertThat(Totals.last(List.of("nothing"))).isNull();
    }

    @Test
    void whatJcstressLeavesOutIsAProblem() {
        Map<String, Sampled> run = Map.of(TEST.name(), GOOD);
        List<StressTest> tests = List.of(TEST);
        assertThat(Harness.miscounts(tests, Setting.DEFAULT, run, new Totals(14, 14, 0, 0)))
                .isEmpty();
        assertThat(Harness.miscounts(tests, Setting.DEFAULT, run, null)).hasSize(1);
        assertThat(Harness.miscounts(tests, Setting.DEFAULT, run, new Totals(28, 14, 0, 0)))
                .isNotEmpty();
        assertThat(Harness.miscounts(tests, Setting.tries(3), run, new Totals(14, 14, 0, 0)))
                .isNotEmpty();
        assertThat(Harness.miscounts(
                        tests, Setting.DEFAULT, Map.of(TEST.name(), Sampled.NOTHING), new Totals(0, 0, 0, 0)))
                .isNotEmpty();
        StressTest other = new StressTest("io.sluice.jcstress.core.U", 2, "claim", List.of("1"), List.of("t"));
        assertThat(Harness.miscounts(
                        List.of(TEST, other),
                        Setting.DEFAULT,
                        Map.of(TEST.name(), GOOD.plus(GOOD), other.name(), Sampled.NOTHING),
                        new Totals(28, 28, 0, 0)))
                .anyMatch(problem -> problem.startsWith("io.sluice.jcstress.core.U ran in 0"));
    }

    @Test
    void aForbiddenOutcomeAnErrorOrARaceThatWasNotMetFails() {
        assertThat(Verdict.reasons(TEST, GOOD)).isEmpty();
        assertThat(Verdict.reasons(TEST, Sampled.NOTHING)).contains("it did not run");
        assertThat(Verdict.reasons(TEST, new Sampled(14, Map.of("0, 1", 3L, "9, 9", 1L), List.of("9, 9"), List.of())))
                .containsExactly("forbidden outcome '9, 9', 1 times");
        assertThat(Verdict.reasons(TEST, new Sampled(14, Map.of("0, 1", 3L), List.of(), List.of("VM_ERROR x"))))
                .containsExactly("VM_ERROR x");
        assertThat(Verdict.reasons(TEST, new Sampled(14, Map.of("1, 1", 3L), List.of(), List.of())))
                .singleElement()
                .asString()
                .contains("race was not met");
    }

    @Test
    void aSurvivorAndAProblemEachCountAsAFailure() {
        Verdict verdict = new Verdict();
        verdict.sampled(TEST, GOOD);
        verdict.twin(TEST, Catalogue.row("sequence-release"), new Verdict.Fate(3, "3, 0"));
        assertThat(verdict.failed()).isZero();
        assertThat(verdict.report()).last().isEqualTo("2 passed, 0 failed, 0 skipped");
        verdict.twin(TEST, Catalogue.row("sequence-acquire"), new Verdict.Fate(0, ""));
        verdict.problem("left out");
        assertThat(verdict.failed()).isEqualTo(2);
        assertThat(verdict.report()).last().isEqualTo("2 passed, 2 failed, 0 skipped");
        assertThat(verdict.report()).anyMatch(line -> line.contains("SURVIVED"));
    }

    @Test
    void optionsAreChecked() throws UsageException {
        assertThat(Jcstress.Options.parse(List.of()).setting()).isSameAs(Setting.QUICK);
        Jcstress.Options tough = Jcstress.Options.parse(List.of("--tough", "-t", "core"));
        assertThat(tough.setting()).isSameAs(Setting.TOUGH);
        assertThat(tough.selected().test("io.sluice.core.X")).isTrue();
        assertThat(tough.selected().test("other")).isFalse();
        assertThatThrownBy(() -> Jcstress.Options.parse(List.of("--fast"))).hasMessageContaining("--fast");
        assertThatThrownBy(() -> Jcstress.Options.parse(List.of("-t"))).hasMessageContaining("-t");
        assertThatThrownBy(() -> Jcstress.Options.parse(List.of("-t", "("))).hasMessageContaining("(");
    }

    @Test
    void theVerbIsFound() {
        assertThat(StreamSupport.stream(ServiceLoader.load(Verb.class).spliterator(), false))
                .anyMatch(verb -> verb instanceof Jcstress
                        && verb.name().equals("jcstress")
                        && verb.usage().contains("--quick"));
    }
}
