package io.sluice.perf.compare;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A contestant in a run, perhaps with other classes than the shipped ones: a variant, which shows the worth of a choice in them.
 *
 * @param id the contestant's id, with {@code @} and the variant's name behind it
 * @param label for people
 * @param entry the contestant
 * @param ahead a folder of classes ahead of the class path, null for the shipped ones
 */
public record Visited(
        String id, String label, Entry entry, @Nullable Path ahead) {
    private static final char VARIANT = '@';

    /**
     * The contestant as it is shipped.
     *
     * @param entry the contestant
     * @return it without a variant
     */
    public static Visited shipped(Entry entry) {
        return new Visited(entry.id(), entry.label(), entry, null);
    }

    static Visited variant(Entry entry, String name, Path ahead) {
        return new Visited(entry.id() + VARIANT + name, entry.label() + ", variant " + name, entry, ahead);
    }

    /** The id of the contestant that has the shipped classes where this one has a variant of them; else its own. */
    static String shippedId(String id) {
        int at = id.indexOf(VARIANT);
        return at < 0 ? id : id.substring(0, at);
    }
}
