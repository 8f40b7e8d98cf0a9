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
    public static RingBufferBuilder<Messages> builder(int bytes) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes);
        builder.settings.messagesOnHeap = true;
        return builder;
    }
}
