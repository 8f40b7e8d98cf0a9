package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Runner;
import io.sluice.jcstress.Proof;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/**
 * The agents of a stopped runner see, when they are closed, what led to the stop. If not, they would end without
 * knowing why. Results: what the agent saw when it was closed, and whether it had run before.
 */
@JCStressTest
@Outcome(
        id = {"7, 0", "8, 0"},
        expect = ACCEPTABLE,
        desc = "stopped before the first cycles were over")
@Outcome(
        id = {"7, 1", "8, 1"},
        expect = ACCEPTABLE,
        desc = "stopped while it ran")
@Outcome(expect = FORBIDDEN, desc = "closed without what led to it")
@Proof(
        claim = "agents see what led to the stop of their runner",
        overlap = {"8, 1"},
        twins = {"runner-stop-release"})
@State
public class RunnerStopTest {
    private final Agent agent = new Agent() {
        @Override
        public int doWork() {
            cycles++;
            return 0;
        }

        @Override
        public void onClose() {
            seen = reason;
        }

        @Override
        public String roleName() {
            return "agent";
        }
    };

    private final Runner runner =
            new Runner("runner", BusySpinIdleStrategy.INSTANCE, Throwable::printStackTrace, List.of(agent));
    private long reason;
    private long seen;
    private int cycles;

    /**
     * Runs until it is stopped.
     *
     * @param r what the agent saw
     */
    @Actor
    public void runner(JI_Result r) {
        runner.run();
        r.r1 = seen;
        r.r2 = cycles > 2 ? 1 : 0;
    }

    /** Says why, stops, and goes on to other things. */
    @Actor
    public void stopping() {
        Runner known = Objects.requireNonNull(runner); // now, so that no check stands between the two stores
        reason = 7;
        known.stop();
        reason = 8;
    }
}
