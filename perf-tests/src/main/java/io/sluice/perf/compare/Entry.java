package io.sluice.perf.compare;

import io.sluice.perf.report.Role;
import java.util.List;

/**
 * A contestant of a row.
 *
 * @param id short and unique in the row: what {@code --peers} and targets name
 * @param label for people; that of another library begins with the library's name
 * @param role what it is in its row
 * @param maker makes it, in its own JVM
 * @param flags further flags of its JVM, behind those of the row
 */
public record Entry(String id, String label, Role role, Maker maker, List<String> flags) {
    /** The beginning of the ids of Sluice's contestants. */
    static final String SLUICE = "sluice";

    /** Copies the flags. */
    public Entry {
        flags = List.copyOf(flags);
    }

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

    /**
     * A contestant of Sluice if its id begins with that name, else a peer.
     *
     * @param id short and unique in the row
     * @param label for people
     * @param maker makes it, in its own JVM
     */
    public Entry(String id, String label, Maker maker) {
        this(id, label, id.startsWith(SLUICE) ? Role.SLUICE : Role.PEER, maker);
    }

    /**
     * A contestant whose JVM has no flags of its own.
     *
     * @param id short and unique in the row
     * @param label for people
     * @param role what it is in its row
     * @param maker makes it, in its own JVM
     */
    public Entry(String id, String label, Role role, Maker maker) {
        this(id, label, role, maker, List.of());
    }

    /**
     * The same as a bound: it does only the work that no implementation can leave out.
     *
     * @return another entry
     */
    public Entry asBound() {
        return new Entry(id, label, Role.BOUND, maker, flags);
    }
}
