package io.sluice.perf.compare;

import io.sluice.core.check.Check;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One comparison: contestants that do the same work. Rows stand in a {@link RowTable}. Immutable. */
public final class Row {
    /** The suite of the rows that are about moving events: {@value}. */
    public static final String COMPARE = "compare";

    private static final int NEAR_ROUNDS_A_JVM = 10;

    private final String suite;
    private final String id;
    private final String title;
    private final String unit;
    private final boolean lessIsBetter;
    private final Supplier<List<Entry>> entries;
    private final String reference;
    private final int nearRoundsAJvm;
    private final List<Target> targets;
    private final List<String> topology;
    private final Function<Measurement, List<String>> notes;
    private final @Nullable Band band;
    private final boolean onRequest;

    private Row(Builder builder) {
        suite = builder.suite;
        id = builder.id;
        title = builder.title;
        unit = builder.unit;
        lessIsBetter = builder.lessIsBetter;
        entries = builder.entries;
        reference = builder.reference;
        nearRoundsAJvm = builder.nearRoundsAJvm;
        targets = builder.targets;
        topology = builder.topology;
        notes = builder.notes;
        band = builder.band;
        onRequest = builder.onRequest;
    }

    /**
     * Begins a row.
     *
     * @param suite the word after {@code bench} that measures it, such as {@link #COMPARE}
     * @param id what {@code --rows} names: lower-case letters, digits and hyphens
     * @param unit in what the figures are, such as {@code events/s}; with {@code ns} less is better
     * @param title what is done, one line
     * @return a builder
     */
    public static Builder of(String suite, String id, String unit, String title) {
        return new Builder(suite, id, unit, title);
    }

    /** Collects the parts of a row. For one thread. */
    public static final class Builder {
        private final String suite;
        private final String id;
        private final String title;
        private final String unit;
        private boolean lessIsBetter;
        private Supplier<List<Entry>> entries = List::of;
        private String reference = "";
        private int nearRoundsAJvm = NEAR_ROUNDS_A_JVM;
        private List<Target> targets = List.of();
        private List<String> topology = List.of();
        private Function<Measurement, List<String>> notes = measurement -> List.of();
        private @Nullable Band band;
        private boolean onRequest;

        private Builder(String suite, String id, String unit, String title) {
            this.suite = suite;
            this.id = id;
            this.unit = unit;
            this.title = title;
            this.lessIsBetter = unit.equals("ns");
        }

        /**
         * Says that a smaller figure is the better one, though the unit is no time.
         *
         * @return this
         */
        public Builder lessIsBetter() {
            lessIsBetter = true;
            return this;
        }

        /**
         * Sets those compared.
         *
         * @param reference the id of the one whose figure the others' are set beside where no target says otherwise
         * @param contestants makes the list of all, the reference among them; called only where the row is looked at
         * @return this
         */
        public Builder contestants(String reference, Supplier<List<Entry>> contestants) {
            this.reference = reference;
            this.entries = contestants;
            return this;
        }

        /**
         * Sets after how many near rounds all contestants get fresh JVMs, since the machine code that a compiler makes of the same code
         * differs from one JVM to the next.
         *
         * @param nearRounds 1 or more; 10 unless set
         * @return this
         */
        public Builder freshJvmsAfter(int nearRounds) {
            Check.inRange(nearRounds, 1, Integer.MAX_VALUE, "nearRounds");
            nearRoundsAJvm = nearRounds;
            return this;
        }

        /**
         * Sets the targets.
         *
         * @param all targets between contestants of the row
         * @return this
         */
        public Builder targets(Target... all) {
            targets = List.of(all);
            return this;
        }

        /**
         * Sets the topology, for the report's drawing: which thread waits for which.
         *
         * @param edges such as {@code producer->consumer}
         * @return this
         */
        public Builder topology(String... edges) {
            topology = List.of(edges);
            return this;
        }

        /**
         * Sets further notes on the measurement.
         *
         * @param lines makes lines for people from all samples
         * @return this
         */
        public Builder notes(Function<Measurement, List<String>> lines) {
            notes = lines;
            return this;
        }

        /**
         * Says that only rounds count in which the cores were at another distance than the usual one. The row is not measured on a machine
         * that does not show that distance.
         *
         * @param distance at which one
         * @return this
         */
        public Builder onlyAt(Band distance) {
            band = distance;
            return this;
        }

        /**
         * Says that the row is measured only where it is named, or by a command of its own.
         *
         * @return this
         */
        public Builder onRequest() {
            onRequest = true;
            return this;
        }

        /**
         * Makes the row.
         *
         * @return the row
         */
        public Row build() {
            return new Row(this);
        }
    }

    /**
     * The suite.
     *
     * @return the word after {@code bench} that measures this row
     */
    public String suite() {
        return suite;
    }

    /**
     * The id.
     *
     * @return what {@code --rows} names
     */
    public String id() {
        return id;
    }

    /**
     * The title: the work of the row, for people.
     *
     * @return one line
     */
    public String title() {
        return title;
    }

    /**
     * The unit of the contestants' figures.
     *
     * @return such as {@code events/s} or {@code ns}
     */
    public String unit() {
        return unit;
    }

    /**
     * Whether the figures are times.
     *
     * @return whether the unit is {@code ns}
     */
    public boolean isTime() {
        return unit.equals("ns");
    }

    /**
     * Whether a smaller figure is the better one.
     *
     * @return true for times
     */
    public boolean lessIsBetter() {
        return lessIsBetter;
    }

    /**
     * Those compared.
     *
     * @return at least two
     */
    public List<Entry> entries() {
        return entries.get();
    }

    /**
     * The contestant beside whose figure the others' are set where no target says otherwise.
     *
     * @return an entry's id
     */
    public String reference() {
        return reference;
    }

    /**
     * The number of near rounds after which all contestants get fresh JVMs.
     *
     * @return 1 or more
     */
    public int nearRoundsAJvm() {
        return nearRoundsAJvm;
    }

    /**
     * The distance of the cores at which the row is measured.
     *
     * @return null for that at which all others are
     */
    @Nullable
    Band band() {
        return band;
    }

    /**
     * The targets of the row.
     *
     * @return targets between entries of this row
     */
    public List<Target> targets() {
        return targets;
    }

    /**
     * The topology: which thread waits for which.
     *
     * @return the edges of a graph, such as {@code producer->consumer}
     */
    public List<String> topology() {
        return topology;
    }

    /**
     * Further notes on the measurement.
     *
     * @param measurement all samples
     * @return lines for people
     */
    public List<String> notes(Measurement measurement) {
        return notes.apply(measurement);
    }

    /**
     * Whether it is left out where no row is named.
     *
     * @return true if it is measured only where it is named, or by a command of its own
     */
    public boolean isOnRequest() {
        return onRequest;
    }
}
