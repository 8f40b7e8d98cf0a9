package io.sluice.examples.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The counts of all rounds so far. Only the thread of the run writes and reads it. */
final class Tally {
    private static final int MOST_FAULTS = 20;

    long rounds;
    long failedRounds;
    long producers;
    long consumers;
    long published;
    long aborted;
    long handled;
    long pauses;
    long joined;
    long left;
    long skipped;
    long retried;
    long rewound;
    long halted;

    long lost;
    long doubled;
    long outOfOrder;
    long torn;
    long checksums;
    long strays;
    long stuck;

    private final List<String> faults = new ArrayList<>();

    long wrong() {
        return lost + doubled + outOfOrder + torn + checksums + strays + stuck;
    }

    void fault(String what) {
        if (faults.size() < MOST_FAULTS) {
            faults.add(what);
        }
    }

    /** The report, several lines. */
    String report(long seed, double seconds) {
        StringBuilder text = new StringBuilder();
        for (String fault : faults) {
            text.append(fault).append('\n');
        }
        line(text, "%d rounds in %.1f s: %d producers, %d consumers", rounds, seconds, producers, consumers);
        line(text, "published %d, aborted %d, handled %d", published, aborted, handled);
        line(
                text,
                "consumers joined %d, left %d, paused %d times; failed: skipped %d, retried %d, rewound %d, died %d",
                joined,
                left,
                pauses,
                skipped,
                retried,
                rewound,
                halted);
        line(text, "lost %d, doubled %d, out of order %d", lost, doubled, outOfOrder);
        line(text, "torn %d, wrong checksums %d, outside a membership %d, stuck %d", torn, checksums, strays, stuck);
        line(text, "seed %d", seed);
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
