package io.sluice.perf.lab;

import java.util.List;

/** What the lab can show: an experiment of contestants, or a bench under its roof. */
interface Topic {
    /** What it is called on the command line. */
    String name();

    /** What is done. */
    String title();

    /** Title and date of the article. */
    String article();

    /** What the article says, in one sentence. */
    String claim();

    /** What it shows, in three sentences. */
    List<String> shows();

    /** How many seconds it takes, about. */
    long seconds(Experiment.Size size);
}
