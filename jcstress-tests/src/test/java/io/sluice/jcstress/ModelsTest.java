package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tlc2.TLC;

/**
 * Runs TLC over the models, two at a time: the right ones hold in at least so many states; each broken one is found, by what
 * is named beside it.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(900) // each waits for its turn, too
class ModelsTest {
    private static final int HOLDS = 0;
    private static final int DEADLOCK = 11;
    private static final int INVARIANT = 12;
    private static final int LIVENESS = 13;

    private static final int LIMIT_SECONDS = 300;

    /** So many states take long enough for C2 to pay. */
    private static final long LARGE = 100_000;

    private static final Path MODELS = Path.of("").toAbsolutePath().resolveSibling("models");
    private static final Pattern STATES =
            Pattern.compile("(?m)^\\d+ states generated, (\\d+) distinct states found, 0 states left on queue");

    @TempDir
    private static Path work;

    private static final Map<String, Future<Run>> RUNS = new LinkedHashMap<>();
    private static final ExecutorService TWO = Executors.newFixedThreadPool(2);

    @BeforeAll
    static void runAll() {
        for (String row : rows()) {
            String[] words = row.split(",", -1);
            String expected = words[2].strip();
            boolean large = expected.matches("\\d+") && Long.parseLong(expected) >= LARGE;
            RUNS.put(words[1].strip(), TWO.submit(() -> tlc(words[0].strip(), words[1].strip(), large)));
        }
    }

    @AfterAll
    static void end() throws InterruptedException {
        TWO.shutdownNow();
        assertThat(TWO.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** All rows of all tests, those that hold first: they take longest. */
    private static List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (Method method : ModelsTest.class.getDeclaredMethods()) {
            CsvSource source = method.getAnnotation(CsvSource.class);
            if (source != null) {
                rows.addAll(method.getName().equals("theModelHolds") ? 0 : rows.size(), List.of(source.value()));
            }
        }
        return rows;
    }

    @ParameterizedTest
    @CsvSource({
        "LifeCycle, LifeCycle-multi, 160000",
        "SignalledIdle, SignalledIdle, 35000",
        "SignalGroup, SignalGroup-cut-off, 980000",
        "SignalGroup, SignalGroup, 54000",
        "SignalGroup, SignalGroup-two-publishers, 420000",
        "SignalGroup, SignalGroup-added, 147000",
        "Ring, Ring, 38000",
        "Ring, Ring-capacity-1, 5900",
        "LifeCycle, LifeCycle-multi-capacity-1, 7200",
        "LifeCycle, LifeCycle-single, 12000",
        "LifeCycle, LifeCycle-single-capacity-1, 3000",
        "Joining, Joining, 105000",
        "Joining, Joining-retained, 89000",
        "Joining, Joining-chain, 77000",
        "Joining, Joining-three-levels, 287000",
        "Joining, Joining-again, 189000",
        "Joining, Joining-deaths, 171000",
        "Joining, Joining-not-started, 80000",
        "Joining, Joining-behind-not-started, 135000",
        "Recovery, Recovery, 97000",
        "Recovery, Recovery-untracked, 2400",
        "Recovery, Recovery-parks, 11000",
        "Recovery, Recovery-parks-capacity-1, 5000",
        "Recovery, Recovery-parks-tracked, 22000",
        "Recovery, Recovery-owners-abort, 161000",
        "WorkerPoolState, WorkerPoolState, 18000",
        "WorkerPoolState, WorkerPoolState-three, 63000",
        "WorkerPoolState, WorkerPoolState-coming-and-going, 97000",
        "WorkerPoolState, WorkerPoolState-failing, 12000"
    })
    void theModelHolds(String module, String config, long leastStates) throws Exception {
        Run run = runOf(config);
        assertThat(run.status).as(run.output).isEqualTo(HOLDS);
        Matcher states = STATES.matcher(run.output);
        assertThat(states.find()).as(run.output).isTrue();
        long found = Long.parseLong(states.group(1));
        System.out.println("model " + config + ": " + found + " distinct states");
        assertThat(found).isGreaterThanOrEqualTo(leastStates);
    }

    @ParameterizedTest
    @CsvSource({
        "SignalledIdle, SignalledIdle-no-publisher-fence, deadlock",
        "SignalledIdle, SignalledIdle-no-runner-fence, deadlock",
        "SignalledIdle, SignalledIdle-no-second-cycle, deadlock",
        "SignalledIdle, SignalledIdle-lowered-after-the-look, deadlock",
        "SignalGroup, SignalGroup-wakes-one, deadlock",
        "SignalGroup, SignalGroup-lowered-after-the-look, deadlock",
        "SignalGroup, SignalGroup-raised-by-the-first, deadlock",
        "SignalGroup, SignalGroup-added-not-raised, deadlock",
        "SignalGroup, SignalGroup-raised-before-the-list, deadlock",
        "SignalGroup, SignalGroup-signalled-not-unparked, deadlock",
        "Ring, Ring-no-room-check, NeverMoreThanCapacity",
        "Ring, Ring-claim-without-cas, ClaimsAreUnique",
        "Ring, Ring-stamps-without-laps, NothingWrong",
        "Ring, Ring-mark-after-publication, NothingWrong",
        "Ring, Ring-progress-before-reading, NothingWrong",
        "Ring, Ring-dependent-follows-publication, NeverOvertakes",
        "LifeCycle, LifeCycle-multi-closed-beside-the-claim-word, DrainIsExact",
        "LifeCycle, LifeCycle-multi-silent-death, liveness",
        "LifeCycle, LifeCycle-single-owner-after-the-look, DrainIsExact",
        "LifeCycle, LifeCycle-single-producer-not-asked, DrainIsExact",
        "LifeCycle, LifeCycle-single-silent-death, liveness",
        "LifeCycle, LifeCycle-single-sibling-stops-at-once, SiblingsFinish",
        "Joining, Joining-no-second-look, NothingOverwritten",
        "Joining, Joining-hold-not-awaited, NeverOvertakes",
        "Joining, Joining-released-before-the-list, NothingOverwritten",
        "Joining, Joining-only-the-last-gates, SomebodyGates",
        "Joining, Joining-followed-need-not-gate, NothingOverwritten",
        "Joining, Joining-dependent-not-told, NeverOvertakes",
        "Joining, Joining-retained-base-forgotten, NothingOverwritten",
        "Joining, Joining-own-wish-forgotten, NeverOvertakes",
        "Recovery, Recovery-abort-without-cas, OneOfBothWins",
        "Recovery, Recovery-publish-without-cas, OneOfBothWins",
        "Recovery, Recovery-event-kept, NothingWrong",
        "Recovery, Recovery-event-after-the-look, NothingWrong",
        "Recovery, Recovery-mark-after-release, NothingWrong",
        "Recovery, Recovery-owner-not-named, deadlock",
        "Recovery, Recovery-untracked-living-owner, OneOfBothWins",
        "Recovery, Recovery-up-to-not-bound, NothingWrong",
        "Recovery, Recovery-untracked-up-to-not-bound, deadlock",
        "Recovery, Recovery-parks-look-put-off, deadlock",
        "Recovery, Recovery-parks-no-room-behind, deadlock",
        "Recovery, Recovery-owners-abort-without-lock, AbortingIsOnRecord",
        "Recovery, Recovery-cut-off-not-finished, AbortingIsOnRecord",
        "WorkerPoolState, WorkerPoolState-taken-without-cas, NothingWrong",
        "WorkerPoolState, WorkerPoolState-barrier-not-asked, NothingWrong",
        "WorkerPoolState, WorkerPoolState-mark-not-fenced, StandsBeforeTheGap",
        "WorkerPoolState, WorkerPoolState-mark-without-lap, ProgressIsDone",
        "WorkerPoolState, WorkerPoolState-marked-early, ProgressIsDone",
        "WorkerPoolState, WorkerPoolState-moved-without-cas, NothingWrong",
        "WorkerPoolState, WorkerPoolState-looks-once, StandsBeforeTheGap"
    })
    void theBrokenModelIsFound(String module, String config, String violated) throws Exception {
        Run run = runOf(config);
        switch (violated) {
            case "deadlock" -> {
                assertThat(run.output).contains("Deadlock reached");
                assertThat(run.status).as(run.output).isEqualTo(DEADLOCK);
            }
            case "liveness" -> {
                assertThat(run.output).contains("Temporal properties were violated");
                assertThat(run.status).as(run.output).isEqualTo(LIVENESS);
            }
            default -> {
                assertThat(run.output).contains("Invariant " + violated + " is violated");
                assertThat(run.status).as(run.output).isEqualTo(INVARIANT);
            }
        }
    }

    /** A configuration that no test names would never be run. */
    @Test
    void everyConfigurationIsRun() throws Exception {
        Set<String> named = new TreeSet<>();
        for (String row : rows()) {
            named.add(row.split(",", -1)[1].strip() + ".cfg");
        }
        Set<String> present = new TreeSet<>();
        try (Stream<Path> files = Files.list(MODELS)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".cfg"))
                    .forEach(present::add);
        }
        assertThat(present).isEqualTo(named);
    }

    private record Run(int status, String output) {}

    private static Run runOf(String config) throws Exception {
        return Objects.requireNonNull(RUNS.get(config), config).get();
    }

    private static Run tlc(String module, String config, boolean large) throws IOException, InterruptedException {
        Path folder = Files.createDirectory(work.resolve(config));
        Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
        File output = folder.resolve("output").toFile();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=" + (large ? 4 : 1),
                        // TLC unpacks its standard modules there and deletes them at its end,
                        // so two must not share a folder
                        "-Djava.io.tmpdir=" + unpacked,
                        "-cp",
                        jarOf(TLC.class),
                        TLC.class.getName(),
                        "-metadir",
                        folder.toString(),
                        "-workers",
                        "1",
                        "-config",
                        config + ".cfg",
                        module + ".tla")
                .directory(MODELS.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("TLC ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(output.toPath(), StandardCharsets.UTF_8));
    }

    private static String jarOf(Class<?> type) {
        return Path.of(java.net.URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }
}
