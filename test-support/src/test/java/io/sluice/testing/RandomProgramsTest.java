package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The controls of all random tests: planted faults are found, cut down to the known shortest program, and can be run again. */
@Tag("once")
class RandomProgramsTest {
    private static final String BUDGET = "io.sluice.testing.steps";
    private static final List<String> PROPERTIES =
            List.of("sluice.seed", "sluice.keep", "sluice.shrinkSeconds", BUDGET);

    private final Map<String, String> before = new HashMap<>();

    /** The properties of this run are for other tests. */
    @BeforeEach
    void noProperties() {
        for (String property : PROPERTIES) {
            String value = System.clearProperty(property);
            if (value != null) {
                before.put(property, value);
            }
        }
    }

    @AfterEach
    void propertiesAsBefore() {
        PROPERTIES.forEach(System::clearProperty);
        before.forEach(System::setProperty);
    }

    /** Fails with these steps only. */
    private static RandomPrograms.Body<SeededProgram> failsWith(Set<Integer> needed) {
        return program -> {
            if (program.steps().containsAll(needed)) {
                throw new AssertionError("all of them");
            }
            return program.size();
        };
    }

    private static RandomPrograms<SeededProgram> programs(int length, RandomPrograms.Body<SeededProgram> body) {
        return RandomPrograms.of(seed -> SeededProgram.of(seed, length), body).budget(BUDGET, 1_000);
    }

    private static AssertionError failureOf(RandomPrograms<?> programs) {
        return catchThrowableOfType(AssertionError.class, programs::run);
    }

    @Test
    void aPlantedFaultIsCutDownToTheTwoStepsThatItNeeds() {
        assertThat(failureOf(programs(100, failsWith(Set.of(17, 83))).from(5)))
                .hasMessage("""
                        -Dsluice.seed=5 fails: java.lang.AssertionError: all of them
                          2 of 100 steps; again by -Dsluice.seed=5 -Dsluice.keep=17,83
                          SeededProgram[seed=5, steps=[17, 83]]""")
                .cause()
                .hasMessage("all of them");
    }

    @Test
    void whicheverStepsAFaultNeedsTheyAreLeft() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 300; i++) {
            int length = 1 + random.nextInt(200);
            Set<Integer> needed = new TreeSet<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                needed.add(random.nextInt(length));
            }
            assertThat(failureOf(programs(length, failsWith(needed)).from(i)))
                    .hasMessageContaining("\n  " + needed.size() + " of " + length + " steps")
                    .hasMessageEndingWith("steps=" + needed + "]");
        }
    }

    @Test
    void aFaultThatNeedsAnyThreeStepsKeepsThree() {
        assertThat(failureOf(programs(100, program -> {
                    if (program.size() >= 3) {
                        throw new IllegalStateException("three");
                    }
                    return 1;
                })))
                .hasMessageContaining("\n  3 of 100 steps")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void anotherFaultOnTheWayIsNotFollowed() {
        assertThat(failureOf(programs(100, program -> {
                    if (program.steps().containsAll(Set.of(3, 30))) {
                        throw new AssertionError("lost the event " + program.size());
                    }
                    throw new AssertionError("got an event twice " + program.size());
                })))
                .hasMessageContaining("fails: java.lang.AssertionError: lost the event 2")
                .hasMessageEndingWith("steps=[3, 30]]");
    }

    /** A program of numbers, which can be made smaller. */
    private record Numbers(List<Integer> numbers) implements RandomProgram<Numbers> {
        @Override
        public int size() {
            return numbers.size();
        }

        @Override
        public Numbers keep(List<Integer> steps) {
            return new Numbers(steps.stream().map(numbers::get).toList());
        }

        @Override
        public List<Numbers> simpler() {
            List<Numbers> all = new ArrayList<>();
            for (int i = 0; i < numbers.size(); i++) {
                for (int less : new int[] {numbers.get(i) / 2, numbers.get(i) - 1}) {
                    if (less >= 0 && less < numbers.get(i)) {
                        List<Integer> changed = new ArrayList<>(numbers);
                        changed.set(i, less);
                        all.add(new Numbers(changed));
                    }
                }
            }
            return all;
        }
    }

    @Test
    void aProgramThatCanBeMadeSimplerIs() {
        RandomPrograms<Numbers> programs = RandomPrograms.of(
                seed -> new Numbers(
                        new SplittableRandom(seed).ints(50, 0, 1_000).boxed().toList()),
                program -> {
                    if (program.numbers.stream().anyMatch(number -> number >= 437)) {
                        throw new AssertionError("too large");
                    }
                    return program.size();
                });
        assertThat(failureOf(programs))
                .hasMessageContaining("\n  1 of 50 steps\n")
                .hasMessageEndingWith("Numbers[numbers=[437]]");
    }

    @Test
    void aFaultThatDoesNotComeBackIsCalledFlaky() {
        int[] runs = {0};
        assertThat(failureOf(programs(100, program -> {
                            if (runs[0]++ == 3) {
                                throw new AssertionError("once");
                            }
                            return 100;
                        })
                        .from(1)))
                .hasMessageStartingWith("-Dsluice.seed=4 is flaky: it failed once, and not in 5 further runs: ")
                .hasMessageContaining("\n  100 of 100 steps\n");
        assertThat(runs[0]).isEqualTo(4 + RandomPrograms.RUNS_AGAIN);
    }

    @Test
    void aFaultThatComesNowAndThenIsCalledFlakyAndCutDown() {
        int[] runs = {0};
        assertThat(failureOf(programs(100, program -> {
                            if (program.steps().contains(42) && runs[0]++ % 3 == 0) {
                                throw new AssertionError("now and then");
                            }
                            return 100;
                        })
                        .from(1)))
                .hasMessageStartingWith("-Dsluice.seed=1 is flaky: it failed in 2 of 6 runs: ")
                .hasMessageEndingWith("steps=[42]]");
    }

    @Test
    void aProgramThatHangsFailsAndSaysWhereItStands() {
        CountDownLatch never = new CountDownLatch(1);
        assertThat(failureOf(programs(4, program -> {
                            if (program.steps().contains(2)) {
                                never.await(1, TimeUnit.HOURS);
                            }
                            return 1;
                        })
                        .limit(Duration.ofMillis(50))))
                .hasMessageContaining("it hangs")
                .hasMessageEndingWith("steps=[2]]")
                .cause()
                .satisfies(hangs -> assertThat(hangs.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("await")));
    }

    @Test
    void programsWithALimitAreCutDownTheSameWay() {
        assertThat(failureOf(programs(100, failsWith(Set.of(5, 50))).limit(Duration.ofSeconds(60))))
                .hasMessageEndingWith("steps=[5, 50]]");
    }

    @Test
    void programsRunUntilTheBudgetIsUsed() throws Exception {
        List<Long> seeds = new ArrayList<>();
        RandomPrograms.Body<SeededProgram> body = program -> {
            seeds.add(program.seed());
            return program.size();
        };
        assertThat(programs(300, body).from(-1).run()).isEqualTo(new RandomPrograms.Totals(4, 1_200, false));
        assertThat(seeds).containsExactly(-1L, 0L, 1L, 2L);
        seeds.clear();
        System.setProperty(BUDGET, "1500");
        assertThat(programs(300, body).from(7).run()).isEqualTo(new RandomPrograms.Totals(5, 1_500, false));
        assertThat(seeds).containsExactly(7L, 8L, 9L, 10L, 11L);
        System.setProperty("sluice.seed", "90");
        seeds.clear();
        programs(300, body).from(7).run();
        assertThat(seeds).containsExactly(90L, 91L, 92L, 93L, 94L);
    }

    @Test
    void eachRunWithoutAFirstSeedHasAnother() throws Exception {
        Set<Long> seeds = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            programs(1_000, program -> {
                        seeds.add(program.seed());
                        return 1_000;
                    })
                    .run();
        }
        assertThat(seeds).hasSize(20);
    }

    @Test
    void aSeedAndItsStepsRunAgain() throws Exception {
        System.setProperty("sluice.seed", "5");
        List<SeededProgram> ran = new ArrayList<>();
        RandomPrograms<SeededProgram> programs = programs(100, program -> {
            ran.add(program);
            return 1;
        });
        assertThat(programs.run()).isEqualTo(new RandomPrograms.Totals(1, 1, true));
        System.setProperty("sluice.keep", "17,83");
        programs.run();
        System.setProperty("sluice.keep", "");
        programs.run();
        assertThat(ran)
                .containsExactly(
                        SeededProgram.of(5, 100),
                        new SeededProgram(5, List.of(17, 83)),
                        new SeededProgram(5, List.of()));
    }

    /** What a failure prints leads back to it, also where a part of the steps is run at first. */
    @Test
    void theStepsThatAFailurePrintsFailAgain() {
        AssertionError first =
                failureOf(programs(100, failsWith(Set.of(17, 83))).from(5));
        System.setProperty("sluice.seed", "5");
        System.setProperty("sluice.keep", "1,17,20,83,99");
        assertThat(failureOf(programs(100, failsWith(Set.of(17, 83))))).hasMessage(first.getMessage());
    }

    @Test
    void aProgramThatWasPrintedIsRunByItself() throws Exception {
        RandomPrograms<SeededProgram> programs = programs(100, failsWith(Set.of(2)));
        assertThat(programs.run("printed", new SeededProgram(1, List.of(7))).replay())
                .isTrue();
        assertThatThrownBy(() -> programs.run("printed", new SeededProgram(1, List.of(1, 2, 3))))
                .hasMessageStartingWith("printed fails: ")
                .hasMessageEndingWith("steps=[2]]");
    }

    @Test
    void nothingIsMadeShorterWithoutTime() {
        System.setProperty("sluice.shrinkSeconds", "0");
        int[] runs = {0};
        assertThat(failureOf(programs(100, program -> {
                            runs[0]++;
                            throw new AssertionError("at once");
                        })
                        .from(3)))
                .hasMessageStartingWith("-Dsluice.seed=3 fails: java.lang.AssertionError: at once\n  100 of 100 steps");
        assertThat(runs[0]).isEqualTo(1);
    }

    @Test
    void anInterruptEndsItAtOnce() {
        int[] runs = {0};
        assertThatThrownBy(() -> programs(100, program -> {
                            runs[0]++;
                            Thread.currentThread().interrupt();
                            Thread.sleep(60_000);
                            return 1;
                        })
                        .run())
                .isInstanceOf(InterruptedException.class);
        assertThat(runs[0]).isEqualTo(1);
    }

    @Test
    void badPropertiesAreRefusedByName() {
        RandomPrograms<SeededProgram> programs = programs(100, failsWith(Set.of(-1)));
        System.setProperty(BUDGET, "0");
        assertThatThrownBy(programs::run).hasMessage(BUDGET + " must be 1 or more, but was 0");
        System.clearProperty(BUDGET);
        System.setProperty("sluice.seed", "five");
        assertThatThrownBy(programs::run).hasMessage("sluice.seed must be a whole number, but was 'five'");
        System.setProperty("sluice.seed", "5");
        for (String keep : List.of("1,100", "-1", "2,1", "1,1", "x")) {
            System.setProperty("sluice.keep", keep);
            assertThatThrownBy(programs::run)
                    .hasMessage("sluice.keep must be rising numbers from 0 to 99 with commas between, but was '" + keep
                            + "'");
        }
    }

    @Test
    void aStepDrawsTheSameWhateverOtherStepsThereAre() {
        SeededProgram whole = SeededProgram.of(11, 50);
        SeededProgram part = whole.keep(List.of(3, 30, 40)).keep(List.of(1));
        assertThat(part).isEqualTo(new SeededProgram(11, List.of(30)));
        assertThat(part.random(30).nextLong()).isEqualTo(whole.random(30).nextLong());
        assertThat(part.random().nextLong()).isEqualTo(whole.random().nextLong());
        Set<Long> drawn = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            SeededProgram program = SeededProgram.of(seed, 100);
            for (int step = -1; step < 100; step++) {
                drawn.add(program.random(step).nextLong());
            }
        }
        assertThat(drawn).hasSize(100 * 101);
    }
}
