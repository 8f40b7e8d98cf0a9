package io.sluice.examples.demo;

import io.sluice.backpressure.nak.NakTransport;
import io.sluice.batching.BatchSink;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.cli.Interruption;
import io.sluice.examples.book.BookTable;
import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Stage;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The small exchange: the calling thread feeds messages into a ring; the journal takes each first, with one {@code force} for
 * all of a batch; the order books follow it, so they see only what is durable; behind them a publisher sends each message to a
 * subscriber, and the digest stage waits for the end. If asked for, threads check the risk beside the journal, and hand out
 * their findings in the order of the messages; then the books wait for both.
 *
 * <pre>
 *                +--&gt; journal ---+            +--&gt; publisher --&gt; UDP --&gt; subscriber
 *   feed --&gt; ring                +--&gt; books --+                              |
 *    ^           +--&gt; risk 1..N --+            +--&gt; digest                    | NAKs, with --slow
 *    +----------------------------------------------------------------------+
 * </pre>
 *
 * <p>The ring is one of events, or of the bytes of messages of different lengths; the stages are the same.
 *
 * <p>After the last message comes one {@link EventKind#END}. The digest stage gets it when the books have finished everything
 * before it, so it may read them: nothing writes to them any more.
 */
final class Exchange {
    /** Slots of a ring of events. */
    static final int CAPACITY = 1 << 12;

    /** The size of a ring of messages. */
    static final int BYTES = 1 << 19;

    private static final int JOURNAL_BUFFER = 1 << 16;

    private final FeedReader reader;
    private final BatchSink journal;
    private final JournalRecords records;
    private final MarketLink link;
    private final long rate;
    private final int riskWorkers;
    private final boolean bytes;
    private final Progress progress;
    private final Interruption interruption;
    private final MessageTally tally = new MessageTally();

    /**
     * Prepares a run.
     *
     * @param reader the messages
     * @param journal takes their records
     * @param records counts what goes to the journal
     * @param link the way to the subscriber
     * @param rate messages a second, or 0 for as fast as they are handled
     * @param riskWorkers threads that check the risk, or 0 for no check
     * @param bytes whether the ring is one of bytes; then without risk check, and nobody says NAKs
     * @param progress is told how far the run has come
     * @param interruption ends the feed early
     */
    Exchange(
            FeedReader reader,
            BatchSink journal,
            JournalRecords records,
            MarketLink link,
            long rate,
            int riskWorkers,
            boolean bytes,
            Progress progress,
            Interruption interruption) {
        this.reader = reader;
        this.journal = journal;
        this.records = records;
        this.link = link;
        this.rate = rate;
        this.riskWorkers = riskWorkers;
        this.bytes = bytes;
        this.progress = progress;
        this.interruption = interruption;
    }

    /**
     * Runs it all, and waits for the last stage.
     *
     * @return what came of it; a fault in the input is part of that
     * @throws io.sluice.ringbuffer.RingFailedException if a stage failed; its cause is what the stage threw
     * @throws IOException if the subscriber's socket fails
     */
    RunResult run() throws IOException {
        return bytes ? run(new MarketMessages(BYTES)) : run(new MarketEvents(CAPACITY));
    }

    private <E> RunResult run(MarketRing<E> market) throws IOException {
        RingBuffer<E> ring = market.ring();
        int capacity = (int) ring.capacity();
        OrderBooks books = new OrderBooks(reader::instrumentName);
        JournalClock journalClock = new JournalClock(journal, market.mostMessages());
        BookStage bookStage = new BookStage(books, tally, journalClock, link.arrivals());
        DigestStage digestStage = new DigestStage(books);
        EventHandler<E> last = market.handler(digestStage);
        RingFill fill = market.fill();
        Feed feed = new Feed();
        RiskLedger ledger = new RiskLedger();
        try (OrderedWorkers<E, RiskOutcome> risk = riskWorkers == 0 ? null : market.riskWorkers(riskWorkers, ledger);
                Pipeline<E> pipeline = Pipeline.on(ring)) { // closed first
            EventHandler<MarketEvent> journalStage = new BatchingHandler<>(
                    records::encode, journalClock, BatchingConfig.defaults().bufferSize(JOURNAL_BUFFER));
            Stage<E> first = pipeline.handleEventsWith(
                    // One force for as many events as a quarter of the ring holds.
                    pipeline.consumer("journal", market.handler(journalStage)).batchLimit(capacity));
            if (risk != null) {
                first = first.and(riskStage(pipeline, risk));
            }
            first.then(pipeline.consumer("books", market.handler(bookStage)))
                    .then(
                            pipeline.consumer("publisher", market.handler(link.publisher()))
                                    .thread("books"),
                            pipeline.consumer("digest", last).thread("books"));
            pipeline.start();
            long startNanos;
            LinkResult.Pace pace;
            try (Monitor monitor = new Monitor(pipeline.consumer(last), fill, progress).start();
                    MarketRing.Feeder feeder = market.feeder()) {
                startNanos = System.nanoTime();
                pace = feed.run(feeder, startNanos);
                long end = feeder.publishEnd();
                // The books may still have a full ring before them, and the digest of millions of levels takes a while.
                while (!pipeline.awaitHandled(end, Long.MAX_VALUE)) {
                    if (Thread.interrupted()) {
                        interruption.request();
                    }
                }
                monitor.stop();
            }
            LinkResult linkResult = link.finish(pace); // the subscriber has timed all that came
            return new RunResult(
                    tally,
                    digestStage.endNanos - startNanos,
                    bookStage.latencyNanos,
                    bookStage.stages(),
                    fill,
                    books,
                    digestStage.digest,
                    records.bytes(),
                    linkResult,
                    risk == null ? null : new RiskResult(riskWorkers, ledger, risk.snapshot()),
                    feed.fault,
                    feed.interrupted);
        }
    }

    private static <E> Stage<E> riskStage(Pipeline<E> pipeline, OrderedWorkers<E, RiskOutcome> risk) {
        BatchHandler<E>[] workers = risk.handlers();
        Stage<E> stage = pipeline.handleEventsWith(pipeline.batchConsumer("risk-1", workers[0]));
        for (int i = 1; i < workers.length; i++) {
            stage = stage.and(pipeline.handleEventsWith(pipeline.batchConsumer("risk-" + (i + 1), workers[i])));
        }
        return stage;
    }

    /** The messages that the books have handled; to be read when the run has ended, also by a failure. */
    MessageTally tally() {
        return tally;
    }

    /** The calling thread's part. */
    private final class Feed {
        private @Nullable FeedFault fault;
        private boolean interrupted;

        /** Publishes all messages; returns how NAKs slowed it, or null if nobody says any. */
        LinkResult.@Nullable Pace run(MarketRing.Feeder feeder, long startNanos) {
            NakTransport naks = link.naks();
            Producer<MarketEvent> producer = feeder.producer();
            PacedFeed paced = naks == null || producer == null ? null : new PacedFeed(producer, naks, interruption);
            publishAll(feeder, paced, new Schedule(rate, startNanos));
            if (paced == null) {
                return null;
            }
            interrupted |= !paced.flush();
            return paced.pace();
        }

        private void publishAll(MarketRing.Feeder feeder, @Nullable PacedFeed paced, Schedule schedule) {
            try {
                for (long message = 0; !interruption.requested(); message++) {
                    if (!reader.next()) {
                        return;
                    }
                    long dueNanos = schedule.dueNanos(message);
                    if (!schedule.await(dueNanos, interruption)) {
                        break;
                    }
                    if (paced == null) {
                        feeder.publish(reader, dueNanos);
                    } else if (!paced.publish(reader, dueNanos)) {
                        break;
                    }
                }
                interrupted = true;
            } catch (FeedFault e) {
                fault = e;
            }
        }
    }

    /** Applies each message to the books, counts it, and takes the time. */
    private static final class BookStage implements EventHandler<MarketEvent> {
        private final OrderBooks books;
        private final MessageTally tally;
        private final JournalClock journal;
        private final ArrivalClock arrivals;
        private final Histogram latencyNanos = Latency.histogram();
        private final Histogram feedToJournal = Latency.histogram();
        private final Histogram journalToBooks = Latency.histogram();

        BookStage(OrderBooks books, MessageTally tally, JournalClock journal, ArrivalClock arrivals) {
            this.books = books;
            this.tally = tally;
            this.journal = journal;
            this.arrivals = arrivals;
        }

        @Override
        public void onEvent(MarketEvent event, long sequence, boolean endOfBatch) {
            if (event.kind() == EventKind.END) {
                return;
            }
            books.on(event);
            tally.count(event.type());
            long due = event.dueNanos();
            long durable = journal.doneNanos(sequence);
            long now = System.nanoTime();
            Latency.record(latencyNanos, now - due);
            Latency.record(feedToJournal, durable - due);
            Latency.record(journalToBooks, now - durable);
            arrivals.left(sequence, due, now);
        }

        /** To be read when the run has ended, the subscriber's part too. */
        Stages stages() {
            return new Stages(
                    feedToJournal,
                    journalToBooks,
                    arrivals.fromBooksNanos(),
                    arrivals.fromFeedNanos(),
                    journal.endNanos());
        }
    }

    /** Computes the digest once the books have come to the end. */
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
