package io.sluice.jcstress.twin;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The one list of the defects put in on purpose, in a class for each module. A row of the layer JCSTRESS is a twin: a test
 * class names it in its {@code Proof}, and must catch it.
 */
public final class Catalogue {
    private static final List<Rows> MODULES = List.of(
            new CoreRows(),
            new RingbufferRows(),
            new WorkRows(),
            new BytesRows(),
            new BufferRows(),
            new MessageRows(),
            new RecoveryRows(),
            new OrderedRows(),
            new BackpressureRows(),
            new BatchingRows(),
            new OrderedTwinRows(),
            new JoiningRows(),
            new JournalRows(),
            new AeronRows(),
            new ProductRows(),
            new LoopRows(),
            new DropInRows());

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();

    static {
        for (Rows module : MODULES) {
            for (Row row : module.all()) {
                if (ROWS.put(row.name(), row) != null) {
                    throw new IllegalStateException("row " + row.name() + " must be there once, but is there twice");
                }
            }
        }
    }

    private Catalogue() {}

    /**
     * All rows.
     *
     * @return in the order of the list
     */
    public static List<Row> rows() {
        return List.copyOf(ROWS.values());
    }

    /**
     * A row by its name.
     *
     * @param name the name
     * @return the row
     * @throws IllegalArgumentException if there is none
     */
    public static Row row(String name) {
        Row row = ROWS.get(name);
        if (row == null) {
            throw new IllegalArgumentException("a row must be one of " + ROWS.keySet() + ", but was " + name);
        }
        return row;
    }
}
