package io.sluice.perf.compare;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A contestant's JVM, as the driver sees it. */
final class ChildProcess implements AutoCloseable {
    /** The flags of every contestant: a fixed heap, and the flags that Agrona's buffers need. */
    static final List<String> FLAGS = List.of(
            "-Xms512m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    private final String name;
    private final Path log;
    private final Process process;
    private final BufferedReader in;
    private final OutputStream out;
    private boolean runsOn;

    /** Starts the JVM; it warms up by itself. */
    ChildProcess(Path jdk, Row row, Visited visited, List<String> flags, Path logs) throws IOException {
        this.name = row.id() + "/" + visited.id();
        this.log = logs.resolve(row.id() + "-" + visited.id() + ".log");
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin").resolve("java").toString());
        command.addAll(FLAGS);
        command.addAll(flags);
        command.addAll(visited.entry().flags());
        command.add("-cp");
        String own = System.getProperty("java.class.path");
        command.add(visited.ahead() == null ? own : visited.ahead() + File.pathSeparator + own);
        command.add(Child.class.getName());
        command.add(row.id());
        command.add(visited.entry().id());
        Files.createDirectories(logs);
        process = new ProcessBuilder(command)
                .redirectError(new File(log.toString()))
                .start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = process.getOutputStream();
    }

    /** Waits until the contestant is warm. If its threads work on, its process is stopped from then on, except during its samples. */
    void awaitReady() throws IOException {
        String line = in.readLine();
        runsOn = Child.RUNNING.equals(line);
        if (!runsOn && !Child.READY.equals(line)) {
            throw ended("did not get ready, but said '" + line + "'");
        }
        rest();
    }

    private void rest() throws IOException {
        if (runsOn) {
            StoppedProcess.stop(process.pid());
        }
    }

    private void goOn() throws IOException {
        if (runsOn) {
            StoppedProcess.goOn(process.pid());
        }
    }

    private String ask(String question) throws IOException {
        goOn();
        out.write((question + "\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        String line = in.readLine();
        if (line == null) {
            throw ended("ended");
        }
        rest();
        return line;
    }

    /** Has the contestant check all that it moved in its samples. */
    void finish() throws IOException {
        String line = ask(Child.FINISH);
        if (!Child.FINISHED.equals(line)) {
            throw ended("did not finish, but said '" + line + "'");
        }
    }

    /** The answer of a contestant: the figure, and the detail if it has one. */
    record Answer(double figure, String detail) {}

    Answer sample(long millis) throws IOException {
        String line = ask("sample " + millis);
        int space = line.indexOf(' ');
        return space < 0
                ? new Answer(Double.parseDouble(line), "")
                : new Answer(Double.parseDouble(line.substring(0, space)), line.substring(space + 1));
    }

    private IOException ended(String what) throws IOException {
        process.destroyForcibly();
        return new IOException(name + " " + what + "; its errors: " + Files.readString(log, StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        if (runsOn) {
            kill(); // its threads work on; what it moved is checked by finish()
        }
        out.close();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** For a shutdown hook: at once. */
    void kill() {
        process.destroyForcibly();
    }
}
