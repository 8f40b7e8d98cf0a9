package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/*
 * When the graph starts a thread, it asks how many runs have begun, and later whether more have ended. So it knows whether a run that began
 * after that has ended. The thread of a run may outlive it, and an earlier run may end after the start. It also asks whether a run is to
 * end: one that waits for the end of a halted run is not in the state yet. The graph stands in another package, and the API has no further
 * type that both see, so they use three types of the JDK.
 */

/** The common part of the loops of this library: their progress, the barrier where they wait, and the state of their run. */
abstract class OwnProcessor implements EventProcessor, IntSupplier, IntPredicate, BooleanSupplier {
    final Sequence sequence = new Sequence();
    final RunState state;
    final SequenceBarrier sequenceBarrier;

    OwnProcessor(SequenceBarrier given) {
        state = new RunState(Check.notNull(given, "sequenceBarrier"));
        sequenceBarrier = state.barrier();
    }

    @Override
    public Sequence getSequence() {
        return sequence;
    }

    @Override
    public void halt() {
        state.halt();
    }

    /**
     * How many of its runs have begun, with those that wait for the end of one that was halted. Any thread.
     *
     * @return the number
     */
    @Override
    public int getAsInt() {
        return state.runsBegun.get();
    }

    /**
     * Whether more of its runs have ended. Any thread.
     *
     * @param runs a number of runs
     * @return whether more have ended
     */
    @Override
    public boolean test(int runs) {
        return state.runsEnded.get() > runs;
    }

    /**
     * Whether a run has not ended, or waits for the end of one that was halted; but for the caller's own. Any thread.
     *
     * @return whether such a run is to end
     */
    @Override
    public boolean getAsBoolean() {
        return state.hasRunToEnd();
    }
}
