package io.sluice.examples.demo;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalSink;
import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.Reasons;
import io.sluice.ringbuffer.RingFailedException;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/**
 * Sets up the parts of an exchange, runs it, and takes them down: journal and link. Messages about its
 * failures are for the user. Used by one thread.
 */
final class Market {
    /** How long the subscriber of {@code --slow} needs for a message. */
    static final long SLOW_NANOS = 5_000;

    private final DemoOptions options;
    private final Interruption interruption;
    private final PrintStream err;

    /**
     * Prepares runs.
     *
     * @param options what was asked for
     * @param interruption ends a run early
     * @param err where progress is shown, if it is a terminal
     */
    Market(DemoOptions options, Interruption interruption, PrintStream err) {
        this.options = options;
        this.interruption = interruption;
        this.err = err;
    }

    /**
     * Runs an input through an exchange of its own, and proves the result.
     *
     * @param input what to run
     * @param rate messages a second, or 0 for full speed
     */
    Report report(Input input, long rate) throws Exception {
        try (FeedReader reader = input.open();
                JournalFolder folder = JournalFolder.open(options.journal(), options.file(), reader)) {
            JournalRecords records = new JournalRecords();
            Exchanged exchanged = exchange(input, reader, folder, records, rate, Progress.onTerminal(err));
            RunResult run = exchanged.run();
            JournalCheck check = folder.readBack(records, exchanged.forces());
            Replay replay = run.interrupted() ? null : replay(input);
            Verdict verdict = Verdict.of(run, replay, input.generated(), check);
            return new Report(
                    input.title(),
                    reader.format(),
                    rate,
                    options.force(),
                    folder.keptFile(),
                    check,
                    run,
                    replay,
                    verdict);
        }
    }

    /** Runs an input through an exchange of its own, and forgets the result. */
    void rehearse(Input input, long rate) throws Exception {
        try (FeedReader reader = input.open();
                JournalFolder folder = JournalFolder.unread("warm-up")) {
            exchange(input, reader, folder, new JournalRecords(), rate, new Progress(err, false, System::nanoTime));
        }
    }

    /** The result of a run, and how often its journal was forced. */
    private record Exchanged(RunResult run, long forces) {}

    private Exchanged exchange(
            Input input, FeedReader reader, JournalFolder folder, JournalRecords records, long rate, Progress progress)
            throws Exception {
        try (FeedReader truth = input.open();
                Journal journal = folder.journal(options.force() ? Durability.EACH_BATCH : Durability.NONE);
                MarketLink link = link(truth)) {
            RunResult run = new Exchange(
                            reader,
                            new JournalSink(journal),
                            records,
                            link,
                            rate,
                            options.risk(),
                            options.bytes(),
                            progress,
                            interruption)
                    .run();
            return new Exchanged(run, journal.forceCount());
        } catch (RingFailedException e) {
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof JournalException ofJournal) {
                    throw folder.cannotBeWritten(ofJournal);
                }
            }
            throw e;
        } catch (JournalException e) {
            throw folder.cannotBeWritten(e);
        }
    }

    private MarketLink link(FeedReader truth) throws UsageException {
        try {
            return new MarketLink(truth, options.slow() ? SLOW_NANOS : 0, options.slow() && !options.withoutNaks());
        } catch (IOException e) {
            throw new UsageException("the sockets of the demo on the loopback cannot be opened: " + Reasons.of(e));
        }
    }

    private @Nullable Replay replay(Input input) throws FeedFault {
        try (FeedReader again = input.open()) {
            return Replay.of(again, interruption);
        }
    }
}
