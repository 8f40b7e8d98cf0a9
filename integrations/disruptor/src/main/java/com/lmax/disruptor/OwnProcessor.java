package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/*
 * The graph asks how many runs have begun when it starts a thread, and later whether more have ended: so it knows that one has which
 * began after that. The thread of a run may outlive it, and an earlier run may end after the start. It also asks whether a run is to end:
 * one that waits for the end of a halted run is not in the state yet. The graph stands in another package, and the face has no further type
 * that both see, so they have three of the JDK's.
 */

/** What the loops of this library have in common: their progress, where they wait, and who runs them. */
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
