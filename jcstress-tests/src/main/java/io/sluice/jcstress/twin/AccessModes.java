package io.sluice.jcstress.twin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/*
 * The scan of the byte code. It lists every access of the shipped classes to a shared variable: each call of a VarHandle's
 * access method, each fence, each access to a Sequence, each access with an order to a buffer of Agrona's. The list that holds
 * is in access-modes.txt, one line for each:
 *
 *   class method field mode       field is the one that the handle was made for, or "-" for fences, Sequences and buffers
 *
 * A test holds that file, the byte code and the modes in docs/memory-model.md together; so an access that becomes weaker,
 * stronger or other, is noticed even where the hardware does not show it.
 */
/** The mode of each access to a shared variable. */
public final class AccessModes {
    private static final String HANDLE = "java/lang/invoke/VarHandle";
    private static final String SEQUENCE = "io/sluice/core/Sequence";
    private static final Set<String> SEQUENCE_ACCESS = Set.of(
            "getPlain",
            "getOpaque",
            "getAcquire",
            "getVolatile",
            "get",
            "setPlain",
            "setOpaque",
            "setRelease",
            "setVolatile",
            "compareAndSet",
            "getAndAdd",
            "raiseTo");

    private static final String BUFFERS = "org/agrona/concurrent/";
    private static final Pattern ORDERED = Pattern.compile("\\w+(?:Volatile|Acquire|Release|Ordered|Opaque)");

    /** The handle of the field in a superclass that has no handles of its own making. */
    private static final Map<String, String> INHERITED = Map.of("VALUE", "PaddedValue.value", "STAMP", "STAMP[]");

    private AccessModes() {}

    /**
     * The accesses of one class, in the order of its byte code.
     *
     * @param file the class file
     * @return lines of access-modes.txt
     * @throws IOException if a superclass cannot be read
     */
    public static List<String> scan(byte[] file) throws IOException {
        ClassReader reader = new ClassReader(file);
        Map<String, String> handles = new HashMap<>(INHERITED);
        findHandles(reader, handles);
        List<String> accesses = new ArrayList<>();
        reader.accept(new AccessFinder(reader.getClassName().replace('/', '.'), handles, accesses), 0);
        return accesses;
    }

    /** Those of the superclasses first, which are used by their simple names. */
    private static void findHandles(ClassReader reader, Map<String, String> handles) throws IOException {
        String above = reader.getSuperName();
        if (above != null && above.startsWith("io/sluice/")) {
            try {
                findHandles(new ClassReader(Rewriter.shipped(above.replace('/', '.'))), handles);
            } catch (Rewriter.RowMismatchException e) {
                throw new IOException("superclass of " + reader.getClassName(), e);
            }
        }
        reader.accept(new HandleFinder(handles), 0);
    }

    /**
     * The accesses that are right.
     *
     * @return all lines of access-modes.txt
     * @throws IOException if it cannot be read
     */
    public static List<String> pinned() throws IOException {
        try (InputStream file = AccessModes.class.getResourceAsStream("access-modes.txt")) {
            if (file == null) {
                throw new IOException("access-modes.txt is not on the class path");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8));
            return lines.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }

    /**
     * Whether the scan notices a row's twin: whether one of its classes no longer has the accesses that are pinned.
     *
     * @param row the row
     * @return true if it does
     * @throws IOException if a class cannot be read
     * @throws Rewriter.RowMismatchException if the row does not fit
     */
    public static boolean notices(Row row) throws IOException, Rewriter.RowMismatchException {
        List<String> pinned = pinned();
        for (Map.Entry<String, byte[]> twin : Rewriter.twin(row).entrySet()) {
            List<String> right = pinned.stream()
                    .filter(line -> line.startsWith(twin.getKey() + " "))
                    .toList();
            if (!scan(twin.getValue()).equals(right)) {
                return true;
            }
        }
        return false;
    }

    /** Finds the field that a static handle was made for. */
    private static final class HandleFinder extends ClassVisitor {
        private final Map<String, String> handles;

        HandleFinder(Map<String, String> handles) {
            super(Opcodes.ASM9);
            this.handles = handles;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            return new MethodVisitor(Opcodes.ASM9) {
                private String owner = "";
                private String field = "";

                @Override
                public void visitLdcInsn(Object value) {
                    if (value instanceof Type type && type.getSort() == Type.OBJECT && field.isEmpty()) {
                        String binary = type.getClassName();
                        owner = binary.substring(binary.lastIndexOf('.') + 1);
                    } else if (value instanceof String text) {
                        field = text;
                    }
                }

                @Override
                public void visitFieldInsn(int opcode, String in, String handle, String type) {
                    if (opcode == Opcodes.PUTSTATIC && type.equals("L" + HANDLE + ";")) {
                        handles.put(handle, field.isEmpty() ? handle + "[]" : owner + "." + field);
                        field = "";
                    }
                }
            };
        }
    }

    private static final class AccessFinder extends ClassVisitor {
        private final String className;
        private final Map<String, String> handles;
        private final List<String> accesses;

        AccessFinder(String className, Map<String, String> handles, List<String> accesses) {
            super(Opcodes.ASM9);
            this.className = className;
            this.handles = handles;
            this.accesses = accesses;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            String method = name.startsWith("twin$") ? "twin" : name;
            return new MethodVisitor(Opcodes.ASM9) {
                private final Deque<String> onStack = new ArrayDeque<>();

                @Override
                public void visitFieldInsn(int opcode, String in, String field, String type) {
                    if (opcode == Opcodes.GETSTATIC && type.equals("L" + HANDLE + ";")) {
                        onStack.push(handles.getOrDefault(field, field));
                    }
                }

                @Override
                public void visitMethodInsn(int opcode, String in, String called, String type, boolean isInterface) {
                    if (in.equals(HANDLE)) {
                        boolean fence = opcode == Opcodes.INVOKESTATIC;
                        String field = fence || onStack.isEmpty() ? "-" : onStack.pop();
                        accesses.add(className + " " + method + " " + field + " " + called);
                    } else if (in.equals(SEQUENCE) && SEQUENCE_ACCESS.contains(called)) {
                        accesses.add(className + " " + method + " - Sequence." + called);
                    } else if (in.startsWith(BUFFERS) && ORDERED.matcher(called).matches()) {
                        accesses.add(className + " " + method + " - " + in.substring(BUFFERS.length()) + "." + called);
                    }
                }
            };
        }
    }
}
