package io.sluice.ringbuffer.specialize;

import java.io.InputStream;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Copies of one class of this library, one for each class that is used as a key: hidden classes, defined from the same bytes, with
 * a profile of their own, and with their key as their class data. The template itself is used, only slower, where there is no
 * copy: beyond a cap, for programs that make classes without end; where the system property {@value #PROPERTY} is {@code false};
 * where the JVM can not define hidden classes, as in native images; and where a copy would keep our class loader from going.
 *
 * <p>Each keeps the next one alive: key &rarr; copy &rarr; library.
 *
 * <ul>
 *   <li>The key's class keeps the copy, by a {@link ClassValue}. The copy is not defined strong, so it goes with its key.
 *   <li>The copy keeps the key, as its class data, and this library.
 *   <li>So a key that outlives this library would keep it. A copy is made only where the key keeps this library anyway: its class
 *       loader is ours or has ours among its parents, or the key is a subtype of one of our types, as each handler's class is.
 * </ul>
 *
 * <p>Any thread.
 */
public final class HiddenClassSpecializer {
    /** Set to {@code false} before the first ring is built, it forbids copies: for JVMs without hidden classes, and for debugging. */
    public static final String PROPERTY = "io.sluice.hiddenClasses";

    /** How many copies of a template are made at most. */
    public static final int CAP = 512;

    private static final boolean ALLOWED = !"false".equalsIgnoreCase(System.getProperty(PROPERTY));

    /** Makes objects of the template. */
    @FunctionalInterface
    public interface Shared {
        /**
         * Calls the constructor.
         *
         * @param arguments its arguments
         * @return a new object of the template
         */
        Object make(Object... arguments);
    }

    private final MethodHandles.Lookup room;
    private final Class<?> template;
    private final Class<?>[] parameters;
    private final Shared shared;
    private final AtomicInteger defined = new AtomicInteger();
    private final ClassValue<Optional<MethodHandle>> copies = new ClassValue<>() {
        @Override
        protected Optional<MethodHandle> computeValue(Class<?> key) {
            return define(key);
        }
    };

    /**
     * Names a template.
     *
     * @param room a lookup in the template's package, with full access
     * @param template the class
     * @param shared calls its constructor, without method handles
     * @param parameters of its constructor
     */
    public HiddenClassSpecializer(MethodHandles.Lookup room, Class<?> template, Shared shared, Class<?>... parameters) {
        this.room = room;
        this.template = template;
        this.shared = shared;
        this.parameters = parameters;
    }

    /**
     * Makes an object of the copy for a key, or of the template.
     *
     * @param key the class
     * @param arguments of the constructor
     * @return the object
     */
    public Object make(Class<?> key, Object... arguments) {
        if (!ALLOWED || !keepsUs(key)) {
            return shared.make(arguments);
        }
        Optional<MethodHandle> copy = copies.get(key);
        if (copy.isEmpty()) {
            return shared.make(arguments);
        }
        try {
            return copy.get().invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("a constructor of " + template + " threw a checked exception", t);
        }
    }

    /** Whether a class keeps our class loader alive as long as it lives itself. */
    private boolean keepsUs(Class<?> key) {
        ClassLoader ours = HiddenClassSpecializer.class.getClassLoader();
        if (ours == null) {
            return true; // on the boot class path: never unloaded
        }
        for (ClassLoader loader = key.getClassLoader(); loader != null; loader = loader.getParent()) {
            if (loader == ours) {
                return true;
            }
        }
        for (Class<?> parameter : parameters) {
            if (parameter.isAssignableFrom(key) && parameter.getClassLoader() == ours) {
                return true;
            }
        }
        return false;
    }

    /**
     * The class that a copy was made for.
     *
     * @param copy a lookup in the copy
     * @return its key, null if it is the template
     */
    public static @Nullable Class<?> keyOf(MethodHandles.Lookup copy) {
        if (!copy.lookupClass().isHidden()) {
            return null;
        }
        try {
            return MethodHandles.classData(copy, ConstantDescs.DEFAULT_NAME, Class.class);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException("copy must be a lookup with full access, but was " + copy, e);
        }
    }

    private Optional<MethodHandle> define(Class<?> key) {
        if (defined.incrementAndGet() > CAP) {
            return Optional.empty();
        }
        try (InputStream file = template.getResourceAsStream(template.getSimpleName() + ".class")) {
            if (file == null) {
                return Optional.empty();
            }
            MethodHandles.Lookup lookup = room.defineHiddenClassWithClassData(file.readAllBytes(), key, true);
            MethodType constructor = MethodType.methodType(void.class, parameters);
            return Optional.of(lookup.findConstructor(lookup.lookupClass(), constructor));
        } catch (Throwable t) { // also an Error, of a JVM that can not define classes: the template works all the same
            return Optional.empty();
        }
    }
}
