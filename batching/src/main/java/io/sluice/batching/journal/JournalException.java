package io.sluice.batching.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure of a journal: a kind to act on, and a message that names the file, the place and the reason. */
public final class JournalException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kinds of trouble. */
    public enum Kind {
        /** The folder or a file in it cannot be created, opened or listed. */
        CANNOT_OPEN,
        /** Another writer holds the journal's lock. */
        LOCKED,
        /** There is no room for a further segment. The journal goes on working once there is; nothing was lost. */
        CANNOT_ALLOCATE,
        /** A segment that must be there is not. */
        MISSING_SEGMENT,
        /** Something that was written in full can no longer be read, or belongs to another journal. */
        DAMAGED,
        /** The tail is torn, and the journal was opened without permission to repair it. */
        TORN,
        /** The sequence asked for was retired, or has never been written. */
        NOT_HELD,
        /** A write or a {@code force} failed; records that were not durable are in doubt until the journal is opened again. */
        FAILED,
        /** The journal or the reader was closed. */
        CLOSED
    }

    /** The kind to act on. */
    private final Kind kind;

    JournalException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    JournalException(Kind kind, String message) {
        this(kind, message, null);
    }

    /** An exception for a failure of the file system; the failure itself if it names its kind already. */
    static JournalException cannotOpen(String what, IOException cause) {
        return cause instanceof JournalException known
                ? known
                : new JournalException(Kind.CANNOT_OPEN, "cannot " + what + ": " + cause, cause);
    }

    /**
     * The kind of trouble.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }
}
