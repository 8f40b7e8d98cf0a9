package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fifth handler class is as well inlined as the first, since each has a loop class of its own. A child JVM runs six handler
 * classes and six translator classes through the public interface, and prints what its compiler inlined into what; the
 * control is a loop of the test's own that six handler classes share, whose call must be reported as not inlined.
 */
@Tag("once")
@Timeout(120)
class InliningTest {
    /** The head of a compilation: time and number, then flags and the method. */
    private static final Pattern HEAD = Pattern.compile("^\\s*\\d+\\s+\\d+\\s");

    private static final String HANDLER = "InliningTest$Handler";

    @TempDir
    Path folder;

    @Test
    void aFifthHandlerClassIsAsWellInlinedAsTheFirst() throws Exception {
        List<String> lines = compilerOutput("events");
        for (int i = 1; i <= 6; i++) {
            List<String> calls = calls(lines, "io.sluice.ringbuffer.pipeline.EventLoop", HANDLER + i + "::onEvent");
            assertThat(calls)
                    .as("inlining of handler class %d into a loop, among %d lines", i, lines.size())
                    .isNotEmpty()
                    .anyMatch(InliningTest::isInlined);
        }
        // and no loop is compiled with a call that could go anywhere
        assertThat(calls(lines, "io.sluice.ringbuffer.pipeline.EventLoop", "pipeline.EventHandler::onEvent"))
                .as("calls of onEvent that were not resolved to a class")
                .noneMatch(line -> line.contains("virtual call"));
    }

    /** A translator of exact type, here a constant, is inlined into each place that publishes, the fifth as the first. */
    @Test
    void aFifthConstantTranslatorIsAsWellInlinedAsTheFirst() throws Exception {
        List<String> lines = compilerOutput("translators");
        for (int i = 1; i <= 6; i++) {
            assertThat(calls(lines, "InliningTest$Child::publish" + i, "InliningTest$Translator" + i + "::translateTo"))
                    .as("inlining of translator class %d where it publishes, among %d lines", i, lines.size())
                    .isNotEmpty()
                    .anyMatch(InliningTest::isInlined);
        }
    }

    /**
     * A claim is inlined into a publisher's loop also in a JVM that has seen a full ring all along: waiting for room is never
     * inlined into it, and so does not make it too large.
     */
    @Test
    void aClaimIsInlinedAlsoAfterRingsWereFullForLong() throws Exception {
        List<String> lines = compilerOutput("full");
        assertThat(calls(lines, "InliningTest$Child::afterwards", "SingleProducer::next"))
                .as("inlining of a claim where it is made, among %d lines", lines.size())
                .isNotEmpty()
                .allMatch(InliningTest::isInlined);
        assertThat(calls(lines, "InliningTest$Child::afterwards", "AbstractProducer::claimSlowNoInline"))
                .as("inlining of the call behind which a claim waits, among %d lines", lines.size())
                .isNotEmpty()
                .last()
                .matches(line -> !isInlined(line), "not inlined");
        assertThat(calls(lines, "InliningTest$Child::afterwards", "SingleProducer::claim "))
                .as("inlining of what waits for room, among %d lines", lines.size())
                .isEmpty();
    }

    /** The limit of it, as the Javadoc of {@link Producer} says: a translator from a field is called, not inlined. */
    @Test
    void aTranslatorThatIsNoConstantIsCalledFromTheThirdClassOn() throws Exception {
        List<String> lines = compilerOutput("fields");
        assertThat(calls(lines, "InliningTest$Site::publish", "ringbuffer.EventTranslatorLong::translateTo"))
                .as("calls of translateTo where six classes publish, among %d lines", lines.size())
                .isNotEmpty()
                .anyMatch(line -> line.contains("virtual call"));
    }

    /** The control: this is what the same parser says about a loop that handlers of six classes share. */
    @Test
    void aSharedLoopIsSeenNotToInline() throws Exception {
        List<String> lines = compilerOutput("shared");
        assertThat(calls(lines, "InliningTest$Child::shared", "pipeline.EventHandler::onEvent"))
                .as("calls of onEvent in the shared loop, among %d lines", lines.size())
                .isNotEmpty()
                .anyMatch(line -> line.contains("virtual call"));
        for (int i = 1; i <= 6; i++) {
            List<String> direct = calls(lines, "InliningTest$Child::shared", HANDLER + i + "::onEvent");
            assertThat(direct).as("handler class %d in the shared loop", i).noneMatch(InliningTest::isInlined);
        }
    }

    // the compiler's output

    private static boolean isInlined(String line) {
        return line.contains("inline (hot)") || line.contains("accessor") || line.endsWith("inline");
    }

    /** The lines about a callee within C2's compilations of methods of a class (or of one method). */
    private static List<String> calls(List<String> lines, String compiled, String callee) {
        List<String> found = new ArrayList<>();
        boolean within = false;
        for (String line : lines) {
            if (line.contains("made not entrant") || line.contains("made zombie") || line.contains("(native)")) {
                continue; // about another compilation, printed in between
            }
            if (HEAD.matcher(line).find()) {
                within = line.contains(compiled) && line.contains("::");
            } else if (within && line.contains(callee)) {
                found.add(line);
            }
        }
        return found;
    }

    private List<String> compilerOutput(String mode) throws IOException, InterruptedException {
        assumeTrue(
                System.getProperty("java.vm.name", "").toLowerCase(Locale.ROOT).contains("hotspot")
                        || System.getProperty("java.vm.name", "")
                                .toLowerCase(Locale.ROOT)
                                .contains("openjdk"),
                "only HotSpot prints its inlining");
        Path output = folder.resolve(mode + ".txt");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process child = new ProcessBuilder(
                        java,
                        "-Xbatch",
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:-TieredCompilation", // C2 only
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+PrintCompilation",
                        "-XX:+PrintInlining",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .replace("\n", File.pathSeparator),
                        Child.class.getName(),
                        mode)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(child.waitFor(100, TimeUnit.SECONDS))
                    .as("the child ended")
                    .isTrue();
        } finally {
            child.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertThat(child.exitValue())
                .as("exit status; %s", lines.subList(Math.max(0, lines.size() - 5), lines.size()))
                .isZero();
        return lines;
    }

    // what the child runs

    /** Runs six handler classes, each in a ring of its own, or in one shared loop. */
    static final class Child {
        private static final int ROUNDS = 100;
        private static final int EVENTS = 4_096;

        static long sum;

        private Child() {}

        public static void main(String[] arguments) throws Exception {
            List<EventHandler<long[]>> handlers = List.of(
                    new Handler1(), new Handler2(), new Handler3(), new Handler4(), new Handler5(), new Handler6());
            if (arguments[0].equals("shared")) {
                long[][] events = new long[64][1];
                for (int round = 0; round < ROUNDS * 16; round++) {
                    for (EventHandler<long[]> handler : handlers) {
                        shared(events, handler);
                    }
                }
            } else if (arguments[0].equals("translators")) {
                Lane lane = new Lane(new Handler1());
                for (int round = 0; round < ROUNDS * EVENTS / 16; round++) {
                    publish1(lane.producer, round);
                    publish2(lane.producer, round);
                    publish3(lane.producer, round);
                    publish4(lane.producer, round);
                    publish5(lane.producer, round);
                    publish6(lane.producer, round);
                    lane.processor.doWork();
                }
            } else if (arguments[0].equals("full")) {
                full();
                Lane lane = new Lane(new Handler1());
                for (int round = 0; round < ROUNDS * EVENTS / 16; round++) {
                    afterwards(lane.producer);
                    lane.processor.doWork();
                }
            } else if (arguments[0].equals("fields")) {
                List<Site> sites = List.of(
                        new Site(new Translator1()),
                        new Site(new Translator2()),
                        new Site(new Translator3()),
                        new Site(new Translator4()),
                        new Site(new Translator5()),
                        new Site(new Translator6()));
                Lane lane = new Lane(new Handler1());
                for (int round = 0; round < ROUNDS * EVENTS / 16; round++) {
                    for (Site site : sites) {
                        site.publish(lane.producer, round);
                    }
                    lane.processor.doWork();
                }
            } else {
                List<Lane> lanes = new ArrayList<>();
                for (EventHandler<long[]> handler : handlers) {
                    lanes.add(new Lane(handler));
                }
                for (int round = 0; round < ROUNDS; round++) {
                    for (Lane lane : lanes) {
                        lane.run(EVENTS);
                    }
                }
            }
            if (sum == 0) {
                throw new IllegalStateException("no event was handled");
            }
        }

        /** Nearly every claim has to wait for room. */
        private static void full() {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(2)
                    .singleProducer()
                    .consumersIdle(YieldingIdleStrategy::new)
                    .producersIdle(YieldingIdleStrategy::new)
                    .build();
            try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(new Handler2());
                pipeline.start();
                Producer<long[]> producer = ring.producer();
                for (int i = 0; i < ROUNDS * EVENTS / 4; i++) {
                    long sequence = producer.next(1);
                    producer.publish(sequence, sequence);
                }
                pipeline.drain(TimeUnit.SECONDS.toNanos(20));
            }
        }

        static void afterwards(Producer<long[]> producer) {
            for (int i = 0; i < 16; i++) {
                long sequence = producer.next(1);
                producer.get(sequence)[0] = i;
                producer.publish(sequence, sequence);
            }
        }

        static void publish1(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator1.CONSTANT, value);
        }

        static void publish2(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator2.CONSTANT, value);
        }

        static void publish3(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator3.CONSTANT, value);
        }

        static void publish4(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator4.CONSTANT, value);
        }

        static void publish5(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator5.CONSTANT, value);
        }

        static void publish6(Producer<long[]> producer, long value) {
            producer.publishEvent(Translator6.CONSTANT, value);
        }

        static void shared(long[][] events, EventHandler<long[]> handler) throws Exception {
            for (int i = 0; i < events.length; i++) {
                handler.onEvent(events[i], i, i == events.length - 1);
            }
        }
    }

    private static final class Lane {
        private final EventProcessor processor;
        private final Producer<long[]> producer;

        Lane(EventHandler<long[]> handler) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(256)
                    .singleProducer()
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            processor = pipeline.startProcessors().get(0);
            producer = ring.producer();
        }

        void run(int events) {
            for (int i = 0; i < events; i += 64) {
                long hi = producer.next(64);
                producer.publish(hi - 63, hi);
                processor.doWork();
            }
        }
    }

    static final class Handler1 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 1;
        }
    }

    static final class Handler2 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 2;
        }
    }

    static final class Handler3 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 3;
        }
    }

    static final class Handler4 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 4;
        }
    }

    static final class Handler5 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 5;
        }
    }

    static final class Handler6 implements EventHandler<long[]> {
        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            Child.sum += sequence + 6;
        }
    }

    static final class Translator1 implements EventTranslatorLong<long[]> {
        static final Translator1 CONSTANT = new Translator1();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 1;
        }
    }

    static final class Translator2 implements EventTranslatorLong<long[]> {
        static final Translator2 CONSTANT = new Translator2();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 2;
        }
    }

    static final class Translator3 implements EventTranslatorLong<long[]> {
        static final Translator3 CONSTANT = new Translator3();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 3;
        }
    }

    static final class Translator4 implements EventTranslatorLong<long[]> {
        static final Translator4 CONSTANT = new Translator4();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 4;
        }
    }

    static final class Translator5 implements EventTranslatorLong<long[]> {
        static final Translator5 CONSTANT = new Translator5();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 5;
        }
    }

    static final class Translator6 implements EventTranslatorLong<long[]> {
        static final Translator6 CONSTANT = new Translator6();

        @Override
        public void translateTo(long[] event, long sequence, long value) {
            event[0] = value + 6;
        }
    }

    /** A place that publishes by a translator that is not constant, nor of a type that the compiler could know. */
    private static final class Site {
        private final EventTranslatorLong<long[]> translator;

        Site(EventTranslatorLong<long[]> translator) {
            this.translator = translator;
        }

        void publish(Producer<long[]> producer, long value) {
            producer.publishEvent(translator, value);
        }
    }
}
