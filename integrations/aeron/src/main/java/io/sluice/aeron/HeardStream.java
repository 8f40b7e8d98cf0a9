package io.sluice.aeron;

import io.aeron.CommonContext;
import io.aeron.ControlledFragmentAssembler;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of a receiver, and the sessions that it hears or heard. Sessions of another subscription are different ones, even if
 * their ids are the same. For the receiver's thread.
 */
final class HeardStream {
    /** Sessions that are gone are forgotten when there are more than this. */
    private static final int KEPT_SESSIONS = 64;

    /** As long as a driver waits for a silent image, unless told otherwise. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** An image has come or gone. */
    record Change(HeardStream stream, boolean isNew, Image image, long position, boolean revoked) {}

    private final SubscriptionOpener opener;
    private final HeardSession.@Nullable Numbers ofOneSender;
    private final ControlledFragmentAssembler assembler;
    private final Int2ObjectHashMap<HeardSession> sessions = new Int2ObjectHashMap<>();
    private @Nullable HeardSession current; // null before the first message of a poll
    private @Nullable HeardSession last; // perhaps of a poll before: its image has to be compared
    private final Int2ObjectHashMap<Image> begun = new Int2ObjectHashMap<>(); // whose fragments were collected last

    // whether a message waits for others
    private final Consumer<Image> looks = this::look;
    private final ControlledFragmentHandler peeks = this::onPeek;
    private @Nullable Image waiting;
    private long waitingNumber;
    private long unread; // number of an image's next message, -1 if there is none
    private boolean waits;

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
                image -> changes.add(new Change(this, true, image, image.joinPosition(), false)),
                image -> changes.add(new Change(this, false, image, image.position(), image.isPublicationRevoked())));
    }

    /** The subscription while it is open, or a step towards it. */
    @Nullable
    Subscription poll() {
        return opener.poll();
    }

    /** Collects a fragment of a message. */
    Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        if ((header.flags() & FrameDescriptor.BEGIN_FRAG_FLAG) != 0) {
            begun.put(header.sessionId(), (Image) header.context()); // Aeron puts it there
        }
        return assembler.onFragment(buffer, offset, length, header);
    }

    /** Has the image of the first message looked at: since the poll before, another one may have got the same session id. */
    void beginPoll() {
        current = null;
    }

    /** The session if it is the one that this poll has heard last. */
    @Nullable
    HeardSession current(int sessionId) {
        HeardSession session = current;
        return session != null && session.id == sessionId ? session : null;
    }

    /** The session, and a new one if it is not known. */
    HeardSession session(int sessionId) {
        HeardSession session = sessions.get(sessionId);
        if (session == null) {
            session = new HeardSession(sessionId, ofOneSender == null ? new HeardSession.Numbers(0) : ofOneSender);
            sessions.put(sessionId, session);
        }
        current = session;
        return session;
    }

    /** The session of an image that has come, and not gone. Null if it has not. */
    @Nullable
    HeardSession heard(Image image) {
        HeardSession session = last;
        if (session == null || session.image != image) {
            session = sessions.get(image.sessionId());
            if (session == null || session.image != image) {
                return null;
            }
            last = session;
        }
        current = session;
        return session;
    }

    /** A session has come. A session that comes again knows which number is due; a new one with the id of an old one does not. */
    void came(int sessionId, int initialTermId, long correlationId, long joinPosition, @Nullable Image image) {
        HeardSession before = sessions.get(sessionId);
        if (before == null && sessions.size() >= KEPT_SESSIONS) {
            sessions.values().removeIf(old -> !old.present);
            current = null;
        } else if (before != null && !before.isOf(initialTermId, correlationId, joinPosition)) {
            sessions.remove(sessionId);
        }
        HeardSession session = session(sessionId);
        session.present = true;
        session.initialTermId = initialTermId;
        session.correlationId = correlationId;
        session.image = image;
    }

    /**
     * An image of a session has gone, with the part of a message that has come by it. The session's next
     * image may have begun with its first one.
     */
    void went(int sessionId, long position, @Nullable Image image) {
        HeardSession session = sessions.get(sessionId);
        if (session != null) {
            session.present = false;
            session.image = null;
            session.left = position;
        }
        current = null;
        if (begun.get(sessionId) == image) {
            begun.remove(sessionId);
            forgetFragments(sessionId);
        }
    }

    /** Forgets the part of a message that has come. Returns whether there was a buffer for the session. */
    boolean forgetFragments(int sessionId) {
        return assembler.freeSessionBuffer(sessionId);
    }

    /**
     * Whether another image may still bring a message with a lower number, where all are of one sender. If the image has something
     * to read, its number tells. If not, then by IPC it will bring none: all that its sender wrote before this message is there.
     * By UDP it may, until its end has come. An image whose sender has died in the middle of a message never ends, so it is given
     * up when nothing of it has come for long.
     */
    boolean mayBringBefore(long number, Image image) {
        waiting = image;
        waitingNumber = number;
        waits = false;
        image.subscription().forEachImage(looks);
        waiting = null;
        return waits;
    }

    private void look(Image other) {
        if (other == waiting || other.isClosed()) {
            return;
        }
        unread = -1;
        long position = other.position();
        long behind = other.controlledPeek(position, peeks, Long.MAX_VALUE);
        if (unread < 0 && behind > position) {
            other.controlledPeek(behind, peeks, Long.MAX_VALUE); // a padding has filled the term
        }
        if (unread >= 0) {
            waits |= unread < waitingNumber;
        } else if (!other.sourceIdentity().equals(CommonContext.IPC_CHANNEL) && !other.isEndOfStream()) {
            HeardSession session = sessions.get(other.sessionId());
            waits |= session == null || !session.isQuiet(position, System.nanoTime(), QUIET_NANOS);
        }
    }

    private Action onPeek(DirectBuffer buffer, int offset, int length, Header header) {
        unread = header.reservedValue();
        return Action.ABORT;
    }

    /** Has the holes at which sessions of this stream stand told again. */
    void tellHolesAgain() {
        for (HeardSession session : sessions.values()) {
            session.holeBefore = 0;
        }
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
