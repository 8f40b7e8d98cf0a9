package io.sluice.perf.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.RecordedMeasurements;
import io.sluice.perf.compare.Visited;
import io.sluice.perf.lab.Section.Outcome;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each experiment at toy size, with its own check, and what the lab makes of figures. */
@Tag("once")
class LabTest {
    private static final Band ANY = new Band(0, Double.MAX_VALUE);

    static Stream<String> contestants() {
        return Experiments.ALL.stream()
                .flatMap(experiment -> experiment.row().entries().stream()
                        .filter(entry -> !entry.id().equals("all-large")) // 512 MiB
                        .filter(entry -> entry.flags().isEmpty()) // they need a JVM of their own
                        .map(entry -> experiment.name() + "/" + entry.id()));
    }

    private static Experiment experiment(String name) {
        return Experiments.ALL.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void aContestantMeasuresAtToySizeAndItsSumsAreRight(String which) throws Exception {
        String[] parts = which.split("/", -1);
        Entry entry = experiment(parts[0]).row().entries().stream()
                .filter(one -> one.id().equals(parts[1]))
                .findFirst()
                .orElseThrow();
        Contestant contestant = entry.maker().make();
        for (int i = 0; i < 2; i++) {
            assertThat(contestant.sample(TimeUnit.MILLISECONDS.toNanos(2)))
                    .isPositive()
                    .isFinite();
        }
        contestant.finish();
    }

    @ParameterizedTest
    @EnumSource(Blobs.Form.class)
    void recordsSurviveACollectionInEachForm(Blobs.Form form) throws Exception {
        assertThat(new Blobs(form, 10_000).sample(1)).isPositive();
    }

    @Test
    void aCounterThatLosesAnAdditionIsFound() {
        Contended lossy = new Contended(2, ToAndFro.platform(), () -> new Contended.Shared() {
            private final Counters.GetAndAdd counter = new Counters.GetAndAdd();

            @Override
            public void add(int times) {
                counter.add(times);
            }

            @Override
            public long count() {
                return counter.count() - 1;
            }
        });
        assertThatThrownBy(() -> lossy.sample(1_000_000)).hasMessageContaining("but together they have");
    }

    @Test
    void aCounterOfSeveralThreadsWithoutALockIsFound() {
        Contended lossy = new Contended(2, ToAndFro.platform(), Counters.Plain::new);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 200; i++) {
                        lossy.sample(TimeUnit.MILLISECONDS.toNanos(5));
                    }
                })
                .hasMessageContaining("the threads counted");
    }

    @Test
    void aNumberThatComesBackWrongIsFound() {
        ToAndFro wrong = new ToAndFro(
                () -> new Baton() {
                    private final Baton.Monitor monitor = new Baton.Monitor();

                    @Override
                    public void give(int to, long value) {
                        monitor.give(to, to == 0 && value == 5 ? 6 : value);
                    }

                    @Override
                    public long take(int me, long last) throws InterruptedException {
                        return monitor.take(me, last);
                    }
                },
                false,
                ToAndFro.platform());
        assertThatThrownBy(() -> wrong.sample(1_000_000)).hasRootCauseMessage("number 6 came back, but 5 was sent");
    }

    @Test
    void everyRuleAndFigureNamesAContestant() {
        Set<String> names = new HashSet<>();
        for (Experiment experiment : Experiments.ALL) {
            assertThat(names.add(experiment.name())).isTrue();
            assertThat(experiment.shows()).as(experiment.name()).hasSize(3);
            List<String> ids =
                    experiment.row().entries().stream().map(Entry::id).toList();
            assertThat(ids).doesNotHaveDuplicates().contains(experiment.row().reference());
            experiment.musts().forEach(must -> assertThat(ids).contains(must.less(), must.more()));
            experiment.published().forEach(one -> assertThat(ids).contains(one.contestant()));
            experiment.published().forEach(one -> assertThat(one.words()).containsPattern("20[01][0-9]"));
        }
        long all = Experiments.ALL.stream()
                .mapToLong(experiment -> experiment.seconds(Experiment.Size.QUICK))
                .sum();
        assertThat(all).as("seconds of all, quick").isLessThan(600);
    }

    /** The first contestant has these figures, one a round; the others have 5. */
    private static Measurement measurement(Experiment experiment, double... firstOfRounds) {
        List<Measurement.Sample> samples = new ArrayList<>();
        for (int round = 0; round < firstOfRounds.length; round++) {
            List<Entry> entries = experiment.row().entries();
            for (int i = 0; i < entries.size(); i++) {
                double value = i == 0 ? firstOfRounds[round] : 5;
                samples.add(new Measurement.Sample(round, 0, entries.get(i).id(), value, 60, 60, ""));
            }
        }
        return RecordedMeasurements.of(samples);
    }

    private static Outcome outcome(double... firstOfRounds) throws Exception {
        Section section =
                Section.of(experiment("dispatch"), measurement(experiment("dispatch"), firstOfRounds), 2, false);
        return section.verdicts().get(0).outcome();
    }

    @Test
    void anOrderIsContradictedOnlyWhereThreeOfFourRoundsDoSo() throws Exception {
        assertThat(outcome(1, 1, 1, 1, 9)).isEqualTo(Outcome.HOLDS);
        assertThat(outcome(1, 1, 9, 9)).isEqualTo(Outcome.OPEN);
        assertThat(outcome(1, 9, 9, 9, 9)).isEqualTo(Outcome.CONTRADICTED);
        assertThat(outcome(5, 5, 5, 5)).as("the same").isEqualTo(Outcome.HOLDS);
    }

    @Test
    void anOrderBetweenCoresIsNotAskedForOnOne() throws Exception {
        Experiment spin = experiment("condition");
        Measurement measurement = measurement(spin, 9, 9, 9, 9);
        assertThat(Section.of(spin, measurement, 2, false).isContradicted()).isTrue();
        Section one = Section.of(spin, measurement, 1, false);
        assertThat(one.verdicts()).isEmpty();
        assertThat(one.cores()).startsWith("one core");
        assertThat(one.isSound()).isTrue();
    }

    @Test
    void whatIsContradictedIsMeasuredOnceMoreAndThatCounts() throws Exception {
        AtomicInteger times = new AtomicInteger();
        Lab.Result better = measure(experiment -> measurement(experiment, times.incrementAndGet() == 1 ? 9 : 1));
        assertThat(times).hasValue(2);
        assertThat(better.experiments()).singleElement().satisfies(section -> {
            assertThat(section.repeated()).isTrue();
            assertThat(section.isSound()).isTrue();
        });
        Lab.Result worse = measure(experiment -> measurement(experiment, 9));
        assertThat(worse.experiments().get(0).isSound()).isFalse();
        assertThat(worse.summary()).endsWith("not sound: dispatch.");
    }

    @Test
    void aContestantWhoseSumsAreWrongFailsItsExperiment() throws Exception {
        Lab.Result failed = measure(experiment -> {
            throw new IOException("the sum was wrong");
        });
        assertThat(failed.experiments().get(0).isSound()).isFalse();
        assertThat(LabPage.of(failed)).contains("It failed: java.io.IOException: the sum was wrong");
    }

    private interface Measuring {
        Measurement of(Experiment experiment) throws Exception;
    }

    private static Lab.Result measure(Measuring measuring) throws Exception {
        return Lab.measure(
                List.of(experiment("dispatch")),
                Experiment.Size.QUICK,
                true,
                Machine.own("./sluice lab dispatch", "pinned", List.of()),
                (experiment, size) -> {
                    try {
                        return measuring.of(experiment);
                    } catch (IOException | InterruptedException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                new Interruption("lab"));
    }

    @Test
    void onlyNearRoundsCountWhereThereAreEnough() throws Exception {
        Experiment dispatch = experiment("dispatch");
        assertThat(Section.of(dispatch, measurement(dispatch, 1, 1, 1, 1), 2, false)
                        .cores())
                .contains("only they count");
        assertThat(Section.of(dispatch, measurement(dispatch, 1, 1, 1), 2, false)
                        .cores())
                .contains("all samples count");
    }

    @Test
    void thePageHasASectionAPlotAndThePublishedFigureOfEachExperiment() throws Exception {
        List<Section> sections = new ArrayList<>();
        for (Experiment experiment : Experiments.ALL) {
            sections.add(
                    experiment.name().equals("notify")
                                    || experiment.name().equals("xadd")
                                    || experiment.name().equals("locks")
                            ? Section.failed(experiment, "not measured here")
                            : Section.of(experiment, measurement(experiment, 1, 2, 1, 2, 1), 2, false));
        }
        Lab.Result result = new Lab.Result(
                "title",
                "2026-01-01",
                true,
                true,
                Lab.summary(sections),
                Machine.own("./sluice lab all", "pinned", List.of()),
                sections);
        String html = LabPage.of(result);
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        html.replace("<!DOCTYPE html>", "").getBytes(StandardCharsets.UTF_8)));
        assertThat(html).doesNotContain("<script").doesNotContain("src=");
        for (Section section : sections) {
            assertThat(html).contains("<h2>" + section.name() + ": ").contains(section.claim());
        }
        assertThat(html).contains("3.1 billion calls a second").contains("prefers-color-scheme: dark");
        assertThat(Json.text(result)).contains("\"name\" : \"dispatch\"").contains("\"outcome\" : \"HOLDS\"");
    }

    @Test
    void theDriverMeasuresAnExperimentInJvmsOfTheirOwn(@TempDir Path logs) throws Exception {
        Experiment dispatch = experiment("dispatch");
        Driver driver = new Driver(
                Path.of(System.getProperty("java.home")),
                List.of("-Xms64m", "-Xmx64m", "-XX:-AlwaysPreTouch"),
                logs,
                1,
                ANY,
                line -> {});
        List<Visited> two = dispatch.row().entries().stream()
                .filter(entry -> entry.id().equals("one") || entry.id().equals("four"))
                .map(Visited::shipped)
                .toList();
        Measurement measurement = driver.measure(dispatch.row(), two, 2, 1);
        Section section = Section.of(dispatch, measurement, 2, false);
        assertThat(section.figures()).extracting(Section.Figure::id).containsExactly("one", "four");
        assertThat(section.figures()).allSatisfy(figure -> {
            assertThat(figure.rounds()).isEqualTo(2);
            assertThat(figure.median()).isPositive();
            assertThat(figure.ratio()).isPositive();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "all nonsense",
                "memory --quick --full",
                "--json",
                "memory --near 3",
                "batching memory",
                "journal --near 3"
            })
    void badUsageIsRefused(String line) {
        assertThatThrownBy(() -> new Lab().run(List.of(line.split(" ", -1)))).isInstanceOf(UsageException.class);
    }

    @Test
    void withoutANameTheExperimentsAreListed() throws Exception {
        assertThat(new Lab().run(List.of())).isEqualTo(Verb.DONE);
    }
}
