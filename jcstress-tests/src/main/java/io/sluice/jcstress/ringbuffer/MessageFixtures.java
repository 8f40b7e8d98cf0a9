package io.sluice.jcstress.ringbuffer;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.MessagesOnHeap;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import org.agrona.concurrent.BusySpinIdleStrategy;

/** The common part of the tests of messages: small rings, messages that hold their number several times, and bounded attempts. */
final class MessageFixtures {
    private MessageFixtures() {}

    static RingBuffer<Messages> single(int bytes) {
        return builder(bytes).singleProducer().build();
    }

    static RingBuffer<Messages> multi(int bytes) {
        return builder(bytes).build();
    }

    static RingBufferBuilder<Messages> tracked(int bytes) {
        return builder(bytes).trackClaims();
    }

    static RingBufferBuilder<Messages> builder(int bytes) {
        return MessagesOnHeap.builder(bytes)
                .producersIdle(() -> BusySpinIdleStrategy.INSTANCE)
                .consumersIdle(() -> BusySpinIdleStrategy.INSTANCE);
    }

    /** Offers a message of some words, which all hold a number, and of as high a type, 1 at least; returns what the offer gave. */
    static long offer(MessageProducer producer, int words, long number) {
        SafeBuffer message = SafeBuffer.allocate(words * Long.BYTES);
        for (int word = 0; word < words; word++) {
            message.putLong(word * Long.BYTES, number);
        }
        return producer.offer(Math.max(1, words), message, 0, message.capacity());
    }

    /** As {@link #offer}, again while the ring is full, a bounded number of times. */
    static long offerSoon(MessageProducer producer, int words, long number) {
        long result = offer(producer, words, number);
        for (int i = 0; result == Producer.FULL && i < RingFixtures.ATTEMPTS; i++) {
            Thread.onSpinWait();
            result = offer(producer, words, number);
        }
        return result;
    }

    /** Polls once. */
    static int poll(EventPoller<Messages> poller, MessageHandler handler, int limit) {
        try {
            return poller.poll(handler::onEvent, limit);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Polls again while nothing comes, a bounded number of times. */
    static int pollSoon(EventPoller<Messages> poller, MessageHandler handler, int limit) {
        int polled = poll(poller, handler, limit);
        for (int i = 0; polled == 0 && i < RingFixtures.ATTEMPTS; i++) {
            Thread.onSpinWait();
            polled = poll(poller, handler, limit);
        }
        return polled;
    }

    /** The number that all words of a message hold, or -1 if they differ. */
    static long number(org.agrona.DirectBuffer buffer, int offset, int length) {
        long number = buffer.getLong(offset);
        for (int at = Long.BYTES; at < length; at += Long.BYTES) {
            if (buffer.getLong(offset + at) != number) {
                return -1;
            }
        }
        return number;
    }
}
