package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** What is broken where consumers join, leave and rest. */
final class JoiningRows extends Rows {
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    JoiningRows() {
        joining();
        leaving();
        accesses();
    }

    private void joining() {
        jcstress("gating-second-look", Kind.RECHECK_REMOVED, "ringbuffer.JoinAgainstClaimSingleTest")
                .at(RING + "GatingSequences", "minimum")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new NeverJump());
        jcstress("hold-not-awaited", Kind.GATE_IGNORED, "ringbuffer.JoinWhileItRunsTest")
                .at(RING + "ConsumerMembership", "hold")
                .call(RING_INTERNAL + "ConsumerNode", "isHeld")
                .becomes(new Constant(1));
        jcstress("poller-hold-not-kept", Kind.WRONG_BRANCH, "ringbuffer.JoinWhileItRunsTest")
                .at(RING + "EventPoller", "handleControl")
                .plain(Opcodes.ICONST_0)
                .number(2, 4)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        jcstress("loop-hold-not-kept", Kind.WRONG_BRANCH, "ringbuffer.JoinBetweenTest")
                .at(RING + "AbstractLoop", "handleControl")
                .call(RING_INTERNAL + "AbstractLoop", "park")
                .number(1, 3)
                .becomes(new Constant(1));
        jcstress("join-rewire-not-asked", Kind.STEP_REMOVED, "ringbuffer.JoinBetweenTest")
                .at(RING + "ConsumerMembership", "link")
                .call(RING_INTERNAL + "ConsumerNode", "ask")
                .number(2, 2)
                .becomes(new Nothing());
        jcstress("join-not-signalled", Kind.STEP_REMOVED, "ringbuffer.JoinAgainstParkTest")
                .at(RING + "ConsumerMembership", "link")
                .call(RING_INTERNAL + "ConsumerMembership", "signal")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "join-base-forgotten",
                        Kind.STEP_REMOVED,
                        "ringbuffer.JoinLeaveTest#aJoinPointThatIsNotHeldAnyMoreIsRefusedWithTheRange")
                .at(RING + "ConsumerMembership", "join")
                .call("java/lang/Math", "max")
                .number(2, 3)
                .becomes(new SecondArgument());
        junit(
                        "join-refused-leaves-upstream",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.JoinLeaveTest#whoWasToFollowOneThatCouldNotJoinDoesNotFollowItsUpstream")
                .at(RING + "ConsumerMembership", "unlink")
                .jump(Opcodes.IFNULL)
                .becomes(new NeverJump());
        junit(
                        "join-refused-worker-drops-upstream",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.ChangingGraphTest#aWorkerThatCouldNotStartAfterItsColleagueLeftTakesTheStageWithIt")
                .at(RING + "ConsumerMembership", "unlink")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit("join-does-not-gate", Kind.STEP_REMOVED, "ringbuffer.JoinLeaveTest#consumersComeAndGoWhileAllRuns")
                .at(RING + "ConsumerMembership", "link")
                .call(RING_INTERNAL + "GatingSequences", "replace")
                .becomes(new Nothing());
    }

    private void leaving() {
        jcstress("leave-upstream-forgotten", Kind.STEP_REMOVED, "ringbuffer.LeaveAgainstClaimTest")
                .at(RING + "ConsumerMembership", "ungate")
                .call("java/util/Set", "add")
                .becomes(new Constant(0));
        jcstress("leave-still-gates", Kind.STEP_REMOVED, "ringbuffer.LeaveAgainstClaimTest")
                .at(RING + "ConsumerMembership", "ungate")
                .call(RING_INTERNAL + "GatingSequences", "replace")
                .becomes(new Nothing());
        jcstress("leave-inside-a-batch", Kind.GATE_IGNORED, "ringbuffer.LeaveWhileItRunsTest")
                .at(RING + "ConsumerMembership", "remove")
                .call(RING_INTERNAL + "ConsumerNode", "isAtRest")
                .becomes(new Constant(1));
        jcstress("take-over-fence", Kind.FENCE_REMOVED, "ringbuffer.TakeOverAgainstRemovalTest")
                .at(RING + "ConsumerNode", "runBy")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        junit("leave-upstream-taken-for-gating", Kind.GATE_IGNORED, "ringbuffer.ChangingGraphTest")
                .at(RING + "ConsumerMembership", "ungate")
                .call(RING_INTERNAL + "GatingSequences", "contains")
                .becomes(new Constant(1));
        junit(
                        "leave-never-run-stays",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.ChangingGraphTest#aConsumerThatNobodyEverRanCanBeTakenOut")
                .at(RING + "ConsumerMembership", "remove")
                .call(RING_INTERNAL + "ConsumerNode", "isUntouched")
                .becomes(new Constant(0));
        junit("leave-signals-kept", Kind.REFERENCE_KEPT, "ringbuffer.ChangingGraphTest")
                .at(RING + "ConsumerMembership", "disconnect")
                .call("io/sluice/core/SignalGroup", "remove")
                .becomes(new Nothing());
        junit("leave-signals-of-one-thread-kept", Kind.REFERENCE_KEPT, "ringbuffer.ChangingGraphTest")
                .at(RING + "ConsumerMembership", "unlessFollowed")
                .call("io/sluice/core/SignalGroup", "remove")
                .becomes(new Nothing());
        jcstress("leave-told-as-an-end", Kind.RECHECK_REMOVED, "ringbuffer.WaitingPublisherLeaveTest")
                .at(RING + "Consumers", "checkNoneEnded")
                .call(RING_INTERNAL + "ConsumerNode", "hasLeft")
                .becomes(new Constant(0));
        jcstress("resume-wakes-nobody", Kind.STEP_REMOVED, "ringbuffer.ResumeAgainstParkTest")
                .at(RING + "ConsumerNode", "resume")
                .call(RING_INTERNAL + "ObjectRing", "wakeAll")
                .becomes(new Nothing());
        junit(
                        "leave-inside-a-batch-threads",
                        Kind.GATE_IGNORED,
                        "ringbuffer.JoinLeaveTest#aConsumerInsideItsHandlerFinishesItsBatchAndLeaves")
                .at(RING + "ConsumerMembership", "remove")
                .call(RING_INTERNAL + "ConsumerNode", "isAtRest")
                .becomes(new Constant(1));
        junit(
                        "leave-still-gates-threads",
                        Kind.STEP_REMOVED,
                        "ringbuffer.JoinLeaveTest#aConsumerLeavesFromItsOwnHandlerAndOneWhoseThreadDiedIsTakenOut")
                .at(RING + "ConsumerMembership", "ungate")
                .call(RING_INTERNAL + "GatingSequences", "replace")
                .becomes(new Nothing());
        junit("pause-not-kept", Kind.WRONG_BRANCH, "ringbuffer.JoinLeaveTest#aConsumerOnAThreadRestsAndGoesOn")
                .at(RING + "AbstractLoop", "handleControl")
                .call(RING_INTERNAL + "AbstractLoop", "park")
                .number(3, 3)
                .becomes(new Constant(1));
        junit(
                        "resume-wakes-nobody-threads",
                        Kind.STEP_REMOVED,
                        "ringbuffer.JoinLeaveTest#aConsumerOnAThreadRestsAndGoesOn")
                .at(RING + "ConsumerNode", "resume")
                .call(RING_INTERNAL + "ObjectRing", "wakeAll")
                .becomes(new Nothing());
    }

    private void accesses() {
        pinned("control-opaque", Kind.TO_OPAQUE)
                .at(RING + "ConsumerNode", "control")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("rest-fence-beside-cas", Kind.FENCE_REMOVED)
                .at(RING + "ConsumerNode", "isAtRest")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        pinned("upstream-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "ConsumerNode", "follow")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }
}
