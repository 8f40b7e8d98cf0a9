package io.sluice.examples.http;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client that asks again as soon as it is answered, refused or not: many of them overload any server. */
final class Client implements Runnable {
    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int TIMEOUT_MILLIS = 30_000;

    private final InetSocketAddress server;
    private final AtomicBoolean stopped;
    private long served;
    private long refused;
    private String wrong = "";

    Client(InetSocketAddress server, AtomicBoolean stopped) {
        this.server = server;
        this.stopped = stopped;
    }

    @Override
    public void run() {
        try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!stopped.get() && wrong.isEmpty()) {
                out.write(REQUEST);
                out.flush();
                read(in);
            }
        } catch (IOException e) {
            wrong = e.toString();
        }
    }

    private void read(InputStream in) throws IOException {
        String status = line(in);
        int length = 0;
        long retryAfter = -1;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(
                        lower.substring("content-length:".length()).trim());
            } else if (lower.startsWith("retry-after:")) {
                retryAfter =
                        Long.parseLong(lower.substring("retry-after:".length()).trim());
            }
        }
        in.skipNBytes(length);
        if (status.startsWith("HTTP/1.1 200 ")) {
            served++;
        } else if (status.startsWith("HTTP/1.1 503 ") && retryAfter >= 1) {
            refused++;
        } else {
            wrong = status + ", Retry-After " + retryAfter;
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection within an answer");
            }
            if (c != '\r') {
                text.append((char) c);
            }
        }
        return text.toString();
    }

    long served() {
        return served;
    }

    long refused() {
        return refused;
    }

    /** An answer that was neither 200 nor 503 with a Retry-After; empty if there was none. */
    String wrong() {
        return wrong;
    }
}
