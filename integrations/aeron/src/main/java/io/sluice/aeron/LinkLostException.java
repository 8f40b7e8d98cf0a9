package io.sluice.aeron;

import java.io.Serial;

/** Told to the error handler of an {@link AeronLink} when its client has given up the driver. */
public final class LinkLostException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    LinkLostException(String directory) {
        super("the client of the media driver of " + directory
                + " has ended: the driver does not answer, or the link was not run in time");
    }
}
