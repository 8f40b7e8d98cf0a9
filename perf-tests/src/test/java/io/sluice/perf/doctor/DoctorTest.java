package io.sluice.perf.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.UsageException;
import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Times;
import io.sluice.perf.doctor.Finding.Level;
import io.sluice.perf.report.Browser;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
                .as("two processors share a core")
                .contains("16 processors of 8 cores")
                .contains("7 threads may spin");
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

    private static RecordedTree server() throws IOException {
        return new RecordedTree("two-socket-server");
    }

    @Test
    void theQuotaOfAGroupAboveHoldsToo() throws Exception {
        RecordedTree tree = server().with("/proc/self/cgroup", "0::/pods/one/app")
                .with("/sys/fs/cgroup/pods/one/app/cpu.max", "max 100000")
                .with("/sys/fs/cgroup/pods/one/cpu.max", "250000 100000")
                .with("/sys/fs/cgroup/pods/one/cpu.stat", "nr_throttled 2\nthrottled_usec 3000")
                .with("/sys/fs/cgroup/pods/cpu.max", "800000 100000")
                .with("/sys/fs/cgroup/pods/one/app/memory.max", "max")
                .with("/sys/fs/cgroup/pods/memory.max", "1073741824")
                .with("/sys/fs/cgroup/pods/memory.high", "536870912");
        Finding quota = find(tree).get("CPU quota");
        assertThat(quota.level()).isEqualTo(Level.HINDERS);
        assertThat(quota.what())
                .contains("2.50 cores", "set in /sys/fs/cgroup/pods/one;", "throttled 2 times, 3 ms in all");
        assertThat(quota.why()).contains("here 1,500,000 ns each time");
        assertThat(find(tree).get("limits").what()).contains("limited to 1024 MiB", "from 512 MiB on");
        assertThat(find(tree).get("cores for spinners").what())
                .startsWith("16 processors of 8 cores, and a quota of 2.50: one producer and one consumer");
    }

    @Test
    void withoutTheControllerOfCpuTimeThereIsNoQuota() throws Exception {
        RecordedTree tree = new RecordedTree("laptop")
                .with("/proc/self/cgroup", "0::/user.slice/app")
                .with("/sys/fs/cgroup/cgroup.controllers", "memory pids")
                .with("/sys/fs/cgroup/user.slice/app/memory.current", "5");
        assertThat(find(tree).get("CPU quota").level()).isEqualTo(Level.FINE);
        assertThat(find(tree).get("limits").level()).isEqualTo(Level.FINE);
    }

    @Test
    void aPathThatLeadsOutOfTheContainerIsTheTop() throws Exception {
        RecordedTree tree = new RecordedTree("container").with("/proc/self/cgroup", "0::/../../host/box");
        assertThat(find(tree).get("CPU quota").what()).contains("1.50 cores");
    }

    @Test
    void anOldControllerIsFoundUnderAllItsNames() throws Exception {
        RecordedTree tree = new RecordedTree("minimal")
                .with("/proc/self/cgroup", "4:cpu,cpuacct:/")
                .with("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000")
                .with("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
        assertThat(find(tree).get("CPU quota").what()).contains("1.50 cores");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0-15; 0-127; 0-15; FINE", // processors that could be plugged in
                "0-15; 0-8191; 0-15; FINE", // the most that a kernel is built for
                "0-3,8-11; 0-15; 0-3,8-11; FINE", // some are offline
                "0-3,8-11; 2-9; 2-3,8-9 of 0-3,8-11; COSTS",
                "0-127; 64-67; 64-67 of 0-127; COSTS"
            })
    void onlyProcessorsThatAreOnlineAndAllowedCount(String online, String allowed, String said, Level level)
            throws Exception {
        RecordedTree tree = server().with("/sys/devices/system/cpu/online", online)
                .with("/proc/self/status", "Cpus_allowed_list:\t" + allowed);
        Finding limits = find(tree).get("limits");
        assertThat(limits.level()).isEqualTo(level);
        assertThat(limits.what()).endsWith("processors " + said);
        assertThat(Host.usable(tree)).isEqualTo(Lists.numbers(said.replaceFirst(" of .*", "")));
    }

    @ParameterizedTest
    @CsvSource({"always,HINDERS", "defer+madvise,FINE", "madvise,FINE", "defer,FINE"})
    void onlyAPageThatAFaultHasToMakeHinders(String defrag, Level level) throws Exception {
        RecordedTree tree = server().with("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never")
                .with(
                        "/sys/kernel/mm/transparent_hugepage/defrag",
                        "always defer defer+madvise madvise never "
                                .replace(" " + defrag + " ", " [" + defrag + "] ")
                                .replaceFirst("^always", defrag.equals("always") ? "[always]" : "always"));
        assertThat(find(tree).get("large pages").level()).isEqualTo(level);
    }

    @Test
    void sleepStatesAreListedAndMayAllBeOff() throws Exception {
        assertThat(find(server()).get("sleep states").what()).contains("(POLL 0 \u00b5s, C1 2 \u00b5s, C1E 10 \u00b5s");
        RecordedTree off = new RecordedTree("virtual-machine")
                .with("/sys/devices/system/cpu/cpu0/cpuidle/state0/name", "C6")
                .with("/sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "100")
                .with("/sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "1");
        assertThat(find(off).get("sleep states").what()).isEqualTo("all are switched off");
        RecordedTree deep = off.with("/sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0");
        assertThat(find(deep).get("sleep states").command()).endsWith("-D 20");
    }

    @Test
    void theCommandForTheKernelIsThatOfTheDistribution() throws Exception {
        RecordedTree laptop = new RecordedTree("laptop").with("/etc/os-release", "NAME=x\nID=fedora");
        assertThat(find(laptop).get("isolated cores").command())
                .startsWith("sudo grubby")
                .contains("isolcpus=1-7");
        laptop.with("/etc/os-release", "NAME=x\nID=pop\nID_LIKE=\"ubuntu debian\"");
        assertThat(find(laptop).get("isolated cores").command()).contains("/etc/default/grub", "isolcpus=1-7");
        assertThat(find(laptop).get("timer ticks").command()).contains("nohz_full=1-7", "update-grub");
    }

    @Test
    void theOnlyProcessorIsNotToBeIsolated() throws Exception {
        RecordedTree one = new RecordedTree("laptop")
                .with("/sys/devices/system/cpu/online", "0")
                .with("/proc/self/status", "Cpus_allowed_list:\t0");
        Map<String, Finding> found = find(one);
        assertThat(found.get("isolated cores").level()).isEqualTo(Level.COSTS);
        assertThat(found.get("timer ticks").level()).isEqualTo(Level.COSTS);
        assertThat(found.get("cores for spinners").what()).isEqualTo("1 processor: no thread may spin");
    }

    @Test
    void coresOfSeveralKindsAreToldApart() throws Exception {
        RecordedTree hybrid = new RecordedTree("laptop")
                .with("/sys/devices/cpu_core/cpus", "0-3")
                .with("/sys/devices/cpu_atom/cpus", "4-7");
        assertThat(find(hybrid).get("kinds of cores").what()).contains("0-3 are fast, 4-7 are slow");
        assertThat(find(hybrid).get("kinds of cores").command()).startsWith("taskset -c 0-3");
        RecordedTree phone = new RecordedTree("laptop");
        for (int processor = 0; processor < 8; processor++) {
            phone.with(Tree.ofProcessor(processor, "cpu_capacity"), processor < 6 ? "320" : "1024");
        }
        assertThat(find(phone).get("kinds of cores").what()).contains("6-7 are fast, 0-5 are slow");
        assertThat(find(server()).get("kinds of cores").level()).isEqualTo(Level.FINE);
    }

    @Test
    void aVirtualMachineIsSeenWithoutFlagsToo() throws Exception {
        RecordedTree arm = new RecordedTree("minimal").with("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd");
        assertThat(find(arm).get("virtualisation").level()).isEqualTo(Level.UNKNOWN);
        arm.with("/sys/class/dmi/id/sys_vendor", "QEMU").with("/sys/class/dmi/id/product_name", "virt-7.2");
        assertThat(find(arm).get("virtualisation").level()).isEqualTo(Level.COSTS);
        arm.with("/sys/class/dmi/id/sys_vendor", "Amazon EC2").with("/sys/class/dmi/id/product_name", "c7g.large");
        assertThat(find(arm).get("virtualisation").level()).isEqualTo(Level.COSTS);
        arm.with("/sys/class/dmi/id/product_name", "c7g.metal");
        assertThat(find(arm).get("virtualisation").level()).isEqualTo(Level.FINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"})
    void clocksThatNeedNoSystemCallAreFine(String clock) throws Exception {
        RecordedTree tree = server().with("/sys/devices/system/clocksource/clocksource0/current_clocksource", clock);
        assertThat(find(tree).get("clock").level()).isEqualTo(Level.FINE);
    }

    @Test
    void aNodeWithoutProcessorsIsMemoryAlone() throws Exception {
        RecordedTree tree = server().with("/sys/devices/system/node/node1/cpulist", "");
        assertThat(find(tree).get("NUMA").level()).isEqualTo(Level.COSTS);
        assertThat(find(tree).get("NUMA").what()).contains("node 1 has memory alone");
    }

    @Test
    void swapThatThisGroupMayNotUseIsFine() throws Exception {
        RecordedTree tree = new RecordedTree("laptop")
                .with("/proc/self/cgroup", "0::/")
                .with("/sys/fs/cgroup/memory.swap.max", "0");
        assertThat(find(tree).get("swap").level()).isEqualTo(Level.FINE);
    }

    @Test
    void interruptsAreSentToAProcessorThatIsNotIsolated() throws Exception {
        RecordedTree tree = server().with("/sys/devices/system/cpu/isolated", "0-7")
                .with("/proc/irq/25/effective_affinity_list", "2");
        assertThat(find(tree).get("interrupts").command()).contains("echo 8 | sudo tee");
        RecordedTree group = server().with("/sys/devices/system/cpu/isolated", "")
                .with("/sys/fs/cgroup/cpuset.cpus.isolated", "2-7");
        assertThat(find(group).get("isolated cores").level()).isEqualTo(Level.FINE);
    }

    @Test
    void smtThatCanNotBeSwitchedOffIsAvoided() throws Exception {
        RecordedTree tree = server().with("/sys/devices/system/cpu/smt/control", "notsupported");
        assertThat(find(tree).get("SMT").command()).startsWith("taskset -c 0-7");
        assertThat(find(server()).get("SMT").command()).startsWith("echo off");
        RecordedTree newer = new RecordedTree("minimal")
                .with("/sys/devices/system/cpu/online", "0-1")
                .with("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0-1")
                .with("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1");
        assertThat(find(newer).get("SMT").level()).isEqualTo(Level.HINDERS);
    }

    @Test
    void turboMayBeSetForEachProcessorAlone() throws Exception {
        RecordedTree tree = new RecordedTree("laptop")
                .with("/sys/devices/system/cpu/cpufreq/boost", "")
                .with("/sys/devices/system/cpu/cpufreq/policy0/boost", "0")
                .with("/sys/devices/system/cpu/cpufreq/policy1/boost", "1");
        assertThat(find(tree).get("turbo").level()).isEqualTo(Level.COSTS);
        assertThat(find(tree).get("turbo").why()).contains("policy*/boost");
    }

    @Test
    void noiseAndDistancesAreFindingsToo() throws Exception {
        Measured quiet = new Measured(new Measured.Late(9, 30, 60, 70, 80_000), null, 0, distances(50, 60, 55), null);
        Map<String, Finding> found = find(server(), quiet, JVM);
        assertThat(found.get("hiccups").level()).isEqualTo(Level.FINE);
        assertThat(found.get("core distances").level()).isEqualTo(Level.FINE);
        Measured loud =
                new Measured(new Measured.Late(9, 30, 60, 70, 4_000_000), null, 0, distances(150, 50, 140), null);
        found = find(server(), loud, JVM);
        assertThat(found.get("hiccups").level()).isEqualTo(Level.COSTS);
        assertThat(found.get("hiccups").why()).contains("up to 4 ms");
        assertThat(found.get("core distances").level()).isEqualTo(Level.HINDERS);
        assertThat(found.get("core distances").command()).startsWith("taskset -c 0,4");
        assertThat(found.get("core distances").why()).contains("100 ns more");
    }

    /** A try in which something else ran on one of the two is longer by milliseconds. */
    @Test
    void aDistanceIsTheLeastOfItsTries() throws Exception {
        Iterator<Double> tries =
                List.of(68_951.0, 61.0, Double.NaN, 60.0, 9_460.0).iterator();
        assertThat(Measured.least(tries::next)).isEqualTo(60);
        assertThat(tries).isExhausted();
        assertThat(Measured.least(() -> Double.NaN)).isNaN();
    }

    /** Of processors 0, 1 and 4: from 0 to 1, from 0 to 4, from 1 to 4. */
    private static Measured.Distances distances(double first, double second, double third) {
        return new Measured.Distances(
                List.of(0, 1, 4),
                List.of(
                        Arrays.asList(null, first, second),
                        Arrays.asList(first, null, third),
                        Arrays.asList(second, third, null)),
                0);
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
                .hasSize(21);
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

    private static final Effects EFFECTS = new Effects(
            new Effects.Stops(251, 900_000, 2_100, 4_000_000),
            new Effects.Stops(120, 500_000_000, 3_000_000, 8_000_000),
            new Measured.Late(200, 51_000, 70_000, 80_000, 190_000),
            new Effects.Work(6_000, 9_300, 6_100, 11_800, 5_900, 12_700),
            new Pages.Costs(131, 88, 240),
            1_234_000);

    /** What can be measured in a second stands with the finding that it is about, in nanoseconds and their multiples. */
    @Test
    void figuresStandBesideTheFindingsThatTheyBelongTo() throws Exception {
        Measured measured = new Measured(
                new Measured.Late(9, 30, 2_000, 80_000, 3_000_000),
                new Measured.Late(9, 60_000, 70_000, 80_000, 90_000),
                41,
                distances(50, 150, 140),
                EFFECTS);
        Map<String, Finding> found = find(new RecordedTree("laptop"), measured, JVM);
        Map<String, List<String>> expected = new LinkedHashMap<>();
        expected.put("governor", List.of("6 \u00b5s in a busy thread", "9.3 \u00b5s just after a pause"));
        expected.put("turbo", List.of("6.1 \u00b5s while all other cores"));
        expected.put("sleep states", List.of("p50 51 \u00b5s", "max 190 \u00b5s", "p50 60 \u00b5s", "50 to 150 ns"));
        expected.put("kinds of cores", List.of("5.9 \u00b5s on the fastest", "12.7 \u00b5s on the slowest"));
        expected.put("SMT", List.of("11.8 \u00b5s while its sibling"));
        expected.put("isolated cores", List.of("max 3 ms"));
        expected.put("timer ticks", List.of("251 times a second", "2.1 \u00b5s in the median", "900 \u00b5s of each"));
        expected.put("interrupts", List.of("4 ms at most"));
        expected.put("large pages", List.of("131 ns with small pages, 88 ns"));
        expected.put("clock", List.of("a look costs 41 ns"));
        expected.put("virtualisation", List.of("max 3 ms", "50 to 150 ns"));
        expected.put("steal time", List.of("1.23 ms of each second"));
        expected.put("heap pages", List.of("240 ns"));
        expected.put("cores for spinners", List.of("3 ms in the median, 8 ms at most"));
        expected.forEach(
                (topic, words) -> assertThat(found.get(topic).here()).as(topic).contains(words));
        assertThat(found.get("CPU quota").here()).isNotEmpty();
        assertThat(found.values())
                .filteredOn(finding -> finding.here().isEmpty())
                .extracting(Finding::topic)
                .as(
                        "nothing to measure: properties, sizes, and what other verbs measure; the last two are figures themselves")
                .containsExactlyInAnyOrder(
                        "NUMA", "swap", "limits", "JVM", "collector", "references", "hiccups", "core distances");
        Map<String, Finding> server = find(server(), measured, JVM);
        assertThat(server.get("NUMA").here())
                .isEqualTo("a cache line takes 50 ns one way within a node, 145 ns to another, in the mean");
        assertThat(server.get("CPU quota").here()).as("there is none").isEmpty();
        assertThat(find(server()).values()).allMatch(finding -> finding.here().isEmpty());
    }

    @Test
    void whatEachThingCostsIsMeasured() throws Exception {
        List<Integer> usable = Host.usable(Tree.below(Path.of("/")));
        Effects effects = Effects.here(usable.isEmpty() ? List.of(0) : usable, List.of(), () -> false);
        Effects.Work work = effects.work();
        assertThat(work.busy()).isPositive();
        assertThat(work.afterPause()).isPositive();
        assertThat(work.fastest()).isPositive().isLessThanOrEqualTo(work.slowest());
        assertThat(work.besideSibling()).as("none was named").isZero();
        assertThat(work.besideOthers() > 0).isEqualTo(usable.size() > 1);
        assertThat(effects.handOver().count()).isEqualTo(200);
        assertThat(effects.handOver().p50()).isPositive();
        assertThat(effects.stops().max()).isGreaterThanOrEqualTo(effects.stops().p50());
        assertThat(effects.stops().nanosASecond()).isLessThanOrEqualTo(1.1e9);
        assertThat(effects.stops().p50())
                .as("what is shorter is no stop")
                .matches(nanos -> nanos == 0 || nanos >= Effects.STOP_NANOS);
        assertThat(effects.slices().p50())
                .as("what is shorter is no slice")
                .matches(nanos -> nanos == 0 || nanos >= Effects.SLICE_NANOS);
        Pages.Costs pages = effects.pages();
        if (pages != null) {
            assertThat(pages.smallNanos()).isPositive();
            assertThat(pages.largeNanos()).isPositive();
            assertThat(pages.firstTouchNanos()).isPositive();
        }
        assertThat(Effects.here(List.of(0), List.of(), () -> true))
                .isEqualTo(new Effects(null, null, null, null, null, -1));
    }

    /** A clock that is read from a list: only what is as long as the least stop, or longer, is one; to write it down is none. */
    @Test
    void onlyATimeBetweenTwoLooksThatIsLongEnoughIsAStop() {
        long[] looks = {50, 1_049, 2_049, 9_000, 9_999, 10_998, 11_000, 17_000, 20_000, 20_050};
        AtomicInteger next = new AtomicInteger();
        Histogram stops = Times.histogram();
        Effects.look(() -> looks[next.getAndIncrement()], 20_000, 1_000, stops);
        assertThat(next).as("looked until the time was over").hasValue(looks.length);
        assertThat(stops.getTotalCount()).isEqualTo(2);
        assertThat(stops.getCountAtValue(1_000)).isEqualTo(1);
        assertThat(stops.getCountAtValue(6_000)).isEqualTo(1);
        assertThat(Effects.STOP_NANOS)
                .as("a microsecond: more than a look costs")
                .isEqualTo(1_000);
        assertThat(Effects.SLICE_NANOS).as("a tick of the clock is no slice").isEqualTo(100_000);
    }

    /** Two threads on one processor: while one runs the other stands still, so both are stopped for half of the time. */
    @Test
    void aThreadThatSharesItsProcessorIsSeenToWaitForIt() throws Exception {
        if (!Pinning.description().equals("pinned")) {
            return; // then the system may give each a processor
        }
        int first = Host.usable(Tree.below(Path.of("/"))).get(0);
        Effects.Stops stops = Effects.stops(List.of(first, first), 200_000_000, 100_000);
        assertThat(stops.aSecond()).isPositive();
        assertThat(stops.p50()).isGreaterThanOrEqualTo(100_000);
        assertThat(stops.nanosASecond()).isGreaterThan(100_000_000);
    }

    @Test
    void theWalkOverPagesIsOneCircleOfAllLines() {
        int[] next = Pages.circle(1_000);
        int at = 0;
        for (int steps = 1; steps <= 1_000; steps++) {
            at = next[at];
            assertThat(at == 0).as("after " + steps).isEqualTo(steps == 1_000);
        }
    }

    @Test
    void timeThatIsStolenIsTold() throws Exception {
        assertThat(Host.stolenNanos(server().with("/proc/stat", "cpu  1 2 3 4 5 6 7 12 0 0")))
                .isEqualTo(120_000_000);
        assertThat(Host.stolenNanos(new RecordedTree("minimal"))).isEqualTo(-1);
        Measured measured = new Measured(null, null, 0, null, EFFECTS).stolen(5);
        assertThat(measured.effects().stolenNanosASecond()).isEqualTo(5);
        assertThat(Measured.NOTHING.stolen(5)).isEqualTo(Measured.NOTHING);
    }

    @Test
    void thePageAndTheJsonHoldEachFindingAndTheDistanceOfEveryPair() throws Exception {
        Measured.Distances distances = new Measured.Distances(
                List.of(0, 1, 4),
                List.of(
                        Arrays.asList(null, 48.0, 121.0),
                        Arrays.asList(49.0, null, 122.0),
                        Arrays.asList(120.0, 119.0, null)),
                2);
        Measured measured = new Measured(null, null, 0, distances, EFFECTS);
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
                .contains("48 to 122 ns one way, 2 further processors left out")
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

    /** Few processors, and more than have room for figures. */
    @Test
    void thePictureOfTheDistancesCanBeReadOnAPhoneAndOnADeskInLightAndInDark(@TempDir Path folder) throws Exception {
        Optional<Browser> browser = Browser.find(folder);
        assumeTrue(browser.isPresent(), "no browser with a headless mode on the PATH");
        List<String> pages = new ArrayList<>();
        for (int processors : new int[] {2, 8, 64}) {
            pages.add(page(processors));
        }
        browser.orElseThrow().checkEverywhere(pages, 1);
    }

    private static String page(int processors) throws Exception {
        List<Integer> numbers = IntStream.range(0, processors).boxed().toList();
        Measured.Distances distances = new Measured.Distances(
                numbers,
                numbers.stream()
                        .map(row -> numbers.stream()
                                .map(column ->
                                        row.equals(column) ? null : Double.valueOf(48 + 3 * Math.abs(row - column)))
                                .collect(Collectors.toList())) // which may hold null
                        .toList(),
                0);
        Measured measured = new Measured(
                new Measured.Late(9, 30, 2_000, 80_000, 3_000_000),
                new Measured.Late(9, 60_000, 70_000, 80_000, 90_000),
                41,
                distances,
                EFFECTS);
        List<Finding> findings = Doctor.findings(server(), measured, JVM);
        Doctor.Result result = new Doctor.Result(
                "What stands between this machine and low latency",
                "2026-01-01",
                true,
                Doctor.summary(findings),
                Machine.own("./sluice doctor", "pinned", List.of()),
                findings,
                measured);
        return Doctor.html(result);
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
