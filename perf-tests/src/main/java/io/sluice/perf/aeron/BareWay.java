package io.sluice.perf.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.aeron.AeronLink;
import io.sluice.core.PollBackOff;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** Aeron alone: {@code tryClaim} and {@code poll}. */
final class BareWay implements Way {
    private static final int FRAGMENTS = 64;

    private final int length;
    private final AeronLink link = Links.start();
    private final ExclusivePublication publication;
    private final Subscription subscription;
    private final BufferClaim claim = new BufferClaim();
    private final FragmentHandler handler;
    private final @Nullable PollBackOff backOff;
    private Sink sink = (value, last) -> {};

    /**
     * @param waits whether the subscriber waits behind a poll that has left nothing, as Sluice's runner does; Aeron's own
     *     agents poll again at once
     */
    BareWay(String channel, int length, boolean waits) {
        this.length = length;
        backOff = waits ? new PollBackOff(true) : null;
        subscription = link.aeron().addSubscription(channel, Links.STREAM);
        publication = link.aeron().addExclusivePublication(channel, Links.STREAM);
        handler = (buffer, offset, bytes, header) ->
                sink.onMessage(buffer.getLong(offset), buffer.getLong(offset + bytes - Long.BYTES));
    }

    @Override
    public boolean offer(long value) {
        long code = publication.tryClaim(length, claim);
        if (code > 0) {
            Links.fill(claim.buffer(), claim.offset(), length, value);
            claim.commit();
            return true;
        }
        if (code != Publication.BACK_PRESSURED && code != Publication.ADMIN_ACTION) {
            throw new IllegalStateException("Aeron answered " + code);
        }
        return false;
    }

    @Override
    public void flush() {}

    @Override
    public void housekeep() {
        link.doWork();
    }

    @Override
    public int take(Sink to) {
        sink = to;
        int taken = subscription.poll(handler, FRAGMENTS);
        if (backOff != null && taken > 0) {
            backOff.after(taken, taken == FRAGMENTS ? 0 : taken, Integer.MAX_VALUE, false);
        }
        return taken;
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
