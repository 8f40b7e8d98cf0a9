package io.sluice.perf.latency;

import java.nio.ByteBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Agrona's ring buffer of bytes between two threads, with messages of 16 bytes. */
final class AgronaLane implements Lane {
    private static final int TYPE = 1;
    private static final int LENGTH = 2 * Long.BYTES;
    private static final int RECORD = 32;

    private final RingBuffer ring;
    private final Receiver receiver;
    private final LaneThread thread;

    AgronaLane(int capacity, Receiver receiver, int core) {
        this.ring = new OneToOneRingBuffer(
                new UnsafeBuffer(ByteBuffer.allocateDirect(capacity * RECORD + RingBufferDescriptor.TRAILER_LENGTH)));
        this.receiver = receiver;
        this.thread = new LaneThread(core, this::receive).start();
    }

    private void receive(LaneThread own) {
        MessageHandler handler = (type, buffer, index, length) ->
                receiver.received(buffer.getLong(index), buffer.getLong(index + Long.BYTES));
        receiver.begin();
        while (!own.isStopped()) {
            if (ring.read(handler) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public Sender sender() {
        UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        return (value, time) -> {
            message.putLong(0, value);
            message.putLong(Long.BYTES, time);
            while (!ring.write(TYPE, message, 0, LENGTH)) {
                Thread.onSpinWait();
            }
        };
    }

    @Override
    public void close() {
        thread.stop();
    }
}
