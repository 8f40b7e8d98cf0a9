package io.sluice.backpressure.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.VirtualClock;
import io.sluice.testing.LoadedClasses;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first mark that a gate crosses does not start JFR: that would keep the request from its service for a tenth of a second. Only a
 * JVM of its own shows it.
 */
@Tag("once")
class FirstMarkTest {
    private static final String EVENT = "io.sluice.backpressure.admission.WaterMarkEvent ";

    @TempDir
    Path folder;

    @Test
    void theFirstMarksTouchNoEventOfJfr() throws Exception {
        assertThat(LoadedClasses.of(folder, Program.class)).contains("marks 2").doesNotContain(EVENT);
    }

    @Test
    void marksThatAreRecordedDo() throws Exception {
        assertThat(LoadedClasses.of(folder, Program.class, "-XX:StartFlightRecording"))
                .contains("marks 2", EVENT);
    }

    static final class Program implements WaterMarkHandler {
        private int marks;

        public static void main(String[] args) {
            Program program = new Program();
            AdmissionGate gate = AdmissionGate.builder(10, 1, 1, new VirtualClock(0))
                    .waterMarks(0.5, 0.7, program)
                    .build();
            for (int i = 0; i < 10; i++) {
                gate.tryEnter();
            }
            for (int i = 0; i < 10; i++) {
                gate.exit();
            }
            System.out.println("marks " + program.marks);
        }

        @Override
        public void onHighWater(long inside, long bound) {
            marks++;
        }

        @Override
        public void onLowWater(long inside, long bound) {
            marks++;
        }
    }
}
