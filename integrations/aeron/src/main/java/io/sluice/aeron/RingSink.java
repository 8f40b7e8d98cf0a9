package io.sluice.aeron;

import io.sluice.backpressure.nak.FillSource;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import java.io.Serial;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts messages into a ring. At a full ring its producer decides: a {@link Producer} lets the message stay with Aeron, whose flow control
 * then holds the sender; a {@link DroppingProducer} drops the newest or the oldest, and counts.
 *
 * <p>Called by: the thread of the {@link AeronReceiver}, whose producer this is. Nothing is allocated, nothing blocks. A message
 * costs a claim, a publication, and the work of the decoder. A message that the decoder cannot understand gives its slot back. An
 * exception of the producer is not the message's fault: the message stays with Aeron, and {@link AeronReceiver#doWork} throws it.
 *
 * @param <E> the events' type
 */
public final class RingSink<E> implements MessageSink {
    private static final EventTranslatorOneArg<Object, RingSink<?>> DECODE =
            (event, sequence, sink) -> sink.decodePresent(event, sequence);

    private final @Nullable Producer<E> producer;
    private final @Nullable DroppingProducer<E> dropping;
    private final MessageDecoder<? super E> decoder;

    // the present message, for a dropping producer's translator
    private @Nullable DirectBuffer buffer;
    private int offset;
    private int length;
    private long presentNumber;

    // the newest message in the ring
    private long number;
    private long sequence = -1;
    private int session;
    private long firstOfSession;

    private RingSink(
            @Nullable Producer<E> producer, @Nullable DroppingProducer<E> dropping, MessageDecoder<? super E> decoder) {
        this.producer = producer;
        this.dropping = dropping;
        this.decoder = Check.notNull(decoder, "decoder");
    }

    /**
     * A sink that leaves messages with Aeron while the ring is full.
     *
     * @param producer a producer that nobody else uses
     * @param decoder fills events
     * @param <E> the events' type
     * @return the sink, for one receiver
     */
    public static <E> RingSink<E> waiting(Producer<E> producer, MessageDecoder<? super E> decoder) {
        return new RingSink<>(Check.notNull(producer, "producer"), null, decoder);
    }

    /**
     * A sink that drops at a full ring, as its producer does. One that drops the oldest should have no patience, or little: meanwhile
     * the receiver stands still. Where nothing could be dropped in time, the message stays with Aeron. A message that was
     * dropped as the newest is passed over also if the drop handler throws, which is told as a bad message's failure.
     *
     * @param producer drops the newest or the oldest, and counts; nobody else uses it
     * @param decoder fills events; also the one that is dropped as the newest
     * @param <E> the events' type
     * @return the sink, for one receiver
     */
    public static <E> RingSink<E> dropping(DroppingProducer<E> producer, MessageDecoder<? super E> decoder) {
        return new RingSink<>(null, Check.notNull(producer, "producer"), decoder);
    }

    @Override
    public Taken onMessage(DirectBuffer message, int from, int bytes, int sessionId, long numberAtSender)
            throws Exception {
        Producer<E> to = producer;
        long claimed;
        try {
            claimed = to == null
                    ? dropping(message, from, bytes, numberAtSender)
                    : put(to, message, from, bytes, numberAtSender);
        } catch (BadMessage e) {
            throw e.failure;
        } catch (RuntimeException e) {
            throw new RingFailure(e);
        }
        if (claimed >= 0) {
            tookIn(claimed, sessionId, numberAtSender);
            return Taken.TAKEN;
        }
        if (claimed == Producer.FULL) {
            return to == null ? Taken.TAKEN : Taken.FULL; // a dropping producer has dropped it, and counted it
        }
        return claimed == Producer.CLOSED || claimed == Producer.FAILED ? Taken.ENDED : Taken.FULL;
    }

    private void tookIn(long claimed, int sessionId, long numberAtSender) {
        if (sessionId != session || firstOfSession == 0 || numberAtSender <= number) { // or a new one with its id
            session = sessionId;
            firstOfSession = numberAtSender;
        }
        sequence = claimed;
        number = numberAtSender;
    }

    private long put(Producer<E> to, DirectBuffer message, int from, int bytes, long numberAtSender) {
        long claimed = to.tryNext(1);
        if (claimed >= 0) {
            boolean decoded = false;
            try {
                decode(to.get(claimed), claimed, message, from, bytes, numberAtSender);
                decoded = true;
            } finally {
                if (decoded) {
                    to.publish(claimed);
                } else {
                    to.abort(claimed, claimed);
                }
            }
        }
        return claimed;
    }

    private long dropping(DirectBuffer message, int from, int bytes, long numberAtSender) {
        DroppingProducer<E> to = Check.notNull(dropping, "dropping");
        long dropped = to.dropped();
        buffer = message;
        offset = from;
        length = bytes;
        presentNumber = numberAtSender;
        try {
            return to.publishEvent(DECODE, this);
        } catch (RuntimeException e) {
            throw to.dropped() == dropped ? e : new BadMessage(e); // its drop handler threw: the message is gone
        } finally {
            buffer = null;
        }
    }

    @SuppressWarnings("unchecked") // only called with events of this sink's own producer
    private void decodePresent(Object event, long claimed) {
        decode((E) event, claimed, Check.notNull(buffer, "buffer"), offset, length, presentNumber);
    }

    private void decode(E event, long claimed, DirectBuffer message, int from, int bytes, long numberAtSender) {
        try {
            decoder.decode(event, claimed, message, from, bytes, numberAtSender);
        } catch (Exception e) {
            throw new BadMessage(e);
        }
    }

    /** Carries an exception of a decoder, or of a drop handler, through a translator, apart from those of the producer. */
    private static final class BadMessage extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        final Exception failure;

        BadMessage(Exception failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /**
     * The source for a {@code FillMonitor}: the ring behind this sink, with positions as the {@link AeronSender} counts them, and its Aeron
     * session. For one numbered sender; where several feed a ring, give each a ring of its own. The monitor belongs to the receiver: {@link
     * AeronReceiver.Builder#monitor}. Once the consumer has been removed, the source is empty, and has handled all.
     *
     * @param ring the ring that this sink puts messages into; what it retains is no room
     * @param consumer one of its consumers, the slowest where there are several
     * @return a source for one monitor
     */
    public FillSource fillSource(Ring ring, ConsumerHandle consumer) {
        FillSource plain = FillSource.of(ring, consumer);
        return new FillSource() {
            @Override
            public long capacity() {
                return plain.capacity();
            }

            @Override
            public long fill() {
                return plain.fill();
            }

            @Override
            public long consumedPosition() {
                // messages that the consumer had finished before this session's first one count for nothing
                return Math.max(firstOfSession - 1, plain.consumedPosition() - 1 + number - sequence);
            }

            @Override
            public long newestPosition() {
                return number;
            }

            @Override
            public long session() {
                return AeronNakTransport.session(session);
            }
        };
    }
}
