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
    static final String TWO = "bare-2";
    static final String ONE = "bare-1";
    static final String ONE_AND_DUTIES = "bare-1-duties";

    private static final String OURS_LABEL = "Sluice, exact";
    private static final String UNCHECKED_LABEL = "Sluice, unchecked";
    private static final String TASKS_LABEL = "Sluice, exact, a task each";
    private static final String PUBLISHED_LABEL = "the published algorithm";

    private Lanes() {}

    /** Makes an entry of a lane. */
    @FunctionalInterface
    interface Kind {
        Entry entry(String id, String label, Lane.Maker maker);
    }

    /** All that keep the order, for one worker, which counts its tickets. */
    static List<Entry> oneWorker(Kind kind) {
        List<Entry> entries = new ArrayList<>();
        entries.add(kind.entry(OURS, OURS_LABEL, SchedulerLane.oneTaker(false, false)));
        entries.add(kind.entry(UNCHECKED, UNCHECKED_LABEL, SchedulerLane.oneTaker(true, false)));
        entries.add(kind.entry("sluice-tasks", TASKS_LABEL, SchedulerLane.oneTaker(false, true)));
        entries.add(kind.entry(
                "sluice-tickets",
                "Sluice, exact, with its own tickets",
                SchedulerLane.of(TicketMode.SINGLE, false, false)));
        entries.add(kind.entry(PUBLISHED, PUBLISHED_LABEL, PublishedLane.oneTaker()));
        entries.add(
                kind.entry(TWO, "two compare-and-sets, no more", BareLane.two()).asBound());
        entries.add(
                kind.entry(ONE, "one compare-and-set, no more", BareLane.one()).asBound());
        entries.add(kind.entry(ONE_AND_DUTIES, "one compare-and-set, and what each item is owed", DutiesLane::new)
                .asBound());
        others(entries, kind);
        return entries;
    }

    /** All that keep the order, for several workers; ours with tickets of a mode, the published one with tickets of its caller. */
    static List<Entry> workers(TicketMode mode, Kind kind) {
        List<Entry> entries = new ArrayList<>();
        entries.add(kind.entry(OURS, OURS_LABEL, SchedulerLane.of(mode, false, false)));
        entries.add(kind.entry(UNCHECKED, UNCHECKED_LABEL, SchedulerLane.of(mode, true, false)));
        entries.add(kind.entry("sluice-tasks", TASKS_LABEL, SchedulerLane.of(mode, false, true)));
        entries.add(kind.entry(PUBLISHED, PUBLISHED_LABEL, PublishedLane.manyTakers()));
        others(entries, kind);
        return entries;
    }

    private static void others(List<Entry> entries, Kind kind) {
        entries.add(kind.entry("synchronized", "a lock around the buffer", output -> new SynchronizedLane()));
        entries.add(kind.entry("sequencer", "a sequencing thread", output -> new SequencerLane()));
    }
}
