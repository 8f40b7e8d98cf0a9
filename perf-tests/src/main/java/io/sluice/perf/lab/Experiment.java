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
 * @param visitSeconds how long one sample takes, about
 */
record Experiment(
        Row row,
        String article,
        String claim,
        List<String> shows,
        List<Must> musts,
        List<Published> published,
        double visitSeconds)
        implements Topic {
    static final String PREFIX = "lab-";
    static final String SUITE = "lab";

    private static final double START_SECONDS = 0.8;
    private static final double LEAST_WARM_UP_SECONDS = 0.9;
    private static final int WARM_UPS = 4;
    private static final double VISIT_SECONDS = 0.15;

    Experiment {
        shows = List.copyOf(shows);
        musts = List.copyOf(musts);
        published = List.copyOf(published);
    }

    /** One whose samples take as long as the driver asks for. */
    Experiment(Row row, String article, String claim, List<String> shows, List<Must> musts, List<Published> published) {
        this(row, article, claim, shows, musts, published, VISIT_SECONDS);
    }

    /**
     * An order that must hold.
     *
     * @param less the contestant with the smaller figure
     * @param more the one with the greater
     * @param cores on how many cores at least
     * @param slack how many times as large the smaller may be: 1, or more where both run the same instructions on some machines
     */
    record Must(String less, String more, int cores, double slack) {
        Must(String less, String more, int cores) {
            this(less, more, cores, 1);
        }
    }

    /**
     * A published figure.
     *
     * @param contestant whose here
     * @param value the figure in the row's unit
     * @param words the figure as it was published
     * @param machine on what it was measured, or {@link #NO_MACHINE}
     * @param year when it was published
     */
    record Published(String contestant, double value, String words, String machine, int year) {
        /** Stands for the machine of a figure that came to us without the name of its machine. */
        static final String NO_MACHINE = "machine not named";

        private static final int FIRST_YEAR = 2011;

        Published {
            if (!(value > 0) || words.isBlank() || machine.isBlank() || year < FIRST_YEAR) {
                throw new IllegalArgumentException(
                        "a published figure must have a value, words, a machine, and a year from " + FIRST_YEAR
                                + " on, but was " + value + " '" + words + "' '" + machine + "' " + year);
            }
        }

        /** The figure as it was published, on what, and when. */
        String then() {
            return words + "; " + machine + ", " + year;
        }
    }

    @Override
    public String name() {
        return row.id().substring(PREFIX.length());
    }

    @Override
    public String title() {
        return row.title();
    }

    @Override
    public long seconds(Size size) {
        int contestants = row.entries().size();
        double start = START_SECONDS + Math.max(LEAST_WARM_UP_SECONDS, WARM_UPS * visitSeconds);
        return Math.round(contestants * (size.jvms() * start + size.rounds() * visitSeconds));
    }

    /**
     * The size of a measurement.
     *
     * @param rounds how many rounds
     * @param jvms how many JVMs each contestant has, one after the other
     */
    record Size(int rounds, int jvms) {
        /** One JVM is enough for a first look: a contradicted order is measured again in fresh ones. */
        static final Size QUICK = new Size(6, 1);

        static final Size USUAL = new Size(15, 3);
        static final Size FULL = new Size(40, 8);
    }
}
