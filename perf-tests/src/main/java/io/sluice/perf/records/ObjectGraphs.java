package io.sluice.perf.records;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.records.MaxLength;
import io.sluice.core.records.RecordCodec;
import io.sluice.examples.graphs.ForySlots;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;

/**
 * The child that writes and reads the object of the article <i>Still using Externalizable to get faster Serialization with Java?</i> of
 * October 2013: three strings, two of them different in each object, three flags, six ints, two longs and a double.
 */
final class ObjectGraphs {
    private static final int ROUNDS = 7;

    /**
     * As a record.
     *
     * @param text some value
     * @param text1 another one
     * @param text2 one of a few, or another one
     * @param b0 a flag
     * @param b1 a flag
     * @param b2 a flag
     * @param test1 a number
     * @param test2 a number
     * @param test3 a number
     * @param test4 a number
     * @param test5 a number
     * @param test6 a number
     * @param l1 a number
     * @param l2 a number
     * @param d a number
     */
    record Values(
            @MaxLength(18) String text,
            @MaxLength(24) String text1,
            @MaxLength(24) String text2,
            boolean b0,
            boolean b1,
            boolean b2,
            int test1,
            int test2,
            int test3,
            int test4,
            int test5,
            int test6,
            long l1,
            long l2,
            double d) {}

    /** As the class of the article: fields that Java's serialisation and Fory find by themselves. */
    public static final class Plain implements Serializable {
        private static final long serialVersionUID = 1;

        private String text = "";
        private String text1 = "";
        private String text2 = "";
        private boolean b0;
        private boolean b1;
        private boolean b2;
        private int test1;
        private int test2;
        private int test3;
        private int test4;
        private int test5;
        private int test6;
        private long l1;
        private long l2;
        private double d;

        static Plain of(Values values) {
            Plain plain = new Plain();
            plain.text = values.text;
            plain.text1 = values.text1;
            plain.text2 = values.text2;
            plain.b0 = values.b0;
            plain.b1 = values.b1;
            plain.b2 = values.b2;
            plain.test1 = values.test1;
            plain.test2 = values.test2;
            plain.test3 = values.test3;
            plain.test4 = values.test4;
            plain.test5 = values.test5;
            plain.test6 = values.test6;
            plain.l1 = values.l1;
            plain.l2 = values.l2;
            plain.d = values.d;
            return plain;
        }

        Values values() {
            return new Values(text, text1, text2, b0, b1, b2, test1, test2, test3, test4, test5, test6, l1, l2, d);
        }
    }

    /** The same, written and read by hand. */
    public static final class ByHand implements Externalizable {
        private static final long serialVersionUID = 1;

        private transient Values values = ObjectGraphs.values(0); // written by hand

        /** For the stream that reads it. */
        public ByHand() {}

        static ByHand of(Values values) {
            ByHand made = new ByHand();
            made.values = values;
            return made;
        }

        Values values() {
            return values;
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeUTF(values.text);
            out.writeUTF(values.text1);
            out.writeUTF(values.text2);
            out.writeBoolean(values.b0);
            out.writeBoolean(values.b1);
            out.writeBoolean(values.b2);
            out.writeInt(values.test1);
            out.writeInt(values.test2);
            out.writeInt(values.test3);
            out.writeInt(values.test4);
            out.writeInt(values.test5);
            out.writeInt(values.test6);
            out.writeLong(values.l1);
            out.writeLong(values.l2);
            out.writeDouble(values.d);
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException {
            values = new Values(
                    in.readUTF(),
                    in.readUTF(),
                    in.readUTF(),
                    in.readBoolean(),
                    in.readBoolean(),
                    in.readBoolean(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readLong(),
                    in.readLong(),
                    in.readDouble());
        }
    }

    static final RecordCodec<Values> CODEC = RecordCodec.of(MethodHandles.lookup(), Values.class);

    private ObjectGraphs() {}

    static Values values(int number) {
        String text2 = switch (number % 3) {
            case 0 -> "Default Value";
            case 1 -> "Other Default Value";
            default -> "Non-Default Value " + number;
        };
        return new Values(
                "Some Value " + number,
                "Very Other Value " + number,
                text2,
                true,
                false,
                true,
                123_456,
                234_234,
                456_456,
                -234_234_344,
                -1,
                0,
                -38_457_359_987_788_345L,
                0,
                122.33);
    }

    public static void main(String[] arguments) throws Exception {
        run(arguments[0], Integer.parseInt(arguments[1]));
    }

    private static void run(String way, int calls) throws IOException, ClassNotFoundException {
        switch (way) {
            case "java" ->
                Way.run(
                        new JavaWay<>(),
                        i -> Plain.of(values(i)),
                        (a, b) -> a.values().equals(b.values()),
                        calls,
                        ROUNDS);
            case "externalizable" ->
                Way.run(
                        new JavaWay<>(),
                        i -> ByHand.of(values(i)),
                        (a, b) -> a.values().equals(b.values()),
                        calls,
                        ROUNDS);
            case "fory" ->
                Way.run(
                        new Fory(),
                        i -> Plain.of(values(i)),
                        (a, b) -> a.values().equals(b.values()),
                        calls,
                        ROUNDS);
            case "codec" ->
                Way.run(
                        new CodecWay<>(CODEC, SafeBuffer.allocate(Way.PLACES * Way.ROOM)),
                        ObjectGraphs::values,
                        Values::equals,
                        calls,
                        ROUNDS);
            case "codec-slot" -> Way.run(new Slots(), ObjectGraphs::values, Values::equals, calls, ROUNDS);
            default -> throw new IllegalArgumentException(way);
        }
    }

    /** Claims a slot for each object. A read takes the slot that was claimed last for the object of its place. */
    private abstract static class Claims<T> implements Way<T> {
        private final RingBuffer<ByteSlots> ring =
                RingBufferBuilder.bytes(ROOM).capacity(PLACES).singleProducer().build();
        private final Producer<ByteSlots> producer = ring.producer();

        @Override
        public int write(T object, int place) {
            long sequence = producer.next();
            int bytes = write(object, producer.get(sequence), sequence);
            producer.publish(sequence);
            return bytes;
        }

        @Override
        public T read(int place) {
            return read(producer.get(place), place);
        }

        abstract int write(T object, ByteSlots slots, long sequence);

        abstract T read(ByteSlots slots, long sequence);
    }

    private static final class Fory extends Claims<Plain> {
        private final ForySlots graphs = new ForySlots(false, Plain.class);

        @Override
        int write(Plain object, ByteSlots slots, long sequence) {
            return graphs.write(object, slots, sequence);
        }

        @Override
        Plain read(ByteSlots slots, long sequence) {
            return graphs.read(Plain.class, slots, sequence);
        }
    }

    private static final class Slots extends Claims<Values> {
        @Override
        int write(Values object, ByteSlots slots, long sequence) {
            CODEC.encode(object, slots.buffer(), slots.offset(sequence));
            return CODEC.size();
        }

        @Override
        Values read(ByteSlots slots, long sequence) {
            return CODEC.decode(slots.buffer(), slots.offset(sequence));
        }
    }
}
