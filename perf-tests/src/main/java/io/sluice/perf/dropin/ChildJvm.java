package io.sluice.perf.dropin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link Child}, as its parent sees it. */
final class ChildJvm implements AutoCloseable {
    /** The same for both jars. */
    static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

    private final String name;
    private final Path log;
    private final Process process;
    private final BufferedReader in;
    private final OutputStream out;

    /** Starts it, and looks whether it runs on the jar. */
    ChildJvm(Path jdk, Jar jar, Case what, int size, List<String> flags) throws IOException {
        name = what.id() + " on the " + jar.label();
        log = Files.createTempFile("sluice-drop-in-", ".err");
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin").resolve("java").toString());
        command.addAll(FLAGS);
        command.addAll(what.flags());
        command.addAll(flags);
        command.addAll(
                List.of("-cp", jar.classPath(), Child.class.getName(), what.program(jar), Integer.toString(size)));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = process.getOutputStream();
        String location = line();
        if (!Path.of(location).equals(jar.location())) {
            throw failed("must have its classes from " + jar.location() + ", but has them from " + location);
        }
    }

    /** Lets it do its work once. */
    double[] run() throws IOException {
        out.write('\n');
        out.flush();
        return Stream.of(line().split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    private String line() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw failed("ended");
        }
        return line;
    }

    private IOException failed(String what) throws IOException {
        String said = Files.readString(log, StandardCharsets.UTF_8);
        close();
        return new IOException(name + " " + what + "; its errors: " + said);
    }

    @Override
    public void close() throws IOException {
        try {
            out.close();
        } catch (IOException e) {
            // it has ended already
        }
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }
}
