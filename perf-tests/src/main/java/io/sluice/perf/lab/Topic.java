package io.sluice.perf.lab;

import java.util.List;

/** A topic that the lab can show: an experiment of contestants, or a bench under its roof. */
interface Topic {
    /** Its name on the command line. */
    String name();

    /** Its title: the work that is done. */
    String title();

    /** Title and date of the article. */
    String article();

    /** The claim of the article, in one sentence. */
    String claim();

    /** The things that it shows, in three sentences. */
    List<String> shows();

    /** The seconds that it takes, about. */
    long seconds(Experiment.Size size);
}
