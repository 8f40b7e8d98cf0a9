package io.sluice.examples.demo;

import io.sluice.cli.Verb;
import io.sluice.examples.feed.MessageTally;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, in one line and as an exit status.
 *
 * @param line the last line of the report
 * @param status the exit status
 */
record Verdict(String line, int status) {
    /**
     * Judges a run.
     *
     * @param run the run
     * @param replay the single-threaded replay, or null if it was not made
     * @param generated the tally of the generator, or null if the input is a file
     * @param journal what was read back from the journal
     */
    static Verdict of(RunResult run, @Nullable Replay replay, @Nullable MessageTally generated, JournalCheck journal) {
        String messages = String.format(Locale.ROOT, "%,d messages", run.tally().total());
        if (!journal.same() || journal.records() != run.tally().total()) {
            return new Verdict(
                    "demo: FAILED after " + messages + ": the journal does not hold what the books handled",
                    Verb.CHECK_FAILED);
        }
        SubscriberResult got = run.link().subscriber();
        if (got.faults() > 0
                || run.link().sent().messages() != run.tally().total()
                || got.matching() + got.lostByUdp() != run.tally().total()) {
            return new Verdict(
                    "demo: FAILED after " + messages + ": the subscriber got something else than was sent",
                    Verb.CHECK_FAILED);
        }
        if (run.interrupted() || replay == null) {
            return new Verdict(
                    "demo: interrupted after " + messages + ", not compared with a replay", Verb.INTERRUPTED);
        }
        if (!replay.digest().equals(run.digest())) {
            return new Verdict(
                    "demo: FAILED after " + messages + ": the books differ from those of a single-threaded replay",
                    Verb.CHECK_FAILED);
        }
        RiskResult risk = run.risk();
        if (risk != null && !risk.ledger().fingerprint().equals(replay.risk())) {
            return new Verdict(
                    "demo: FAILED after " + messages
                            + ": the risk checks, or their order, differ from those of a single-threaded replay",
                    Verb.CHECK_FAILED);
        }
        if (generated != null && !generated.sameAs(run.tally())) {
            return new Verdict(
                    "demo: FAILED after " + messages + ": the counts by type differ from those of the generator",
                    Verb.CHECK_FAILED);
        }
        if (run.fault() != null) {
            return new Verdict(
                    "demo: stopped by a fault in the input after " + messages
                            + ", the books are those of a single-threaded replay",
                    Verb.BAD_INPUT);
        }
        return new Verdict("demo: done, " + messages + ", the books are those of a single-threaded replay", Verb.DONE);
    }
}
