package io.sluice.examples.feed;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** Names the kind that a file looks like, by its first bytes; the signatures are those that the formats' own specifications give. */
final class FileKind {
    /** First bytes, in hexadecimal, and the kind that begins with them. */
    private static final Map<String, String> SIGNATURES = new LinkedHashMap<>();

    static {
        SIGNATURES.put("89504e470d0a1a0a", "a PNG image");
        SIGNATURES.put("ffd8ff", "a JPEG image");
        SIGNATURES.put("47494638", "a GIF image");
        SIGNATURES.put("25504446", "a PDF document");
        SIGNATURES.put("504b0304", "a ZIP archive");
        SIGNATURES.put("504b0506", "a ZIP archive");
        SIGNATURES.put("1f8b", "gzip once more");
        SIGNATURES.put("425a68", "bzip2 data");
        SIGNATURES.put("fd377a585a00", "xz data");
        SIGNATURES.put("28b52ffd", "Zstandard data");
        SIGNATURES.put("377abcaf271c", "a 7z archive");
        SIGNATURES.put("7f454c46", "an ELF program");
        SIGNATURES.put("cafebabe", "a Java class");
        SIGNATURES.put("d4c3b2a1", "a packet capture (pcap)");
        SIGNATURES.put("a1b2c3d4", "a packet capture (pcap)");
        SIGNATURES.put("4d3cb2a1", "a packet capture (pcap)");
        SIGNATURES.put("a1b23c4d", "a packet capture (pcap)");
        SIGNATURES.put("0a0d0d0a", "a packet capture (pcapng)");
        SIGNATURES.put("53514c69746520666f726d6174203300", "an SQLite database");
        SIGNATURES.put("50415231", "Parquet data");
        SIGNATURES.put("fffe", "text in UTF-16");
        SIGNATURES.put("feff", "text in UTF-16");
    }

    private static final int TAR_MAGIC_AT = 257;
    private static final String TAR_MAGIC = "ustar";

    private FileKind() {}

    /**
     * The kind that a file looks like.
     *
     * @param bytes its first bytes, at least one
     * @param name its name in small letters, which decides between kinds of text
     * @return a few words
     */
    static String of(byte[] bytes, String name) {
        String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 16));
        for (Map.Entry<String, String> signature : SIGNATURES.entrySet()) {
            if (hex.startsWith(signature.getKey())) {
                return signature.getValue();
            }
        }
        if (bytes.length >= TAR_MAGIC_AT + TAR_MAGIC.length()
                && new String(bytes, TAR_MAGIC_AT, TAR_MAGIC.length(), StandardCharsets.ISO_8859_1).equals(TAR_MAGIC)) {
            return "a tar archive";
        }
        if (isText(bytes)) {
            return textKind(new String(bytes, StandardCharsets.UTF_8), name);
        }
        for (byte one : bytes) {
            if (one != 0) {
                return "binary data of an unknown kind";
            }
        }
        return "nothing but zero bytes";
    }

    /** Whether bytes are UTF-8 without control characters; the last character may be cut off. */
    static boolean isText(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), text, false);
        if (result.isError()) {
            return false;
        }
        text.flip();
        return text.chars().noneMatch(c -> (c < ' ' && "\t\n\r\f".indexOf(c) < 0) || c == 0x7f);
    }

    private static String textKind(String text, String name) {
        String begin = text.startsWith("\ufeff") ? text.substring(1).stripLeading() : text.stripLeading();
        if (name.endsWith(".md") || begin.matches("(?s)#{1,6} .*") || text.contains("\n```")) {
            return "Markdown text";
        }
        if (begin.startsWith("#!")) {
            return "a script";
        }
        if (begin.startsWith("<")) {
            return begin.regionMatches(true, 0, "<!doctype html", 0, 14) || begin.regionMatches(true, 0, "<html", 0, 5)
                    ? "HTML text"
                    : "XML text";
        }
        if (begin.startsWith("{") || begin.startsWith("[")) {
            return "JSON text";
        }
        String line = text.lines().findFirst().orElse("");
        long commas = line.chars().filter(c -> c == ',').count();
        if (commas > 0
                && (name.contains(".csv")
                        || text.lines()
                                .limit(2)
                                .skip(1)
                                .anyMatch(second ->
                                        second.chars().filter(c -> c == ',').count() == commas))) {
            return "CSV text of " + (commas + 1) + " columns whose first row is '" + shortened(line) + "'";
        }
        return "plain text";
    }

    private static String shortened(String line) {
        return line.length() <= 60 ? line : line.substring(0, 57) + "...";
    }
}
