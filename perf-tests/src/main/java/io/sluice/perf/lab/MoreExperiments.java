package io.sluice.perf.lab;

import io.sluice.perf.compare.Row;
import io.sluice.perf.lab.Experiment.Must;
import io.sluice.perf.ordered.OrderedRows;
import io.sluice.perf.records.RecordContestants;
import java.util.List;

/** The experiments about what stands around the words and the locks: pauses, jobs, records, and the scheduler that keeps an order. */
final class MoreExperiments {
    private static final String ORDERED = "ordered-delay-50";
    private static final double TABLES_SECONDS = 0.25;
    private static final double PI_SECONDS = 0.5;
    private static final double PAUSES_SECONDS = 0.9;

    private MoreExperiments() {}

    static Experiment pauses() {
        return new Experiment(
                Experiments.row(
                                "pauses",
                                "the latency of a ring's events, 99th percentile, beside a thread that makes garbage")
                        .contestants("none-serial", Pauses::entries)
                        .notes(Trace::notes)
                        .build(),
                "Java Garbage Collection Distilled, July 2013",
                "Whatever stops all threads is in the latency of whoever waits, and a collector trades pauses for throughput.",
                List.of(
                        "An event that is due while the collector has stopped all threads waits for the rest of the pause.",
                        "The ring makes no garbage; its neighbour does, and the ring's events pay for it.",
                        "A collector that works beside the application stops it for less, and takes time of the cores instead."),
                List.of(new Must("none-serial", "garbage-serial", 2)),
                List.of(),
                PAUSES_SECONDS);
    }

    static Experiment pi() {
        return new Experiment(
                Experiments.row("pi", "1 million jobs of 100 terms each of a series for pi, handed to workers")
                        .contestants("executor", Pi::entries)
                        .build(),
                "Comparision of different concurrency models: Actors, CSP, Disruptor and Threads, January 2014",
                "For small jobs the way to the worker costs more than the job, and the Disruptor was more than twice as fast as the next.",
                List.of(
                        "A job takes some hundred nanoseconds, and to hand it over by a future takes about as long.",
                        "A ring hands over in batches, and makes no object for a job.",
                        "One thread alone says what the work itself costs."),
                List.of(new Must("threads", "executor", 1)),
                List.of(),
                PI_SECONDS);
    }

    static Experiment serialise() {
        return new Experiment(
                Experiments.row("serialise", "an object with two arrays of ten, written and read back")
                        .contestants("java", RecordContestants::serialise)
                        .build(),
                "Native C/C++ Like Performance For Java Object Serialisation, July 2012",
                "Writing fields to their places costs tens of nanoseconds, Java's own serialisation ten thousand.",
                List.of(
                        "Java's own serialisation describes the class each time, and looks up its fields.",
                        "By hand each field is one store, and each array a loop of them.",
                        "A record codec is made once for its class, and does the same without code by hand."),
                List.of(new Must("byte-buffer", "java", 1), new Must("codec", "java", 1)),
                PublishedFigures.SERIALISE);
    }

    static Experiment tables() {
        return new Experiment(
                Experiments.row("tables", "a million trades, filled in and scanned")
                        .contestants("objects", () -> RecordContestants.tables(Settings.trades()))
                        .build(),
                "Compact Off-Heap Structures/Tuples In Java, October 2012",
                "Records side by side outside of the heap are filled and scanned 40 times as fast as objects are.",
                List.of(
                        "Records that lie side by side are fetched ahead, and no object's head is between them.",
                        "Objects have to be made, and moved while they live; a table is one piece.",
                        "A table that is filled again has its memory at hand; one made anew has to be given it first."),
                List.of(new Must("kept", "objects", 1)),
                PublishedFigures.TABLES,
                TABLES_SECONDS);
    }

    static Experiment ordered() {
        Row bench = new OrderedRows()
                .rows().stream()
                        .filter(row -> row.id().equals(ORDERED))
                        .findFirst()
                        .orElseThrow();
        return new Experiment(
                Experiments.row(
                                "ordered",
                                "what it adds to work in parallel that its results leave in order, the median")
                        .contestants(bench.reference(), bench::entries)
                        .notes(bench::notes)
                        .build(),
                "Sluice's own bench: docs/ordered-scheduler.md, November 2026",
                "To keep an order costs about two ways between the cores, where nobody has to be woken for it.",
                List.of(
                        "A result whose turn has come is put out by the thread that has it.",
                        "Who comes early leaves it to the one whose turn is next, and waits for nobody.",
                        "A thread of its own for the order has to look at each place, and adds its own time."),
                List.of(new Must("hop", "sequencer", 2), new Must("sluice", "sequencer", 2)),
                PublishedFigures.ORDERED);
    }
}
