package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.perf.code.MachineCode;
import io.sluice.perf.code.MachineCode.Method;
import io.sluice.ringbuffer.EventFactory;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.vm.VM;

/**
 * The instructions of publishing and consuming, as this JDK's C2 compiles the shipped classes: where a locked instruction
 * stands, and that none stands where none belongs. Each method is a driver in {@link Child} that C2 inlines the library into;
 * whatever of the library is compiled by itself meanwhile is looked at too. A method that was not found, or without the store
 * that makes it what it is, fails.
 *
 * <p>What is measured is the way that is taken as long as there is room: looking for room again is compiled where it is first
 * needed.
 */
@Tag("once")
@Timeout(120)
class CodeBytesTest {
    private static final String LIBRARY = "io.sluice.ringbuffer.*::*";
    private static final String CORE = "io.sluice.core.*::*";

    /** A store to a field at the offset of a sequence's value: a cursor, a claim word, or a consumer's progress. */
    private static final Pattern SEQUENCE_STORE =
            Pattern.compile("^mov QWORD PTR \\[r\\w+\\+" + offset(Sequence.class, "value") + "\\],");

    /** An access to the word of a group of idle strategies. */
    private static final Pattern GROUP_WORD =
            Pattern.compile("DWORD PTR \\[r\\w+\\+" + offset(SignalGroup.class, "waiting") + "\\]");

    @TempDir
    private Path folder;

    @BeforeEach
    void onlyWhereTheBytesCanBeRead() {
        CodeBytes.assumeAvailable();
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "small"})
    void aSingleProducerPublishesWithoutALockedInstruction(String ring) throws Exception {
        List<Method> methods = compiled(ring, "publish");
        assertThat(method(methods, "publish").first(SEQUENCE_STORE))
                .as("stores the cursor")
                .isNotNegative();
        assertNothingLocked(methods);
    }

    /**
     * The line of an event is far away, and its producer is about to write it: to look into it first, for the cast that stands
     * in every generic caller, holds up the stores behind. So the class is known from the array of the slots. The control is a
     * ring whose events are of two classes.
     */
    @ParameterizedTest
    @CsvSource({"typed, false", "mixed, true"})
    void anEventIsNotLookedIntoBeforeItIsFilled(String mode, boolean lookedInto) throws Exception {
        List<String> all = method(compiled(mode, "fill"), "fill").instructions();
        List<String> way = all.subList(0, all.indexOf("ret") + 1); // the rest is for what does not happen
        Pattern taken = Pattern.compile("^mov +(?:e|r(?=\\d))(\\w+?)d?,DWORD PTR \\[r\\w+\\+r\\w+\\*4\\+0x10]$");
        List<String> takings = way.stream().filter(taken.asPredicate()).toList();
        assertThat(takings).as("events taken out of their slots, in %s", way).hasSize(1);
        String head = taken.matcher(takings.get(0)).replaceFirst("[r$1+0x8]"); // where the class of an object stands
        List<String> after = way.subList(way.indexOf(takings.get(0)), way.size());
        assertThat(after.stream().anyMatch(instruction -> instruction.contains(head)))
                .as("looks into the event, by %s", way)
                .isEqualTo(lookedInto);
    }

    @Test
    void consumersWorkWithoutALockedInstruction() throws Exception {
        List<Method> methods = compiled("consume", "publish", "work", "poll");
        method(methods, "work");
        method(methods, "poll");
        assertThat(methods.stream()
                        .filter(method -> method.first(SEQUENCE_STORE) >= 0)
                        .map(Method::name))
                .as("methods that store a sequence")
                .anyMatch(name -> name.endsWith("::work") || name.contains("EventLoop"))
                .anyMatch(name -> name.endsWith("::poll") || name.contains("EventPoller"));
        assertNothingLocked(methods);
    }

    @Test
    void aMultiProducerClaimHasOneLockedInstructionAndItsPublicationNone() throws Exception {
        List<Method> methods = compiled("multi", "claim", "publishClaimed");
        assertThat(method(methods, "claim").locked())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("lock cmpxchg");
        assertThat(method(methods, "publishClaimed").locked()).isEmpty();
    }

    @Test
    void anExactRingFencesOnceBetweenThePublicationAndTheWordOfItsGroup() throws Exception {
        Method publish = method(compiled("exact", "publish"), "publish");
        assertThat(publish.locked()).hasSize(1);
        assertThat(publish.fences()).hasSize(1);
        int fence = publish.instructions().indexOf(publish.fences().get(0));
        assertThat(publish.last(SEQUENCE_STORE)).as("publication").isBetween(0, fence - 1);
        assertThat(publish.last(GROUP_WORD))
                .as("the look at the group's word that counts")
                .isGreaterThan(fence);
    }

    @Test
    void aTimedRingPublishesWithoutALockedInstruction() throws Exception {
        List<Method> methods = compiled("timed", "publish");
        Method publish = method(methods, "publish");
        assertThat(publish.first(SEQUENCE_STORE)).as("publication").isNotNegative();
        assertThat(publish.first(GROUP_WORD))
                .as("looks at the group's word")
                .isGreaterThan(publish.last(SEQUENCE_STORE));
        assertThat(publish.locked()).isEmpty();
    }

    /** The control: the same reader sees what it is to find, in a volatile store and in each of the other forms. */
    @Test
    void aVolatileStoreIsSeenFencedAndAPlainOneIsNot() throws Exception {
        List<Method> methods = compiled("control", "volatileStore", "exchange", "fence", "plainStore");
        assertThat(method(methods, "volatileStore").locked()).hasSize(1);
        assertThat(method(methods, "fence").fences()).hasSize(1);
        assertThat(method(methods, "exchange").locked())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("xchg");
        assertThat(method(methods, "plainStore").locked()).isEmpty();
    }

    private List<Method> compiled(String mode, String... drivers) throws Exception {
        return MachineCode.compiled(
                folder,
                new MachineCode.Child(
                        Child.class, mode, List.of(drivers), List.of(LIBRARY, CORE), List.of(), List.of()));
    }

    private static void assertNothingLocked(List<Method> methods) {
        for (Method method : methods) {
            if (!method.name().endsWith("::<init>")) { // building the ring is compiled too
                assertThat(method.locked()).as(method.name()).isEmpty();
            }
        }
    }

    /** The last compilation of a driver, which is the one that ran at the end. */
    private static Method method(List<Method> methods, String driver) {
        List<Method> found = methods.stream()
                .filter(method -> method.name().equals(Child.class.getName() + "::" + driver))
                .toList();
        assertThat(found)
                .as(
                        "compilations of %s, among %s",
                        driver, methods.stream().map(Method::name).toList())
                .isNotEmpty();
        Method last = found.get(found.size() - 1);
        assertThat(last.instructions()).as("instructions of " + driver).hasSizeGreaterThan(5);
        return last;
    }

    /** Where a field lies, as objdump writes it. */
    private static String offset(Class<?> type, String field) {
        for (Class<?> level = type; level != null; level = level.getSuperclass()) {
            for (java.lang.reflect.Field declared : level.getDeclaredFields()) {
                if (declared.getName().equals(field)) {
                    return "0x" + Long.toHexString(VM.current().fieldOffset(declared));
                }
            }
        }
        throw new AssertionError(type + " has no field " + field);
    }

    /** An event of a class of its own. */
    private static class Slot {
        private long value;
    }

    private static final class OtherSlot extends Slot {}

    /** What the child JVM runs. */
    static final class Child {
        private static final int CAPACITY = 1 << 18;
        private static final int SMALL = 1 << 12; // whose producer reads the cursor back
        private static final int CALLS = 100_000;

        private static final VarHandle VALUE;

        private long value;

        private Child() {}

        public static void main(String[] arguments) throws Exception {
            switch (arguments[0]) {
                case "single" -> {
                    Producer<long[]> producer =
                            ring(true, BusySpinIdleStrategy::new).producer();
                    for (int i = 0; i < CALLS; i++) {
                        publish(producer, i);
                    }
                }
                case "small" -> {
                    Producer<long[]> producer = RingBufferBuilder.of(() -> new long[1])
                            .capacity(SMALL)
                            .singleProducer()
                            .build()
                            .producer();
                    for (int i = 0; i < CALLS; i++) {
                        publish(producer, i);
                    }
                }
                case "typed" -> fillFrom(ring(Slot::new));
                case "mixed" -> {
                    int[] made = {0};
                    fillFrom(ring(() -> made[0]++ == 0 ? new OtherSlot() : new Slot()));
                }
                case "multi" -> {
                    Producer<long[]> producer =
                            ring(false, BusySpinIdleStrategy::new).producer();
                    for (int i = 0; i < CALLS; i++) {
                        publishClaimed(producer, claim(producer));
                    }
                }
                case "consume" -> consume();
                case "exact" -> signalled(() -> SignalledIdle.exact());
                case "timed" -> signalled(() -> SignalledIdle.timed());
                default -> {
                    Child child = new Child();
                    for (int i = 0; i < CALLS; i++) {
                        volatileStore(child, i);
                        exchange(child, i);
                        fence(child);
                        plainStore(child, i);
                    }
                }
            }
        }

        private static RingBuffer<long[]> ring(boolean single, Supplier<IdleStrategy> idle) {
            RingBufferBuilder<long[]> builder =
                    RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY).consumersIdle(idle);
            return (single ? builder.singleProducer() : builder.multiProducer()).build();
        }

        private static void consume() throws Exception {
            RingBuffer<long[]> ring = ring(true, BusySpinIdleStrategy::new);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            long[] sum = new long[1];
            EventHandler<long[]> handler = (event, sequence, endOfBatch) -> sum[0] += event[0];
            PollHandler<long[], RuntimeException> polled = (event, sequence, endOfBatch) -> sum[0] += event[0];
            EventPoller<long[]> poller = pipeline.poller("poller");
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            for (int i = 0; i < CALLS; i++) {
                publish(producer, i);
                work(processor);
                poll(poller, polled);
            }
        }

        /** The consumer stays inside its handler, so that its thread never parks: what follows is the usual call. */
        private static void signalled(Supplier<IdleStrategy> idle) throws Exception {
            RingBuffer<long[]> ring = ring(true, idle);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch over = new CountDownLatch(1);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                inside.countDown();
                over.await();
            });
            Producer<long[]> producer = ring.producer();
            publish(producer, -1);
            pipeline.start();
            inside.await();
            for (int i = 0; i < CALLS; i++) {
                publish(producer, i);
            }
            over.countDown();
            pipeline.close();
        }

        private static RingBuffer<Slot> ring(EventFactory<Slot> events) {
            return RingBufferBuilder.<Slot>of(events)
                    .capacity(CAPACITY)
                    .singleProducer()
                    .build();
        }

        private static void fillFrom(RingBuffer<Slot> ring) {
            Producer<Slot> producer = ring.producer();
            for (int i = 0; i < CALLS; i++) {
                fill(producer, i);
            }
        }

        static void fill(Producer<Slot> producer, long value) {
            long sequence = producer.next(1);
            producer.get(sequence).value = value;
            producer.publish(sequence, sequence);
        }

        static void publish(Producer<long[]> producer, long value) {
            long sequence = producer.next(1);
            producer.get(sequence)[0] = value;
            producer.publish(sequence, sequence);
        }

        static long claim(Producer<long[]> producer) {
            return producer.next(1);
        }

        static void publishClaimed(Producer<long[]> producer, long sequence) {
            producer.publish(sequence, sequence);
        }

        static int work(EventProcessor processor) throws Exception {
            return processor.doWork();
        }

        static int poll(EventPoller<long[]> poller, PollHandler<long[], RuntimeException> handler) {
            return poller.poll(handler, Integer.MAX_VALUE);
        }

        static void volatileStore(Child child, long value) {
            VALUE.setVolatile(child, value);
        }

        static long exchange(Child child, long value) {
            return (long) VALUE.getAndSet(child, value);
        }

        static void fence(Child child) {
            VALUE.setOpaque(child, 1);
            VarHandle.fullFence();
        }

        static void plainStore(Child child, long value) {
            VALUE.setOpaque(child, value);
        }

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(Child.class, "value", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }
}
