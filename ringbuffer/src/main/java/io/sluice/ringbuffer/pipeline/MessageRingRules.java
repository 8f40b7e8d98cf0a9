package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.FollowedRing;

/** Refuses forms that a ring of messages cannot have, since a message takes several sequences, or that are not built for it. */
final class MessageRingRules {
    private MessageRingRules() {}

    /**
     * Refuses a call on a ring of messages.
     *
     * @param call its name, for the message
     * @param reason why it is refused, for the message
     */
    static void refuse(FollowedRing<?> ring, String call, String reason) {
        if (ring.messages() != null) {
            throw new IllegalStateException(call + " must be called on a ring whose events have one size, since "
                    + reason + ", but was called on a ring of messages");
        }
    }

    /** Refuses a consumer, by its settings and by what it is to be. */
    static void check(FollowedRing<?> ring, NewConsumer<?> consumer, ConsumerKind as) {
        if (ring.messages() == null) {
            return;
        }
        if (as != ConsumerKind.EVENTS && as != ConsumerKind.WORKER && as != ConsumerKind.POLLER) {
            throw new IllegalArgumentException(
                    "a consumer of a ring of messages must be a handler of messages, a worker or a poller,"
                            + " since a range is no list of messages, but " + consumer + " is of the kind " + as);
        }
        if (consumer.finishesEvents) {
            throw new IllegalArgumentException("finishesEvents must be used on a ring whose events have one size,"
                    + " since finishing messages is not built, but " + consumer + " of a ring of messages has it");
        }
        if (as == ConsumerKind.WORKER && consumer.handler instanceof ControlledMessageHandler) {
            throw new IllegalArgumentException("a worker must handle each message that it takes, but the handler of "
                    + consumer + " is controlled and may abort");
        }
    }
}
