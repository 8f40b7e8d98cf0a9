package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
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
        assertThat(files.way()).hasSizeLessThanOrEqualTo(MOST_FILES).doesNotHaveDuplicates();
        assertThat(files.stacks())
                .isNotEmpty()
                .allSatisfy(stack -> assertThat(stack)
                        .as("a call comes back to no file that it has left")
                        .doesNotHaveDuplicates());
        assertThat(files.beside())
                .as("what is asked on the way, in docs/architecture.md")
                .isEqualTo(listed("Only asked on the way"));
    }

    /** Each file has one place in the drawing. */
    @Test
    void theDrawingShowsTheFilesOfTheList() throws IOException {
        assertThat(drawn()).containsExactlyInAnyOrderElementsOf(listed("The files on this way"));
    }

    /** The names of files of the library in the drawing, each as often as it is there. */
    private static List<String> drawn() throws IOException {
        Set<String> files = new HashSet<>();
        for (String module : Repository.libraryModules()) {
            for (Path file : Repository.files(Repository.root().resolve(module).resolve("src/main"))) {
                files.add(file.getFileName().toString());
            }
        }
        String page = Repository.read(Repository.root().resolve("docs").resolve("architecture.md"));
        String section = page.substring(page.indexOf("## The way of one event"));
        String drawing = section.split("```", 3)[1];
        return Pattern.compile("\\w+")
                .matcher(drawing)
                .results()
                .map(MatchResult::group)
                .filter(word -> files.contains(word + ".java"))
                .toList();
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
