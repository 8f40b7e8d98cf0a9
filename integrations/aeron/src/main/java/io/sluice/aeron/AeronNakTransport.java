package io.sluice.aeron;

import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.core.check.Check;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Carries NAKs and signs of life on an Aeron stream of their own, one message each. A message that is not a NAK of the stream is counted
 * and ignored. A sender's end hears, a receiver's end says, an end of a group does both. The publication of an end that says is opened when
 * the end is made, so that the first NAK goes at once.
 *
 * <p>Called by: one thread. Nothing blocks. Nothing is allocated but for publications and subscriptions that are opened, again
 * after the link has lost its driver, and for the first packet of each kind.
 */
public final class AeronNakTransport implements NakTransport, AutoCloseable {
    private final long stream;
    private final @Nullable AeronSender<?> sender;
    private final @Nullable PublicationOpener opener;
    private final @Nullable SubscriptionOpener heard;
    private final UnsafeBuffer out = new UnsafeBuffer(ByteBuffer.allocateDirect(Nak.LENGTH));
    private final ByteBuffer in =
            ByteBuffer.allocateDirect(Nak.LENGTH + 1); // one more: an oversized packet is told from one that fits
    private final Nak nak = new Nak();
    private final EnumMap<Nak.DecodeResult, long[]> results = new EnumMap<>(Nak.DecodeResult.class);
    private final FragmentHandler fragments = this::onFragment;
    private final NakHandler nobody = ignored -> {};

    private NakHandler handler = nobody;
    private @Nullable Publication publication;
    private @Nullable Subscription subscription;
    private @Nullable Throwable thrown;
    private boolean closed;
    private long presentSession; // of the NAK that is being handed over, if it was given the session 0
    private long refused;

    private AeronNakTransport(
            AeronLink link,
            String channel,
            int streamId,
            long stream,
            boolean says,
            boolean hears,
            @Nullable AeronSender<?> sender) {
        Check.notNull(link, "link");
        Check.notNull(channel, "channel");
        this.stream = stream;
        this.sender = sender;
        opener = says ? new PublicationOpener(link, channel, streamId, false) : null;
        publication = opener == null ? null : opener.poll(); // asked for now: the first NAK has no time to wait for it
        heard = hears ? new SubscriptionOpener(link, channel, streamId, image -> {}, image -> {}) : null;
    }

    /**
     * A sender's end. It hears NAKs, and gives those that are about one of the sender's Aeron sessions the session 0, which a {@code
     * NakController} has unless told otherwise. So NAKs still count after a publication was opened
     * again, and those about other senders do not.
     *
     * @param link what it hears by
     * @param channel the NAKs' channel
     * @param streamId the NAKs' Aeron stream
     * @param stream the stream that NAKs name, the same on both sides
     * @param sender the sender that they are for
     * @return the end, for one controller
     */
    public static AeronNakTransport atSender(
            AeronLink link, String channel, int streamId, long stream, AeronSender<?> sender) {
        return new AeronNakTransport(link, channel, streamId, stream, false, true, Check.notNull(sender, "sender"));
    }

    /**
     * A receiver's end. It says NAKs.
     *
     * @param link what it says by
     * @param channel the NAKs' channel
     * @param streamId the NAKs' Aeron stream
     * @param stream the stream that NAKs name
     * @return the end, for one monitor
     */
    public static AeronNakTransport atReceiver(AeronLink link, String channel, int streamId, long stream) {
        return new AeronNakTransport(link, channel, streamId, stream, true, false, null);
    }

    /**
     * An end of a group, all of whose ends hear each other, itself included: on multicast, or in one machine by IPC. For {@code
     * NakSuppression}.
     *
     * @param link what it says and hears by
     * @param channel the NAKs' channel
     * @param streamId the NAKs' Aeron stream
     * @param stream the stream that NAKs name
     * @param sender the sender, at its end; null at a receiver's
     * @return the end
     */
    public static AeronNakTransport inGroup(
            AeronLink link, String channel, int streamId, long stream, @Nullable AeronSender<?> sender) {
        return new AeronNakTransport(link, channel, streamId, stream, true, true, sender);
    }

    /** The NAK's session for an Aeron session: never 0. */
    static long session(int sessionId) {
        return 1L << 32 | Integer.toUnsignedLong(sessionId);
    }

    /**
     * Sends a NAK.
     *
     * @return false if the publication is not open yet, nobody hears it, or it is held; that is counted, and the NAK is lost
     */
    @Override
    public boolean send(Nak said) {
        Publication to = publication();
        if (to != null) {
            long session = said.session();
            said.session(
                    session == 0 ? presentSession : session); // an echo names the session that the receiver has named
            said.encode(Check.notNull(out.byteBuffer(), "buffer"), 0);
            said.session(session);
            if (to.offer(out, 0, Nak.LENGTH) > 0) {
                return true;
            }
        }
        refused++;
        return false;
    }

    private @Nullable Publication publication() {
        Publication open = publication;
        if (opener != null && !closed && (open == null || open.isClosed())) {
            open = opener.poll();
            publication = open;
        }
        return open;
    }

    /** Whether it was made by {@link #inGroup}. */
    @Override
    public boolean isGroup() {
        return opener != null && heard != null;
    }

    /** Whether its subscription is open; not while the link has lost its driver. */
    @Override
    public boolean isListening() {
        return !closed && subscription != null && !subscription.isClosed();
    }

    /**
     * Hands over the NAKs that have arrived.
     *
     * @throws io.aeron.exceptions.RegistrationException if the driver refuses the channel
     */
    @Override
    public int receive(NakHandler to, int limit) {
        handler = Check.notNull(to, "to");
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        try {
            Subscription from = heard == null || closed ? null : heard.poll();
            subscription = from;
            int looked = 0;
            while (looked < limit && from != null && from.poll(fragments, 1) == 1) {
                looked++;
                Throwable failure = thrown;
                if (failure != null) {
                    thrown = null;
                    LangUtil.rethrowUnchecked(failure);
                }
            }
            return looked;
        } finally {
            handler = nobody;
        }
    }

    private void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        int copied = Math.min(length, in.capacity());
        buffer.getBytes(offset, in, 0, copied);
        Nak.DecodeResult result = nak.decode(in, 0, copied, stream);
        results.computeIfAbsent(result, key -> new long[1])[0]++;
        if (result == Nak.DecodeResult.ACCEPTED) {
            if (sender != null && nak.session() >>> 32 == 1 && sender.hasSession((int) nak.session())) {
                presentSession = nak.session();
                nak.session(0);
            }
            try {
                handler.onNak(nak);
            } catch (Throwable t) {
                thrown = t; // Aeron would tell its error handler, and not the caller
            } finally {
                presentSession = 0;
            }
        }
    }

    /**
     * Messages that arrived, counted by the result of decoding them. The transport's thread.
     *
     * @param result the result
     * @return how many
     */
    public long packets(Nak.DecodeResult result) {
        long[] count = results.get(Check.notNull(result, "result"));
        return count == null ? 0 : count[0];
    }

    /**
     * NAKs that could not be sent. The transport's thread.
     *
     * @return how many
     */
    public long refused() {
        return refused;
    }

    /** Closes both directions: nothing is said and heard any more. The transport's thread, or any once that has ended. */
    @Override
    public void close() {
        closed = true;
        CloseHelper.closeAll(publication, opener == null ? null : opener::cancel, heard == null ? null : heard::close);
    }
}
