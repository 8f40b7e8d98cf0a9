package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.check.Check;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A consumer to be: its name, its handler and its settings. {@link Pipeline#consumer} makes one; it is then declared once, for
 * instance with {@link Pipeline#handleEventsWith(NewConsumer[])} or {@link Stage#then(NewConsumer[])}, or {@linkplain
 * Pipeline#join(NewConsumer) joins} once. Its settings are fixed from then on. For one thread.
 *
 * <pre>{@code
 * NewConsumer<Order> journal = pipeline.consumer("journal", writer).batchLimit(64);
 * pipeline.handleEventsWith(journal).then(pipeline.consumer("books", books).onFailure(policy));
 * pipeline.start();
 * long behind = journal.handle().lag();
 * }</pre>
 *
 * @param <E> the events' type
 */
public final class NewConsumer<E> {
    /** The batch limit of a consumer that others depend on, unless set: {@value}. */
    public static final long DEPENDED_ON_BATCH_LIMIT = 128;

    final Object handler;
    final ConsumerKind kind;

    /** Null where the pipeline is to find one. */
    final @Nullable String name;

    @Nullable
    FailurePolicy<? super E> policy;

    long batchLimit;
    long timeoutNanos;

    @Nullable
    String thread;

    boolean finishesEvents;

    private @Nullable ConsumerHandle handle;

    NewConsumer(@Nullable String name, Object handler, ConsumerKind kind) {
        this.name = name;
        this.handler = handler;
        this.kind = kind;
    }

    /**
     * Decides what happens when the handler throws. The default is the pipeline's.
     *
     * @param own the policy
     * @return this
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> onFailure(FailurePolicy<? super E> own) {
        Check.notNull(own, "policy");
        checkNotDeclared("onFailure");
        policy = own;
        return this;
    }

    /**
     * Limits batches, so that dependents and producers see progress soon. A batch is never longer than a quarter of the
     * ring. On a ring of messages the last one need only begin within these limits.
     *
     * @param limit 1 or more sequences; the default is {@value #DEPENDED_ON_BATCH_LIMIT} where something depends on the
     *     consumer, none elsewhere
     * @return this
     * @throws IllegalArgumentException if the limit is below 1
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> batchLimit(long limit) {
        Check.inRange(limit, 1, Long.MAX_VALUE, "limit");
        checkNotDeclared("batchLimit");
        batchLimit = limit;
        return this;
    }

    /**
     * Calls {@link EventHandler#onTimeout} once whenever nothing was available for this time. Handlers of ranges and clearers have no
     * such method.
     *
     * @param after 1 nanosecond or more; the default is never
     * @return this
     * @throws IllegalArgumentException if the time is below 1 nanosecond, or the consumer has no handler of events
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> timeout(Duration after) {
        return timeout(Check.nanos(after, "after"));
    }

    /**
     * As {@link #timeout(Duration)}.
     *
     * @param nanos 1 or more nanoseconds
     * @return this
     * @throws IllegalArgumentException if the time is below 1, or the consumer has no handler of events
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> timeout(long nanos) {
        Check.inRange(nanos, 1, Long.MAX_VALUE, "nanos");
        checkNotDeclared("timeout");
        if (kind != ConsumerKind.EVENTS) {
            throw new IllegalArgumentException("timeout must be set where a handler of events can hear of it, but "
                    + this + (kind == ConsumerKind.BATCHES ? " has a handler of ranges" : " clears events"));
        }
        timeoutNanos = nanos;
        return this;
    }

    /**
     * Allows the handler to {@linkplain ConsumerHandle#finish finish} events for its followers. They then look at each event of a
     * batch, instead of once a batch, wherever there may be a finished one. Not for a consumer that joins.
     *
     * @return this
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> finishesEvents() {
        checkNotDeclared("finishesEvents");
        finishesEvents = true;
        return this;
    }

    /**
     * Runs the consumer on a named thread; consumers that name the same share it, and are called in the order of their
     * declaration. Not for a consumer that joins: it has a thread of its own.
     *
     * @param shared the thread's name; the default is the consumer's own name, a thread of its own
     * @return this
     * @throws IllegalStateException if the consumer has been declared, or has joined
     */
    public NewConsumer<E> thread(String shared) {
        Check.notNull(shared, "thread");
        checkNotDeclared("thread");
        thread = shared;
        return this;
    }

    /**
     * The consumer in its pipeline.
     *
     * @return the consumer
     * @throws IllegalStateException if it has neither been declared nor joined
     */
    public ConsumerHandle handle() {
        if (handle == null) {
            throw new IllegalStateException(
                    "handle() must be called once the consumer is declared or has joined, but " + this + " is neither");
        }
        return handle;
    }

    /** Sets its handle in the pipeline; null if it could not join after all. */
    void declaredAs(@Nullable ConsumerHandle declared) {
        handle = declared;
    }

    private void checkNotDeclared(String setting) {
        if (handle != null) {
            throw new IllegalStateException(setting + " must come before the consumer is declared or joins, but " + this
                    + " is in the pipeline already");
        }
    }

    /** Refuses one that is in a pipeline already. */
    void checkNew(String argument) {
        if (handle != null) {
            throw new IllegalStateException(
                    argument + " must be in no pipeline yet, but " + this + " is in the pipeline already");
        }
    }

    /** Refuses a policy that rewinds: a worker has no batch to rewind. */
    static void checkWorkerPolicy(String name, FailurePolicy<?> policy) {
        if (policy.mayRewind()) {
            throw new IllegalArgumentException(
                    "failure policy of worker " + name
                            + " must skip, retry or halt, since each event of a worker is a batch of its own, but rewinds batches");
        }
    }

    @Override
    public String toString() {
        return name == null ? "a consumer without a name" : "consumer " + name;
    }
}
