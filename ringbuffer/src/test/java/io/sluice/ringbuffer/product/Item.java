package io.sluice.ringbuffer.product;

import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.RingBuffer;

/** What an event of the random programs holds: in the fields of an object, or in the bytes of a slot. */
final class Item {
    /** How many bytes the same content takes in a slot. */
    static final int LENGTH = 24;

    private long value;
    private long sequence;
    private long key;

    /** A builder for a ring of objects, or of bytes; both hand over what the methods here read and write. */
    @SuppressWarnings("unchecked") // events are Objects to the programs
    static RingBuffer.Builder<Object> ring(boolean bytes) {
        return bytes
                ? (RingBuffer.Builder<Object>) (RingBuffer.Builder<?>) RingBuffer.bytes(LENGTH)
                : RingBuffer.builder(Item::new);
    }

    /** An event that is in no ring. */
    static Object spare(boolean bytes) {
        return bytes ? ByteSlots.one(LENGTH) : new Item();
    }

    static void fill(Object event, long at, long value, long key) {
        if (event instanceof ByteSlots slots) {
            slots.buffer().putLong(slots.offset(at), value);
            slots.buffer().putLong(slots.offset(at) + 8, at);
            slots.buffer().putLong(slots.offset(at) + 16, key);
        } else {
            Item item = (Item) event;
            item.value = value;
            item.sequence = at;
            item.key = key;
        }
    }

    static void setValue(Object event, long at, long value) {
        if (event instanceof ByteSlots slots) {
            slots.buffer().putLong(slots.offset(at), value);
        } else {
            ((Item) event).value = value;
        }
    }

    static long value(Object event, long at) {
        return event instanceof ByteSlots slots ? slots.buffer().getLong(slots.offset(at)) : ((Item) event).value;
    }

    static long sequence(Object event, long at) {
        return event instanceof ByteSlots slots
                ? slots.buffer().getLong(slots.offset(at) + 8)
                : ((Item) event).sequence;
    }

    static long key(Object event, long at) {
        return event instanceof ByteSlots slots ? slots.buffer().getLong(slots.offset(at) + 16) : ((Item) event).key;
    }

    /** As {@link #sequence(Object, long)} and {@link #key(Object, long)}, of an object. */
    static long sequence(Object event) {
        return ((Item) event).sequence;
    }

    static long key(Object event) {
        return ((Item) event).key;
    }
}
