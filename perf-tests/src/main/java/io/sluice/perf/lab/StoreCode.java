package io.sluice.perf.lab;

import io.sluice.perf.code.MachineCode;
import io.sluice.perf.code.MachineCode.Method;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The code that C2 makes of the store of each mode of access: it shows where the lock is. */
final class StoreCode {
    private static final int CALLS = 50_000;

    /** Modes by the word that the child takes. */
    private static final Map<String, Class<?>> MODES = modes();

    /** A store of the value, which comes last in the call, to a word of the array. */
    private static final Pattern STORE = Pattern.compile("^(?:mov|xchg) QWORD PTR \\[r\\w+[^]]*],r|^lock cmpxchg");

    private StoreCode() {}

    private static Map<String, Class<?>> modes() {
        Map<String, Class<?>> modes = new LinkedHashMap<>();
        modes.put("opaque", Baton.Opaque.class);
        modes.put("release", Baton.Release.class);
        modes.put("volatile", Baton.Volatile.class);
        modes.put("cas", Baton.CompareAndSet.class);
        return modes;
    }

    /** A line for each mode; or one that says why there are none. */
    static List<String> lines() {
        if (!MachineCode.isX86()) {
            return List.of("Machine code: not shown, since it is read for x86-64 only, and this is "
                    + System.getProperty("os.arch") + ".");
        }
        if (!MachineCode.hasObjdump()) {
            return List.of(
                    "Machine code: not shown, since there is no objdump on the PATH (apt-get install binutils).");
        }
        List<String> lines = new ArrayList<>();
        try {
            for (String mode : MODES.keySet()) {
                lines.add(line(mode, method(mode)));
            }
        } catch (IOException e) {
            lines.add("Machine code: not shown: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            lines.add("Machine code: interrupted.");
        }
        return lines;
    }

    /** The last compilation of the mode's store. */
    static Method method(String mode) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-lab");
        try {
            List<Method> found = MachineCode.compiled(
                            folder,
                            new MachineCode.Child(
                                    StoreCode.class, mode, List.of("store"), List.of(), List.of(), List.of()))
                    .stream()
                    .filter(method -> method.name().equals(StoreCode.class.getName() + "::store"))
                    .toList();
            if (found.isEmpty()) {
                throw new IOException("C2 printed no store of mode " + mode);
            }
            return found.get(found.size() - 1);
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    static String line(String mode, Method method) {
        int store = method.first(STORE);
        if (store < 0) {
            return "Machine code of a store, " + mode + ": not found.";
        }
        List<String> locked = method.locked();
        return "Machine code of a store, " + mode + ": " + method.instructions().get(store)
                + (locked.isEmpty()
                        ? "; no locked instruction."
                        : locked.contains(method.instructions().get(store))
                                ? "; that one is locked."
                                : "; behind it " + String.join(", ", locked) + ".");
    }

    /**
     * The program of the child: stores of one mode.
     *
     * @param arguments the mode
     */
    public static void main(String[] arguments) {
        Baton.Words words = switch (arguments[0]) {
            case "opaque" -> new Baton.Opaque(true);
            case "release" -> new Baton.Release(true);
            case "volatile" -> new Baton.Volatile(true);
            default -> new Baton.CompareAndSet(true);
        };
        for (int i = 1; i <= CALLS; i++) {
            store(words, i);
        }
        if (words.get(Baton.Words.at(0)) != CALLS) {
            throw new IllegalStateException("the word must hold " + CALLS);
        }
    }

    /** Compiled by itself, with the baton's store in place. */
    static void store(Baton.Words words, long value) {
        words.give(0, value);
    }
}
