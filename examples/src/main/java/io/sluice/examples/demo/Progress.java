package io.sluice.examples.demo;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongSupplier;

/** One line on a terminal that is written over five times a second. Used by one thread at a time. */
final class Progress {
    private static final long INTERVAL_NANOS = 200_000_000;

    private final PrintStream terminal;
    private final boolean shown;
    private final LongSupplier clock;
    private final long startNanos;
    private long nextNanos;
    private int width;

    Progress(PrintStream terminal, boolean shown, LongSupplier clock) {
        this.terminal = terminal;
        this.shown = shown;
        this.clock = clock;
        this.startNanos = clock.getAsLong();
        this.nextNanos = startNanos + INTERVAL_NANOS;
    }

    /** Shows progress if standard error is a terminal. */
    static Progress onTerminal(PrintStream err) {
        return new Progress(err, isTerminal(), System::nanoTime);
    }

    /** Tells how many messages have been handled. */
    void handled(long messages) {
        if (!shown) {
            return;
        }
        long now = clock.getAsLong();
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
     * Whether standard error is a terminal. Where the system shows open files as links, that tells; elsewhere Java is asked,
     * which only knows about standard input and output together.
     */
    private static boolean isTerminal() {
        Path link = Path.of("/proc/self/fd/2");
        try {
            if (Files.isSymbolicLink(link)) {
                String target = Files.readSymbolicLink(link).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
            }
            return consoleIsTerminal();
        } catch (IOException | SecurityException | ReflectiveOperationException e) {
            return false;
        }
    }

    /** Until Java 21 there is no console without a terminal; since Java 22 the console says whether it has one. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean consoleIsTerminal() throws ReflectiveOperationException {
        Console console = System.console();
        if (console == null || Runtime.version().feature() < 22) {
            return console != null;
        }
        return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
    }
}
