package io.sluice.ringbuffer.pipeline;

import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * Reports what would otherwise be silent: a consumer's failure, events left at the end. The report goes to the error handler of the
 * pipeline, or, where none was set, to the logger of the platform. The watchdog and a counters file log by themselves. Any thread; never
 * throws.
 */
final class FailureReports {
    static final String LOGGER = "io.sluice.ringbuffer";

    /** Set by the thread that builds the pipeline, before it starts the threads that read it. */
    private @Nullable ErrorHandler handler;

    void handler(ErrorHandler newHandler) {
        handler = newHandler;
    }

    /** Reports a failure. Returns whether somebody was told. */
    boolean failed(Throwable report) {
        return tell(report, true);
    }

    /** Reports a fact that is no failure. */
    void left(Throwable report) {
        tell(report, false);
    }

    private boolean tell(Throwable report, boolean isFailure) {
        try {
            ErrorHandler to = handler;
            if (to == null) {
                log(report, isFailure);
            } else {
                tell(to, report, isFailure);
            }
            return true;
        } catch (Throwable t) {
            return false; // no memory to tell it with: the ring's state and cause tell it too
        }
    }

    /** Tells the error handler. If it throws, the logger tells the report, and the handler's own failure. */
    private static void tell(ErrorHandler to, Throwable report, boolean isFailure) {
        try {
            to.onError(report);
        } catch (Throwable t) {
            log(report, isFailure);
            System.getLogger(LOGGER).log(System.Logger.Level.ERROR, "the error handler threw", t);
        }
    }

    private static void log(Throwable report, boolean isFailure) {
        System.Logger.Level level = isFailure ? System.Logger.Level.ERROR : System.Logger.Level.WARNING;
        System.Logger logger = System.getLogger(LOGGER);
        Throwable cause = report.getCause();
        if (cause == null) {
            logger.log(level, report.getMessage());
        } else {
            logger.log(level, report.getMessage(), cause);
        }
    }
}
