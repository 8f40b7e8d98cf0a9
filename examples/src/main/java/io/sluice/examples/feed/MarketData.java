package io.sluice.examples.feed;

import io.sluice.examples.itch.ItchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells market data from other files, by their first bytes. Market data that is cut off, or damaged behind its first record, is
 * market data: its reader says where the fault is.
 */
public final class MarketData {
    private static final int LOOK = 4_096;
    private static final int PREFIX = 2;
    private static final int COLUMNS = 6;

    private MarketData() {}

    /**
     * Looks at a file.
     *
     * @param name the file as the user named it
     * @param path the file
     * @return one sentence that says what is accepted and what the file looks like; null if it looks like market data, or if
     *     {@link Feeds#open}, or the reader, has a more precise reason to refuse it
     */
    public static @Nullable String refusal(String name, Path path) {
        if (!Files.isRegularFile(path)) {
            return null; // Feeds.open says why
        }
        byte[] raw;
        try {
            raw = beginning(new StreamSource(name, Files.newInputStream(path)));
        } catch (IOException | FeedFault e) {
            return null; // Feeds.open says why
        }
        boolean gzip =
                raw.length >= 2 && (raw[0] & 0xff) == GzipSource.MAGIC_1 && (raw[1] & 0xff) == GzipSource.MAGIC_2;
        byte[] bytes = raw;
        if (gzip) {
            try {
                bytes = beginning(new GzipSource(name, Files.newInputStream(path)));
            } catch (IOException | FeedFault e) {
                return null; // damaged before anything came out of it: the reader says where
            }
        }
        boolean lobster = Feeds.isNamedLobster(path);
        if (lobster ? isRow(bytes, true) : isItch(bytes)) {
            return null;
        }
        return name.replaceAll("\\p{Cntrl}", "?")
                + " must be ITCH 5.0, or a LOBSTER message file named *.csv or *.csv.gz, plain or gzip, but "
                + (gzip ? "is gzip of what " : "") + looks(bytes, path, lobster);
    }

    /** The first bytes; fewer where a fault comes after some. Closes the source. */
    private static byte[] beginning(ByteSource source) throws FeedFault {
        byte[] bytes = new byte[LOOK];
        int length = 0;
        try (source) {
            for (int read; length < LOOK && (read = source.read(bytes, length, LOOK - length)) > 0; ) {
                length += read;
            }
        } catch (FeedFault e) {
            if (length == 0) {
                throw e;
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Whether the first record is one of ITCH as far as it is there: its length is that of its type. */
    private static boolean isItch(byte[] bytes) {
        if (bytes.length == 0) {
            return false;
        }
        if (bytes.length <= PREFIX) {
            return bytes[0] == 0 && (bytes.length == 1 || bytes[1] <= ItchType.MAX_LENGTH);
        }
        ItchType type = ItchType.of(bytes[PREFIX]);
        return type != null && (((bytes[0] & 0xff) << 8) | (bytes[1] & 0xff)) == type.length();
    }

    /** Whether the first line has the six columns of a LOBSTER row, the first of them a number. */
    private static boolean isRow(byte[] bytes, boolean mayBeCutOff) {
        int columns = 1;
        int at = 0;
        for (; at < bytes.length && bytes[at] != '\n'; at++) {
            columns += bytes[at] == ',' ? 1 : 0;
        }
        return at > 0
                && bytes[0] >= '0'
                && bytes[0] <= '9'
                && (columns == COLUMNS || (mayBeCutOff && at == bytes.length && columns < COLUMNS))
                && FileKind.isText(Arrays.copyOf(bytes, at));
    }

    private static String looks(byte[] bytes, Path path, boolean lobster) {
        if (bytes.length == 0) {
            return "is empty";
        }
        if (lobster && isItch(bytes)) {
            return "looks like ITCH 5.0 under a name of a LOBSTER file";
        }
        if (!lobster && isRow(bytes, false)) {
            return "looks like a LOBSTER message file under another name";
        }
        String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
        return "looks like " + FileKind.of(bytes, name).replaceAll("\\p{Cntrl}", "?");
    }
}
