package io.sluice.perf.compare;

/**
 * A contestant of a row.
 *
 * @param id short and unique in the row: what {@code --peers} and targets name
 * @param label for people
 * @param maker makes it, in its own JVM
 */
public record Entry(String id, String label, Maker maker) {
    /** Makes a contestant. */
    @FunctionalInterface
    public interface Maker {
        /**
         * Makes it.
         *
         * @return a contestant that has not run yet
         * @throws Exception if it can not be made
         */
        Contestant make() throws Exception;
    }
}
