package io.sluice.examples.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.Inputs.Outcome;
import io.sluice.examples.oracle.ItchBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeedsTest {
    private static final byte[] ITCH =
            new ItchBytes().directory("ABC").add("ABC", 1, 'B', 100, 10).toBytes();
    private static final byte[] LOBSTER = "1.5,1,7,100,10,1\n2,3,7,100,10,1".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path file(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private static Outcome read(Path path) throws FeedFault {
        return Inputs.readAll(Feeds.open("f", path));
    }

    @Test
    void recognisesGzipByWhatIsInIt() throws Exception {
        for (String name : List.of("a.itch", "a.gz", "a", "csv")) {
            assertThat(read(file(name, ITCH)).records()).hasSize(2);
            assertThat(read(file(name, Inputs.gzip(ITCH))).records()).hasSize(2);
        }
        for (String name : List.of("ABC_2012.csv", "ABC.csv.gz", "ABC.CSV", "ABC.x.Csv.Gz")) {
            for (byte[] bytes : List.of(LOBSTER, Inputs.gzip(LOBSTER))) {
                try (FeedReader reader = Feeds.open("f", file(name, bytes))) {
                    assertThat(reader.format()).isEqualTo(FeedFormat.LOBSTER);
                    assertThat(reader.instrumentName(0)).isEqualTo("ABC");
                }
                assertThat(read(file(name, bytes)).records()).hasSize(2);
            }
        }
    }

    @Test
    void refusesWhatIsNoFile() throws IOException {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> Feeds.open("m", missing))
                .isInstanceOf(FeedFault.class)
                .hasMessage("m: offset 0: cannot be read: no such file or folder");
        assertThatThrownBy(() -> Feeds.open("d", folder))
                .isInstanceOf(FeedFault.class)
                .hasMessage("d: offset 0: is a folder, must be a file");
        Path inFile = file("plain", ITCH).resolve("x");
        assertThatThrownBy(() -> Feeds.open("x", inFile))
                .isInstanceOf(FeedFault.class)
                .hasMessageStartingWith("x: offset 0: cannot be read: ");
        Path nameless = file("_x.csv", LOBSTER);
        assertThatThrownBy(() -> Feeds.open("_x.csv", nameless))
                .isInstanceOf(FeedFault.class)
                .hasMessage("_x.csv: offset 0: no instrument before the first '_' or '.' of the file's name");
    }

    @Test
    void saysThatAFileIsEmpty() throws Exception {
        assertThat(read(file("a", new byte[0])).message()).isEqualTo("f: offset 0: empty file");
        assertThat(read(file("a.csv", new byte[0])).message()).isEqualTo("f: line 1: empty file");
        assertThat(read(file("b", Inputs.gzip(new byte[0]))).message())
                .isEqualTo("f: offset 0 of the uncompressed data: empty file");
        assertThat(read(file("b.csv.gz", Inputs.gzip(new byte[0]))).message()).isEqualTo("f: line 1: empty file");
    }

    @Test
    void saysThatGzipIsCutOrGarbage() throws Exception {
        byte[] gzip = Inputs.gzip(ITCH);
        for (String name : List.of("a", "a.csv")) {
            byte[] content = name.equals("a") ? gzip : Inputs.gzip(LOBSTER);
            for (int length = 2; length < content.length; length++) {
                Outcome outcome = read(file(name, Arrays.copyOf(content, length)));
                assertThat(outcome.message()).isEqualTo("f: offset " + length + ": gzip data cut short");
            }
        }
        // Cut in the trailer: both messages came first.
        Outcome outcome = read(file("a", Arrays.copyOf(gzip, gzip.length - 3)));
        assertThat(outcome.records()).hasSize(2);
        byte[] garbage = "\u001f\u008bgarbage".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(read(file("a", garbage)).message()).isEqualTo("f: offset 3: gzip compression method 103, must be 8");
    }

    @Test
    void countsOffsetsInGzipAfterDecompression() throws Exception {
        byte[] cut = Arrays.copyOf(ITCH, ITCH.length - 1);
        Outcome outcome = read(file("a", Inputs.gzip(cut)));
        assertThat(outcome.records()).hasSize(1);
        assertThat(outcome.message())
                .isEqualTo(
                        "f: offset 41 of the uncompressed data: truncated record: message of 36 bytes announced, 35 left");
    }

    @Test
    void aFaultIsOneLine() {
        assertThat(FeedFault.atLine("a\nb", 3, "x\ty").getMessage()).isEqualTo("a?b: line 3: x?y");
    }

    @Test
    void memoryGivesBackWhatWasWritten() throws FeedFault {
        Memory memory = new Memory();
        byte[] written = new byte[(1 << 20) + 5_000];
        for (int i = 0; i < written.length; i++) {
            written[i] = (byte) (i * 31);
        }
        memory.write(written[0]);
        memory.write(written, 1, 999);
        memory.write(written, 1_000, written.length - 1_000);
        assertThat(memory.length()).isEqualTo(written.length);
        for (int round = 0; round < 2; round++) {
            byte[] read = new byte[written.length];
            int at = 0;
            try (ByteSource source = memory.source()) {
                for (int count; (count = source.read(read, at, Math.max(1, read.length - at))) > 0; ) {
                    at += count;
                }
            }
            assertThat(at).isEqualTo(written.length);
            assertThat(read).isEqualTo(written);
        }
    }
}
