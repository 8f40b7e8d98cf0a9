package program;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/**
 * Logs from several threads, to a logger that is asynchronous by the configuration and to one that is not, and shuts log4j2 down at
 * once. Prints what the appenders of both got, and which wait strategy the ring of the configuration has.
 */
public final class MixedLogProgram {
    private MixedLogProgram() {}

    /**
     * Logs. The configuration has an asynchronous logger with the name async.
     *
     * @param args how many threads, how many events each to each logger
     * @throws Exception if a thread is interrupted
     */
    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        int each = Integer.parseInt(args[1]);
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Configuration configuration = context.getConfiguration();
        Counting root = attach(configuration.getRootLogger(), "root");
        Counting async = attach(configuration.getLoggerConfig("async"), "async");
        context.updateLoggers();
        RingBuffer<?> ring =
                ((Disruptor<?>) field(configuration.getAsyncLoggerConfigDelegate(), "disruptor")).getRingBuffer();
        System.out.println("waits "
                + field(field(ring, "sequencer"), "waitStrategy").getClass().getName());
        System.out.println(
                "ring " + RingBuffer.class.getProtectionDomain().getCodeSource().getLocation());
        for (int i = 0; i < threads.length; i++) {
            int id = i;
            threads[i] = new Thread(() -> {
                for (int k = 0; k < each; k++) {
                    LogManager.getLogger("async").info("{} {}", id, k);
                    LogManager.getLogger("other").info("{} {}", id, k);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        LogManager.shutdown();
        root.print();
        async.print();
    }

    private static Counting attach(LoggerConfig logger, String name) {
        Counting appender = new Counting(name);
        appender.start();
        logger.addAppender(appender, null, null);
        return appender;
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Class<?> type = owner.getClass();
        while (true) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(owner);
            } catch (NoSuchFieldException above) {
                type = type.getSuperclass();
                if (type == null) {
                    throw above;
                }
            }
        }
    }

    private static final class Counting extends AbstractAppender {
        private final Map<String, Integer> nextOf = new HashMap<>();
        private long count;
        private long onPublisher;
        private long outOfOrder;

        Counting(String name) {
            super(name, null, null, true, Property.EMPTY_ARRAY);
        }

        @Override
        public synchronized void append(LogEvent event) {
            count++;
            if (!Thread.currentThread().getName().startsWith("Log4j2")) {
                onPublisher++;
            }
            String[] parts = event.getMessage().getFormattedMessage().split(" ", 2);
            int number = Integer.parseInt(parts[1]);
            Integer expected = nextOf.put(event.getLoggerName() + parts[0], number + 1);
            if (number != (expected == null ? 0 : expected)) {
                outOfOrder++;
            }
        }

        synchronized void print() {
            System.out.println(getName() + " " + count);
            System.out.println(getName() + "-by-publishers " + onPublisher);
            System.out.println(getName() + "-out-of-order " + outOfOrder);
        }
    }
}
