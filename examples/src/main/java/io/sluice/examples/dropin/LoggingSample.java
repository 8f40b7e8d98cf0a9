package io.sluice.examples.dropin;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.ConsoleAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Logs through log4j2, all of whose loggers are asynchronous: each event goes through a ring. It names nothing of Sluice. */
public final class LoggingSample {
    private static final int EVENTS = 20;

    private LoggingSample() {}

    /**
     * Logs to the console, and ends right after the last event.
     *
     * @param arguments not used
     */
    public static void main(String[] arguments) {
        System.setProperty("log4j2.contextSelector", "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector");
        ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        builder.setStatusLevel(Level.WARN);
        builder.add(builder.newAppender("console", "Console")
                .addAttribute("target", ConsoleAppender.Target.SYSTEM_OUT)
                .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%p %c{1} - %m%n")));
        builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("console")));
        Configurator.initialize(builder.build());

        Logger logger = LogManager.getLogger(LoggingSample.class);
        for (int i = 0; i < EVENTS; i++) {
            logger.info("event {} through a {}", i, logger.getClass().getSimpleName());
        }
        LogManager.shutdown();
    }
}
