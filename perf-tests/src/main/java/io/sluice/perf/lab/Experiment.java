package io.sluice.perf.lab;

import io.sluice.perf.compare.Row;
import java.util.List;

/**
 * One experiment of an article, as a row of contestants.
 *
 * @param row what is measured; its id is the experiment's name behind {@value #PREFIX}
 * @param article title and date of the article
 * @param claim what the article says, in one sentence
 * @param shows what the experiment shows, in three sentences
 * @param musts which order must hold on any machine
 * @param published what was published
 */
record Experiment(
        Row row, String article, String claim, List<String> shows, List<Must> musts, List<Published> published) {
    static final String PREFIX = "lab-";
    static final String SUITE = "lab";

    private static final double START_SECONDS = 0.8;
    private static final double WARM_UP_SECONDS = 1.5;
    private static final double VISIT_SECONDS = 0.15;

    Experiment {
        shows = List.copyOf(shows);
        musts = List.copyOf(musts);
        published = List.copyOf(published);
    }

    /**
     * An order that must hold.
     *
     * @param less the contestant with the smaller figure
     * @param more the one with the greater
     * @param cores on how many cores at least
     */
    record Must(String less, String more, int cores) {}

    /**
     * A published figure.
     *
     * @param contestant whose here
     * @param value the figure in the row's unit
     * @param words the figure as it was published, and on what machine
     */
    record Published(String contestant, double value, String words) {}

    String name() {
        return row.id().substring(PREFIX.length());
    }

    /** How long it takes, about. */
    long seconds(Size size) {
        int contestants = row.entries().size();
        return Math.round(
                contestants * (size.jvms() * (START_SECONDS + WARM_UP_SECONDS) + size.rounds() * VISIT_SECONDS));
    }

    /**
     * How much is measured.
     *
     * @param rounds how many rounds
     * @param jvms how many JVMs each contestant has, one after the other
     */
    record Size(int rounds, int jvms) {
        static final Size QUICK = new Size(6, 2);
        static final Size USUAL = new Size(15, 3);
        static final Size FULL = new Size(40, 8);
    }
}
