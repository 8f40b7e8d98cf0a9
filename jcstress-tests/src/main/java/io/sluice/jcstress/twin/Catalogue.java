package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import io.sluice.jcstress.twin.Change.SignalFirst;
import io.sluice.jcstress.twin.Change.StampFirst;
import io.sluice.jcstress.twin.Change.ThenCursor;
import io.sluice.jcstress.twin.Change.ThenProgress;
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
    private static final String PRESSURE = "io.sluice.backpressure.";

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();

    static {
        sequences();
        lifeCycle();
        claims();
        publications();
        progress();
        ends();
        signals();
        backPressure();
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
                .at(RING + "SingleProducer", "isGranted")
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
        jcstress("multi-claim-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("multi-claim-at-once-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claimAtOnce")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private static void publications() {
        pinned("cursor-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        pinned("cursor-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "Barriers$BehindOne", "available")
                .call(SEQUENCE, "getAcquire")
                .becomes(new CallInstead("getPlain"));
        pinned("stamp-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "MultiProducerRing", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("stamp-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "MultiProducerRing", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        jcstress("cursor-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationSingleTest")
                .at(RING + "SingleProducer", "grant")
                .call(HANDLE, "setOpaque")
                .becomes(new ThenCursor());
        jcstress("stamp-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationMultiTest")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new StampFirst());
        jcstress("stamp-without-lap", Kind.STEP_REMOVED, "ringbuffer.WrapMultiTwoTest")
                .at(RING + "MultiProducerRing", "stamp")
                .call(RING_INTERNAL + "MultiProducerRing", "lap")
                .becomes(new Constant(0));
        jcstress("abort-mark-late-single", Kind.ORDER_SWAPPED, "ringbuffer.AbortSingleTest")
                .at(RING + "SingleProducer", "abortClaimed")
                .call(RING_INTERNAL + "AbortMarks", "mark")
                .becomes(new AtReturn());
        jcstress("abort-mark-late-multi", Kind.ORDER_SWAPPED, "ringbuffer.AbortMultiTest")
                .at(RING + "MultiProducer", "abortClaimed")
                .call(RING_INTERNAL + "AbortMarks", "mark")
                .becomes(new AtReturn());
        pinned("cursor-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "MultiProducerRing", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-acquire-opaque", Kind.TO_OPAQUE)
                .at(RING + "MultiProducerRing", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private static void progress() {
        jcstress("poller-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.WrapSingleOneTest")
                .at(RING + "EventPoller", "poll")
                .call(RING_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        jcstress("loop-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.BarrierOneTest")
                .at(RING + "EventLoop", "batch")
                .call(RING_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        pinned("loop-progress-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "EventLoop", "batch")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        jcstress("barrier-last-only", Kind.GATE_IGNORED, "ringbuffer.BarrierTwoTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        pinned("loop-progress-opaque", Kind.TO_OPAQUE)
                .at(RING + "EventLoop", "batch")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("poller-progress-opaque", Kind.TO_OPAQUE)
                .at(RING + "EventPoller", "poll")
                .call(SEQUENCE, "setRelease")
                .number(1, 2)
                .becomes(new CallInstead("setOpaque"));
        pinned("gating-list-opaque", Kind.TO_OPAQUE)
                .at(RING + "Gating", "listAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private static void ends() {
        jcstress("single-wait-recheck", Kind.RECHECK_REMOVED, "ringbuffer.WaitingPublisherCloseSingleTest")
                .at(RING + "SingleProducer", "awaitRoom")
                .call(RING_INTERNAL + "SingleProducer", "refused")
                .number(2, 2)
                .becomes(new Constant(0));
        jcstress("single-close-unseen", Kind.RECHECK_REMOVED, "ringbuffer.CloseAgainstClaimSingleTest")
                .at(RING + "SingleProducer", "isGranted")
                .call("io/sluice/core/LifeCycle", "isRunning")
                .becomes(new Constant(1));
        jcstress("multi-close-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherCloseMultiTest")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-fail-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherFailMultiTest")
                .at(RING + "ObjectRing", "fail")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-drain-cas", Kind.CAS_TO_SET, "ringbuffer.DrainMultiTest")
                .at(RING + "MultiProducerRing", "closeClaims")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("drain-owner-fence", Kind.FENCE_REMOVED, "ringbuffer.DrainSingleTest")
                .at(RING + "AbstractProducer", "bindOwner")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setOpaque"))
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("loop-halt-unseen", Kind.RECHECK_REMOVED, "ringbuffer.HaltAgainstWorkTest")
                .at(RING + "AbstractLoop", "goesOn")
                .call(RING_INTERNAL + "ConsumerNode", "isHalted")
                .becomes(new Constant(0));
        jcstress("poller-end-recheck", Kind.RECHECK_REMOVED, "ringbuffer.FailurePropagationTest")
                .at(RING + "EventPoller", "poll")
                .call("io/sluice/core/SequenceBarrier", "available")
                .number(2, 2)
                .becomes(new Constant(-1));
        jcstress("runner-stop-release", Kind.RELEASE_TO_PLAIN, "core.RunnerStopTest")
                .at(CORE + "Runner", "stop")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("consumer-end-opaque", Kind.TO_OPAQUE)
                .at(RING + "ConsumerNode", "end")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("acknowledged-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "refused")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }

    private static void signals() {
        jcstress("signal-publisher-fence", Kind.FENCE_REMOVED, "ringbuffer.PublishAgainstParkTest")
                .at(CORE + "SignalGroup", "signal")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("signal-runner-fence", Kind.FENCE_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "idle()V")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setOpaque"))
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("idle-signal-fence", Kind.FENCE_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "signal")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("idle-word-recheck", Kind.RECHECK_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "idle()V")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new NeverJump());
        jcstress("signal-before-publication", Kind.ORDER_SWAPPED, "ringbuffer.PublishAgainstTimedParkTest")
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new SignalFirst());
        jcstress("close-wakes-nobody", Kind.STEP_REMOVED, "ringbuffer.CloseAgainstParkTest")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "wakeAll")
                .becomes(new Nothing());
        pinned("idle-fence-beside-volatile", Kind.FENCE_REMOVED)
                .at(CORE + "SignalledIdle", "idle()V")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        pinned("signal-members-opaque", Kind.TO_OPAQUE)
                .at(CORE + "SignalGroup", "signal")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("idle-word-opaque", Kind.TO_OPAQUE)
                .at(CORE + "SignalledIdle", "idle()V")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private static void backPressure() {
        jcstress("limiter-grant", Kind.CAS_TO_SET, "backpressure.LimiterGrantTest")
                .at(PRESSURE + "MultiWriterLimiter", "tryAcquire")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("nak-upgrade", Kind.STEP_REMOVED, "backpressure.NakUpgradeTest")
                .at(PRESSURE + "NakController", "onNak")
                .call("io/sluice/backpressure/Nak", "level")
                .number(1, 4)
                .becomes(new Constant(0));
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
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";
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
