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

    /** One way; it keeps the bytes of the last write. */
    interface Way {
        int write(Item item) throws IOException;

        Item read() throws IOException, ClassNotFoundException;
    }

    static final Item ITEM = new Item(
            1010,
            true,
            777,
            99,
            new double[] {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0},
            new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});

    private static final RecordCodec<Item> CODEC = RecordCodec.of(MethodHandles.lookup(), Item.class);

    private Serialisation() {}

    static Way way(String name) {
        return switch (name) {
            case "java" -> new Java();
            case "byte-buffer" -> new Buffer(ByteBuffer.allocate(1_024));
            case "byte-buffer-direct" -> new Buffer(ByteBuffer.allocateDirect(1_024));
            case "codec" -> new Codec(SafeBuffer.allocate(1_024));
            case "codec-direct" -> new Codec(SafeBuffer.allocateDirect(1_024));
            default -> throw new IllegalArgumentException(name);
        };
    }

    public static void main(String[] arguments) throws Exception {
        Way way = way(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        for (int round = 0; round < 15; round++) {
            long start = System.nanoTime();
            int bytes = 0;
            for (int i = 0; i < calls; i++) {
                bytes = way.write(ITEM);
            }
            long written = System.nanoTime();
            Item read = ITEM;
            for (int i = 0; i < calls; i++) {
                read = way.read();
            }
            long end = System.nanoTime();
            if (!read.isSame(ITEM)) {
                throw new IllegalStateException("read something else than was written");
            }
            if (round > 3) {
                System.out.println("round " + (written - start) / (double) calls + " " + (end - written) / (double) calls
                        + " " + bytes);
            }
        }
    }

    private static final class Java implements Way {
        private byte[] bytes = {};

        @Override
        public int write(Item item) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
                objects.writeObject(item);
            }
            bytes = out.toByteArray();
            return bytes.length;
        }

        @Override
        public Item read() throws IOException, ClassNotFoundException {
            try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
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
        public int write(Item item) {
            buffer.clear();
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
            return buffer.position();
        }

        @Override
        public Item read() {
            buffer.rewind();
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
        public int write(Item item) {
            CODEC.encode(item, buffer, 0);
            return CODEC.size();
        }

        @Override
        public Item read() {
            return CODEC.decode(buffer, 0);
        }
    }
}
