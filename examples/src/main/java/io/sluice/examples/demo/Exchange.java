package io.sluice.examples.demo;

import io.sluice.core.SignalledIdle;
import io.sluice.examples.book.BookTable;
import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.MessageTally;
import io.sluice.ringbuffer.EventHandler;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The small exchange: the calling thread feeds messages into a ring; a journal and the order books handle each side by side;
 * the digest stage follows both.
 *
 * <pre>
 *   feed --&gt; ring --+--&gt; journal --+--&gt; digest
 *                   +--&gt; books   --+
 * </pre>
 *
 * <p>After the last message comes one {@link EventKind#END}. The digest stage gets it when the journal and the books have
 * finished everything before it, so it may read the books, which belong to another thread: nothing writes to them any more.
 */
final class Exchange {
    /** Slots of the ring. */
    static final int CAPACITY = 1 << 12;

    private static final long MAX_LATENCY_NANOS = TimeUnit.HOURS.toNanos(24);

    private final FeedReader reader;
    private final Journal journal;
    private final long rate;
    private final Progress progress;
    private final Interruption interruption;

    /**
     * Prepares a run.
     *
     * @param reader the messages
     * @param journal takes their records
     * @param rate messages a second, or 0 for as fast as they are handled
     * @param progress is told how far the run has come
     * @param interruption ends the feed early
     */
    Exchange(FeedReader reader, Journal journal, long rate, Progress progress, Interruption interruption) {
        this.reader = reader;
        this.journal = journal;
        this.rate = rate;
        this.progress = progress;
        this.interruption = interruption;
    }

    /**
     * Runs it all, and waits for the last stage.
     *
     * @return what came of it; a fault in the input is part of that
     * @throws io.sluice.ringbuffer.RingFailedException if a stage failed; its cause is what the stage threw
     */
    RunResult run() {
        RingBuffer<MarketEvent> ring = RingBuffer.builder(MarketEvent::new)
                .capacity(CAPACITY)
                .singleProducer()
                .consumersIdle(SignalledIdle::exact)
                .build();
        OrderBooks books = new OrderBooks(reader::instrumentName);
        BookStage bookStage = new BookStage(books);
        DigestStage digestStage = new DigestStage(books);
        RingFill fill = new RingFill(CAPACITY);
        Feed feed = new Feed();
        try (Pipeline<MarketEvent> pipeline = Pipeline.on(ring)) {
            EventHandler<MarketEvent> journalStage = new JournalStage(journal);
            pipeline.handleEventsWith(journalStage, bookStage).then(digestStage);
            pipeline.settings(journalStage).name("journal");
            pipeline.settings(bookStage).name("books");
            pipeline.settings(digestStage).name("digest").thread("journal");
            pipeline.start();
            long startNanos;
            try (Monitor monitor = new Monitor(pipeline.consumer(digestStage), fill, progress).start();
                    Producer<MarketEvent> producer = ring.producer()) {
                startNanos = System.nanoTime();
                feed.run(producer, startNanos);
                long last = producer.publishEvent((event, sequence) -> event.end());
                // The books may still have a full ring before them, and the digest of millions of levels takes a while.
                while (!pipeline.awaitHandled(last, Long.MAX_VALUE)) {
                    if (Thread.interrupted()) {
                        interruption.request();
                    }
                }
                monitor.stop();
            }
            return new RunResult(
                    bookStage.tally,
                    digestStage.endNanos - startNanos,
                    bookStage.latencyNanos,
                    fill,
                    books,
                    digestStage.digest,
                    journal.bytes(),
                    feed.fault,
                    feed.interrupted);
        }
    }

    /** The calling thread's part. One object fills all events, so that nothing is allocated for each. */
    private final class Feed implements EventTranslator<MarketEvent> {
        private long dueNanos;
        private @Nullable FeedFault fault;
        private boolean interrupted;

        void run(Producer<MarketEvent> producer, long startNanos) {
            Schedule schedule = new Schedule(rate, startNanos);
            try {
                for (long message = 0; !interruption.requested(); message++) {
                    if (!reader.next()) {
                        return;
                    }
                    dueNanos = schedule.dueNanos(message);
                    if (!schedule.await(dueNanos, interruption)) {
                        break;
                    }
                    producer.publishEvent(this);
                }
                interrupted = true;
            } catch (FeedFault e) {
                fault = e;
            }
        }

        @Override
        public void translateTo(MarketEvent event, long sequence) {
            reader.copyTo(event);
            event.dueNanos(dueNanos);
        }
    }

    /** Writes each record; hands them to the file system when a batch ends. */
    private static final class JournalStage implements EventHandler<MarketEvent> {
        private final Journal journal;

        JournalStage(Journal journal) {
            this.journal = journal;
        }

        @Override
        public void onEvent(MarketEvent event, long sequence, boolean endOfBatch) throws IOException {
            journal.append(event);
            if (endOfBatch) {
                journal.flush();
            }
        }
    }

    /** Applies each message to the books, counts it, and takes the time. */
    private static final class BookStage implements EventHandler<MarketEvent> {
        private final OrderBooks books;
        private final MessageTally tally = new MessageTally();
        private final Histogram latencyNanos = new Histogram(MAX_LATENCY_NANOS, 3);

        BookStage(OrderBooks books) {
            this.books = books;
        }

        @Override
        public void onEvent(MarketEvent event, long sequence, boolean endOfBatch) {
            if (event.kind() == EventKind.END) {
                return;
            }
            books.on(event);
            tally.count(event.type());
            long latency = System.nanoTime() - event.dueNanos();
            latencyNanos.recordValue(Math.max(0, Math.min(latency, MAX_LATENCY_NANOS)));
        }
    }

    /** Computes the digest once the journal and the books have come to the end. */
    private static final class DigestStage implements EventHandler<MarketEvent> {
        private final OrderBooks books;
        private long endNanos;
        private String digest = "";

        DigestStage(OrderBooks books) {
            this.books = books;
        }

        @Override
        public void onEvent(MarketEvent event, long sequence, boolean endOfBatch) {
            if (event.kind() == EventKind.END) {
                endNanos = System.nanoTime();
                digest = BookTable.digest(books);
            }
        }
    }
}
