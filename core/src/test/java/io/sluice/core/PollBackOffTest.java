package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the wait after a batch is measured: the first long one, then one of sixty-four. */
class PollBackOffTest {
    @ParameterizedTest
    @CsvSource({"8, 1000", "100, 1000", "1000, 8", "2000, 1000"})
    void theFirstLongWaitIsMeasuredAndThenOneOfSixtyFour(int batch, int batchLimit) {
        PollBackOff backOff = new PollBackOff(false);
        int units = PollBackOff.units(batch, batchLimit, PollBackOff.MOST_UNITS);
        backOff.after(batch, batch, batchLimit, false);
        double first = backOff.hintNanos();
        if (units < 32) {
            assertThat(backOff.measurements).isZero();
            return;
        }
        assertThat(backOff.measurements).isEqualTo(1);
        assertThat(first).isGreaterThanOrEqualTo(0.25);
        backOff.measured(first + 1); // so that there are few hints a unit, and each wait is long
        for (int i = 1; i < 64; i++) {
            backOff.after(batch, batch, batchLimit, false);
            assertThat(backOff.measurements).as("after %s more", i).isEqualTo(1);
        }
        backOff.after(batch, batch, batchLimit, false);
        assertThat(backOff.measurements).isEqualTo(2);
    }

    /** A yield takes most of a wait away, and what is left is too short to be measured. */
    @Test
    void aConsumerThatYieldsMeasuresItsWaitsToo() {
        PollBackOff backOff = new PollBackOff(false);
        assertThat(backOff.after(100, 100, 1000, true))
                .as("a wait that is measured has no yield")
                .isZero();
        assertThat(backOff.measurements).isEqualTo(1);
        backOff.measured(2.5);
        for (int i = 1; i < 64; i++) {
            assertThat(backOff.after(100, 100, 1000, true)).isPositive();
        }
        assertThat(backOff.after(100, 100, 1000, true)).isZero();
        assertThat(backOff.measurements).isEqualTo(2);
    }

    /** A hint takes up to a hundred nanoseconds, and more. */
    @Test
    void aConsumerWaitsNoLongerThanItSaysThoughItsSpinHintsAreSlow() {
        PollBackOff backOff = new PollBackOff(false);
        assertThat(backOff.limit() * 100.0).as("before it has measured").isLessThanOrEqualTo(3_200);
        backOff.after(1_000, 1_000, 1_000_000, false);
        assertThat(backOff.limit() * backOff.hintsAUnit() * backOff.hintNanos()).isLessThanOrEqualTo(3_200);
        backOff.measured(100);
        assertThat(backOff.hintNanos()).as("taken in at once").isEqualTo(100);
        backOff.measured(1e9);
        assertThat(backOff.limit()).as("as of an interruption").isEqualTo(32);
    }

    @Test
    void aWaitIsLongByItsHintsNotByItsUnits() {
        PollBackOff backOff = new PollBackOff(false);
        backOff.measured(2.5); // ten hints a unit
        for (int i = 0; i < 64; i++) {
            backOff.after(4, 4, 1000, false); // four units, forty hints
        }
        assertThat(backOff.measurements).isEqualTo(1);
    }

    @Test
    void aBatchBeforeAYieldCountsInWhatAWaitEarns() {
        PollBackOff backOff = new PollBackOff(true);
        backOff.after(8, 8, 1000, true);
        backOff.after(5, 5, 1000, true);
        assertThat(backOff.earned).isNotNull().extracting(wait -> wait.events).isEqualTo(13);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLongWaitBeginsWithAYieldAndSaysHowLongThatTook(boolean spins) {
        PollBackOff backOff = new PollBackOff(spins);
        assertThat(backOff.after(8, 8, 1000, true)).isPositive();
        assertThat(backOff.after(7, 7, 1000, true)).as("too short for one").isZero();
        assertThat(backOff.after(100, 0, 1000, true)).as("behind").isZero();
        assertThat(backOff.after(100, 100, 1000, false)).as("no yield").isZero();
    }

    @Test
    void theShortestHintIsAQuarterOfANanosecond() {
        PollBackOff backOff = new PollBackOff(false);
        backOff.measured(0);
        assertThat(backOff.hintNanos()).isEqualTo(0.25);
        backOff.measured(0.25);
        assertThat(backOff.hintNanos()).isEqualTo(0.25);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunnerWithoutBackOffAsksNoAgentHowLongToWait(boolean waits) {
        AtomicBoolean asked = new AtomicBoolean();
        AtomicReference<Runner> runner = new AtomicReference<>();
        RunnerAgent agent = new RunnerAgent() {
            private int cycles;

            @Override
            public int doWork() {
                if (++cycles == 10) {
                    runner.get().stop();
                }
                return 8;
            }

            @Override
            public boolean isDone() {
                return false;
            }

            @Override
            public int eventsSinceIdle(int work) {
                asked.set(true);
                return work;
            }

            @Override
            public String roleName() {
                return "eight at a time";
            }
        };
        runner.set(new Runner("runner", new YieldingIdleStrategy(), thrown -> {}, List.of(agent), waits));
        runner.get().run();
        assertThat(asked.get()).isEqualTo(waits);
    }

    /** So what comes next, the first event behind idleness, finds it polling. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRunnerDoesNotWaitAfterACycleThatFoundNothing(int agents) {
        AtomicReference<Runner> runner = new AtomicReference<>();
        List<Integer> asked = new ArrayList<>();
        List<RunnerAgent> all = new ArrayList<>();
        for (int i = 0; i < agents; i++) {
            all.add(new RunnerAgent() {
                private int cycles;

                @Override
                public int doWork() {
                    if (++cycles == 12) {
                        runner.get().stop();
                    }
                    return cycles % 4 == 0 ? 8 : 0;
                }

                @Override
                public boolean isDone() {
                    return false;
                }

                @Override
                public int eventsSinceIdle(int work) {
                    asked.add(work);
                    return work;
                }

                @Override
                public String roleName() {
                    return "eight at every fourth cycle";
                }
            });
        }
        runner.set(new Runner("runner", new YieldingIdleStrategy(), thrown -> {}, all, true));
        runner.get().run();
        assertThat(asked).isNotEmpty().containsOnly(8);
    }
}
