package program;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Logs from several threads through log4j2, shuts it down at once, and prints how many events its appender got. */
public final class LogProgram {
    private LogProgram() {}

    /**
     * Logs.
     *
     * @param args how the appender behaves (plain, slow, throws, logs, has another thread log and waits for it, or is held until all
     *     threads have logged), how many threads, how many events each
     * @throws Exception if a thread is interrupted
     */
    public static void main(String[] args) throws Exception {
        int each = Integer.parseInt(args[2]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Counting appender = new Counting(args[0]);
        appender.start();
        context.getConfiguration().addAppender(appender);
        context.getConfiguration().getRootLogger().addAppender(appender, null, null);
        context.updateLoggers();
        Logger logger = LogManager.getLogger("program");
        for (int i = 0; i < threads.length; i++) {
            int id = i;
            threads[i] = new Thread(() -> {
                for (int k = 0; k < each; k++) {
                    logger.info("event {} of {}", k, id);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        appender.mayGoOn.countDown();
        LogManager.shutdown();
        System.out.println("logger " + logger.getClass().getSimpleName());
        System.out.println("ring "
                + Class.forName("com.lmax.disruptor.RingBuffer")
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation());
        System.out.println("appended " + appender.count.get());
        System.out.println("nested " + appender.nestedCount.get());
        System.out.println("threads " + appender.onPublisher.get());
    }

    private static final class Counting extends AbstractAppender {
        private final String behaviour;
        private final AtomicLong count = new AtomicLong();
        private final AtomicLong nestedCount = new AtomicLong();
        private final AtomicLong onPublisher = new AtomicLong();
        private final CountDownLatch mayGoOn = new CountDownLatch(1);

        Counting(String behaviour) {
            super("counting", null, null, true, Property.EMPTY_ARRAY);
            this.behaviour = behaviour;
        }

        @Override
        public void append(LogEvent event) {
            boolean nested = event.getLoggerName().equals("inner");
            long before = nested ? nestedCount.getAndIncrement() : count.getAndIncrement();
            if (!Thread.currentThread().getName().startsWith("Log4j2")) {
                onPublisher.incrementAndGet();
            }
            switch (behaviour) {
                case "slow" -> {
                    long until = System.nanoTime() + 20_000;
                    while (System.nanoTime() < until) {
                        Thread.onSpinWait();
                    }
                }
                case "throws" -> {
                    if (before % 3 == 0) {
                        throw new IllegalStateException("part of the test");
                    }
                }
                case "logs" -> {
                    if (!nested) {
                        LogManager.getLogger("inner").info("nested");
                    }
                }
                case "asks" -> {
                    if (!nested) {
                        CompletableFuture.runAsync(
                                        () -> LogManager.getLogger("inner").info("nested"))
                                .join();
                    }
                }
                case "held" -> {
                    try {
                        mayGoOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                default -> {}
            }
        }
    }
}
