package io.sluice.ringbuffer;

import io.sluice.core.Sequence;

/*
 * Drop oldest is the consumers' work. A publisher that finds the ring full asks, by one word of the ring that only grows:
 * everything up to this sequence may go. Each consumer reads the word before each event. If the word is not below the event, the
 * consumer drops the events up to the word that it has not begun, counts them, publishes its progress, and goes on behind them. So
 * an event is either handled by a consumer or shed by it, never both and never neither, and a handler is never overtaken within its
 * slot: the publisher waits for it, or gives up.
 *
 *   publisher                          consumer A                        consumer B, behind A
 *   raise asked to s (CAS)             available (acquire)               available: A's progress (acquire)
 *   wait for progress >= s             asked (opaque) >= own next?       asked (opaque): not below what A has seen
 *                                      drop, progress := s (release) --> drops too what A has dropped
 *
 * B never handles what A has dropped: A's progress beyond it was released after A read the word, so B, which acquires that
 * progress, reads no older value of the word. So no request is withdrawn either: A may have dropped an event that B has yet to drop.
 *
 * A request is over once the event that it was made for is published: by then all consumers had passed it. A consumer that joins later
 * may begin before it. It heeds such a request only while it follows others, which may have dropped those events.
 */

/**
 * The request of publishers to drop events: one word that only grows.
 *
 * @param <E> the events' type
 */
public final class DropOldestRequest<E> {
    private final Sequence asked = new Sequence();

    private final ShedHandler<? super E> handler;

    DropOldestRequest(ShedHandler<? super E> handler) {
        this.handler = handler;
    }

    /**
     * Asks all consumers to drop what they have not begun. Any thread.
     *
     * @param upTo the last sequence that may go
     */
    public void ask(long upTo) {
        asked.raiseTo(upTo); // CAS: several publishers ask; the furthest counts
    }

    /**
     * The last sequence that may be dropped. A consumer reads it after it has read how far events are available.
     *
     * @return the last sequence that may go, -1 if none was asked for
     */
    public long asked() {
        return asked.getOpaque(); // opaque: ordered behind the acquire of what is available; see above
    }

    /**
     * The handler that is told of each event that a consumer drops.
     *
     * @return the handler that the ring was built with
     */
    public ShedHandler<? super E> handler() {
        return handler;
    }
}
