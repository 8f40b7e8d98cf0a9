package io.sluice.backpressure.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
class WaterMarkEventTest {
    @TempDir
    Path folder;

    @Test
    void theMarksAreRecorded() throws IOException {
        AdmissionGate gate =
                AdmissionGate.builder(100, 1, 1, new VirtualClock(0)).build();
        Path file = folder.resolve("gate.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.sluice.WaterMark");
            recording.start();
            for (int i = 0; i < 80; i++) {
                gate.tryEnter();
            }
            for (int i = 0; i < 80; i++) {
                gate.exit();
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .extracting(event ->
                        event.getBoolean("high") + " " + event.getLong("inside") + " of " + event.getLong("bound"))
                .containsExactly("true 70 of 100", "false 50 of 100");
    }
}
