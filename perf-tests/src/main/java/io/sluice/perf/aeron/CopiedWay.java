package io.sluice.perf.aeron;

import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What no ring of bytes can leave out beside Aeron: the application fills a slot, the slot is copied into the log, and out of the log
 * into a slot, where the application reads it. No ring: the slots are plain memory of each side, and nobody else looks at them. As many messages as go into a
 * datagram share one claim and one header, so this does less than a bridge whose messages have a header each.
 */
final class CopiedWay extends AloneWay {
    private static final int SLOTS = 1_024;

    private final int together;
    private final FragmentHandler handler;
    private final UnsafeBuffer out;
    private final UnsafeBuffer in;
    private long filled;
    private long sent;
    private long received;
    private Sink sink = (value, last) -> {};

    CopiedWay(String channel, int length) {
        super(channel, length);
        out = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * length));
        in = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * length));
        together = publication.maxPayloadLength() / length;
        handler = (buffer, offset, bytes, header) -> {
            for (int at = offset; at < offset + bytes; at += length) {
                int slot = slot(received++);
                in.putBytes(slot, buffer, at, length);
                sink.onMessage(in.getLong(slot), in.getLong(slot + length - Long.BYTES));
            }
        };
    }

    private int slot(long message) {
        return (int) (message & (SLOTS - 1)) * length;
    }

    @Override
    public boolean offer(long value) {
        if (filled - sent == SLOTS) {
            return false;
        }
        Links.fill(out, slot(filled++), length, value);
        return true;
    }

    @Override
    public void flush() {
        while (sent < filled) {
            int messages = (int) Math.min(together, filled - sent);
            if (!isClaimed(messages * length)) {
                return;
            }
            for (int i = 0; i < messages; i++) {
                claim.buffer().putBytes(claim.offset() + i * length, out, slot(sent + i), length);
            }
            claim.commit();
            sent += messages;
        }
    }

    @Override
    public int take(Sink to) {
        sink = to;
        return subscription.poll(handler, FRAGMENTS);
    }
}
