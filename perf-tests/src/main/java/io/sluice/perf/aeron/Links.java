package io.sluice.perf.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.agrona.MutableDirectBuffer;

/** What all ways by Aeron have in common: a driver without threads, run by the sending thread, and the bytes of a message. */
final class Links {
    static final int STREAM = 10;

    private Links() {}

    static AeronLink start() {
        return AeronLink.embedded(e -> {
                    throw new IllegalStateException(e);
                })
                .threads(ThreadingMode.INVOKER)
                .driver(Links::settings)
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
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return "aeron:udp?endpoint=127.0.0.1:" + socket.getLocalPort();
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
