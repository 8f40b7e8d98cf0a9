package io.sluice.perf.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.agrona.MutableDirectBuffer;

/** The common parts of all ways by Aeron: a driver without threads, run by the sending thread, and the bytes of a message. */
final class Links {
    static final int STREAM = 10;

    /** The streams of the receivers' signs of life: Aeron's stream, and the stream that the signs name. */
    static final int SIGNS = 11;

    static final long SIGNS_OF = 1;

    private Links() {}

    /**
     * A link whose client touches all pages of a log when it opens the log. Each sample has a log of its own, and is over after a lap or
     * two. A page fault for each 42 messages of 64 bytes cost some 90 ns a message in the first lap. A slower way has fewer laps in the
     * same time, so its messages paid more of it.
     */
    static AeronLink start() {
        return AeronLink.embedded(e -> {
                    throw new IllegalStateException(e);
                })
                .threads(ThreadingMode.INVOKER)
                .driver(Links::settings)
                .client(context -> context.preTouchMappedMemory(true))
                .start();
    }

    private static void settings(MediaDriver.Context context) {
        context.publicationTermBufferLength(1 << 20).ipcTermBufferLength(1 << 24);
    }

    static String ipc() {
        return "aeron:ipc";
    }

    /** Unicast to a port of the loopback that is free now. */
    static String udp() {
        return "aeron:udp?endpoint=127.0.0.1:" + freePort();
    }

    static int freePort() {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes all bytes of a message. */
    static void fill(MutableDirectBuffer buffer, int offset, int length, long value) {
        for (int i = 0; i < length; i += Long.BYTES) {
            buffer.putLong(offset + i, value);
        }
    }
}
