package io.sluice.jcstress.twin;

import java.util.ArrayList;
import java.util.List;

/**
 * A row of the catalogue: one thing broken in the shipped byte code, and the layer that is expected to notice.
 *
 * @param name unique, lower case with dashes
 * @param kind what is broken
 * @param layer which layer of the proof is expected to notice
 * @param expected the test of that layer: for {@link Layer#JCSTRESS} the first one that names the row in its {@code Proof};
 *     for {@link Layer#JUNIT} and {@link Layer#LINCHECK} a class, or a class, {@code #} and a method
 * @param edits the instructions that are replaced, nearly always one
 * @param harmless why nobody can notice the row, empty if somebody must
 */
public record Row(String name, Kind kind, Layer layer, String expected, List<Edit> edits, String harmless) {
    /** The layers of the proof. */
    public enum Layer {
        /** A jcstress test. */
        JCSTRESS,
        /** A JUnit test. */
        JUNIT,
        /** A Lincheck test. */
        LINCHECK,
        /** The scan of the byte code: the hardware does not show it. */
        PINNED
    }

    /** Copies the edits. */
    public Row {
        edits = List.copyOf(edits);
        if (edits.isEmpty()) {
            throw new IllegalArgumentException("edits of " + name + " must be 1 or more, but were 0");
        }
    }

    /**
     * The classes that the row changes.
     *
     * @return binary names
     */
    public List<String> classes() {
        List<String> names = new ArrayList<>();
        for (Edit edit : edits) {
            if (!names.contains(edit.owner())) {
                names.add(edit.owner());
            }
        }
        return names;
    }
}
