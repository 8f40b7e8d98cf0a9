package io.sluice.ringbuffer.jfr;

import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The JFR events of a ring's slow paths; and none of them on a ring that has met none. */
@Tag("once")
@Timeout(60)
class RingJfrTest {
    @TempDir
    Path folder;

    private interface Body {
        void run() throws Exception;
    }

    private List<RecordedEvent> recorded(Body body) throws Exception {
        Path file = folder.resolve("ring.jfr");
        try (Recording recording = new Recording()) {
            for (String name : List.of("Park", "Stall", "Drop", "HandlerFailure", "Join", "Leave")) {
                recording.enable("io.sluice." + name).withoutThreshold();
            }
            recording.start();
            body.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> of(List<RecordedEvent> all, String name) {
        return all.stream()
                .filter(event -> event.getEventType().getName().equals("io.sluice." + name))
                .toList();
    }

    @Test
    void stallParkFailureJoinAndLeaveAreRecorded() throws Exception {
        List<RecordedEvent> all = recorded(() -> {
            RingBuffer<long[]> ring = Rings.ringBuilder(true, 4)
                    .name("orders")
                    .consumersIdle(() -> SignalledIdle.exact(1))
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> throwing = (event, sequence, endOfBatch) -> {
                throw new IllegalStateException("as planned");
            };
            pipeline.handleEventsWith(throwing);
            pipeline.settings(throwing).name("books");
            pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> {}));
            Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 6));
            Rings.await("a stall", () -> RingMonitor.of(ring).producersWaiting() == 1);
            pipeline.start();
            assertThat(waiter.result()).isNull();
            assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
            RingMonitor monitor = RingMonitor.of(ring);
            Rings.await("a park", () -> monitor.sample().consumer(0).parks() > 0);
            pipeline.close();
        });
        assertThat(of(all, "Stall")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("ring")).isEqualTo("orders");
            assertThat(event.getString("slowest")).isEqualTo("books");
            assertThat(event.getDuration("waited").toNanos()).isPositive();
        });
        assertThat(of(all, "Park")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getBoolean("exact")).isTrue();
            assertThat(event.getDuration().toNanos()).isPositive();
        });
        assertThat(of(all, "HandlerFailure"))
                .extracting(event -> event.getString("consumer") + " " + event.getLong("sequence") + " "
                        + event.getInt("attempt") + " " + event.getString("action") + " "
                        + event.getString("cause"))
                .contains("books 0 1 SKIP java.lang.IllegalStateException")
                .hasSize(6);
        assertThat(of(all, "Join"))
                .extracting(event -> event.getString("consumer") + " " + event.getLong("sequence"))
                .containsExactly("books -1");
        assertThat(of(all, "Leave"))
                .extracting(event -> event.getString("consumer") + " " + event.getLong("sequence"))
                .containsExactly("books 5");
    }

    @Test
    void theFastPathsRecordNothing() throws Exception {
        List<RecordedEvent> all = recorded(() -> {
            RingBuffer<long[]> ring = Rings.ring(true, 64);
            EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
            Producer<long[]> producer = ring.producer();
            for (int i = 0; i < 100; i++) {
                publish(producer, 60);
                poller.poll((event, sequence, endOfBatch) -> {}, 64);
            }
        });
        assertThat(all).isEmpty();
    }
}
