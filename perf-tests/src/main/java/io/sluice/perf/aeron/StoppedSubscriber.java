package io.sluice.perf.aeron;

import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronNakTransport;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.EventEncoder;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.SilentReceiverHandler;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.cli.Interruption;
import io.sluice.core.RunnerAgent;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Table;
import io.sluice.perf.compare.StoppedProcess;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Machine;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;

/**
 * {@code ./sluice bench aeron-stop}: several subscribers in processes of their own, of which one is stopped for a while. It shows how the
 * others fare under each of Aeron's flow controls.
 */
public final class StoppedSubscriber {
    /** The word after {@code bench}. */
    public static final String NAME = "aeron-stop";

    /** The flow controls, each with its parameters in the channel of the publication. */
    private static final Map<String, String> FLOWS =
            Map.of("max", "fc=max", "min", "fc=min,t:500ms", "tagged", "fc=tagged,g:7,t:500ms");

    private static final List<String> NAMES = List.of("max", "min", "tagged");
    private static final double LEAST = 0.98;
    private static final int RATE = 10_000;
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A subscriber that sends no sign of life for so long is named; one is due each 50 ms. */
    private static final long SILENT_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long NAMED_WITHIN_MILLIS = 1_000;
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int subscribers;
    private final int stopSeconds;
    private final Interruption interruption;

    /**
     * The outcome under one flow control.
     *
     * @param flow its name
     * @param before messages a second and subscriber before the stop
     * @param stalled how long the others got less than {@value #LEAST} of that, milliseconds
     * @param worst the least part of it that they got in half a second that began a second or more after the stop
     * @param named the subscriber that the sender named as silent: its number, from 1; 0 if none, -1 if others than the stopped one
     * @param namedAfter how long after the stop, milliseconds; -1 if it was not named
     * @param backAfter how long after it ran again it was told as back, milliseconds; -1 if it was not
     * @param missing messages that the stopped one was told it had missed when it ran again
     * @param missingOfOthers the same of the others
     */
    record Outcome(
            String flow,
            double before,
            long stalled,
            double worst,
            int named,
            long namedAfter,
            long backAfter,
            long missing,
            long missingOfOthers) {}

    /** A subscriber was named as silent, or told as back. */
    private record Told(boolean silent, long receiver, long at) {}

    StoppedSubscriber(int subscribers, int stopSeconds, Interruption interruption) {
        this.subscribers = subscribers;
        this.stopSeconds = stopSeconds;
        this.interruption = interruption;
    }

    /**
     * The text of {@code --help}.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench aeron-stop [--subscribers N] [--seconds N]

                Sends %,d messages of 64 bytes a second by Aeron, UDP on loopback, to subscribers in processes of their own, and stops
                one of them by SIGSTOP. Tells what the others get meanwhile, under the flow controls max, min and tagged, and when the
                sender names the one that is stopped: subscribers say signs of life.

                  --subscribers N   2 to 64 of them (default 8)
                  --seconds N       stop it so long, 1 to 600 (default 10)

                Exit status: 0 from the second second on the others got %.0f %% of what they got before, and the stopped one was
                named by then, and no other; 1 if not; 2 bad usage, or another measurement runs; 130 on Ctrl-C.
                """.formatted(RATE, LEAST * 100);
    }

    /**
     * Measures.
     *
     * @param given what follows {@code bench aeron-stop}
     * @param out for the table
     * @return the exit status
     * @throws Exception if an argument is wrong, another measurement runs, or something fails
     */
    public static int run(List<String> given, PrintStream out) throws Exception {
        Arguments request = Arguments.parse(given, List.of(), List.of("--subscribers", "--seconds"), List.of());
        int subscribers = request.number("--subscribers", 2, 64, 8);
        int seconds = request.number("--seconds", 1, 600, 10);
        String command = ("./sluice bench " + NAME + " " + String.join(" ", given)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            Head.print(Machine.own(command, "none is pinned", List.of("Aeron")), out);
            StoppedSubscriber experiment = new StoppedSubscriber(subscribers, seconds, interruption);
            List<Outcome> outcomes = new ArrayList<>();
            for (String flow : NAMES) {
                if (!interruption.requested()) {
                    outcomes.add(experiment.measure(flow));
                }
            }
            List<Check> checks = checks(subscribers, outcomes);
            return Check.conclude(
                    List.of(table(subscribers, seconds, outcomes)),
                    checks,
                    Map.of(),
                    Check.summary(checks),
                    !interruption.requested(),
                    out);
        } finally {
            lock.close();
        }
    }

    static List<Check> checks(int stopped, List<Outcome> outcomes) {
        List<Check> checks = new ArrayList<>();
        for (Outcome one : outcomes) {
            checks.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "%s: from the second second on the others got %.1f %% of what they got before, at least %.0f",
                            one.flow,
                            100 * one.worst,
                            100 * LEAST),
                    one.worst >= LEAST));
            checks.add(new Check(
                    one.flow + ": the others missed " + one.missingOfOthers + " messages, at most 0",
                    one.missingOfOthers == 0));
            checks.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "%s: the sender named %s, after %,d ms; number %d within %,d",
                            one.flow,
                            name(one.named),
                            one.namedAfter,
                            stopped,
                            NAMED_WITHIN_MILLIS),
                    one.named == stopped && one.namedAfter >= 0 && one.namedAfter <= NAMED_WITHIN_MILLIS));
        }
        return checks;
    }

    private static String name(int named) {
        return named == 0 ? "none" : named < 0 ? "others" : "number " + named;
    }

    private static Table table(int subscribers, int seconds, List<Outcome> outcomes) {
        List<List<String>> rows = new ArrayList<>();
        for (Outcome one : outcomes) {
            rows.add(List.of(
                    one.flow,
                    String.format(Locale.ROOT, "%,.0f", one.before),
                    String.format(Locale.ROOT, "%,d", one.stalled),
                    String.format(Locale.ROOT, "%.1f", 100 * one.worst),
                    name(one.named),
                    String.format(Locale.ROOT, "%,d", one.namedAfter),
                    String.format(Locale.ROOT, "%,d", one.backAfter),
                    String.format(Locale.ROOT, "%,d", one.missing)));
        }
        return new Table(
                subscribers + " subscribers, number " + subscribers + " stopped for " + seconds + " s",
                List.of(
                        "flow control",
                        "before, messages/s",
                        "others held, ms",
                        "then at least, %",
                        "named",
                        "after, ms",
                        "back after, ms",
                        "it missed"),
                rows);
    }

    /** Counts of one subscriber. */
    private static final class Counted {
        final Process process;
        private final List<long[]> counts = new ArrayList<>();
        private long missing;

        Counted(String channel, String signs, int number) throws IOException {
            process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            CountingSubscriber.class.getName(),
                            channel,
                            signs,
                            Integer.toString(number)))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Thread reader = new Thread(this::read, "subscriber");
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith(CountingSubscriber.COUNT)) {
                        String[] parts = line.split(" ", -1);
                        add(System.nanoTime(), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
                    }
                }
            } catch (IOException e) {
                // it was ended
            }
        }

        private synchronized void add(long nanos, long count, long missed) {
            counts.add(new long[] {nanos, count});
            missing = missed;
        }

        synchronized boolean isReady() {
            return !counts.isEmpty();
        }

        synchronized long missing() {
            return missing;
        }

        /** The number of events that it had handled at a time; between two of its lines by linear interpolation. */
        synchronized double at(long nanos) {
            long[] before = {nanos, 0};
            for (long[] one : counts) {
                if (one[0] - nanos > 0) {
                    double part = (nanos - before[0]) / (double) (one[0] - before[0]);
                    return before[1] + part * (one[1] - before[1]);
                }
                before = one;
            }
            return before[1];
        }
    }

    Outcome measure(String flow) throws Exception {
        String control = "aeron:udp?control-mode=dynamic|control=127.0.0.1:" + Links.freePort();
        String signs = Links.udp();
        List<Counted> all = new ArrayList<>();
        try (Source source = new Source(control + "|" + FLOWS.get(flow) + "|term-length=1m", signs)) {
            for (int i = 1; i <= subscribers; i++) {
                String tag = flow.equals("tagged") && i < subscribers ? "|gtag=7" : "";
                all.add(new Counted(control + "|endpoint=127.0.0.1:0" + tag, signs, i));
            }
            long begin = System.nanoTime();
            while (!all.stream().allMatch(Counted::isReady) || source.heard() < subscribers) {
                source.publish();
                if (System.nanoTime() - begin > START_NANOS) {
                    throw new IllegalStateException("not every subscriber heard the source after 60 s");
                }
            }
            long settled = source.runFor(TimeUnit.SECONDS.toNanos(2), interruption);
            long stopped = source.runFor(TimeUnit.SECONDS.toNanos(2), interruption);
            Counted last = all.get(subscribers - 1);
            StoppedProcess.stop(last.process.pid());
            long goesOn = source.runFor(TimeUnit.SECONDS.toNanos(stopSeconds), interruption);
            StoppedProcess.goOn(last.process.pid());
            source.runFor(TimeUnit.SECONDS.toNanos(3), interruption);
            return outcome(flow, all, source.told, settled, stopped, goesOn);
        } finally {
            all.forEach(one -> one.process.destroyForcibly());
        }
    }

    private Outcome outcome(String flow, List<Counted> all, List<Told> told, long settled, long stopped, long goesOn) {
        List<Counted> others = all.subList(0, subscribers - 1);
        double before = rate(others, settled, stopped);
        double worst = 1;
        long stalled = 0;
        // the last window is left out: its end may not have been told yet
        for (long at = stopped; at + 2 * WINDOW_NANOS <= goesOn; at += WINDOW_NANOS) {
            double part = rate(others, at, at + WINDOW_NANOS) / before;
            stalled += part < LEAST ? WINDOW_NANOS : 0;
            if (at - stopped >= TimeUnit.SECONDS.toNanos(1)) {
                worst = Math.min(worst, part);
            }
        }
        int named = 0;
        long namedAfter = -1;
        long backAfter = -1;
        for (Told one : told) {
            if (one.receiver != subscribers) {
                named = -1;
            } else if (one.silent) {
                named = named == 0 ? subscribers : named;
                namedAfter = namedAfter < 0 ? TimeUnit.NANOSECONDS.toMillis(one.at - stopped) : namedAfter;
            } else {
                backAfter = TimeUnit.NANOSECONDS.toMillis(one.at - goesOn);
            }
        }
        long missingOfOthers = others.stream().mapToLong(Counted::missing).sum();
        return new Outcome(
                flow,
                before,
                TimeUnit.NANOSECONDS.toMillis(stalled),
                worst,
                named,
                namedAfter,
                backAfter,
                all.get(subscribers - 1).missing(),
                missingOfOthers);
    }

    /** Messages a second that each of several got on average. */
    private static double rate(List<Counted> some, long from, long to) {
        double sum = 0;
        for (Counted one : some) {
            sum += one.at(to) - one.at(from);
        }
        return sum / some.size() * 1e9 / (to - from);
    }

    /** Publishes at an even rate, as far as there is room. */
    private static final class Source implements AutoCloseable {
        private final AeronLink link = AeronLink.embedded(Throwable::printStackTrace)
                .threads(ThreadingMode.SHARED)
                .start();
        private final RingBuffer<long[]> ring =
                SluiceRing.ring(() -> new long[1], SluiceRing.Setup.spinning(true, 4_096));
        private final Producer<long[]> producer = ring.producer();
        private final AeronSender<long[]> sender;
        private final RunnerAgent sending;
        private final AeronNakTransport signs;
        private final NakController controller;
        private final List<Told> told = new ArrayList<>();
        private final long start = System.nanoTime();
        private long due;
        private long value;

        Source(String channel, String signsChannel) {
            sender = AeronSender.<long[]>builder(
                            link,
                            channel,
                            Links.STREAM,
                            EventEncoder.fixed(64, (event, buffer, offset) -> Links.fill(buffer, offset, 64, event[0])))
                    .build();
            Pipeline<long[]> out = Pipeline.on(ring);
            out.handleEventsWith(out.batchConsumer("out", sender));
            sending = out.startInvoked();
            signs = AeronNakTransport.atSender(link, signsChannel, Links.SIGNS, Links.SIGNS_OF, sender);
            // nobody sends a NAK, and nobody asks the limiter: Aeron's flow control alone is measured
            controller = NakController.builder(
                            signs,
                            RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 1),
                            sender::position,
                            SystemNanoClock.INSTANCE)
                    .onSilentReceiver(SILENT_AFTER_NANOS, new SilentReceiverHandler() {
                        @Override
                        public void onSilent(long receiver, long position, long nanos) {
                            told.add(new Told(true, receiver, System.nanoTime()));
                        }

                        @Override
                        public void onReturn(long receiver, long position, long nanos) {
                            told.add(new Told(false, receiver, System.nanoTime()));
                        }
                    })
                    .build();
        }

        /** The number of subscribers that have sent a sign of life. */
        int heard() {
            return controller.watchedReceivers();
        }

        /** Publishes the messages that are due. A message that finds no room is not made up for. */
        void publish() throws Exception {
            long by = (long) ((System.nanoTime() - start) * (RATE / 1e9));
            for (; due < by; due++) {
                if (producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value) >= 0) {
                    value++;
                }
            }
            sending.doWork();
            link.doWork();
            controller.doWork();
            TimeUnit.MICROSECONDS.sleep(500);
        }

        /** Publishes for so long; returns the time at which it ended. */
        long runFor(long nanos, Interruption interruption) throws Exception {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < nanos && !interruption.requested()) {
                publish();
            }
            return System.nanoTime();
        }

        @Override
        public void close() {
            ring.close();
            signs.close();
            sender.close();
            link.close();
        }
    }
}
