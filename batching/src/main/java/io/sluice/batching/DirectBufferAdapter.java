package io.sluice.batching;

import io.sluice.core.bytes.SafeBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Lets an encoder for Agrona's buffers write to the one buffer of a handler or batcher. */
final class DirectBufferAdapter<E> implements MessageEncoder<E> {
    private final DirectBufferEncoder<E> encoder;
    private final SafeBuffer wrapper = new SafeBuffer();
    private @Nullable ByteBuffer wrapped;

    DirectBufferAdapter(DirectBufferEncoder<E> encoder) {
        this.encoder = encoder;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same buffer, not equal contents
    public int encode(E event, ByteBuffer buffer, int offset) throws Exception {
        if (wrapped != buffer) {
            // All of it, once: the batch builder checks the returned length against the room that there is.
            wrapper.wrap(buffer);
            wrapped = buffer;
        }
        return encoder.encode(event, wrapper, offset);
    }
}
