package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * By which loggers the exception handlers of version 4 log, and when they make their messages. By reflection: the module does not read
 * that of {@code java.util.logging}.
 */
class ExceptionHandlersTest {
    private final Exception thrown = new Exception("part of the test");
    private static final String FATAL = "com.lmax.disruptor.FatalExceptionHandler";
    private static final String IGNORING = "com.lmax.disruptor.IgnoreExceptionHandler";

    private final List<String> records = new ArrayList<>();
    private final List<Object> held =
            new ArrayList<>(); // a logger that nobody holds may be collected with its settings

    @AfterEach
    void restore() throws Exception {
        for (String name : List.of(FATAL, IGNORING)) {
            set(name, "setFilter", type("Filter"), null);
            set(name, "setLevel", type("Level"), null);
        }
    }

    @Test
    void eachLogsByTheLoggerOfItsName() throws Exception {
        for (String name : List.of(FATAL, IGNORING)) {
            set(name, "setFilter", type("Filter"), noting(name));
        }
        IgnoreExceptionHandler ignores = new IgnoreExceptionHandler();
        ignores.handleEventException(thrown, 7, "event");
        ignores.handleOnStartException(thrown);
        ignores.handleOnShutdownException(thrown);
        FatalExceptionHandler dies = new FatalExceptionHandler();
        assertThatThrownBy(() -> dies.handleEventException(thrown, 8, null))
                .isInstanceOf(RuntimeException.class)
                .hasCause(thrown);
        dies.handleOnStartException(thrown);
        dies.handleOnShutdownException(thrown);
        assertThat(records)
                .containsExactly(
                        IGNORING + " INFO exception while handling event event at sequence 7, true",
                        IGNORING + " INFO exception from onStart, true",
                        IGNORING + " INFO exception from onShutdown, true",
                        FATAL + " SEVERE exception while handling event null at sequence 8, true",
                        FATAL + " SEVERE exception from onStart, true",
                        FATAL + " SEVERE exception from onShutdown, true");
    }

    /** The event's text is not asked for: it may throw, and the processor would end. */
    @Test
    void aMessageThatNobodyWantsIsNotMade() throws Exception {
        Object warning = type("Level").getField("WARNING").get(null);
        Object off = type("Level").getField("OFF").get(null);
        set(IGNORING, "setLevel", type("Level"), warning);
        set(FATAL, "setLevel", type("Level"), off);
        Object event = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("nobody wants it");
            }
        };
        new IgnoreExceptionHandler().handleEventException(thrown, 7, event);
        assertThatThrownBy(() -> new FatalExceptionHandler().handleEventException(thrown, 7, event))
                .hasCause(thrown);
    }

    /** A filter that notes each record and lets none through. */
    private Object noting(String name) throws Exception {
        Class<?> filter = type("Filter");
        Class<?> record = type("LogRecord");
        return Proxy.newProxyInstance(filter.getClassLoader(), new Class<?>[] {filter}, (proxy, method, args) -> {
            records.add(name + " " + record.getMethod("getLevel").invoke(args[0]) + " "
                    + record.getMethod("getMessage").invoke(args[0]) + ", "
                    + (record.getMethod("getThrown").invoke(args[0]) == thrown));
            return false;
        });
    }

    private void set(String logger, String setter, Class<?> type, @Nullable Object value) throws Exception {
        Object found = type("Logger").getMethod("getLogger", String.class).invoke(null, logger);
        held.add(found);
        type("Logger").getMethod(setter, type).invoke(found, value);
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("java.util.logging." + name);
    }
}
