package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries NAKs between threads of one process. A group has a fixed number of ends; all others hear what one sends, as on a
 * multicast group. So receivers may use {@link NakSuppression}, and several senders hear the same receivers. Each end has a
 * ring of its own. An end that no longer listens fills its ring and loses later NAKs; it stops nobody.
 *
 * <p>Called by: each end by one thread. Nothing here blocks, and nothing allocates after construction. A send costs a claim and a
 * release store for each other end.
 */
public final class RingNakTransport implements NakTransport, AutoCloseable {
    /** The most ends of a group: {@value}. */
    public static final int MAX_ENDS = 1024;

    private static final EventTranslatorOneArg<Nak, Nak> COPY = (slot, sequence, nak) -> slot.copy(nak);

    private final long stream;
    private final RingBuffer<Nak> ring;
    private final EventPoller<Nak> poller;
    private final List<Producer<Nak>> others = new ArrayList<>();
    private final PollHandler<Nak, RuntimeException> taken = this::taken;
    private final NakHandler nobody = nak -> {};

    private NakHandler handler = nobody;
    private @Nullable Throwable thrown;
    private long otherStream;
    private long overruns;

    private RingNakTransport(long stream, int capacity) {
        this.stream = stream;
        ring = RingBufferBuilder.of(Nak::new).capacity(capacity).multiProducer().build();
        // a poller reports no failure: only the NAKs that nobody has received at the close are dropped here
        poller = Pipeline.on(ring).errorHandler(left -> {}).poller("naks");
    }

    /**
     * Makes a group.
     *
     * @param stream the stream: a NAK of another one that arrives is ignored and counted
     * @param ends how many there are, senders and receivers, 2 to {@value #MAX_ENDS}
     * @param capacity NAKs that wait at an end at most, a power of two
     * @return the ends, all alike
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static List<RingNakTransport> group(long stream, int ends, int capacity) {
        Check.inRange(ends, 2, MAX_ENDS, "ends");
        List<RingNakTransport> all = new ArrayList<>();
        for (int i = 0; i < ends; i++) {
            all.add(new RingNakTransport(stream, capacity));
        }
        for (RingNakTransport from : all) {
            for (RingNakTransport to : all) {
                if (from != to) {
                    from.others.add(to.ring.producer());
                }
            }
        }
        return List.copyOf(all);
    }

    /**
     * Sends a NAK to all other ends.
     *
     * @return whether at least one of them had room; each that had not is counted as an {@linkplain #overruns overrun}, each that is
     *     closed is passed over
     */
    @Override
    public boolean send(Nak nak) {
        boolean arrived = false;
        for (int i = 0; i < others.size(); i++) {
            long result = others.get(i).tryPublishEvent(COPY, nak);
            arrived |= result >= 0;
            overruns += result == Producer.FULL ? 1 : 0;
        }
        return arrived;
    }

    /** All other ends hear what is sent here. */
    @Override
    public boolean isGroup() {
        return true;
    }

    /**
     * Hands over the NAKs that have arrived. If the handler throws, the exception reaches the caller and that NAK is gone.
     *
     * @throws IllegalStateException if called from the handler of a receive of this end; then nothing has changed
     */
    @Override
    public int receive(NakHandler handler, int limit) {
        Check.notNull(handler, "handler");
        checkNotWithinReceive("receive");
        this.handler = handler;
        int looked = 0;
        try {
            while (looked < limit && poller.poll(taken, 1) == 1) {
                looked++;
                if (thrown != null) {
                    Throwable cause = thrown;
                    thrown = null;
                    throw cause;
                }
            }
        } catch (Throwable e) {
            throw RingNakTransport.<RuntimeException>asItIs(e);
        } finally {
            this.handler = nobody;
        }
        return looked;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"
    }) // a checked one that comes unchecked, as from Kotlin
    private static <X extends Throwable> X asItIs(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /**
     * NAKs sent from here that an end had no room for.
     *
     * @return how many
     */
    public long overruns() {
        return overruns;
    }

    /**
     * NAKs that arrived here and were of another stream.
     *
     * @return how many
     */
    public long otherStreamNaks() {
        return otherStream;
    }

    /**
     * Closes this end: it neither sends nor receives any more, and the others pass it over. NAKs that have arrived and were not received
     * mean nothing any more, so nobody is told of them. Closing again does nothing.
     *
     * @throws IllegalStateException if called from the handler of a {@link #receive} of this end; then nothing has changed
     */
    @Override
    public void close() {
        checkNotWithinReceive("close");
        others.forEach(Producer::close);
        others.clear();
        ring.close();
    }

    private void checkNotWithinReceive(String call) {
        if (handler != nobody) {
            throw new IllegalStateException(
                    call + " must be called while no receive of this end is under way, but one was");
        }
    }

    private void taken(Nak nak, long sequence, boolean endOfBatch) {
        if (nak.stream() != stream) {
            otherStream++;
            return;
        }
        try {
            handler.onNak(nak);
        } catch (Throwable e) {
            thrown = e; // rethrown behind the poll, so that it does not come again
        }
    }
}
