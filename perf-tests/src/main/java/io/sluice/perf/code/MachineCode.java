package io.sluice.perf.code;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The machine code that C2 made in a child JVM, as instructions: the JVM prints each method's bytes, {@code objdump} disassembles them.
 * Needs x86-64 and {@code objdump}. Any thread.
 */
public final class MachineCode {
    /** The head of a printed method: its compiler and its name. */
    private static final Pattern HEAD = Pattern.compile("^Compiled method \\((\\w+)\\)\\s+.*?\\s(\\S+::\\S+)");

    private static final Pattern BYTES = Pattern.compile("^\\s*0x[0-9a-f]+:((?:[ |]*[0-9a-f]{2,})+)[ |]*$");
    private static final Pattern INSTRUCTION =
            Pattern.compile("^\\s*[0-9a-f]+:\\t(?:[0-9a-f]{2} )+\\s*\\t(\\S.*?)\\s*$");

    private static final int CHILD_SECONDS = 100;

    private MachineCode() {}

    /**
     * One compilation by C2.
     *
     * @param name {@code class::method}
     * @param instructions one a string, in the order of their addresses
     */
    public record Method(String name, List<String> instructions) {
        /** Copies the list. */
        public Method {
            instructions = List.copyOf(instructions);
        }

        /**
         * Its locked instructions.
         *
         * @return in the order of their addresses
         */
        public List<String> locked() {
            return instructions.stream().filter(MachineCode::isLocked).toList();
        }

        /**
         * Locked instructions that write nothing but order everything.
         *
         * @return in the order of their addresses
         */
        public List<String> fences() {
            return instructions.stream().filter(MachineCode::isFence).toList();
        }

        /**
         * The place of the first instruction in which a pattern is found.
         *
         * @param what to be found in it
         * @return its index; -1 if there is none
         */
        public int first(Pattern what) {
            for (int i = 0; i < instructions.size(); i++) {
                if (what.matcher(instructions.get(i)).find()) {
                    return i;
                }
            }
            return -1;
        }

        /**
         * The place of the last instruction in which a pattern is found.
         *
         * @param what to be found in it
         * @return its index; -1 if there is none
         */
        public int last(Pattern what) {
            for (int i = instructions.size() - 1; i >= 0; i--) {
                if (what.matcher(instructions.get(i)).find()) {
                    return i;
                }
            }
            return -1;
        }
    }

    /**
     * The program that a child JVM is to run, and the methods that it is to print.
     *
     * @param main the child's main class
     * @param argument its one argument
     * @param alone methods that are not to be inlined, so that each is compiled by itself: the child's by their names, others as
     *     {@code class::method}
     * @param printed patterns of methods to be printed besides, as of {@code -XX:CompileCommand}
     * @param inlined patterns of the methods that are to become part of their callers, however large that makes those
     * @param flags what the child's JVM gets besides
     */
    public record Child(
            Class<?> main,
            String argument,
            List<String> alone,
            List<String> printed,
            List<String> inlined,
            List<String> flags) {
        /** Copies the lists. */
        public Child {
            alone = List.copyOf(alone);
            printed = List.copyOf(printed);
            inlined = List.copyOf(inlined);
            flags = List.copyOf(flags);
        }
    }

    /**
     * Whether an instruction is locked: it has a lock prefix, or is mfence, or is an xchg with memory, which locks without a prefix. An
     * xchg of registers is a nop or a move.
     *
     * @param instruction of a {@link Method}
     * @return whether it is
     */
    public static boolean isLocked(String instruction) {
        return instruction.startsWith("lock")
                || instruction.startsWith("mfence")
                || (instruction.startsWith("xchg") && instruction.contains("["));
    }

    /**
     * Whether an instruction is HotSpot's safepoint poll within a loop: it reads a page that is not readable when the thread is to stop.
     *
     * @param instruction of a {@link Method}
     * @return whether it is
     */
    public static boolean isPoll(String instruction) {
        return instruction.matches("test DWORD PTR \\[r\\w+\\],eax");
    }

    /**
     * Whether an instruction is HotSpot's full fence: an add of nothing to the stack, or mfence.
     *
     * @param instruction of a {@link Method}
     * @return whether it is
     */
    public static boolean isFence(String instruction) {
        return instruction.startsWith("mfence") || instruction.matches("lock add\\w* DWORD PTR \\[rsp.*,0x0");
    }

    /**
     * Whether this is a processor whose code can be read.
     *
     * @return whether it is x86-64
     */
    public static boolean isX86() {
        return System.getProperty("os.arch").equals("amd64");
    }

    /**
     * Whether {@code objdump} is on the PATH. Starts it.
     *
     * @return whether it runs
     */
    public static boolean hasObjdump() {
        try {
            File said = File.createTempFile("sluice-objdump", ".txt");
            try {
                return run(List.of("objdump", "--version"), said) == 0;
            } finally {
                Files.deleteIfExists(said.toPath());
            }
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Runs a child JVM and reads the code that C2 made of its methods. Blocks until it has ended, 100 s at most.
     *
     * @param folder for its output, which stays there
     * @param child what to run
     * @return each compilation, in the order in which they were made
     * @throws IOException if the child or {@code objdump} fails, or a file
     * @throws InterruptedException if interrupted while waiting
     */
    public static List<Method> compiled(Path folder, Child child) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xbatch",
                "-Xmx512m",
                "-XX:+UseSerialGC", // its store barrier is a plain store; G1's would add fences of the collector's own
                "-XX:-TieredCompilation", // C2 only
                "-XX:+UnlockDiagnosticVMOptions"));
        for (String method : child.alone()) {
            String name = method.contains("::") ? method : child.main().getName() + "::" + method;
            command.add("-XX:CompileCommand=dontinline," + name);
            command.add("-XX:CompileCommand=print," + name);
        }
        for (String pattern : child.printed()) {
            command.add("-XX:CompileCommand=print," + pattern);
        }
        for (String pattern : child.inlined()) {
            command.add("-XX:CompileCommand=inline," + pattern);
        }
        command.addAll(child.flags());
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(child.main().getName());
        command.add(child.argument());
        File output = folder.resolve(child.argument() + ".txt").toFile();
        int status = run(command, output);
        List<String> lines = Files.readAllLines(output.toPath(), StandardCharsets.ISO_8859_1);
        if (status != 0) {
            throw new IOException("the child ended with " + status + ": "
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
            throw new IOException("objdump ended with " + status);
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
                throw new IOException(command.get(0) + " did not end within " + CHILD_SECONDS + " s");
            }
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
