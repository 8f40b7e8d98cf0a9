package io.sluice.ringbuffer;

/** Rings of messages on the heap, which cost no more than other objects, for tests that make one for each state. */
public final class MessagesOnHeap {
    private MessagesOnHeap() {}

    /**
     * Begins to build a ring.
     *
     * @param bytes how many bytes all messages have
     * @return a builder
     */
    public static RingBuffer.Builder<Messages> builder(int bytes) {
        RingBuffer.Builder<Messages> builder = RingBuffer.messages(bytes);
        builder.messagesOnHeap = true;
        return builder;
    }
}
