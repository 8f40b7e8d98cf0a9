package io.sluice.perf.records;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.records.MaxLength;
import io.sluice.core.records.RecordCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The child that writes and reads the object of the article in one way. Prints nanoseconds of a write and of a read, and its bytes. */
@SuppressWarnings("ArrayRecordComponent") // as the object of the article has
final class Serialisation {
    /**
     * The article's object: its fields, with arrays of ten.
     *
     * @param sourceId a number
     * @param special a flag
     * @param orderCode a number
     * @param priority a number
     * @param prices ten of them
     * @param quantities ten of them
     */
    record Item(
            long sourceId,
            boolean special,
            int orderCode,
            int priority,
            @MaxLength(10) double[] prices,
            @MaxLength(10) long[] quantities)
            implements Serializable {
        boolean isSame(Item other) {
            return sourceId == other.sourceId
                    && special == other.special
                    && orderCode == other.orderCode
                    && priority == other.priority
                    && Arrays.equals(prices, other.prices)
                    && Arrays.equals(quantities, other.quantities);
        }
    }

    /** One way; it has a place for each item. */
    interface Way {
        int write(Item item, int place) throws IOException;

        Item read(int place) throws IOException, ClassNotFoundException;
    }

    /** So many items go round, each to a place of its own: the compiler can neither leave out a write nor do it once for all. */
    static final int PLACES = 64;

    private static final int ROOM = 256;

    private static final RecordCodec<Item> CODEC = RecordCodec.of(MethodHandles.lookup(), Item.class);

    private Serialisation() {}

    static Item item(int number) {
        double[] prices = new double[10];
        long[] quantities = new long[10];
        for (int i = 0; i < prices.length; i++) {
            prices[i] = number + (i + 1) / 10.0;
            quantities[i] = (long) number + i + 1;
        }
        return new Item(1010 + number, (number & 1) == 0, 777, 99, prices, quantities);
    }

    static Way way(String name) {
        return switch (name) {
            case "java" -> new Java();
            case "byte-buffer" -> new Buffer(ByteBuffer.allocate(PLACES * ROOM));
            case "byte-buffer-direct" -> new Buffer(ByteBuffer.allocateDirect(PLACES * ROOM));
            case "codec" -> new Codec(SafeBuffer.allocate(PLACES * ROOM));
            case "codec-direct" -> new Codec(SafeBuffer.allocateDirect(PLACES * ROOM));
            default -> throw new IllegalArgumentException(name);
        };
    }

    public static void main(String[] arguments) throws Exception {
        Way way = way(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        Item[] items = new Item[PLACES];
        Item[] read = new Item[PLACES];
        for (int i = 0; i < PLACES; i++) {
            items[i] = item(i);
        }
        for (int round = 0; round < 15; round++) {
            long start = System.nanoTime();
            int bytes = 0;
            for (int i = 0; i < calls; i++) {
                bytes = way.write(items[i & (PLACES - 1)], i & (PLACES - 1));
            }
            long written = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                read[i & (PLACES - 1)] = way.read(i & (PLACES - 1));
            }
            long end = System.nanoTime();
            for (int i = 0; i < PLACES; i++) {
                if (!read[i].isSame(items[i])) {
                    throw new IllegalStateException("read something else than was written");
                }
            }
            if (round > 3) {
                System.out.println("round " + (written - start) / (double) calls + " "
                        + (end - written) / (double) calls + " " + bytes);
            }
        }
    }

    private static final class Java implements Way {
        private final byte[][] written = new byte[PLACES][];

        @Override
        public int write(Item item, int place) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
                objects.writeObject(item);
            }
            written[place] = out.toByteArray();
            return written[place].length;
        }

        @Override
        public Item read(int place) throws IOException, ClassNotFoundException {
            try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(written[place]))) {
                return (Item) objects.readObject();
            }
        }
    }

    private static final class Buffer implements Way {
        private final ByteBuffer buffer;

        private Buffer(ByteBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public int write(Item item, int place) {
            buffer.clear().position(place * ROOM);
            buffer.putLong(item.sourceId);
            buffer.put((byte) (item.special ? 1 : 0));
            buffer.putInt(item.orderCode);
            buffer.putInt(item.priority);
            buffer.putInt(item.prices.length);
            for (double price : item.prices) {
                buffer.putDouble(price);
            }
            buffer.putInt(item.quantities.length);
            for (long quantity : item.quantities) {
                buffer.putLong(quantity);
            }
            return buffer.position() - place * ROOM;
        }

        @Override
        public Item read(int place) {
            buffer.position(place * ROOM);
            long sourceId = buffer.getLong();
            boolean special = buffer.get() != 0;
            int orderCode = buffer.getInt();
            int priority = buffer.getInt();
            double[] prices = new double[buffer.getInt()];
            for (int i = 0; i < prices.length; i++) {
                prices[i] = buffer.getDouble();
            }
            long[] quantities = new long[buffer.getInt()];
            for (int i = 0; i < quantities.length; i++) {
                quantities[i] = buffer.getLong();
            }
            return new Item(sourceId, special, orderCode, priority, prices, quantities);
        }
    }

    private static final class Codec implements Way {
        private final SafeBuffer buffer;

        private Codec(SafeBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public int write(Item item, int place) {
            CODEC.encode(item, buffer, place * ROOM);
            return CODEC.size();
        }

        @Override
        public Item read(int place) {
            return CODEC.decode(buffer, place * ROOM);
        }
    }
}
