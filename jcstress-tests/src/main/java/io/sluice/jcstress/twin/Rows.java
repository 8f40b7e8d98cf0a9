package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Edit.Call;
import io.sluice.jcstress.twin.Row.Layer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of one module, and how they are written: {@code layer(name, kind, test)}, then for each edit {@code .at(class,
 * method)}, {@code .call(..)}, {@code .jump(..)} or {@code .plain(..)}, perhaps {@code .number(nth, of)}, and {@code .becomes(change)}.
 */
abstract class Rows {
    static final String HANDLE = "java/lang/invoke/VarHandle";
    static final String SEQUENCE = "io/sluice/core/Sequence";

    private final Map<String, Row> rows = new LinkedHashMap<>();

    final List<Row> all() {
        return List.copyOf(rows.values());
    }

    /**
     * A row that a jcstress test must catch.
     *
     * @param test behind {@code io.sluice.jcstress.}
     */
    final Draft jcstress(String name, Kind kind, String test) {
        return new Draft(name, kind, Layer.JCSTRESS, "io.sluice.jcstress." + test);
    }

    /**
     * A row that a Lincheck test must catch.
     *
     * @param test behind {@code io.sluice.jcstress.}
     */
    final Draft lincheck(String name, Kind kind, String test) {
        return new Draft(name, kind, Layer.LINCHECK, "io.sluice.jcstress." + test);
    }

    /**
     * A row that a JUnit test must catch.
     *
     * @param test behind {@code io.sluice.}: a class, or a class, {@code #} and a method
     */
    final Draft junit(String name, Kind kind, String test) {
        return new Draft(name, kind, Layer.JUNIT, "io.sluice." + test);
    }

    /** A row that no hardware here shows, and the scan of the byte code must notice. */
    final Draft pinned(String name, Kind kind) {
        return new Draft(name, kind, Layer.PINNED, "io.sluice.jcstress.twin.AccessModesTest");
    }

    /** A row in the making: at a method, the one call of a kind, or one of several, becomes something else. */
    final class Draft {
        private final String name;
        private final Kind kind;
        private final Layer layer;
        private final String expected;
        private final List<Edit> edits = new ArrayList<>();
        private String owner = "";
        private String method = "";
        private Edit.Site site = new Edit.Jump(0);
        private int nth = 1;
        private int of = 1;

        Draft(String name, Kind kind, Layer layer, String expected) {
            this.name = name;
            this.kind = kind;
            this.layer = layer;
            this.expected = expected;
        }

        Draft at(String newOwner, String newMethod) {
            owner = newOwner;
            method = newMethod;
            nth = 1;
            of = 1;
            return this;
        }

        Draft call(String callOwner, String callName) {
            site = new Call(callOwner, callName);
            return this;
        }

        Draft jump(int opcode) {
            site = new Edit.Jump(opcode);
            return this;
        }

        Draft plain(int opcode) {
            site = new Edit.Plain(opcode);
            return this;
        }

        Draft number(int newNth, int newOf) {
            nth = newNth;
            of = newOf;
            return this;
        }

        /** Ends an edit; the row stands with its first, and grows with each further one. */
        Draft becomes(Change change) {
            edits.add(new Edit(owner, method, site, nth, of, change));
            Row before = rows.put(name, new Row(name, kind, layer, expected, edits, ""));
            if (before != null && before.edits().size() != edits.size() - 1) {
                throw new IllegalStateException("row " + name + " must be there once, but is there twice");
            }
            return this;
        }

        /** Says why nobody can notice the row. Behind the last edit. */
        void harmless(String why) {
            rows.put(name, new Row(name, kind, layer, expected, edits, why));
        }
    }
}
