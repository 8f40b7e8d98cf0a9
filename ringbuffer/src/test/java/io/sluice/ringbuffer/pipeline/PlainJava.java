package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A program as a user starts it: by {@code java -cp}, without any option. */
final class PlainJava {
    private PlainJava() {}

    /**
     * Runs a program to its end, which must be a good one.
     *
     * @param folder for its output
     * @param main the program
     * @return all that it printed, on standard output and standard error
     */
    static String output(Path folder, Class<?> main) throws Exception {
        Path output = folder.resolve("output");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .replace("\n", File.pathSeparator),
                        main.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(child.waitFor(50, TimeUnit.SECONDS))
                    .as("the child ended")
                    .isTrue();
        } finally {
            child.destroyForcibly();
        }
        String printed = Files.readString(output, StandardCharsets.UTF_8).strip();
        assertThat(child.exitValue()).as(printed).isZero();
        return printed;
    }
}
