package io.sluice.jcstress.gate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The JVM of one mutation: runs the JUnit tests that are named, and gives their result by its exit status. A class that
 * cannot be linked or verified is no failure of a test: it says that the rewriting is wrong.
 */
final class TestRun {
    static final int PASSED = 0;
    static final int FAILED = 3;
    static final int NOTHING_RAN = 4;
    static final int NOT_LINKED = 5;

    /** A system property: true if the tests may take as long as they like. */
    static final String NO_TIME_LIMITS = "io.sluice.test.noTimeLimits";

    /** A system property: how many seconds a test may take. */
    static final String SECONDS = "io.sluice.test.seconds";

    private TestRun() {}

    /**
     * Runs tests until one fails, and ends the JVM.
     *
     * @param tests classes, or a class, {@code #} and a method
     */
    public static void main(String[] tests) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(tests).map(TestRun::selector).toList())
                .configurationParameter(
                        "junit.jupiter.execution.timeout.mode",
                        Boolean.getBoolean(NO_TIME_LIMITS) ? "disabled" : "enabled")
                .configurationParameter(
                        "junit.jupiter.execution.timeout.default", Integer.getInteger(SECONDS, 25) + " s")
                .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                .build();
        Outcome outcome = new Outcome();
        LauncherFactory.create().execute(request, outcome);
        System.out.println(outcome.ran() + " tests ran");
        System.out.flush();
        // Not by returning: a test that failed may have left threads behind.
        Runtime.getRuntime().halt(outcome.status());
    }

    private static DiscoverySelector selector(String test) {
        int method = test.indexOf('#');
        if (method < 0) {
            return DiscoverySelectors.selectClass(test);
        }
        // By name alone: parameters would have to be written out.
        Class<?> type;
        try {
            type = Class.forName(test.substring(0, method), false, TestRun.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("test " + test + ": its class is not on the class path", e);
        }
        String name = test.substring(method + 1);
        return Arrays.stream(type.getDeclaredMethods())
                .filter(one -> one.getName().equals(name))
                .findFirst()
                .map(one -> DiscoverySelectors.selectMethod(type, one))
                .orElseThrow(() -> new IllegalArgumentException("test " + test + ": its class has no such method"));
    }

    private static final class Outcome implements TestExecutionListener {
        private final List<Throwable> failures = new ArrayList<>();
        private int ran;

        @Override
        public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                ran++;
            }
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                result.getThrowable().ifPresent(failures::add);
                System.out.println("FAILED " + test.getDisplayName() + ": "
                        + result.getThrowable().map(Throwable::toString).orElse(""));
                System.out.flush();
                Runtime.getRuntime().halt(status()); // one is enough, and the next may hang
            }
        }

        synchronized int ran() {
            return ran;
        }

        synchronized int status() {
            for (Throwable failure : failures) {
                for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                    // not a static initializer that throws: that is code which fails
                    if (cause instanceof LinkageError && !(cause instanceof ExceptionInInitializerError)) {
                        return NOT_LINKED;
                    }
                }
            }
            return !failures.isEmpty() ? FAILED : ran == 0 ? NOTHING_RAN : PASSED;
        }
    }
}
