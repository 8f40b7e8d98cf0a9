package io.sluice.examples.feed;

/**
 * A fault of an input, and its place. The message is one line: file, place ({@code offset N} or {@code line N}),
 * reason. Everything before the place was good and has been delivered.
 */
public final class FeedFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final String place;
    private final String reason;

    private FeedFault(String file, String place, String reason) {
        this.file = oneLine(file);
        this.place = place;
        this.reason = oneLine(reason);
    }

    /**
     * A fault at a byte.
     *
     * @param file the file as the user named it
     * @param offset bytes before the faulty record
     * @param reason what is wrong
     * @return the fault
     */
    public static FeedFault atOffset(String file, long offset, String reason) {
        return new FeedFault(file, "offset " + offset, reason);
    }

    /**
     * A fault at a byte of the content of a gzip file.
     *
     * @param file the file as the user named it
     * @param offset bytes before the faulty record, counted after decompression
     * @param reason what is wrong
     * @return the fault
     */
    public static FeedFault atUncompressedOffset(String file, long offset, String reason) {
        return new FeedFault(file, "offset " + offset + " of the uncompressed data", reason);
    }

    /**
     * A fault in a line.
     *
     * @param file the file as the user named it
     * @param line the line, from 1
     * @param reason what is wrong
     * @return the fault
     */
    public static FeedFault atLine(String file, long line, String reason) {
        return new FeedFault(file, "line " + line, reason);
    }

    /**
     * The file.
     *
     * @return as the user named it
     */
    public String file() {
        return file;
    }

    /**
     * Where the fault is.
     *
     * @return {@code offset N} or {@code line N}
     */
    public String place() {
        return place;
    }

    /**
     * The reason.
     *
     * @return one line
     */
    public String reason() {
        return reason;
    }

    /**
     * File, place and reason.
     *
     * @return one line
     */
    @Override
    public String getMessage() {
        return file + ": " + place + ": " + reason;
    }

    /** A file name or a damaged field may hold control characters; the message must stay one line. */
    private static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            line.append(Character.isISOControl(c) ? '?' : c);
        }
        return line.toString();
    }
}
