package io.sluice.examples.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.backpressure.admission.Admission;
import io.sluice.backpressure.admission.AdmissionGate;
import io.sluice.backpressure.admission.WaterMarkHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The JDK's web server behind an {@link AdmissionGate}. Threads of their own read requests and ask the gate: an admitted request
 * goes to the workers' queue, which the gate keeps as short as the latency budget demands; another is answered at once with 503,
 * the reason, and a Retry-After.
 *
 * <p>The JDK's server reads a request by a blocking call. So a client that sends half a request keeps a reading thread, and no
 * more: the others are read by other threads, and after {@value #MOST_READING_SECONDS} s the connection is closed. A request whose
 * work throws is answered with 500 and counted.
 */
final class GatedServer implements AutoCloseable {
    private static final int MOST_LATENCY_SECONDS = 60;

    /** Requests that are read at a time; a connection beyond is closed by the server. */
    static final int MOST_READING = 1_024;

    /** How long a request may take to arrive, and an answer to leave. */
    static final int MOST_READING_SECONDS = 5;

    static {
        // The JDK's server reads these once, when its first server is made. The command line has precedence.
        for (String time : new String[] {"sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime"}) {
            if (System.getProperty(time) == null) {
                System.setProperty(time, Integer.toString(MOST_READING_SECONDS));
            }
        }
    }

    private final HttpServer server;
    private final ExecutorService front =
            new ThreadPoolExecutor(1, MOST_READING, 10, TimeUnit.SECONDS, new SynchronousQueue<>());
    private final ExecutorService workers;
    private final AdmissionGate gate;
    private final Runnable work;
    private final LongAdder served = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder highWater = new LongAdder();
    private final Histogram latency = new ConcurrentHistogram(1, TimeUnit.SECONDS.toNanos(MOST_LATENCY_SECONDS), 3);

    /**
     * Starts a server on a free port of the loopback interface.
     *
     * @param budgetNanos what an accepted request may take
     * @param serviceNanos what the work takes, as far as is known
     * @param threads that do the work
     * @param work what is done for a request
     * @throws IOException if no port can be bound
     */
    GatedServer(long budgetNanos, double serviceNanos, int threads, Runnable work) throws IOException {
        this.work = work;
        gate = AdmissionGate.builder(budgetNanos, serviceNanos, threads, SystemNanoClock.INSTANCE)
                .waterMarks(0.5, 0.7, new WaterMarkHandler() {
                    @Override
                    public void onHighWater(long inside, long bound) {
                        highWater.increment();
                    }

                    @Override
                    public void onLowWater(long inside, long bound) {}
                })
                .build();
        workers = Executors.newFixedThreadPool(threads);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.setExecutor(front);
        server.createContext("/", this::onRequest);
        server.start();
    }

    private void onRequest(HttpExchange exchange) throws IOException {
        long entered = System.nanoTime();
        Admission answer = gate.tryEnter();
        if (!answer.admitted()) {
            refused.increment();
            long seconds = Math.max(1, (gate.retryAfterNanos() + 999_999_999) / 1_000_000_000);
            exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
            answer(exchange, 503, answer.reason());
            return;
        }
        boolean taken = false;
        try {
            workers.execute(() -> serve(exchange, entered));
            taken = true;
        } finally {
            if (!taken) {
                gate.exit();
                exchange.close();
            }
        }
    }

    private void serve(HttpExchange exchange, long entered) {
        long begin = System.nanoTime();
        long took = -1;
        try {
            work.run();
            answer(exchange, 200, "served");
            took = System.nanoTime() - begin;
            served.increment();
            latency.recordValue(Math.min(System.nanoTime() - entered, latency.getHighestTrackableValue()));
        } catch (IOException e) {
            broken.increment(); // the client has gone
        } catch (RuntimeException | Error e) {
            failed.increment();
            refuse(exchange, e);
            if (e instanceof Error error) {
                throw error; // to the worker's thread, which reports it
            }
        } finally {
            if (took >= 0) {
                gate.exit(took);
            } else {
                gate.exit();
            }
        }
    }

    /** Answers a request whose work has failed; the connection is closed if that fails, too. */
    private static void refuse(HttpExchange exchange, Throwable cause) {
        try {
            answer(exchange, 500, "the work failed: " + cause);
        } catch (IOException | RuntimeException e) {
            exchange.close();
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    long served() {
        return served.sum();
    }

    long refused() {
        return refused.sum();
    }

    /** Accepted requests whose clients went before they were answered. */
    long broken() {
        return broken.sum();
    }

    /** Accepted requests whose work has thrown. */
    long failed() {
        return failed.sum();
    }

    long inside() {
        return gate.inside();
    }

    long bound() {
        return gate.bound();
    }

    String figures(long budgetNanos) {
        return String.format(
                Locale.ROOT,
                "served %d, refused %d with 503, failed %d; high water %d times%n"
                        + "accepted requests, from the gate to the answer: median %.2f ms, 99 %% %.2f ms, worst %.2f ms; budget %.2f ms%n"
                        + "service time %.3f ms on average, 99 %% %.3f ms; bound now %d requests",
                served(),
                refused(),
                failed(),
                highWater.sum(),
                latency.getValueAtPercentile(50) / 1e6,
                latency.getValueAtPercentile(99) / 1e6,
                latency.getMaxValue() / 1e6,
                budgetNanos / 1e6,
                gate.serviceNanos() / 1e6,
                gate.serviceNanosAtPercentile(99) / 1e6,
                gate.bound());
    }

    @Override
    public void close() {
        server.stop(0);
        front.shutdownNow();
        finish();
    }

    /** Waits until every accepted request has been answered and counted; no further one can be served. */
    void finish() {
        workers.shutdown();
        try {
            if (!workers.awaitTermination(MOST_LATENCY_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the workers did not end in " + MOST_LATENCY_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
