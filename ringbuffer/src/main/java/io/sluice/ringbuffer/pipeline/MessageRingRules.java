package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Messages;

/** Refuses forms that a ring of messages cannot have, since a message takes several sequences. */
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
        if (as == ConsumerKind.BATCHES || as == ConsumerKind.CLEARER) {
            throw new IllegalArgumentException(
                    "a consumer of a ring of messages must be a handler of messages, a worker or a poller,"
                            + " since a range is no list of messages, but " + consumer + " is of the kind " + as);
        }
        if (as == ConsumerKind.WORKER && consumer.handler instanceof ControlledMessageHandler) {
            throw new IllegalArgumentException("a worker must handle each message that it takes, but the handler of "
                    + consumer + " is controlled and may abort");
        }
    }

    /** Refuses a key that cannot be asked for a message. */
    static void checkKey(FollowedRing<?> ring, Object key) {
        if (ring.messages() != null && !(key instanceof MessageKey)) {
            throw new IllegalArgumentException(
                    "key of a ring of messages must be a MessageKey, since a message is known"
                            + " by its sequence, but was a " + key.getClass().getName());
        }
    }

    /** Refuses a sequence at which no message begins. `start` is one up to it at which a record begins. */
    static void checkBegins(FollowedRing<?> ring, long start, long sequence) {
        Messages messages = ring.messages();
        if (messages == null) {
            return;
        }
        long before = start;
        for (long position = start; position <= sequence; position = messages.next(position)) {
            before = position;
        }
        if (before != sequence) {
            throw new IllegalArgumentException("sequence must be one that a handler was given, but " + sequence
                    + " is within the record that begins at " + before);
        }
    }
}
