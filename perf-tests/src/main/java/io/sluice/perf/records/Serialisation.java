package io.sluice.perf.records;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.records.MaxLength;
import io.sluice.core.records.RecordCodec;
import java.io.IOException;
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
            @MaxLength(10) long[] quantities) {
        boolean isSame(Item other) {
            return sourceId == other.sourceId
                    && special == other.special
                    && orderCode == other.orderCode
                    && priority == other.priority
                    && Arrays.equals(prices, other.prices)
                    && Arrays.equals(quantities, other.quantities);
        }
    }

    /** The same as a class, as the article has it for Java's serialisation. */
    static final class ItemObject implements Serializable {
        private static final long serialVersionUID = 1;

        private final long sourceId;
        private final boolean special;
        private final int orderCode;
        private final int priority;
        private final double[] prices;
        private final long[] quantities;

        ItemObject(Item item) {
            sourceId = item.sourceId;
            special = item.special;
            orderCode = item.orderCode;
            priority = item.priority;
            prices = item.prices;
            quantities = item.quantities;
        }

        Item item() {
            return new Item(sourceId, special, orderCode, priority, prices, quantities);
        }
    }

    private static final int ROUNDS = 7;

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

    public static void main(String[] arguments) throws Exception {
        run(arguments[0], Integer.parseInt(arguments[1]));
    }

    private static void run(String way, int calls) throws IOException, ClassNotFoundException {
        if (way.equals("java")) {
            Way.run(
                    new JavaWay<ItemObject>(),
                    i -> new ItemObject(item(i)),
                    (a, b) -> a.item().isSame(b.item()),
                    calls,
                    ROUNDS);
        } else {
            Way.run(way(way), Serialisation::item, Item::isSame, calls, ROUNDS);
        }
    }

    static Way<Item> way(String name) {
        int bytes = Way.PLACES * Way.ROOM;
        return switch (name) {
            case "byte-buffer" -> new Buffer(ByteBuffer.allocate(bytes));
            case "byte-buffer-direct" -> new Buffer(ByteBuffer.allocateDirect(bytes));
            case "bound" -> new Bound();
            case "codec" -> new CodecWay<>(CODEC, SafeBuffer.allocate(bytes));
            case "codec-direct" -> new CodecWay<>(CODEC, SafeBuffer.allocateDirect(bytes));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static final class Buffer implements Way<Item> {
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

    /**
     * The work that no encoder can avoid: it copies both arrays, and a reader gets an object with two arrays of its own. It has no layout,
     * no lengths and no bounds.
     */
    private static final class Bound implements Way<Item> {
        private static final int BYTES = Long.BYTES + 1 + 2 * Integer.BYTES + 10 * Double.BYTES + 10 * Long.BYTES;

        private final long[] sourceIds = new long[PLACES];
        private final boolean[] specials = new boolean[PLACES];
        private final int[] orderCodes = new int[PLACES];
        private final int[] priorities = new int[PLACES];
        private final double[][] prices = new double[PLACES][10];
        private final long[][] quantities = new long[PLACES][10];

        @Override
        public int write(Item item, int place) {
            sourceIds[place] = item.sourceId;
            specials[place] = item.special;
            orderCodes[place] = item.orderCode;
            priorities[place] = item.priority;
            System.arraycopy(item.prices, 0, prices[place], 0, item.prices.length);
            System.arraycopy(item.quantities, 0, quantities[place], 0, item.quantities.length);
            return BYTES;
        }

        @Override
        public Item read(int place) {
            return new Item(
                    sourceIds[place],
                    specials[place],
                    orderCodes[place],
                    priorities[place],
                    Arrays.copyOf(prices[place], prices[place].length),
                    Arrays.copyOf(quantities[place], quantities[place].length));
        }
    }
}
