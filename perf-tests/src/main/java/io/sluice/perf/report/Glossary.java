package io.sluice.perf.report;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The meanings of the words of a report. */
public final class Glossary {
    private static final Map<String, String> WORDS = words();

    private Glossary() {}

    private static Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        // of a comparison
        words.put("sample", "what one contestant did in a tenth of a second");
        words.put("round", "a sample of each contestant, in random order; ratios are formed within one");
        words.put(
                "hop",
                "the time that a cache line takes from one core to the other, one way; probed beside each sample");
        words.put(
                "near", "a sample whose hop before and after lies in the band that the report names; only these count");
        words.put("far", "a sample with a longer hop");
        words.put("tight", "a sample with a shorter hop");
        words.put("changing", "a sample with one hop in the band and one outside");
        words.put(
                "ratio",
                "a contestant's figure by that of another in the same round; of rates more is better, of times less");
        words.put("quartiles", "half of all values lie between the two");
        words.put(
                "interval",
                "95 of 100 draws of the JVMs, some several times, have their median in it: how far the figure is sure");
        words.put("peer", "another library, or another way to do the same");
        words.put("bound", "a contestant that does only what no implementation can leave out; not a peer");
        words.put(
                "two speeds",
                "the samples fall into two groups with a gap between them; each group has a tenth of them at least");
        words.put("must", "the median that a target asks for; the worse end of the interval may miss it by a tenth");
        words.put("stretch", "the median that would be welcome");
        words.put(
                "out of reach",
                "missed, and a bound that no peer beats misses it too in the same run, also with the better end of its interval");
        words.put("fallen back", "worse than nine tenths of the figure that was published last");
        words.put("a loss", "missed, and a peer is better where Sluice was to be as good at least");
        words.put(
                "ahead",
                "better than the peer by both ends of the interval; behind: worse by both; level: between them");
        words.put(
                "open loop",
                "events are due at intended times, whatever became of those before; time runs from when one was due");
        words.put("burst", "events that are due at the same time, sent back to back; the time of each runs from then");
        words.put(
                "keep up",
                "to have a median latency, in the whole run, of no more than the row says; others are left out");
        words.put("round trip", "a ping over one ring and back over another, one on its way");
        words.put("claims of 10", "the producer claims and publishes ten events at a time");
        words.put("SINGLE", "a ring for one producer");
        words.put("MULTI", "a ring for several producers");
        words.put("busy spin", "who waits looks again at once and never leaves its core");
        words.put(
                "signalled idle",
                "who waits sleeps until it is woken; exact: always woken at once; timed: looks by itself now and then");
        words.put("the platform alone", "two threads that only look at the clock: what machine, system and JVM cost");
        words.put("published algorithm", "the ordered scheduler as it was published, without what ours adds");
        // of batching
        words.put("serial", "each message sent by itself");
        words.put("smart batching", "whoever sends takes all that has come meanwhile");
        words.put("timer", "a buffer is sent when it is full, or a time after its first message");
        words.put("load", "messages a second, in percent of what the device can send in full buffers");
        words.put("virtual time", "computed, not measured: the same on every machine");
        words.put("saturated", "more came than was sent: the figures are lower bounds");
        // of the journal
        words.put("bare loop", "writes blocks that are ready with a FileChannel, and does nothing else");
        words.put("encoding loop", "the bare loop, which also copies the records and computes their checksums");
        words.put("force", "a call after which written bytes survive a power failure");
        words.put("group commit", "one force for all events that have come meanwhile");
        words.put("roll", "the step from a full segment of the journal to the next");
        return words;
    }

    /**
     * The words that a text uses.
     *
     * @param text of a report
     * @return each with its meaning, in the order to be read
     */
    public static Map<String, String> of(String text) {
        Map<String, String> used = new LinkedHashMap<>();
        WORDS.forEach((word, meaning) -> {
            if (Pattern.compile("(?i)\\b" + word + "(?:s|ed)?\\b").matcher(text).find()) {
                used.put(word, meaning);
            }
        });
        return used;
    }

    /**
     * Prints words.
     *
     * @param words with their meanings
     * @param out where to
     */
    public static void print(Map<String, String> words, PrintStream out) {
        out.println();
        words.forEach((word, meaning) -> out.println(String.format(Locale.ROOT, "  %-20s %s", word, meaning)));
    }
}
