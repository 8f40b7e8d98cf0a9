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
    void theBackOffIsBounded() {
        for (int batch : new int[] {0, 3, 4, 128, Integer.MAX_VALUE}) {
            PollBackOff.after(batch); // returns: the wait for the largest batch is that for 128 events at most
        }
        assertThat(PollBackOff.hints(3)).isZero();
        assertThat(PollBackOff.hints(4)).isBetween(1, 4);
        assertThat(PollBackOff.hints(Integer.MAX_VALUE)).isBetween(1, 128);
    }
}
