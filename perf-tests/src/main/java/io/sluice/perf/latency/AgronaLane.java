package io.sluice.perf.latency;

import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Agrona's ring buffer of bytes between two threads. Messages of 16 bytes hold a value and a time and are copied; those of 8 hold a value
 * and are encoded in their claim.
 */
final class AgronaLane implements Lane {
    private static final int TYPE = 1;

    private final RingBuffer ring;
    private final int length;
    private final Receiver receiver;
    private final LaneThread thread;

    AgronaLane(int capacity, int length, Receiver receiver, int core) {
        int record = BitUtil.findNextPositivePowerOfTwo(RecordDescriptor.HEADER_LENGTH + length);
        this.ring = new OneToOneRingBuffer(
                new UnsafeBuffer(ByteBuffer.allocateDirect(capacity * record + RingBufferDescriptor.TRAILER_LENGTH)));
        this.length = length;
        this.receiver = receiver;
        this.thread = new LaneThread(core, this::receive).start();
    }

    private void receive(LaneThread own) {
        MessageHandler handler = length == Long.BYTES
                ? (type, buffer, index, bytes) -> receiver.received(buffer.getLong(index), 0)
                : (type, buffer, index, bytes) ->
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
        return length == Long.BYTES ? claimed() : copied();
    }

    private Sender claimed() {
        AtomicBuffer buffer = ring.buffer();
        return (value, time) -> {
            int index = ring.tryClaim(TYPE, Long.BYTES);
            while (index < 0) {
                Thread.onSpinWait();
                index = ring.tryClaim(TYPE, Long.BYTES);
            }
            buffer.putLong(index, value);
            ring.commit(index);
        };
    }

    private Sender copied() {
        UnsafeBuffer message = new UnsafeBuffer(new byte[length]);
        return (value, time) -> {
            message.putLong(0, value);
            message.putLong(Long.BYTES, time);
            while (!ring.write(TYPE, message, 0, length)) {
                Thread.onSpinWait();
            }
        };
    }

    @Override
    public void close() {
        thread.stop();
    }
}
