package io.aeron.driver;

import io.aeron.driver.buffer.LogFactory;

/** Reaches the setting of a driver that makes its logs, which is not public. */
public final class LogFactories {
    private LogFactories() {}

    /**
     * Sets who makes logs.
     *
     * @param context the driver's settings
     * @param factory makes them
     */
    public static void set(MediaDriver.Context context, LogFactory factory) {
        context.logFactory(factory);
    }
}
