package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.records.RecordCodec;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.EventFactory;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that is undeployed leaves nothing behind: neither the library's class loader, nor that of its events and records. */
@Tag("once")
@Timeout(60)
class UnloadTest {
    /** Far more than are ever needed: the second collection finds it. */
    private static final int COLLECTIONS = 50;

    /** How many events each consumer of the application gets. */
    private static final int EVENTS = 20;

    /** What each consumer has handled, and both codecs have read back: of objects two consumers, of bytes and messages one. */
    private static final int HANDLED = 2 * (2 + 1 + 1) * EVENTS + 2;

    /** What is copied whatever the events of the objects are. */
    private static final String ALWAYS_COPIED =
            " bytes-loop messages-loop bytes bytes-loop messages-loop array-codec direct-codec";

    private static final String ALL_COPIED =
            " objects bytes-loop messages-loop objects bytes bytes-loop messages-loop array-codec direct-codec";

    /** An event of a loader above the library's. */
    public static final class ParentsEvent {
        public ParentsEvent() {}

        long value;
    }

    /** A record of a loader above the library's. */
    public record ParentsRecord(long value) {}

    /** The application: it is loaded again by each loader, and uses the library as its loader sees it. */
    public static final class Application {
        private final AtomicInteger handled = new AtomicInteger();
        private final StringBuilder copied = new StringBuilder();

        private Application() {}

        /** How much was handled, and of which classes there was a copy. */
        public static String run(String events) throws Exception {
            Application all = new Application();
            EventFactory<Object> factory = switch (events) {
                case "platform" -> () -> new Timestamp(0);
                case "parent" -> ParentsEvent::new;
                case "own" -> OwnEvent::new;
                default -> throw new IllegalArgumentException(events);
            };
            for (boolean single : new boolean[] {true, false}) {
                all.objects(RingBufferBuilder.of(factory), single);
                all.bytes(single);
                all.messages(single);
            }
            for (boolean direct : new boolean[] {false, true}) {
                if (events.equals("parent")) {
                    all.codec(ParentsRecord.class, new ParentsRecord(5), direct);
                } else {
                    all.codec(OwnRecord.class, new OwnRecord(5), direct);
                }
            }
            return all.handled.get() + ":" + all.copied;
        }

        private void note(Object made, String name) {
            if (made.getClass().isHidden()) {
                copied.append(' ').append(name);
            }
        }

        private static <E> RingBuffer<E> ring(RingBufferBuilder<E> builder, boolean single) {
            return (single ? builder.singleProducer() : builder.multiProducer()).build();
        }

        private void objects(RingBufferBuilder<Object> builder, boolean single) throws Exception {
            RingBuffer<Object> ring = ring(builder.capacity(8), single);
            try (Pipeline<Object> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
                pipeline.handleBatchesWith((all, lo, hi) -> {
                    handled.addAndGet((int) (hi - lo + 1));
                    return hi;
                });
                pipeline.start();
                Producer<Object> producer = ring.producer();
                note(producer, "objects");
                for (int i = 0; i < EVENTS; i++) {
                    producer.publishEvent((event, sequence) -> {});
                }
                pipeline.drain(20_000_000_000L);
            }
        }

        private void bytes(boolean single) {
            RingBuffer<ByteSlots> ring =
                    ring(RingBufferBuilder.bytes(Long.BYTES).capacity(8), single);
            Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((slots, sequence, endOfBatch) ->
                    handled.addAndGet((int) slots.buffer().getLong(slots.offset(sequence))));
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<ByteSlots> producer = ring.producer();
            note(producer, "bytes");
            note(processor, "bytes-loop");
            for (int i = 0; i < EVENTS; i++) {
                producer.publishEvent((slots, sequence) -> slots.buffer().putLong(slots.offset(sequence), 1));
                processor.doWork();
            }
            ring.close();
        }

        private void messages(boolean single) {
            RingBuffer<Messages> ring = ring(RingBufferBuilder.messages(64), single);
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(
                    (MessageHandler) (type, buffer, offset, length, sequence, last) -> handled.addAndGet(type));
            EventProcessor processor = pipeline.startProcessors().get(0);
            MessageProducer producer = MessageProducer.of(ring);
            note(producer, "messages");
            note(processor, "messages-loop");
            SafeBuffer buffer = SafeBuffer.allocate(Long.BYTES);
            for (int i = 0; i < EVENTS; i++) {
                producer.offer(1, buffer, 0, Long.BYTES);
                processor.doWork();
            }
            ring.close();
        }

        private <T extends Record> void codec(Class<T> type, T record, boolean direct) {
            RecordCodec<T> codec = RecordCodec.of(MethodHandles.lookup(), type);
            note(codec, direct ? "direct-codec" : "array-codec");
            SafeBuffer buffer = direct ? SafeBuffer.allocateDirect(codec.size()) : SafeBuffer.allocate(codec.size());
            codec.encode(record, buffer, 0);
            // by its text: on JDK 17 the first equals of a record keeps its class loader for good
            if (codec.decode(buffer, 0).toString().equals(record.toString())) {
                handled.incrementAndGet();
            }
        }
    }

    static final class OwnEvent {
        long value;
    }

    record OwnRecord(long value) {}

    /** Loads itself what its parent has not, of all classes that this JVM was started with, as far as the filter lets it. */
    private static class Deployment extends URLClassLoader {
        private final Predicate<String> loads;

        Deployment(ClassLoader parent, Predicate<String> loads) {
            super(classPath(), parent);
            this.loads = loads;
        }

        private static URL[] classPath() {
            return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(entry -> {
                        try {
                            return Path.of(entry).toUri().toURL();
                        } catch (MalformedURLException e) {
                            throw new AssertionError(e);
                        }
                    })
                    .toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!loads.test(name)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    private static final String TEST = UnloadTest.class.getName();

    /** What the parent has: its event, its record, and the class that they are members of. */
    private static final Pattern PARENTS = Pattern.compile(Pattern.quote(TEST) + "(\\$Parents.*)?");

    private static String run(ClassLoader in, String events) throws Exception {
        return (String) in.loadClass(Application.class.getName())
                .getMethod("run", String.class)
                .invoke(null, events);
    }

    private static Deployment library(ClassLoader parent) {
        return new Deployment(parent, name -> true);
    }

    /** Deploys, runs and forgets: in a method of its own, so that no local variable is left. */
    private static WeakReference<ClassLoader> deployed(ClassLoader parent, String events, String expected)
            throws Exception {
        try (Deployment library = library(parent)) {
            assertThat(run(library, events)).isEqualTo(HANDLED + ":" + expected);
            return new WeakReference<>(library);
        }
    }

    private static boolean isCollected(WeakReference<?> reference) {
        for (int i = 0; i < COLLECTIONS && reference.get() != null; i++) {
            System.gc();
            if (i > 2) {
                LockSupport.parkNanos(20_000_000); // reference handling is concurrent
            }
        }
        return reference.get() == null;
    }

    @Test
    void theLibrarysLoaderGoesThoughItsEventsAreOfThePlatform() throws Exception {
        WeakReference<ClassLoader> library = deployed(ClassLoader.getPlatformClassLoader(), "platform", ALWAYS_COPIED);
        assertThat(isCollected(library)).isTrue();
    }

    @Test
    void theLibrarysLoaderGoesThoughItsEventsAndRecordsAreOfAParent() throws Exception {
        try (Deployment parent = new Deployment(
                ClassLoader.getPlatformClassLoader(),
                name -> PARENTS.matcher(name).matches())) {
            WeakReference<ClassLoader> library = deployed(parent, "parent", ALWAYS_COPIED);
            assertThat(isCollected(library)).isTrue();
            assertThat(parent.loadClass(ParentsEvent.class.getName()).getClassLoader())
                    .isSameAs(parent);
        }
    }

    @Test
    void theLibrarysLoaderGoesWithItsOwnEventsAndRecords() throws Exception {
        assertThat(isCollected(deployed(ClassLoader.getPlatformClassLoader(), "own", ALL_COPIED)))
                .isTrue();
    }

    /** The library stays, in a parent; handlers, events and records go. */
    @Test
    void anApplicationsLoaderGoesThoughTheLibraryStays() throws Exception {
        try (Deployment library =
                new Deployment(ClassLoader.getPlatformClassLoader(), name -> !name.startsWith(TEST))) {
            WeakReference<ClassLoader> application = application(library);
            assertThat(isCollected(application)).isTrue();
            assertThat(library.loadClass(RingBuffer.class.getName()).getClassLoader())
                    .isSameAs(library);
        }
    }

    private static WeakReference<ClassLoader> application(ClassLoader library) throws Exception {
        try (Deployment application = new Deployment(library, name -> name.startsWith(TEST))) {
            assertThat(run(application, "own")).isEqualTo(HANDLED + ":" + ALL_COPIED);
            return new WeakReference<>(application);
        }
    }

    // JVMs that define no hidden classes

    /** A loader whose class files can not be defined again: what defines a hidden class gets an Error. */
    private static final class Broken extends Deployment {
        private final AtomicInteger asked = new AtomicInteger();

        Broken() {
            super(ClassLoader.getPlatformClassLoader(), name -> true);
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            if (name.startsWith("io/sluice/") && name.endsWith(".class")) {
                asked.incrementAndGet();
                return new ByteArrayInputStream(new byte[] {1, 2, 3, 4});
            }
            return super.getResourceAsStream(name);
        }
    }

    @Test
    void whereDefiningAHiddenClassEndsInAnErrorTheSharedClassesDoTheWork() throws Exception {
        try (Broken broken = new Broken()) {
            assertThat(run(broken, "own")).isEqualTo(HANDLED + ":");
            assertThat(broken.asked.get()).as("attempts").isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE"})
    void thePropertyForbidsHiddenClasses(String value) throws Exception {
        String before = System.getProperty("io.sluice.hiddenClasses");
        System.setProperty("io.sluice.hiddenClasses", value);
        try (Deployment library = library(ClassLoader.getPlatformClassLoader())) {
            assertThat(run(library, "own")).isEqualTo(HANDLED + ":");
        } finally {
            restore(before);
        }
    }

    private static void restore(@Nullable String before) {
        if (before == null) {
            System.clearProperty("io.sluice.hiddenClasses");
        } else {
            System.setProperty("io.sluice.hiddenClasses", before);
        }
    }

    @Test
    void otherValuesOfThePropertyForbidNothing() throws Exception {
        String before = System.getProperty("io.sluice.hiddenClasses");
        System.setProperty("io.sluice.hiddenClasses", "true");
        try (Deployment library = library(ClassLoader.getPlatformClassLoader())) {
            assertThat(run(library, "own")).isEqualTo(HANDLED + ":" + ALL_COPIED);
        } finally {
            restore(before);
        }
    }
}
