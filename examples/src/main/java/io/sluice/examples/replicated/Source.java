package io.sluice.examples.replicated;

import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.EventEncoder;
import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalException;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.Agent;

/**
 * The side that publishes. Each event goes into the journal and then to Aeron. The journal's sequences are the messages' numbers. A copy
 * that asks for messages that it has missed gets them from the journal, on a stream of its own. An agent: one thread publishes and runs it.
 */
public final class Source implements Agent, AutoCloseable {
    /** The stream of live messages. */
    static final int LIVE = 1;

    /** The stream of messages that are sent once more. */
    static final int REPLAY = 2;

    /** The stream of requests: the first and the last number that are missing. */
    static final int REQUESTS = 3;

    /** One number a message, as it comes from the ring. */
    static final EventEncoder<long[]> ENCODER = EventEncoder.fixed(
            Long.BYTES, (event, buffer, offset) -> buffer.putLong(offset, event[0], ByteOrder.LITTLE_ENDIAN));

    private static final int MOST_REPLAYS = 16;

    private final AeronLink link;
    private final String channel;
    private final Path folder;
    private final Journal journal;
    private final ByteBuffer record = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final RingBuffer<long[]> ring;
    private final Producer<long[]> producer;
    private final RunnerAgent consumers;
    private final AeronSender<long[]> sender;
    private Subscription requests;
    private final List<Replay> replays = new ArrayList<>();
    private final FragmentHandler taken = (buffer, offset, length, header) -> {
        if (length == 2 * Long.BYTES) {
            asked(buffer.getLong(offset), buffer.getLong(offset + Long.BYTES));
        }
    };
    private long replayed;

    /**
     * Opens the journal, and goes on behind its last record.
     *
     * @param link what it sends by; the caller runs it on the same thread
     * @param channel the channel of all streams
     * @param folder the journal's folder
     * @throws JournalException if the journal cannot be opened
     */
    public Source(AeronLink link, String channel, Path folder) throws JournalException {
        this.link = link;
        this.channel = channel;
        this.folder = folder;
        requests = link.aeron().addSubscription(channel, REQUESTS); // before the journal is open: it may fail
        // forced before it is sent: else a number could come again with another value after a loss of power
        JournalConfig config =
                JournalConfig.defaults().segmentSize(1 << 20).firstSequence(1).durability(Durability.EACH_BATCH);
        try {
            journal = Journal.open(folder, config);
        } catch (JournalException e) {
            requests.close();
            throw e;
        }
        // a copy that is not there now asks the journal later
        sender = AeronSender.<long[]>builder(link, channel, LIVE, ENCODER)
                .firstNumber(journal.nextSequence())
                .whenNotConnected(AeronSender.Refused.DROP)
                .build();
        ring = RingBufferBuilder.of(() -> new long[1])
                .name("source")
                .capacity(1_024)
                .singleProducer()
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(pipeline.consumer("journal", this::append))
                .then(pipeline.batchConsumer("out", sender));
        producer = ring.producer();
        consumers = pipeline.startInvoked();
    }

    private void append(long[] event, long sequence, boolean endOfBatch) throws JournalException {
        journal.append(record.putLong(0, event[0]), 0, Long.BYTES);
        if (endOfBatch) {
            journal.endOfBatch();
        }
    }

    /**
     * Publishes a value if the ring has room.
     *
     * @param value the value
     * @return whether it was published
     */
    public boolean tryPublish(long value) {
        return producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value) >= 0;
    }

    /**
     * Handles published events, and requests.
     *
     * @return how much there was to do
     * @throws JournalException if the journal cannot be read
     * @throws IllegalStateException if the journal, or the sender behind it, has failed: nothing is published any more
     */
    @Override
    public int doWork() throws Exception {
        Throwable failure = ring.failure();
        if (failure != null) {
            throw new IllegalStateException(
                    "journal and sender must work for a source to go on, but one of them has failed", failure);
        }
        if (requests.isClosed() && link.isConnected()) {
            requests = link.aeron().addSubscription(channel, REQUESTS); // the link has lost its driver, and found one
        }
        int work = consumers.doWork() + requests.poll(taken, 1);
        for (int i = replays.size() - 1; i >= 0; i--) {
            Replay replay = replays.get(i);
            work += replay.doWork();
            if (replay.isDone()) {
                replayed += replay.sent();
                replay.close();
                replays.remove(i);
            }
        }
        return work;
    }

    /** A request for records that are not in the journal, or one too many, is left out: a copy that needs it asks again. */
    private void asked(long from, long to) {
        if (from >= journal.firstSequence()
                && from <= to
                && to <= journal.writtenSequence()
                && replays.size() < MOST_REPLAYS) {
            try {
                replays.add(new Replay(link, channel, folder, from, to));
            } catch (JournalException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Messages that were sent once more.
     *
     * @return 0 or more
     */
    public long replayed() {
        return replayed;
    }

    /**
     * Whether all that was published is in the journal and was sent, or had nobody to be sent to, and nobody waits for a replay.
     *
     * @return true if nothing is under way
     */
    public boolean isIdle() {
        return ring.leftover().unhandled() == 0 && replays.isEmpty();
    }

    @Override
    public String roleName() {
        return "source";
    }

    /** Closes ring, streams and journal. Events that were not sent are in the journal only if they had been handled. */
    @Override
    public void close() throws JournalException {
        ring.close();
        replays.forEach(Replay::close);
        sender.close();
        requests.close();
        journal.close();
    }
}
