package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
    @TempDir
    Path folder;

    @Test
    void thisMachineIsDescribed() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"));
        Machine machine = Machine.here(List.of(jdk), null, "./sluice x", "pinned");
        assertThat(machine.cpu()).isNotBlank();
        assertThat(machine.cores()).isPositive();
        assertThat(machine.kernel()).startsWith(System.getProperty("os.name"));
        assertThat(machine.jvms()).singleElement().asString().contains(System.getProperty("java.vm.version"));
        assertThat(machine.commit()).startsWith("not known");
        assertThat(Machine.here(List.of(), folder, "", "").commit()).startsWith("not known");
    }

    @Test
    void aProgramThatIsNotThereIsSaidAndNotFatal() throws Exception {
        assertThat(Machine.jvm(folder)).contains("does not tell");
    }

    @Test
    void aLoadThatDisturbsIsSaid() {
        Machine quiet = new Machine("", 2, "", List.of(), "", "", 0.1, "");
        assertThat(quiet.load()).isEqualTo("load at the start: 0.10 on 2 cores");
        assertThat(new Machine("", 2, "", List.of(), "", "", 1.5, "").load()).contains("1.50", "disturbs");
        assertThat(new Machine("", 2, "", List.of(), "", "", -1, "").load()).contains("not known");
    }
}
