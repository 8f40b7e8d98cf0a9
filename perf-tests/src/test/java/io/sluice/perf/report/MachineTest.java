package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
    private static final Clock CLOCK = new Clock("tsc", 20, 10);

    @TempDir
    Path folder;

    @Test
    void thisMachineIsDescribed() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"));
        Machine machine = Machine.here(
                List.of(jdk), List.of("-XX:+UseSerialGC"), "./sluice x", "pinned", List.of("Agrona ManyToOne"));
        assertThat(machine.cpu()).isNotBlank();
        assertThat(machine.cores()).isPositive();
        assertThat(machine.kernel()).startsWith(System.getProperty("os.name"));
        assertThat(machine.jvms()).singleElement().satisfies(jvm -> {
            assertThat(jvm.name()).contains(System.getProperty("java.runtime.version"));
            assertThat(jvm.vendor()).isEqualTo(System.getProperty("java.vendor"));
            assertThat(jvm.collector()).isEqualTo("Serial");
            assertThat(jvm.flags()).containsExactly("-XX:+UseSerialGC");
        });
        assertThat(machine.clock().callNanos()).isPositive();
        assertThat(machine.clock().stepNanos()).isPositive();
        assertThat(machine.libraries()).extracting(Library::name).containsExactly("Agrona");
        assertThat(machine.facts())
                .containsKeys(
                        "Sluice", "processor", "system", "JVM", "clock", "libraries", "threads", "load at the start");
        assertThat(machine.facts().get("JVM"))
                .contains(System.getProperty("java.vendor"), "collector Serial", "flags -XX:+UseSerialGC");
        assertThat(machine.facts().get("clock")).containsPattern("\\d ns a call, smallest step \\d+ ns");
    }

    @Test
    void theVersionOfTheSourceTreeIsThatOfItsPom() throws Exception {
        Files.writeString(folder.resolve("pom.xml"), "<project><version>9.8.7</version><version>1</version></project>");
        assertThat(Machine.version(folder)).isEqualTo("9.8.7");
        assertThat(Machine.version(null)).isNotBlank();
        assertThat(Machine.commit(null)).startsWith("not known");
        assertThat(Machine.commit(folder)).startsWith("not known");
    }

    @Test
    void processorsOfOneNameAreToldApart() {
        assertThat(Machine.cpuModel(List.of(
                        "processor\t: 0",
                        "cpu family\t: 25",
                        "model\t\t: 17",
                        "model name\t: AMD EPYC",
                        "model\t\t: 3")))
                .isEqualTo("AMD EPYC, family 25, model 17");
        assertThat(Machine.cpuModel(List.of("BogoMIPS : 243"))).isEqualTo(System.getProperty("os.arch"));
    }

    @Test
    void aProgramThatIsNotThereIsSaidAndNotFatal() throws Exception {
        assertThat(Jvm.of(folder, List.of()).name()).contains("does not tell");
    }

    @Test
    void aLoadThatDisturbsIsSaid() {
        assertThat(loaded(0.1).load()).isEqualTo("load at the start: 0.10 on 2 cores");
        assertThat(loaded(0.1).facts()).containsEntry("load at the start", "0.10 on 2 cores");
        assertThat(loaded(1.5).load()).contains("1.50", "disturbs");
        assertThat(loaded(0.1).disturbed()).isFalse();
        assertThat(loaded(1.5).disturbed()).isTrue();
        assertThat(loaded(-1).disturbed()).as("not known").isFalse();
        assertThat(loaded(-1).load()).contains("not known");
    }

    private static Machine loaded(double load) {
        return new Machine("", 2, "", List.of(), CLOCK, "", "", List.of(), "", load, "");
    }
}
