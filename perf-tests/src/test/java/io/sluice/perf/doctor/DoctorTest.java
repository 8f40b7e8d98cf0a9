package io.sluice.perf.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.perf.doctor.Finding.Level;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On recorded systems of several kinds of machines: what is found there, and what is said to be unknown. */
@Tag("once")
class DoctorTest {
    private static final Runtimes.Jvm JVM = new Runtimes.Jvm(
            "a JVM 17", List.of("-Xms1g", "-XX:+AlwaysPreTouch"), List.of("G1 Young Generation"), "true", 1L << 30);

    private static Map<String, Finding> find(Tree tree) {
        return find(tree, Measured.NOTHING, JVM);
    }

    private static Map<String, Finding> find(Tree tree, Measured measured, Runtimes.Jvm jvm) {
        Map<String, Finding> found = new LinkedHashMap<>();
        for (Finding finding : Doctor.findings(tree, measured, jvm)) {
            assertThat(found.put(finding.topic(), finding)).as(finding.topic()).isNull();
        }
        return found;
    }

    private static Level level(Map<String, Finding> found, String topic) {
        return found.get(topic).level();
    }

    @Test
    void aTunedServerWithTwoSocketsHasItsSiblingsNodesSleepStatesAndStrayInterruptsTold() throws Exception {
        Map<String, Finding> found = find(new RecordedTree("two-socket-server"));
        assertThat(level(found, "governor")).isEqualTo(Level.FINE);
        assertThat(level(found, "turbo")).isEqualTo(Level.COSTS);
        assertThat(found.get("turbo").why()).contains("no_turbo");
        assertThat(level(found, "sleep states")).isEqualTo(Level.HINDERS);
        assertThat(found.get("sleep states").what()).contains("C6").contains("133 \u00b5s");
        assertThat(level(found, "SMT")).isEqualTo(Level.HINDERS);
        assertThat(found.get("SMT").what()).contains("0,8").contains("7,15");
        assertThat(level(found, "isolated cores")).isEqualTo(Level.FINE);
        assertThat(found.get("isolated cores").what()).contains("2-7");
        assertThat(level(found, "timer ticks")).isEqualTo(Level.FINE);
        assertThat(level(found, "interrupts")).isEqualTo(Level.HINDERS);
        assertThat(found.get("interrupts").what()).contains("25, 26").doesNotContain("24");
        assertThat(level(found, "NUMA")).isEqualTo(Level.HINDERS);
        assertThat(found.get("NUMA").what())
                .contains("node 1 has processors 4-7,12-15")
                .contains("10 21");
        assertThat(level(found, "large pages")).isEqualTo(Level.FINE);
        assertThat(found.get("large pages").what()).contains("madvise").contains("1024 huge pages");
        assertThat(level(found, "swap")).isEqualTo(Level.FINE);
        assertThat(level(found, "CPU quota")).isEqualTo(Level.FINE);
        assertThat(level(found, "limits")).isEqualTo(Level.FINE);
        assertThat(level(found, "clock")).isEqualTo(Level.FINE);
        assertThat(level(found, "virtualisation")).isEqualTo(Level.FINE);
        assertThat(level(found, "steal time")).isEqualTo(Level.FINE);
        assertThat(found.get("cores for spinners").what())
                .contains("16 processors")
                .contains("15 threads may spin");
    }

    @Test
    void aLaptopIsToldOfItsGovernorItsSwapItsPagesAndItsClock() throws Exception {
        Map<String, Finding> found = find(new RecordedTree("laptop"));
        assertThat(level(found, "governor")).isEqualTo(Level.HINDERS);
        assertThat(found.get("governor").what()).contains("powersave");
        assertThat(found.get("governor").command()).isEqualTo("sudo cpupower frequency-set -g performance");
        assertThat(level(found, "turbo")).isEqualTo(Level.FINE);
        assertThat(level(found, "sleep states"))
                .as("its deep state is switched off")
                .isEqualTo(Level.FINE);
        assertThat(found.get("sleep states").what()).contains("C1").contains("1 \u00b5s");
        assertThat(level(found, "SMT")).isEqualTo(Level.FINE);
        assertThat(level(found, "isolated cores")).isEqualTo(Level.HINDERS);
        assertThat(found.get("isolated cores").command()).contains("isolcpus=1-7");
        assertThat(level(found, "timer ticks")).isEqualTo(Level.HINDERS);
        assertThat(level(found, "interrupts")).isEqualTo(Level.COSTS);
        assertThat(level(found, "large pages")).isEqualTo(Level.HINDERS);
        assertThat(level(found, "swap")).isEqualTo(Level.HINDERS);
        assertThat(found.get("swap").what()).contains("8191 MiB").contains("swappiness 60");
        assertThat(level(found, "CPU quota")).isEqualTo(Level.UNKNOWN);
        assertThat(level(found, "clock")).isEqualTo(Level.HINDERS);
        assertThat(found.get("clock").command()).contains("echo tsc");
    }

    @Test
    void aVirtualMachineIsToldWhatItsHostHidesAndTakes() throws Exception {
        Map<String, Finding> found = find(new RecordedTree("virtual-machine"));
        assertThat(level(found, "governor")).isEqualTo(Level.UNKNOWN);
        assertThat(level(found, "turbo")).isEqualTo(Level.UNKNOWN);
        assertThat(level(found, "sleep states")).isEqualTo(Level.UNKNOWN);
        assertThat(level(found, "interrupts")).isEqualTo(Level.UNKNOWN);
        assertThat(level(found, "SMT")).isEqualTo(Level.HINDERS);
        assertThat(level(found, "CPU quota")).isEqualTo(Level.FINE);
        assertThat(level(found, "limits"))
                .as("a limit beyond all memory is none")
                .isEqualTo(Level.FINE);
        assertThat(level(found, "clock")).isEqualTo(Level.COSTS);
        assertThat(level(found, "virtualisation")).isEqualTo(Level.COSTS);
        assertThat(found.get("virtualisation").what()).contains("xen");
        assertThat(level(found, "steal time")).isEqualTo(Level.COSTS);
        assertThat(found.get("steal time").what()).startsWith("4.76 %");
        assertThat(level(found, "cores for spinners")).isEqualTo(Level.COSTS);
    }

    @Test
    void aContainerIsToldOfItsQuotaAndHowOftenItStoodStill() throws Exception {
        Map<String, Finding> found = find(new RecordedTree("container"));
        assertThat(level(found, "CPU quota")).isEqualTo(Level.HINDERS);
        assertThat(found.get("CPU quota").what()).contains("1.50 cores").contains("throttled 37 times, 1850 ms in all");
        assertThat(level(found, "limits")).isEqualTo(Level.COSTS);
        assertThat(found.get("limits").what())
                .contains("in a container")
                .contains("limited to 2048 MiB")
                .contains("processors 4-5 of 0-31");
        assertThat(found.get("cores for spinners").what()).startsWith("2 processors");
    }

    @Test
    void aQuotaOfTheOldCgroupsIsFoundInItsOwnFolder() throws Exception {
        RecordedTree tree = new RecordedTree("virtual-machine")
                .with("/proc/self/cgroup", "4:cpu,cpuacct:/box\n1:memory:/")
                .with("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000")
                .with("/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000")
                .with("/sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 7000000");
        Finding quota = find(tree).get("CPU quota");
        assertThat(quota.level()).isEqualTo(Level.HINDERS);
        assertThat(quota.what()).contains("0.50 cores").contains("4 times, 7 ms");
    }

    @Test
    void whatASystemDoesNotTellIsSaid() throws Exception {
        Map<String, Finding> found =
                find(new RecordedTree("minimal"), Measured.NOTHING, new Runtimes.Jvm("?", List.of(), List.of(), "", 1));
        assertThat(found.values().stream()
                        .filter(finding -> finding.level() != Level.UNKNOWN)
                        .map(Finding::topic))
                .containsExactly("JVM", "heap pages");
        assertThat(found.values())
                .filteredOn(finding -> finding.level() == Level.UNKNOWN)
                .hasSize(18);
    }

    @ParameterizedTest
    @ValueSource(strings = {"two-socket-server", "laptop", "virtual-machine", "container", "minimal"})
    void whatHindersHasAReasonAndACommandAndTheSummaryCountsAll(String name) throws Exception {
        List<Finding> findings = Doctor.findings(new RecordedTree(name), Measured.NOTHING, JVM);
        for (Finding finding : findings) {
            boolean hinders = finding.level() == Level.HINDERS;
            assertThat(finding.what()).isNotBlank();
            assertThat(finding.why().isEmpty()).as(finding.topic()).isEqualTo(finding.level() == Level.FINE);
            assertThat(finding.command().isEmpty()).as(finding.topic()).isEqualTo(!hinders);
        }
        long counted = Arrays.stream(Level.values())
                .mapToLong(level -> Finding.count(findings, level))
                .sum();
        assertThat(counted).isEqualTo(findings.size());
        assertThat(Doctor.summary(findings))
                .startsWith("Of " + findings.size() + " things, " + Finding.count(findings, Level.HINDERS));
    }

    @Test
    void figuresStandBesideTheFindingsThatTheyBelongTo() throws Exception {
        Measured measured = new Measured(
                new Measured.Late(9, 30, 2_000, 80_000, 3_000_000),
                new Measured.Late(9, 60_000, 70_000, 80_000, 90_000),
                41,
                1.72,
                null);
        Map<String, Finding> found = find(new RecordedTree("laptop"), measured, JVM);
        assertThat(found.get("governor").what()).contains("1.72 times as long");
        assertThat(found.get("sleep states").what()).contains("p50 60 \u00b5s");
        assertThat(found.get("isolated cores").what()).contains("max 3 ms");
        assertThat(found.get("clock").what()).contains("a look costs 41 ns");
    }

    @Test
    void thePageAndTheJsonHoldEachFindingAndTheDistanceOfEveryPair() throws Exception {
        Measured.Distances distances = new Measured.Distances(
                List.of(0, 1, 4),
                List.of(
                        Arrays.asList(null, 48.0, 121.0),
                        Arrays.asList(49.0, null, 122.0),
                        Arrays.asList(120.0, 119.0, null)));
        Measured measured = new Measured(null, null, 0, 0, distances);
        List<Finding> findings = Doctor.findings(new RecordedTree("laptop"), measured, JVM);
        Doctor.Result result = new Doctor.Result(
                "title",
                "2026-01-01",
                true,
                Doctor.summary(findings),
                Machine.own("./sluice doctor", "pinned", List.of()),
                findings,
                measured);
        String html = Doctor.html(result);
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        html.replace("<!DOCTYPE html>", "").getBytes(StandardCharsets.UTF_8)));
        assertThat(html)
                .contains("0 to 4: 121 ns")
                .contains("48 to 122 ns one way")
                .doesNotContain("<script");
        String json = Json.text(result);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Doctor.print(result, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String text = bytes.toString(StandardCharsets.UTF_8);
        for (Finding finding : findings) {
            assertThat(html).contains(">" + finding.topic() + "<");
            assertThat(json).contains("\"topic\" : \"" + finding.topic() + "\"");
            assertThat(text).contains(finding.level().words + ": " + finding.topic() + ": ");
        }
        assertThat(json).contains("121.0");
        assertThat(text).contains("    0    .   48  121\n").endsWith(result.summary() + "\n");
    }

    @Test
    void listsOfProcessorsAreReadAndWritten() {
        assertThat(Lists.numbers("0-2,5,8-9")).containsExactly(0, 1, 2, 5, 8, 9);
        assertThat(Lists.text(List.of(0, 1, 2, 5, 8, 9))).isEqualTo("0-2,5,8-9");
        assertThat(Lists.numbers("")).isEmpty();
        assertThat(Lists.numbers("3-1")).isEmpty();
        assertThat(Lists.numbers("0-99999999")).isEmpty();
        assertThat(Lists.numbers("1;2")).isEmpty();
    }

    @Test
    void thisMachineIsExaminedAndWritten(@TempDir Path folder) throws Exception {
        Tree here = Tree.below(Path.of("/"));
        assertThat(Tree.below(folder).text("/proc/stat")).isEmpty();
        assertThat(Tree.below(folder).names("/proc")).isEmpty();
        assertThat(Doctor.findings(here, Measured.NOTHING, JVM)).hasSizeGreaterThan(15);
        List<Integer> two = here.processors().size() > 1 ? here.processors().subList(0, 2) : List.of(0);
        Measured.Distances distances = Measured.distances(two, () -> false);
        assertThat(distances.lines()).hasSize(two.size() + 1);
        assertThat(distances.values()[0][0]).isNaN();
    }

    @Test
    void badUsageIsRefused(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> new Doctor().run(List.of("--seconds", "0")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("1 to 3600");
        assertThatThrownBy(() -> new Doctor().run(List.of("--json", file + "/below")))
                .isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> new Doctor().run(List.of("--fix"))).hasMessageContaining("--seconds");
    }
}
