package io.sluice.aeron;

import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.ControlledMessageHandler;
import org.agrona.DirectBuffer;

/** Has a sender send the messages of a ring. For one consumer. */
final class MessagesOut implements ControlledMessageHandler {
    /*
     * The first message of a batch has the sender send the whole batch, as far as it goes, so that messages go in groups. The messages that
     * follow are answered from the sender's result: they are sent already, or the first that is not is aborted. So the progress of the sent
     * messages is published before the sender is asked again, since it may then throw the failure that it owes. Messages are read ahead
     * within the batch only, which the consumer's progress protects until the batch ends.
     *
     *   batch     m1  m2  m3 | m4  m5        the publication takes three
     *   sender    sent, done | refused
     *   answers   C   C   C    ABORT         m4 begins the next batch
     */

    private final RingBuffer<Messages> ring;
    private final AeronSender<Messages> sender;

    // the consumer's thread
    private long size; // of a batch that begins; 0 once its first message is known
    private long first; // message of the batch
    private long hi; // messages of the batch begin up to there
    private long done = -1; // all up to there is sent, or dropped by a policy

    MessagesOut(RingBuffer<Messages> ring, AeronSender<Messages> sender) {
        this.ring = ring;
        this.sender = sender;
        sender.writer.stepsOver(ring.get(0));
    }

    /** A consumer that joins again may begin before the messages that were done. */
    @Override
    public void onStart() {
        done = -1;
    }

    @Override
    public void onBatchStart(long size, long available) {
        this.size = size;
    }

    @Override
    public Action onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
            throws Exception {
        if (size != 0) {
            if (buffer != ring.get(0).buffer()) {
                throw new IllegalStateException(
                        "the handler must be a consumer of the ring that it was made for, but is one of another ring");
            }
            first = sequence;
            hi = sequence + size - 1;
            size = 0;
        }
        if (sequence == first && sequence > done) { // when the first one is tried again, too
            done = sender.onBatch(ring, sequence, hi);
        }
        return sequence <= done ? Action.CONTINUE : Action.ABORT;
    }
}
