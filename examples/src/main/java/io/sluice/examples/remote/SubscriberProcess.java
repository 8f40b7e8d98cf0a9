package io.sluice.examples.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A subscriber's process, as the source sees it. Used by one thread. */
final class SubscriberProcess implements AutoCloseable {
    private final long id;
    private final String label;
    private final Process process;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private boolean ready;
    private @Nullable Result result;

    /**
     * The report of a subscriber at its end.
     *
     * @param ledger what it has made of the messages
     * @param missing messages that never came, or could not be read
     * @param held how often a message waited with Aeron
     * @param naks how many NAKs it has said
     */
    record Result(Ledger.Result ledger, long missing, long held, long naks) {}

    SubscriberProcess(long id, String label, String data, String naks, long nanosEach) throws IOException {
        this.id = id;
        this.label = label;
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RemoteSubscriber.class.getName(),
                        Long.toString(id),
                        data,
                        naks,
                        Long.toString(nanosEach)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread reader = new Thread(this::read, "subscriber-" + id);
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
            // it ends, or is ended: that is seen by its process
        }
    }

    long id() {
        return id;
    }

    String label() {
        return label;
    }

    long pid() {
        return process.pid();
    }

    /** Takes in its lines. */
    void listen() {
        for (String line = lines.poll(); line != null; line = lines.poll()) {
            if (line.equals(RemoteSubscriber.READY)) {
                ready = true;
            } else if (line.startsWith(RemoteSubscriber.RESULT + " ")) {
                String[] parts = line.split(" ", -1);
                result = new Result(
                        new Ledger.Result(Long.parseLong(parts[1]), parts[2], parts[3]),
                        Long.parseLong(parts[4]),
                        Long.parseLong(parts[5]),
                        Long.parseLong(parts[6]));
            }
        }
    }

    boolean isReady() {
        return ready;
    }

    /** Null until it is done. */
    @Nullable
    Result result() {
        return result;
    }

    /** It has ended without a result, and nothing of it is under way any more. */
    boolean isLost() {
        if (process.isAlive()) {
            return false;
        }
        listen();
        return result == null;
    }

    /** Ends it, at once. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
