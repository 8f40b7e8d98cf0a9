package io.sluice.perf.report;

import io.sluice.perf.Pinning;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a benchmark: hardware, system, JVMs and the versions of all that took part.
 *
 * @param cpu the processor's model
 * @param cores how many of them the JVM may use
 * @param kernel the operating system and its version
 * @param jvms each JVM that was measured on
 * @param clock what times are read from
 * @param sluice Sluice's version, or why it is not known
 * @param commit of the source tree, with {@code +} if it had changes; or why that is not known
 * @param libraries the other libraries that took part
 * @param command the exact command line
 * @param loadAtStart how many threads wanted to run before the measurement began, averaged over a minute; negative if the
 *     system does not say
 * @param pinning whether threads are bound to cores, or why not
 */
public record Machine(
        String cpu,
        int cores,
        String kernel,
        List<Jvm> jvms,
        Clock clock,
        String sluice,
        String commit,
        List<Library> libraries,
        String command,
        double loadAtStart,
        String pinning) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Pattern VERSION = Pattern.compile("<version>(.*?)</version>");
    private static final double DISTURBING_LOAD = 0.5;
    private static final String LOAD = "load at the start";

    /** Copies the lists. */
    public Machine {
        jvms = List.copyOf(jvms);
        libraries = List.copyOf(libraries);
    }

    /**
     * Describes this machine as it is now, for contestants in JVMs of their own.
     *
     * @param jdks the homes of the JDKs that contestants run on
     * @param flags the flags of the contestants' JVMs
     * @param command the exact command line
     * @param pinning whether threads are bound to cores, or why not
     * @param labels the labels of contestants: a library took part if one of them begins with its name
     * @return the description
     * @throws InterruptedException if interrupted while a JVM is asked for its version
     */
    public static Machine here(
            List<Path> jdks, List<String> flags, String command, String pinning, Collection<String> labels)
            throws InterruptedException {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(); // before anything else runs
        List<Jvm> jvms = new ArrayList<>();
        for (Path jdk : jdks) {
            jvms.add(Jvm.of(jdk, flags));
        }
        String home = System.getProperty("sluice.home");
        Path source = home == null ? null : Path.of(home);
        return new Machine(
                cpuModel(),
                Pinning.available(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                jvms,
                Clock.here(),
                version(source),
                commit(source),
                Library.of(labels),
                command,
                load,
                pinning);
    }

    /**
     * The same for a measurement in this very JVM.
     *
     * @param command the exact command line
     * @param pinning whether threads are bound to cores, or why not
     * @param libraries the names of the other libraries that take part
     * @return the description
     * @throws InterruptedException if interrupted while the JVM is asked for its version
     */
    public static Machine own(String command, String pinning, List<String> libraries) throws InterruptedException {
        List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") || flag.startsWith("--add"))
                .toList();
        return here(List.of(Path.of(System.getProperty("java.home"))), flags, command, pinning, libraries);
    }

    /**
     * All of it for people.
     *
     * @return what is told, by its name, in the order to be read
     */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Sluice", sluice + ", commit " + commit);
        facts.put("processor", cpu + ", " + cores + " cores");
        facts.put("system", kernel);
        for (int i = 0; i < jvms.size(); i++) {
            facts.put(jvms.size() == 1 ? "JVM" : "JVM " + (i + 1), jvms.get(i).description());
        }
        facts.put("clock", clock.description());
        if (!libraries.isEmpty()) {
            facts.put(
                    "libraries",
                    libraries.stream()
                            .map(library -> library.name() + " " + library.version())
                            .collect(Collectors.joining(", ")));
        }
        facts.put("threads", pinning);
        facts.put(LOAD, load().substring(LOAD.length() + 2));
        return facts;
    }

    /**
     * The load found at the start, for people, with a warning if something else runs.
     *
     * @return one line
     */
    public String load() {
        if (loadAtStart < 0) {
            return LOAD + ": not known";
        }
        String line = String.format(Locale.ROOT, "%s: %.2f on %d cores", LOAD, loadAtStart, cores);
        return disturbed() ? line + "; other programs are or were running, which disturbs the figures" : line;
    }

    /**
     * Whether other programs ran at the start.
     *
     * @return whether the load was above a half; false if it is not known
     */
    public boolean disturbed() {
        return loadAtStart > DISTURBING_LOAD;
    }

    private static String cpuModel() {
        if (Files.isReadable(CPU_INFO)) {
            try (Stream<String> lines = Files.lines(CPU_INFO, StandardCharsets.UTF_8)) {
                return cpuModel(lines.toList());
            } catch (IOException e) {
                return System.getProperty("os.arch");
            }
        }
        return System.getProperty("os.arch");
    }

    /** Family and model too: the name alone may stand for several kinds of processors. */
    static String cpuModel(List<String> info) {
        String name = cpuInfo(info, "model name");
        String family = cpuInfo(info, "cpu family");
        String model = cpuInfo(info, "model");
        return (name.isEmpty() ? System.getProperty("os.arch") : name)
                + (family.isEmpty() ? "" : ", family " + family)
                + (model.isEmpty() ? "" : ", model " + model);
    }

    private static String cpuInfo(List<String> info, String name) {
        return info.stream()
                .filter(line -> line.contains(":")
                        && line.substring(0, line.indexOf(':')).strip().equals(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** The first version in the parent pom, which is its own; or that of the jar, where there is no source tree. */
    static String version(@Nullable Path source) {
        if (source != null) {
            try {
                Matcher version = VERSION.matcher(Files.readString(source.resolve("pom.xml")));
                if (version.find()) {
                    return version.group(1);
                }
            } catch (IOException e) {
                // no source tree there
            }
        }
        String version = Library.version("io.sluice.ringbuffer.RingBuffer");
        return version == null ? "version not known" : version;
    }

    static String commit(@Nullable Path source) throws InterruptedException {
        if (source == null || !Files.exists(source.resolve(".git"))) {
            return "not known: no git checkout";
        }
        List<String> commit = Program.lines(List.of("git", "-C", source.toString(), "rev-parse", "HEAD"));
        if (commit.size() != 1) {
            return "not known: git does not say";
        }
        boolean changed = !Program.lines(List.of("git", "-C", source.toString(), "status", "--porcelain"))
                .isEmpty();
        return commit.get(0) + (changed ? "+" : "");
    }
}
