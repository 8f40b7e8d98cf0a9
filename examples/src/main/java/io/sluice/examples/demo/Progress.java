package io.sluice.examples.demo;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** One line on a terminal that is written over five times a second. Used by one thread at a time. */
final class Progress {
    private static final long INTERVAL_NANOS = 200_000_000;

    private final PrintStream terminal;
    private final boolean shown;
    private long startNanos;
    private long nextNanos;
    private int width;

    private Progress(PrintStream terminal, boolean shown) {
        this.terminal = terminal;
        this.shown = shown;
        this.startNanos = System.nanoTime();
        this.nextNanos = startNanos + INTERVAL_NANOS;
    }

    /** Shows progress if standard error is a terminal. */
    static Progress onTerminal(PrintStream err) {
        return new Progress(err, isTerminal());
    }

    /** Shows progress if told so. */
    static Progress on(PrintStream stream, boolean shown) {
        return new Progress(stream, shown);
    }

    /** Begins to count the time. */
    void start() {
        startNanos = System.nanoTime();
        nextNanos = startNanos + INTERVAL_NANOS;
    }

    /** Tells how many messages have been handled. */
    void handled(long messages) {
        if (!shown) {
            return;
        }
        long now = System.nanoTime();
        if (now - nextNanos < 0) {
            return;
        }
        nextNanos = now + INTERVAL_NANOS;
        double seconds = (now - startNanos) / 1e9;
        show(String.format(Locale.ROOT, "%,d messages, %,.0f a second", messages, messages / seconds));
    }

    /** Takes the line away. */
    void clear() {
        if (width > 0) {
            show("");
            terminal.print('\r');
            terminal.flush();
            width = 0;
        }
    }

    private void show(String line) {
        terminal.print('\r' + line + " ".repeat(Math.max(0, width - line.length())));
        terminal.flush();
        width = line.length();
    }

    /**
     * Whether standard error is a terminal. Java only tells about standard input and output together, so where the
     * system shows open files as links, those are looked at.
     */
    private static boolean isTerminal() {
        Path link = Path.of("/proc/self/fd/2");
        try {
            if (Files.isSymbolicLink(link)) {
                String target = Files.readSymbolicLink(link).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
            }
        } catch (java.io.IOException | SecurityException e) {
            return false;
        }
        return System.console() != null;
    }
}
