package io.sluice.perf.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.sluice.aeron.AeronLink;
import org.agrona.CloseHelper;

/** Aeron without rings. */
abstract class AloneWay implements Way {
    /** The most that one poll takes. */
    static final int FRAGMENTS = 64;

    final int length;
    final ExclusivePublication publication;
    final Subscription subscription;
    final BufferClaim claim = new BufferClaim();
    private final AeronLink link = Links.start();

    AloneWay(String channel, int length) {
        this.length = length;
        subscription = link.aeron().addSubscription(channel, Links.STREAM);
        publication = link.aeron().addExclusivePublication(channel, Links.STREAM);
    }

    /** Whether there is a claim of so many bytes. */
    final boolean isClaimed(int bytes) {
        long code = publication.tryClaim(bytes, claim);
        if (code <= 0 && code != Publication.BACK_PRESSURED && code != Publication.ADMIN_ACTION) {
            throw new IllegalStateException("Aeron answered " + code);
        }
        return code > 0;
    }

    @Override
    public final void housekeep() {
        link.doWork();
    }

    @Override
    public final boolean isConnected() {
        return publication.isConnected() && subscription.isConnected();
    }

    @Override
    public final void close() {
        CloseHelper.closeAll(publication, subscription, link);
    }
}
