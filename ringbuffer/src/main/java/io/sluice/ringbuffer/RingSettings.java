package io.sluice.ringbuffer;

import io.sluice.core.check.Check;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link RingBufferBuilder} for the ring that it builds. A ring reads them in its constructor and does not keep them.
 *
 * @param <E> the events' type
 */
final class RingSettings<E> {
    final EventFactory<E> factory;

    @Nullable
    String name;

    /** How many bytes a slot has; 0 where the factory makes an object for each. */
    int slotLength;

    /** How many bytes all messages have; 0 on a ring of another kind. */
    int messageBytes;

    /** Whether they are on the heap: for tests that make rings by the million. */
    boolean messagesOnHeap;

    int capacity = 1024;
    boolean single;
    int retained;
    boolean tracked;

    @Nullable
    ShedHandler<? super E> shedHandler;

    long abandonedAfterNanos;

    @Nullable
    AbandonedClaimHandler abandonedHandler;

    Supplier<? extends IdleStrategy> producersIdle = () -> new BackoffIdleStrategy(100, 10, 1_000, 50_000);
    Supplier<? extends IdleStrategy> consumersIdle = BackoffIdleStrategy::new;

    RingSettings(EventFactory<E> factory) {
        this.factory = Check.notNull(factory, "factory");
    }
}
