package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.code.MachineCode;
import io.sluice.perf.code.MachineCode.Method;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the loop over a batch can stop for a safepoint, as C2 compiles it with the handler inlined: it polls between batches in any
 * case, and within the batch where the JVM has its counted loops do so, as it has with most collectors. How long a batch can be
 * is another test's: {@code BatchBoundTest}.
 */
@Tag("once")
@Timeout(120)
class SafepointPollTest {
    /** What the handler compares with, so that it is found where it was inlined. */
    private static final long MARK = 0x5EEDBEE5L;

    private static final List<String> POLLING =
            List.of("-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000"); // as G1 sets them
    private static final List<String> NOT_POLLING =
            List.of("-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0"); // as the serial collector does

    @TempDir
    private Path folder;

    @BeforeEach
    void onlyWhereTheBytesCanBeRead() {
        CodeBytes.assumeAvailable();
    }

    @Test
    void aBatchIsLeftForASafepointWhereTheJvmHasCountedLoopsPoll() throws Exception {
        long between = polls(NOT_POLLING);
        assertThat(between).as("polls between batches").isPositive();
        assertThat(polls(POLLING)).as("and within one").isGreaterThan(between);
    }

    /** How many polls the last compilation of the batch loop has. */
    private long polls(List<String> flags) throws Exception {
        List<Method> methods = MachineCode.compiled(
                folder,
                new MachineCode.Child(
                        Child.class,
                        "batches",
                        List.of("work"),
                        List.of("io.sluice.ringbuffer.*::*"),
                        List.of(),
                        flags));
        List<Method> loops = methods.stream()
                .filter(method -> method.instructions().stream()
                        .anyMatch(instruction -> instruction.contains(Long.toHexString(MARK))))
                .toList();
        assertThat(loops)
                .as(
                        "methods with the handler in them, among %s",
                        methods.stream().map(Method::name).toList())
                .isNotEmpty();
        return loops.get(loops.size() - 1).instructions().stream()
                .filter(MachineCode::isPoll)
                .count();
    }

    /** What the child JVM runs. */
    static final class Child {
        private static final int CAPACITY = 1 << 16;
        private static final int LAPS = 300;

        private Child() {}

        private static final class Counter implements EventHandler<long[]> {
            long marked;

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                if (event[0] == MARK) {
                    marked++;
                }
            }
        }

        public static void main(String[] arguments) throws Exception {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(CAPACITY)
                    .singleProducer()
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(new Counter());
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            for (int i = 0; i < LAPS; i++) {
                long highest = producer.next(CAPACITY);
                producer.publish(highest - CAPACITY + 1, highest);
                while (work(processor) > 0) {
                    // batch by batch
                }
            }
        }

        static int work(EventProcessor processor) throws Exception {
            return processor.doWork();
        }
    }
}
