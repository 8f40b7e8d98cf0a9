package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files that one event goes through: docs/architecture.md lists them. */
@Timeout(60)
class EventsWayTest {
    private static final int MOST_FILES = 9;
    private static final int WARM = 3;

    /** One producer, one consumer, room in the ring. The event that counts is not the first, so all classes are loaded. */
    public static final class OneEvent implements Runnable {
        /** Creates the program. */
        public OneEvent() {}

        @Override
        public void run() {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(64)
                    .singleProducer()
                    .build();
            try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence == WARM - 1) {
                        EventsWay.consumes();
                    } else if (sequence == WARM) {
                        EventsWay.handles();
                    }
                });
                pipeline.start();
                Producer<long[]> producer = ring.producer();
                for (int i = 0; i < WARM; i++) {
                    producer.publishEvent((event, sequence) -> event[0] = sequence);
                    pipeline.awaitHandled(i, Duration.ofSeconds(30));
                }
                EventsWay.publishes();
                producer.publishEvent((event, sequence) -> EventsWay.fills());
                EventsWay.published();
                pipeline.awaitHandled(WARM, Duration.ofSeconds(30));
            }
        }
    }

    @Test
    void oneEventGoesThroughTheFilesThatThePageLists() throws Exception {
        EventsWay.Files files = EventsWay.of(OneEvent.class);
        assertThat(files.way()).as("the way in docs/architecture.md").isEqualTo(listed("The files on this way"));
        assertThat(files.way()).hasSizeLessThanOrEqualTo(MOST_FILES);
        assertThat(files.beside())
                .as("what is asked on the way, in docs/architecture.md")
                .isEqualTo(listed("Only asked on the way"));
    }

    private static List<String> listed(String what) {
        String page = Repository.read(Repository.root().resolve("docs").resolve("architecture.md"));
        Matcher line = Pattern.compile("(?m)^" + what + ": (.*)$").matcher(page);
        assertThat(line.find()).as(what).isTrue();
        List<String> files = new ArrayList<>();
        Matcher name = Pattern.compile("`(\\w+)`").matcher(line.group(1));
        while (name.find()) {
            files.add(name.group(1));
        }
        return files;
    }
}
