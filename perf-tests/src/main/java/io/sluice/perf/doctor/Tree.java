package io.sluice.perf.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The files of a system under {@code /proc} and {@code /sys}: those of this machine, or recorded ones. For one thread. */
interface Tree {
    /**
     * Reads a file.
     *
     * @param path absolute
     * @return its text without white space at both ends; empty if it is not there, can not be read, or holds nothing
     */
    String text(String path);

    /**
     * Lists a folder.
     *
     * @param path absolute
     * @return the names in it, sorted; none if it is not there or can not be read
     */
    List<String> names(String path);

    /** Whether a file or folder is there. */
    default boolean has(String path) {
        return !text(path).isEmpty() || !names(path).isEmpty();
    }

    /** The lines of a file; none if it can not be read. */
    default List<String> lines(String path) {
        return text(path).lines().toList();
    }

    /** The number that a file holds, or another one if it holds none. */
    default long number(String path, long otherwise) {
        return number(text(path), otherwise, "");
    }

    /** The number in a text, or another one if it is none; the text may end with {@code end}, which is cut off. */
    static long number(String text, long otherwise, String end) {
        String digits = !end.isEmpty() && text.endsWith(end) ? text.substring(0, text.length() - end.length()) : text;
        try {
            return Long.parseLong(digits.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /** The number behind a word that begins a line, or another one. */
    default long numberAfter(String path, String word, long otherwise) {
        for (String line : lines(path)) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length > 1 && words[0].equals(word)) {
                return number(words[1], otherwise, "");
            }
        }
        return otherwise;
    }

    /** The numbers of the processors that are online, or those of the topology where the system does not say. */
    default List<Integer> processors() {
        List<Integer> online = Lists.numbers(text("/sys/devices/system/cpu/online"));
        if (!online.isEmpty()) {
            return online;
        }
        List<Integer> found = new ArrayList<>();
        for (String line : lines("/proc/cpuinfo")) {
            if (line.startsWith("processor")) {
                int number = (int) number(line.substring(line.indexOf(':') + 1), -1, "");
                if (number >= 0) {
                    found.add(number);
                }
            }
        }
        return found;
    }

    /** The file of a processor below its folder. */
    static String ofProcessor(int processor, String file) {
        return "/sys/devices/system/cpu/cpu" + processor + "/" + file;
    }

    /** The distinct texts of a file of each processor, sorted; none if no processor has it. */
    default List<String> ofProcessors(String file) {
        TreeSet<String> found = new TreeSet<>();
        for (int processor : processors()) {
            String text = text(ofProcessor(processor, file));
            if (!text.isEmpty()) {
                found.add(text);
            }
        }
        return List.copyOf(found);
    }

    /**
     * Files below a folder of the real system.
     *
     * @param root {@code /}, or a folder that holds a copy
     * @return the tree
     */
    static Tree below(Path root) {
        return new Tree() {
            @Override
            public String text(String path) {
                try {
                    return Files.readString(root.resolve(path.substring(1)), StandardCharsets.ISO_8859_1)
                            .strip();
                } catch (IOException | UncheckedIOException | SecurityException e) {
                    return ""; // the findings say what is not known
                }
            }

            @Override
            public List<String> names(String path) {
                Path folder = root.resolve(path.substring(1));
                try (Stream<Path> entries = Files.list(folder)) {
                    return entries.map(entry -> entry.getFileName().toString())
                            .sorted()
                            .toList();
                } catch (IOException | UncheckedIOException | SecurityException e) {
                    return List.of();
                }
            }
        };
    }
}
