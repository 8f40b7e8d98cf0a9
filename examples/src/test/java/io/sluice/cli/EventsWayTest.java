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
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The files that one event goes through: docs/architecture.md lists them. */
@Timeout(60)
class EventsWayTest {
    private static final int MOST_FILES = 9;
    private static final int MOST_ASKED_OF_ONE = 8;
    private static final int MOST_ASKED_OF_MANY = 9;
    private static final int WARM = 3;

    /** One producer, one consumer, room in the ring. The event that counts is not the first, so all classes are loaded. */
    public abstract static class OneEvent implements Runnable {
        /** Creates the program. */
        protected OneEvent() {}

        abstract RingBufferBuilder<long[]> ring();

        @Override
        public void run() {
            RingBuffer<long[]> ring = ring().capacity(64).build();
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

    /** On a ring for one producer. */
    public static final class OfOne extends OneEvent {
        /** Creates the program. */
        public OfOne() {}

        @Override
        RingBufferBuilder<long[]> ring() {
            return RingBufferBuilder.of(() -> new long[1]).singleProducer();
        }
    }

    /** On a ring as it is if nothing is set: for many producers. */
    public static final class OfMany extends OneEvent {
        /** Creates the program. */
        public OfMany() {}

        @Override
        RingBufferBuilder<long[]> ring() {
            return RingBufferBuilder.of(() -> new long[1]);
        }
    }

    static List<Arguments> programs() {
        return List.of(
                Arguments.of(OfOne.class, "The files on this way", "Only asked on the way", MOST_ASKED_OF_ONE),
                Arguments.of(
                        OfMany.class,
                        "The files on the way with many producers",
                        "Only asked with many producers",
                        MOST_ASKED_OF_MANY));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void oneEventGoesThroughTheFilesThatThePageLists(
            Class<? extends Runnable> program, String onTheWay, String asked, int mostAsked) throws Exception {
        EventsWay.Files files = EventsWay.of(program);
        assertThat(files.way()).as("the way in docs/architecture.md").isEqualTo(listed(onTheWay));
        assertThat(files.way()).hasSizeLessThanOrEqualTo(MOST_FILES).doesNotHaveDuplicates();
        assertThat(files.stacks())
                .isNotEmpty()
                .allSatisfy(stack -> assertThat(stack)
                        .as("a call comes back to no file that it has left")
                        .doesNotHaveDuplicates());
        assertThat(files.beside())
                .as("what is asked on the way, in docs/architecture.md")
                .isEqualTo(listed(asked))
                .hasSizeLessThanOrEqualTo(mostAsked);
        assertThat(page())
                .contains(String.format(
                        Locale.ROOT,
                        "%d files on the way, and %d that are only asked",
                        files.way().size(),
                        files.beside().size()));
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
        String page = page();
        String section = page.substring(page.indexOf("## The way of one event"));
        String drawing = section.split("```", 3)[1];
        return Pattern.compile("\\w+")
                .matcher(drawing)
                .results()
                .map(MatchResult::group)
                .filter(word -> files.contains(word + ".java"))
                .toList();
    }

    private static String page() {
        return Repository.read(Repository.root().resolve("docs").resolve("architecture.md"));
    }

    private static List<String> listed(String what) {
        String page = page();
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
