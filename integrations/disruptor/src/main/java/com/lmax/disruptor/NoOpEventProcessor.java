package com.lmax.disruptor;

import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A processor that handles nothing and whose progress is the cursor. For tests, and for rings that nobody reads. */
public final class NoOpEventProcessor implements EventProcessor {
    private static final VarHandle RUNNING =
            VarHandles.field(MethodHandles.lookup(), NoOpEventProcessor.class, "running", boolean.class);

    private final Sequence sequence;

    @SuppressWarnings("unused") // by RUNNING
    private boolean running;

    /**
     * Creates a processor.
     *
     * @param sequencer the ring whose cursor it follows
     */
    public NoOpEventProcessor(RingBuffer<?> sequencer) {
        sequence = new Following(Check.notNull(sequencer, "sequencer"));
    }

    @Override
    public Sequence getSequence() {
        return sequence;
    }

    @Override
    public void halt() {
        RUNNING.setVolatile(this, false); // volatile: seen by whoever asks next
    }

    @Override
    public boolean isRunning() {
        return (boolean) RUNNING.getAcquire(this); // acquire: pairs with run and halt
    }

    /**
     * Counts as running from now on, and returns.
     *
     * @throws IllegalStateException if it runs already
     */
    @Override
    public void run() {
        if (!RUNNING.compareAndSet(this, false, true)) {
            throw new IllegalStateException("the processor must not run, but it does");
        }
    }

    private static final class Following extends Sequence {
        private final RingBuffer<?> ring;

        Following(RingBuffer<?> ring) {
            this.ring = ring;
        }

        @Override
        public long get() {
            return ring.getCursor();
        }
    }
}
