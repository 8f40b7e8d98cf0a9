package io.sluice.ringbuffer;

/** Events of a few words for rings of both kinds of slots: an array is an object's, {@link ByteSlots} hold the same words in bytes. */
public final class Words {
    private Words() {}

    /** A builder for a ring whose events have so many words, all 0; both kinds hand over what the methods here read and write. */
    @SuppressWarnings("unchecked") // events are Objects to the tests
    public static RingBufferBuilder<Object> ring(boolean bytes, int words) {
        return bytes
                ? (RingBufferBuilder<Object>) (RingBufferBuilder<?>) RingBufferBuilder.bytes(words * Long.BYTES)
                : RingBufferBuilder.of(() -> new long[words]);
    }

    public static long get(Object event, long sequence, int word) {
        return event instanceof ByteSlots slots
                ? slots.buffer().getLong(slots.offset(sequence) + word * Long.BYTES)
                : ((long[]) event)[word];
    }

    public static void set(Object event, long sequence, int word, long value) {
        if (event instanceof ByteSlots slots) {
            slots.buffer().putLong(slots.offset(sequence) + word * Long.BYTES, value);
        } else {
            ((long[]) event)[word] = value;
        }
    }
}
