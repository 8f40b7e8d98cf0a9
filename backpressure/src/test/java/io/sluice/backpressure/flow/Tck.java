package io.sluice.backpressure.flow;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.testng.SkipException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Runs a verification of the Reactive Streams TCK, which is written for TestNG, as tests of JUnit. */
final class Tck {
    private Tck() {}

    /**
     * Makes a test of each method of a verification.
     *
     * @param verification makes one for each test
     * @param close called after each test
     * @param left the tests that the TCK itself leaves out, beyond those called untested
     * @param <V> the verification
     */
    static <V> Stream<DynamicTest> tests(Supplier<V> verification, Consumer<V> close, Set<String> left) {
        return Arrays.stream(verification.get().getClass().getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class) && !method.isBridge())
                .sorted(Comparator.comparing(Method::getName))
                .map(method -> DynamicTest.dynamicTest(method.getName(), () -> {
                    V instance = verification.get();
                    boolean skipped = false;
                    try {
                        callAll(instance, BeforeClass.class);
                        callAll(instance, BeforeMethod.class);
                        method.invoke(instance);
                    } catch (InvocationTargetException e) {
                        if (!(e.getCause() instanceof SkipException)) {
                            throw e.getCause();
                        }
                        skipped = true;
                    } finally {
                        callAll(instance, AfterClass.class);
                        close.accept(instance);
                    }
                    String name = method.getName();
                    Assertions.assertThat(skipped)
                            .as("left out by the TCK")
                            .isEqualTo(left.contains(name) || name.startsWith("untested_"));
                }));
    }

    private static void callAll(Object instance, Class<? extends Annotation> mark) throws ReflectiveOperationException {
        for (Method method : instance.getClass().getMethods()) {
            if (method.isAnnotationPresent(mark)) {
                method.invoke(instance);
            }
        }
    }
}
