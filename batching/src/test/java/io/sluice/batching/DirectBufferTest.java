package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An encoder for Agrona's buffers, in a JVM of its own without any option. */
@Tag("once")
@Timeout(60)
class DirectBufferTest {
    static final class Child {
        private Child() {}

        public static void main(String[] args) throws Exception {
            RecordingSink sink = new RecordingSink();
            BatchingHandler<String> handler = new BatchingHandler<>(
                    MessageEncoder.ofDirectBuffer(
                            (event, buffer, offset) -> buffer.putStringWithoutLengthAscii(offset, event)),
                    sink,
                    BatchingConfig.defaults().bufferSize(10));
            handler.onEvent("abc", 0, false);
            handler.onEvent("defg", 1, false);
            handler.onEvent("hijkl", 2, true);
            try {
                handler.onEvent("longer than ten", 3, true);
                sink.batches.add("not refused");
            } catch (MessageTooLargeException e) {
                sink.batches.add(e.length() + ">" + e.limit());
            }
            System.out.write(sink.batches.toString().getBytes(StandardCharsets.US_ASCII));
            System.out.flush();
        }
    }

    @Test
    void anEncoderForAgronasBuffersWorksWithoutAnOptionOrAWarning() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        assertThat(out).isEqualTo("[abcdefg, hijkl, 15>10]");
    }
}
