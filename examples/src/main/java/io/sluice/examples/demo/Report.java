package io.sluice.examples.demo;

import io.sluice.examples.book.BookTable;
import io.sluice.examples.feed.FeedFormat;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a run, as text and as JSON.
 *
 * @param input what was read
 * @param format its format
 * @param rate the messages a second that were asked for, or 0
 * @param force whether the journal was forced
 * @param journal where the journal is, or null if it was removed
 * @param check what was read back from the journal
 * @param run what came of it
 * @param replay the single-threaded replay, or null if it was not made
 * @param verdict how it ended
 */
record Report(
        String input,
        FeedFormat format,
        long rate,
        boolean force,
        @Nullable String journal,
        JournalCheck check,
        RunResult run,
        @Nullable Replay replay,
        Verdict verdict) {
    /**
     * Prints the figures, the verdict last.
     *
     * @param withTypes whether with the messages by type
     */
    void print(PrintStream out, boolean withTypes) {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "throughput        %,.0f messages a second, %.3f s%s",
                run.messagesASecond(),
                run.elapsedNanos() / 1e9,
                rate == 0 ? "" : String.format(Locale.ROOT, ", asked for %,d", rate));
        latencies().print(text);
        line(
                text,
                "latency           microseconds from %s to the books",
                rate == 0 ? "the feed, the wait for room included," : "the time a message was due");
        LatencyTable.printPercentiles(text, run.latencyNanos());
        if (withTypes) {
            text.append("messages by type\n");
            for (char type : format.types()) {
                if (run.tally().of(type) > 0) {
                    line(
                            text,
                            "  %c %-30s %,15d",
                            type,
                            format.describe(type),
                            run.tally().of(type));
                }
            }
            line(text, "  %-32s %,15d", "all", run.tally().total());
        }
        RingFill fill = run.fill();
        line(
                text,
                "ring fill         %,.0f %s on average, %,d at most, of %,d; %,d samples",
                fill.mean(),
                fill.unit(),
                fill.highest(),
                fill.capacity(),
                fill.samples());
        line(
                text,
                "books             %,d instruments, %,d levels, %,d live orders",
                run.books().instruments(),
                BookTable.levels(run.books()),
                run.books().liveOrders());
        line(text, "unknown orders    %,d", run.books().unknownOrders());
        line(text, "finished orders   %,d", run.books().finishedOrders());
        line(text, "clipped events    %,d", run.books().clippedEvents());
        line(text, "duplicate orders  %,d", run.books().duplicateOrders());
        line(
                text,
                "journal           %,d bytes, %s",
                run.journalBytes(),
                journal == null ? "in a temporary folder, removed" : journal);
        line(
                text,
                "group commit      %,d records in %,d forces, read back %s",
                check.records(),
                check.forces(),
                check.same() ? "the same" : "NOT the same");
        if (!force) {
            line(
                    text,
                    "no force          the journal is in the system's page cache: it outlives this process, and a loss of power"
                            + " may cost any of it");
        }
        RiskResult risk = run.risk();
        if (risk != null) {
            print(text, risk);
        }
        print(text, run.link());
        line(text, "digest            %s", run.digest());
        line(text, "replay digest     %s", replay == null ? "not made" : replay.digest());
        text.append(verdict.line()).append('\n');
        out.print(text);
        out.flush();
    }

    private LatencyTable latencies() {
        return new LatencyTable(run.stages(), run.elapsedNanos(), rate, force);
    }

    private void print(StringBuilder text, RiskResult risk) {
        RiskLedger ledger = risk.ledger();
        line(
                text,
                "risk check        %,d orders by %d workers; %,d of too many shares, %,d worth too much, %,d without a price; %,d alarms",
                ledger.orders(),
                risk.workers(),
                ledger.of(RiskOutcome.TOO_MANY_SHARES),
                ledger.of(RiskOutcome.TOO_MUCH_MONEY),
                ledger.of(RiskOutcome.NO_PRICE),
                ledger.alarms());
        line(
                text,
                "risk in order     %,d outcomes left for their turn (%.1f %%), %,d at most handed out in a row; %s",
                risk.ordering().deferred(),
                100 * risk.ordering().deferredShare(),
                risk.ordering().longestDrain(),
                replay == null
                        ? "not compared"
                        : replay.risk().equals(ledger.fingerprint())
                                ? "the same as one thread's"
                                : "NOT the same as one thread's");
    }

    private Map<String, @Nullable Object> figures(RiskResult risk) {
        RiskLedger ledger = risk.ledger();
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("workers", risk.workers());
        all.put("orders", ledger.orders());
        all.put("tooManyShares", ledger.of(RiskOutcome.TOO_MANY_SHARES));
        all.put("tooMuchMoney", ledger.of(RiskOutcome.TOO_MUCH_MONEY));
        all.put("noPrice", ledger.of(RiskOutcome.NO_PRICE));
        all.put("alarms", ledger.alarms());
        all.put("deferred", risk.ordering().deferred());
        all.put("longestDrain", risk.ordering().longestDrain());
        all.put("fingerprint", ledger.fingerprint());
        all.put("replayFingerprint", replay == null ? null : replay.risk());
        return all;
    }

    private static void print(StringBuilder text, LinkResult link) {
        line(
                text,
                "publisher         %,d messages, %,d datagrams, %,d bytes; messages in one: %,d at the median, %,d at most",
                link.sent().messages(),
                link.sent().batches(),
                link.sent().bytes(),
                link.sent().messagesMedian(),
                link.sent().messagesMax());
        SubscriberResult got = link.subscriber();
        line(
                text,
                "subscriber        %,d messages with the bytes of the input; lost %,d by UDP; %,d faults%s",
                got.matching(),
                got.lostByUdp(),
                got.faults(),
                got.firstFault().isEmpty() ? "" : ", the first: " + got.firstFault());
        line(
                text,
                "sockets           receive buffer of %,d bytes, queue of %,d messages behind it; not looked at for %.1f ms at most",
                got.receiveBuffer(),
                Subscriber.QUEUE,
                got.longestGapNanos() / 1e6);
        LinkResult.Pace pace = link.pace();
        if (pace != null) {
            line(
                    text,
                    "back pressure     %,d NAKs sent, %,d heard; limited %,d times, released %,d times; %,d pauses%s",
                    got.naks(),
                    pace.naks(),
                    pace.limited(),
                    pace.released(),
                    pace.pauses(),
                    Double.isInfinite(pace.lowest())
                            ? ""
                            : String.format(Locale.ROOT, ", lowest rate %,.0f a second", pace.lowest()));
        }
    }

    private static Map<String, @Nullable Object> figures(LinkResult link) {
        Map<String, @Nullable Object> publisher = new LinkedHashMap<>();
        publisher.put("messages", link.sent().messages());
        publisher.put("datagrams", link.sent().batches());
        publisher.put("bytes", link.sent().bytes());
        publisher.put("fullShare", link.sent().fullShare());
        publisher.put("messagesInDatagramMedian", link.sent().messagesMedian());
        publisher.put("messagesInDatagramMax", link.sent().messagesMax());
        SubscriberResult got = link.subscriber();
        Map<String, @Nullable Object> subscriber = new LinkedHashMap<>();
        subscriber.put("datagrams", got.datagrams());
        subscriber.put("bytes", got.bytes());
        subscriber.put("matching", got.matching());
        subscriber.put("lostByUdp", got.lostByUdp());
        subscriber.put("faults", got.faults());
        subscriber.put("firstFault", got.firstFault().isEmpty() ? null : got.firstFault());
        subscriber.put("receiveBuffer", got.receiveBuffer());
        subscriber.put("queue", Subscriber.QUEUE);
        subscriber.put("longestGapNanos", got.longestGapNanos());
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("publisher", publisher);
        all.put("subscriber", subscriber);
        LinkResult.Pace pace = link.pace();
        if (pace == null) {
            all.put("backPressure", null);
        } else {
            Map<String, @Nullable Object> paced = new LinkedHashMap<>();
            paced.put("naksSent", got.naks());
            paced.put("naksHeard", pace.naks());
            paced.put("limited", pace.limited());
            paced.put("released", pace.released());
            paced.put("pauses", pace.pauses());
            paced.put("lowestRate", Double.isInfinite(pace.lowest()) ? null : pace.lowest());
            all.put("backPressure", paced);
        }
        return all;
    }

    /** The figures for JSON, in the order of the text. */
    Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("input", input);
        all.put("format", format.title());
        Map<String, @Nullable Object> messages = new LinkedHashMap<>();
        for (char type : format.types()) {
            if (run.tally().of(type) > 0) {
                messages.put(String.valueOf(type), run.tally().of(type));
            }
        }
        all.put("messagesByType", messages);
        all.put("messages", run.tally().total());
        all.put("messagesPerSecond", run.messagesASecond());
        all.put("seconds", run.elapsedNanos() / 1e9);
        all.put("rate", rate == 0 ? null : rate);
        Map<String, @Nullable Object> latency = new LinkedHashMap<>();
        latency.put("from", rate == 0 ? "feed" : "due");
        LatencyTable.putPercentiles(latency, run.latencyNanos());
        all.put("latencyNanos", latency);
        all.put("stagesNanos", latencies().figures());
        Map<String, @Nullable Object> fill = new LinkedHashMap<>();
        fill.put("mean", run.fill().mean());
        fill.put("max", run.fill().highest());
        fill.put("capacity", run.fill().capacity());
        fill.put("unit", run.fill().unit());
        fill.put("samples", run.fill().samples());
        all.put("ringFill", fill);
        all.put("instruments", run.books().instruments());
        all.put("levels", BookTable.levels(run.books()));
        all.put("liveOrders", run.books().liveOrders());
        all.put("unknownOrders", run.books().unknownOrders());
        all.put("finishedOrders", run.books().finishedOrders());
        all.put("clippedEvents", run.books().clippedEvents());
        all.put("duplicateOrders", run.books().duplicateOrders());
        all.put("journalBytes", run.journalBytes());
        all.put("journal", journal);
        all.put("journalRecords", check.records());
        all.put("journalForces", check.forces());
        all.put("force", force);
        all.put("journalReadBackSame", check.same());
        all.put("risk", run.risk() == null ? null : figures(run.risk()));
        all.putAll(figures(run.link()));
        all.put("digest", run.digest());
        all.put("replayDigest", replay == null ? null : replay.digest());
        all.put("fault", run.fault() == null ? null : run.fault().getMessage());
        all.put("verdict", verdict.line());
        all.put("status", verdict.status());
        return all;
    }

    private static void line(StringBuilder text, String format, @Nullable Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
