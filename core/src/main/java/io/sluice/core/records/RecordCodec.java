package io.sluice.core.records;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes records of one type into bytes, and reads them back. Made once for a type, and kept in a {@code static final} field:
 *
 * <pre>{@code
 * public record Trade(long id, int instrument, double price, long quantity, @MaxLength(4) String venue, Side side) {}
 *
 * private static final RecordCodec<Trade> TRADES = RecordCodec.of(Trade.class);
 * ...
 * TRADES.encode(trade, buffer, offset);
 * Trade read = TRADES.decode(buffer, offset);
 * }</pre>
 *
 * <p>A component is a primitive, an enum, an ASCII string or an array of {@code byte}, {@code int}, {@code long} or {@code double}. A
 * string and an array must have a {@link MaxLength}. The components stand in the order of their declaration, packed, little-endian: a
 * {@code boolean} as 0 or 1; an enum as its ordinal in one byte, or in two from 257 constants on; a string as its characters, one byte
 * each, and then zeros; an array as its length in four bytes and its elements. So a record always takes {@link #size} bytes. Null is
 * refused.
 *
 * <p>How it gets by without reflection: the handles of the accessors and of the constructor are composed to one method handle for each
 * direction, which is a constant of a hidden class made for this codec, so the JIT compiler compiles it as if it were written by hand.
 * Where hidden classes are forbidden ({@code -Dio.sluice.hiddenClasses=false}) or missing, the same handles are called without being
 * constants, which is slower.
 *
 * <p>Any thread may call a codec; it holds nothing of a call. The buffer is the caller's: accesses to it are plain, so another thread
 * sees the bytes only by a publication, for instance that of a ring. Nothing here blocks or fences.
 *
 * @param <T> the records
 */
public abstract class RecordCodec<T extends Record> {
    private final RecordLayout<T> layout;

    RecordCodec(RecordLayout<T> layout) {
        this.layout = layout;
    }

    /**
     * Makes the codec of a public record. Costs some milliseconds and allocates; meant for the start of a program.
     *
     * @param type the record's class; public, in a package that is exported
     * @param <T> the records
     * @return the codec
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is no record, can not be seen, has more than 100 components, or has a component that is
     *     not supported; the message names it
     */
    public static <T extends Record> RecordCodec<T> of(Class<T> type) {
        return of(MethodHandles.publicLookup(), type);
    }

    /**
     * Makes the codec of a record that is not public, as {@link #of(Class)} does of one that is.
     *
     * @param lookup of a class that sees the record, its accessors and its constructor: {@code MethodHandles.lookup()}
     * @param type the record's class
     * @param <T> the records
     * @return the codec
     * @throws NullPointerException if one of them is null
     * @throws IllegalArgumentException as for {@link #of(Class)}
     */
    public static <T extends Record> RecordCodec<T> of(MethodHandles.Lookup lookup, Class<T> type) {
        RecordLayout<T> layout = new RecordLayout<>(Check.notNull(lookup, "lookup"), Check.notNull(type, "type"));
        return CodecClasses.make(layout);
    }

    /**
     * Writes a record. Allocates nothing.
     *
     * @param record the record
     * @param buffer where to; its accesses decide what a write costs
     * @param offset of the first byte
     * @throws NullPointerException if the record, the buffer or a component is null; the message names it
     * @throws IllegalArgumentException if a string or an array is too long, or a string is not ASCII from 1 to 127; the message names
     *     the component. The bytes of this record are undefined then
     * @throws IndexOutOfBoundsException if the record does not fit into the buffer, which does not change
     */
    public abstract void encode(T record, MutableDirectBuffer buffer, int offset);

    /**
     * Reads a record. Allocates the record, its strings and its arrays, and off the heap one more array for each string; where the JIT
     * compiler sees that the record does not leave the caller, it leaves out the record too. {@link RecordFlyweight} reads single fields
     * without a record.
     *
     * @param buffer where from
     * @param offset of the first byte
     * @return the record
     * @throws NullPointerException if the buffer is null
     * @throws IllegalArgumentException if the bytes are no such record: an ordinal or a length is out of its range; and what the
     *     record's constructor throws
     * @throws IndexOutOfBoundsException if the buffer ends before the record
     */
    public abstract T decode(DirectBuffer buffer, int offset);

    /**
     * The class of the records.
     *
     * @return the class
     */
    public final Class<T> type() {
        return layout.type();
    }

    /**
     * How many bytes each record takes.
     *
     * @return bytes
     */
    public final int size() {
        return layout.size();
    }

    /**
     * The fields in their order.
     *
     * @return the fields, unmodifiable
     */
    public final List<RecordField> fields() {
        return layout.fields();
    }

    /**
     * One field, for {@link RecordFlyweight} and {@link RecordTable#sort}. Costs a search; keep the result.
     *
     * @param name of the component
     * @return the field
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if there is no such component; the message lists them
     */
    public final RecordField field(String name) {
        return layout.field(Check.notNull(name, "name"));
    }

    /**
     * A new flyweight for these records. It belongs to the thread that uses it; make one and use it again and again.
     *
     * @return a flyweight that stands nowhere yet
     */
    public final RecordFlyweight flyweight() {
        return new RecordFlyweight(layout.type(), layout.size());
    }

    final RecordLayout<T> layout() {
        return layout;
    }
}
