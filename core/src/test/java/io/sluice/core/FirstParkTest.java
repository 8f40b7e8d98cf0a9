package io.sluice.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.LoadedClasses;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thread's first park does not start JFR: that would keep the thread from its events for a tenth of a second. Only a JVM of its own
 * shows it.
 */
@Tag("once")
class FirstParkTest {
    @TempDir
    Path folder;

    @Test
    void theFirstParkTouchesNoEventOfJfr() throws Exception {
        assertThat(LoadedClasses.of(folder, Program.class))
                .contains("io.sluice.core.check.FlightRecording ", "parks 1")
                .doesNotContain("io.sluice.core.ParkEvent ");
    }

    @Test
    void aParkThatIsRecordedDoes() throws Exception {
        assertThat(LoadedClasses.of(folder, Program.class, "-XX:StartFlightRecording"))
                .contains("io.sluice.core.ParkEvent ", "parks 1");
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            SignalledIdle idle = SignalledIdle.exact(0);
            idle.idle();
            idle.deadline(System.nanoTime() + SECONDS.toNanos(1));
            idle.idle();
            System.out.println("parks " + idle.parks());
        }
    }
}
