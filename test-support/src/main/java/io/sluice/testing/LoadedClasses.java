package io.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The classes that a program loads, in a JVM of its own. */
public final class LoadedClasses {
    private LoadedClasses() {}

    /**
     * Runs a program to its end, on this JVM's class path.
     *
     * @param folder where its output is kept
     * @param program has a main method
     * @param flags of its JVM
     * @return the names of the classes that it has loaded, each with a space behind it, and what it has printed
     * @throws IOException if it does not start, or its output cannot be read
     * @throws InterruptedException if the caller is interrupted
     * @throws IllegalStateException if it does not end within a minute, or not with 0
     */
    public static String of(Path folder, Class<?> program, String... flags) throws IOException, InterruptedException {
        Path out = folder.resolve("out.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-Xlog:class+load:stdout", "-cp", System.getProperty("java.class.path")));
        command.add(program.getName());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException(program.getName() + " has not ended within a minute");
            }
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(out);
        if (process.exitValue() != 0) {
            throw new IllegalStateException(program.getName() + " ended with " + process.exitValue() + ": " + printed);
        }
        return printed;
    }
}
