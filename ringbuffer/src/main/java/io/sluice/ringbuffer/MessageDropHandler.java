package io.sluice.ringbuffer;

import org.agrona.DirectBuffer;

/** Told each message that was dropped because the ring was full. */
@FunctionalInterface
public interface MessageDropHandler {
    /**
     * A message is dropped. Called by the thread that drops it. An exception of the handler reaches that thread's caller; the message
     * stays dropped, and counted.
     *
     * @param type its type
     * @param buffer the buffer that was offered; valid only during the call
     * @param offset where the message begins there
     * @param length its bytes
     */
    void onDrop(int type, DirectBuffer buffer, int offset, int length);
}
