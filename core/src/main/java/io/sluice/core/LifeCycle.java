package io.sluice.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The life-cycle word: one reference that holds the state and, for a failure, its cause, so that nobody can see the one
 * without the other.
 *
 * <pre>{@code
 *   RUNNING --drain--> DRAINING --close--> CLOSED     close also from RUNNING
 *   RUNNING or DRAINING --fail--> FAILED(cause)
 * }</pre>
 *
 * <p>Every move is a compare-and-set, one way; CLOSED and FAILED are final. Any thread may call any method; none blocks.
 */
public final class LifeCycle {
    private static final class Life {
        final State state;
        final @Nullable Throwable cause;

        Life(State state, @Nullable Throwable cause) {
            this.state = state;
            this.cause = cause;
        }
    }

    private static final Life RUNNING = new Life(State.RUNNING, null);
    private static final Life DRAINING = new Life(State.DRAINING, null);
    private static final Life CLOSED = new Life(State.CLOSED, null);

    private Life life = RUNNING;

    /** Creates a word in the state RUNNING. */
    public LifeCycle() {}

    /**
     * Whether nothing has ended yet: what a claim asks each time. An opaque read: it orders nothing; a caller that acts on
     * the end reads {@link #state} next.
     *
     * @return whether the state is RUNNING
     */
    public boolean isRunning() {
        return (Life) LIFE.getOpaque(this) == RUNNING; // opaque: a hint, seen soon; the reason is read with acquire
    }

    /**
     * The state, with acquire: what was done before the state was entered is visible to the caller.
     *
     * @return the state
     */
    public State state() {
        return lifeAcquire().state;
    }

    /**
     * The cause of the failure.
     *
     * @return the cause, null unless the state is FAILED
     */
    public @Nullable Throwable cause() {
        return lifeAcquire().cause;
    }

    /**
     * RUNNING to DRAINING.
     *
     * @return whether this call made the move
     */
    public boolean drain() {
        return LIFE.compareAndSet(this, RUNNING, DRAINING); // full: one way, seen by every later claim
    }

    /**
     * RUNNING or DRAINING to CLOSED.
     *
     * @return whether this call made the move
     */
    public boolean close() {
        return moveTo(CLOSED);
    }

    /**
     * RUNNING or DRAINING to FAILED.
     *
     * @param cause why
     * @return whether this call made the move; a later failure finds the first one's cause kept
     */
    public boolean fail(Throwable cause) {
        return moveTo(new Life(State.FAILED, Objects.requireNonNull(cause, "cause")));
    }

    private boolean moveTo(Life end) {
        return LIFE.compareAndSet(this, RUNNING, end) // full: the cause travels with the state
                || LIFE.compareAndSet(this, DRAINING, end); // only from DRAINING is left: states never go back
    }

    private Life lifeAcquire() {
        return (Life) LIFE.getAcquire(this); // acquire: sees the cause, and what was done before the move
    }

    @Override
    public String toString() {
        Life now = lifeAcquire();
        return now.cause == null ? now.state.toString() : now.state + ": " + now.cause;
    }

    private static final VarHandle LIFE;

    static {
        try {
            LIFE = MethodHandles.lookup().findVarHandle(LifeCycle.class, "life", Life.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
