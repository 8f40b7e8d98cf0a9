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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
 * Disruptor's jar and once on this library, in turn. None passes less often here. {@code -Dsluice.log4j.tests=REGEX} takes those
 * classes only whose simple names match, {@code -Dsluice.log4j.times=N} runs each class so often on each jar.
 */
@Tag("slow")
@Tag("once")
class Log4jPublishedTest {
    private static final String PACKAGE = "org/apache/logging/log4j/core/async/";
    private static final String CHOSEN = System.getProperty("sluice.log4j.tests", ".*");
    private static final int TIMES = Integer.getInteger("sluice.log4j.times", 1);

    /** A test in a report: its name, its class, and what stands inside. */
    private static final Pattern CASE = Pattern.compile(
            "<testcase name=\"([^\"]*)\" classname=\"([^\"]*)\"[^>]*?(?:/>|>(.*?)</testcase>)", Pattern.DOTALL);

    private static final Pattern BAD = Pattern.compile("<(failure|error|skipped)([^>]{0,200})");

    @TempDir
    Path folder;

    @Test
    @Timeout(1_100)
    void noTestOfLog4jPassesLessOftenThanOnTheDisruptor() throws Exception {
        Map<String, List<String>> theirs = new TreeMap<>();
        Map<String, List<String>> ours = new TreeMap<>();
        for (String test : tests()) {
            for (int time = 0; time < TIMES; time++) {
                add(theirs, run(test, "theirs-" + time, Peer.jar().toString()));
                add(ours, run(test, "ours-" + time, here()));
            }
        }
        for (String test : theirs.keySet()) {
            if (passes(theirs.get(test)) < TIMES || passes(ours.get(test)) < TIMES) {
                System.out.println("log4j " + test + ": on the Disruptor " + Set.copyOf(theirs.get(test)) + ", here "
                        + Set.copyOf(ours.getOrDefault(test, List.of())));
            }
        }
        System.out.println("log4j: on the Disruptor " + passes(theirs) + " of " + theirs.size() * TIMES + " pass, here "
                + passes(ours) + " of " + ours.size() * TIMES);
        assertThat(ours.keySet()).as("the same tests run").isEqualTo(theirs.keySet());
        for (String test : theirs.keySet()) {
            assertThat(passes(ours.get(test))).as(test).isGreaterThanOrEqualTo(passes(theirs.get(test)));
        }
        assertThat(passes(theirs)).isPositive();
        if (CHOSEN.equals(".*")) {
            assertThat(passes(theirs)).isGreaterThan(50 * TIMES);
        }
    }

    private static void add(Map<String, List<String>> all, Map<String, String> results) {
        results.forEach((test, result) ->
                all.computeIfAbsent(test, name -> new ArrayList<>()).add(result));
    }

    private static int passes(Map<String, List<String>> all) {
        return all.values().stream().mapToInt(Log4jPublishedTest::passes).sum();
    }

    private static int passes(@Nullable List<String> results) {
        return results == null ? 0 : Collections.frequency(results, "passed");
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
