package io.sluice.perf.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.aeron.AeronLink;
import java.nio.ByteBuffer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The work that no ring of bytes can leave out beside Aeron: the application fills a slot, the slot is copied into the log as a message of
 * its own, and out of the log into a slot, where the application reads it. No ring: the slots are plain memory of each side, and nobody
 * else looks at them.
 */
final class CopiedWay implements Way {
    private static final int SLOTS = 1_024;
    private static final int FRAGMENTS = 64;

    private final int length;
    private final AeronLink link = Links.start();
    private final ExclusivePublication publication;
    private final Subscription subscription;
    private final BufferClaim claim = new BufferClaim();
    private final FragmentHandler handler;
    private final UnsafeBuffer out;
    private final UnsafeBuffer in;
    private long filled;
    private long sent;
    private long received;
    private Sink sink = (value, last) -> {};

    CopiedWay(String channel, int length) {
        this.length = length;
        subscription = link.aeron().addSubscription(channel, Links.STREAM);
        publication = link.aeron().addExclusivePublication(channel, Links.STREAM);
        out = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * length));
        in = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOTS * length));
        handler = (buffer, offset, bytes, header) -> {
            int slot = slot(received++);
            in.putBytes(slot, buffer, offset, bytes);
            sink.onMessage(in.getLong(slot), in.getLong(slot + bytes - Long.BYTES));
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
            long code = publication.tryClaim(length, claim);
            if (code == Publication.BACK_PRESSURED || code == Publication.ADMIN_ACTION) {
                return;
            }
            if (code < 0) {
                throw new IllegalStateException("Aeron answered " + code);
            }
            claim.buffer().putBytes(claim.offset(), out, slot(sent), length);
            claim.commit();
            sent++;
        }
    }

    @Override
    public void housekeep() {
        link.doWork();
    }

    @Override
    public int take(Sink to) {
        sink = to;
        return subscription.poll(handler, FRAGMENTS);
    }

    @Override
    public boolean isConnected() {
        return publication.isConnected() && subscription.isConnected();
    }

    @Override
    public void close() {
        CloseHelper.closeAll(publication, subscription, link);
    }
}
