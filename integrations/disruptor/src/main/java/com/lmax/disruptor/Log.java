package com.lmax.disruptor;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The one place that logs, by the logger {@code com.lmax.disruptor}, which is looked up at the first message. */
final class Log {
    private Log() {}

    static void log(Level level, String message, @Nullable Throwable cause) {
        if (cause == null) {
            System.getLogger("com.lmax.disruptor").log(level, message);
        } else {
            System.getLogger("com.lmax.disruptor").log(level, message, cause);
        }
    }
}
