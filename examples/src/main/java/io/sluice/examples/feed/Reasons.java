package io.sluice.examples.feed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** The reasons of the file system, in words for a message of one line. */
public final class Reasons {
    private Reasons() {}

    /**
     * The reason of a failure.
     *
     * @param failure the failure
     * @return a few words, without the file's name
     */
    public static String of(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileSystemException named && named.getReason() != null) {
            return named.getReason();
        }
        return Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName());
    }

    /** Closes an input that was only read from: a failure to close it loses nothing. */
    static void closeQuietly(Closeable input) {
        try {
            input.close();
        } catch (IOException e) {
            // Nothing was written, so nothing can be lost, and there is nothing the user could do about it.
        }
    }
}
