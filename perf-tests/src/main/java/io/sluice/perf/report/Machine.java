package io.sluice.perf.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a benchmark ran.
 *
 * @param cpu the processor's model
 * @param cores how many of them the JVM may use
 * @param kernel the operating system and its version
 * @param jvms each JVM that contestants ran on
 * @param commit of the source tree, with {@code +} if it had changes; or why that is not known
 * @param command the exact command line
 * @param loadAtStart how many threads wanted to run before the measurement began, averaged over a minute; negative if the
 *     system does not say
 * @param pinning whether threads are bound to cores, or why not
 */
public record Machine(
        String cpu,
        int cores,
        String kernel,
        List<String> jvms,
        String commit,
        String command,
        double loadAtStart,
        String pinning) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final long LIMIT_SECONDS = 20;

    /** Copies the list. */
    public Machine {
        jvms = List.copyOf(jvms);
    }

    /**
     * Describes this machine as it is now.
     *
     * @param jdks the homes of the JDKs that contestants run on
     * @param source the source tree, or null if it is not known
     * @param command the exact command line
     * @param pinning whether threads are bound to cores, or why not
     * @return the description
     * @throws InterruptedException if interrupted while a JVM is asked for its version
     */
    public static Machine here(List<Path> jdks, @Nullable Path source, String command, String pinning)
            throws InterruptedException {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(); // before anything else runs
        List<String> jvms = new ArrayList<>();
        for (Path jdk : jdks) {
            jvms.add(jvm(jdk));
        }
        return new Machine(
                cpuModel(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                jvms,
                commit(source),
                command,
                load,
                pinning);
    }

    /**
     * What a JVM says of itself.
     *
     * @param jdk its home
     * @return its name and version
     * @throws InterruptedException if interrupted while waiting for it
     */
    public static String jvm(Path jdk) throws InterruptedException {
        List<String> said = output(jdk.resolve("bin").resolve("java").toString(), "-version");
        return said.size() < 2
                ? "a JVM that does not tell its version"
                : said.get(1).replace(" Runtime Environment", "");
    }

    /**
     * The load found at the start, for people, with a warning if something else runs.
     *
     * @return one line
     */
    public String load() {
        if (loadAtStart < 0) {
            return "load at the start: not known";
        }
        String line = String.format(Locale.ROOT, "load at the start: %.2f on %d cores", loadAtStart, cores);
        return loadAtStart > 0.5 ? line + "; other programs are or were running, which disturbs the figures" : line;
    }

    private static String cpuModel() {
        if (Files.isReadable(CPU_INFO)) {
            try (Stream<String> lines = Files.lines(CPU_INFO, StandardCharsets.UTF_8)) {
                return lines.filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            } catch (IOException e) {
                return System.getProperty("os.arch");
            }
        }
        return System.getProperty("os.arch");
    }

    private static String commit(@Nullable Path source) throws InterruptedException {
        if (source == null || !Files.exists(source.resolve(".git"))) {
            return "not known: no git checkout";
        }
        List<String> commit = output("git", "-C", source.toString(), "rev-parse", "HEAD");
        if (commit.size() != 1) {
            return "not known: git does not say";
        }
        boolean changed =
                !output("git", "-C", source.toString(), "status", "--porcelain").isEmpty();
        return commit.get(0) + (changed ? "+" : "");
    }

    /** The lines that a program prints on either stream; none if it can not be run or fails. */
    private static List<String> output(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            List<String> lines = new ArrayList<>();
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                in.lines().forEach(lines::add);
            }
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return List.of();
            }
            return process.exitValue() == 0 ? lines : List.of();
        } catch (IOException e) {
            return List.of();
        }
    }
}
