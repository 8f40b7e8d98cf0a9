package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    /** With a deadline the runner comes back by itself; without one this test would hang. */
    @Test
    @Tag("concurrency")
    @Timeout(20)
    void aParkEndsAtTheNearestDeadlineOfTheAgents() {
        long end = System.nanoTime() + 2_000_000;
        Recording patient = new Recording("a", 1) {
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
                return end;
            }
        };
        SignalledIdle idle = SignalledIdle.exact(0);
        runner(idle, patient).run();
        assertThat(calls).containsExactly("a start", "a close");
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
                .hasMessage("agents: 0, allowed are 1 and more");
        assertThat(runner(new BusySpinIdleStrategy(), new Recording("a", 1)))
                .asString()
                .contains("test");
    }

    @Test
    void theBackOffGrowsWithTheBatchUpToItsLimit() {
        int none = Integer.MAX_VALUE;
        assertThat(PollBackOff.units(0, none, 192)).isZero();
        assertThat(PollBackOff.units(1, none, 192)).isZero();
        assertThat(PollBackOff.units(2, none, 192)).isEqualTo(8);
        assertThat(PollBackOff.units(8, none, 192)).isEqualTo(32);
        assertThat(PollBackOff.units(9, none, 192)).isEqualTo(33);
        int last = 0;
        for (int batch : new int[] {2, 3, 8, 9, 20, 167, 168, 169, 10_000, none}) {
            int units = PollBackOff.units(batch, none, 192);
            assertThat(units).as("batch " + batch).isBetween(last, 192);
            last = units;
        }
        assertThat(last).isEqualTo(192);
        assertThat(PollBackOff.units(none, none, 40)).isEqualTo(40);
    }

    @Test
    void theBackOffShrinksWhereTheRoomIsUsedUp() {
        assertThat(PollBackOff.units(256, 256, 128)).isEqualTo(128);
        assertThat(PollBackOff.units(512, 256, 128)).isEqualTo(64);
        assertThat(PollBackOff.units(1024, 256, 128)).isEqualTo(32);
        assertThat(PollBackOff.units(Integer.MAX_VALUE, 1, 128)).isZero();
        assertThat(PollBackOff.units(64, 16, 128)).isEqualTo(10);
    }

    @Test
    void theBackOffLearnsHowLongAHintTakes() {
        PollBackOff backOff = new PollBackOff();
        assertThat(backOff.hintsAUnit()).isEqualTo(1);
        backOff.measured(2.5);
        assertThat(backOff.hintsAUnit()).isEqualTo(10);
        assertThat(backOff.limit()).isEqualTo(192);
        backOff.measured(0);
        assertThat(backOff.hintsAUnit()).isEqualTo(100);
        for (int i = 0; i < 1_000; i++) {
            backOff.measured(100);
        }
        assertThat(backOff.hintsAUnit()).isEqualTo(1);
        assertThat(backOff.limit()).as("5 us of hints of nearly 100 ns").isBetween(50, 51);
        double one = 1e9; // an interruption
        backOff.measured(one);
        assertThat(backOff.limit()).as("moved a little by one interruption").isBetween(46, 51);
        backOff.after(Integer.MAX_VALUE, Integer.MAX_VALUE, false); // returns
        backOff.after(Integer.MAX_VALUE, Integer.MAX_VALUE, true); // returns too
    }

    @Test
    void agentsThatShareARunnerAreAskedWhetherTheyHaveCaughtUp() {
        List<String> asked = new ArrayList<>();
        Recording busy = new Recording("busy", 4) {
            @Override
            public int caughtUp(int work) {
                asked.add("busy");
                return work;
            }
        };
        Recording rare = new Recording("rare", 2) {
            @Override
            public int caughtUp(int work) {
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
            public int caughtUp(int work) {
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
            public boolean mayYield() {
                asked.add(roleName());
                return false;
            }
        };
        runner(new BusySpinIdleStrategy(), agent).run();
        assertThat(asked).isEmpty();
        Recording one = new Recording("one", 2) {
            @Override
            public boolean mayYield() {
                asked.add(roleName());
                return false;
            }
        };
        runner(new YieldingIdleStrategy(), one).run();
        assertThat(asked).isNotEmpty().containsOnly("one");
        asked.clear();
        Recording other = new Recording("other", 2) {
            @Override
            public boolean mayYield() {
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
            public void spinsAlone(boolean alone) {
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
            public void spinsAlone(boolean alone) {
                throw new IllegalStateException("told");
            }
        };
        runner(new BusySpinIdleStrategy(), agent).run();
        assertThat(errors).singleElement().hasToString("java.lang.IllegalStateException: told");
        assertThat(calls).containsExactly("a start", "a work", "a work", "a close");
    }
}
