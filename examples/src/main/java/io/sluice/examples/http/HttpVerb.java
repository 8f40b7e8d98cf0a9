package io.sluice.examples.http;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** {@code ./sluice http}: overloads a web server behind an admission gate and counts its answers. */
public final class HttpVerb implements Verb {
    private static final int THREADS = 4;
    private static final long SERVICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** The budget of the gate: a fifth is left for time that is not work, such as waiting for a processor. */
    private static final long GATE_NANOS = BUDGET_NANOS / 5 * 4;

    private static final int MOST_SECONDS = 3_600;
    private static final int MOST_CLIENTS = 1_000;

    private final PrintStream out;

    /** Creates the verb on the process's standard output. */
    public HttpVerb() {
        this(System.out);
    }

    HttpVerb(PrintStream out) {
        this.out = out;
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public String summary() {
        return "overload a web server that refuses with 503 what it cannot serve in time";
    }

    @Override
    public String usage() {
        return String.format(
                Locale.ROOT,
                """
                usage: ./sluice http [--seconds N] [--clients N]

                The JDK's web server behind an admission gate: %d workers of %d ms a request, latency budget %d ms. Clients
                on the same machine ask again as soon as they are answered. What cannot be served within the budget is
                refused with 503 and a Retry-After; the gate reckons with four fifths of the budget.

                --seconds N   how long, 1 to %d, 5 unless given
                --clients N   how many, 1 to %d, 100 unless given: %d fit into the budget

                Ends with what was served and refused, and the latencies of accepted requests. Exit status: 0 if every
                answer was 200, or 503 with a Retry-After, and the counts of clients and server agree; 1 if not; 2 on
                wrong usage.
                """,
                THREADS,
                SERVICE_NANOS / 1_000_000,
                BUDGET_NANOS / 1_000_000,
                MOST_SECONDS,
                MOST_CLIENTS,
                GATE_NANOS / (SERVICE_NANOS / THREADS));
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        int seconds = 5;
        int clients = 100;
        for (int i = 0; i < arguments.size(); i += 2) {
            String option = arguments.get(i);
            if (!option.equals("--seconds") && !option.equals("--clients")) {
                throw new UsageException("each argument must be --seconds or --clients, but one was '" + option + "'");
            }
            if (i + 1 == arguments.size()) {
                throw new UsageException(option + " must have a value, but none follows");
            }
            if (option.equals("--seconds")) {
                seconds = number(option, arguments.get(i + 1), MOST_SECONDS);
            } else {
                clients = number(option, arguments.get(i + 1), MOST_CLIENTS);
            }
        }
        return overload(clients, TimeUnit.SECONDS.toNanos(seconds), SERVICE_NANOS);
    }

    /** Runs clients against a server for a while; a request's work is to wait. */
    int overload(int clients, long nanos, long serviceNanos) throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        List<Client> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (GatedServer server = new GatedServer(GATE_NANOS, serviceNanos, THREADS, () -> work(serviceNanos))) {
            for (int i = 0; i < clients; i++) {
                Client client = new Client(server.address(), stopped);
                Thread thread = new Thread(client, "client-" + i);
                all.add(client);
                threads.add(thread);
                thread.start();
            }
            TimeUnit.NANOSECONDS.sleep(nanos);
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            server.finish(); // a client has its answer before the server has counted it
            return account(server, all);
        }
    }

    private static void work(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private int account(GatedServer server, List<Client> clients) {
        long served = clients.stream().mapToLong(Client::served).sum();
        long refused = clients.stream().mapToLong(Client::refused).sum();
        List<String> wrong = clients.stream()
                .map(Client::wrong)
                .filter(text -> !text.isEmpty())
                .toList();
        out.println(server.figures(BUDGET_NANOS));
        boolean[] checks = {
            check(wrong.isEmpty(), "answers that are neither 200 nor 503 with a Retry-After: %s", wrong),
            check(served == server.served() && server.broken() == 0, "%d served, as the clients count", served),
            check(refused == server.refused(), "%d refused, as the clients count", refused),
        };
        int passed = 0;
        for (boolean holds : checks) {
            passed += holds ? 1 : 0;
        }
        out.println(
                String.format(Locale.ROOT, "http: %d passed, %d failed, 0 skipped", passed, checks.length - passed));
        out.flush();
        return passed == checks.length ? DONE : CHECK_FAILED;
    }

    private boolean check(boolean holds, String format, Object value) {
        out.println((holds ? "passed: " : "FAILED: ") + String.format(Locale.ROOT, format, value));
        return holds;
    }

    private static int number(String option, String value, int most) throws UsageException {
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(option + " must be from 1 to " + most + ", but was '" + value + "'");
    }
}
