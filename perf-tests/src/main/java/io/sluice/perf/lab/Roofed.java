package io.sluice.perf.lab;

import io.sluice.cli.Interruption;
import io.sluice.perf.batching.BatchingBench;
import io.sluice.perf.batching.Findings;
import io.sluice.perf.batching.JournalBench;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A bench that is no row of contestants, under the lab's roof: it measures by itself, and the lab shows its tables and its checks.
 *
 * @param name here
 * @param title what is done
 * @param article title and date
 * @param claim what the article says, in one sentence
 * @param shows what it shows, in three sentences
 * @param quickSeconds how long it takes with {@code --quick}, about
 * @param seconds how long without
 * @param bench measures
 */
record Roofed(
        String name,
        String title,
        String article,
        String claim,
        List<String> shows,
        long quickSeconds,
        long seconds,
        Bench bench)
        implements Topic {
    static final List<Roofed> ALL = List.of(
            new Roofed(
                    "batching",
                    "batches that grow with the load, beside timers and a lock",
                    "Smart Batching, October 2011",
                    "Whoever sends what has come meanwhile, and never waits for more, has the lower latency and the higher rate.",
                    List.of(
                            "A batch takes what is there: one message when it is quiet, many when it is not.",
                            "A timer makes each message wait, and a lock makes each sender wait for the device.",
                            "In virtual time nothing but the approach decides, so those figures are the same on every machine."),
                    12,
                    200,
                    BatchingBench::find),
            new Roofed(
                    "journal",
                    "appending to files, forcing them, and group commit",
                    "Java Sequential IO Performance, December 2011",
                    "Files that are read and written in order are fast by every way, and the way decides by a factor of a few.",
                    List.of(
                            "A bare loop writes blocks that are ready; the journal copies and checks too, which counts where the disk is fast.",
                            "A force costs the same for one event as for many, so group commit shares it.",
                            "The ways of the article stand beside the journal, on this machine's file system."),
                    6,
                    120,
                    JournalBench::find));

    Roofed {
        shows = List.copyOf(shows);
    }

    /** Measures. */
    @FunctionalInterface
    interface Bench {
        /**
         * Measures once.
         *
         * @param quick whether it is a quick run
         * @param command for the report
         * @param interruption asked between the parts
         * @param out where to say what is measured on
         * @return what was found
         * @throws Exception if something fails
         */
        Findings find(boolean quick, String command, Interruption interruption, PrintStream out) throws Exception;
    }

    /** Measures once. */
    Findings find(Experiment.Size size, String command, Interruption interruption) throws Exception {
        return bench.find(
                size.equals(Experiment.Size.QUICK),
                command,
                interruption,
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)); // the lab has said it
    }

    @Override
    public long seconds(Experiment.Size size) {
        return size.equals(Experiment.Size.QUICK) ? quickSeconds : seconds;
    }
}
