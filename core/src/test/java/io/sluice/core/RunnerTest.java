package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerTest {
    private final List<String> calls = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();

    private class Recording implements RunnerAgent {
        private final String name;
        private int cycles;

        Recording(String name, int cycles) {
            this.name = name;
            this.cycles = cycles;
        }

        @Override
        public void onStart() {
            calls.add(name + " start");
        }

        @Override
        public int doWork() throws Exception {
            calls.add(name + " work");
            if (cycles < 0) {
                throw new AgentTerminationException(name + " is called though it is done"); // or it would be for ever
            }
            return --cycles > 0 ? 1 : 0;
        }

        final int cyclesLeft() {
            return cycles;
        }

        @Override
        public boolean isDone() {
            return cycles <= 0;
        }

        @Override
        public void onClose() {
            calls.add(name + " close");
        }

        @Override
        public String roleName() {
            return name;
        }
    }

    private Runner runner(IdleStrategy idle, Agent... agents) {
        return new Runner("test", idle, errors::add, List.of(agents));
    }

    @Test
    void runsAllAgentsInCyclesUntilAllAreDone() {
        runner(new BusySpinIdleStrategy(), new Recording("a", 1), new Recording("b", 2))
                .run();
        assertThat(calls).containsExactly("a start", "b start", "a work", "a close", "b work", "b work", "b close");
        assertThat(errors).isEmpty();
    }

    @Test
    void anAgentThatThrowsIsReportedAndTheCycleGoesOn() {
        RuntimeException bad = new RuntimeException("bad");
        Recording throwing = new Recording("a", 3) {
            @Override
            public int doWork() throws Exception {
                if (super.doWork() > 0) {
                    throw bad;
                }
                return 0;
            }
        };
        runner(new BusySpinIdleStrategy(), throwing, new Recording("b", 1)).run();
        assertThat(errors).containsExactly(bad, bad);
        assertThat(calls.subList(0, 4)).containsExactly("a start", "b start", "a work", "b work");
        assertThat(calls).filteredOn("a work"::equals).hasSize(3);
    }

    @Test
    void anAgentLeavesByAgronasException() {
        Recording leaving = new Recording("a", 9) {
            @Override
            public int doWork() throws Exception {
                super.doWork();
                throw new AgentTerminationException("enough");
            }
        };
        runner(new BusySpinIdleStrategy(), leaving).run();
        assertThat(calls).containsExactly("a start", "a work", "a close");
        assertThat(errors).isEmpty();
    }

    /** Else an agent that has failed for good ends, and nobody hears why. */
    @Test
    void anAgentThatLeavesBecauseOfAFailureIsReportedBeforeItIsClosedAndTheOthersGoOn() {
        AgentTerminationException failed = new AgentTerminationException(new IllegalStateException("disk is gone"));
        Recording failing = new Recording("a", 9) {
            @Override
            public int doWork() throws Exception {
                super.doWork();
                throw failed;
            }
        };
        List<Throwable> told = new ArrayList<>();
        Runner runner = new Runner(
                "test",
                new BusySpinIdleStrategy(),
                error -> {
                    told.add(error);
                    calls.add("told");
                },
                List.of(failing, new Recording("b", 1)));
        runner.run();
        assertThat(calls).containsExactly("a start", "b start", "a work", "told", "a close", "b work", "b close");
        assertThat(told).containsExactly(failed);
    }

    @Test
    void anErrorHandlerThatThrowsAtAnAgentThatLeavesEndsTheRunnerAndTheAgentIsClosedOnce() {
        AgentTerminationException failed = new AgentTerminationException(new IllegalStateException("disk is gone"));
        IllegalStateException own = new IllegalStateException("handler");
        Recording failing = new Recording("a", 9) {
            @Override
            public int doWork() {
                throw failed;
            }
        };
        Runner runner = new Runner(
                "test",
                new BusySpinIdleStrategy(),
                error -> {
                    throw own;
                },
                List.of(failing));
        assertThatThrownBy(runner::run).isSameAs(own).hasSuppressedException(failed);
        assertThat(calls).containsExactly("a start", "a close");
    }

    @Test
    void anAgentThatCannotStartIsLeftOut() {
        RuntimeException bad = new RuntimeException("bad");
        Recording failing = new Recording("a", 9) {
            @Override
            public void onStart() {
                throw bad;
            }
        };
        runner(new BusySpinIdleStrategy(), failing, new Recording("b", 1)).run();
        assertThat(errors).containsExactly(bad);
        assertThat(calls).containsExactly("a close", "b start", "b work", "b close");
    }

    @Test
    @Tag("concurrency")
    @Timeout(20)
    void stopWakesAParkedRunnerAndClosesItsAgents() throws InterruptedException {
        Recording patient = new Recording("a", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                return 0;
            }
        };
        Runner runner = runner(SignalledIdle.exact(0), patient);
        Thread thread = new Thread(runner);
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        runner.stop();
        thread.join();
        assertThat(calls).containsExactly("a start", "a close");
    }

    /** Whoever interrupts the thread of a pipeline, by mistake or in a pool, must not turn a parked thread into a busy one. */
    @Test
    @Tag("concurrency")
    @Timeout(20)
    void aRunnerParksAgainAfterAnInterrupt() throws InterruptedException {
        SignalledIdle idle = SignalledIdle.exact(0);
        Recording patient = new Recording("a", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                return 0;
            }
        };
        Runner runner = runner(idle, patient);
        Thread thread = new Thread(runner);
        thread.start();
        for (int interrupts = 0; interrupts < 3; interrupts++) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            long before = idle.parks();
            thread.interrupt();
            while (idle.parks() == before) {
                Thread.onSpinWait();
            }
        }
        runner.stop();
        thread.join();
        assertThat(calls).containsExactly("a start", "a close");
    }

    static List<IdleStrategy> strategies() {
        return List.of(
                new BackoffIdleStrategy(),
                new SleepingIdleStrategy(),
                new SleepingMillisIdleStrategy(1),
                SignalledIdle.timed(),
                new BusySpinIdleStrategy(),
                new NoOpIdleStrategy(),
                new YieldingIdleStrategy());
    }

    /** No park waits while the flag is set: the thread would be busy for ever, and a virtual one would keep its carrier. */
    @ParameterizedTest
    @MethodSource("strategies")
    void whoeverInterruptsItselfInItsWorkFindsTheFlagClearedWhereTheIdleStrategyParks(IdleStrategy idle) {
        List<Boolean> interrupted = new ArrayList<>();
        Recording agent = new Recording("a", 4) {
            @Override
            public int doWork() throws Exception {
                interrupted.add(Thread.currentThread().isInterrupted());
                int work = super.doWork();
                if (work > 0 && cyclesLeft() == 3) {
                    Thread.currentThread().interrupt();
                }
                return cyclesLeft() == 2 ? 0 : work; // the second cycle is empty
            }
        };
        runner(idle, agent).run();
        boolean atTheEnd = Thread.interrupted();
        assertThat(errors).isEmpty();
        assertThat(interrupted)
                .as("at the start, after work, after an empty cycle, after that")
                .containsExactly(false, true, Runner.spins(idle), Runner.spins(idle));
        assertThat(atTheEnd).isEqualTo(Runner.spins(idle));
    }

    /** With a deadline the runner comes back by itself; without one this test would hang. */
    @Test
    @Tag("concurrency")
    @Timeout(20)
    void aParkEndsAtTheNearestDeadlineOfTheAgents() {
        long end = System.nanoTime() + 2_000_000;
        class Patient extends Recording {
            private final long deadline;

            Patient(String name, long deadline) {
                super(name, 1);
                this.deadline = deadline;
            }

            @Override
            public int doWork() {
                return 0;
            }

            @Override
            public boolean isDone() {
                return System.nanoTime() - end >= 0;
            }

            @Override
            public long deadline() {
                return deadline;
            }
        }
        long later = end + TimeUnit.HOURS.toNanos(1);
        SignalledIdle idle = SignalledIdle.exact(0);
        runner(idle, new Patient("a", end), new Patient("b", later)).run();
        assertThat(calls).startsWith("a start", "b start").hasSize(4);
    }

    @Test
    void anIdleStrategyThatThrowsIsReportedBeforeTheAgentsEnd() {
        RuntimeException bad = new RuntimeException("bad");
        IdleStrategy failing = new IdleStrategy() {
            @Override
            public void idle(int workCount) {
                throw bad;
            }

            @Override
            public void idle() {
                throw bad;
            }

            @Override
            public void reset() {}
        };
        Recording idle = new Recording("a", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                return 0;
            }
        };
        Runner runner =
                new Runner("test", failing, error -> calls.add("reported " + error.getMessage()), List.of(idle));
        assertThatThrownBy(runner::run).isSameAs(bad);
        assertThat(calls).containsExactly("a start", "reported bad", "a close");
    }

    @Test
    void tellsWhichStrategiesSpin() {
        assertThat(Runner.spins(new BusySpinIdleStrategy())).isTrue();
        assertThat(Runner.spins(new SleepingIdleStrategy())).isFalse();
        assertThat(Runner.spins(SignalledIdle.exact())).isFalse();
    }

    @Test
    void needsAnAgent() {
        assertThatThrownBy(() -> runner(new BusySpinIdleStrategy()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("agents must have 1 element or more, but had 0");
        assertThat(runner(new BusySpinIdleStrategy(), new Recording("a", 1)))
                .asString()
                .contains("test");
    }

    @Test
    void theBackOffGrowsWithTheBatchUpToItsLimit() {
        int none = Integer.MAX_VALUE;
        for (int batch : new int[] {0, 1, 2, 3}) {
            assertThat(PollBackOff.units(batch, none, 128)).as("batch " + batch).isZero();
        }
        for (int batch : new int[] {4, 5, 9, 20, 127, 128}) {
            assertThat(PollBackOff.units(batch, none, 128)).as("batch " + batch).isEqualTo(batch);
        }
        assertThat(PollBackOff.units(129, none, 128)).isEqualTo(128);
        assertThat(PollBackOff.units(none, none, 128)).isEqualTo(128);
        assertThat(PollBackOff.units(none, none, 40)).isEqualTo(40);
    }

    @Test
    void theBackOffShrinksWhereTheRoomIsUsedUp() {
        assertThat(PollBackOff.units(256, 256, 128)).isEqualTo(128);
        assertThat(PollBackOff.units(512, 256, 128)).isEqualTo(64);
        assertThat(PollBackOff.units(1024, 256, 128)).isEqualTo(32);
        assertThat(PollBackOff.units(Integer.MAX_VALUE, 1, 128)).isZero();
        assertThat(PollBackOff.units(64, 16, 128)).isEqualTo(4);
    }

    @Test
    void theBackOffLearnsHowLongAHintTakes() {
        PollBackOff backOff = new PollBackOff(false);
        assertThat(backOff.hintsAUnit()).isEqualTo(1);
        backOff.measured(2.5);
        assertThat(backOff.hintsAUnit()).isEqualTo(10);
        assertThat(backOff.limit()).isEqualTo(128);
        backOff.measured(0);
        assertThat(backOff.hintsAUnit()).isEqualTo(100);
        for (int i = 0; i < 1_000; i++) {
            backOff.measured(100);
        }
        assertThat(backOff.hintsAUnit()).isEqualTo(1);
        assertThat(backOff.limit()).as("3.2 us of hints of nearly 100 ns").isBetween(32, 33);
        double one = 1e9; // an interruption
        backOff.measured(one);
        assertThat(backOff.limit()).as("moved a little by one interruption").isBetween(29, 33);
        backOff.after(1, Integer.MAX_VALUE, Integer.MAX_VALUE, false); // returns
        backOff.after(1, Integer.MAX_VALUE, Integer.MAX_VALUE, true); // returns too
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunnerAsksHowLargeABatchWasOnlyIfItMayWaitBehindIt(boolean pollBackOff) {
        for (int agents = 1; agents <= 2; agents++) {
            List<String> asked = new ArrayList<>();
            List<Agent> all = new ArrayList<>();
            for (int i = 0; i < agents; i++) {
                all.add(new Recording("agent", 4) {
                    @Override
                    public int eventsSinceIdle(int work) {
                        asked.add("agent");
                        return work;
                    }
                });
            }
            new Runner("test", new BusySpinIdleStrategy(), error -> {}, all, pollBackOff).run();
            assertThat(asked.isEmpty()).as(agents + " agents").isEqualTo(!pollBackOff);
        }
    }

    @Test
    void agentsThatShareARunnerAreAskedWhetherTheyHaveCaughtUp() {
        List<String> asked = new ArrayList<>();
        Recording busy = new Recording("busy", 4) {
            @Override
            public int eventsSinceIdle(int work) {
                asked.add("busy");
                return work;
            }
        };
        Recording rare = new Recording("rare", 2) {
            @Override
            public int eventsSinceIdle(int work) {
                asked.add("rare");
                return work;
            }
        };
        runner(new YieldingIdleStrategy(), busy, rare).run();
        assertThat(asked).containsExactly("busy", "rare", "busy", "busy");
    }

    @Test
    void aSingleAgentIsAskedWhetherItHasCaughtUp() {
        List<Integer> asked = new ArrayList<>();
        Recording agent = new Recording("a", 3) {
            @Override
            public int eventsSinceIdle(int work) {
                asked.add(work);
                return 0;
            }
        };
        runner(new BusySpinIdleStrategy(), agent).run();
        assertThat(asked).isNotEmpty().allMatch(work -> work > 0);
    }

    @Test
    void agentsAreAskedWhetherARunnerMayYieldUnlessItNeverDoes() {
        List<String> asked = new ArrayList<>();
        Recording agent = new Recording("a", 3) {
            @Override
            public boolean yieldsBeforeWaiting() {
                asked.add(roleName());
                return false;
            }
        };
        runner(new BusySpinIdleStrategy(), agent).run();
        assertThat(asked).isEmpty();
        Recording one = new Recording("one", 2) {
            @Override
            public boolean yieldsBeforeWaiting() {
                asked.add(roleName());
                return false;
            }
        };
        runner(new YieldingIdleStrategy(), one).run();
        assertThat(asked).isNotEmpty().containsOnly("one");
        asked.clear();
        Recording other = new Recording("other", 2) {
            @Override
            public boolean yieldsBeforeWaiting() {
                asked.add(roleName());
                return true;
            }
        };
        runner(new YieldingIdleStrategy(), other, new Recording("third", 2)).run();
        assertThat(asked).isNotEmpty().containsOnly("other");
    }

    @Test
    void anAgentIsToldWhenItHasARunnerThatSpinsForItself() {
        List<String> told = new ArrayList<>();
        class Told extends Recording {
            Told(String name, int cycles) {
                super(name, cycles);
            }

            @Override
            public void dedicatedSpinner(boolean alone) {
                told.add(roleName() + " " + alone + " " + calls.size());
            }
        }
        runner(new BusySpinIdleStrategy(), new Told("only", 2)).run();
        assertThat(told).containsExactly("only true 1");
        told.clear();
        runner(new YieldingIdleStrategy(), new Told("only", 2)).run();
        assertThat(told).isNotEmpty().allMatch(line -> line.startsWith("only false"));
        told.clear();
        runner(new BusySpinIdleStrategy(), new Told("short", 1), new Told("long", 3))
                .run();
        assertThat(told).hasSize(3);
        assertThat(told.get(0)).startsWith("short false");
        assertThat(told.get(1)).startsWith("long false");
        assertThat(told.get(2)).as("the other has left").startsWith("long true");
    }

    @Test
    void whatAnAgentThrowsWhenItIsToldIsReportedAndItRuns() {
        Recording agent = new Recording("a", 2) {
            @Override
            public void dedicatedSpinner(boolean alone) {
                throw new IllegalStateException("told");
            }
        };
        runner(new BusySpinIdleStrategy(), agent).run();
        assertThat(errors).singleElement().hasToString("java.lang.IllegalStateException: told");
        assertThat(calls).containsExactly("a start", "a work", "a work", "a close");
    }

    // what agents and error handlers throw

    /** Its source signals; a signal is lost to nobody, but one who parks with work left waits for the next. */
    private static final class Source {
        private final SignalledIdle idle = SignalledIdle.exact(0);
        private final AtomicInteger left = new AtomicInteger();
    }

    @Test
    @Tag("concurrency")
    @Timeout(20)
    void anAgentThatThrowsWithWorkLeftIsCalledAgainWithoutASignal() throws InterruptedException {
        Source source = new Source();
        source.left.set(5); // published, and signalled, before the runner began
        Recording throwing = new Recording("a", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                if (source.left.get() == 0) {
                    return 0;
                }
                source.left.decrementAndGet();
                throw new IllegalStateException("one event fails");
            }

            @Override
            public boolean isDone() {
                return source.left.get() == 0;
            }
        };
        Thread alone = new Thread(runner(source.idle, throwing));
        alone.start();
        alone.join(10_000);
        assertThat(alone.isAlive()).as("parked with work left").isFalse();
        assertThat(errors).hasSize(5);

        source.left.set(5);
        Recording quiet = new Recording("b", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                return 0;
            }

            @Override
            public boolean isDone() {
                return source.left.get() == 0;
            }
        };
        Thread shared = new Thread(runner(source.idle, quiet, throwing));
        shared.start();
        shared.join(10_000);
        assertThat(shared.isAlive()).as("parked with work left").isFalse();
        assertThat(errors).hasSize(10);
    }

    /** Its deadline is not known, and without one the park would never end. */
    @Test
    @Tag("concurrency")
    @Timeout(20)
    void anAgentWhoseDeadlineIsNotKnownIsCalledAgainWithoutASignal() throws InterruptedException {
        Recording forgetful = new Recording("a", Integer.MAX_VALUE) {
            private int calls;

            @Override
            public int doWork() {
                calls++;
                return 0;
            }

            @Override
            public boolean isDone() {
                return calls == 3;
            }

            @Override
            public long deadline() {
                throw new IllegalStateException("no deadline after call " + calls);
            }
        };
        Thread thread = new Thread(runner(SignalledIdle.exact(0), forgetful));
        thread.start();
        thread.join(10_000);
        assertThat(thread.isAlive()).as("parked for ever").isFalse();
        assertThat(errors)
                .extracting(Throwable::getMessage)
                .containsExactly("no deadline after call 1", "no deadline after call 2");
    }

    /** The questions that a runner asks between two calls of doWork. */
    private enum Question {
        DEADLINE,
        CAUGHT_UP,
        ROOMY_BATCH,
        MAY_YIELD,
        IS_DONE,
        SPINS_ALONE
    }

    private final class Refusing extends Recording {
        private final Question refused;
        private int asked;

        Refusing(Question refused) {
            super("refusing", 4);
            this.refused = refused;
        }

        private void ask(Question question) {
            if (question == refused && asked++ < 2) {
                throw new IllegalStateException(question.toString());
            }
        }

        @Override
        public int doWork() throws Exception {
            int work = super.doWork();
            return work > 0 && cyclesLeft() % 2 == 1 ? 0 : work; // an idle cycle now and then
        }

        @Override
        public boolean isDone() {
            ask(Question.IS_DONE);
            return super.isDone();
        }

        @Override
        public long deadline() {
            ask(Question.DEADLINE);
            return System.nanoTime() + 1_000_000; // or the park would never end
        }

        @Override
        public int eventsSinceIdle(int work) {
            ask(Question.CAUGHT_UP);
            return work;
        }

        @Override
        public int backOffBatchLimit() {
            ask(Question.ROOMY_BATCH);
            return 1;
        }

        @Override
        public boolean yieldsBeforeWaiting() {
            ask(Question.MAY_YIELD);
            return true;
        }

        @Override
        public void dedicatedSpinner(boolean alone) {
            ask(Question.SPINS_ALONE);
        }
    }

    @ParameterizedTest
    @EnumSource(Question.class)
    @Timeout(20)
    void anAgentThatFailsToAnswerIsReportedAndAllGoOn(Question question) {
        Refusing alone = new Refusing(question);
        runner(SignalledIdle.exact(0), alone).run();
        assertThat(alone.asked).as("asked").isPositive();
        assertThat(errors)
                .hasSizeBetween(1, 2)
                .allSatisfy(error -> assertThat(error).hasMessage(question.toString()));
        assertThat(calls).startsWith("refusing start").endsWith("refusing close");
        assertThat(calls).filteredOn("refusing work"::equals).hasSize(4);

        calls.clear();
        errors.clear();
        Refusing shared = new Refusing(question);
        runner(SignalledIdle.exact(0), shared, new Recording("other", 3)).run();
        assertThat(errors)
                .hasSizeBetween(1, 2)
                .allSatisfy(error -> assertThat(error).hasMessage(question.toString()));
        assertThat(calls).filteredOn("refusing work"::equals).hasSize(4);
        assertThat(calls).filteredOn("other work"::equals).hasSize(3);
        assertThat(calls).contains("refusing close", "other close");
    }

    /** Starts, works and closes by failing, each as told. */
    private final class Broken extends Recording {
        private final String place;

        Broken(String name, String place) {
            super(name, 1);
            this.place = place;
        }

        private void fail(String here) {
            if (place.equals(here)) {
                throw new IllegalStateException(roleName() + " fails to " + here);
            }
        }

        @Override
        public void onStart() {
            super.onStart();
            fail("start");
        }

        @Override
        public int doWork() throws Exception {
            fail("work");
            return super.doWork();
        }

        @Override
        public void onClose() {
            super.onClose();
            fail("close");
        }

        @Override
        public void dedicatedSpinner(boolean alone) {
            fail("be told");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "be told", "work", "close"})
    void whereTheErrorHandlerThrowsEveryAgentIsClosedOnce(String place) {
        List<String> told = new ArrayList<>();
        Runner runner = new Runner(
                "test",
                new BusySpinIdleStrategy(),
                error -> {
                    told.add(error.getMessage());
                    throw new IllegalArgumentException("by the error handler, of " + error.getMessage());
                },
                List.of(new Recording("first", 9), new Broken("b", place), new Recording("last", 9)));
        assertThatThrownBy(runner::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("by the error handler, of b fails to " + place)
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .contains("b fails to " + place));
        assertThat(told).as("the handler is not told what it threw itself").containsExactly("b fails to " + place);
        assertThat(calls)
                .filteredOn(call -> call.endsWith(" close"))
                .containsExactlyInAnyOrder("first close", "b close", "last close");
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "be told", "work", "close"})
    void anErrorHandlerThatThrowsOnWhatItIsToldEndsTheRunnerWithThatVeryException(String place) {
        List<Throwable> told = new ArrayList<>();
        Runner runner = new Runner(
                "test",
                new BusySpinIdleStrategy(),
                error -> {
                    told.add(error);
                    throw (IllegalStateException) error;
                },
                List.of(new Broken("b", place)));
        assertThatThrownBy(runner::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("b fails to " + place)
                .hasNoSuppressedExceptions()
                .satisfies(thrown -> assertThat(told).containsExactly(thrown));
        assertThat(calls).filteredOn(call -> call.endsWith(" close")).containsExactly("b close");
    }

    @Test
    void whereTheErrorHandlerAlwaysThrowsTheFirstOfItsExceptionsEndsTheRunner() {
        Runner runner = new Runner(
                "test",
                new BusySpinIdleStrategy(),
                error -> {
                    throw new IllegalArgumentException(error.getMessage());
                },
                List.of(new Broken("a", "work"), new Broken("b", "close"), new Broken("c", "close")));
        assertThatThrownBy(runner::run)
                .hasMessage("a fails to work")
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("a fails to work", "b fails to close", "c fails to close"));
        assertThat(calls)
                .filteredOn(call -> call.endsWith(" close"))
                .containsExactlyInAnyOrder("a close", "b close", "c close");
    }

    // stop

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Tag("concurrency")
    @Timeout(20)
    void stopEndsARunnerWhoseAgentsAreBusyAllTheTime(int agents) throws InterruptedException {
        List<Agent> busy = new ArrayList<>();
        AtomicInteger worked = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        for (int i = 0; i < agents; i++) {
            busy.add(new Agent() {
                @Override
                public int doWork() {
                    worked.incrementAndGet();
                    return 1;
                }

                @Override
                public void onClose() {
                    closed.incrementAndGet();
                }

                @Override
                public String roleName() {
                    return "busy";
                }
            });
        }
        Runner runner = new Runner("busy", SignalledIdle.exact(0), errors::add, busy);
        Thread thread = new Thread(runner);
        thread.setDaemon(true);
        thread.start();
        while (worked.get() < 10_000) {
            Thread.onSpinWait();
        }
        runner.stop();
        thread.join(10_000);
        assertThat(thread.isAlive()).as("still running").isFalse();
        assertThat(closed.get()).isEqualTo(agents);
        assertThat(errors).isEmpty();
    }

    @Test
    @Tag("concurrency")
    @Timeout(20)
    void stopEndsARunnerWhoseAgentThrowsAllTheTime() throws InterruptedException {
        AtomicInteger worked = new AtomicInteger();
        Recording throwing = new Recording("a", Integer.MAX_VALUE) {
            @Override
            public int doWork() {
                worked.incrementAndGet();
                throw new IllegalStateException("always");
            }
        };
        Runner runner = new Runner("throwing", SignalledIdle.exact(0), error -> {}, List.of(throwing));
        Thread thread = new Thread(runner);
        thread.setDaemon(true);
        thread.start();
        while (worked.get() < 1_000) {
            Thread.onSpinWait();
        }
        runner.stop();
        thread.join(10_000);
        assertThat(thread.isAlive()).as("still running").isFalse();
        assertThat(calls).containsExactly("a start", "a close");
    }
}
