package io.sluice.perf.dropin;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The classes of {@code com.lmax.disruptor} that a child JVM runs on. This JVM's class path has both; a child's has one. */
enum Jar {
    /** LMAX's own. */
    DISRUPTOR("Disruptor"),
    /** Sluice's. */
    DROP_IN("drop-in"),
    /** Sluice's, in a JVM that runs a program without it: {@link BareShapes}. */
    BARE("bare loop");

    private static final String OF_BOTH = "com/lmax/disruptor/RingBuffer.class";
    private static final String OF_OURS = "com/lmax/disruptor/RoomPause.class";

    private final String label;

    Jar(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** This JVM's class path without the other's entry. */
    String classPath() {
        return entries().stream()
                .filter(entry -> !has(entry, OF_BOTH) || isOurs(entry) == (this != DISRUPTOR))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The place that the classes come from: a jar or a folder. */
    Path location() {
        List<String> found = entries().stream()
                .filter(entry -> has(entry, OF_BOTH) && isOurs(entry) == (this != DISRUPTOR))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "the class path must have the " + label + " once, but had it " + found.size() + " times");
        }
        return Path.of(found.get(0)).toAbsolutePath();
    }

    private static List<String> entries() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .filter(entry -> !entry.isEmpty())
                .toList();
    }

    private static boolean isOurs(String entry) {
        return has(entry, OF_OURS);
    }

    private static boolean has(String entry, String name) {
        Path path = Path.of(entry);
        if (Files.isDirectory(path)) {
            return Files.exists(path.resolve(name));
        }
        if (!Files.isRegularFile(path)) {
            return false;
        }
        try (JarFile jar = new JarFile(path.toFile())) {
            return jar.getEntry(name) != null;
        } catch (IOException e) {
            return false; // no jar
        }
    }
}
