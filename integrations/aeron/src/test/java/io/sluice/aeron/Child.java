package io.sluice.aeron;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, which ends when its parent closes its standard input. */
final class Child implements AutoCloseable {
    final List<String> lines = new CopyOnWriteArrayList<>();
    private final Process process;
    private final Thread reader;

    Child(Class<?> main, Object... arguments) throws IOException {
        this(System.getProperty("java.class.path"), main, arguments);
    }

    Child(String classPath, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                classPath,
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = new Thread(this::read, main.getSimpleName());
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("end: " + e.getMessage());
        }
    }

    boolean said(String beginning) {
        return lines.stream().anyMatch(line -> line.startsWith(beginning));
    }

    /** The number in the last line that begins so; -1 without one. */
    long last(String beginning) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).startsWith(beginning)) {
                return Long.parseLong(lines.get(i).substring(beginning.length()).strip());
            }
        }
        return -1;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGSTOP: nothing of it runs. */
    void stop() throws Exception {
        signal("STOP");
    }

    /** SIGCONT. */
    void goOn() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start();
        if (!kill.waitFor(20, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            kill.destroyForcibly();
            throw new AssertionError("kill -" + name + " must be understood here");
        }
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().orTimeout(20, TimeUnit.SECONDS).join();
        try {
            reader.join(20_000);
        } catch (InterruptedException e) {
            throw new AssertionError("the test was interrupted", e);
        }
    }

    int end() throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            kill();
            throw new AssertionError("did not end: " + lines);
        }
        reader.join(20_000);
        return process.exitValue();
    }

    @Override
    public void close() {
        kill();
    }

    /** For a child: whether its parent still wants it. */
    static boolean isWanted() {
        return !Parent.WATCHER.gone;
    }

    /** Loaded by children alone: the standard input of a test's JVM is not ours to read. */
    private static final class Parent {
        private static final Watcher WATCHER = new Watcher();
    }

    /** Ends a child whose parent is gone. */
    private static final class Watcher extends Thread {
        volatile boolean gone;

        Watcher() {
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            try {
                while (System.in.read() >= 0) {}
            } catch (IOException e) {
                // gone too
            }
            gone = true;
        }
    }
}
