package io.sluice.perf.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The shipped classes with one choice taken back, which shows the worth of the choice. Made from the shipped byte code; a change that finds
 * nothing to change is refused, so that no ablation measures the shipped classes by mistake.
 */
final class Ablations {
    private static final int API = Opcodes.ASM9;

    private static final String CORE = "io/sluice/core/";
    private static final String RING = "io/sluice/ringbuffer/";

    /** Changes a class; counts its changes. */
    @FunctionalInterface
    private interface Change {
        ClassVisitor over(ClassVisitor next, int[] changes);
    }

    /** A choice, the classes in which it is made, and how it is taken back. */
    private record Ablation(List<String> classes, Change change) {}

    private static final Map<String, Ablation> ALL = new TreeMap<>(Map.of(
            "no-back-off", new Ablation(List.of(CORE + "PollBackOff"), Ablations::noBackOff),
            "volatile-store", new Ablation(List.of(CORE + "Sequence"), Ablations::volatileStore),
            "shared-classes",
                    new Ablation(List.of(RING + "specialize/HiddenClassSpecializer"), Ablations::sharedClasses),
            "single-look", new Ablation(List.of(RING + "pipeline/AbstractLoop"), Ablations::singleLook),
            "no-padding",
                    new Ablation(
                            List.of(
                                    CORE + "PaddingBefore",
                                    CORE + "PaddingAfter",
                                    RING + "SingleProducerBefore",
                                    RING + "SingleProducerAfter",
                                    RING + "MultiProducerBefore",
                                    RING + "MultiProducerAfter"),
                            Ablations::noPadding)));

    private Ablations() {}

    /** The names of the choices that can be taken back. */
    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * Writes the changed classes.
     *
     * @param name one of {@link #names()}
     * @param folder where to, below a folder of that name
     * @return the folder to put ahead of the class path
     * @throws IOException if a class can not be read or written
     */
    static Path write(String name, Path folder) throws IOException {
        Ablation ablation = ALL.get(name);
        if (ablation == null) {
            throw new IllegalArgumentException(
                    "ablation must be one of " + String.join(", ", names()) + ", but was '" + name + "'");
        }
        Path root = folder.resolve(name);
        for (String type : ablation.classes()) {
            Path file = root.resolve(type + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, changed(type, ablation.change()));
        }
        return root;
    }

    private static byte[] changed(String type, Change change) throws IOException {
        try (InputStream shipped = Ablations.class.getClassLoader().getResourceAsStream(type + ".class")) {
            if (shipped == null) {
                throw new IOException(type + " is not on the class path");
            }
            ClassReader reader = new ClassReader(shipped);
            ClassWriter writer = new ClassWriter(reader, 0);
            int[] changes = new int[1];
            reader.accept(change.over(writer, changes), 0);
            if (changes[0] == 0) {
                throw new IllegalStateException("there is nothing to change in " + type);
            }
            return writer.toByteArray();
        }
    }

    /** The consumer polls again at once: no batch is worth a wait. */
    private static ClassVisitor noBackOff(ClassVisitor next, int[] changes) {
        return emptied(next, "units", Opcodes.IRETURN, 3, changes);
    }

    /** All handlers share one loop class, and all events one producer class, which does not know theirs. */
    private static ClassVisitor sharedClasses(ClassVisitor next, int[] changes) {
        return emptied(next, "keepsUs", Opcodes.IRETURN, 2, changes);
    }

    /** A processor that has a spinning runner for itself returns to it after one look, as others do. */
    private static ClassVisitor singleLook(ClassVisitor next, int[] changes) {
        return emptied(next, "dedicatedSpinner", Opcodes.RETURN, 2, changes);
    }

    /** Replaces the body of a method by a mere return: of 0, or false, if it returns something. */
    private static ClassVisitor emptied(ClassVisitor next, String name, int end, int locals, int[] changes) {
        return new ClassVisitor(API, next) {
            @Override
            public @Nullable MethodVisitor visitMethod(
                    int access, String method, String descriptor, String signature, String[] exceptions) {
                MethodVisitor visitor = super.visitMethod(access, method, descriptor, signature, exceptions);
                if (!method.equals(name)) {
                    return visitor;
                }
                changes[0]++;
                visitor.visitCode();
                if (end == Opcodes.IRETURN) {
                    visitor.visitInsn(Opcodes.ICONST_0);
                }
                visitor.visitInsn(end);
                visitor.visitMaxs(end == Opcodes.IRETURN ? 1 : 0, locals);
                visitor.visitEnd();
                return null;
            }
        };
    }

    /** Cursor and progress are stored volatile, with a fence behind. */
    private static ClassVisitor volatileStore(ClassVisitor next, int[] changes) {
        return new ClassVisitor(API, next) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String method, String descriptor, String signature, String[] exceptions) {
                MethodVisitor visitor = super.visitMethod(access, method, descriptor, signature, exceptions);
                if (!method.equals("setRelease")) {
                    return visitor;
                }
                return new MethodVisitor(API, visitor) {
                    @Override
                    public void visitMethodInsn(
                            int opcode, String owner, String name, String descriptor, boolean isInterface) {
                        boolean store = owner.equals("java/lang/invoke/VarHandle") && name.equals("setRelease");
                        changes[0] += store ? 1 : 0;
                        super.visitMethodInsn(opcode, owner, store ? "setVolatile" : name, descriptor, isInterface);
                    }
                };
            }
        };
    }

    /** Sequences and the producers' fields share cache lines with their neighbours. */
    private static ClassVisitor noPadding(ClassVisitor next, int[] changes) {
        return new ClassVisitor(API, next) {
            @Override
            public @Nullable FieldVisitor visitField(
                    int access, String name, String descriptor, String signature, Object value) {
                if (name.matches("[pq]\\d\\d")) {
                    changes[0]++;
                    return null;
                }
                return super.visitField(access, name, descriptor, signature, value);
            }
        };
    }
}
