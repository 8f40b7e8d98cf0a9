package io.sluice.perf.compare;

import java.util.List;

/**
 * One comparison: contestants that do the same work. A row is a public class with a no-argument constructor, in a file of its
 * own, named in {@code META-INF/services/io.sluice.perf.compare.Row}.
 */
public interface Row {
    /** The suite of the rows that are about moving events: {@value}. */
    String COMPARE = "compare";

    /**
     * The word after {@code bench} that measures this row.
     *
     * @return {@link #COMPARE} unless overridden
     */
    default String suite() {
        return COMPARE;
    }

    /**
     * What {@code --rows} names.
     *
     * @return lower-case letters, digits and hyphens
     */
    String id();

    /**
     * What is done, for people.
     *
     * @return one line
     */
    String title();

    /**
     * In what the contestants' figures are.
     *
     * @return such as {@code events/s} or {@code ns}
     */
    String unit();

    /**
     * Whether a smaller figure is the better one.
     *
     * @return true for times
     */
    default boolean lessIsBetter() {
        return unit().equals("ns");
    }

    /**
     * Those compared.
     *
     * @return at least two
     */
    List<Entry> entries();

    /**
     * Whose figure the others' are set beside where no target says otherwise.
     *
     * @return an entry's id
     */
    String reference();

    /**
     * After how many near rounds all contestants get fresh JVMs, since what a compiler makes of the same code differs from one
     * to the next.
     *
     * @return at least 1
     */
    default int nearRoundsAJvm() {
        return 10;
    }

    /**
     * What has to be reached.
     *
     * @return targets between entries of this row
     */
    default List<Target> targets() {
        return List.of();
    }

    /**
     * Who waits for whom, for the report's drawing: edges such as {@code producer->consumer}.
     *
     * @return the edges of the graph
     */
    List<String> topology();

    /**
     * What else is to be said of what was measured.
     *
     * @param measurement all samples
     * @return lines for people; none unless overridden
     */
    default List<String> notes(Measurement measurement) {
        return List.of();
    }
}
