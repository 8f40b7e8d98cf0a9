package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each ablation changes what it says, and what it leaves works. */
@Tag("once")
@Timeout(120)
class AblationsTest {
    @TempDir
    Path folder;

    static List<String> names() {
        return Ablations.names();
    }

    /** A child JVM with the changed classes ahead moves events and checks their sums. */
    @ParameterizedTest
    @MethodSource("names")
    void whatIsLeftWorks(String name) throws Exception {
        Path ahead = Ablations.write(name, folder);
        Path output = folder.resolve("output");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        ahead
                                + File.pathSeparator
                                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Moves.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            child.destroyForcibly().waitFor();
        }
        String said = Files.readString(output);
        assertThat(child.exitValue()).as(said).isZero();
        assertThat(said).contains("/" + ahead.getParent().getFileName() + "/" + name + "/");
    }

    @Test
    void anUnknownOneIsRefused() {
        assertThatThrownBy(() -> Ablations.write("care", folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "must be one of no-back-off, no-padding, shared-classes, single-look, volatile-store, but was 'care'");
    }

    /** What the child runs. */
    static final class Moves {
        private Moves() {}

        public static void main(String[] arguments) throws Exception {
            Contestant contestant =
                    Rows.entry(Rows.named("1p1c-1024"), "sluice").maker().make();
            if (contestant.sample(TimeUnit.MILLISECONDS.toNanos(20)) <= 0) {
                throw new IllegalStateException("nothing was moved");
            }
            contestant.finish();
            for (String type : new String[] {
                "io.sluice.core.PollBackOff",
                "io.sluice.core.Sequence",
                "io.sluice.core.PaddingBefore",
                "io.sluice.ringbuffer.pipeline.AbstractLoop",
                "io.sluice.ringbuffer.specialize.HiddenClassSpecializer"
            }) {
                System.out.println(type + " from "
                        + Class.forName(type)
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation());
            }
        }
    }
}
