package io.sluice.backpressure.flow;

import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.core.Sequence;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Takes items from a {@link Flow.Publisher} and gives them to a {@link PacedPublisher}. So a reactive stream enters a ring, or a
 * network, at the rate of a limiter. The subscriber requests a window of items at first, and half a window whenever that many have
 * gone out. So the rate limit reaches the source as demand, and {@code onNext} never waits.
 *
 * <p>It is an Agrona agent: {@link #doWork()} is called by one thread, the paced publisher's. The signals come on whichever threads the
 * source uses, one after another as its contract demands. Nothing blocks but the publisher's sender, as a producer does at a full ring.
 * Nothing is allocated after construction.
 *
 * <p>A source that sends more than was asked for is cancelled, and {@link #failure()} says so. If sending throws, the source is
 * cancelled and the exception reaches the caller of {@code doWork}. {@code doWork} throws the failure of the source, too, once
 * all items before it have gone.
 *
 * @param <T> what is carried
 */
public final class PacedFlowSubscriber<T> implements Flow.Subscriber<T>, Agent {
    /** The largest window: {@value}. */
    public static final int MAX_WINDOW = 1 << 24;

    /*
     *   slots          item i is in slot i % window: written by onNext, cleared by the agent
     *   tail           items that have arrived: onNext, release
     *   head           items that have gone: the agent, release; so tail - head never passes what was asked for
     *   subscription   CAS by the first onSubscribe
     *   started        set when onSubscribe has returned: from then on only the agent requests and cancels
     *   end            null until the source has ended or broken its contract: CAS; the items before it are before it
     *   wanted         false once the owner, or the agent, has cancelled: opaque
     */
    private static final End COMPLETED = new End(null);
    private static final VarHandle SUBSCRIPTION = VarHandles.field(
            MethodHandles.lookup(), PacedFlowSubscriber.class, "subscription", Flow.Subscription.class);
    private static final VarHandle STARTED =
            VarHandles.field(MethodHandles.lookup(), PacedFlowSubscriber.class, "started", boolean.class);
    private static final VarHandle END =
            VarHandles.field(MethodHandles.lookup(), PacedFlowSubscriber.class, "end", End.class);
    private static final VarHandle WANTED =
            VarHandles.field(MethodHandles.lookup(), PacedFlowSubscriber.class, "wanted", boolean.class);

    private final PacedPublisher<? super T> publisher;
    private final int window;
    private final @Nullable Object[] slots;
    private final Sequence tail = new Sequence(0);
    private final Sequence head = new Sequence(0);

    // the agent's
    private long gone; // since items were asked for last
    private boolean cancelled;
    private boolean reported;

    @SuppressWarnings("unused") // by SUBSCRIPTION
    private Flow.@Nullable Subscription subscription;

    @SuppressWarnings("unused") // by STARTED
    private boolean started;

    @SuppressWarnings("unused") // by END
    private @Nullable End end;

    @SuppressWarnings("unused") // by WANTED
    private boolean wanted = true;

    private record End(@Nullable Throwable cause) {}

    /**
     * Creates a subscriber.
     *
     * @param publisher where items go; nobody else uses it
     * @param window items asked for and not gone yet, at most, 1 to {@value #MAX_WINDOW}
     * @throws IllegalArgumentException if {@code window} is out of range
     */
    public PacedFlowSubscriber(PacedPublisher<? super T> publisher, int window) {
        this.publisher = Check.notNull(publisher, "publisher");
        Check.inRange(window, 1, MAX_WINDOW, "window");
        this.window = window;
        slots = new Object[window];
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Check.notNull(subscription, "subscription");
        if (!SUBSCRIPTION.compareAndSet(this, null, subscription)) { // one source: the first
            subscription.cancel();
            return;
        }
        subscription.request(window);
        STARTED.setRelease(this, true); // release: this request is before any of the agent's
    }

    @Override
    public void onNext(T item) {
        Check.notNull(item, "item");
        // opaque: a late item is dropped here, or never looked at
        if (!(boolean) WANTED.getOpaque(this)
                || endAcquire() != null) { // nothing goes on behind an item that was dropped
            return;
        }
        long at = tail.getPlain(); // plain: the source's signals come one after another
        if (at - head.getAcquire() >= window) { // acquire: the agent has cleared the slot
            END.compareAndSet( // the first end counts
                    this,
                    null,
                    new End(new IllegalStateException("the source sent more than the " + window + " asked for")));
            return;
        }
        slots[(int) (at % window)] = item;
        tail.setRelease(at + 1); // release: the slot before it
    }

    @Override
    public void onError(Throwable throwable) {
        Check.notNull(throwable, "throwable");
        END.compareAndSet(this, null, new End(throwable)); // the first end counts; what arrived before it is before it
    }

    @Override
    public void onComplete() {
        END.compareAndSet(this, null, COMPLETED); // as above
    }

    /** Cancels the subscription. Called by: any thread. The agent drops the items that have arrived. */
    public void cancel() {
        WANTED.setOpaque(this, false); // opaque: the agent acts on it soon, it carries nothing
    }

    /**
     * Sends what has arrived, as far as the limit allows, and asks for more.
     *
     * @return items taken by the paced publisher
     * @throws IllegalStateException once, when everything before the source's failure has gone; with the cause
     */
    @Override
    @SuppressWarnings("unchecked") // onNext put it there
    public int doWork() {
        if (!(boolean) STARTED.getAcquire(this)) { // acquire: onSubscribe's request is before ours
            return 0;
        }
        if (cancelled) {
            return 0;
        }
        if (!(boolean) WANTED.getOpaque(this)) { // opaque: a hint that carries nothing
            cancelSource();
            return 0;
        }
        End last = endAcquire();
        long from = head.getPlain(); // plain: this thread writes it
        long to = tail.getAcquire(); // acquire: the slots below it
        long at = from;
        boolean sent = false;
        try {
            while (at < to) {
                int slot = (int) (at % window);
                T item = (T) Objects.requireNonNull(slots[slot]);
                if (!publisher.tryPublish(item)) {
                    break;
                }
                slots[slot] = null;
                at++;
            }
            if (at == to) {
                publisher.tryFlush();
            }
            sent = true;
        } finally {
            head.setRelease(at); // release: the slots are cleared
            if (!sent) {
                cancelSource(); // the sender threw, to the caller
            }
        }
        int work = (int) (at - from);
        gone += work;
        if (last == null) {
            if (gone > 0 && gone >= window / 2) {
                long more = gone;
                gone = 0;
                subscription().request(more);
            }
        } else if (at == to && publisher.pending() == 0) {
            finish(last);
        }
        return work;
    }

    @Override
    public String roleName() {
        return "paced-flow-subscriber";
    }

    /**
     * Whether nothing more will be sent: the source has ended and everything before that has gone, or it was cancelled. Called by:
     * the agent's thread.
     *
     * @return whether the agent may stop
     */
    public boolean isDone() {
        return cancelled || reported;
    }

    /**
     * Why the source ended. Called by: any thread.
     *
     * @return null while it has not, or if it has completed
     */
    public @Nullable Throwable failure() {
        End last = endAcquire();
        return last == null ? null : last.cause;
    }

    private void finish(End last) {
        if (reported) {
            return;
        }
        reported = true;
        if (last.cause != null) {
            cancelSource();
            throw new IllegalStateException("the source failed", last.cause);
        }
    }

    private void cancelSource() {
        if (!cancelled) {
            cancelled = true;
            WANTED.setOpaque(this, false); // opaque: items on their way are dropped
            for (int i = 0; i < slots.length; i++) {
                slots[i] = null;
            }
            subscription().cancel();
        }
    }

    private Flow.Subscription subscription() {
        // acquire: what the source did before it handed it over
        return Objects.requireNonNull((Flow.Subscription) SUBSCRIPTION.getAcquire(this));
    }

    private @Nullable End endAcquire() {
        return (End) END.getAcquire(this); // acquire: every item before it
    }
}
