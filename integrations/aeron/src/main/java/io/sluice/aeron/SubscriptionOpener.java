package io.sluice.aeron;

import io.aeron.Aeron;
import io.aeron.AvailableImageHandler;
import io.aeron.Subscription;
import io.aeron.UnavailableImageHandler;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import org.jspecify.annotations.Nullable;

/** A subscription that opens without blocking, and is opened again when its client was lost. For one thread. */
final class SubscriptionOpener {
    private final AeronLink link;
    private final String channel;
    private final int streamId;
    private final AvailableImageHandler available;
    private final UnavailableImageHandler unavailable;
    private @Nullable Aeron asked;
    private @Nullable Subscription open;
    private long registrationId;

    SubscriptionOpener(
            AeronLink link,
            String channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        this.link = link;
        this.channel = channel;
        this.streamId = streamId;
        this.available = available;
        this.unavailable = unavailable;
    }

    /**
     * The subscription, or a step towards it.
     *
     * @return the subscription while it is open
     * @throws RegistrationException if the driver refuses it
     */
    @Nullable
    Subscription poll() {
        Subscription present = open;
        return present != null && !present.isClosed() ? present : opened();
    }

    private @Nullable Subscription opened() {
        open = null;
        Aeron client = link.aeron();
        try {
            if (client != asked) {
                registrationId = client.asyncAddSubscription(channel, streamId, available, unavailable);
                asked = client;
            } else {
                open = client.getSubscription(registrationId);
                asked = open == null ? asked : null;
            }
        } catch (RegistrationException e) {
            asked = null;
            throw e;
        } catch (AeronException e) {
            asked = null; // the client is ending, or its way to the driver is full: the present client is asked again
        }
        return open;
    }

    void close() {
        Subscription present = open;
        Aeron client = asked;
        if (present != null) {
            present.close();
        } else if (client != null && !client.isClosed()) {
            client.asyncRemoveSubscription(registrationId);
        }
        open = null; // last: what Aeron does not let us close now can be closed later
        asked = null;
    }
}
