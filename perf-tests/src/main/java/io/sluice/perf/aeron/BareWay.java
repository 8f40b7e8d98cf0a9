package io.sluice.perf.aeron;

import io.aeron.logbuffer.FragmentHandler;
import io.sluice.core.PollBackOff;
import org.jspecify.annotations.Nullable;

/** Aeron alone: {@code tryClaim} and {@code poll}. */
final class BareWay extends AloneWay {
    private final FragmentHandler handler;
    private final @Nullable PollBackOff backOff;
    private Sink sink = (value, last) -> {};

    /**
     * @param waits whether the subscriber waits behind a poll that has left nothing, as Sluice's runner does; Aeron's own
     *     agents poll again at once
     */
    BareWay(String channel, int length, boolean waits) {
        super(channel, length);
        backOff = waits ? new PollBackOff(true) : null;
        handler = (buffer, offset, bytes, header) ->
                sink.onMessage(buffer.getLong(offset), buffer.getLong(offset + bytes - Long.BYTES));
    }

    @Override
    public boolean offer(long value) {
        if (!isClaimed(length)) {
            return false;
        }
        Links.fill(claim.buffer(), claim.offset(), length, value);
        claim.commit();
        return true;
    }

    @Override
    public void flush() {}

    @Override
    public int take(Sink to) {
        sink = to;
        int taken = subscription.poll(handler, FRAGMENTS);
        if (backOff != null && taken > 0) {
            backOff.after(taken, taken == FRAGMENTS ? 0 : taken, Integer.MAX_VALUE, false);
        }
        return taken;
    }
}
