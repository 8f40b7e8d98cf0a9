package io.sluice.aeron;

import io.aeron.Aeron;
import io.aeron.ChannelUri;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import org.jspecify.annotations.Nullable;

/**
 * Opens a publication without blocking: asks the driver once, and looks for its answer each time that it is polled. If the client that was
 * asked is lost, the next one is asked. For one thread.
 */
final class PublicationOpener {
    private final AeronLink link;
    private final int streamId;
    private final boolean exclusive;
    private String channel;
    private @Nullable Aeron asked;
    private long registrationId;

    PublicationOpener(AeronLink link, String channel, int streamId, boolean exclusive) {
        this.link = link;
        this.channel = channel;
        this.streamId = streamId;
        this.exclusive = exclusive;
    }

    /**
     * Asks, or looks for the answer.
     *
     * @return the publication once it is there
     * @throws RegistrationException if the driver refuses it
     */
    @Nullable
    Publication poll() {
        Aeron client = link.aeron();
        try {
            if (client != asked) {
                registrationId = exclusive
                        ? client.asyncAddExclusivePublication(channel, streamId)
                        : client.asyncAddPublication(channel, streamId);
                asked = client;
                return null;
            }
            Publication found =
                    exclusive ? client.getExclusivePublication(registrationId) : client.getPublication(registrationId);
            if (found != null) {
                asked = null;
            }
            return found;
        } catch (RegistrationException e) {
            asked = null;
            throw e;
        } catch (AeronException e) {
            asked = null; // the client is ending, or its way to the driver is full: the present client is asked again
            return null;
        }
    }

    /** The next one is a new session: it begins where the driver likes, not where the first one was told to. */
    void again() {
        ChannelUri uri = ChannelUri.parse(channel);
        uri.remove(CommonContext.SESSION_ID_PARAM_NAME);
        uri.remove(CommonContext.INITIAL_TERM_ID_PARAM_NAME);
        uri.remove(CommonContext.TERM_ID_PARAM_NAME);
        uri.remove(CommonContext.TERM_OFFSET_PARAM_NAME);
        channel = uri.toString();
    }

    /** Takes back a question that is not answered yet. */
    void cancel() {
        Aeron client = asked;
        if (client != null && !client.isClosed()) {
            client.asyncRemovePublication(registrationId);
        }
        asked = null; // last: what Aeron does not let us take back now can be taken back later
    }
}
