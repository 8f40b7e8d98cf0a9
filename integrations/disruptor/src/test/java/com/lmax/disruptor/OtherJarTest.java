package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
