package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalGroup;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of log4j-core's asynchronous loggers, as its project has published them: each class in a JVM of its own, once on the
 * Disruptor's jar and once on this library. {@code -Dsluice.log4j.tests=REGEX} takes those classes only whose simple names match.
 */
@Tag("slow")
@Tag("once")
class Log4jPublishedTest {
    private static final String PACKAGE = "org/apache/logging/log4j/core/async/";
    private static final String CHOSEN = System.getProperty("sluice.log4j.tests", ".*");

    /** A test in a report: its name, its class, and what stands inside. */
    private static final Pattern CASE = Pattern.compile(
            "<testcase name=\"([^\"]*)\" classname=\"([^\"]*)\"[^>]*?(?:/>|>(.*?)</testcase>)", Pattern.DOTALL);

    private static final Pattern BAD = Pattern.compile("<(failure|error|skipped)([^>]{0,200})");

    @TempDir
    Path folder;

    @Test
    @Timeout(1_100)
    void log4jsOwnTestsPassThatPassOnTheDisruptor() throws Exception {
        Map<String, String> theirs = new TreeMap<>();
        Map<String, String> ours = new TreeMap<>();
        for (String test : tests()) {
            theirs.putAll(run(test, "theirs", Peer.jar().toString()));
            ours.putAll(run(test, "ours", here()));
        }
        for (String test : theirs.keySet()) {
            if (!(theirs.get(test) + ours.get(test)).equals("passedpassed")) {
                System.out.println(
                        "log4j " + test + ": on the Disruptor " + theirs.get(test) + ", here " + ours.get(test));
            }
        }
        System.out.println("log4j: on the Disruptor " + passed(theirs).size() + " of " + theirs.size() + " pass, here "
                + passed(ours).size());
        assertThat(ours.keySet()).as("the same tests run").isEqualTo(theirs.keySet());
        assertThat(passed(ours)).as("what passes on the Disruptor").containsAll(passed(theirs));
        if (CHOSEN.equals(".*")) {
            assertThat(passed(theirs)).hasSizeGreaterThan(50);
        }
    }

    private static Set<String> passed(Map<String, String> results) {
        return results.keySet().stream()
                .filter(test -> results.get(test).equals("passed"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The names of the classes. An abstract one has no test of its own. */
    private static List<String> tests() throws IOException {
        try (JarFile jar = new JarFile(jars().stream()
                .filter(path -> path.getFileName().toString().matches("log4j-core-.*-tests\\.jar"))
                .findFirst()
                .orElseThrow()
                .toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.matches(PACKAGE + "\\w*Test\\w*\\.class") && !name.contains("Abstract"))
                    .map(name -> name.replace(".class", "").replace('/', '.'))
                    .filter(name -> name.substring(name.lastIndexOf('.') + 1).matches(CHOSEN))
                    .sorted()
                    .toList();
        }
    }

    /** What the tests of log4j need, but for a Disruptor. The build copies it. */
    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target", "log4j-tests").toAbsolutePath())) {
            return files.sorted().toList();
        }
    }

    private static String here() throws URISyntaxException {
        List<String> places = new ArrayList<>();
        for (Class<?> type : List.of(RingBuffer.class, SignalGroup.class, Agent.class)) {
            places.add(Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        return String.join(File.pathSeparator, places);
    }

    private Map<String, String> run(String test, String side, String disruptor) throws Exception {
        Path reports = folder.resolve(side).resolve(test);
        Files.createDirectories(reports);
        String classPath = jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator))
                + File.pathSeparator
                + disruptor;
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        "org.junit.platform.console.ConsoleLauncher",
                        "execute",
                        "--disable-banner",
                        "--details=none",
                        "--reports-dir=" + reports,
                        "--select-class=" + test)
                .directory(Files.createDirectories(reports.resolve("work")).toFile())
                .redirectErrorStream(true)
                .redirectOutput(reports.resolve("out.txt").toFile())
                .start();
        boolean ended;
        try {
            ended = process.waitFor(90, SECONDS);
        } finally {
            process.destroyForcibly();
        }
        Map<String, String> results = new TreeMap<>();
        if (!ended) {
            results.put(simple(test), "hung");
        }
        for (String report : List.of("TEST-junit-jupiter.xml", "TEST-junit-vintage.xml")) {
            Path file = reports.resolve(report);
            if (Files.exists(file)) {
                for (MatchResult one :
                        CASE.matcher(Files.readString(file)).results().toList()) {
                    results.put(simple(one.group(2)) + "." + one.group(1), result(one.group(3)));
                }
            }
        }
        return results;
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String result(@Nullable String inside) {
        MatchResult bad = inside == null
                ? null
                : BAD.matcher(inside).results().findFirst().orElse(null);
        return bad == null ? "passed" : bad.group(1) + " " + bad.group(2);
    }
}
