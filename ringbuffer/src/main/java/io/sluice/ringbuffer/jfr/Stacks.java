package io.sluice.ringbuffer.jfr;

import org.jspecify.annotations.Nullable;

/** The stack of an exception as text, for dumps and JFR events. */
public final class Stacks {
    /** Enough for any handler; a stack that overflowed has thousands. */
    private static final int MOST_FRAMES = 64;

    private static final int MOST_CAUSES = 8;

    private Stacks() {}

    /**
     * The exception, its frames, and its causes with theirs: several lines, each ended by a line feed.
     *
     * @param thrown the exception
     * @param indent what each line begins with
     * @return the text
     */
    public static String text(Throwable thrown, String indent) {
        StringBuilder out = new StringBuilder();
        @Nullable Throwable one = thrown;
        for (int i = 0; i < MOST_CAUSES && one != null; i++) {
            out.append(indent).append(i == 0 ? "" : "caused by ").append(one).append('\n');
            StackTraceElement[] frames = one.getStackTrace();
            for (int j = 0; j < frames.length && j < MOST_FRAMES; j++) {
                out.append(indent).append("    at ").append(frames[j]).append('\n');
            }
            if (frames.length > MOST_FRAMES) {
                out.append(indent)
                        .append("    ... ")
                        .append(frames.length - MOST_FRAMES)
                        .append(" more\n");
            }
            one = one.getCause();
        }
        return out.toString();
    }
}
