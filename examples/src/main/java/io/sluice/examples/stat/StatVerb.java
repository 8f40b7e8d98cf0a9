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
import java.util.Iterator;
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
                usage: ./sluice stat FILE [--once] [--json] [--aeron DIR]

                Shows what another process writes to its counters file (io.sluice.ringbuffer.counters.CountersFile; for instance
                ./sluice soak --counters FILE), each second until that process ends or closes the file. Events a second
                come with the second look. A ring that has failed is shown with the cause.

                --once   one look, then end
                --json   one line of JSON a look instead of tables
                --aeron DIR
                         also the counters of the Aeron media driver of DIR that are not 0

                Ends with whether the process runs and how old the figures are, with --json as "running" and
                "updatedMillis" of the last line. Exit status: 0; 2 if FILE is no counters file; 130 on Ctrl-C.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        boolean once = false;
        boolean json = false;
        @Nullable String file = null;
        @Nullable String driver = null;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String argument = rest.next();
            if (argument.equals("--once")) {
                once = true;
            } else if (argument.equals("--json")) {
                json = true;
            } else if (argument.equals("--aeron")) {
                if (!rest.hasNext()) {
                    throw new UsageException("--aeron must have a directory behind it, but it is the last argument");
                }
                driver = rest.next();
            } else if (argument.startsWith("--")) {
                throw new UsageException("option must be --once, --json or --aeron, but was '" + argument + "'");
            } else if (file != null) {
                throw new UsageException(
                        "FILE must be given once, but '" + file + "' and '" + argument + "' are given");
            } else {
                file = argument;
            }
        }
        if (file == null) {
            throw new UsageException("FILE must be the counters file of a process, but none is given");
        }
        try (CountersFileReader reader = open(file);
                AeronCounters aeron = driver == null ? null : AeronCounters.open(driver)) {
            show(reader, aeron, once, json);
        }
        return DONE;
    }

    private static CountersFileReader open(String file) throws UsageException {
        try {
            return CountersFileReader.open(Path.of(file));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new UsageException("FILE must be the counters file of a process, but '" + file + "' does not exist");
        } catch (AccessDeniedException e) {
            throw new UsageException("FILE must be readable, but '" + file + "' may not be read");
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("FILE must be the counters file of a process, but '" + file
                    + "' cannot be read as one: " + e.getMessage());
        }
    }

    private void show(CountersFileReader reader, @Nullable AeronCounters aeron, boolean once, boolean json)
            throws InterruptedException {
        Figures base = null;
        Rates rates = Rates.NONE;
        for (; ; ) {
            Figures figures = Figures.of(reader);
            if (base == null) {
                base = figures;
            } else if (figures.updatedMillis() != base.updatedMillis()) { // else the writer has written nothing new
                rates = Rates.between(base, figures);
                base = figures;
            }
            boolean last = once || !figures.canWrite();
            if (json) {
                String line = figures.json(rates);
                out.println(
                        aeron == null
                                ? line
                                : line.substring(0, line.length() - 1) + ",\"aeron\":" + aeron.json() + "}");
            } else {
                out.print(new FiguresTable(figures, rates).text());
                if (aeron != null) {
                    out.print(aeron.text());
                }
                out.println(figures.verdict());
            }
            if (out.checkError() || last) { // flushes; behind a pipe that was closed nobody reads any more
                return;
            }
            Thread.sleep(PERIOD_MILLIS);
        }
    }
}
