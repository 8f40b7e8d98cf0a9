package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

/** Aeron is built with another Agrona than we are: the bridge runs with both. */
class OtherAgronaTest {
    /** The build puts it here: see the pom. */
    private static final Path OTHER = Path.of("target", "other-agrona", "agrona-2.4.1.jar");

    @Test
    void theBridgeRunsWithTheAgronaThatAeronBrings() throws Exception {
        assertThat(OTHER).isRegularFile();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).getFileName().toString().matches("agrona-\\d.*\\.jar")
                        ? OTHER.toAbsolutePath().toString()
                        : entry)
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath).contains("agrona-2.4.1.jar").doesNotContain("agrona-2.6");
        for (String channel : List.of(IPC, Harness.udp())) {
            try (Child child = new Child(classPath, Bridge.class, channel)) {
                assertThat(child.end()).as(child.lines.toString()).isZero();
                assertThat(child.lines).containsExactly("agrona-2.4.1.jar", "1000 of 1000");
            }
        }
    }

    /** Sends through the bridge in a process of its own: the channel. */
    static final class Bridge {
        private Bridge() {}

        public static void main(String[] arguments) throws Exception {
            System.out.println(Path.of(DirectBuffer.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .getFileName());
            try (Harness harness = new Harness()) {
                Harness.Out out = harness
                .new Out(
                        64,
                        AeronSender.<long[]>builder(harness.link, arguments[0], STREAM, ENCODER)
                                .build());
                Harness.In in = harness.new In(64);
                harness.receiver(AeronReceiver.builder(harness.link, arguments[0], STREAM, in.sink(), new Heard())
                        .build());
                out.publish(1, 1_000);
                harness.runUntil(() -> in.values.size() == 1_000);
                System.out.println(in.values.get(999) + " of " + in.values.size());
                harness.errors.forEach(System.out::println);
            }
        }
    }
}
