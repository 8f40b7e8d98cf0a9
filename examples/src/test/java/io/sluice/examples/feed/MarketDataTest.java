package io.sluice.examples.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.ItchBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is taken for market data, and what other files look like. */
class MarketDataTest {
    private static final byte[] ITCH =
            new ItchBytes().directory("ABC").add("ABC", 1, 'B', 100, 10).toBytes();
    private static final byte[] LOBSTER = "1.5,1,7,100,10,1\n2,3,7,100,10,1".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private @Nullable String refusal(String name, byte[] bytes) throws IOException {
        return MarketData.refusal("f", Files.write(folder.resolve(name), bytes));
    }

    private String looks(String name, byte[] bytes) throws IOException {
        String begin = "f must be ITCH 5.0, or a LOBSTER message file named *.csv or *.csv.gz, plain or gzip, but ";
        String refusal = refusal(name, bytes);
        assertThat(refusal).startsWith(begin).doesNotContain("\n");
        return String.valueOf(refusal).substring(begin.length());
    }

    /** Market data that is cut off anywhere is market data: its reader says where. */
    @Test
    void marketDataIsAccepted() throws Exception {
        for (int length = 1; length <= ITCH.length; length++) {
            assertThat(refusal("a", Arrays.copyOf(ITCH, length)))
                    .as("length " + length)
                    .isNull();
        }
        for (int length = 1; length <= LOBSTER.length; length++) {
            assertThat(refusal("A.csv", Arrays.copyOf(LOBSTER, length)))
                    .as("length " + length)
                    .isNull();
        }
        byte[] gzip = Inputs.gzip(ITCH);
        for (int length = 2; length <= gzip.length; length++) {
            assertThat(refusal("a.gz", Arrays.copyOf(gzip, length)))
                    .as("length " + length)
                    .isNull();
        }
        assertThat(refusal("A.csv.gz", Inputs.gzip(LOBSTER))).isNull();
        assertThat(refusal(
                        "A.csv",
                        (new String(LOBSTER, StandardCharsets.US_ASCII) + "\n\u0000")
                                .getBytes(StandardCharsets.US_ASCII)))
                .as("damaged behind the first record")
                .isNull();
        assertThat(MarketData.refusal("f", folder))
                .as("what is no file is told elsewhere")
                .isNull();
        assertThat(MarketData.refusal("f", folder.resolve("none"))).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "89504e470d0a1a0a0000|a PNG image",
                "ffd8ffe000104a464946|a JPEG image",
                "504b03041400|a ZIP archive",
                "425a683931|bzip2 data",
                "28b52ffd00|Zstandard data",
                "7f454c4602|an ELF program",
                "cafebabe00000034|a Java class",
                "d4c3b2a102000400|a packet capture (pcap)",
                "fffe68006900|text in UTF-16",
                "00000000|nothing but zero bytes",
                "000102030405|binary data of an unknown kind",
                "ff00|binary data of an unknown kind",
                "1f|binary data of an unknown kind",
            })
    void binaryFilesAreNamed(String hex, String what) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThat(looks("x", bytes)).isEqualTo("looks like " + what);
        assertThat(looks("x.gz", Inputs.gzip(bytes))).isEqualTo("is gzip of what looks like " + what);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x.md|hello|Markdown text",
                "x|## A title|Markdown text",
                "x|#!/bin/sh|a script",
                "x|<!DOCTYPE html><p>|HTML text",
                "x|<project>|XML text",
                "x|{\"a\": 1}|JSON text",
                "x|a,b\\nc,d|CSV text of 2 columns whose first row is 'a,b'",
                "x|Dear me, no\\nnever|plain text",
                "x|naïve prose|plain text",
                "x.csv|hello|plain text",
                "x.csv|Time,Type,Order,Size,Price,Direction|CSV text of 6 columns whose first row is 'Time,Type,Order,Size,Price,Direction'",
                "x|123|plain text",
            })
    void kindsOfTextAreNamed(String name, String text, String what) throws Exception {
        assertThat(looks(name, text.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("looks like " + what);
    }

    @Test
    void marketDataUnderTheOtherNameIsSaidToBeThat() throws Exception {
        assertThat(looks("A.csv", ITCH)).isEqualTo("looks like ITCH 5.0 under a name of a LOBSTER file");
        assertThat(looks("lobster.txt", LOBSTER)).isEqualTo("looks like a LOBSTER message file under another name");
        assertThat(looks("x", Inputs.gzip(Inputs.gzip(ITCH)))).isEqualTo("is gzip of what looks like gzip once more");
    }

    @Test
    void emptyFilesAndArchivesAreNamed() throws Exception {
        assertThat(looks("x", new byte[0])).isEqualTo("is empty");
        assertThat(looks("x.gz", Inputs.gzip(new byte[0]))).isEqualTo("is gzip of what is empty");
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        tar.write(Arrays.copyOf("name".getBytes(StandardCharsets.US_ASCII), 257));
        tar.write("ustar".getBytes(StandardCharsets.US_ASCII));
        tar.write(new byte[250]);
        for (byte[] bytes : List.of(tar.toByteArray(), Inputs.gzip(tar.toByteArray()))) {
            assertThat(looks("x.tgz", bytes)).endsWith("looks like a tar archive");
        }
    }

    /** The first look ends within a character. */
    @Test
    void longTextThatIsCutWithinACharacterIsText() throws Exception {
        assertThat(looks("x", ("a" + "é".repeat(4_000)).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("looks like plain text");
    }

    @Test
    void aNameIsOneLine() throws Exception {
        assertThat(MarketData.refusal("a\nb", Files.write(folder.resolve("x"), new byte[0])))
                .startsWith("a?b must be ");
    }
}
