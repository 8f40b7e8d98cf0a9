package com.lmax.disruptor;

import io.sluice.core.PollBackOff;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The barrier of a sequencer: waits by the wait strategy, then looks how far everything is published. */
final class ProcessingSequenceBarrier implements SequenceBarrier {
    private static final VarHandle ALERTED =
            VarHandles.field(MethodHandles.lookup(), ProcessingSequenceBarrier.class, "alerted", boolean.class);

    private final Sequencer sequencer;
    private final WaitStrategy waitStrategy;
    private final Sequence cursor;
    private final Sequence dependent;

    @SuppressWarnings("unused") // by ALERTED
    private boolean alerted;

    ProcessingSequenceBarrier(Sequencer sequencer, WaitStrategy waitStrategy, Sequence cursor, Sequence[] dependents) {
        this.sequencer = sequencer;
        this.waitStrategy = waitStrategy;
        this.cursor = cursor;
        dependent = switch (dependents.length) {
            case 0 -> cursor;
            case 1 -> Check.notNull(dependents[0], "sequencesToTrack");
            default -> new FixedSequenceGroup(dependents);
        };
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

    /** How a consumer waits after a batch; null if its strategy is a user's own, or one that parks. For one thread. */
    @Nullable
    PollBackOff newBackOff() {
        return waitStrategy instanceof YieldingWaitStrategy || waitStrategy instanceof BusySpinWaitStrategy
                ? new PollBackOff(true)
                : null;
    }

    /** The largest batch that leaves the producers plenty of room. */
    int roomyBatch() {
        return Math.max(1, sequencer.getBufferSize() / 4);
    }

    @Override
    public boolean isAlerted() {
        return (boolean) ALERTED.getAcquire(this); // acquire: sees what the alerting thread did before
    }

    @Override
    public void alert() {
        ALERTED.setVolatile(this, true); // volatile: before the look whether somebody waits
        waitStrategy.signalAllWhenBlocking();
    }

    @Override
    public void clearAlert() {
        ALERTED.setVolatile(this, false); // volatile: before the processor looks again whether it was halted
    }

    @Override
    public void checkAlert() throws AlertException {
        if (isAlerted()) {
            throw AlertException.INSTANCE;
        }
    }
}
