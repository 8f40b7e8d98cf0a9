package io.sluice.perf.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * The compilers of this JVM. They take a core from a contestant whose threads share the cores: a sample beside a long compilation may have
 * a fifth of the events. So a contestant is warm only once the compilers rest.
 */
final class Compilers {
    /** On Linux, where each thread says how long it has run. */
    private static final Path THREADS = Path.of("/proc/self/task");

    private static final Pattern COMPILER = Pattern.compile("C[12] Compiler.*");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    /** In a quiet sample they have one part in so many of its time, or less. */
    private static final int QUIET_PART = 50;

    /** One compilation often asks for the next, so one quiet sample is not enough. */
    private static final int QUIET_SAMPLES = 2;

    /** Some compilers never rest: a contestant that makes classes for ever is measured with them. */
    static final int MOST_SAMPLES = 40;

    private Compilers() {}

    /**
     * Has a contestant work on, in samples that do not count, until the compilers rest.
     *
     * @return whether they do; false if they still work after {@value #MOST_SAMPLES} samples
     */
    static boolean awaitRest(Contestant contestant, long sampleNanos) throws Exception {
        return awaitRest(contestant, sampleNanos, Compilers::nanosAtWork);
    }

    /** With another account of their work. */
    static boolean awaitRest(Contestant contestant, long sampleNanos, LongSupplier nanosAtWork) throws Exception {
        int quiet = 0;
        for (int i = 0; i < MOST_SAMPLES && quiet < QUIET_SAMPLES; i++) {
            long before = nanosAtWork.getAsLong();
            contestant.sample(sampleNanos);
            quiet = nanosAtWork.getAsLong() - before <= sampleNanos / QUIET_PART ? quiet + 1 : 0;
        }
        return quiet == QUIET_SAMPLES;
    }

    /** The time that the compilers have been at work: in processor time, or else by the JVM's own account of ended compilations. */
    static long nanosAtWork() {
        if (Files.isReadable(Path.of("/proc/self/schedstat"))) {
            return processorNanos();
        }
        CompilationMXBean jvm = ManagementFactory.getCompilationMXBean();
        return jvm == null || !jvm.isCompilationTimeMonitoringSupported()
                ? 0
                : TimeUnit.MILLISECONDS.toNanos(jvm.getTotalCompilationTime());
    }

    private static long processorNanos() {
        long nanos = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                nanos += processorNanos(thread);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return nanos;
    }

    private static long processorNanos(Path thread) {
        try {
            if (!COMPILER.matcher(Files.readString(thread.resolve("comm")).strip())
                    .matches()) {
                return 0;
            }
            return Long.parseLong(SPACE.split(Files.readString(thread.resolve("schedstat")), -1)[0]);
        } catch (IOException e) {
            return 0; // the thread has ended meanwhile
        }
    }
}
