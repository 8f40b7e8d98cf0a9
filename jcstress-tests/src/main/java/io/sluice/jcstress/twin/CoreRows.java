package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import org.objectweb.asm.Opcodes;

/** What is broken in the module core. */
final class CoreRows extends Rows {
    private static final String CORE = "io.sluice.core.";

    CoreRows() {
        sequences();
        lifeCycle();
        runner();
        signals();
    }

    private void sequences() {
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

    private void lifeCycle() {
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

    private void runner() {
        jcstress("runner-stop-release", Kind.RELEASE_TO_PLAIN, "core.RunnerStopTest")
                .at(CORE + "Runner", "stop")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
    }

    private void signals() {
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
}
