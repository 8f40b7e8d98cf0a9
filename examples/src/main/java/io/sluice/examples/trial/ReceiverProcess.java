package io.sluice.examples.trial;

import io.sluice.cli.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A receiver in a process of its own, as its parent sees it. */
final class ReceiverProcess {
    private static final String EOF = "";
    private static final long PATIENCE_SECONDS = 60;

    private final int id;
    private final Process process;
    private final Writer commands;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;
    private final List<String> said = new ArrayList<>();
    private boolean over;
    private boolean killed;

    ReceiverProcess(int id, InetSocketAddress naks, int buffer, boolean speaks, @Nullable InetSocketAddress group)
            throws IOException {
        this.id = id;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Receiver.class.getName(),
                Integer.toString(id),
                naks.getAddress().getHostAddress(),
                Integer.toString(naks.getPort()),
                Integer.toString(buffer),
                Boolean.toString(speaks)));
        if (group != null) {
            command.add(group.getAddress().getHostAddress());
            command.add(Integer.toString(group.getPort()));
        }
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        reader = new Thread(this::read, "receiver-" + id);
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
            lines.add("fault " + e);
        }
        lines.add(EOF);
    }

    int id() {
        return id;
    }

    /** Waits for a line that begins with a word, and keeps those before it; the empty array if the process has ended. */
    String[] await(String word) throws InterruptedException {
        while (true) {
            String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new IllegalStateException(
                        "receiver " + id + " did not say '" + word + "' in " + PATIENCE_SECONDS + " s");
            }
            if (line.equals(EOF)) {
                over = true;
                return new String[0];
            }
            if (line.startsWith(word)) {
                return line.split(" ", -1);
            }
            said.add(line);
        }
    }

    /** The lines that it said besides those that were waited for. */
    List<String> said() {
        return said;
    }

    void command(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
    }

    void signal(String name) throws IOException, InterruptedException, UsageException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        if (kill.waitFor() != 0) {
            throw new UsageException("kill -" + name + " " + process.pid() + ": "
                    + new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim());
        }
    }

    /** Ends it by a signal, as a fault of the schedule. */
    void kill() throws IOException, InterruptedException, UsageException {
        killed = true;
        signal("KILL");
    }

    boolean isKilled() {
        return killed;
    }

    /** Ends it at once, frozen or not, and reads what it has said. Calling it again does nothing. */
    void end() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
        reader.join();
        while (!over) {
            await("nothing begins like this"); // the lines are kept
        }
    }
}
