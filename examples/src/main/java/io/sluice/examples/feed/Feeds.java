package io.sluice.examples.feed;

import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.lobster.LobsterReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens input files. */
public final class Feeds {
    private Feeds() {}

    /**
     * Opens a file: a LOBSTER message file if its name ends in {@code .csv} or {@code .csv.gz}, else ITCH 5.0; gzip is
     * recognised by what the file holds, not by its name.
     *
     * @param name the file as the user named it
     * @param path the file
     * @return a reader at the first message, to be closed
     * @throws FeedFault if the file is missing, cannot be read, or is no regular file
     */
    public static FeedReader open(String name, Path path) throws FeedFault {
        String fileName = String.valueOf(path.getFileName());
        boolean lobster = isNamedLobster(path);
        if (lobster && LobsterReader.instrumentOf(fileName).isEmpty()) {
            throw FeedFault.atOffset(name, 0, "no instrument before the first '_' or '.' of the file's name");
        }
        ByteSource source = openSource(name, path);
        return lobster
                ? new LobsterReader(name, LobsterReader.instrumentOf(fileName), source)
                : new ItchReader(name, source);
    }

    /** Whether a file is a LOBSTER message file by its name. */
    static boolean isNamedLobster(Path path) {
        String lowerCase = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
        return lowerCase.endsWith(".csv") || lowerCase.endsWith(".csv.gz");
    }

    private static ByteSource openSource(String name, Path path) throws FeedFault {
        if (Files.isDirectory(path)) {
            throw FeedFault.atOffset(name, 0, "is a folder, must be a file");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw FeedFault.atOffset(name, 0, "must be a regular file, since it is read twice");
        }
        try {
            InputStream stream = Files.newInputStream(path);
            try {
                return sourceOf(name, stream);
            } catch (IOException | RuntimeException e) {
                Reasons.closeQuietly(stream);
                throw e;
            }
        } catch (IOException e) {
            throw FeedFault.atOffset(name, 0, "cannot be read: " + Reasons.of(e));
        }
    }

    /** Looks at the first two bytes and puts them back. */
    private static ByteSource sourceOf(String name, InputStream stream) throws IOException {
        InputStream buffered = new BufferedInputStream(stream, 1 << 16);
        buffered.mark(2);
        boolean gzip = buffered.read() == GzipSource.MAGIC_1 && buffered.read() == GzipSource.MAGIC_2;
        buffered.reset();
        return gzip ? new GzipSource(name, buffered) : new StreamSource(name, buffered);
    }
}
