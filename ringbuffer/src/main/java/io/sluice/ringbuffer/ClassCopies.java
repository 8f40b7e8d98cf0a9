package io.sluice.ringbuffer;

import java.io.IOException;
import java.io.InputStream;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a class of this package, one for each class that is used as a key: hidden classes, defined from the same bytes, with
 * a profile of their own, and with their key as their class data. They live as long as the key. The number is capped, for
 * programs that make classes without end; beyond it, and where the class file can not be read, the template itself is used, only
 * slower. Any thread.
 */
final class ClassCopies {
    /** How many copies of a template are made at most. */
    static final int CAP = 512;

    private final Class<?> template;
    private final MethodType constructor;
    private final MethodHandle shared;
    private final AtomicInteger defined = new AtomicInteger();
    private final ClassValue<MethodHandle> copies = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> key) {
            return define(key);
        }
    };

    /**
     * Names a template.
     *
     * @param template the class
     * @param parameters of its constructor
     */
    ClassCopies(Class<?> template, Class<?>... parameters) {
        this.template = template;
        this.constructor = MethodType.methodType(void.class, parameters);
        this.shared = constructorOf(MethodHandles.lookup(), template);
    }

    /**
     * Makes an object of the copy for a key; of the template for a key that the JVM itself has loaded, which is never unloaded
     * and would keep our own classes with it.
     *
     * @param key the class
     * @param arguments of the constructor
     * @return the object
     */
    Object make(Class<?> key, Object... arguments) {
        try {
            return (key.getClassLoader() == null ? shared : copies.get(key)).invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("a constructor of " + template + " threw a checked exception", t);
        }
    }

    /**
     * The class that a copy was made for.
     *
     * @param copy a lookup in the copy
     * @return its key, null if it is the template
     */
    static @Nullable Class<?> keyOf(MethodHandles.Lookup copy) {
        try {
            return MethodHandles.classData(copy, ConstantDescs.DEFAULT_NAME, Class.class);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException("copy " + copy + ": allowed are lookups with full access", e);
        }
    }

    private MethodHandle define(Class<?> key) {
        if (defined.incrementAndGet() > CAP) {
            return shared;
        }
        try (InputStream file = template.getResourceAsStream(template.getSimpleName() + ".class")) {
            if (file == null) {
                return shared;
            }
            MethodHandles.Lookup lookup =
                    MethodHandles.lookup().defineHiddenClassWithClassData(file.readAllBytes(), key, true);
            return constructorOf(lookup, lookup.lookupClass());
        } catch (IOException | IllegalAccessException e) {
            return shared; // the template works all the same
        }
    }

    private MethodHandle constructorOf(MethodHandles.Lookup lookup, Class<?> copy) {
        try {
            return lookup.findConstructor(copy, constructor);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no constructor " + constructor + " in " + copy, e);
        }
    }
}
