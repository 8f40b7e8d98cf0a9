package io.sluice.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, whose memory a test may use up. */
public final class ChildJvm {
    private static final int SECONDS = 100;

    private ChildJvm() {}

    /**
     * Runs a program with the class path and the JDK of the caller. Waits for its end, and kills it after 100 seconds.
     *
     * @param program has a {@code main}
     * @param options of the JVM, such as {@code -Xmx24m}
     * @param arguments of the program
     * @return what it printed, with its errors; behind that "not ended" if it was killed
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the caller is interrupted while it waits
     */
    public static String run(Class<?> program, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("child", ".out");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
        boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        String text = Files.readString(out);
        Files.delete(out);
        return ended ? text : text + "not ended";
    }
}
