package io.sluice.examples.demo;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.examples.book.BookTable;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketData;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.examples.remote.RemoteMarket;
import io.sluice.examples.remote.RemoteResult;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice demo}: runs the small exchange on a file or on a generated session, and proves the result. */
public final class DemoVerb implements Verb {
    private final PrintStream out;
    private final PrintStream err;
    private final WarmUp.Size warmUp;

    /** Creates the verb on the process's standard output and standard error. */
    public DemoVerb() {
        this(System.out, System.err, WarmUp.Size.USUAL);
    }

    DemoVerb(PrintStream out, PrintStream err, WarmUp.Size warmUp) {
        this.out = out;
        this.err = err;
        this.warmUp = warmUp;
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
                usage: ./sluice demo [FILE | [--messages N] [--seed S]] [--rate N | --full-speed] [--no-force] [--json OUT]
                                     [--books OUT] [--journal DIR] [--bytes | [--risk N] [--slow [--without-naks]]]
                       ./sluice demo [FILE | [--messages N] [--seed S]] --aeron
                       ./sluice demo --generate FILE [--messages N] [--seed S]

                Feeds market data into a ring: a journal takes it, forced to the device a batch at a time; then the order
                books; then a publisher sends it in batches by UDP over loopback to a subscriber, which compares every byte
                with the input and counts what UDP lost. Proves that the books are those of a plain single-threaded replay.
                Warms up first. Then runs twice: at %d messages a second, at most %d of them, which shows latency
                from stage to stage; and all of them at full speed, which shows throughput.

                FILE              NASDAQ TotalView-ITCH 5.0, each message after its length in 2 bytes; or, if its name
                                  ends in .csv or .csv.gz, a LOBSTER message file. Plain or gzip, whatever the name says.
                                  Without it a session is generated in memory.
                --rate N          only one run, of N messages a second (1 to %d); latency counts from when each was due
                --full-speed      only one run, at full speed; so is the run with --slow, unless it has a rate
                --no-force        write the journal without force: it is as durable as the system's page cache
                --json OUT        write every figure of the report to the file OUT
                --books OUT       write the best prices of each instrument to the file OUT, as CSV
                --journal DIR     keep the journal in the folder DIR, which is made if need be
                --bytes           a ring of messages, each as long as it is, instead of a ring of events; each stage decodes them
                --risk N          check the risk of each order with N threads (0 to %d, 0 unless given) beside the journal,
                                  their findings handed out in the order of the messages; the books wait for both
                --slow            a subscriber that needs %d us for a message: its NAKs make the feed slow down
                --without-naks    with --slow, a subscriber that says nothing: the feed goes on and messages are lost
                --aeron           without journal and stages: by Aeron over loopback to two subscribers, each in a process of its
                                  own, one of which needs %d us for a message and says so by NAKs; compares their books
                --generate FILE   only write a generated session, compressed if FILE ends in .gz
                --messages N      messages of the generated session, %d unless given
                --seed S          its seed, %d unless given

                Exit status: 0 done; 1 the books, the journal, the risk checks or a subscriber's bytes are wrong;
                2 wrong usage, a FILE that is no market data, or a fault in FILE, after which the messages before it are
                reported; 130 on Ctrl-C, with a report on the messages so far.
                """,
                DemoOptions.FIRST_RATE,
                DemoOptions.FIRST_MESSAGES,
                DemoOptions.MAX_RATE,
                OrderedWorkers.MAX_WORKERS,
                Market.SLOW_NANOS / 1_000,
                RemoteMarket.SLOW_NANOS / 1_000,
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
            return options.aeron() ? runByAeron(options, interruption) : run(options, interruption);
        }
    }

    /** Warms up, then runs the exchange until its input ends, or somebody asks it to end: twice if no rate was given. */
    int run(DemoOptions options, Interruption interruption) throws Exception {
        Outputs.check(options);
        try {
            Input input = input(options);
            FeedFormat format = format(input, options);
            Market market = new Market(options, interruption, err);
            WarmUp warm = WarmUp.of(warmUp, input, format, market, interruption);
            print("input             %s, %s", input.title(), format.title());
            print(
                    "warm-up           %d rounds of up to %,d messages on rings and books of their own, %.1f s; in no figure below",
                    warm.rounds(), warm.messages(), warm.nanos() / 1e9);
            if (options.bytes()) {
                print("ring              of bytes, %,d, each message as long as it is", Exchange.BYTES);
            }
            Report first = null;
            if (options.runsTwice()) {
                print(
                        "run 1 of 2        %,d messages a second, the first %,d messages at most",
                        DemoOptions.FIRST_RATE, DemoOptions.FIRST_MESSAGES);
                first = market.report(input.first(DemoOptions.FIRST_MESSAGES), DemoOptions.FIRST_RATE);
                if (first.verdict().status() != DONE) {
                    return finish(options, warm, null, first);
                }
                first.print(out, false);
                print("run 2 of 2        full speed, all messages");
            }
            return finish(options, warm, first, market.report(input, options.rate()));
        } catch (FeedFault e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** Sends the input to other processes. */
    private int runByAeron(DemoOptions options, Interruption interruption) throws Exception {
        if (!Object.class.getModule().isExported("jdk.internal.misc", DemoVerb.class.getModule())) {
            throw new UsageException(
                    "--aeron must run with the option --add-exports java.base/jdk.internal.misc=ALL-UNNAMED"
                            + " of the JVM, but runs without it; ./sluice sets it");
        }
        try {
            Input input = input(options);
            try (FeedReader reader = input.open();
                    RemoteMarket market = new RemoteMarket(
                            reader,
                            RemoteMarket.SLOW_NANOS,
                            interruption,
                            notice -> err.println("sluice demo: " + notice))) {
                print("input             %s, %s", input.title(), reader.format().title());
                RemoteResult result = market.run();
                out.print(result.text());
                out.flush();
                return result.status();
            }
        } catch (FeedFault e) {
            throw new UsageException(e.getMessage());
        }
    }

    private static Input input(DemoOptions options) throws IOException, UsageException {
        String file = options.file();
        if (file == null) {
            return Input.generated(options.messages(), options.seed());
        }
        String refusal = MarketData.refusal(file, Path.of(file));
        if (refusal != null) {
            throw new UsageException(refusal);
        }
        return Input.file(file);
    }

    /** The format. Opens input and journal once, so that faults of them are known before the warm-up. */
    private static FeedFormat format(Input input, DemoOptions options) throws FeedFault, UsageException {
        try (FeedReader reader = input.open();
                JournalFolder journal = JournalFolder.open(options.journal(), options.file(), reader)) {
            String kept = journal.keptFile();
            if (kept != null) {
                Outputs.checkNotJournal(options, Path.of(kept));
            }
            return reader.format();
        }
    }

    private int finish(DemoOptions options, WarmUp warm, @Nullable Report first, Report last) throws UsageException {
        if (options.books() != null) {
            Outputs.write("--books", options.books(), BookTable.table(last.run().books()));
        }
        if (options.json() != null) {
            Map<String, @Nullable Object> figures = new LinkedHashMap<>();
            figures.put("warmUp", warm.figures());
            figures.put("atRate", first == null ? null : first.figures());
            figures.putAll(last.figures());
            Outputs.write("--json", options.json(), Json.text(figures));
        }
        last.print(out, true);
        FeedFault fault = last.run().fault();
        if (fault != null && last.verdict().status() == BAD_INPUT) {
            throw new UsageException(fault.getMessage());
        }
        return last.verdict().status();
    }

    private void print(String format, Object... arguments) {
        out.print(String.format(Locale.ROOT, format, arguments) + '\n');
        out.flush();
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
