package io.sluice.jcstress.twin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/*
 * Makes a twin: reads the shipped class file from the class path, replaces the instructions that the row names, and refuses a
 * row that does not match exactly one instruction for each of its edits. A replacement that needs more than one instruction
 * is a call of a static method that is added to the class, so that the frames of the changed method stay as they are.
 */
/** Applies rows of the catalogue to the shipped classes. */
public final class Rewriter {
    /** A row does not match exactly one instruction, or its class is not there. */
    public static final class RowMismatchException extends Exception {
        private static final long serialVersionUID = 1;

        RowMismatchException(String message) {
            super(message);
        }
    }

    private static final int ASM = Opcodes.ASM9;
    private static final String HELPER = "twin$";
    private static final String NODE = "io/sluice/ringbuffer/pipeline/ConsumerNode";
    private static final String SINGLE = "io/sluice/ringbuffer/SingleProducer";
    private static final String MULTI = "io/sluice/ringbuffer/MultiProducer";
    private static final String STAMPS = "io/sluice/ringbuffer/Stamps";
    private static final String GROUP = "io/sluice/core/SignalGroup";
    private static final String SEQUENCE = "io/sluice/core/Sequence";
    private static final String DELIVERY = "io/sluice/ordered/Delivery";
    private static final String ORDER_BUFFER = "io/sluice/ordered/OrderBuffer";

    private Rewriter() {}

    /**
     * Makes the classes of a row's twin.
     *
     * @param row the row
     * @return class files by binary name
     * @throws RowMismatchException if an edit does not match exactly one instruction
     * @throws IOException if a class file cannot be read
     */
    public static Map<String, byte[]> twin(Row row) throws RowMismatchException, IOException {
        Map<String, byte[]> twins = new LinkedHashMap<>();
        for (Edit edit : row.edits()) {
            byte[] before = twins.get(edit.owner());
            twins.put(edit.owner(), apply(row.name(), edit, before == null ? shipped(edit.owner()) : before));
        }
        return twins;
    }

    /**
     * Writes the classes of a row's twin as files, to be put ahead of the shipped ones on the class path.
     *
     * @param row the row
     * @param folder an existing folder
     * @throws RowMismatchException if an edit does not match exactly one instruction
     * @throws IOException if a file cannot be read or written
     */
    public static void write(Row row, Path folder) throws RowMismatchException, IOException {
        for (Map.Entry<String, byte[]> twin : twin(row).entrySet()) {
            Path file = folder.resolve(twin.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, twin.getValue());
        }
    }

    /**
     * A class as it is shipped.
     *
     * @param name its binary name
     * @return the class file
     * @throws RowMismatchException if it is not on the class path
     * @throws IOException if it cannot be read
     */
    public static byte[] shipped(String name) throws RowMismatchException, IOException {
        try (InputStream file =
                Rewriter.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new RowMismatchException("class " + name + " is not on the class path");
            }
            return file.readAllBytes();
        }
    }

    private static byte[] apply(String row, Edit edit, byte[] file) throws RowMismatchException {
        Editor counting = new Editor(null, edit, "");
        new ClassReader(file).accept(counting, 0);
        if (counting.methods != 1 || counting.matches != edit.of()) {
            throw new RowMismatchException("row " + row + ": " + edit + ": " + counting.methods
                    + " methods of that name with " + counting.matches
                    + " such instructions; demanded is one method with "
                    + edit.of());
        }
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        Editor editing = new Editor(writer, edit, HELPER + row.replace('-', '_') + "$" + edit.nth());
        new ClassReader(file).accept(editing, 0);
        if (editing.replaced != 1) {
            throw new RowMismatchException(
                    "row " + row + ": " + edit + ": replaced " + editing.replaced + " instructions; demanded is 1");
        }
        return writer.toByteArray();
    }

    /** Counts the matches; with somewhere to write, replaces the one that is meant. */
    private static final class Editor extends ClassVisitor {
        private final Edit edit;
        private final String helperName;
        private final boolean writing;
        private final List<Runnable> helpers = new ArrayList<>();

        private String className = "";
        private int methods;
        private int matches;
        private int replaced;

        Editor(@Nullable ClassVisitor next, Edit edit, String helperName) {
            super(ASM, next);
            this.edit = edit;
            this.helperName = helperName;
            this.writing = next != null;
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] interfaces) {
            className = name;
            super.visit(version, access, name, signature, superName, interfaces);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if ((access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) != 0
                    || !(edit.isIn(name) || edit.method().equals(name + descriptor))) {
                return next;
            }
            methods++;
            return new MethodEditor(next, access, descriptor);
        }

        @Override
        public void visitEnd() {
            helpers.forEach(Runnable::run);
            super.visitEnd();
        }

        private final class MethodEditor extends MethodVisitor {
            private int nextLocal;
            private @Nullable Runnable atReturn;

            MethodEditor(@Nullable MethodVisitor next, int access, String descriptor) {
                super(ASM, next);
                nextLocal = (Type.getArgumentsAndReturnSizes(descriptor) >> 2)
                        - ((access & Opcodes.ACC_STATIC) != 0 ? 1 : 0);
            }

            @Override
            public void visitVarInsn(int opcode, int index) {
                nextLocal = Math.max(nextLocal, index + 2);
                super.visitVarInsn(opcode, index);
            }

            /** Counts, and tells whether this is the one to be replaced. */
            private boolean isMeant() {
                return ++matches == edit.nth() && writing;
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
                if (edit.site() instanceof Edit.Call call
                        && call.owner().equals(owner)
                        && call.name().equals(name)
                        && isMeant()) {
                    replaced++;
                    replaceCall(opcode, owner, name, descriptor, isInterface);
                } else {
                    super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                }
            }

            private void replaceCall(int opcode, String owner, String name, String descriptor, boolean isInterface) {
                List<Type> stack = new ArrayList<>();
                if (opcode != Opcodes.INVOKESTATIC) {
                    stack.add(Type.getObjectType(owner));
                }
                stack.addAll(List.of(Type.getArgumentTypes(descriptor)));
                Type result = Type.getReturnType(descriptor);
                Change change = edit.change();
                if (change instanceof Change.CallInstead instead) {
                    super.visitMethodInsn(opcode, owner, instead.name(), descriptor, isInterface);
                } else if (change instanceof Change.Nothing) {
                    demand(result.getSort() == Type.VOID);
                    drop(stack);
                } else if (change instanceof Change.Constant constant) {
                    drop(stack);
                    if (result.getSort() == Type.LONG) {
                        super.visitLdcInsn(constant.value());
                    } else {
                        demand(result.getSort() == Type.INT || result.getSort() == Type.BOOLEAN);
                        super.visitLdcInsn((int) constant.value());
                    }
                } else if (change instanceof Change.FlagCleared) {
                    demand(name.equals("isInterrupted") && descriptor.equals("()Z"));
                    drop(stack);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, owner, "interrupted", descriptor, isInterface);
                } else if (change instanceof Change.SecondArgument) {
                    demand(stack.equals(List.of(result, result)) && opcode == Opcodes.INVOKESTATIC);
                    callHelper(stack, result, method -> {
                        load(method, stack, 1, 2);
                        method.visitInsn(result.getOpcode(Opcodes.IRETURN));
                    });
                } else if (change instanceof Change.ReadThenSet) {
                    demand(name.equals("compareAndSet") && stack.size() >= 3);
                    callHelper(stack, result, method -> readThenSet(method, opcode, owner, stack));
                } else if (change instanceof Change.ReadThenAdd) {
                    demand(name.startsWith("getAndAdd")
                            && stack.get(stack.size() - 1).equals(result));
                    callHelper(stack, result, method -> readThenAdd(method, opcode, owner, stack));
                } else if (change instanceof Change.ReadThenExchange) {
                    demand(name.equals("getAndSet")
                            && (result.getSort() == Type.OBJECT
                                    || stack.get(stack.size() - 1).equals(result)));
                    callHelper(stack, result, method -> readThenExchange(method, opcode, owner, stack, result));
                } else if (change instanceof Change.AtReturn) {
                    demand(result.getSort() == Type.VOID);
                    int[] locals = new int[stack.size()];
                    for (int i = stack.size() - 1; i >= 0; i--) {
                        locals[i] = nextLocal;
                        nextLocal += stack.get(i).getSize();
                        super.visitVarInsn(stack.get(i).getOpcode(Opcodes.ISTORE), locals[i]);
                    }
                    atReturn = () -> {
                        for (int i = 0; i < locals.length; i++) {
                            super.visitVarInsn(stack.get(i).getOpcode(Opcodes.ILOAD), locals[i]);
                        }
                        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                    };
                } else if (change instanceof Change.ThenProgress) {
                    demand(owner.equals(NODE) && descriptor.equals("(J)V"));
                    callHelper(stack, result, method -> {
                        method.visitVarInsn(Opcodes.ALOAD, 0);
                        method.visitVarInsn(Opcodes.LLOAD, 1);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitVarInsn(Opcodes.ALOAD, 0);
                        method.visitFieldInsn(Opcodes.GETFIELD, NODE, "sequence", "L" + SEQUENCE + ";");
                        method.visitVarInsn(Opcodes.LLOAD, 1);
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, SEQUENCE, "setRelease", "(J)V", false);
                        method.visitInsn(Opcodes.RETURN);
                    });
                } else if (change instanceof Change.SignalFirst) {
                    demand(owner.equals(SEQUENCE) && descriptor.equals("(J)V"));
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    super.visitFieldInsn(Opcodes.GETFIELD, className, "signals", "L" + GROUP + ";");
                    stack.add(Type.getObjectType(GROUP));
                    callHelper(stack, result, method -> {
                        method.visitVarInsn(Opcodes.ALOAD, 3);
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, GROUP, "signal", "()V", false);
                        method.visitVarInsn(Opcodes.ALOAD, 0);
                        method.visitVarInsn(Opcodes.LLOAD, 1);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitInsn(Opcodes.RETURN);
                    });
                } else if (change instanceof Change.ThenCursor) {
                    demand(className.equals(SINGLE) && stack.size() == 3 && descriptor.endsWith("J)V"));
                    callHelper(stack, result, method -> {
                        load(method, stack, 0, 3);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitVarInsn(Opcodes.ALOAD, 1);
                        method.visitVarInsn(Opcodes.LLOAD, 2);
                        method.visitVarInsn(Opcodes.LLOAD, 2);
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, SINGLE, "publishClaimed", "(JJ)V", false);
                        method.visitInsn(Opcodes.RETURN);
                    });
                } else if (change instanceof Change.StampFirst) {
                    demand(className.equals(MULTI) && owner.equals(SEQUENCE) && descriptor.equals("(JJ)Z"));
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    stack.add(Type.getObjectType(MULTI));
                    callHelper(stack, result, method -> {
                        method.visitVarInsn(Opcodes.ALOAD, 5);
                        method.visitFieldInsn(Opcodes.GETFIELD, MULTI, "stamps", "L" + STAMPS + ";");
                        method.visitVarInsn(Opcodes.LLOAD, 1); // the claim word before: next << 1
                        method.visitInsn(Opcodes.ICONST_1);
                        method.visitInsn(Opcodes.LSHR);
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, STAMPS, "stamp", "(J)V", false);
                        load(method, stack, 0, 3);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitInsn(Opcodes.IRETURN);
                    });
                } else if (change instanceof Change.TurnFirst) {
                    demand(owner.equals(DELIVERY) && descriptor.equals("(JILjava/lang/Object;)V"));
                    callHelper(stack, result, method -> {
                        method.visitVarInsn(Opcodes.ALOAD, 0);
                        method.visitFieldInsn(Opcodes.GETFIELD, DELIVERY, "buffer", "L" + ORDER_BUFFER + ";");
                        method.visitVarInsn(Opcodes.LLOAD, 1);
                        method.visitInsn(Opcodes.LCONST_1);
                        method.visitInsn(Opcodes.LADD);
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, ORDER_BUFFER, "passTurn", "(J)I", false);
                        method.visitInsn(Opcodes.POP);
                        load(method, stack, 0, 4);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitInsn(Opcodes.RETURN);
                    });
                } else if (change instanceof Change.ThenLowered) {
                    demand(className.equals(GROUP) && stack.size() == 2 && name.equals("getAcquire"));
                    callHelper(stack, result, method -> {
                        load(method, stack, 0, 2);
                        method.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                        method.visitFieldInsn(Opcodes.GETSTATIC, GROUP, "WAITING", "L" + owner + ";");
                        method.visitVarInsn(Opcodes.ALOAD, 1);
                        method.visitVarInsn(Opcodes.ALOAD, 1);
                        method.visitFieldInsn(Opcodes.GETFIELD, GROUP, "quiet", "I");
                        method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, "getAndSet", "(L" + GROUP + ";I)V", false);
                        method.visitInsn(Opcodes.ARETURN);
                    });
                } else {
                    throw new IllegalArgumentException(edit + ": not a change of a call");
                }
            }

            private void demand(boolean fits) {
                if (!fits) {
                    throw new IllegalArgumentException(edit + ": the change does not fit the instruction");
                }
            }

            private void drop(List<Type> stack) {
                for (int i = stack.size() - 1; i >= 0; i--) {
                    super.visitInsn(stack.get(i).getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
                }
            }

            /** Calls a new static method that takes the values on the stack. */
            private void callHelper(List<Type> stack, Type result, java.util.function.Consumer<MethodVisitor> body) {
                String descriptor = Type.getMethodDescriptor(result, stack.toArray(new Type[0]));
                super.visitMethodInsn(Opcodes.INVOKESTATIC, className, helperName, descriptor, false);
                helpers.add(() -> {
                    MethodVisitor method = cv.visitMethod(
                            Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                            helperName,
                            descriptor,
                            null,
                            null);
                    method.visitCode();
                    body.accept(method);
                    method.visitMaxs(0, 0);
                    method.visitEnd();
                });
            }

            /** if (getVolatile(coordinates) == expected) { setVolatile(coordinates, update); return true; } return false; */
            private void readThenSet(MethodVisitor method, int opcode, String owner, List<Type> stack) {
                int coordinates = stack.size() - 2;
                Type value = stack.get(stack.size() - 1);
                load(method, stack, 0, coordinates);
                Type[] where = stack.subList(1, coordinates).toArray(new Type[0]);
                method.visitMethodInsn(opcode, owner, "getVolatile", Type.getMethodDescriptor(value, where), false);
                load(method, stack, coordinates, coordinates + 1);
                Label differs = new Label();
                if (value.getSort() == Type.LONG) {
                    method.visitInsn(Opcodes.LCMP);
                    method.visitJumpInsn(Opcodes.IFNE, differs);
                } else {
                    boolean reference = value.getSort() == Type.OBJECT || value.getSort() == Type.ARRAY;
                    method.visitJumpInsn(reference ? Opcodes.IF_ACMPNE : Opcodes.IF_ICMPNE, differs);
                }
                load(method, stack, 0, coordinates);
                load(method, stack, coordinates + 1, coordinates + 2);
                List<Type> whereAndValue = new ArrayList<>(List.of(where));
                whereAndValue.add(value);
                method.visitMethodInsn(
                        opcode,
                        owner,
                        "setVolatile",
                        Type.getMethodDescriptor(Type.VOID_TYPE, whereAndValue.toArray(new Type[0])),
                        false);
                method.visitInsn(Opcodes.ICONST_1);
                method.visitInsn(Opcodes.IRETURN);
                method.visitLabel(differs);
                method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
                method.visitInsn(Opcodes.ICONST_0);
                method.visitInsn(Opcodes.IRETURN);
            }

            /** before = getVolatile(coordinates); setVolatile(coordinates, before + delta); return before; */
            private void readThenAdd(MethodVisitor method, int opcode, String owner, List<Type> stack) {
                int coordinates = stack.size() - 1;
                Type value = stack.get(coordinates);
                Type[] where = stack.subList(1, coordinates).toArray(new Type[0]);
                int before = stack.stream().mapToInt(Type::getSize).sum();
                load(method, stack, 0, coordinates);
                method.visitMethodInsn(opcode, owner, "getVolatile", Type.getMethodDescriptor(value, where), false);
                method.visitVarInsn(value.getOpcode(Opcodes.ISTORE), before);
                load(method, stack, 0, coordinates);
                method.visitVarInsn(value.getOpcode(Opcodes.ILOAD), before);
                load(method, stack, coordinates, coordinates + 1);
                method.visitInsn(value.getOpcode(Opcodes.IADD));
                List<Type> whereAndValue = new ArrayList<>(List.of(where));
                whereAndValue.add(value);
                method.visitMethodInsn(
                        opcode,
                        owner,
                        "setVolatile",
                        Type.getMethodDescriptor(Type.VOID_TYPE, whereAndValue.toArray(new Type[0])),
                        false);
                method.visitVarInsn(value.getOpcode(Opcodes.ILOAD), before);
                method.visitInsn(value.getOpcode(Opcodes.IRETURN));
            }

            /** before = getVolatile(coordinates); setVolatile(coordinates, value); return before; */
            private void readThenExchange(
                    MethodVisitor method, int opcode, String owner, List<Type> stack, Type result) {
                int coordinates = stack.size() - 1;
                Type[] where = stack.subList(1, coordinates).toArray(new Type[0]);
                load(method, stack, 0, coordinates);
                method.visitMethodInsn(opcode, owner, "getVolatile", Type.getMethodDescriptor(result, where), false);
                load(method, stack, 0, stack.size());
                method.visitMethodInsn(
                        opcode,
                        owner,
                        "setVolatile",
                        Type.getMethodDescriptor(
                                Type.VOID_TYPE, stack.subList(1, stack.size()).toArray(new Type[0])),
                        false);
                method.visitInsn(result.getOpcode(Opcodes.IRETURN));
            }

            private void load(MethodVisitor method, List<Type> stack, int from, int to) {
                int local = 0;
                for (int i = 0; i < to; i++) {
                    if (i >= from) {
                        method.visitVarInsn(stack.get(i).getOpcode(Opcodes.ILOAD), local);
                    }
                    local += stack.get(i).getSize();
                }
            }

            @Override
            public void visitJumpInsn(int opcode, Label label) {
                if (edit.site() instanceof Edit.Jump jump && jump.opcode() == opcode && isMeant()) {
                    replaced++;
                    if (edit.change() instanceof Change.OpcodeInstead instead) {
                        super.visitJumpInsn(instead.opcode(), label);
                        return;
                    }
                    boolean two = opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE;
                    if (opcode != Opcodes.GOTO) { // takes nothing; never taken, a loop ends after its first round
                        super.visitInsn(two ? Opcodes.POP2 : Opcodes.POP);
                    }
                    if (edit.change() instanceof Change.AlwaysJump) {
                        super.visitInsn(Opcodes.ICONST_0);
                        super.visitJumpInsn(Opcodes.IFEQ, label);
                    } else {
                        demand(edit.change() instanceof Change.NeverJump);
                    }
                } else {
                    super.visitJumpInsn(opcode, label);
                }
            }

            @Override
            public void visitInsn(int opcode) {
                if (opcode == Opcodes.RETURN && atReturn != null) {
                    atReturn.run();
                }
                if (edit.site() instanceof Edit.Plain plain && plain.opcode() == opcode && isMeant()) {
                    replaced++;
                    if (edit.change() instanceof Change.OpcodeInstead instead) {
                        super.visitInsn(instead.opcode());
                    } else {
                        demand(edit.change() instanceof Change.Nothing);
                        demand(opcode == Opcodes.AASTORE || opcode == Opcodes.LASTORE);
                        super.visitInsn(opcode == Opcodes.LASTORE ? Opcodes.POP2 : Opcodes.POP);
                        super.visitInsn(Opcodes.POP2);
                    }
                    return;
                }
                super.visitInsn(opcode);
            }
        }
    }
}
