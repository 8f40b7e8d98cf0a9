package io.sluice.ringbuffer.product;

import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBufferBuilder;

/** What an event of the random programs holds: in the fields of an object, in the bytes of a slot, or in a message. */
final class Item {
    /** How many bytes the same content takes in a slot. */
    static final int LENGTH = 24;

    /** How many bytes the content takes as a message. The key follows from the value. */
    static final int MESSAGE_LENGTH = 8;

    /** How many sequences such a message takes. */
    static final int MESSAGE_UNITS = 2;

    /** What an event is kept in. */
    enum Kind {
        OBJECTS,
        BYTES,
        MESSAGES
    }

    private long value;
    private long sequence;
    private long key;

    /** A builder for a ring of a kind; all hand over what the methods here read and write. */
    @SuppressWarnings("unchecked") // events are Objects to the programs
    static RingBufferBuilder<Object> ring(Kind kind, int capacity) {
        RingBufferBuilder<?> builder = switch (kind) {
            case OBJECTS -> RingBufferBuilder.of(Item::new).capacity(capacity);
            case BYTES -> RingBufferBuilder.bytes(LENGTH).capacity(capacity);
            case MESSAGES -> RingBufferBuilder.messages(capacity * MESSAGE_UNITS * Messages.ALIGNMENT);
        };
        return (RingBufferBuilder<Object>) builder;
    }

    /** An event that is in no ring. */
    static Object spare(Kind kind) {
        return kind == Kind.BYTES ? ByteSlots.one(LENGTH) : new Item();
    }

    static void fill(Object event, long at, long value, long key) {
        if (event instanceof ByteSlots slots) {
            slots.buffer().putLong(slots.offset(at), value);
            slots.buffer().putLong(slots.offset(at) + 8, at);
            slots.buffer().putLong(slots.offset(at) + 16, key);
        } else if (event instanceof Messages messages) {
            messages.buffer().putLong(messages.offset(at), value);
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
        if (event instanceof Messages messages) {
            return messages.length(at) == MESSAGE_LENGTH ? messages.buffer().getLong(messages.offset(at)) : -1;
        }
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
