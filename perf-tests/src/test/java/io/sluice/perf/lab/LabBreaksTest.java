package io.sluice.perf.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Interruption;
import io.sluice.cli.Verb;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Findings;
import io.sluice.perf.batching.Table;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.RecordedMeasurements;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.Visited;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is broken is seen: each self-check and each order, one by one, and the lab ends with 1. */
@Tag("once")
class LabBreaksTest {
    static Experiment experiment(String name) {
        return Experiments.ALL.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Lab.Result measure(Topic topic, Lab.Measuring measuring) throws Exception {
        return Lab.measure(
                List.of(topic), Experiment.Size.QUICK, true, Here.MACHINE, measuring, new Interruption("lab"));
    }

    // ---- orders

    static Stream<String> orders() {
        return Experiments.ALL.stream()
                .flatMap(experiment -> experiment.musts().stream()
                        .map(must -> experiment.name() + " " + must.less() + " " + must.more()));
    }

    /** The other orders hold; the notes, which may look at details, are left out. */
    @ParameterizedTest
    @MethodSource("orders")
    void anOrderThatDoesNotHoldEndsTheLabWith1(String which) throws Exception {
        String[] parts = which.split(" ", -1);
        Experiment plain = withoutNotes(experiment(parts[0]));
        Experiment.Must broken = plain.musts().stream()
                .filter(must -> must.less().equals(parts[1]) && must.more().equals(parts[2]))
                .findFirst()
                .orElseThrow();
        AtomicInteger times = new AtomicInteger();
        Lab.Result result = measure(plain, (experiment, size) -> {
            times.incrementAndGet();
            return samples(plain, List.of(broken.less()), broken.slack() * 1.01);
        });
        if (broken.cores() <= Contended.CORES) {
            assertThat(result.experiments().get(0).verdicts())
                    .filteredOn(verdict -> verdict.outcome() == Section.Outcome.CONTRADICTED)
                    .anyMatch(verdict -> verdict.less().equals(broken.less())
                            && verdict.more().equals(broken.more()));
            assertThat(times).as("measured once more").hasValue(2);
            assertThat(Lab.status(result)).isEqualTo(Verb.CHECK_FAILED);
        }
        assertThat(Lab.status(measure(plain, (experiment, size) -> samples(plain, List.of(), 1))))
                .isEqualTo(Verb.DONE);
    }

    /** Four near rounds in which all have the same figure, but for some. */
    private static Measurement samples(Experiment experiment, List<String> others, double times) {
        List<Measurement.Sample> samples = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            for (Entry entry : experiment.row().entries()) {
                samples.add(new Measurement.Sample(
                        round, 0, entry.id(), others.contains(entry.id()) ? 100 * times : 100, 60, 60, ""));
            }
        }
        return RecordedMeasurements.of(samples);
    }

    private static Experiment withoutNotes(Experiment one) {
        Row row = Row.of(Experiment.SUITE, one.row().id(), "ns", one.title())
                .contestants(one.row().reference(), one.row()::entries)
                .build();
        return new Experiment(row, one.article(), one.claim(), one.shows(), one.musts(), one.published());
    }

    @Test
    void eachExperimentStatesAnOrder() {
        assertThat(Experiments.ALL)
                .allSatisfy(experiment ->
                        assertThat(experiment.musts()).as(experiment.name()).isNotEmpty());
    }

    @Test
    void aCheckOfABenchThatFailsEndsTheLabWith1AfterAnotherTry() throws Exception {
        AtomicInteger times = new AtomicInteger();
        Roofed bench = roofed((quick, command, interruption, out) -> {
            assertThat(quick).isTrue();
            return new Findings(
                    List.of(new Table("a table", List.of("who", "figure"), List.of(List.of("one", "17")))),
                    List.of(
                            new Check("two is two", true),
                            new Check("try " + times.incrementAndGet(), times.get() == 3)),
                    List.of(new Findings.Plot("a caption", width -> "<svg/>")));
        });
        Lab.Result failed = measure(bench, (experiment, size) -> RecordedMeasurements.of(List.of()));
        assertThat(times).hasValue(2);
        assertThat(Lab.status(failed)).isEqualTo(Verb.CHECK_FAILED);
        assertThat(failed.summary()).contains("of 2 checks of benches, 1 hold").endsWith("not sound: batching.");
        assertThat(LabPage.of(failed))
                .contains("a table", "17", "try 2", "a caption", "this is the second measurement");
        Lab.Result held = measure(bench, (experiment, size) -> RecordedMeasurements.of(List.of()));
        assertThat(Lab.status(held)).as("the third try").isEqualTo(Verb.DONE);
        Lab.Result thrown = measure(
                roofed((quick, command, interruption, out) -> {
                    throw new java.io.IOException("the disk is full");
                }),
                (experiment, size) -> RecordedMeasurements.of(List.of()));
        assertThat(Lab.status(thrown)).isEqualTo(Verb.CHECK_FAILED);
        assertThat(thrown.experiments().get(0).failure()).contains("the disk is full");
    }

    private static Roofed roofed(Roofed.Bench bench) {
        Roofed one = Roofed.ALL.get(0);
        return new Roofed(one.name(), one.title(), one.article(), one.claim(), one.shows(), 1, 1, bench);
    }

    // ---- self-checks

    /** All the way: the contestant's own JVM ends, the driver says why, and the lab ends with 1. */
    @ParameterizedTest
    @ValueSource(strings = {BrokenRows.COUNTER, BrokenRows.JMH, BrokenRows.JOBS})
    void aContestantWhoseSumIsWrongEndsTheLabWith1(String id, @TempDir Path logs) throws Exception {
        Row row = Rows.suite("lab-test").stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow();
        Experiment broken = new Experiment(row, "no article", "nothing", List.of("", "", ""), List.of(), List.of());
        Driver driver = new Driver(
                Path.of(System.getProperty("java.home")),
                List.of("-Xms64m", "-Xmx64m", "-XX:-AlwaysPreTouch", "-Dsluice.perf.warmUpMillis=2"),
                logs,
                1,
                new Band(0, Double.MAX_VALUE),
                line -> {});
        Lab.Result result = measure(
                broken,
                (experiment, size) -> driver.measure(
                        row, row.entries().stream().map(Visited::shipped).toList(), 1, 1));
        assertThat(result.experiments().get(0).failure())
                .contains(id + "/broken")
                .contains(
                        switch (id) {
                            case BrokenRows.JOBS -> "but did to 0.0";
                            case BrokenRows.JMH -> "additions, but the counter has";
                            default -> "but together they have";
                        });
        assertThat(Lab.status(result)).isEqualTo(Verb.CHECK_FAILED);
    }

    @ParameterizedTest
    @MethodSource("walks")
    void aWordThatIsOffByOneIsFound(Walk.Order order) throws Exception {
        Walk walk = new Walk(order, 64 << 10, false);
        int steps = 2 * (64 << 10) / 8 + 4096;
        turn(walk, steps / Walk.STEPS);
        walk.check(steps);
        ((long[]) field(walk, "table"))[77]++;
        turn(walk, steps / Walk.STEPS);
        assertThatThrownBy(() -> walk.check(steps)).hasMessageContaining("the words must add up to");
    }

    /** JMH says how many there were, so a step too few or too many is seen. */
    @ParameterizedTest
    @MethodSource("walks")
    void stepsThatWereNotMadeAreFound(Walk.Order order) {
        Walk walk = new Walk(order, 64 << 10, false);
        turn(walk, 3);
        assertThatThrownBy(() -> walk.check(4L * Walk.STEPS)).hasMessageContaining("the words must add up to");
    }

    private static void turn(Walk walk, int runs) {
        for (int run = 0; run < runs; run++) {
            walk.run();
        }
    }

    @ParameterizedTest
    @MethodSource("walks")
    void aChainThatLeavesOutALineIsFound(Walk.Order order) throws Exception {
        Walk walk = new Walk(order, 64 << 10, true);
        long[] table = (long[]) field(walk, "table");
        int first = (int) table[0];
        table[0] = table[first]; // the first line leads past the second
        Method check = Walk.class.getDeclaredMethod("checkChain");
        check.setAccessible(true);
        assertThatThrownBy(() -> check.invoke(walk))
                .isInstanceOf(InvocationTargetException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    /** Its sum is that of all lines, as that of a sound one is. */
    @ParameterizedTest
    @MethodSource("walks")
    void aChainThatDoesNotComeBackIsFound(Walk.Order order) throws Exception {
        Walk walk = new Walk(order, 64 << 10, true);
        long[] table = (long[]) field(walk, "table");
        int last = 0;
        while (table[last] != 0) {
            last = (int) table[last];
        }
        table[last] = last;
        Method check = Walk.class.getDeclaredMethod("checkChain");
        check.setAccessible(true);
        assertThatThrownBy(() -> check.invoke(walk)).hasCauseInstanceOf(IllegalStateException.class);
    }

    /** It comes back to where it began after as many steps as there are lines, as a sound one does. */
    @ParameterizedTest
    @MethodSource("walks")
    void aChainThatVisitsHalfOfTheLinesTwiceIsFound(Walk.Order order) throws Exception {
        Walk walk = new Walk(order, 64 << 10, true);
        long[] table = (long[]) field(walk, "table");
        int lines = table.length / 8;
        int place = 0;
        for (int i = 1; i < lines / 2; i++) {
            place = (int) table[place];
        }
        table[place] = 0;
        Method check = Walk.class.getDeclaredMethod("checkChain");
        check.setAccessible(true);
        assertThatThrownBy(() -> check.invoke(walk))
                .hasCauseInstanceOf(IllegalStateException.class)
                .cause()
                .hasMessageContaining("each of " + lines + " lines once");
    }

    static Stream<Walk.Order> walks() {
        return Stream.of(Walk.Order.values());
    }

    @Test
    void aCallThatGoesElsewhereIsFound() throws Exception {
        Dispatch dispatch = new Dispatch(1, 1);
        dispatch.run();
        dispatch.check(12);
        ((Dispatch.Step[]) field(dispatch, "steps"))[3] = new Dispatch.Two();
        dispatch.run();
        assertThatThrownBy(() -> dispatch.check(12)).hasMessage("the calls must add up to 24, but did to 25");
    }

    @ParameterizedTest
    @EnumSource(RingDispatch.Kind.class)
    void anEventThatIsHandledTwiceIsFound(RingDispatch.Kind kind) throws Exception {
        RingDispatch dispatch = new RingDispatch(kind);
        ((long[]) field(dispatch, "sum"))[0]++;
        assertThatThrownBy(() -> dispatch.sample(1_000_000)).hasMessageContaining("the values must add up to");
    }

    @ParameterizedTest
    @MethodSource("forms")
    void aRecordThatIsLostIsFound(Blobs.Form form) throws Exception {
        Blobs blobs = new Blobs(form, 1_000);
        Field count = Blobs.class.getDeclaredField("count");
        count.setAccessible(true);
        count.setLong(blobs, 1_001);
        assertThatThrownBy(() -> blobs.sample(1)).hasMessageContaining("the records must add up to");
    }

    static Stream<Blobs.Form> forms() {
        return Stream.of(Blobs.Form.values());
    }

    @Test
    void anEventOutOfOrderOrLostOrAStopThatWasNotToldIsFound() {
        Pauses.check(null, 5, 5, false, false);
        Pauses.check(null, 5, 5, true, true);
        assertThatThrownBy(() -> Pauses.check("event 3 must come next, but 4 did", 5, 5, false, false))
                .hasMessageContaining("event 3");
        assertThatThrownBy(() -> Pauses.check(null, 4, 5, false, false)).hasMessage("4 events came, but 5 were sent");
        assertThatThrownBy(() -> Pauses.check(null, 5, 5, true, false)).hasMessageContaining("must tell of stops");
    }

    @Test
    void aWakeUpThatWasNotSeenOrNotTimedIsFound() {
        WakeUps.check(true, 7, 7);
        WakeUps.check(false, 7, 0);
        assertThatThrownBy(() -> WakeUps.check(true, 7, 6)).hasMessage("a waiter saw 6, but was woken 7 times");
        WakeUps.checkTimes(3, 3);
        assertThatThrownBy(() -> WakeUps.checkTimes(3, 2)).hasMessage("3 were woken, but 2 times are known");
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
