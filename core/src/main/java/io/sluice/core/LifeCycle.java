package io.sluice.core;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The life-cycle word: one reference that holds the state and, for a failure, its cause, so that nobody can see the one
 * without the other. A failure is its cause itself: nothing is allocated for it, since there may be no memory left then.
 *
 * <pre>{@code
 *   RUNNING --drain--> DRAINING --close--> CLOSED     close also from RUNNING
 *   RUNNING or DRAINING --fail--> FAILED(cause)
 * }</pre>
 *
 * <p>Every move is a compare-and-set, one way; CLOSED and FAILED are final. Any thread may call any method; none blocks.
 */
public final class LifeCycle {
    /** One of RUNNING, DRAINING and CLOSED, or the cause of the failure, which is a Throwable. */
    private Object life = State.RUNNING;

    /** Creates a word in the state RUNNING. */
    public LifeCycle() {}

    /**
     * Whether nothing has ended yet: each claim asks this. An opaque read: it orders nothing; a caller that acts on
     * the end reads {@link #state} next.
     *
     * @return whether the state is RUNNING
     */
    public boolean isRunning() {
        return (Object) LIFE.getOpaque(this)
                == State.RUNNING; // opaque: a hint, seen soon; the reason is read with acquire
    }

    /**
     * The state, with acquire: the caller sees all that was done before the state was entered.
     *
     * @return the state
     */
    public State state() {
        return lifeAcquire() instanceof State state ? state : State.FAILED;
    }

    /**
     * The cause of the failure.
     *
     * @return the cause, null unless the state is FAILED
     */
    public @Nullable Throwable cause() {
        return lifeAcquire() instanceof Throwable cause ? cause : null;
    }

    /**
     * RUNNING to DRAINING.
     *
     * @return whether this call made the move
     */
    public boolean drain() {
        return LIFE.compareAndSet(
                this, (Object) State.RUNNING, (Object) State.DRAINING); // full: one way, seen by every later claim
    }

    /**
     * RUNNING or DRAINING to CLOSED.
     *
     * @return whether this call made the move
     */
    public boolean close() {
        return moveTo(State.CLOSED);
    }

    /**
     * RUNNING or DRAINING to FAILED. Allocates nothing.
     *
     * @param cause why
     * @return whether this call made the move; a later failure finds the first one's cause kept
     */
    public boolean fail(Throwable cause) {
        return moveTo(Objects.requireNonNull(cause, "cause"));
    }

    private boolean moveTo(Object end) {
        return LIFE.compareAndSet(this, (Object) State.RUNNING, end) // full: the cause is the state
                || LIFE.compareAndSet(
                        this, (Object) State.DRAINING, end); // only from DRAINING is left: states never go back
    }

    private Object lifeAcquire() {
        return (Object) LIFE.getAcquire(this); // acquire: sees the cause, and what was done before the move
    }

    @Override
    public String toString() {
        Object now = lifeAcquire();
        return now instanceof State ? now.toString() : State.FAILED + ": " + now;
    }

    private static final VarHandle LIFE =
            VarHandles.field(MethodHandles.lookup(), LifeCycle.class, "life", Object.class);
}
