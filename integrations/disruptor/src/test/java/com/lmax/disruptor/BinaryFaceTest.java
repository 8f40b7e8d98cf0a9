package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every class and member that a program built against the Disruptor may name is here, with the same descriptor and modifiers. */
class BinaryFaceTest {
    private static final int SEEN = Modifier.PUBLIC | Modifier.PROTECTED;

    /** What a caller or a subclass was compiled against. */
    private static final int KEPT = SEEN | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT | Modifier.INTERFACE;

    @Test
    void everyPublicClassAndMemberOfTheDisruptorIsHere() throws Exception {
        Set<String> missing = new TreeSet<>(theirFace());
        missing.removeAll(face(getClass().getClassLoader()));
        for (String explained : explained()) {
            assertThat(missing.removeIf(line -> line.matches(explained)))
                    .as("the difference that is explained is there: " + explained)
                    .isTrue();
        }
        assertThat(missing).isEmpty();
    }

    /** A class of a program that extends or implements one of ours must not find a further abstract method. */
    @Test
    void nothingAbstractWasAdded() throws Exception {
        Set<String> added = new TreeSet<>(face(getClass().getClassLoader()));
        added.removeAll(theirFace());
        assertThat(added).noneMatch(line -> line.contains(" abstract ") && line.contains("("));
    }

    @Test
    void theFaceIsThatOfAWholeLibrary() throws Exception {
        assertThat(theirFace()).hasSizeGreaterThan(400).anyMatch(line -> line.contains("RingBuffer.tryPublishEvents"));
    }

    /** A program may ask which version it has by the classes that only one has: log4j2 does. */
    @Test
    void noPublicClassWasAdded() throws Exception {
        Set<String> added = new TreeSet<>();
        try (ModuleReader reader = ours().open();
                Stream<String> files = reader.list()) {
            for (String file : files.filter(name -> name.matches("com/lmax/.*[.]class"))
                    .filter(name -> !name.endsWith("package-info.class"))
                    .toList()) {
                String name =
                        file.substring(0, file.length() - ".class".length()).replace('/', '.');
                if (isSeen(Class.forName(name, false, getClass().getClassLoader()))) {
                    added.add(name);
                }
            }
        }
        assertThat(added).hasSizeGreaterThan(40).contains(RingBuffer.class.getName());
        added.removeAll(Peer.classes());
        assertThat(added).isEmpty();
    }

    /** By this class log4j2 tells version 3 from version 4. */
    @Test
    void onlyVersion3HasHandlersThatReportTheirSequence() throws Exception {
        String name = "com.lmax.disruptor.SequenceReportingEventHandler";
        assertThat(isThere(name, getClass().getClassLoader())).isEqualTo(Peer.isVersion3());
        try (URLClassLoader loader = Peer.theirs()) {
            assertThat(isThere(name, loader)).isEqualTo(Peer.isVersion3());
        }
    }

    private static boolean isThere(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader);
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    @Test
    void theModuleHasTheNameAndThePackagesOfTheDisruptors() {
        ModuleDescriptor module = ours().descriptor();
        ModuleDescriptor theirs = module(Peer.jar()).descriptor();
        assertThat(module.name()).isEqualTo("com.lmax.disruptor").isEqualTo(theirs.name());
        assertThat(module.isAutomatic()).isFalse();
        assertThat(module.exports())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder("com.lmax.disruptor", "com.lmax.disruptor.dsl", "com.lmax.disruptor.util");
        assertThat(module.exports()).noneMatch(ModuleDescriptor.Exports::isQualified);
        if (!theirs.isAutomatic()) {
            assertThat(theirs.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .hasSameElementsAs(module.exports().stream()
                            .map(ModuleDescriptor.Exports::source)
                            .toList());
        }
    }

    private static ModuleReference ours() {
        try {
            return module(Path.of(RingBuffer.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ModuleReference module(Path classes) {
        Set<ModuleReference> modules = ModuleFinder.of(classes).findAll();
        assertThat(modules).hasSize(1);
        return modules.iterator().next();
    }

    private static Set<String> theirFace() throws Exception {
        try (URLClassLoader loader = Peer.theirs()) {
            return face(loader);
        }
    }

    /** A line for each class, supertype, constructor, method and field that can be named from outside of its package. */
    private static Set<String> face(ClassLoader loader) throws IOException {
        Set<String> lines = new TreeSet<>();
        for (String name : Peer.classes()) {
            Class<?> type;
            try {
                type = Class.forName(name, false, loader);
            } catch (ClassNotFoundException absent) {
                continue;
            }
            if (isSeen(type)) {
                describe(type, lines);
            }
        }
        return lines;
    }

    private static boolean isSeen(Class<?> type) {
        return (type.getModifiers() & SEEN) != 0
                && (type.getDeclaringClass() == null || isSeen(type.getDeclaringClass()));
    }

    /** Nobody extends a final class, so nobody can name its protected members. */
    private static int seenOf(Class<?> type) {
        return Modifier.isFinal(type.getModifiers()) ? Modifier.PUBLIC : SEEN;
    }

    private static void describe(Class<?> type, Set<String> lines) {
        lines.add("class " + modifiers(type.getModifiers()) + type.getName());
        for (Class<?> above = type.getSuperclass(); above != null; above = above.getSuperclass()) {
            if (isSeen(above)) {
                lines.add(type.getName() + " extends " + above.getName());
            }
        }
        superInterfaces(type).forEach(face -> lines.add(type.getName() + " implements " + face));
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(lines, type, constructor, "<init>", void.class);
        }
        for (Class<?> above = type; above != null; above = above.getSuperclass()) {
            for (Method method : above.getDeclaredMethods()) { // an inherited one is found by its heirs' names too
                add(lines, type, method, method.getName(), method.getReturnType());
            }
            for (Field field : above.getDeclaredFields()) {
                if (above.getName().startsWith("com.lmax.") && (field.getModifiers() & seenOf(type)) != 0) {
                    lines.add("field " + modifiers(field.getModifiers()) + type.getName() + "." + field.getName() + " "
                            + field.getType().getName());
                }
            }
        }
    }

    private static void add(Set<String> lines, Class<?> type, Executable member, String name, Class<?> result) {
        if ((member.getModifiers() & seenOf(type)) == 0
                || member.isSynthetic()
                || !member.getDeclaringClass().getName().startsWith("com.lmax.")) {
            return;
        }
        int modifiers = member.getModifiers();
        if (Modifier.isFinal(type.getModifiers()) || Modifier.isStatic(modifiers)) {
            modifiers &= ~Modifier.FINAL; // nobody can override it anyway
        }
        lines.add(type.getName() + "." + name + " " + modifiers(modifiers)
                + Arrays.stream(member.getParameterTypes())
                        .map(Class::getName)
                        .collect(Collectors.joining(",", "(", ")"))
                + result.getName()
                + (member.isVarArgs() ? " varargs" : ""));
    }

    private static Set<String> superInterfaces(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Class<?> above = type; above != null; above = above.getSuperclass()) {
            for (Class<?> face : above.getInterfaces()) {
                if (isSeen(face)) {
                    names.add(face.getName());
                }
                names.addAll(superInterfaces(face));
            }
        }
        return names;
    }

    private static String modifiers(int modifiers) {
        return Modifier.toString(modifiers & KEPT) + " ";
    }

    /** Patterns of the lines that are missing, each with its reason in the file. */
    private static List<String> explained() throws IOException {
        try (InputStream in = BinaryFaceTest.class.getResourceAsStream("face-differences.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
