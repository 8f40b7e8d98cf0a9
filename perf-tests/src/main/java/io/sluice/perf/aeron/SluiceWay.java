package io.sluice.perf.aeron;

import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronReceiver;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.EventEncoder;
import io.sluice.aeron.MessageDecoder;
import io.sluice.aeron.ReceiverListener;
import io.sluice.aeron.RingSink;
import io.sluice.core.PollBackOff;
import io.sluice.core.RunnerAgent;
import io.sluice.core.State;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.function.Supplier;

/** A way from a ring by {@link AeronSender} and {@link AeronReceiver} into a ring; one thread on each side, as with Aeron alone. */
final class SluiceWay<E> implements Way {
    private static final int MOST = 1_024;

    private final AeronLink link = Links.start();
    private final RingBuffer<E> from;
    private final RingBuffer<E> to;
    private final Producer<E> producer;
    private final AeronSender<E> sender;
    private final RunnerAgent sending;
    private final AeronReceiver receiver;
    private final EventPoller<E> poller;
    private final EventTranslatorLong<E> fill;
    private final PollHandler<E, RuntimeException> handler;
    private final PollBackOff backOff = new PollBackOff(true);
    private Sink sink = (value, last) -> {};

    /** Reads the message of an event. */
    @FunctionalInterface
    interface Reader<E> {
        /** Hands a message to the sink. */
        void read(E event, long sequence, Sink sink);
    }

    SluiceWay(
            String channel,
            Supplier<RingBuffer<E>> rings,
            EventTranslatorLong<E> fill,
            EventEncoder<E> encoder,
            MessageDecoder<E> decoder,
            Reader<E> reader) {
        this.fill = fill;
        from = rings.get();
        to = rings.get();
        sender = AeronSender.<E>builder(link, channel, Links.STREAM, encoder).build();
        Pipeline<E> out = Pipeline.on(from);
        out.handleEventsWith(out.batchConsumer("aeron", sender));
        sending = out.startInvoked();
        producer = from.producer();
        poller = Pipeline.on(to).poller("in");
        receiver = AeronReceiver.builder(
                        link, channel, Links.STREAM, RingSink.waiting(to.producer(), decoder), new Bad())
                .build();
        handler = (event, sequence, endOfBatch) -> reader.read(event, sequence, sink);
        while (!sender.open() || !receiver.isConnected()) {
            link.doWork();
            receiver.doWork();
        }
    }

    private static final class Bad implements ReceiverListener {
        @Override
        public void onGap(int sessionId, long first, long last) {
            throw new IllegalStateException("messages " + first + " to " + last + " are missing");
        }

        @Override
        public void onBadMessage(int sessionId, long number, Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public boolean offer(long value) {
        return producer.tryPublishEvent(fill, value) >= 0;
    }

    @Override
    public void flush() {
        try {
            sending.doWork();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        if (from.state() == State.FAILED) {
            throw new IllegalStateException(from.failure());
        }
    }

    @Override
    public void housekeep() {
        link.doWork();
    }

    @Override
    public int take(Sink messages) {
        sink = messages;
        int work = receiver.doWork();
        int handled = poller.poll(handler, MOST);
        if (work > 0) { // what a Runner of both does between two cycles, with an idle strategy that spins
            backOff.after(work, receiver.eventsSinceIdle(work), receiver.backOffBatchLimit(), false);
        }
        return handled;
    }

    @Override
    public boolean isConnected() {
        return true; // waited for above
    }

    @Override
    public void close() {
        from.close();
        to.close();
        receiver.close();
        sender.close();
        link.close();
    }
}
