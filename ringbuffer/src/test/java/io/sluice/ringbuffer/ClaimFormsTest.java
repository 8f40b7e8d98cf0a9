package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ClaimForms}: every form of claim, by every kind of producer, with assertions and without. What a thread is refused for
 * must not depend on how the JVM was started.
 */
@Timeout(120)
@Tag("concurrency")
class ClaimFormsTest {
    /** Has classes of the library of its own, without assertions. */
    static final class WithoutAssertions extends ClassLoader {
        WithoutAssertions() {
            super(ClaimFormsTest.class.getClassLoader());
            setDefaultAssertionStatus(false);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.sluice.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? defined(name) : loaded;
            }
        }

        private Class<?> defined(String name) throws ClassNotFoundException {
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final WithoutAssertions WITHOUT = new WithoutAssertions();

    static Stream<Arguments> cases() {
        List<String> checks = Arrays.stream(ClaimForms.class.getDeclaredMethods())
                .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {String.class})
                        && method.getReturnType() == void.class)
                .map(Method::getName)
                .sorted()
                .toList();
        assertThat(checks).hasSize(8);
        return checks.stream()
                .flatMap(check -> Stream.of(ClaimForms.Kind.values())
                        .flatMap(kind -> Stream.of(true, false)
                                .map(assertions -> Arguments.of(check, kind.name(), assertions))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyFormOfClaim(String check, String kind, boolean assertions) throws Throwable {
        Class<?> forms = assertions ? ClaimForms.class : WITHOUT.loadClass(ClaimForms.class.getName());
        assertThat(forms.desiredAssertionStatus()).isEqualTo(assertions);
        Method method = forms.getDeclaredMethod(check, String.class);
        method.setAccessible(true); // package-private, and in another loader of another package
        try {
            method.invoke(null, kind);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
