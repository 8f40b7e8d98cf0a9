package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.EventTranslator;
import org.agrona.concurrent.AtomicBuffer;

/**
 * How an event of several words is filled and read: the same for events that are objects and for slots of bytes. As a translator it
 * fills an event with its sequence plus one.
 */
interface Words<E> extends EventTranslator<E> {
    /** Events that are objects. */
    Words<Event> OBJECTS = new Words<>() {
        @Override
        public void fill(Event event, long sequence, long version) {
            event.fill(version);
        }

        @Override
        public long version(Event event, long sequence) {
            return event.version();
        }
    };

    /** Slots of {@link #LENGTH} bytes. */
    Words<ByteSlots> BYTES = new Words<>() {
        @Override
        public void fill(ByteSlots slots, long sequence, long version) {
            AtomicBuffer buffer = slots.buffer();
            int offset = slots.offset(sequence);
            for (int i = 0; i < WORDS; i++) {
                buffer.putLong(offset + i * Long.BYTES, (i + 1) * version);
            }
        }

        @Override
        public long version(ByteSlots slots, long sequence) {
            AtomicBuffer buffer = slots.buffer();
            int offset = slots.offset(sequence);
            long first = buffer.getLong(offset);
            for (int i = 1; i < WORDS; i++) {
                if (buffer.getLong(offset + i * Long.BYTES) != (i + 1) * first) {
                    return Event.TORN;
                }
            }
            return first;
        }
    };

    /** How many longs a slot of bytes holds. */
    int WORDS = 4;

    /** How many bytes a slot holds. */
    int LENGTH = WORDS * Long.BYTES;

    /** Fills all words. */
    void fill(E event, long sequence, long version);

    /** The version, 0 for a fresh event, {@link Event#TORN} if the words are of several. */
    long version(E event, long sequence);

    @Override
    default void translateTo(E event, long sequence) {
        fill(event, sequence, sequence + 1);
    }
}
