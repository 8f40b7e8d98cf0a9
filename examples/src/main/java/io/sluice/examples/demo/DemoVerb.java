package io.sluice.examples.demo;

import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalSink;
import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.examples.book.BookTable;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.feed.Reasons;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.ringbuffer.RingFailedException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice demo}: runs the small exchange on a file or on a generated session, and proves what came of it. */
public final class DemoVerb implements Verb {
    /** How long the subscriber of {@code --slow} needs for a message. */
    private static final long SLOW_NANOS = 5_000;

    private final PrintStream out;
    private final PrintStream err;

    /** Creates the verb on the process's standard output and standard error. */
    public DemoVerb() {
        this(System.out, System.err);
    }

    DemoVerb(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public String name() {
        return "demo";
    }

    @Override
    public String summary() {
        return "run a small exchange on market data and check its order books";
    }

    @Override
    public String usage() {
        return String.format(
                Locale.ROOT,
                """
                usage: ./sluice demo [FILE] [--rate N] [--json OUT] [--books OUT] [--journal DIR]
                                         [--risk N] [--slow [--without-naks]]
                       ./sluice demo --generate FILE [--messages N] [--seed S]

                Feeds market data into a ring: a journal takes it, forced to the device a batch at a time; then the order
                books; then a publisher sends it in batches by UDP over loopback to a subscriber, which compares every byte
                with the input and counts what UDP lost. Proves that the books are those of a plain single-threaded replay.

                FILE              NASDAQ TotalView-ITCH 5.0, each message after its length in 2 bytes; or, if its name
                                  ends in .csv or .csv.gz, a LOBSTER message file. Plain or gzip, whatever the name says.
                                  Without it a session is generated in memory.
                --rate N          send N messages a second (1 to %d) and count latency from when each was due
                --json OUT        write every figure of the report to the file OUT
                --books OUT       write the best prices of each instrument to the file OUT, as CSV
                --journal DIR     keep the journal in the folder DIR, which is made if need be
                --risk N          check the risk of each order with N threads (0 to %d, 0 unless given) beside the journal,
                                  their findings handed out in the order of the messages; the books wait for both
                --slow            a subscriber that needs %d us for a message: its NAKs make the feed slow down
                --without-naks    with --slow, a subscriber that says nothing: the feed goes on and messages are lost
                --generate FILE   only write a generated session, compressed if FILE ends in .gz
                --messages N      messages of the generated session, %d unless given
                --seed S          its seed, %d unless given

                Exit status: 0 done; 1 the books, the journal, the risk checks or the subscriber's bytes are wrong; 2 a fault in FILE, after which the messages before it are
                reported, or wrong usage; 130 on Ctrl-C, with a report on the messages so far.
                """,
                DemoOptions.MAX_RATE,
                OrderedWorkers.MAX_WORKERS,
                SLOW_NANOS / 1_000,
                SessionGenerator.DEFAULT_MESSAGES,
                SessionGenerator.DEFAULT_SEED);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        DemoOptions options = DemoOptions.parse(arguments);
        if (options.generate() != null) {
            return generate(options.generate(), options.messages(), options.seed());
        }
        try (Interruption interruption = new Interruption("sluice demo")) {
            interruption.install();
            return run(options, interruption);
        }
    }

    /** Runs the exchange until its input ends, or somebody asks it to end. */
    int run(DemoOptions options, Interruption interruption) throws Exception {
        Outputs.check(options);
        Input input = options.file() == null
                ? Input.generated(options.messages(), options.seed())
                : Input.file(options.file());
        try (FeedReader reader = input.open();
                JournalFolder folder = JournalFolder.open(options.journal(), options.file(), reader)) {
            JournalRecords records = new JournalRecords();
            AtomicLong forces = new AtomicLong();
            RunResult run = runExchange(input, reader, folder, records, forces, options, interruption);
            JournalCheck check = folder.readBack(records, forces.get());
            Replay replay = run.interrupted() ? null : replay(input, interruption);
            Verdict verdict = Verdict.of(run, replay, input.generated(), check);
            Report report = new Report(
                    input.title(), reader.format(), options.rate(), folder.keptFile(), check, run, replay, verdict);
            write(options, report);
            report.print(out);
            if (run.fault() != null && verdict.status() == BAD_INPUT) {
                throw new UsageException(run.fault().getMessage());
            }
            return verdict.status();
        } catch (FeedFault e) {
            throw new UsageException(e.getMessage());
        }
    }

    private RunResult runExchange(
            Input input,
            FeedReader reader,
            JournalFolder folder,
            JournalRecords records,
            AtomicLong forces,
            DemoOptions options,
            Interruption interruption)
            throws Exception {
        try (FeedReader truth = input.open();
                Journal journal = folder.journal();
                MarketLink link = link(truth, options)) {
            RunResult run = new Exchange(
                            reader,
                            new JournalSink(journal),
                            records,
                            link,
                            options.rate(),
                            options.risk(),
                            Progress.onTerminal(err),
                            interruption)
                    .run();
            forces.set(journal.forceCount());
            return run;
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

    private static MarketLink link(FeedReader truth, DemoOptions options) throws UsageException {
        try {
            return new MarketLink(truth, options.slow() ? SLOW_NANOS : 0, options.slow() && !options.withoutNaks());
        } catch (IOException e) {
            throw new UsageException("the sockets of the demo on the loopback cannot be opened: " + Reasons.of(e));
        }
    }

    private static @Nullable Replay replay(Input input, Interruption interruption) throws FeedFault {
        try (FeedReader again = input.open()) {
            return Replay.of(again, interruption);
        }
    }

    private static void write(DemoOptions options, Report report) throws UsageException {
        if (options.books() != null) {
            Outputs.write(
                    "--books", options.books(), BookTable.table(report.run().books()));
        }
        if (options.json() != null) {
            Outputs.write("--json", options.json(), Json.text(report.figures()));
        }
    }

    private int generate(Path file, long messages, long seed) throws UsageException {
        Outputs.checkFile("--generate", file);
        MessageTally tally;
        boolean gzip = file.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
        try (OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
                OutputStream stream =
                        gzip ? new BufferedOutputStream(new GZIPOutputStream(plain, 1 << 16), 1 << 16) : plain) {
            tally = new SessionGenerator(messages, seed).writeTo(stream);
        } catch (IOException e) {
            throw Outputs.cannotBeWritten("--generate", file, e);
        }
        StringBuilder text = new StringBuilder("messages by type\n");
        for (char type : FeedFormat.ITCH.types()) {
            if (tally.of(type) > 0) {
                text.append(String.format(
                        Locale.ROOT, "  %c %-30s %,15d\n", type, FeedFormat.ITCH.describe(type), tally.of(type)));
            }
        }
        text.append(String.format(Locale.ROOT, "demo: wrote %,d messages, seed %d, to %s\n", messages, seed, file));
        out.print(text);
        out.flush();
        return DONE;
    }
}
