package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.EventFactory;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that is undeployed leaves nothing behind: neither the library's class loader, nor that of its events. */
@Tag("once")
@Timeout(60)
class UnloadTest {
    /** Far more than are ever needed: the second collection finds it. */
    private static final int COLLECTIONS = 50;

    /** An event of a loader above the library's. */
    public static final class ParentsEvent {
        public ParentsEvent() {}

        long value;
    }

    /** The application: it is loaded again by each loader, and uses the library as its loader sees it. */
    public static final class Application {
        private Application() {}

        public static String run(String events) throws Exception {
            EventFactory<Object> factory = switch (events) {
                case "platform" -> () -> new Timestamp(0);
                case "parent" -> ParentsEvent::new;
                case "own" -> OwnEvent::new;
                default -> throw new IllegalArgumentException(events);
            };
            AtomicInteger handled = new AtomicInteger();
            StringBuilder classes = new StringBuilder();
            for (boolean single : new boolean[] {true, false}) {
                RingBufferBuilder<Object> builder =
                        RingBufferBuilder.of(factory).capacity(8);
                RingBuffer<Object> ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
                try (Pipeline<Object> pipeline = Pipeline.on(ring)) {
                    pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
                    pipeline.handleBatchesWith((all, lo, hi) -> {
                        handled.addAndGet((int) (hi - lo + 1));
                        return hi;
                    });
                    pipeline.start();
                    Producer<Object> producer = ring.producer();
                    classes.append(producer.getClass().isHidden() ? "copied " : "shared ");
                    for (int i = 0; i < 20; i++) {
                        producer.publishEvent((event, sequence) -> {});
                    }
                    pipeline.drain(20_000_000_000L);
                }
            }
            return classes.toString() + handled.get();
        }
    }

    static final class OwnEvent {
        long value;
    }

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
            assertThat(run(library, events)).endsWith(expected);
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
        WeakReference<ClassLoader> library = deployed(ClassLoader.getPlatformClassLoader(), "platform", " 80");
        assertThat(isCollected(library)).isTrue();
    }

    @Test
    void theLibrarysLoaderGoesThoughItsEventsAreOfAParent() throws Exception {
        try (Deployment parent =
                new Deployment(ClassLoader.getPlatformClassLoader(), ParentsEvent.class.getName()::equals)) {
            WeakReference<ClassLoader> library = deployed(parent, "parent", " 80");
            assertThat(isCollected(library)).isTrue();
            assertThat(parent.loadClass(ParentsEvent.class.getName()).getClassLoader())
                    .isSameAs(parent);
        }
    }

    @Test
    void theLibrarysLoaderGoesWithItsOwnEvents() throws Exception {
        assertThat(isCollected(deployed(ClassLoader.getPlatformClassLoader(), "own", "copied copied 80")))
                .isTrue();
    }

    /** The library stays, in a parent; handlers and events go. */
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
            assertThat(run(application, "own")).isEqualTo("copied copied 80");
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
            if (name.startsWith("io/sluice/ringbuffer/") && name.endsWith(".class")) {
                asked.incrementAndGet();
                return new ByteArrayInputStream(new byte[] {1, 2, 3, 4});
            }
            return super.getResourceAsStream(name);
        }
    }

    @Test
    void whereDefiningAHiddenClassEndsInAnErrorTheSharedClassesDoTheWork() throws Exception {
        try (Broken broken = new Broken()) {
            assertThat(run(broken, "own")).isEqualTo("shared shared 80");
            assertThat(broken.asked.get()).as("attempts").isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE"})
    void thePropertyForbidsHiddenClasses(String value) throws Exception {
        String before = System.getProperty("io.sluice.hiddenClasses");
        System.setProperty("io.sluice.hiddenClasses", value);
        try (Deployment library = library(ClassLoader.getPlatformClassLoader())) {
            assertThat(run(library, "own")).isEqualTo("shared shared 80");
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
            assertThat(run(library, "own")).isEqualTo("copied copied 80");
        } finally {
            restore(before);
        }
    }
}
