package io.sluice.perf.lab;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Virtual threads, where the JDK has them: since 21. */
final class Virtual {
    private static final @Nullable Method START = find();

    static final boolean AVAILABLE = START != null;

    private Virtual() {}

    private static @Nullable Method find() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    static Thread start(Runnable task) {
        if (START == null) {
            throw new IllegalStateException("start() must run on a JDK with virtual threads, but this is "
                    + Runtime.version().feature());
        }
        try {
            return (Thread) START.invoke(null, task);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a virtual thread could not be started", e);
        }
    }
}
