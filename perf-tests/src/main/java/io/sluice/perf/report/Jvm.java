package io.sluice.perf.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM that was measured on, with its flags.
 *
 * @param name its name and version
 * @param vendor who made it
 * @param collector its garbage collector
 * @param flags the flags of its command line
 */
public record Jvm(String name, String vendor, String collector, List<String> flags) {
    private static final Pattern PROPERTY = Pattern.compile(" {4}([a-z.]+) = (.*)");
    private static final Pattern COLLECTOR =
            Pattern.compile(" *bool Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC +:?= true .*");
    private static final String NOT_TOLD = "not told";

    /** Copies the list. */
    public Jvm {
        flags = List.copyOf(flags);
    }

    /**
     * Asks a JDK, started with the flags: they decide on the collector.
     *
     * @param jdk its home
     * @param flags the flags that measured JVMs get
     * @return what it says of itself
     * @throws InterruptedException if interrupted while waiting for it
     */
    public static Jvm of(Path jdk, List<String> flags) throws InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin").resolve("java").toString());
        command.addAll(flags);
        command.addAll(List.of("-XX:+PrintFlagsFinal", "-XshowSettings:properties", "-version"));
        List<String> said = Program.lines(command);
        if (said.isEmpty()) {
            return new Jvm("a JVM that does not tell its version", NOT_TOLD, NOT_TOLD, flags);
        }
        String name = property(said, "java.runtime.name")
                .replace(" Runtime Environment", "")
                .concat(" " + property(said, "java.runtime.version"));
        String collector = said.stream()
                .map(COLLECTOR::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .findFirst()
                .orElse(NOT_TOLD);
        return new Jvm(name, property(said, "java.vendor"), collector, flags);
    }

    private static String property(List<String> said, String name) {
        Optional<String> value = said.stream()
                .map(PROPERTY::matcher)
                .filter(line -> line.matches() && line.group(1).equals(name))
                .map(line -> line.group(2).strip())
                .findFirst();
        return value.orElse(NOT_TOLD);
    }

    /** All of it in one line. */
    String description() {
        return name + ", " + vendor + "; collector " + collector + "; flags "
                + (flags.isEmpty() ? "none" : String.join(" ", flags));
    }
}
