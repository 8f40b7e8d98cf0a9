package io.sluice.ringbuffer.jfr;

import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
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

    /** Whoever reads recordings relies on these. */
    @Test
    void namesLabelsAndFieldsOfTheEventsStay() throws Exception {
        RingEvents.recordsStalls();
        RingEvents.recordsDrops();
        try (Recording recording = new Recording()) {
            recording.start();
            RingEvents.joined("r", "c", 1);
            RingEvents.left("r", "c", 1);
            RingEvents.claimAborted("r", "t", 1, 1);
            RingEvents.failed("r", "c", new IllegalStateException("as planned"), 1, 1, FailurePolicy.Action.HALT);
            assertThat(RingEvents.recordsStalls() && RingEvents.recordsDrops()).isTrue();
        }
        List<String> described = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith("io.sluice."))
                .filter(type -> !type.getName().equals("io.sluice.Park"))
                .sorted(Comparator.comparing(EventType::getName))
                .map(RingJfrTest::described)
                .distinct() // another test may have loaded the library a second time
                .toList();
        assertThat(described)
                .containsExactly(
                        "io.sluice.ClaimAborted 'Claim Aborted' [Sluice, Ring] An abandoned claim was aborted on its owner's behalf:"
                                + " java.lang.String ring 'Ring', java.lang.String owner 'Owner', long lowest 'Lowest sequence',"
                                + " long events 'Events'",
                        "io.sluice.Drop 'Drop' [Sluice, Ring] Events were dropped, since the ring was full: new ones by a publisher,"
                                + " or the oldest by a consumer: java.lang.String ring 'Ring', java.lang.String slowest 'Slowest"
                                + " consumer', long events 'Events'",
                        "io.sluice.HandlerFailure 'Handler failure' [Sluice, Consumers] A handler threw: java.lang.String ring 'Ring',"
                                + " java.lang.String consumer 'Consumer', long sequence 'Sequence', int attempt 'Attempt',"
                                + " java.lang.String action 'Action', java.lang.String cause 'Cause', java.lang.String message"
                                + " 'Message', java.lang.String stack 'Stack'",
                        "io.sluice.Join 'Join' [Sluice, Consumers] A consumer began: java.lang.String ring 'Ring', java.lang.String"
                                + " consumer 'Consumer', long sequence 'Sequence'",
                        "io.sluice.Leave 'Leave' [Sluice, Consumers] A consumer has ended: java.lang.String ring 'Ring',"
                                + " java.lang.String consumer 'Consumer', long sequence 'Sequence'",
                        "io.sluice.Stall 'Stall' [Sluice, Producers] A producer waited for room: java.lang.String ring 'Ring',"
                                + " java.lang.String slowest 'Slowest consumer', long waited 'Waited'");
    }

    private static String described(EventType type) {
        assertThat(type.getSettingDescriptors())
                .filteredOn(setting -> setting.getName().equals("stackTrace"))
                .singleElement()
                .satisfies(setting -> assertThat(setting.getDefaultValue()).isEqualTo("false"));
        String own = type.getFields().stream()
                .filter(field -> !Set.of("startTime", "duration", "eventThread", "stackTrace")
                        .contains(field.getName()))
                .map(field -> field.getTypeName() + " " + field.getName() + " '" + field.getLabel() + "'")
                .collect(Collectors.joining(", "));
        return type.getName() + " '" + type.getLabel() + "' " + type.getCategoryNames() + " " + type.getDescription()
                + ": " + own;
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
            pipeline.handleEventsWith(pipeline.consumer("books", throwing));
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

    /** One is called before it is closed, one is not, and one begins. */
    @Test
    void whoHasNotBegunDoesNotLeaveEither() throws Exception {
        List<RecordedEvent> all = recorded(() -> {
            RingBuffer<long[]> ring = Rings.ring(true, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
            pipeline.handleEventsWith(
                    pipeline.consumer("called", handler),
                    pipeline.consumer("closed", (EventHandler<long[]>) (event, sequence, endOfBatch) -> {}),
                    pipeline.consumer("begun", (EventHandler<long[]>) (event, sequence, endOfBatch) -> {}));
            List<EventProcessor> processors = pipeline.startProcessors();
            processors.get(2).onStart();
            assertThat(pipeline.consumers().get(0).remove(0)).isEqualTo(Removal.LEFT);
            assertThat(pipeline.consumers().get(0).remove(0)).isEqualTo(Removal.LEFT);
            processors.get(0).onStart();
            processors.get(0).doWork();
            processors.forEach(EventProcessor::onClose);
            pipeline.close();
        });
        assertThat(of(all, "Join"))
                .extracting(event -> event.getString("consumer"))
                .containsExactly("begun");
        assertThat(of(all, "Leave"))
                .extracting(event -> event.getString("consumer"))
                .containsExactly("begun");
    }

    /** The stack of what it throws has a thousand frames, and ends where the handler is not. */
    @Test
    void aHandlerThatRunsOutOfStackIsNamedWithItsEventAndItsStack() throws Exception {
        String[] dump = {""};
        List<RecordedEvent> all = recorded(() -> {
            RingBuffer<long[]> ring = Rings.ringBuilder(true, 4).name("orders").build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> deep = (event, sequence, endOfBatch) -> {
                if (sequence == 1) {
                    goDown();
                }
            };
            pipeline.handleEventsWith(pipeline.consumer("books", deep));
            EventProcessor processor = pipeline.startProcessors().get(0);
            publish(ring.producer(), 2);
            Rings.exhaust(processor);
            dump[0] = RingMonitor.of(ring).dump();
        });
        assertThat(dump[0])
                .contains("failed at sequence 1 by\n    java.lang.StackOverflowError\n        at ")
                .contains("RingJfrTest.goDown(RingJfrTest.java:")
                .containsPattern("    \\.\\.\\. \\d+ more\n");
        assertThat(of(all, "HandlerFailure")).singleElement().satisfies(event -> {
            assertThat(event.getString("consumer")).isEqualTo("books");
            assertThat(event.getLong("sequence")).isEqualTo(1);
            assertThat(event.getString("action")).isEqualTo("HALT");
            assertThat(event.getString("cause")).isEqualTo("java.lang.StackOverflowError");
            assertThat(event.getString("stack")).contains("RingJfrTest.goDown(RingJfrTest.java:");
        });
    }

    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
    private static int goDown() {
        return 1 + goDown();
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
