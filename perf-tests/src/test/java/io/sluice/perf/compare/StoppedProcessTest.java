package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that never rests takes no processor time while it is stopped, and goes on afterwards. */
@Tag("once")
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class StoppedProcessTest {

    @Test
    void aStoppedProcessDoesNothingAndGoesOn() throws Exception {
        Process spinning = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Spins.class.getName())
                .start();
        try {
            assertThat(spinning.getInputStream().read()).isEqualTo('s');
            StoppedProcess.stop(spinning.pid());
            awaitStopped(spinning.pid());
            Duration used = used(spinning);
            long end = System.nanoTime() + Duration.ofMillis(300).toNanos();
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertThat(used(spinning)).isEqualTo(used);
            StoppedProcess.goOn(spinning.pid());
            while (used(spinning).equals(used)) {
                Thread.onSpinWait();
            }
        } finally {
            spinning.destroyForcibly().waitFor();
        }
    }

    private static Duration used(Process process) {
        return process.info().totalCpuDuration().orElseThrow();
    }

    /** The signal has arrived when the system says so: the state is the first word behind the name in parentheses. */
    private static void awaitStopped(long process) throws IOException {
        Path stat = Path.of("/proc", Long.toString(process), "stat");
        String line;
        do {
            line = java.nio.file.Files.readString(stat);
        } while (line.charAt(line.lastIndexOf(')') + 2) != 'T');
    }

    @Test
    void aProcessThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> StoppedProcess.stop(Integer.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessage("process 2147483647 must take signal 19, but does not");
    }

    /** What the other process runs. */
    static final class Spins {
        private Spins() {}

        public static void main(String[] arguments) {
            System.out.print('s');
            System.out.flush();
            while (true) {
                Thread.onSpinWait();
            }
        }
    }
}
