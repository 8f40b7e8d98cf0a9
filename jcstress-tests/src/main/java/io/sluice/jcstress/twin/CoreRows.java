package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.FlagCleared;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import io.sluice.jcstress.twin.Change.ThenLowered;
import org.objectweb.asm.Opcodes;

/** The rows that break the module core. */
final class CoreRows extends Rows {
    private static final String CORE = "io.sluice.core.";

    CoreRows() {
        sequences();
        lifeCycle();
        runner();
        signals();
        words();
        idle();
        runnersCycle();
        records();
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
        jcstress("signal-word-not-raised", Kind.STEP_REMOVED, "ringbuffer.PublishAgainstParkTest")
                .at(CORE + "SignalledIdle", "idle()V")
                .call("io/sluice/core/SignalGroup", "raise")
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
        jcstress("group-wakes-the-first", Kind.STEP_REMOVED, "core.TwoParkedTest")
                .at(CORE + "SignalGroup", "wake")
                .jump(Opcodes.GOTO)
                .becomes(new NeverJump());
        lincheck("group-wakes-the-first-lincheck", Kind.STEP_REMOVED, "SignalGroupLincheckTest")
                .at(CORE + "SignalGroup", "wake")
                .jump(Opcodes.GOTO)
                .becomes(new NeverJump());
        lincheck("group-word-lowered-behind-the-look", Kind.ORDER_SWAPPED, "SignalGroupJoinLincheckTest")
                .at(CORE + "SignalGroup", "wake")
                .call(HANDLE, "getAndSet")
                .becomes(new Nothing())
                .call(HANDLE, "getAcquire")
                .becomes(new ThenLowered());
        lincheck("signal-word-not-raised-lincheck", Kind.STEP_REMOVED, "SignalGroupLincheckTest")
                .at(CORE + "SignalledIdle", "idle()V")
                .call("io/sluice/core/SignalGroup", "raise")
                .becomes(new Nothing());
        pinned("idle-fence-beside-volatile", Kind.FENCE_REMOVED)
                .at(CORE + "SignalledIdle", "idle()V")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing())
                .harmless(
                        "on x86 the volatile store of the word in front of it is a full fence itself, and so is the exchange"
                                + " by which each group is raised; the fence is for hardware where a volatile store is none");
        pinned("signal-members-opaque", Kind.TO_OPAQUE)
                .at(CORE + "SignalGroup", "wake")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("idle-word-opaque", Kind.TO_OPAQUE)
                .at(CORE + "SignalledIdle", "idle()V")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void words() {
        junit("raise-to-lowers", Kind.WRONG_BRANCH, "core.SequenceTest")
                .at(CORE + "Sequence", "raiseTo")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit("minimum-of-none", Kind.WRONG_BRANCH, "core.SequenceTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        junit("life-cycle-drain-untold", Kind.CAS_TO_SET, "core.LifeCycleTest")
                .at(CORE + "LifeCycle", "drain")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit("life-cycle-reopened", Kind.CAS_TO_SET, "core.LifeCycleTest")
                .at(CORE + "LifeCycle", "moveTo")
                .call(HANDLE, "compareAndSet")
                .number(1, 2)
                .becomes(new Constant(1));
        lincheck("life-cycle-word-split", Kind.CAS_TO_SET, "LifeCycleLincheckTest#theLifeCycleWordIsAtomic")
                .at(CORE + "LifeCycle", "drain")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void idle() {
        junit("idle-spins-for-ever", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "idle()V")
                .jump(Opcodes.IF_ICMPGE)
                .number(1, 3)
                .becomes(new NeverJump());
        junit("idle-announcement-kept", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "reset")
                .call(HANDLE, "setOpaque")
                .becomes(new Nothing());
        junit("idle-no-unpark", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "signalAfterFence")
                .call("java/util/concurrent/locks/LockSupport", "unpark")
                .becomes(new Nothing());
        junit("idle-signal-without-look", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "signalAfterFence")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("idle-not-signalled", Kind.CAS_TO_SET, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "signalAfterFence")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(0));
        junit("idle-interrupt-cleared", Kind.INTERRUPT_LOST, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "park")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new FlagCleared());
        junit("runner-interrupt-not-cleared", Kind.INTERRUPT_LOST, "core.RunnerTest#aRunnerParksAgainAfterAnInterrupt")
                .at(CORE + "Runner", "cycles")
                .call("java/lang/Thread", "interrupted")
                .becomes(new Constant(0));
        String flagInAgents =
                "core.RunnerTest#whoeverInterruptsItselfInItsWorkFindsTheFlagClearedWhereTheIdleStrategyParks";
        String runnersConstructor = "<init>(Ljava/lang/String;Lorg/agrona/concurrent/IdleStrategy;"
                + "Lorg/agrona/ErrorHandler;Ljava/util/List;Z)V";
        junit("runner-interrupt-kept-where-it-parks", Kind.INTERRUPT_LOST, flagInAgents)
                .at(CORE + "Runner", runnersConstructor)
                .call("io/sluice/core/Runner", "spins")
                .becomes(new Constant(1));
        junit("runner-interrupt-cleared-where-it-spins", Kind.INTERRUPT_LOST, flagInAgents)
                .at(CORE + "Runner", runnersConstructor)
                .call("io/sluice/core/Runner", "spins")
                .becomes(new Constant(0));
        junit("idle-deadline-lost", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "park")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        junit("idle-past-deadline-parks", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "park")
                .jump(Opcodes.IFGT)
                .becomes(new AlwaysJump());
        junit("idle-last-deadline-wins", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "deadline")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit("idle-deadline-kept", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalledIdle", "idle(I)V")
                .jump(Opcodes.IFLE)
                .becomes(new AlwaysJump());
        junit("group-refuses-nobody", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "checkAdmits")
                .call("io/sluice/core/SignalledIdle", "isExact")
                .becomes(new Constant(0));
        junit("group-wakes-nobody", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "wake")
                .call("io/sluice/core/SignalledIdle", "signalAfterFence")
                .becomes(new Nothing());
        junit("group-never-asked", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "signal")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit("group-exact-never-asked", Kind.WRONG_BRANCH, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "signal")
                .jump(Opcodes.IF_ICMPNE)
                .number(2, 2)
                .becomes(new NeverJump());
        junit("group-added-silently", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "add")
                .call("io/sluice/core/SignalGroup", "raise")
                .becomes(new Nothing());
        junit("group-not-joined", Kind.STEP_REMOVED, "core.SignalledIdleTest")
                .at(CORE + "SignalGroup", "add")
                .call("io/sluice/core/SignalledIdle", "joined")
                .becomes(new Nothing());
    }

    private void runnersCycle() {
        junit("runner-done-unseen", Kind.RECHECK_REMOVED, "core.RunnerTest#runsAllAgentsInCyclesUntilAllAreDone")
                .at(CORE + "Runner", "call")
                .call("io/sluice/core/RunnerAgent", "isDone")
                .becomes(new Constant(0));
        junit("runner-stop-wakes-nobody", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "stop")
                .call("io/sluice/core/SignalledIdle", "signal")
                .becomes(new Nothing());
        junit("runner-deadline-untold", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "tellDeadline")
                .call("io/sluice/core/SignalledIdle", "deadline")
                .becomes(new Nothing());
        junit("runner-agent-not-closed", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "leave")
                .call("io/sluice/core/Runner", "close")
                .becomes(new Nothing());
        junit("runner-failure-swallowed", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "failed")
                .call("io/sluice/core/Runner", "report")
                .becomes(new Nothing());
        junit(
                        "runner-failed-deadline-is-none",
                        Kind.GATE_IGNORED,
                        "core.RunnerTest#anAgentWhoseDeadlineIsNotKnownIsCalledAgainWithoutASignal")
                .at(CORE + "Runner", "tellDeadline")
                .call("io/sluice/core/Runner", "failed")
                .becomes(new CallInstead("report"));
        junit("runner-idle-failure-swallowed", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "reported")
                .call("io/sluice/core/Runner", "report")
                .becomes(new Nothing());
        junit("runner-throw-is-an-empty-cycle", Kind.GATE_IGNORED, "core.RunnerTest")
                .at(CORE + "Runner", "failed")
                .plain(Opcodes.ICONST_1)
                .becomes(new OpcodeInstead(Opcodes.ICONST_0));
        junit("runner-leaves-agents-open", Kind.STEP_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "run")
                .call("io/sluice/core/Runner", "close")
                .becomes(new Nothing());
        junit("runner-of-one-busy-agent-not-stopped", Kind.RECHECK_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "single")
                .call(HANDLE, "getAcquire")
                .becomes(new Constant(0));
        junit("runner-of-busy-agents-not-stopped", Kind.RECHECK_REMOVED, "core.RunnerTest")
                .at(CORE + "Runner", "cycles")
                .call(HANDLE, "getAcquire")
                .becomes(new Constant(0));
        junit(
                        "runner-suppresses-what-was-thrown-on",
                        Kind.RECHECK_REMOVED,
                        "core.RunnerTest#anErrorHandlerThatThrowsOnWhatItIsToldEndsTheRunnerWithThatVeryException")
                .at(CORE + "Runner", "report")
                .jump(Opcodes.IF_ACMPEQ)
                .becomes(new NeverJump());
        junit("back-off-off-by-one", Kind.OFF_BY_ONE, "core.RunnerTest")
                .at(CORE + "PollBackOff", "units")
                .jump(Opcodes.IF_ICMPGE)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPGT));
        junit("back-off-ignores-room", Kind.GATE_IGNORED, "core.RunnerTest")
                .at(CORE + "PollBackOff", "units")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new NeverJump());
        junit("earned-wait-never-settles", Kind.STEP_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "look")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("earned-wait-late-stretch-goes-on", Kind.RECHECK_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "look")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit("earned-wait-remembers-what-a-trial-refuted", Kind.STEP_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "inVain")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit("earned-wait-forgets-full-speed-in-a-slow-phase", Kind.RECHECK_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "inVain")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit("earned-wait-no-stretch-ends", Kind.STEP_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "after")
                .jump(Opcodes.IF_ICMPLT)
                .becomes(new AlwaysJump());
        junit("earned-wait-each-trial-grants", Kind.GATE_IGNORED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "goOn")
                .jump(Opcodes.IFGT)
                .becomes(new AlwaysJump());
        junit("earned-wait-trials-ever-more-often", Kind.WRONG_BRANCH, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "inVain")
                .plain(Opcodes.IMUL)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.IDIV));
        junit("earned-wait-faster-stretch-counts", Kind.WRONG_BRANCH, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "stretchOver")
                .call("java/lang/Math", "min")
                .number(2, 3)
                .becomes(new CallInstead("max"));
        junit("earned-wait-kept-though-slow", Kind.STEP_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "withOver")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new AlwaysJump());
        junit("earned-wait-kept-by-each-check", Kind.GATE_IGNORED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "stretchOver")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit("earned-wait-behind-refutes", Kind.RECHECK_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "look")
                .jump(Opcodes.IF_ICMPLT)
                .becomes(new AlwaysJump());
        junit("earned-wait-trial-behind-counts", Kind.STEP_REMOVED, "core.EarnedWaitTest")
                .at(CORE + "EarnedWait", "goOn")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
    }

    private void records() {
        junit(
                        "records-negative-keys-above-the-others",
                        Kind.WRONG_BRANCH,
                        "core.records.SortOrderTest#rowsThatRiseFromZeroOnAndThenBelowZeroAreSortedToo")
                .at(CORE + "records.RadixPass", "count")
                .plain(Opcodes.LXOR)
                .becomes(new OpcodeInstead(Opcodes.LOR));
        junit(
                        "records-digit-taken-for-uniform",
                        Kind.WRONG_BRANCH,
                        "core.records.SortOrderTest#wholeNumbersAreInTheirOrder")
                .at(CORE + "records.RadixPass", "isUniform")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "records-pages-two-rows-short",
                        Kind.OFF_BY_ONE,
                        "core.records.RecordTableTest#aTableIsAListOfRecordsWhateverIsDoneToIt")
                .at(CORE + "records.RecordTable", "allocate")
                .plain(Opcodes.LADD)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.LSUB));
        junit(
                        "records-file-of-another-version",
                        Kind.RECHECK_REMOVED,
                        "core.records.RecordTableTest#whatIsWrongWithAFileIsSaid")
                .at(CORE + "records.TableFile", "header")
                .jump(Opcodes.IF_ICMPNE)
                .number(1, 3)
                .becomes(new NeverJump());
        junit(
                        "records-file-with-bytes-behind-its-rows",
                        Kind.RECHECK_REMOVED,
                        "core.records.RecordTableTest#whatIsWrongWithAFileIsSaid")
                .at(CORE + "records.TableFile", "header")
                .jump(Opcodes.IFNE)
                .number(2, 2)
                .becomes(new NeverJump());
        junit(
                        "records-component-ahead-of-the-one-before",
                        Kind.WRONG_BRANCH,
                        "core.records.RecordCodecTest#aRecordIsPackedInTheOrderOfItsComponentsAndLittleEndian")
                .at(CORE + "records.RecordLayout", "places")
                .plain(Opcodes.IADD)
                .becomes(new OpcodeInstead(Opcodes.ISUB));
        junit(
                        "records-text-beyond-its-room",
                        Kind.STEP_REMOVED,
                        "core.records.RecordCodecTest#stringsAndArraysThatDoNotFitAreRefusedByTheirName")
                .at(CORE + "records.RecordField", "mustHold")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
    }
}
