package io.sluice.batching.journal;

/** The names of the files in a journal's folder. {@link Journal} begins with an overview of what they hold. */
final class FileNames {
    static final String LOCK = "journal.lock";
    static final String FIRST = "journal.first";
    static final String NEW = "journal.new";
    static final String SPARE = "journal.spare";
    static final String PREPARING = "journal.preparing";
    static final String TORN = "journal.torn";

    private static final String PREFIX = "journal-";
    private static final String SUFFIX = ".segment";
    private static final int DIGITS = 12;

    private FileNames() {}

    static String segment(long index) {
        String digits = Long.toString(index);
        return PREFIX + "0".repeat(Math.max(0, DIGITS - digits.length())) + digits + SUFFIX;
    }

    /** The index in a segment's name, or -1 if this is the name of something else. */
    static long segmentIndex(String name) {
        if (name.length() != PREFIX.length() + DIGITS + SUFFIX.length()
                || !name.startsWith(PREFIX)
                || !name.endsWith(SUFFIX)) {
            return -1;
        }
        long index = 0;
        for (int i = PREFIX.length(); i < PREFIX.length() + DIGITS; i++) {
            char digit = name.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            index = index * 10 + digit - '0';
        }
        return index;
    }
}
