package io.sluice.ordered;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, with little memory. */
final class ChildJvm {
    private ChildJvm() {}

    /** What the program printed, with its errors. */
    static String run(Class<?> program, String... options) throws IOException, InterruptedException {
        Path out = Files.createTempFile("child", ".out");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
        boolean ended = process.waitFor(90, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        String text = Files.readString(out);
        Files.delete(out);
        return ended ? text : text + "not ended";
    }
}
