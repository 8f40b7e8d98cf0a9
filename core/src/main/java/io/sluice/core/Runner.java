package io.sluice.core;

import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Runs agents on one thread. A duty cycle calls every agent once, also when one of them throws. So an empty cycle says that no
 * agent had anything to do, and {@link SignalledIdle} may park after it. Agrona's composite agent gives no such cycle: after an
 * agent that threw, it resumes with the next one.
 *
 * <p>An agent leaves when it is {@linkplain RunnerAgent#isDone() done} or throws {@link AgentTerminationException}. One that has a
 * cause goes to the error handler first: the agent has failed for good. Anything else that an agent throws goes to the error
 * handler too, and the next cycle calls the agent again. The runner does not park after a cycle in
 * which an agent threw, so an agent that always throws keeps its thread busy. The same holds for what an agent throws when the
 * runner asks it for a deadline, a batch, or whether it may yield. The runner ends when all agents have left, or when it is stopped.
 *
 * <p>After a cycle in which every agent had a batch, a runner waits a little before it polls again: an eager poll would take
 * the cache line from under the producer's next store. The wait is as long as the smallest batch, in units of 25 ns, 3.2
 * microseconds at most. There is none after a batch of less than four events, and none while more is there already. If the idle
 * strategy spins for ever, the runner waits only while that moves more events: it tries now and then, and compares. Elsewhere a
 * longer wait begins with a {@link Thread#yield}, unless an agent {@linkplain RunnerAgent#yieldsBeforeWaiting() would not}.
 *
 * <p>{@link #run} is called once, by the thread that the runner is to own; {@link #stop} by any. An interrupt does not end a runner. It
 * clears the flag after an empty cycle, since a thread with the flag set can not park. So an agent sees an interrupt while it works, or
 * in its next call if the interrupt ended the park before it, and neither the agent nor the idle strategy sees it later. A runner whose
 * idle strategy {@linkplain #spins only spins or yields} leaves the flag as it is.
 */
public final class Runner implements Runnable {
    private final String name;
    private final IdleStrategy idle;
    private final @Nullable SignalledIdle signalled;
    private final ErrorHandler errors;

    // runner's thread only
    private final @Nullable PollBackOff backOff; // null where the runner never waits after a batch
    private final boolean yields;
    private final boolean mayPark;
    private Agent[] agents;
    private boolean threw; // in the present cycle
    private @Nullable Throwable reportersOwn;

    // any thread
    private boolean stopped;

    /**
     * Creates a runner.
     *
     * @param name for {@link #toString} and dumps
     * @param idle what to do after an empty cycle; for this runner alone
     * @param errors told what agents throw, on the runner's thread. An exception of its own ends the runner: {@link #run} throws
     *     it, with the exception that it was told suppressed
     * @param agents whom to call, in this order; at least one
     * @throws IllegalArgumentException if there is no agent
     */
    public Runner(String name, IdleStrategy idle, ErrorHandler errors, List<? extends Agent> agents) {
        this(name, idle, errors, agents, true);
    }

    /**
     * Creates a runner that waits after a batch, or never does.
     *
     * @param name for {@link #toString} and dumps
     * @param idle what to do after an empty cycle; for this runner alone
     * @param errors told what agents throw, as above
     * @param agents whom to call, in this order; at least one
     * @param pollBackOff whether to wait a little after a batch of four events or more: false gives the shortest way to the next
     *     event under load, and fewer events a second flat out
     * @throws IllegalArgumentException if there is no agent
     */
    public Runner(
            String name, IdleStrategy idle, ErrorHandler errors, List<? extends Agent> agents, boolean pollBackOff) {
        this.name = Check.notNull(name, "name");
        this.idle = Check.notNull(idle, "idle");
        this.signalled = idle instanceof SignalledIdle signalledIdle ? signalledIdle : null;
        this.yields = !(idle instanceof BusySpinIdleStrategy || idle instanceof NoOpIdleStrategy);
        this.mayPark = !spins(idle);
        this.backOff = pollBackOff ? new PollBackOff(!yields) : null;
        this.errors = Check.notNull(errors, "errors");
        if (agents.isEmpty()) {
            throw new IllegalArgumentException("agents must have 1 element or more, but had 0");
        }
        this.agents = agents.toArray(new Agent[0]);
    }

    /**
     * Whether an idle strategy never gives the processor away: refused on virtual threads, whose carrier it would hold.
     *
     * @param idle the strategy
     * @return true for Agrona's busy spin, no-op and yielding strategies
     */
    public static boolean spins(IdleStrategy idle) {
        return idle instanceof BusySpinIdleStrategy
                || idle instanceof NoOpIdleStrategy
                || idle instanceof YieldingIdleStrategy;
    }

    /** Asks the runner to end after the present cycle, and wakes it if its idle strategy can be signalled. Any thread. */
    public void stop() {
        STOPPED.setRelease(this, true); // release: whatever led to the stop is visible to the closing agents
        if (signalled != null) {
            signalled.signal();
        }
    }

    /**
     * Runs until all agents have left or {@link #stop} is called. Starts each agent, calls it in cycles, closes it when it
     * leaves. An agent that throws from {@code onStart} is reported, closed and left out. An exception of the idle strategy
     * is reported too. Then it ends the runner, and reaches the caller.
     *
     * <p>Whatever ends the runner, it closes every agent once, also those that it has not started yet. Where more than one
     * exception ends it, the first is thrown and has the others suppressed.
     */
    @Override
    public void run() {
        Throwable fatal = null;
        try {
            for (Agent agent : agents) {
                start(agent);
            }
            tellWhetherAlone();
            cycles();
        } catch (Throwable t) {
            fatal = t;
        }
        if (fatal != null && fatal != reportersOwn) {
            fatal = reported(fatal); // before the agents are closed: whoever sees them ended can see why
        }
        Agent[] rest = agents;
        agents = new Agent[0];
        for (Agent agent : rest) {
            try {
                close(agent);
            } catch (Throwable t) { // the error handler's: the others are closed all the same
                fatal = joined(fatal, t);
            }
        }
        if (fatal != null) {
            throw Runner.<RuntimeException>unchecked(
                    fatal); // agents' exceptions are reported; what is left is unchecked
        }
    }

    private Throwable reported(Throwable t) {
        try {
            report(t);
            return t;
        } catch (Throwable own) {
            return joined(t, own);
        }
    }

    private static Throwable joined(@Nullable Throwable first, Throwable later) {
        if (first == null || first == later) {
            return later;
        }
        first.addSuppressed(later);
        return first;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"
    }) // T is never seen: the compiler checks nothing at run time
    private static <T extends Throwable> T unchecked(Throwable t) throws T {
        throw (T) t;
    }

    private void start(Agent agent) {
        try {
            agent.onStart();
        } catch (Throwable t) {
            report(t);
            leave(agent);
        }
    }

    private void cycles() {
        while (agents.length > 0) {
            threw = false;
            int work = agents.length == 1 ? single(agents[0]) : cycle(agents);
            if (agents.length == 0 || (boolean) STOPPED.getAcquire(this)) { // acquire: pairs with stop()
                return;
            }
            if (work == 0 && mayPark) {
                Thread.interrupted(); // cleared: it only wakes a runner, which could not park while the flag is set
            }
            if (work == 0 && signalled != null) {
                for (Agent agent : agents) {
                    if (agent instanceof RunnerAgent runnerAgent) {
                        tellDeadline(runnerAgent, signalled);
                    }
                }
            }
            if (threw) {
                idle.reset(); // not an empty cycle: what threw may have left work that nobody will signal again
            } else {
                idle.idle(work);
            }
        }
    }

    private void tellDeadline(RunnerAgent agent, SignalledIdle to) {
        try {
            to.deadline(agent.deadline());
        } catch (Throwable t) {
            failed(t);
        }
    }

    /** The loop of a dedicated thread: stays here while there is work. */
    private int single(Agent agent) {
        RunnerAgent informed = agent instanceof RunnerAgent runnerAgent ? runnerAgent : null;
        int batchLimit = backOffBatchLimit(informed);
        for (; ; ) {
            int work = call(agent);
            if (work == 0 || agents.length == 0 || (boolean) STOPPED.getAcquire(this)) { // acquire: pairs with stop()
                return work;
            }
            idle.reset();
            if (backOff == null) {
                continue;
            }
            backOff.after(work, eventsSinceIdle(informed, work), batchLimit, yields && yieldsBeforeWaiting(informed));
        }
    }

    private int cycle(Agent[] cycle) {
        int work = 0;
        int least = Integer.MAX_VALUE;
        int batchLimit = Integer.MAX_VALUE;
        boolean yieldsBeforeWaiting = yields;
        for (Agent agent : cycle) {
            int done = call(agent);
            work += done;
            if (backOff == null) {
                continue;
            }
            if (agent instanceof RunnerAgent informed) {
                least = Math.min(least, done == 0 ? 0 : eventsSinceIdle(informed, done));
                batchLimit = Math.min(batchLimit, backOffBatchLimit(informed));
                yieldsBeforeWaiting &= yieldsBeforeWaiting(informed);
            } else {
                least = Math.min(least, done);
            }
        }
        if (work > 0 && backOff != null) {
            backOff.after(work, least, batchLimit, yieldsBeforeWaiting);
        }
        return work;
    }

    // questions to agents; one that throws instead of an answer is taken for one without a wish

    private int eventsSinceIdle(@Nullable RunnerAgent agent, int work) {
        try {
            return agent == null ? work : agent.eventsSinceIdle(work);
        } catch (Throwable t) {
            failed(t);
            return 0;
        }
    }

    private int backOffBatchLimit(@Nullable RunnerAgent agent) {
        try {
            return agent == null ? Integer.MAX_VALUE : agent.backOffBatchLimit();
        } catch (Throwable t) {
            failed(t);
            return Integer.MAX_VALUE;
        }
    }

    private boolean yieldsBeforeWaiting(@Nullable RunnerAgent agent) {
        try {
            return agent == null || agent.yieldsBeforeWaiting();
        } catch (Throwable t) {
            failed(t);
            return false;
        }
    }

    private int call(Agent agent) {
        try {
            int work = agent.doWork();
            if (work != 0 || !(agent instanceof RunnerAgent runnerAgent) || !runnerAgent.isDone()) {
                return work;
            }
        } catch (AgentTerminationException e) {
            if (e.getCause() != null) {
                report(e); // it does not just leave: something has ended it, and nobody else would hear of that
            }
        } catch (Throwable t) {
            failed(t);
            return 0;
        }
        leave(agent); // outside the try: what the error handler throws ends the runner
        return 0;
    }

    private void leave(Agent agent) {
        agents = Arrays.stream(agents).filter(a -> a != agent).toArray(Agent[]::new);
        close(agent);
        tellWhetherAlone();
    }

    private void tellWhetherAlone() {
        for (Agent agent : agents) {
            if (agent instanceof RunnerAgent informed) {
                try {
                    informed.dedicatedSpinner(agents.length == 1 && !yields);
                } catch (Throwable t) {
                    report(t);
                }
            }
        }
    }

    private void close(Agent agent) {
        try {
            agent.onClose();
        } catch (Throwable t) {
            report(t);
        }
    }

    /** An agent threw: this cycle is not an empty one. */
    private void failed(Throwable t) {
        threw = true;
        report(t);
    }

    private void report(Throwable t) {
        try {
            errors.onError(t);
        } catch (Throwable own) {
            reportersOwn = own; // ends the runner, and is not reported to whom it comes from
            if (own != t) {
                own.addSuppressed(t);
            }
            throw own;
        }
    }

    @Override
    public String toString() {
        return "Runner{" + name + ", " + idle + "}";
    }

    private static final VarHandle STOPPED =
            VarHandles.field(MethodHandles.lookup(), Runner.class, "stopped", boolean.class);
}
