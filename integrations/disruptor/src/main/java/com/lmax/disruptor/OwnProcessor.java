package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.function.IntSupplier;

/*
 * The graph asks how many runs have ended: the thread of a run may outlive it. It stands in another package, and the face has no
 * further type that both see, so they have one of the JDK's.
 */

/** What the loops of this library have in common: their progress, where they wait, and who runs them. */
abstract class OwnProcessor implements EventProcessor, IntSupplier {
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
     * How many of its runs have ended. Any thread.
     *
     * @return the number
     */
    @Override
    public int getAsInt() {
        return state.runsEnded.get();
    }
}
