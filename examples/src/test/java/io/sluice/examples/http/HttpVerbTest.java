package io.sluice.examples.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HttpVerbTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final HttpVerb verb = new HttpVerb(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    @Tag("once")
    @Timeout(60)
    void underOverloadSomeAreServedAndTheRestRefused() throws Exception {
        int status = verb.overload(80, TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(status).as(output()).isEqualTo(Verb.DONE);
        assertThat(output())
                .containsPattern("served [1-9]\\d*, refused [1-9]\\d* with 503, failed 0; high water [1-9]")
                .contains("budget 50.00 ms")
                .endsWith("http: 3 passed, 0 failed, 0 skipped\n");
    }

    /** Workers that wait until they are let go: exactly the bound is inside, and the next one is refused with a reason. */
    @Test
    @Tag("once")
    @Timeout(60)
    void whatFitsIntoTheBudgetIsAcceptedAndNotOneMore() throws Exception {
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        try (GatedServer server = new GatedServer(100, 25, 2, () -> await(letGo))) {
            int fit = 8; // 100 / (25 / 2)
            Client[] clients = new Client[fit + 3];
            Thread[] threads = new Thread[clients.length];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = new Client(server.address(), stopped);
                threads[i] = new Thread(clients[i]);
            }
            for (int i = 0; i < fit; i++) {
                threads[i].start();
            }
            while (server.inside() < fit) {
                Thread.onSpinWait();
            }
            assertThat(server.refused()).isZero();
            for (int i = fit; i < clients.length; i++) {
                threads[i].start();
            }
            while (server.refused() < 100) { // these three ask again and again
                Thread.onSpinWait();
            }
            assertThat(server.inside()).isEqualTo(fit);
            assertThat(server.bound()).isEqualTo(fit);
            assertThat(server.served()).isZero();
            stopped.set(true);
            letGo.countDown();
            for (int i = 0; i < clients.length; i++) {
                threads[i].join();
                assertThat(clients[i].wrong()).isEmpty();
                if (i < fit) {
                    assertThat(clients[i].served()).isEqualTo(1);
                }
            }
            server.finish();
            assertThat(server.inside()).isZero();
        }
    }

    /** More half-sent requests than the server has processors or workers; each keeps its thread and nobody else's. */
    @Test
    @Tag("once")
    @Timeout(60)
    void halfSentRequestsStopNobodysAnswersAndAreClosedInTheEnd() throws Exception {
        try (GatedServer server = new GatedServer(TimeUnit.SECONDS.toNanos(10), 25, 2, () -> {})) {
            List<Socket> half = new ArrayList<>();
            try {
                for (int i = 0; i < 40; i++) {
                    Socket socket = new Socket(
                            server.address().getAddress(), server.address().getPort());
                    socket.setSoTimeout(30_000);
                    half.add(socket);
                    socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
                }
                for (int i = 0; i < 20; i++) {
                    assertThat(get(server)).startsWith("HTTP/1.1 200 ");
                }
                while (server.served() < 20) { // counted behind the answer
                    Thread.onSpinWait();
                }
                half.get(0).getOutputStream().write("alhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(line(half.get(0))).as("the rest came late").startsWith("HTTP/1.1 200 ");
                assertThat(half.get(1).getInputStream().read())
                        .as("closed by the server")
                        .isEqualTo(-1);
            } finally {
                for (Socket socket : half) {
                    socket.close();
                }
            }
        }
    }

    @Test
    @Tag("once")
    @Timeout(60)
    void aRequestWhoseWorkThrowsIsAnsweredAndTheNextOneServed() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (GatedServer server = new GatedServer(100, 25, 2, () -> {
            if (broken.get()) {
                throw new IllegalStateException("no money");
            }
        })) {
            for (int i = 0; i < 20; i++) { // more than fit in at a time
                assertThat(get(server)).startsWith("HTTP/1.1 500 ");
            }
            broken.set(false);
            assertThat(get(server)).startsWith("HTTP/1.1 200 ");
            server.finish();
            assertThat(server.failed()).isEqualTo(20);
            assertThat(server.served()).isEqualTo(1);
            assertThat(server.inside()).isZero();
        }
    }

    /** Reads the whole answer: who closes after its first line may cut it off, and is not counted as served. */
    private static String get(GatedServer server) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            String first = line(socket);
            while (socket.getInputStream().read() >= 0) {}
            return first;
        }
    }

    private static String line(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c >= 0 && c != '\r';
                c = socket.getInputStream().read()) {
            text.append((char) c);
        }
        return text.toString();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void wrongUsageIsSaid() {
        assertThatThrownBy(() -> verb.run(List.of("--clients", "0")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--clients must be from 1 to 1000, but was '0'");
        assertThatThrownBy(() -> verb.run(List.of("--seconds")))
                .hasMessage("--seconds must have a value, but none follows");
        assertThatThrownBy(() -> verb.run(List.of("--what", "1"))).hasMessageContaining("but one was '--what'");
        assertThat(verb.usage()).contains("32 fit into the budget");
    }
}
