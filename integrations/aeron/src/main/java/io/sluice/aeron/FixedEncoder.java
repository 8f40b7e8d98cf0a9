package io.sluice.aeron;

import io.sluice.core.check.Check;
import org.agrona.MutableDirectBuffer;

/** Messages of one length. */
record FixedEncoder<E>(int fixed, EventEncoder.FixedBody<? super E> body) implements EventEncoder<E> {
    FixedEncoder {
        Check.inRange(fixed, 1, Integer.MAX_VALUE, "length");
        Check.notNull(body, "body");
    }

    @Override
    public int length(E event) {
        return fixed;
    }

    @Override
    public void encode(E event, MutableDirectBuffer buffer, int offset, int length) throws Exception {
        body.encode(event, buffer, offset);
    }
}
