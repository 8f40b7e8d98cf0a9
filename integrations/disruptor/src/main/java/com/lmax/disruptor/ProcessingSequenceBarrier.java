package com.lmax.disruptor;

import io.sluice.core.PollBackOff;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * A program may make several processors on one barrier. On the Disruptor they share its alert, so that a halt of one ends the waits of
 * all, and a processor that begins takes the halt of another one back. Here each of them waits at a barrier of its own. That one
 * is alerted if its processor was halted, or if the program has alerted the barrier that it was made from.
 *
 * Both alert the barrier of the program, as on the Disruptor: a processor of the program's own that waits at it hears both.
 */

/** The barrier of a sequencer: waits by the wait strategy, then looks how far everything is published. */
final class ProcessingSequenceBarrier implements SequenceBarrier {
    private static final VarHandle ALERT =
            VarHandles.field(MethodHandles.lookup(), ProcessingSequenceBarrier.class, "alert", int.class);

    private static final int NONE = 0;
    private static final int BY_A_HALT = 1;
    private static final int BY_THE_PROGRAM = 2;

    private final Sequencer sequencer;
    private final WaitStrategy waitStrategy;
    private final Sequence cursor;
    private final Sequence dependent;

    /** The one that the program has, which holds the alert. */
    private final ProcessingSequenceBarrier shared;

    /** Of the processor whose barrier this is; null for the one that the program has. */
    private final @Nullable RunState run;

    private final LooksBeforeYield looksBeforeYield = new LooksBeforeYield();
    private final boolean yieldsAfterBatch;

    @SuppressWarnings("unused") // by ALERT
    private int alert;

    ProcessingSequenceBarrier(Sequencer sequencer, WaitStrategy waitStrategy, Sequence cursor, Sequence[] dependents) {
        this.sequencer = sequencer;
        this.waitStrategy = waitStrategy;
        this.cursor = cursor;
        dependent = switch (dependents.length) {
            case 0 -> cursor;
            case 1 -> Check.notNull(dependents[0], "sequencesToTrack");
            default -> new FixedSequenceGroup(dependents);
        };
        shared = this;
        run = null;
        yieldsAfterBatch = waitStrategy instanceof YieldingWaitStrategy && sequencer instanceof SingleProducerSequencer;
    }

    private ProcessingSequenceBarrier(ProcessingSequenceBarrier shared, RunState run) {
        sequencer = shared.sequencer;
        waitStrategy = shared.waitStrategy;
        cursor = shared.cursor;
        dependent = shared.dependent;
        this.shared = shared;
        this.run = run;
        yieldsAfterBatch = shared.yieldsAfterBatch;
    }

    /** The barrier of one processor, at which halts of others are not heard. */
    ProcessingSequenceBarrier forRun(RunState run) {
        return new ProcessingSequenceBarrier(shared, run);
    }

    @Override
    public long waitFor(long sequence) throws AlertException, InterruptedException, TimeoutException {
        checkAlert();
        long available = waitStrategy.waitFor(sequence, cursor, dependent, this);
        return available < sequence ? available : sequencer.getHighestPublishedSequence(sequence, available);
    }

    @Override
    public long getCursor() {
        return dependent.get();
    }

    /** Whether an event is claimed and not published yet: nobody says when it will be. A sequencer of the program's own is not asked. */
    boolean isClaimedOnly(long sequence) {
        return sequencer instanceof MultiProducerSequencer // with one producer the cursor is published
                && dependent.get() >= sequence
                && !sequencer.isAvailable(sequence);
    }

    /** How a consumer waits after a batch; null if its strategy is a user's own, or one that parks. For one thread. */
    @Nullable
    PollBackOff newBackOff() {
        return waitStrategy instanceof YieldingWaitStrategy || waitStrategy instanceof BusySpinWaitStrategy
                ? new PollBackOff(true)
                : null;
    }

    /** For threads that wait here by yields. */
    LooksBeforeYield looksBeforeYield() {
        return looksBeforeYield;
    }

    /**
     * Whether a consumer that waits here after a batch yields first. It does not yield to several producers, which contend for one
     * word: one more of them makes all slower.
     */
    boolean yieldsAfterBatch() {
        return yieldsAfterBatch && looksBeforeYield.yieldsAfterBatch();
    }

    /** The largest batch that leaves the producers plenty of room. */
    int backOffBatchLimit() {
        return Math.max(1, sequencer.getBufferSize() / 4);
    }

    @Override
    public boolean isAlerted() {
        int by = (int) ALERT.getAcquire(shared); // acquire: sees what the alerting thread did before
        return by == BY_THE_PROGRAM || (run == null ? by != NONE : run.wasHalted());
    }

    @Override
    public void alert() {
        ALERT.setVolatile(shared, BY_THE_PROGRAM); // volatile: before the look whether somebody waits
        waitStrategy.signalAllWhenBlocking();
    }

    /** Wakes all that wait. It alerts the barrier of the program, but not those of processors that go on. Any thread. */
    void alertOfHalt() {
        ALERT.compareAndSet(shared, NONE, BY_A_HALT); // CAS: an alert of the program stays one
        waitStrategy.signalAllWhenBlocking();
    }

    @Override
    public void clearAlert() {
        ALERT.setVolatile(shared, NONE); // volatile: before the processor looks again whether it was halted
    }

    @Override
    public void checkAlert() throws AlertException {
        if (isAlerted()) {
            throw AlertException.INSTANCE;
        }
    }
}
