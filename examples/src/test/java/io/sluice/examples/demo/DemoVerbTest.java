package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.ItchBytes;
import io.sluice.examples.oracle.MapBooks;
import io.sluice.ordered.OrderedScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("any-jdk")
class DemoVerbTest {
    private static final String LOBSTER = """
            34200.1,1,1,100,5853300,1
            34200.2,1,2,50,5853400,-1
            34200.3,4,2,20,5853400,-1
            34200.4,5,0,7,5853300,1
            34200.5,3,9,7,5853300,1
            34200.6,2,1,60,5853300,1""";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private DemoVerb verb() {
        return new DemoVerb(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                new WarmUp.Size(1, 2_000, 500));
    }

    private int run(Object... arguments) throws Exception {
        out.reset();
        return verb().run(Arrays.stream(arguments).map(String::valueOf).toList());
    }

    /** Runs what must be refused or must end in a fault: gives the one line. */
    private String refused(Object... arguments) {
        String[] message = {""};
        assertThatThrownBy(() -> run(arguments))
                .isInstanceOf(UsageException.class)
                .satisfies(e -> message[0] = String.valueOf(e.getMessage()));
        assertThat(message[0]).doesNotContain("\n").isNotBlank();
        return message[0];
    }

    private String stdout() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String verdict() {
        assertThat(stdout()).endsWith("\n");
        List<String> lines = stdout().lines().toList();
        return lines.get(lines.size() - 1);
    }

    private Path file(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private static byte[] session(long messages, long seed) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SessionGenerator(messages, seed).writeTo(bytes);
        return bytes.toByteArray();
    }

    @Test
    @Tag("once")
    void goesByAeronToTwoProcesses() throws Exception {
        int status = run("--aeron", "--messages", 20_000, "--seed", 5);
        assertThat(status).as(stdout()).isEqualTo(Verb.DONE);
        assertThat(verdict())
                .isEqualTo(
                        "demo: done, 20,000 messages, both subscribers have the books and the records of the source");
        String digest = MapBooks.ofItch(session(20_000, 5)).digest();
        assertThat(stdout())
                .containsPattern("(?m)^fast subscriber   process [0-9]+: 20,000 messages, 0 missing; ")
                .containsPattern(
                        "(?m)^slow subscriber   process [0-9]+: 20,000 messages, 0 missing; [1-9][0-9,]* NAKs said")
                .containsPattern("(?m)^NAKs              [1-9][0-9,]* heard; a limit began [1-9][0-9,]* times")
                .contains("source            digest " + digest);
        assertThat(stdout().split(digest, -1)).as("source, fast and slow").hasSize(4);
    }

    @Test
    void runsTheSameExchangeOnARingOfBytes() throws Exception {
        assertThat(run("--messages", 30_000, "--seed", 5)).isEqualTo(Verb.DONE);
        String digest = digest();
        Path json = folder.resolve("bytes.json");
        Path journal = folder.resolve("journal");
        assertThat(run("--bytes", "--messages", 30_000, "--seed", 5, "--json", json, "--journal", journal))
                .as(stdout())
                .isEqualTo(Verb.DONE);
        assertThat(verdict()).isEqualTo("demo: done, 30,000 messages, the books are those of a single-threaded replay");
        assertThat(digest())
                .as("the digest of the same session on a ring of events")
                .isEqualTo(digest)
                .isEqualTo(MapBooks.ofItch(session(30_000, 5)).digest());
        assertThat(stdout())
                .contains("ring              of bytes, 524,288, each message as long as it is\n")
                .containsPattern("(?m)^ring fill         [0-9,]+ bytes on average, [0-9,]+ at most, of 524,288; ")
                .containsPattern("(?m)^group commit      30,000 records in [0-9,]+ forces, read back the same$")
                .containsPattern("(?m)^subscriber        [0-9,]+ messages with the bytes of the input; lost ");
        assertThat(Files.readString(json))
                .contains("\"digest\": \"" + digest + "\"")
                .contains("\"unit\": \"bytes\"");
        assertThat(Files.readAllBytes(journal.resolve("journal.itch"))).isEqualTo(session(30_000, 5));
    }

    @Test
    void runsRowsOnARingOfBytes() throws Exception {
        Path file = file("SLCE_message.csv", LOBSTER.getBytes(StandardCharsets.US_ASCII));
        assertThat(run(file, "--bytes", "--rate", 1_000)).as(stdout()).isEqualTo(Verb.DONE);
        assertThat(digest()).isEqualTo(MapBooks.ofLobster("SLCE", LOBSTER).digest());
    }

    @Test
    void whatARingOfBytesDoesNotHaveIsRefused() throws Exception {
        assertThat(refused("--bytes", "--risk", 1))
                .isEqualTo("--risk must not be used with --bytes, but both are given");
        assertThat(refused("--bytes", "--slow")).isEqualTo("--slow must not be used with --bytes, but both are given");
    }

    /** The digest that was printed, which is that of the replay too. */
    private String digest() {
        List<String> digests = stdout().lines()
                .filter(line -> line.startsWith("digest ") || line.startsWith("replay digest "))
                .map(line -> line.substring(18))
                .distinct()
                .toList();
        assertThat(digests).isNotEmpty();
        return digests.get(digests.size() - 1);
    }

    @Test
    void runsAGeneratedSession() throws Exception {
        Path json = folder.resolve("out.json");
        Path books = folder.resolve("books.csv");
        int status = run("--messages", 30_000, "--seed", 5, "--json", json, "--books", books);
        assertThat(status).isEqualTo(Verb.DONE);
        assertThat(verdict()).isEqualTo("demo: done, 30,000 messages, the books are those of a single-threaded replay");

        MapBooks oracle = MapBooks.ofItch(session(30_000, 5));
        assertThat(Files.readString(books)).isEqualTo(oracle.table());
        assertThat(stdout())
                .contains("digest            " + oracle.digest() + "\n")
                .contains("replay digest     " + oracle.digest() + "\n")
                .contains("unknown orders    0\n")
                .containsPattern("(?m)^group commit      30,000 records in [0-9,]+ forces, read back the same$")
                .containsPattern("(?m)^publisher         30,000 messages, [0-9,]+ datagrams, ")
                .containsPattern("(?m)^subscriber        [0-9,]+ messages with the bytes of the input; lost ")
                .doesNotContain("back pressure")
                .doesNotContain("risk")
                .contains("input             generated session of 30,000 messages, seed 5, NASDAQ");
        String figures = Files.readString(json);
        assertThat(figures)
                .contains("\"digest\": \"" + oracle.digest() + "\"")
                .contains("\"replayDigest\": \"" + oracle.digest() + "\"")
                .contains("\"messages\": 30000,")
                .contains("\"rate\": null,")
                .contains("\"fault\": null,")
                .contains("\"journalRecords\": 30000,")
                .contains("\"journalReadBackSame\": true,")
                .contains("\"publisher\": {\n    \"messages\": 30000,")
                .contains("\"faults\": 0,\n    \"firstFault\": null,")
                .contains("\"backPressure\": null,")
                .contains("\"risk\": null,")
                .contains("\"status\": 0\n")
                .contains("\"verdict\": \"" + verdict() + "\"");
        for (String key : List.of(
                "p50",
                "p90",
                "p99",
                "p99.9",
                "p99.99",
                "max",
                "mean",
                "capacity",
                "samples",
                "messagesPerSecond",
                "seconds",
                "instruments",
                "levels",
                "liveOrders",
                "unknownOrders",
                "finishedOrders",
                "clippedEvents",
                "duplicateOrders",
                "journalBytes",
                "journalForces",
                "datagrams",
                "messagesInDatagramMedian",
                "lostByUdp",
                "longestGapNanos",
                "receiveBuffer")) {
            assertThat(figures).contains("\"" + key + "\": ");
        }
        for (char type : FeedFormat.ITCH.types()) {
            long count = oracle.count(String.valueOf(type));
            if (count > 0) {
                assertThat(figures).contains("\"" + type + "\": " + count);
                assertThat(stdout())
                        .containsPattern("(?m)^  " + type + " .* " + String.format(Locale.ROOT, "%,d", count) + "$");
            }
        }
        for (String label :
                List.of("  50 % ", "  90 % ", "  99 % ", "  99.9 % ", "  99.99 % ", "  highest ", "ring fill ")) {
            assertThat(stdout()).contains("\n" + label);
        }
    }

    /** At a rate first, then at full speed; each with its proof, and the books of all are those of the second. */
    @Test
    void runsTwiceUnlessARateIsGiven() throws Exception {
        Path json = folder.resolve("out.json");
        Path file = file("in.itch", session(12_000, 5));
        assertThat(run(file, "--json", json)).isEqualTo(Verb.DONE);
        List<String> lines = stdout().lines().toList();
        assertThat(lines.get(0)).isEqualTo("input             " + file + ", NASDAQ TotalView-ITCH 5.0");
        assertThat(lines.get(1))
                .matches(
                        "warm-up           1 rounds of up to 2,500 messages on rings and books of their own, [0-9.]+ s;"
                                + " in no figure below");
        assertThat(lines.get(2))
                .isEqualTo("run 1 of 2        20,000 messages a second, the first 160,000 messages at most");
        int second = lines.indexOf("run 2 of 2        full speed, all messages");
        String done = "demo: done, 12,000 messages, the books are those of a single-threaded replay";
        assertThat(lines.get(second - 1)).isEqualTo(done);
        assertThat(verdict()).isEqualTo(done);
        String atRate = String.join("\n", lines.subList(0, second));
        String fullSpeed = String.join("\n", lines.subList(second, lines.size()));
        assertThat(atRate)
                .contains("\nstages            microseconds from the time a message was due; bars by the mean\n")
                .contains("latency           microseconds from the time a message was due to the books\n")
                .doesNotContain("no rate given");
        assertThat(fullSpeed)
                .contains("\nstages            microseconds from the feed on; no rate given: this is the wait in a full"
                        + " ring\n");
        for (String report : List.of(atRate, fullSpeed)) {
            for (String stage :
                    List.of("feed -> journal", "journal -> books", "books -> subscriber", "the whole way")) {
                assertThat(report).containsPattern("(?m)^  " + stage + "( +[0-9,.]+){4}  \\[ *=+ *\\]$");
            }
            assertThat(report)
                    .containsPattern(
                            "(?m)^journal's force   [0-9,]+ times, [0-9,.]+ at the median, [0-9,.]+ at 99 %; [0-9]+ %"
                                    + " of the run$")
                    .containsPattern("(?m)^digest            "
                            + MapBooks.ofItch(session(12_000, 5)).digest() + "$")
                    .doesNotContain("without force");
        }
        assertThat(Files.readString(json))
                .startsWith("{\n  \"warmUp\": {\n    \"rounds\": 1,")
                .contains("  \"atRate\": {\n    \"input\": ")
                .contains("\n    \"rate\": 20000,\n")
                .contains("\n  \"rate\": null,\n")
                .contains("\n  \"stagesNanos\": {\n    \"feedToJournal\": {\n      \"count\": 12000,")
                .contains("\n    \"status\": 0\n  },\n")
                .endsWith("\n  \"status\": 0\n}\n");
    }

    @Test
    void oneRunAtFullSpeedWithoutForce() throws Exception {
        Path json = folder.resolve("out.json");
        assertThat(run("--messages", 20_000, "--full-speed", "--no-force", "--json", json))
                .isEqualTo(Verb.DONE);
        assertThat(stdout())
                .contains("no rate given: this is the wait in a full ring\n")
                .contains("\n                  the journal is written without force\n")
                .contains(
                        "no force          the journal is in the system's page cache: it outlives this process, and a loss"
                                + " of power may cost any of it\n")
                .containsPattern("(?m)^group commit      20,000 records in 0 forces, read back the same$")
                .doesNotContain("run 1 of 2")
                .doesNotContain("journal's force");
        assertThat(Files.readString(json)).contains("\n  \"atRate\": null,\n").contains("\n  \"force\": false,\n");
    }

    /** A fault in the first run ends the demo: a second run would meet it again. */
    @Test
    @Tag("once")
    void aFaultInTheFirstRunIsReportedOnce() throws Exception {
        byte[] session = session(1_000, 2);
        String message = refused(file("cut.itch", Arrays.copyOf(session, session.length - 1)));
        assertThat(message).contains(": truncated record: message of ");
        assertThat(stdout()).contains("run 1 of 2").doesNotContain("run 2 of 2");
        assertThat(stdout().lines().filter(line -> line.startsWith("demo: "))).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "README.md|looks like Markdown text",
                "notes|looks like plain text",
                "picture.itch|looks like a PNG image",
                "text.gz|is gzip of what looks like plain text",
                "empty.itch|is empty",
                "empty.csv|is empty",
                "empty.gz|is gzip of what is empty",
                "AAPL.csv|looks like CSV text of 2 columns whose first row is 'name,price'",
            })
    void refusesWhatIsNoMarketData(String name, String what) throws Exception {
        byte[] content = switch (name) {
            case "README.md" -> "# Sluice\n\nmoves messages\n".getBytes(StandardCharsets.UTF_8);
            case "notes" -> "Dear diary,\nnothing new.\n".getBytes(StandardCharsets.UTF_8);
            case "picture.itch" -> "\u0089PNG\r\n\u001a\n".getBytes(StandardCharsets.ISO_8859_1);
            case "text.gz" -> Inputs.gzip("some text".getBytes(StandardCharsets.UTF_8));
            case "empty.gz" -> Inputs.gzip(new byte[0]);
            case "AAPL.csv" -> "name,price\nx,3\n".getBytes(StandardCharsets.UTF_8);
            default -> new byte[0];
        };
        Path file = file(name, content);
        assertThat(refused(file))
                .isEqualTo(file
                        + " must be ITCH 5.0, or a LOBSTER message file named *.csv or *.csv.gz, plain or gzip, but "
                        + what);
        assertThat(stdout()).isEmpty();
    }

    @Test
    @Tag("once")
    void aSlowSubscriberIsReportedWithItsNaks() throws Exception {
        Path json = folder.resolve("out.json");
        assertThat(run("--messages", 150_000, "--slow", "--no-force", "--json", json))
                .isEqualTo(Verb.DONE);
        assertThat(stdout())
                .containsPattern("(?m)^subscriber        [0-9,]+ messages with the bytes of the input; lost ")
                .containsPattern(
                        "(?m)^sockets           receive buffer of [1-9][0-9,]* bytes, queue of 65,536 messages behind it;"
                                + " not looked at for [0-9.]+ ms at most$")
                .containsPattern("(?m)^back pressure     [1-9][0-9,]* NAKs sent, [1-9][0-9,]* heard; limited [1-9]");
        assertThat(Files.readString(json))
                .contains("\"backPressure\": {\n    \"naksSent\": ")
                .doesNotContain("\"naksSent\": 0,");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @Tag("once")
    void checksTheRiskInParallelWithTheSameResult(int workers) throws Exception {
        Path json = folder.resolve("out.json");
        assertThat(run("--messages", 30_000, "--seed", 5, "--risk", workers, "--json", json))
                .isEqualTo(Verb.DONE);
        byte[] session = session(30_000, 5);
        assertThat(verdict()).isEqualTo("demo: done, 30,000 messages, the books are those of a single-threaded replay");
        assertThat(stdout())
                .contains("digest            " + MapBooks.ofItch(session).digest() + "\n")
                .containsPattern(
                        "(?m)^risk check        [0-9,]+ orders by " + workers + " workers; [1-9][0-9,]* of too")
                .containsPattern("(?m)^risk in order     [0-9,]+ outcomes left .*; the same as one thread's$");
        RiskLedger alone = new RiskLedger();
        try (ItchReader reader = new ItchReader("f", Inputs.source(session, 1 << 16))) {
            MarketEvent event = new MarketEvent();
            while (reader.next()) {
                reader.copyTo(event);
                alone.accept(event, RiskCheck.check(event));
            }
        }
        assertThat(alone.alarms()).isPositive();
        assertThat(Files.readString(json))
                .contains("\"risk\": {\n    \"workers\": " + workers + ",\n    \"orders\": " + alone.orders() + ",")
                .contains("\"alarms\": " + alone.alarms() + ",")
                .contains("\"fingerprint\": \"" + alone.fingerprint() + "\",")
                .contains("\"replayFingerprint\": \"" + alone.fingerprint() + "\"")
                .contains("\"status\": 0\n");
    }

    @Test
    @Tag("once")
    void runsFilesPlainAndCompressed() throws Exception {
        byte[] session = session(20_000, 9);
        MapBooks oracle = MapBooks.ofItch(session);
        Path books = folder.resolve("books.csv");
        for (byte[] content : List.of(session, Inputs.gzip(session))) {
            assertThat(run(file("any name", content), "--books", books)).isEqualTo(Verb.DONE);
            assertThat(stdout()).contains("digest            " + oracle.digest());
            assertThat(Files.readString(books)).isEqualTo(oracle.table());
        }
    }

    @Test
    void runsLobsterFiles() throws Exception {
        MapBooks oracle = MapBooks.ofLobster("AAPL", LOBSTER);
        Path books = folder.resolve("books.csv");
        byte[] plain = LOBSTER.getBytes(StandardCharsets.US_ASCII);
        for (Path file : List.of(file("AAPL_2012-06-21.csv", plain), file("AAPL.csv.gz", Inputs.gzip(plain)))) {
            assertThat(run(file, "--books", books)).isEqualTo(Verb.DONE);
            assertThat(stdout())
                    .contains("digest            " + oracle.digest())
                    .contains("unknown orders    1\n")
                    .containsPattern("(?m)^  1 new order +2$")
                    .containsPattern("(?m)^  5 execution, hidden +1$");
            assertThat(Files.readString(books))
                    .isEqualTo(oracle.table())
                    .isEqualTo("instrument,bestBid,bidSize,bestAsk,askSize\nAAPL,5853300,40,5853400,30\n");
        }
    }

    @Test
    void reportsWhatCameBeforeAFault() throws Exception {
        byte[] session = session(10_000, 2);
        byte[] cut = Arrays.copyOf(session, session.length / 2);
        Path file = file("cut.itch", cut);
        Path books = folder.resolve("books.csv");
        Path json = folder.resolve("out.json");
        String message = refused(file, "--books", books, "--json", json);
        assertThat(message)
                .matches("\\Q" + file
                        + "\\E: offset \\d+: truncated record: message of \\d+ bytes announced, \\d+ left");
        int offset = Integer.parseInt(message.replaceAll(".*: offset (\\d+):.*", "$1"));
        MapBooks oracle = MapBooks.ofItch(Arrays.copyOf(session, offset));
        assertThat(Files.readString(books)).isEqualTo(oracle.table());
        assertThat(stdout())
                .contains("digest            " + oracle.digest())
                .contains("replay digest     " + oracle.digest());
        assertThat(verdict())
                .startsWith("demo: stopped by a fault in the input after ")
                .endsWith(" messages, the books are those of a single-threaded replay");
        assertThat(Files.readString(json))
                .contains("\"fault\": \"" + message + "\"")
                .contains("\"status\": 2\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown.itch|unknown message type 'Z'|offset 21",
                "zero.itch|message of length 0|offset 21",
                "wrong.itch|message of type D has length 20, must be 19|offset 21",
                "bad.csv|direction 'x', must be an integer from -1 to 1|line 2",
                "cut.gz|gzip data cut short|offset 30",
                "garbage.gz|gzip compression method 103, must be 8|offset 3",
            })
    void namesEveryFault(String name, String reason, String place) throws Exception {
        byte[] content = switch (name) {
            case "unknown.itch" -> new ItchBytes().delete(1).raw(0, 19, 'Z').toBytes();
            case "zero.itch" -> new ItchBytes().delete(1).raw(0, 0).toBytes();
            case "wrong.itch" -> new ItchBytes().delete(1).raw(0, 20, 'D').toBytes();
            case "bad.csv" -> "1,1,1,1,1,1\n1,1,1,1,1,x\n".getBytes(StandardCharsets.US_ASCII);
            case "cut.gz" -> Arrays.copyOf(Inputs.gzip(session(100, 1)), 30);
            case "garbage.gz" -> "\u001f\u008bgarbage".getBytes(StandardCharsets.ISO_8859_1);
            default -> new byte[0];
        };
        Path file = file(name, content);
        assertThat(refused(file)).isEqualTo(file + ": " + place + ": " + reason);
        assertThat(verdict()).startsWith("demo: stopped by a fault in the input after ");
    }

    @Test
    void refusesWhatCannotBeRead() {
        assertThat(refused(folder)).isEqualTo(folder + ": offset 0: is a folder, must be a file");
        Path missing = folder.resolve("missing");
        assertThat(refused(missing)).isEqualTo(missing + ": offset 0: cannot be read: no such file or folder");
        assertThat(stdout()).isEmpty();
    }

    @Test
    @Tag("once")
    void keepsAJournalThatCanBeFedAgain() throws Exception {
        byte[] session = session(15_000, 3);
        Path kept = folder.resolve("new").resolve("kept");
        assertThat(run(file("in", Inputs.gzip(session)), "--journal", kept)).isEqualTo(Verb.DONE);
        String first = stdout();
        Path journal = kept.resolve("journal.itch");
        assertThat(journal).hasBinaryContent(session);
        assertThat(first)
                .contains(String.format(Locale.ROOT, "journal           %,d bytes, %s", session.length, journal));
        assertThat(run(journal)).isEqualTo(Verb.DONE);
        assertThat(stdout())
                .contains("digest            " + MapBooks.ofItch(session).digest());

        byte[] rows = LOBSTER.getBytes(StandardCharsets.US_ASCII);
        assertThat(run(file("AAPL_x.csv", rows), "--journal", kept)).isEqualTo(Verb.DONE);
        assertThat(kept.resolve("AAPL_journal.csv")).hasBinaryContent(rows);
        assertThat(run(kept.resolve("AAPL_journal.csv"))).isEqualTo(Verb.DONE);
        assertThat(refused(journal, "--journal", kept)).endsWith("' is");
        assertThat(journal).hasBinaryContent(session);
    }

    @Test
    @Tag("once")
    void keepsTheRateItWasAskedFor() throws Exception {
        Path json = folder.resolve("out.json");
        assertThat(run("--messages", 200, "--rate", 2_000, "--json", json)).isEqualTo(Verb.DONE);
        assertThat(stdout())
                .contains(", asked for 2,000\n")
                .contains("latency           microseconds from the time a message was due to the books\n");
        String figures = Files.readString(json);
        assertThat(figures).contains("\"rate\": 2000,").contains("\"from\": \"due\"");
        double seconds = Double.parseDouble(figures.replaceAll("(?s).*\"seconds\": ([0-9.]+).*", "$1"));
        assertThat(seconds).as("the last message is due after 199/2000 s").isGreaterThanOrEqualTo(0.0995);
    }

    @Test
    void refusesOutputsThatCannotBeWritten() throws Exception {
        Path input = file("in.itch", session(100, 1));
        byte[] before = Files.readAllBytes(input);
        assertThat(refused(input, "--books", input)).isEqualTo("--books must not be the input, but '" + input + "' is");
        assertThat(refused(input, "--json", input)).isEqualTo("--json must not be the input, but '" + input + "' is");
        assertThat(input).hasBinaryContent(before);
        assertThat(refused("--json", folder)).isEqualTo("--json must be a file, but '" + folder + "' is a folder");
        Path nowhere = folder.resolve("no").resolve("out");
        assertThat(refused("--books", nowhere))
                .isEqualTo("--books must be in a folder that is there, but '" + nowhere + "' is not");
        Path both = folder.resolve("both");
        assertThat(refused("--books", both, "--json", folder.resolve("./both")))
                .isEqualTo("--json and --books must be two files, but both are '" + folder.resolve("./both") + "'");
        assertThat(refused("--journal", input)).isEqualTo("--journal must be a folder, but '" + input + "' is a file");
        assertThat(refused("--journal", input.resolve("x")))
                .startsWith("--journal '" + input.resolve("x") + "' cannot be made: ");
        Path journal = folder.resolve("journal");
        assertThat(refused("--journal", journal, "--json", folder.resolve("./journal")))
                .isEqualTo("--json must not be the journal, but '" + folder.resolve("./journal") + "' is");
        assertThat(journal).doesNotExist();
        Path records = Files.createDirectory(journal).resolve("journal.itch");
        assertThat(refused("--messages", 200, "--journal", journal, "--books", records))
                .isEqualTo("--books must not be the journal, but '" + records + "' is");
        assertThat(refused("--generate", nowhere))
                .isEqualTo("--generate must be in a folder that is there, but '" + nowhere + "' is not");
        assertThat(stdout()).isEmpty();
    }

    @Test
    @Tag("once")
    void saysThatTheJournalIsFull() throws Exception {
        Path full = Path.of("/dev/full");
        assumeThat(full).exists();
        Files.createSymbolicLink(folder.resolve("journal.itch"), full);
        assertThat(refused("--messages", 30_000, "--journal", folder))
                .startsWith("the journal '" + folder.resolve("journal.itch") + "' cannot be written: ");
    }

    @Test
    void endsWhenAsked() throws Exception {
        DemoOptions options = DemoOptions.parse(List.of("--messages", "1000", "--rate", "1"));
        try (Interruption interruption = new Interruption("sluice demo")) {
            Thread asks = new Thread(interruption::request);
            asks.start();
            assertThat(verb().run(options, interruption)).isEqualTo(Verb.INTERRUPTED);
            asks.join();
        }
        assertThat(stdout()).contains("replay digest     not made\n");
        assertThat(verdict()).matches("demo: interrupted after \\d+ messages, not compared with a replay");
    }

    @Test
    void generatesFiles() throws Exception {
        Path plain = folder.resolve("s.itch");
        assertThat(run("--generate", plain, "--messages", 5_000, "--seed", 77)).isEqualTo(Verb.DONE);
        assertThat(plain).hasBinaryContent(session(5_000, 77));
        assertThat(verdict()).isEqualTo("demo: wrote 5,000 messages, seed 77, to " + plain);
        Path gzip = folder.resolve("s.itch.GZ");
        assertThat(run("--generate", gzip, "--messages", 5_000, "--seed", 77)).isEqualTo(Verb.DONE);
        assertThat(Files.size(gzip)).isLessThan(Files.size(plain));
        assertThat(run(gzip)).isEqualTo(Verb.DONE);
        assertThat(stdout()).contains(MapBooks.ofItch(session(5_000, 77)).digest());
        assertThat(refused("--generate", folder))
                .isEqualTo("--generate must be a file, but '" + folder + "' is a folder");
    }

    @Test
    void isFoundByTheLauncher() throws IOException {
        assertThat(ServiceLoader.load(Verb.class)).anyMatch(DemoVerb.class::isInstance);
        DemoVerb verb = verb();
        assertThat(verb.usage())
                .startsWith(
                        "usage: ./sluice demo [FILE | [--messages N] [--seed S]] [--rate N | --full-speed] [--no-force] [--json OUT]\n")
                .contains("[--bytes | [--risk N] [--slow [--without-naks]]]\n")
                .contains("(0 to 64, 0 unless given)");
        assertThat(verb.usage()).contains("(1 to 10000000)").contains("1000000 unless given");
        Path services = Path.of("src/main/resources/META-INF/services/io.sluice.cli.Verb");
        assertThat(Files.readAllLines(services))
                .contains(DemoVerb.class.getName() + " # " + verb.name() + ": " + verb.summary());
    }

    @Test
    void aWrongDigestOrCountIsAFailure() throws Exception {
        MessageTally tally = new MessageTally();
        tally.count('A');
        RunResult run = new RunResult(
                tally,
                1,
                Latency.histogram(),
                Stages.none(),
                new RingFill(4, 1, "slots"),
                new io.sluice.examples.book.OrderBooks(key -> ""),
                "abc",
                0,
                link(1, 1, 0, 0),
                null,
                null,
                false);
        JournalCheck journal = new JournalCheck(1, 21, 1, true);
        assertThat(Verdict.of(run, replay("abc"), null, journal).status()).isEqualTo(Verb.DONE);
        assertThat(Verdict.of(run, replay("abc"), tally, journal).status()).isEqualTo(Verb.DONE);
        Verdict wrong = Verdict.of(run, replay("abd"), tally, journal);
        assertThat(wrong.status()).isEqualTo(Verb.CHECK_FAILED);
        assertThat(wrong.line())
                .isEqualTo("demo: FAILED after 1 messages: the books differ from those of a single-threaded replay");
        MessageTally other = new MessageTally();
        other.count('D');
        Verdict miscounted = Verdict.of(run, replay("abc"), other, journal);
        assertThat(miscounted.status()).isEqualTo(Verb.CHECK_FAILED);
        assertThat(miscounted.line())
                .isEqualTo("demo: FAILED after 1 messages: the counts by type differ from those of the generator");
        assertThat(Verdict.of(run, null, null, journal).status()).isEqualTo(Verb.INTERRUPTED);

        for (JournalCheck bad : List.of(new JournalCheck(1, 21, 1, false), new JournalCheck(2, 21, 1, true))) {
            Verdict verdict = Verdict.of(run, replay("abc"), tally, bad);
            assertThat(verdict.status()).isEqualTo(Verb.CHECK_FAILED);
            assertThat(verdict.line())
                    .isEqualTo("demo: FAILED after 1 messages: the journal does not hold what the books handled");
        }
    }

    private static Replay replay(String digest) {
        return new Replay(digest, new RiskLedger().fingerprint());
    }

    @Test
    void riskChecksInAnotherOrderAreAFailure() {
        MessageTally tally = new MessageTally();
        tally.count('A');
        RiskLedger ledger = new RiskLedger();
        try (OrderedScheduler<Long> scheduler =
                OrderedScheduler.<Long>builder((ticket, value) -> {}).build()) {
            RunResult run = new RunResult(
                    tally,
                    1,
                    Latency.histogram(),
                    Stages.none(),
                    new RingFill(4, 1, "slots"),
                    new io.sluice.examples.book.OrderBooks(key -> ""),
                    "abc",
                    0,
                    link(1, 1, 0, 0),
                    new RiskResult(2, ledger, scheduler.snapshot()),
                    null,
                    false);
            JournalCheck journal = new JournalCheck(1, 21, 1, true);
            assertThat(Verdict.of(run, replay("abc"), null, journal).status()).isEqualTo(Verb.DONE);
            ledger.accept(new MarketEvent(), RiskOutcome.WITHIN);
            Verdict verdict = Verdict.of(run, replay("abc"), null, journal);
            assertThat(verdict.status()).isEqualTo(Verb.CHECK_FAILED);
            assertThat(verdict.line())
                    .isEqualTo("demo: FAILED after 1 messages: the risk checks, or their order, differ from those of a"
                            + " single-threaded replay");
        }
    }

    /** Every message must have been sent, and be accounted for: got as it is in the input, or lost. */
    @ParameterizedTest
    @CsvSource({"1,1,0,0,0", "1,0,1,0,0", "1,0,0,0,1", "1,1,0,1,1", "0,0,0,0,1", "1,1,1,0,1"})
    void whatTheSubscriberGotIsPartOfTheVerdict(long sent, long matching, long lost, long faults, int status) {
        MessageTally tally = new MessageTally();
        tally.count('A');
        RunResult run = new RunResult(
                tally,
                1,
                Latency.histogram(),
                Stages.none(),
                new RingFill(4, 1, "slots"),
                new io.sluice.examples.book.OrderBooks(key -> ""),
                "abc",
                0,
                link(sent, matching, lost, faults),
                null,
                null,
                false);
        Verdict verdict = Verdict.of(run, replay("abc"), tally, new JournalCheck(1, 21, 1, true));
        assertThat(verdict.status()).isEqualTo(status);
        if (status == Verb.CHECK_FAILED) {
            assertThat(verdict.line())
                    .isEqualTo("demo: FAILED after 1 messages: the subscriber got something else than was sent");
        }
    }

    private static LinkResult link(long sent, long matching, long lost, long faults) {
        return new LinkResult(
                new io.sluice.batching.BatchStatistics.Snapshot(sent, sent, 30, 0, 1, 1, 1, 30, 30, 30),
                new SubscriberResult(1, 30, matching, lost, faults, faults == 0 ? "" : "x", 0, 0, 1),
                null);
    }
}
