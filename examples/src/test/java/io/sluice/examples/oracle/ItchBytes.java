package io.sluice.examples.oracle;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Builds ITCH 5.0 records by hand. */
public final class ItchBytes {
    private static final String TYPES =
            "S12 R39 H25 Y20 L26 V35 W12 K28 J35 h21 A36 F40 E31 C36 X23 D19 U35 P44 Q40 B19 " + "I50 N20 O48";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private long time;

    /** Every type of the specification with its length. */
    public static Map<Character, Integer> types() {
        Map<Character, Integer> types = new LinkedHashMap<>();
        for (String type : TYPES.split(" ", -1)) {
            types.put(type.charAt(0), Integer.valueOf(type.substring(1)));
        }
        return types;
    }

    public byte[] toBytes() {
        return bytes.toByteArray();
    }

    public ItchBytes add(String stock, long reference, char side, long shares, long price) {
        return write(() -> {
            header('A', 36);
            order(stock, reference, side, shares, price);
        });
    }

    public ItchBytes addAttributed(String stock, long reference, char side, long shares, long price) {
        return write(() -> {
            header('F', 40);
            order(stock, reference, side, shares, price);
            out.writeBytes("ABCD");
        });
    }

    public ItchBytes execute(long reference, long shares) {
        return write(() -> {
            header('E', 31);
            out.writeLong(reference);
            out.writeInt((int) shares);
            out.writeLong(77);
        });
    }

    public ItchBytes executeAt(long reference, long shares, long price) {
        return write(() -> {
            header('C', 36);
            out.writeLong(reference);
            out.writeInt((int) shares);
            out.writeLong(78);
            out.writeByte('Y');
            out.writeInt((int) price);
        });
    }

    public ItchBytes cancel(long reference, long shares) {
        return write(() -> {
            header('X', 23);
            out.writeLong(reference);
            out.writeInt((int) shares);
        });
    }

    public ItchBytes delete(long reference) {
        return write(() -> {
            header('D', 19);
            out.writeLong(reference);
        });
    }

    public ItchBytes replace(long reference, long newReference, long shares, long price) {
        return write(() -> {
            header('U', 35);
            out.writeLong(reference);
            out.writeLong(newReference);
            out.writeInt((int) shares);
            out.writeInt((int) price);
        });
    }

    public ItchBytes directory(String stock) {
        return write(() -> {
            header('R', 39);
            out.writeBytes(padded(stock));
            out.write(new byte[20]);
        });
    }

    /** A message of a type with zeros for its own fields. */
    public ItchBytes blank(char type, int length) {
        return write(() -> {
            header(type, length);
            out.write(new byte[length - 11]);
        });
    }

    public ItchBytes raw(int... values) {
        return write(() -> {
            for (int value : values) {
                out.writeByte(value);
            }
        });
    }

    private void header(char type, int length) throws IOException {
        time += 1_000;
        out.writeShort(length);
        out.writeByte(type);
        out.writeShort(1);
        out.writeShort(0);
        out.writeShort((int) (time >>> 32));
        out.writeInt((int) time);
    }

    private void order(String stock, long reference, char side, long shares, long price) throws IOException {
        out.writeLong(reference);
        out.writeByte(side);
        out.writeInt((int) shares);
        out.writeBytes(padded(stock));
        out.writeInt((int) price);
    }

    private static String padded(String stock) {
        return (stock + "        ").substring(0, 8);
    }

    private ItchBytes write(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    public static String text(byte[] bytes, int offset, int length) {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }

    private interface Writing {
        void run() throws IOException;
    }
}
