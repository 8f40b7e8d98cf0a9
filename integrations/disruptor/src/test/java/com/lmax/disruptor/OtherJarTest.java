package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import program.FirstRing;

/** Who has both jars on the class path is told so, by name, at the first ring. */
@Tag("once")
class OtherJarTest {
    @Test
    void bothJarsOnTheClassPathAreNamedAtTheFirstUse() throws Exception {
        assertThat(warnings(List.of(Peer.jar())))
                .contains(
                        "2 times",
                        Peer.jar().getFileName() + "!/com/lmax/disruptor/RingBuffer.class",
                        "take out all but one");
    }

    @Test
    void nothingIsSaidAboutOneJar() throws Exception {
        assertThat(warnings(List.of())).doesNotContain("class path");
    }

    /** As that of a web application that was stopped. */
    @Test
    void aClassLoaderThatRefusesToLookForResourcesDoesNotKeepTheRingFromLoading() throws Exception {
        List<URL> path = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            path.add(Path.of(place).toUri().toURL());
        }
        AtomicBoolean asked = new AtomicBoolean();
        try (URLClassLoader stopped =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()) {
                    @Override
                    public Enumeration<URL> getResources(String name) {
                        asked.set(true);
                        throw new IllegalStateException("stopped; this is part of the test");
                    }
                }) {
            Class<?> program = stopped.loadClass(FirstRing.class.getName());
            program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
        assertThat(asked).isTrue();
    }

    /** Creates a ring in a JVM with these jars after the class path of the tests, and returns what it writes to standard error. */
    private static String warnings(List<Path> further) throws Exception {
        String path = System.getProperty("java.class.path");
        for (Path jar : further) {
            path += File.pathSeparator + jar;
        }
        Path errors = Files.createTempFile("warnings", ".txt");
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            path,
                            FirstRing.class.getName())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(errors.toFile())
                    .start();
            try {
                assertThat(process.waitFor(60, SECONDS)).isTrue();
            } finally {
                process.destroyForcibly();
            }
            assertThat(process.exitValue()).isZero();
            return Files.readString(errors);
        } finally {
            Files.delete(errors);
        }
    }
}
