package com.lmax.disruptor;

import com.lmax.disruptor.util.Util;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The common part of both sequencers: size, wait strategy, cursor, and gating sequences. */
public abstract class AbstractSequencer implements Sequencer {
    /** A producer that waits for room signals after one of so many pauses. */
    private static final int PAUSES_A_SIGNAL = 32;

    private static final VarHandle GATING =
            VarHandles.field(MethodHandles.lookup(), AbstractSequencer.class, "gatingSequences", Sequence[].class);

    /** The number of slots. */
    protected final int bufferSize;

    /** How consumers wait. */
    protected final WaitStrategy waitStrategy;

    /** The last sequence that was published, or that was claimed where there are many producers. */
    protected final Sequence cursor = new Sequence();

    /** The sequences that claims wait for. Never changed in place. */
    protected volatile Sequence[] gatingSequences = {};

    private final boolean signals;

    /**
     * Creates a sequencer.
     *
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if {@code waitStrategy} is null
     */
    public AbstractSequencer(int bufferSize, WaitStrategy waitStrategy) {
        Check.powerOfTwo(bufferSize, 1, 1 << 30, "bufferSize");
        this.bufferSize = bufferSize;
        this.waitStrategy = Check.notNull(waitStrategy, "waitStrategy");
        signals = !(waitStrategy instanceof YieldingWaitStrategy
                || waitStrategy instanceof BusySpinWaitStrategy
                || waitStrategy instanceof SleepingWaitStrategy);
    }

    @Override
    public final long getCursor() {
        return cursor.get();
    }

    @Override
    public final int getBufferSize() {
        return bufferSize;
    }

    @Override
    public final void addGatingSequences(Sequence... added) {
        for (Sequence sequence : added) {
            Check.notNull(sequence, "gatingSequences");
        }
        Sequence[] now;
        Sequence[] next;
        do {
            now = gatingSequences;
            next = Arrays.copyOf(now, now.length + added.length);
            long at = cursor.get();
            for (int i = 0; i < added.length; i++) {
                added[i].set(at);
                next[now.length + i] = added[i];
            }
        } while (!GATING.compareAndSet(this, now, next));
        long at = cursor.get(); // claims went on until the exchange above; they do not wait for who joined after them
        for (Sequence sequence : added) {
            sequence.set(at);
        }
    }

    @Override
    public boolean removeGatingSequence(Sequence sequence) {
        Sequence[] now;
        Sequence[] next;
        do {
            now = gatingSequences;
            next = Gating.without(now, sequence);
            if (next == now) {
                return false;
            }
        } while (!GATING.compareAndSet(this, now, next));
        return true;
    }

    @Override
    public long getMinimumSequence() {
        return Util.getMinimumSequence(gatingSequences, cursor.get());
    }

    @Override
    public SequenceBarrier newBarrier(Sequence... sequencesToTrack) {
        return new ProcessingSequenceBarrier(this, waitStrategy, cursor, sequencesToTrack);
    }

    @Override
    public <T> EventPoller<T> newPoller(DataProvider<T> provider, Sequence... gatingSequences) {
        return EventPoller.newInstance(provider, this, new Sequence(), cursor, gatingSequences);
    }

    /**
     * Whether a producer waits for room, or has waited and its claim is not in the cursor yet. A thread that reads the cursor after this
     * sees the claims of producers that no longer wait.
     */
    boolean hasWaitingProducer() {
        return false;
    }

    /** Wakes consumers, unless their wait strategy is one that is never woken. */
    final void signalConsumers() {
        if (signals) {
            waitStrategy.signalAllWhenBlocking();
        }
    }

    /** By a producer that waits for room: consumers sleep if the end of the stack has cut off a publication before its signal. */
    final void signalNowAndThen(int pauses) {
        if (pauses % PAUSES_A_SIGNAL == RoomPause.PARKS_FROM) {
            signalConsumers();
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "{bufferSize=" + bufferSize + ", waitStrategy=" + waitStrategy + ", cursor="
                + cursor + ", gatingSequences=" + Arrays.toString(gatingSequences) + '}';
    }
}
