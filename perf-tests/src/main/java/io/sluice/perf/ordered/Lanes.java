package io.sluice.perf.ordered;

import io.sluice.ordered.TicketMode;
import io.sluice.perf.compare.Entry;
import java.util.ArrayList;
import java.util.List;

/** The lanes that rows are made of. */
final class Lanes {
    static final String OURS = "sluice";
    static final String UNCHECKED = "sluice-unchecked";
    static final String PUBLISHED = "published";

    private static final String OURS_LABEL = "Sluice, exact";
    private static final String UNCHECKED_LABEL = "Sluice, unchecked";
    private static final String PUBLISHED_LABEL = "the published algorithm";

    private Lanes() {}

    /** Makes an entry of a lane. */
    @FunctionalInterface
    interface Kind {
        Entry entry(String id, String label, Lane.Maker maker);
    }

    /** All that keep the order; ours with tickets of a mode, the published one with tickets of its caller. */
    static List<Entry> ordered(TicketMode mode, Kind kind) {
        List<Entry> entries = new ArrayList<>();
        entries.add(kind.entry(OURS, OURS_LABEL, SchedulerLane.exact(mode)));
        entries.add(kind.entry(UNCHECKED, UNCHECKED_LABEL, SchedulerLane.unchecked(mode)));
        entries.add(kind.entry("sluice-tasks", "Sluice, exact, a task each", SchedulerLane.tasks(mode)));
        entries.add(kind.entry(
                PUBLISHED,
                PUBLISHED_LABEL,
                mode == TicketMode.SINGLE ? PublishedLane.oneTaker() : PublishedLane.manyTakers()));
        entries.add(kind.entry("synchronized", "a lock around the buffer", output -> new SynchronizedLane()));
        entries.add(kind.entry("sequencer", "a sequencing thread", output -> new SequencerLane()));
        return entries;
    }
}
