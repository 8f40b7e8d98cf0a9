package io.sluice.batching;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Lets an encoder for Agrona's buffers write to the one buffer of a handler or batcher. */
final class DirectBufferAdapter<E> implements MessageEncoder<E> {
    private final DirectBufferEncoder<E> encoder;
    private final UnsafeBuffer wrapper;
    private @Nullable ByteBuffer wrapped;

    DirectBufferAdapter(DirectBufferEncoder<E> encoder, UnsafeBuffer wrapper) {
        this.encoder = encoder;
        this.wrapper = wrapper;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same buffer, not equal contents
    public int encode(E event, ByteBuffer buffer, int offset) throws Exception {
        if (wrapped != buffer) {
            // All of it, once: the batch builder checks the returned length against the room that there is.
            ByteBuffer whole = buffer.duplicate();
            whole.clear();
            wrapper.wrap(whole);
            wrapped = buffer;
        }
        return encoder.encode(event, wrapper, offset);
    }
}
