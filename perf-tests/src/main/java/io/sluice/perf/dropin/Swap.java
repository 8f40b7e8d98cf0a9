package io.sluice.perf.dropin;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.examples.dropin.GettingStarted;
import io.sluice.examples.dropin.LoggingSample;
import io.sluice.perf.Arguments;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code ./sluice swap}: one of the Disruptor's programs, on its jar or on ours. */
public final class Swap implements Verb {
    private static final String THEIRS = "--disruptor";

    private static final Map<String, Class<?>> PROGRAMS = new TreeMap<>(
            Map.<String, Class<?>>of("getting-started", GettingStarted.class, "logging", LoggingSample.class));

    /** For the service loader. */
    public Swap() {}

    @Override
    public String name() {
        return "swap";
    }

    @Override
    public String summary() {
        return "run a program for LMAX's Disruptor on sluice-disruptor-api, or on its own jar";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice swap PROGRAM [--disruptor]

                Runs a program that was compiled against LMAX's Disruptor 4.0.0, in a JVM of its own: on sluice-disruptor-api, or
                with --disruptor on LMAX's jar. The class files are the same, and so is what they print.

                PROGRAM   getting-started   an event, its factory, two handlers, a translator
                          logging           log4j2 with all loggers asynchronous

                Exit status: that of the program; 2 wrong usage.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        return run(arguments, System.out);
    }

    static int run(List<String> arguments, PrintStream out) throws UsageException, IOException, InterruptedException {
        String named = arguments.isEmpty() ? "" : arguments.get(0);
        Class<?> program = PROGRAMS.get(named);
        if (program == null) {
            throw new UsageException("PROGRAM must be one of " + String.join(", ", PROGRAMS.keySet()) + ", but "
                    + (named.isEmpty() ? "is missing" : "was '" + named + "'"));
        }
        Arguments rest = Arguments.parse(arguments.subList(1, arguments.size()), List.of(THEIRS), List.of(), List.of());
        Jar jar = rest.has(THEIRS) ? Jar.DISRUPTOR : Jar.DROP_IN;
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        jar.classPath(),
                        program.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            process.getOutputStream().close();
            process.getInputStream().transferTo(out);
            return process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }
}
