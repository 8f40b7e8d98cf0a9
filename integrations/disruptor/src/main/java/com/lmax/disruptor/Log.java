package com.lmax.disruptor;

import java.lang.System.Logger.Level;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The one place that logs, by a logger of each class's name, which is looked up at each message. */
final class Log {
    private Log() {}

    /** Logs. The message is made only if it is wanted. */
    static void log(Class<?> by, Level level, Supplier<String> message, @Nullable Throwable cause) {
        System.getLogger(by.getName()).log(level, message, cause);
    }
}
