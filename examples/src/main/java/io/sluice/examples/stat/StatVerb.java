package io.sluice.examples.stat;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.ringbuffer.counters.CountersFileReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice stat FILE}: shows a running process's counters. */
public final class StatVerb implements Verb {
    private static final long PERIOD_MILLIS = 1_000;

    private final PrintStream out;

    /** Creates the verb on the process's standard output. */
    public StatVerb() {
        this(System.out);
    }

    StatVerb(PrintStream out) {
        this.out = out;
    }

    @Override
    public String name() {
        return "stat";
    }

    @Override
    public String summary() {
        return "show the counters of a running process's rings";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice stat FILE [--once] [--json]

                Shows what another process writes to its counters file (io.sluice.ringbuffer.counters.CountersFile; for instance
                ./sluice soak --counters FILE), each second until that process ends or closes the file.

                --once   one look, then end
                --json   one line of JSON a look instead of tables

                Ends with whether the process runs and how old the figures are, with --json as "running" and
                "updatedMillis" of the last line. Exit status: 0; 2 if FILE is no counters file; 130 on Ctrl-C.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        boolean once = false;
        boolean json = false;
        @Nullable String file = null;
        for (String argument : arguments) {
            if (argument.equals("--once")) {
                once = true;
            } else if (argument.equals("--json")) {
                json = true;
            } else if (argument.startsWith("--")) {
                throw new UsageException("unknown option '" + argument + "'; allowed are --once and --json");
            } else if (file != null) {
                throw new UsageException("two files, '" + file + "' and '" + argument + "'; allowed is one");
            } else {
                file = argument;
            }
        }
        if (file == null) {
            throw new UsageException("no FILE given; the counters file of a process is needed");
        }
        try (CountersFileReader reader = open(file)) {
            show(reader, once, json);
        }
        return DONE;
    }

    private static CountersFileReader open(String file) throws UsageException {
        try {
            return CountersFileReader.open(Path.of(file));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new UsageException("'" + file + "' is not there; the counters file of a process is needed");
        } catch (AccessDeniedException e) {
            throw new UsageException("'" + file + "' may not be read");
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("'" + file + "' can not be read as counters: " + e.getMessage());
        }
    }

    private void show(CountersFileReader reader, boolean once, boolean json) throws InterruptedException {
        for (; ; ) {
            Figures figures = Figures.of(reader);
            boolean last = once || !figures.goesOn();
            if (json) {
                out.println(figures.json());
            } else {
                out.print(figures.text());
                out.println(figures.verdict());
            }
            out.flush();
            if (last) {
                return;
            }
            Thread.sleep(PERIOD_MILLIS);
        }
    }
}
