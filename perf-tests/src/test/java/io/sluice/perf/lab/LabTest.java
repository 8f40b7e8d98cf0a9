package io.sluice.perf.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.code.MachineCode;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.RecordedMeasurements;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Times;
import io.sluice.perf.compare.Visited;
import io.sluice.perf.jmh.JmhContestant;
import io.sluice.perf.lab.Section.Outcome;
import io.sluice.perf.report.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
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
        Settings.jobs(20_000);
        Settings.trades(20_000);
        return Experiments.ALL.stream()
                .filter(experiment -> !Toy.APART.contains(experiment.name()))
                .flatMap(experiment ->
                        experiment.row().entries().stream().map(entry -> experiment.name() + "/" + entry.id()));
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
        Toy.run(entry);
    }

    @ParameterizedTest
    @EnumSource(Blobs.Form.class)
    void recordsSurviveACollectionInEachForm(Blobs.Form form) throws Exception {
        assertThat(new Blobs(form, 10_000).sample(1)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Walk.Order.class)
    void aSmallTableIsWalkedInEachOrderAndBothWays(Walk.Order order) throws Exception {
        for (boolean chained : new boolean[] {true, false}) {
            Walk walk = new Walk(order, 64 << 10, chained);
            JmhContestant contestant = new JmhContestant(() -> walk, Walk.STEPS);
            for (int i = 0; i < 2; i++) {
                assertThat(contestant.sample(1_000_000)).isPositive().isFinite();
            }
        }
        assertThatThrownBy(() -> new Walk(order, 12_288, true)).hasMessageContaining("but was 12288");
    }

    /** What one thread does by itself; what several do, and the ring's whole loop, stays with the harness. */
    @Test
    void singleOperationsAreTimedByJmhAndTheReportSaysWhich() throws Exception {
        Settings.choose(Settings.DEFAULT_LIVE_MIB, false);
        Set<String> byJmh = new HashSet<>();
        for (Experiment experiment : Experiments.ALL) {
            for (Entry entry : experiment.row().entries()) {
                if (JmhContestant.times(entry)) {
                    byJmh.add(experiment.name() + "/" + entry.id());
                }
            }
        }
        assertThat(byJmh)
                .contains(
                        "single-writer/plain",
                        "single-writer/release",
                        "single-writer/volatile",
                        "single-writer/cas",
                        "single-writer/add",
                        "single-writer/lock",
                        "xadd/add-1",
                        "xadd/cas-1",
                        "locks/synchronized-1",
                        "locks/reentrant-1",
                        "locks/stamped-1",
                        "locks/spin-1",
                        "memory/linear",
                        "memory/page",
                        "memory/all",
                        "memory/chain-linear",
                        "memory/chain-page",
                        "memory/chain-all",
                        "dispatch/one",
                        "dispatch/two",
                        "dispatch/three",
                        "dispatch/four",
                        "dispatch/one-after-four",
                        "dispatch/two-after-four",
                        "serialise/java",
                        "serialise/byte-buffer",
                        "serialise/codec")
                .allMatch(name -> name.matches("(single-writer|xadd|locks|memory|dispatch|serialise)/.*"))
                .noneMatch(name -> name.endsWith("-2") || name.contains("virtual") || name.contains("ring"));
        Experiment dispatch = experiment("dispatch");
        assertThat(Section.of(dispatch, measurement(dispatch, 1, 1, 1, 1), 2, false)
                        .notes())
                .anyMatch(note ->
                        note.startsWith("Timed by JMH, in one thread: 1 class; 2 classes;") && !note.contains("ring"));
    }

    @Test
    void tablesGrowWithTheMemory() {
        long gib = 1L << 30;
        assertThat(Walk.largerTables(2 * gib, true)).isEmpty();
        assertThat(Walk.largerTables(8 * gib, false)).containsExactly(512L << 20);
        assertThat(Walk.largerTables(10 * gib, true)).containsExactly(512L << 20, 4 * gib);
        assertThat(Walk.largerTables(400 * gib, true)).containsExactly(512L << 20, 8 * gib);
        assertThat(Blobs.fits(6 * gib, 5, 384, 64)).isFalse();
        assertThat(Blobs.fits(8 * gib, 5, 384, 64)).isTrue();
    }

    @Test
    void theMemoryOfAContainerIsItsOwn() {
        List<String> info =
                List.of("MemTotal: 1000 kB", "MemAvailable: 800 kB", "HugePages_Free: 3", "Hugepagesize: 2 kB");
        assertThat(Space.available(info, 1_024_000, 100_000)).isEqualTo(819_200);
        assertThat(Space.available(info, 500_000, 100_000)).as("its limit").isEqualTo(100_000);
        assertThat(Space.available(List.of(), 500_000, 100_000)).isEqualTo(100_000);
        assertThat(Space.largePagesFlag(info, "always [never]", 6_000)).isEqualTo("-XX:+UseLargePages");
        assertThat(Space.largePagesFlag(info, "always [madvise] never", 7_000))
                .isEqualTo("-XX:+UseTransparentHugePages");
        assertThat(Space.largePagesFlag(info, "always madvise [never]", 7_000)).isEmpty();
    }

    @Test
    void theListOfContestantsDoesNotChangeWhenMemoryIsTaken() {
        Settings.choose(Settings.DEFAULT_LIVE_MIB, false);
        assertThat(Settings.flags())
                .contains("-Dsluice.lab.room=" + Settings.room(), "-Dsluice.lab.live=64", "-Dsluice.lab.large=false");
        Settings.choose(32, false);
        assertThat(Blobs.entries().get(0).flags()).contains("-Xmx256m");
        Settings.choose(Settings.DEFAULT_LIVE_MIB, false);
    }

    @Test
    void aPauseIsMarkedBesideTheLatenciesThatItMakes() throws Exception {
        Pauses pauses = new Pauses(Neighbour.Kind.ASKS_FOR_A_COLLECTION);
        assertThat(pauses.sample(TimeUnit.MILLISECONDS.toNanos(40))).isPositive();
        Trace trace = Trace.read("garbage", "garbage", pauses.detail());
        assertThat(trace.pauses()).isNotEmpty();
        assertThat(trace.stops()).isNotEmpty();
        assertThat(trace.slowest()).hasSize(160).allMatch(late -> late > 0);
        Pauses quiet = new Pauses(Neighbour.Kind.REUSES);
        assertThat(quiet.sample(TimeUnit.MILLISECONDS.toNanos(5))).isPositive();
        Experiment experiment = experiment("pauses");
        Measurement measurement = RecordedMeasurements.of(
                List.of(new Measurement.Sample(0, 0, "garbage-g1", 7, 60, 60, pauses.detail())));
        Section section = Section.of(experiment, measurement, 2, false);
        assertThat(section.traces()).singleElement().satisfies(one -> {
            assertThat(one.label()).isEqualTo("garbage, G1");
            assertThat(one.slowest()).isEqualTo(trace.slowest());
        });
        assertThat(section.notes())
                .anySatisfy(note -> assertThat(note).contains("collector pauses", "stops at safepoints"));
        assertThat(page(List.of(section))).contains("collector pause", "stop at a safepoint");
    }

    @Test
    void aStopThatNobodyWasLateForIsAnError() {
        Trace.Stop stop = new Trace.Stop(1_000_000, 3_000_000);
        Pauses.checkStop(stop, new long[] {9, 2_900_000, 9, 9, 9, 9}, 1_000_000);
        assertThatThrownBy(() -> Pauses.checkStop(stop, new long[] {9, 900_000, 9, 9, 9, 9}, 1_000_000))
                .hasMessageContaining("late by 3000000 ns");
        Pauses.checkStop(new Trace.Stop(4_000_000, 3_000_000), new long[] {9, 9, 9, 9, 9, 9}, 1_000_000);
    }

    @Test
    void aJobThatIsLostOrDoneTwiceIsFoundThoughTheSumHardlyChanges() {
        double expected = 3.14;
        Pi.check(new Pi.Done(expected, 10, 45), 10, expected);
        assertThatThrownBy(() -> Pi.check(new Pi.Done(expected, 9, 45), 10, expected))
                .hasMessageContaining("9 were done");
        assertThatThrownBy(() -> Pi.check(new Pi.Done(expected, 10, 44), 10, expected))
                .hasMessageContaining("numbers 44");
        assertThatThrownBy(() -> Pi.check(new Pi.Done(expected + 1, 10, 45), 10, expected))
                .hasMessageContaining("add up");
        assertThat(Math.abs(Pi.job(19_999))).as("what a late job adds").isLessThan(1e-9);
        Pi lazy = new Pi(
                new Pi.Crew() {
                    @Override
                    public Pi.Done all(int jobs) {
                        return Pi.done(List.of(new Tally()));
                    }

                    @Override
                    public void close() {}
                },
                5);
        assertThatThrownBy(() -> lazy.sample(1)).hasMessageContaining("add up");
    }

    /** Opaque and release stores are plain moves, the other two order everything. */
    @Test
    void theMachineCodeOfEachModeIsShown() throws Exception {
        List<String> lines = StoreCode.lines();
        if (!MachineCode.isX86() || !MachineCode.hasObjdump()) {
            assertThat(lines).singleElement().asString().startsWith("Machine code: not shown, since");
            return;
        }
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).contains(", opaque: mov QWORD PTR").endsWith("no locked instruction.");
        assertThat(lines.get(1)).contains(", release: mov QWORD PTR").endsWith("no locked instruction.");
        assertThat(lines.get(2)).contains(", volatile: ").contains("lock");
        assertThat(lines.get(3)).contains(", cas: lock cmpxchg").endsWith("that one is locked.");
    }

    /** Others must not wait for a thread that is gone. */
    @Test
    void whateverEndsAThreadEndsTheSample() {
        Contended broken = new Contended(2, false, () -> new Contended.Shared() {
            @Override
            public void add(int times) {
                throw new AssertionError("broken");
            }

            @Override
            public long count() {
                return 0;
            }
        });
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> assertThatThrownBy(() -> broken.sample(1_000_000)).hasRootCauseMessage("broken"));
        Baton.Release words = new Baton.Release(true);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        ToAndFro spinning = new ToAndFro(
                () -> new Baton() {
                    @Override
                    public void give(int to, long value) {
                        if (value == 5) {
                            throw new AssertionError("broken");
                        }
                        words.give(to, value);
                    }

                    @Override
                    public long take(int me, long last) {
                        return words.take(me, last);
                    }

                    @Override
                    public void abandon() {
                        words.abandon();
                    }
                },
                false,
                task -> {
                    Thread thread = ToAndFro.platform().start(task);
                    threads.add(thread);
                    return thread;
                });
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            assertThatThrownBy(() -> spinning.sample(1_000_000)).hasRootCauseMessage("broken");
            for (Thread thread : threads) {
                thread.join(); // one that spins can not be interrupted, and ends all the same
            }
        });
        assertThat(threads).hasSize(2);
    }

    @Test
    void aWakeUpThatWakesNobodyIsNotCounted() throws Exception {
        WakeUps nobody = new WakeUps(2, false);
        assertThat(nobody.sample(3_000_000)).isPositive();
        assertThat(Times.read(nobody.detail()).getTotalCount()).isPositive();
        WakeUps pairs = new WakeUps(2, true);
        assertThat(pairs.sample(3_000_000)).isPositive();
        assertThat(Times.read(pairs.detail()).getTotalCount()).isPositive();
    }

    @Test
    void aCounterThatLosesAnAdditionIsFound() {
        Contended lossy = new Contended(2, false, () -> new Contended.Shared() {
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
        Contended lossy = new Contended(2, false, Counters.Plain::new);
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
            isToldInFourSentences(experiment);
            List<String> ids =
                    experiment.row().entries().stream().map(Entry::id).toList();
            assertThat(ids).doesNotHaveDuplicates().contains(experiment.row().reference());
            experiment.musts().forEach(must -> assertThat(ids).contains(must.less(), must.more()));
            experiment.published().forEach(one -> assertThat(ids).contains(one.contestant()));
        }
        for (Roofed bench : Roofed.ALL) {
            assertThat(names.add(bench.name())).isTrue();
            isToldInFourSentences(bench);
        }
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "ping-pong",
                        "condition",
                        "notify",
                        "single-writer",
                        "xadd",
                        "locks",
                        "memory",
                        "dispatch",
                        "blobs",
                        "pauses",
                        "pi",
                        "serialise",
                        "tables",
                        "batching",
                        "journal",
                        "ordered");
        assertThat(Lab.TOPICS).extracting(Topic::name).containsExactlyInAnyOrderElementsOf(names);
        long all = Lab.TOPICS.stream()
                .mapToLong(topic -> topic.seconds(Experiment.Size.QUICK))
                .sum();
        assertThat(all).as("seconds of all, quick").isLessThan(540);
    }

    /** In the terminal, on the page, in the JSON, and in the table of the documentation. */
    @Test
    void noPublishedFigureIsShownWithoutItsMachineAndYear() throws Exception {
        Pattern machineAndYear = Pattern.compile(".+; [^;]*\\p{L}{3}[^;]*, 20[0-9]{2}");
        Set<String> all = new HashSet<>();
        for (Experiment experiment : Experiments.ALL) {
            if (experiment.published().isEmpty()) {
                continue;
            }
            Section section = Section.of(plain(experiment), measurement(experiment, 1, 2, 1, 2, 1), 2, false);
            String html = page(List.of(section));
            String json = Json.text(result(List.of(section)));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            Lab.print(section, new PrintStream(bytes, true, StandardCharsets.UTF_8));
            String text = bytes.toString(StandardCharsets.UTF_8);
            assertThat(section.figures().stream().filter(figure -> figure.published() != 0))
                    .hasSameSizeAs(experiment.published());
            for (Section.Figure figure : section.figures()) {
                assertThat(figure.then().isEmpty()).isEqualTo(figure.published() == 0);
                if (figure.published() != 0) {
                    assertThat(figure.then()).matches(machineAndYear);
                    assertThat(html.replace("&#39;", "'")).contains(figure.then());
                    assertThat(json).contains(figure.then());
                    assertThat(text).contains("times that: " + figure.then());
                    all.add(figure.then());
                }
            }
        }
        List<String> lines = Files.readAllLines(Path.of("..", "docs", "lab.md"));
        List<String> shown = lines.stream()
                .filter(line -> line.matches("\\| `[a-z-]+` \\|.*\\|.*\\|.*\\|"))
                .map(line -> line.split("\\|", -1)[3].strip())
                .filter(cell -> !cell.isEmpty())
                .toList();
        assertThat(shown).hasSizeGreaterThan(20).isSubsetOf(all);
    }

    @Test
    void aPublishedFigureHasAValueWordsAMachineAndAYear() {
        assertThat(new Experiment.Published("a", 2, "2 ns", "a machine", 2012).then())
                .isEqualTo("2 ns; a machine, 2012");
        assertThatThrownBy(() -> new Experiment.Published("a", 0, "2 ns", "a machine", 2012))
                .hasMessageContaining("0.0");
        assertThatThrownBy(() -> new Experiment.Published("a", 2, "", "a machine", 2012))
                .hasMessageContaining("''");
        assertThatThrownBy(() -> new Experiment.Published("a", 2, "2 ns", " ", 2012))
                .hasMessageContaining("' '");
        assertThatThrownBy(() -> new Experiment.Published("a", 2, "2 ns", "a machine", 0))
                .hasMessageEndingWith(" 0");
    }

    /** Without the notes, which may run other JVMs. */
    private static Experiment plain(Experiment one) {
        return new Experiment(
                Row.of(Experiment.SUITE, one.row().id(), "ns", one.title())
                        .contestants(one.row().reference(), one.row()::entries)
                        .build(),
                one.article(),
                one.claim(),
                one.shows(),
                one.musts(),
                one.published());
    }

    /** Title and date of the article, its claim in one sentence, and what is shown in three. */
    private static void isToldInFourSentences(Topic topic) {
        assertThat(topic.article())
                .as(topic.name())
                .matches(
                        ".+, ([1-3]?[0-9] )?(January|February|March|April|May|June|July|August|September|October|November"
                                + "|December) 20[0-9]{2}");
        assertThat(topic.claim()).as(topic.name()).matches("[A-Z][^.!?]*\\.");
        assertThat(topic.shows()).as(topic.name()).hasSize(3).allMatch(line -> line.matches("[A-Z][^.!?]*\\."));
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
        assertThat(outcome(9, 9, 9)).as("too few rounds").isEqualTo(Outcome.OPEN);
    }

    @Test
    void anOrderMayLeaveSlackWhereBothRunTheSameInstructions() {
        double[] ratios = {1.2, 1.2, 1.2, 1.2};
        assertThat(Section.Verdict.of(new Experiment.Must("a", "b", 1, 1.5), ratios)
                        .outcome())
                .isEqualTo(Outcome.HOLDS);
        assertThat(Section.Verdict.of(new Experiment.Must("a", "b", 1), ratios).outcome())
                .isEqualTo(Outcome.CONTRADICTED);
        Section.Verdict none = Section.Verdict.of(new Experiment.Must("a", "b", 1, 1.5), new double[0]);
        assertThat(none.outcome()).isEqualTo(Outcome.OPEN);
        assertThat(Lab.words(none)).isEqualTo("a takes at most 1.5 times as long as b: no round has both");
    }

    /** Each has near samples enough, but not in the same rounds: then all count, and the order is looked at. */
    @Test
    void anOrderIsNotLeftOutWhereNearRoundsDoNotMeet() throws Exception {
        Experiment dispatch = experiment("dispatch");
        List<Measurement.Sample> samples = new ArrayList<>();
        for (int round = 0; round < 8; round++) {
            for (Entry entry : dispatch.row().entries()) {
                boolean near = entry.id().equals("one") == round < 4;
                double value = entry.id().equals("one") ? 9 : 5;
                samples.add(new Measurement.Sample(round, 0, entry.id(), value, near ? 60 : 300, 60, ""));
            }
        }
        Section section = Section.of(dispatch, RecordedMeasurements.of(samples), 2, false);
        assertThat(section.cores()).startsWith("all samples count");
        assertThat(section.isContradicted()).isTrue();
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

    /** The same in each of four rounds. */
    private static double[] rounds(double value) {
        return new double[] {value, value, value, value};
    }

    @Test
    void whatIsContradictedIsMeasuredOnceMoreAndThatCounts() throws Exception {
        AtomicInteger times = new AtomicInteger();
        Lab.Result better =
                measure(experiment -> measurement(experiment, rounds(times.incrementAndGet() == 1 ? 9 : 1)));
        assertThat(times).hasValue(2);
        assertThat(better.experiments()).singleElement().satisfies(section -> {
            assertThat(section.repeated()).isTrue();
            assertThat(section.isSound()).isTrue();
        });
        Lab.Result worse = measure(experiment -> measurement(experiment, rounds(9)));
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
        Lab.Result odd = measure(experiment -> {
            throw new NumberFormatException("what a contestant answered");
        });
        assertThat(odd.experiments())
                .singleElement()
                .satisfies(section -> assertThat(section.failure()).contains("what a contestant answered"));
    }

    private interface Measuring {
        Measurement of(Experiment experiment) throws Exception;
    }

    private static Lab.Result measure(Measuring measuring) throws Exception {
        return Lab.measure(
                List.of(experiment("dispatch")),
                Experiment.Size.QUICK,
                true,
                Here.MACHINE,
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
    void onlyNearRoundsCountWhereThereAreEnoughElseOnlyFarOnes() throws Exception {
        Experiment dispatch = experiment("dispatch");
        List<Measurement.Sample> mixed = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            boolean near = round < 2;
            for (Entry entry : dispatch.row().entries()) {
                mixed.add(new Measurement.Sample(
                        round, 0, entry.id(), near ? 1 : 3, near ? 60 : 300, near ? 60 : 300, ""));
            }
        }
        Section far = Section.of(dispatch, RecordedMeasurements.of(mixed), 2, false);
        assertThat(far.cores()).startsWith(4 * far.figures().size() + " of").contains("far from each other");
        assertThat(far.figures()).allSatisfy(figure -> {
            assertThat(figure.median()).isEqualTo(3);
            assertThat(figure.rounds()).isEqualTo(4);
        });
        assertThat(far.notes())
                .anySatisfy(
                        note -> assertThat(note).contains("1 class 1 ns (1 ns to 1 ns, 2) and 3 ns (3 ns to 3 ns, 4)"));
        assertThat(Section.of(dispatch, measurement(dispatch, 1, 1, 1, 1), 2, false)
                        .cores())
                .contains("only they count");
        assertThat(Section.of(dispatch, measurement(dispatch, 1, 1, 1), 2, false)
                        .cores())
                .contains("all samples count");
    }

    private static String page(List<Section> sections) throws Exception {
        return LabPage.of(result(sections));
    }

    private static Lab.Result result(List<Section> sections) throws Exception {
        return new Lab.Result("title", "2026-01-01", true, true, Lab.summary(sections), Here.MACHINE, sections);
    }

    @Test
    void thePageHasASectionAPlotAndThePublishedFigureOfEachExperiment() throws Exception {
        List<Section> sections = new ArrayList<>();
        for (Experiment experiment : Experiments.ALL) {
            sections.add(
                    experiment.name().equals("ping-pong") // runs other JVMs for its notes
                                    || experiment.name().equals("notify")
                                    || experiment.name().equals("xadd")
                                    || experiment.name().equals("locks")
                            ? Section.failed(experiment, "not measured here")
                            : Section.of(experiment, measurement(experiment, 1, 2, 1, 2, 1), 2, false));
        }
        Lab.Result result = result(sections);
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
        assertThat(html).as("published figures are marked in the plots").contains(">published</text>", "marks across");
        assertThat(html).as("what the marks of other plots say").doesNotContain(">must</text>", ">stretch</text>");
        assertThat(Json.text(result)).contains("\"name\" : \"dispatch\"").contains("\"outcome\" : \"HOLDS\"");
    }

    @Test
    void theDriverMeasuresAnExperimentInJvmsOfTheirOwn(@TempDir Path logs) throws Exception {
        Experiment dispatch = experiment("dispatch");
        Driver driver = new Driver(
                Path.of(System.getProperty("java.home")),
                List.of("-Xms64m", "-Xmx64m", "-XX:-AlwaysPreTouch", "-Dsluice.perf.warmUpMillis=2"),
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
                "blobs --live 7",
                "blobs --live 16385",
                "batching memory --virtual",
                "serialise memory nonsense --html x",
                "journal --near 3"
            })
    void badUsageIsRefused(String line) {
        assertThatThrownBy(() -> new Lab().run(List.of(line.split(" ", -1)))).isInstanceOf(UsageException.class);
    }

    @Test
    void oneToTwiceAsManyThreadsAsCores() {
        assertThat(Experiments.counts(1)).containsExactly(1, 2, 3, 4);
        assertThat(Experiments.counts(2)).containsExactly(1, 2, 3, 4);
        assertThat(Experiments.counts(16)).containsExactly(1, 2, 3, 4, 16, 32);
    }

    @Test
    void withoutANameTheExperimentsAreListed() throws Exception {
        assertThat(new Lab().run(List.of())).isEqualTo(Verb.DONE);
    }
}
