package io.sluice.aeron;

import io.aeron.ControlledFragmentAssembler;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.Header;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of a receiver, and the sessions that it hears or heard. Those of another subscription are others, also where their ids
 * are the same. For the receiver's thread.
 */
final class HeardStream {
    /** Sessions that are gone are forgotten when there are more than this. */
    private static final int KEPT_SESSIONS = 64;

    /** An image has come or gone. */
    record Change(HeardStream stream, boolean isNew, int sessionId, String source, long position, boolean revoked) {}

    private final SubscriptionOpener opener;
    private final HeardSession.@Nullable Numbers ofOneSender;
    private final ControlledFragmentAssembler assembler;
    private final Int2ObjectHashMap<HeardSession> sessions = new Int2ObjectHashMap<>();
    private @Nullable HeardSession current;

    /**
     * A subscription that is not open yet.
     *
     * @param changes where images that come and go are put, by the thread that runs the link
     * @param messages gets the messages that came in several fragments
     */
    HeardStream(
            AeronLink link,
            String channel,
            int streamId,
            HeardSession.@Nullable Numbers ofOneSender,
            Queue<Change> changes,
            ControlledFragmentHandler messages) {
        this.ofOneSender = ofOneSender;
        assembler = new ControlledFragmentAssembler(messages);
        opener = new SubscriptionOpener(
                link,
                channel,
                streamId,
                image -> changes.add(change(image, true, image.joinPosition(), false)),
                image -> changes.add(change(image, false, image.position(), image.isPublicationRevoked())));
    }

    private Change change(Image image, boolean isNew, long position, boolean revoked) {
        return new Change(this, isNew, image.sessionId(), image.sourceIdentity(), position, revoked);
    }

    /** The subscription while it is open, or a step towards it. */
    @Nullable
    Subscription poll() {
        return opener.poll();
    }

    /** Collects a fragment of a message. */
    Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        return assembler.onFragment(buffer, offset, length, header);
    }

    /** The session if it is the one that was heard last. */
    @Nullable
    HeardSession current(int sessionId) {
        HeardSession session = current;
        return session != null && session.id == sessionId ? session : null;
    }

    /** The session, and a new one if it is not known. */
    HeardSession heard(int sessionId) {
        HeardSession session = sessions.get(sessionId);
        if (session == null) {
            session = new HeardSession(sessionId, ofOneSender == null ? new HeardSession.Numbers(0) : ofOneSender);
            sessions.put(sessionId, session);
        }
        current = session;
        return session;
    }

    /** A session has come. One that comes again knows which number is due. */
    void came(int sessionId) {
        if (sessions.size() >= KEPT_SESSIONS && !sessions.containsKey(sessionId)) {
            sessions.values().removeIf(old -> !old.present);
            current = null;
        }
        heard(sessionId).present = true;
    }

    /** A session has gone, with what has come of a message. */
    void went(int sessionId) {
        HeardSession session = sessions.get(sessionId);
        if (session != null) {
            session.present = false;
        }
        current = null;
        forgetFragments(sessionId);
    }

    /** Forgets what has come of a message. Returns whether there was a buffer for the session. */
    boolean forgetFragments(int sessionId) {
        return assembler.freeSessionBuffer(sessionId);
    }

    boolean isAnyPresent() {
        for (HeardSession session : sessions.values()) {
            if (session.present) {
                return true;
            }
        }
        return false;
    }

    void close() {
        opener.close();
    }
}
