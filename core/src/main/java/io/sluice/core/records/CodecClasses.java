package io.sluice.core.records;

import java.io.InputStream;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Makes codecs: each as the one object of a hidden copy of {@link CompiledCodec}, with the layout as the copy's class data. The template
 * itself is used where copies are forbidden or not possible, as in native images. A copy lives as long as its codec.
 */
final class CodecClasses {
    static final String PROPERTY = "io.sluice.hiddenClasses";

    private static final boolean ALLOWED = !"false".equalsIgnoreCase(System.getProperty(PROPERTY));

    private CodecClasses() {}

    static <T extends Record> RecordCodec<T> make(RecordLayout<T> layout) {
        RecordCodec<T> copy = ALLOWED ? copy(layout) : null;
        return copy == null ? new CompiledCodec<>(layout) : copy;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Record> @Nullable RecordCodec<T> copy(RecordLayout<T> layout) {
        Class<?> template = CompiledCodec.class;
        try (InputStream file = template.getResourceAsStream(template.getSimpleName() + ".class")) {
            if (file == null) {
                return null;
            }
            MethodHandles.Lookup copy =
                    MethodHandles.lookup().defineHiddenClassWithClassData(file.readAllBytes(), layout, true);
            MethodHandle constructor =
                    copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class, RecordLayout.class));
            return (RecordCodec<T>) constructor.invoke(layout);
        } catch (Throwable t) { // also an Error, of a JVM that can not define classes: the template works all the same
            return null;
        }
    }

    /** The layout that a copy was made for; null for the template. */
    static @Nullable RecordLayout<?> layoutOf(MethodHandles.Lookup copy) {
        if (!copy.lookupClass().isHidden()) {
            return null;
        }
        try {
            return MethodHandles.classData(copy, ConstantDescs.DEFAULT_NAME, RecordLayout.class);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException("copy must be a lookup with full access, but was " + copy, e);
        }
    }
}
