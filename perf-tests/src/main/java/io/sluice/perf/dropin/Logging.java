package io.sluice.perf.dropin;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.api.RootLoggerComponentBuilder;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/**
 * Threads that log through log4j2; the flags of the JVM say that all its loggers are asynchronous. Lost events are counted, and are no
 * failure: log4j2 drops an event where the ring says that it has less than no room, as the Disruptor's ring does while threads wait for
 * room.
 */
final class Logging implements Workload {
    /** The place to which an event is written. */
    enum Sink {
        NOTHING,
        FILE,
        /** Rests at each event, as if it waited for a device. */
        SLOW
    }

    /**
     * The events that all threads log together each millisecond, where they keep a pace: far fewer than the ring and its consumer can move.
     */
    static final int PACE = 400;

    private static final long PACE_NANOS = 1_000_000;
    private static final long REST_NANOS = 20_000;
    private static final long LONGEST_CALL_NANOS = 60_000_000_000L;
    private static final long STALL_NANOS = 5_000_000_000L;
    private static final int DIGITS = 2;
    private static final int CHUNK = 65_536;

    private final int threads;
    private final int share;
    private final int burst;
    private final Logger logger;
    private final Counting counting;
    private final Path file;
    private final Sink sink;
    private long before;
    private long bytesBefore;

    /**
     * Configures log4j2.
     *
     * @param burst how many events a thread logs before it waits for the next millisecond
     */
    Logging(Sink sink, int threads, int events, int burst) throws IOException {
        this.sink = sink;
        this.threads = threads;
        this.burst = burst;
        share = Math.max(1, events / threads);
        file = Files.createTempFile("sluice-drop-in-", ".log");
        file.toFile().deleteOnExit();
        ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.setStatusLevel(Level.WARN);
        RootLoggerComponentBuilder root = builder.newRootLogger(Level.INFO);
        if (sink == Sink.FILE) {
            builder.add(builder.newAppender("file", "RandomAccessFile")
                    .addAttribute("fileName", file.toString())
                    .addAttribute("immediateFlush", false)
                    .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%d %p %c{1.} [%t] %m%n")));
            root.add(builder.newAppenderRef("file"));
        }
        LoggerContext context = Configurator.initialize(builder.add(root).build());
        counting = new Counting(sink == Sink.SLOW ? REST_NANOS : 0);
        counting.start();
        LoggerConfig config = context.getConfiguration().getRootLogger();
        config.addAppender(counting, null, null); // behind the file: it counts what has been written
        context.updateLoggers();
        logger = context.getLogger("program");
        if (!logger.getClass().getSimpleName().equals("AsyncLogger")) {
            throw new IllegalStateException("the logger must be asynchronous, but was " + logger.getClass());
        }
    }

    @Override
    public double[] run() throws Exception {
        CountDownLatch begin = new CountDownLatch(1);
        Histogram[] calls = new Histogram[threads];
        Thread[] loggers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            Histogram own = new Histogram(LONGEST_CALL_NANOS, DIGITS);
            calls[i] = own;
            loggers[i] = new Thread(() -> log(begin, own), "logger-" + i);
            loggers[i].setDaemon(true);
            loggers[i].start();
        }
        long events = (long) threads * share;
        long processor = ProcessTime.nanos();
        long start = System.nanoTime();
        begin.countDown();
        Histogram all = new Histogram(LONGEST_CALL_NANOS, DIGITS);
        for (int i = 0; i < threads; i++) {
            loggers[i].join();
            all.add(calls[i]);
        }
        long end = awaitAppended(events);
        double seconds = (end - start) / 1e9;
        double micros = (ProcessTime.nanos() - processor) / 1e3;
        long appended = counting.count.get() - before;
        before += appended;
        if (sink == Sink.SLOW) {
            return new double[] {appended / seconds, micros / appended, events - appended};
        }
        check(appended);
        return new double[] {appended / seconds, all.getValueAtPercentile(99) / 1e3, events - appended};
    }

    /** Waits until all events are appended, or none comes any more. Returns the time at which the last one came. */
    private long awaitAppended(long events) {
        long seen = -1;
        long at = System.nanoTime();
        while (seen < events && System.nanoTime() - at < STALL_NANOS) {
            long now = counting.count.get() - before;
            if (now != seen) {
                seen = now;
                at = System.nanoTime();
            } else {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
        return at;
    }

    private void log(CountDownLatch begin, Histogram calls) {
        try {
            begin.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        long due = System.nanoTime();
        long last = due;
        for (int i = 0; i < share; i++) {
            if (i > 0 && i % burst == 0) {
                due += PACE_NANOS;
                LockSupport.parkNanos(due - last);
                last = System.nanoTime();
            }
            logger.info("event {} of {}", i, share);
            long now = System.nanoTime();
            calls.recordValue(now - last);
            last = now;
        }
    }

    private void check(long appended) throws IOException {
        if (sink == Sink.FILE) {
            long lines = newLines();
            if (lines != appended) {
                throw new IllegalStateException("the file must have " + appended + " lines more, but has " + lines);
            }
        }
    }

    private long newLines() throws IOException {
        long lines = 0;
        byte[] chunk = new byte[CHUNK];
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            in.seek(bytesBefore);
            for (int read = in.read(chunk); read > 0; read = in.read(chunk)) {
                bytesBefore += read;
                for (int i = 0; i < read; i++) {
                    lines += chunk[i] == '\n' ? 1 : 0;
                }
            }
        }
        return lines;
    }

    private static final class Counting extends AbstractAppender {
        private final long restNanos;
        private final AtomicLong count = new AtomicLong();

        Counting(long restNanos) {
            super("counting", null, null, true, Property.EMPTY_ARRAY);
            this.restNanos = restNanos;
        }

        @Override
        public void append(LogEvent event) {
            if (restNanos > 0) {
                LockSupport.parkNanos(restNanos);
            }
            count.lazySet(count.get() + 1); // one thread appends
        }
    }
}
