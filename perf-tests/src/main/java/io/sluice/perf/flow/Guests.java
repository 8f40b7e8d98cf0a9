package io.sluice.perf.flow;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;

/**
 * Other parts of an application, which have used the same library before it is measured, each with classes of its own for events and
 * handlers: one class file, loaded again by a class loader of its own for each.
 */
public final class Guests {
    private static final long EVENTS = 100_000;

    private Guests() {}

    /**
     * Runs parts, one after the other.
     *
     * @param guest the class that is loaded again and run, with the classes within it: it moves the numbers from 0 up, as many as it is
     *     told, and says their sum
     * @param count how many parts there are
     * @throws ReflectiveOperationException if it has no public constructor without arguments
     */
    public static void live(Class<? extends LongUnaryOperator> guest, int count) throws ReflectiveOperationException {
        for (int i = 0; i < count; i++) {
            Class<?> again = new Own(guest).loadClass(guest.getName());
            long sum = ((LongUnaryOperator) again.getConstructor().newInstance()).applyAsLong(EVENTS);
            if (sum != EVENTS * (EVENTS - 1) / 2) {
                throw new IllegalStateException("the payloads' sum is " + sum + " for " + EVENTS + " events");
            }
        }
    }

    /** Loads one class and its nested classes by itself, and all other classes by its parent. */
    private static final class Own extends ClassLoader {
        private final String name;

        Own(Class<?> guest) {
            super(guest.getClassLoader());
            this.name = guest.getName();
        }

        @Override
        protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
            if (!wanted.equals(name) && !wanted.startsWith(name + "$")) {
                return super.loadClass(wanted, resolve);
            }
            synchronized (getClassLoadingLock(wanted)) {
                Class<?> loaded = findLoadedClass(wanted);
                return loaded == null ? define(wanted) : loaded;
            }
        }

        private Class<?> define(String wanted) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(wanted.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(wanted);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(wanted, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(wanted, e);
            }
        }
    }
}
