package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Edit.Call;
import io.sluice.jcstress.twin.Row.Layer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;

/**
 * The one list of what is broken on purpose. A row of the layer JCSTRESS is a twin: a test class names it in its {@code
 * Proof}, and must catch it.
 */
public final class Catalogue {
    private static final String CORE = "io.sluice.core.";
    private static final String RING = "io.sluice.ringbuffer.";

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();

    static {
        sequences();
        lifeCycle();
        claims();
    }

    private Catalogue() {}

    private static void sequences() {
        jcstress("sequence-release", Kind.RELEASE_TO_PLAIN, "core.SequenceReleaseTest")
                .at(CORE + "Sequence", "setRelease")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        jcstress("sequence-acquire", Kind.ACQUIRE_TO_PLAIN, "core.SequenceReleaseTest")
                .at(CORE + "Sequence", "getAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        jcstress("sequence-get-and-add", Kind.ADD_SPLIT, "core.SequenceGetAndAddTest")
                .at(CORE + "Sequence", "getAndAdd")
                .call(HANDLE, "getAndAdd")
                .becomes(new ReadThenAdd());
        jcstress("sequence-compare-and-set", Kind.CAS_TO_SET, "core.SequenceCompareAndSetTest")
                .at(CORE + "Sequence", "compareAndSet")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("sequence-volatile", Kind.VOLATILE_TO_RELEASE, "core.SequenceVolatileTest")
                .at(CORE + "Sequence", "setVolatile")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setRelease"));
        jcstress("sequence-raise-to", Kind.CAS_TO_SET, "core.SequenceRaiseToTest")
                .at(CORE + "Sequence", "raiseTo")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        pinned("sequence-release-opaque", Kind.TO_OPAQUE)
                .at(CORE + "Sequence", "setRelease")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("sequence-acquire-opaque", Kind.TO_OPAQUE)
                .at(CORE + "Sequence", "getAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private static void lifeCycle() {
        jcstress("life-cycle-end", Kind.CAS_TO_SET, "core.LifeCycleEndTest")
                .at(CORE + "LifeCycle", "moveTo")
                .call(HANDLE, "compareAndSet")
                .number(1, 2)
                .becomes(new ReadThenSet());
        jcstress("life-cycle-fail-from-draining", Kind.RECHECK_REMOVED, "core.LifeCycleDrainTest")
                .at(CORE + "LifeCycle", "moveTo")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(0));
    }

    private static void claims() {
        jcstress("single-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextSingleTest")
                .at(RING + "SingleProducer", "claim")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        jcstress("gating-minimum", Kind.GATE_IGNORED, "ringbuffer.TryNextSingleTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        jcstress("multi-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextMultiTest")
                .at(RING + "MultiProducer", "claim")
                .jump(Opcodes.IFLE)
                .number(1, 2)
                .becomes(new AlwaysJump());
    }

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
            throw new IllegalArgumentException("row " + name + ": allowed are " + ROWS.keySet());
        }
        return row;
    }

    // how rows are written

    private static final String HANDLE = "java/lang/invoke/VarHandle";
    private static final String SEQUENCE = "io/sluice/core/Sequence";

    private static Draft jcstress(String name, Kind kind, String test) {
        return new Draft(name, kind, Layer.JCSTRESS, "io.sluice.jcstress." + test);
    }

    private static Draft pinned(String name, Kind kind) {
        return new Draft(name, kind, Layer.PINNED, "io.sluice.jcstress.twin.AccessModesTest");
    }

    /** A row in the making: at a method, the one call of a kind, or one of several, becomes something else. */
    private static final class Draft {
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

        Draft number(int newNth, int newOf) {
            nth = newNth;
            of = newOf;
            return this;
        }

        /** Ends an edit; the row stands with its first, and grows with each further one. */
        Draft becomes(Change change) {
            edits.add(new Edit(owner, method, site, nth, of, change));
            Row before = ROWS.put(name, new Row(name, kind, layer, expected, edits));
            if (before != null && before.edits().size() != edits.size() - 1) {
                throw new IllegalStateException("row " + name + " is there twice: allowed is once");
            }
            return this;
        }
    }
}
