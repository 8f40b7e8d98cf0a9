package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.BusySpinIdleStrategy;

/** As {@link Stand} and {@link Event}, for slots of bytes. Version {@code v} has the words v, 2v, 3v, 4v. */
final class Bytes {
    private static final int WORDS = 4;

    private Bytes() {}

    static RingBuffer<ByteSlots> single(int capacity) {
        return builder(capacity).singleProducer().build();
    }

    static RingBuffer<ByteSlots> multi(int capacity) {
        return builder(capacity).multiProducer().build();
    }

    private static RingBuffer.Builder<ByteSlots> builder(int capacity) {
        return RingBuffer.bytes(WORDS * Long.BYTES)
                .capacity(capacity)
                .producersIdle(() -> BusySpinIdleStrategy.INSTANCE)
                .consumersIdle(() -> BusySpinIdleStrategy.INSTANCE);
    }

    /** Fills all words of a slot. */
    static void fill(MutableDirectBuffer buffer, int offset, long version) {
        for (int i = 0; i < WORDS; i++) {
            buffer.putLong(offset + i * Long.BYTES, (i + 1) * version);
        }
    }

    /** As {@link #fill(MutableDirectBuffer, int, long)}, for a claimed sequence. */
    static void fill(Producer<ByteSlots> producer, long sequence, long version) {
        ByteSlots slots = producer.get(sequence);
        fill(slots.buffer(), slots.offset(sequence), version);
    }

    /** The version, 0 for a fresh slot, {@link Event#TORN} if the words are of several. */
    static long version(DirectBuffer buffer, int offset) {
        long first = buffer.getLong(offset);
        for (int i = 1; i < WORDS; i++) {
            if (buffer.getLong(offset + i * Long.BYTES) != (i + 1) * first) {
                return Event.TORN;
            }
        }
        return first;
    }

    static long version(RingBuffer<ByteSlots> ring, long sequence) {
        ByteSlots slots = ring.get(sequence);
        return version(slots.buffer(), slots.offset(sequence));
    }

    /** Publishes a slot filled with its sequence plus one; returns what the claim gave. */
    static long publish(Producer<ByteSlots> producer) {
        return producer.tryPublishEvent(
                (slots, sequence) -> fill(slots.buffer(), slots.offset(sequence), sequence + 1));
    }

    /** As {@link #publish}, again while the ring is full, a bounded number of times. */
    static long publishSoon(Producer<ByteSlots> producer) {
        long sequence = publish(producer);
        for (int i = 0; sequence == Producer.FULL && i < Stand.ATTEMPTS; i++) {
            Thread.onSpinWait();
            sequence = publish(producer);
        }
        return sequence;
    }

    /** Polls once. */
    static int poll(EventPoller<ByteSlots> poller, SlotHandler handler, int limit) {
        try {
            return poller.poll(handler::onEvent, limit);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Polls again while nothing comes, a bounded number of times. */
    static int pollSoon(EventPoller<ByteSlots> poller, SlotHandler handler, int limit) {
        int polled = poll(poller, handler, limit);
        for (int i = 0; polled == 0 && i < Stand.ATTEMPTS; i++) {
            Thread.onSpinWait();
            polled = poll(poller, handler, limit);
        }
        return polled;
    }
}
