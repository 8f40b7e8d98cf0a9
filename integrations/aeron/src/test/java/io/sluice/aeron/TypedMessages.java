package io.sluice.aeron;

import io.sluice.ringbuffer.Messages;
import org.agrona.MutableDirectBuffer;

/** Sends messages as {@link RingMessages} does; for tests that look into it, or have it fail. */
class TypedMessages implements EventEncoder<Messages> {
    private final RingMessages real = RingMessages.withType();

    @Override
    public int length(Messages messages) {
        return real.length(messages);
    }

    @Override
    public void encode(Messages messages, MutableDirectBuffer buffer, int offset, int length) {
        real.encode(messages, buffer, offset, length);
    }

    @Override
    public int length(Messages messages, long sequence) throws Exception {
        return real.length(messages, sequence);
    }

    @Override
    public void encode(Messages messages, long sequence, MutableDirectBuffer buffer, int offset, int length)
            throws Exception {
        real.encode(messages, sequence, buffer, offset, length);
    }
}
