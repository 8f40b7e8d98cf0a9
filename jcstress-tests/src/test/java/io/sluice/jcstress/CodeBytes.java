package io.sluice.jcstress;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The machine code that C2 made in a child JVM, as instructions: the JVM prints each method's bytes, {@code objdump}
 * disassembles them. Needs x86-64 and {@code objdump}.
 */
final class CodeBytes {
    /** The head of a printed method: its compiler and its name. */
    private static final Pattern HEAD = Pattern.compile("^Compiled method \\((\\w+)\\)\\s+.*?\\s(\\S+::\\S+)");

    private static final Pattern BYTES = Pattern.compile("^\\s*0x[0-9a-f]+:((?:[ |]*[0-9a-f]{2,})+)[ |]*$");
    private static final Pattern INSTRUCTION =
            Pattern.compile("^\\s*[0-9a-f]+:\\t(?:[0-9a-f]{2} )+\\s*\\t(\\S.*?)\\s*$");

    private static final int CHILD_SECONDS = 100;

    private CodeBytes() {}

    /** One compilation by C2: {@code class::method} and its instructions, one a string, in the order of their addresses. */
    record Method(String name, List<String> instructions) {
        List<String> locked() {
            return instructions.stream().filter(CodeBytes::isLocked).toList();
        }

        /** Locked instructions that write nothing but order everything. */
        List<String> fences() {
            return instructions.stream().filter(CodeBytes::isFence).toList();
        }

        int first(Pattern what) {
            for (int i = 0; i < instructions.size(); i++) {
                if (what.matcher(instructions.get(i)).find()) {
                    return i;
                }
            }
            return -1;
        }

        int last(Pattern what) {
            for (int i = instructions.size() - 1; i >= 0; i--) {
                if (what.matcher(instructions.get(i)).find()) {
                    return i;
                }
            }
            return -1;
        }
    }

    /** A lock prefix, mfence, or an xchg with memory, which locks without a prefix; an xchg of registers is a nop or a move. */
    static boolean isLocked(String instruction) {
        return instruction.startsWith("lock")
                || instruction.startsWith("mfence")
                || (instruction.startsWith("xchg") && instruction.contains("["));
    }

    /** How HotSpot looks, within a loop, whether the thread is to stop: it reads a page that is then not readable. */
    static boolean isPoll(String instruction) {
        return instruction.matches("test DWORD PTR \\[r\\w+\\],eax");
    }

    /** How HotSpot writes a full fence: an add of nothing to the stack, or mfence. */
    static boolean isFence(String instruction) {
        return instruction.startsWith("mfence") || instruction.matches("lock add\\w* DWORD PTR \\[rsp.*,0x0");
    }

    /** Skips the test where the bytes cannot be read; fails it where they could be, and the continuous build says so. */
    static void assumeAvailable() {
        decide(System.getProperty("os.arch").equals("amd64"), CodeBytes::hasObjdump, System.getenv("CI"));
    }

    static void decide(boolean amd64, BooleanSupplier objdump, @Nullable String ci) {
        assumeTrue(amd64, "needs x86-64");
        boolean there = objdump.getAsBoolean();
        if (!there && "true".equals(ci)) {
            throw new AssertionError(
                    "CI=true on x86-64, and no objdump on the PATH: nothing would look at the machine code;"
                            + " install binutils");
        }
        assumeTrue(there, "needs objdump");
    }

    private static boolean hasObjdump() {
        try {
            return run(
                            List.of("objdump", "--version"),
                            new File(System.getProperty("java.io.tmpdir"), "objdump-version"))
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Runs a child JVM and reads what C2 made of its methods.
     *
     * @param main the child's main class
     * @param argument its one argument
     * @param alone methods that are not to be inlined, so that each is compiled by itself: the child's by their names, others
     *     as {@code class::method}
     * @param printed patterns of methods to be printed besides, as of {@code -XX:CompileCommand}
     */
    static List<Method> compiled(Path folder, Class<?> main, String argument, List<String> alone, List<String> printed)
            throws IOException, InterruptedException {
        return compiled(folder, main, argument, alone, printed, List.of());
    }

    /**
     * As above, where a method is to hold all that it calls of some classes, however large that makes it.
     *
     * @param inlined patterns of the methods that are to become part of their callers
     */
    static List<Method> compiled(
            Path folder, Class<?> main, String argument, List<String> alone, List<String> printed, List<String> inlined)
            throws IOException, InterruptedException {
        return compiled(folder, main, argument, alone, printed, inlined, List.of());
    }

    /**
     * As above, with more flags for the child.
     *
     * @param flags what its JVM gets besides
     */
    static List<Method> compiled(
            Path folder,
            Class<?> main,
            String argument,
            List<String> alone,
            List<String> printed,
            List<String> inlined,
            List<String> flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xbatch",
                "-Xmx512m",
                "-XX:+UseSerialGC", // its store barrier is a plain store; G1's would add fences of the collector's own
                "-XX:-TieredCompilation", // C2 only
                "-XX:+UnlockDiagnosticVMOptions"));
        for (String method : alone) {
            String name = method.contains("::") ? method : main.getName() + "::" + method;
            command.add("-XX:CompileCommand=dontinline," + name);
            command.add("-XX:CompileCommand=print," + name);
        }
        for (String pattern : printed) {
            command.add("-XX:CompileCommand=print," + pattern);
        }
        for (String pattern : inlined) {
            command.add("-XX:CompileCommand=inline," + pattern);
        }
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.add(argument);
        File output = folder.resolve(argument + ".txt").toFile();
        int status = run(command, output);
        List<String> lines = Files.readAllLines(output.toPath(), StandardCharsets.ISO_8859_1);
        if (status != 0) {
            throw new AssertionError("the child ended with " + status + ": "
                    + lines.subList(Math.max(0, lines.size() - 20), lines.size()));
        }
        return methods(folder, lines);
    }

    private static List<Method> methods(Path folder, List<String> lines) throws IOException, InterruptedException {
        List<Method> methods = new ArrayList<>();
        String name = null;
        StringBuilder hex = null;
        for (String line : lines) {
            Matcher head = HEAD.matcher(line);
            if (head.find()) {
                name = head.group(1).equals("c2") ? head.group(2) : null;
            } else if (line.startsWith("[MachCode]")) {
                hex = new StringBuilder();
            } else if (line.startsWith("[/MachCode]")) {
                if (name != null && hex != null) {
                    methods.add(
                            new Method(name, disassembled(folder, HexFormat.of().parseHex(hex))));
                }
                name = null;
                hex = null;
            } else if (hex != null) {
                Matcher bytes = BYTES.matcher(line);
                if (bytes.find()) {
                    hex.append(bytes.group(1).replaceAll("[ |]", ""));
                }
            }
        }
        return methods;
    }

    private static List<String> disassembled(Path folder, byte[] code) throws IOException, InterruptedException {
        Path binary = Files.write(folder.resolve("code.bin"), code);
        File listing = folder.resolve("code.txt").toFile();
        int status = run(
                List.of("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", binary.toString()),
                listing);
        if (status != 0) {
            throw new AssertionError("objdump ended with " + status);
        }
        List<String> instructions = new ArrayList<>();
        for (String line : Files.readAllLines(listing.toPath(), StandardCharsets.ISO_8859_1)) {
            Matcher instruction = INSTRUCTION.matcher(line);
            if (instruction.find()) {
                instructions.add(instruction.group(1).replaceAll("\\s+", " "));
            }
        }
        return instructions;
    }

    private static int run(List<String> command, File output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            if (!process.waitFor(CHILD_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(command.get(0) + " did not end within " + CHILD_SECONDS + " s");
            }
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
