package io.sluice.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Which files of the library one event goes through. The library is loaded once more, and each of its methods tells that it is
 * entered, with the stack below it. The copies of hot classes tell it too: they are made from the bytes that this loader shows.
 *
 * <p>The way is all that is on the stack at one of the points where the event changes hands: it is claimed, filled, published
 * by the store of the cursor or of its stamp, seen by the read of that, handed to the handler. Beside it are the files that are
 * only asked something on the way.
 */
public final class EventsWay {
    private static final String LIBRARY = "io.sluice.";
    private static final String TOOLS = "io.sluice.cli.";
    private static final String HERE = "io/sluice/cli/EventsWay";
    private static final String CYCLE = "io.sluice.ringbuffer.pipeline.EventLoop.doWork";
    private static final Set<String> HAND_OVERS = Set.of(
            "io.sluice.ringbuffer.SingleProducer.claimFast",
            "io.sluice.ringbuffer.MultiProducer.claimFast",
            "io.sluice.ringbuffer.ArrayStamps.stamp",
            "io.sluice.ringbuffer.ArrayStamps.available",
            "io.sluice.core.Sequence.compareAndSet",
            "io.sluice.core.Sequence.setRelease",
            "io.sluice.core.Sequence.getAcquire");
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

    // under the lock of this class
    private static final Trace PUBLISHING = new Trace();
    private static final Trace HANDLING = new Trace();
    private static @Nullable Thread publisher;
    private static @Nullable Thread consumer;

    private EventsWay() {}

    /** The files that one thread has entered. */
    private static final class Trace {
        final Set<String> way = new LinkedHashSet<>();
        final Set<String> entered = new LinkedHashSet<>();
        final List<List<String>> stacks = new ArrayList<>();

        void clear() {
            stacks.clear();
            way.clear();
            entered.clear();
        }

        void handOver() {
            List<String> stack = new ArrayList<>();
            STACK.forEach(frame -> {
                String type = frame.getClassName();
                if (type.startsWith(LIBRARY) && !type.startsWith(TOOLS)) {
                    String file = file(type);
                    if (stack.isEmpty() || !stack.get(0).equals(file)) {
                        stack.add(0, file);
                    }
                }
            });
            way.addAll(stack);
            stacks.add(stack);
        }
    }

    /**
     * What was found.
     *
     * @param way the files that carry the event, in its order
     * @param beside the other files that were entered
     * @param stacks of each hand-over, the files from the outermost call on; calls within one file count once
     */
    record Files(List<String> way, List<String> beside, List<List<String>> stacks) {}

    /**
     * A method of the library is entered. Called by the library that was loaded once more.
     *
     * @param type its class
     * @param method its name
     */
    public static synchronized void enter(String type, String method) {
        Thread thread = Thread.currentThread();
        Trace trace = thread == publisher ? PUBLISHING : thread == consumer ? HANDLING : null;
        if (trace == null) {
            return;
        }
        String name = type + "." + method;
        if (name.equals(CYCLE)) {
            trace.clear(); // the cycles before saw nothing
        }
        trace.entered.add(file(type));
        if (HAND_OVERS.contains(name)) {
            trace.handOver();
        }
    }

    /** The calling thread is about to publish the event. */
    public static synchronized void publishes() {
        PUBLISHING.clear();
        publisher = Thread.currentThread();
    }

    /** The calling thread fills the event. */
    public static synchronized void fills() {
        PUBLISHING.handOver();
    }

    /** The calling thread has published the event. */
    public static synchronized void published() {
        publisher = null;
    }

    /** The calling thread is the consumer's. */
    public static synchronized void consumes() {
        consumer = Thread.currentThread();
    }

    /** The calling thread, which is the consumer's, has been handed the event. */
    public static synchronized void handles() {
        HANDLING.handOver();
        consumer = null;
    }

    /**
     * Runs a program that publishes and handles an event, and calls the methods above.
     *
     * @param program its class, nested in a test, whose nested classes are loaded once more, too
     * @return the files by their simple names, in the order in which they were met
     */
    static Files of(Class<? extends Runnable> program) throws ReflectiveOperationException {
        Loader loader = new Loader(program.getName());
        Runnable told = (Runnable)
                loader.loadClass(program.getName()).getDeclaredConstructor().newInstance();
        told.run();
        Set<String> way = new LinkedHashSet<>();
        Set<String> beside = new LinkedHashSet<>();
        List<List<String>> stacks = new ArrayList<>();
        synchronized (EventsWay.class) {
            way.addAll(PUBLISHING.way);
            way.addAll(HANDLING.way);
            beside.addAll(PUBLISHING.entered);
            beside.addAll(HANDLING.entered);
            stacks.addAll(PUBLISHING.stacks);
            stacks.addAll(HANDLING.stacks);
        }
        beside.removeAll(way);
        return new Files(List.copyOf(way), List.copyOf(beside), List.copyOf(stacks));
    }

    private static String file(String type) {
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("[$/].*", "");
    }

    /** Loads the library and one program, and shows the bytes that it loads. */
    private static final class Loader extends ClassLoader {
        private final String programs;

        Loader(String program) {
            super(EventsWay.class.getClassLoader());
            this.programs = program.substring(0, program.indexOf('$') + 1);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean own = name.startsWith(programs);
            if (!own && (!name.startsWith(LIBRARY) || name.startsWith(TOOLS))) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null) {
                    byte[] bytes = bytes(name.replace('.', '/') + ".class");
                    byte[] shown = own ? bytes : telling(bytes);
                    loaded = defineClass(name, shown, 0, shown.length);
                }
                return loaded;
            }
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            return name.startsWith("io/sluice/ringbuffer/") && name.endsWith(".class")
                    ? new ByteArrayInputStream(telling(bytes(name)))
                    : super.getResourceAsStream(name);
        }

        private byte[] bytes(String file) {
            try (InputStream in = getParent().getResourceAsStream(file)) {
                if (in == null) {
                    throw new IllegalArgumentException("class file must be on the class path, but was " + file);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(file, e);
            }
        }

        private static byte[] telling(byte[] bytes) {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, 0);
            String type = reader.getClassName().replace('/', '.');
            reader.accept(new Telling(writer, type), 0);
            return writer.toByteArray();
        }
    }

    /** Adds the telling to each method that has a body, but for what makes an object or a class. */
    private static final class Telling extends ClassVisitor {
        private final String type;

        Telling(ClassWriter writer, String type) {
            super(Opcodes.ASM9, writer);
            this.type = type;
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (name.startsWith("<")) {
                return method;
            }
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitLdcInsn(type);
                    super.visitLdcInsn(name);
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC, HERE, "enter", "(Ljava/lang/String;Ljava/lang/String;)V", false);
                }

                @Override
                public void visitMaxs(int maxStack, int maxLocals) {
                    super.visitMaxs(Math.max(2, maxStack), maxLocals);
                }
            };
        }
    }
}
