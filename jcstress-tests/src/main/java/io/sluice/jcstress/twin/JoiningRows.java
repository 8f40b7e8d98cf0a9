package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** What is broken where consumers join, leave and rest. */
final class JoiningRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    JoiningRows() {
        joining();
        leaving();
        accesses();
    }

    private void joining() {
        jcstress("gating-second-look", Kind.RECHECK_REMOVED, "ringbuffer.JoinAgainstClaimTest.Single")
                .at(RING + "GatingSequences", "minimum")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new NeverJump());
        jcstress("hold-not-awaited", Kind.GATE_IGNORED, "ringbuffer.JoinWhileItRunsTest")
                .at(PIPELINE + "HeldConsumers", "hold")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isHeld")
                .becomes(new Constant(1));
        jcstress("poller-hold-not-kept", Kind.WRONG_BRANCH, "ringbuffer.JoinWhileItRunsTest")
                .at(PIPELINE + "EventPoller", "handleControl")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "mayContinue")
                .becomes(new Constant(1));
        junit(
                        "poller-ends-before-who-it-follows",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.ConsumersTest#aPollerOnAFailedRingGetsWhatTheConsumerBeforeItStillFinishes")
                .at(PIPELINE + "EventPoller", "available")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "upstreamEnded")
                .becomes(new Constant(1));
        jcstress("loop-hold-not-kept", Kind.WRONG_BRANCH, "ringbuffer.JoinBetweenTest")
                .at(PIPELINE + "AbstractLoop", "handleControl")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "park")
                .becomes(new Constant(1));
        jcstress("join-rewire-not-asked", Kind.STEP_REMOVED, "ringbuffer.JoinBetweenTest")
                .at(PIPELINE + "ConsumerRegistry$NewUpstreams", "tell")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "ask")
                .becomes(new Nothing());
        jcstress("join-not-signalled", Kind.STEP_REMOVED, "ringbuffer.JoinAgainstParkTest")
                .at(PIPELINE + "ConsumerMembership", "link")
                .call(PIPELINE_INTERNAL + "SignalWiring", "connect")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "join-behind-a-batch-untold-of-its-end",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ChangingGraphTest#whoJoinsBehindABatchAndParksIsToldOfItsEnd")
                .at(PIPELINE + "AbstractLoop", "handleControl")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit(
                        "join-of-a-worker-wakes-nobody-behind",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.WorkerPoolThreadsTest#whoSleepsBehindTheWorkersIsWokenByOneThatJoinedLater")
                .at(PIPELINE + "ConsumerMembership", "joinWorkers")
                .call(PIPELINE_INTERNAL + "SignalWiring", "connect")
                .number(2, 2)
                .becomes(new Nothing());
        junit(
                        "join-named-before-the-lock",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.MeetingFeaturesTest#twoHandlersWithoutANameThatJoinAtOnceGetANameEach")
                .at(PIPELINE + "ConsumerMembership", "checkJoinable")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "rename")
                .becomes(new Nothing());
        junit(
                        "joiner-starts-on-a-failed-ring",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.MeetingFeaturesTest#aHandlerThatJoinsAFailedRingIsNotStartedBehindTheRingsClose")
                .at(PIPELINE + "PipelineThreads", "startJoined")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new AlwaysJump());
        junit(
                        "start-goes-on-where-the-ring-has-ended",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.EndsTest#whoClosesOrAwaitsKeepsTheLimitThoughAThreadFactoryIsAtWork")
                .at(PIPELINE + "PipelineThreads", "startThreads")
                .call(PIPELINE_INTERNAL + "PipelineThreads", "checkRing")
                .becomes(new Nothing());
        junit(
                        "declared-behind-one-that-has-left",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.RemovalTest#nobodyIsDeclaredBehindAPollerThatHasLeftBeforeTheStart")
                .at(PIPELINE + "ConsumerDeclarations", "add")
                .call("java/util/List", "forEach")
                .becomes(new Nothing());
        junit(
                        "join-base-forgotten",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#aJoinPointThatIsNotHeldAnyMoreIsRefusedWithTheRange")
                .at(PIPELINE + "ConsumerMembership", "join")
                .call("java/lang/Math", "max")
                .number(2, 3)
                .becomes(new SecondArgument());
        junit(
                        "join-refused-leaves-upstream",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.JoinLeaveTest#whoWasToFollowOneThatCouldNotJoinDoesNotFollowItsUpstream")
                .at(PIPELINE + "ConsumerMembership", "unlink")
                .jump(Opcodes.IFNULL)
                .becomes(new NeverJump());
        junit(
                        "join-refused-worker-drops-upstream",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ChangingGraphTest#aWorkerThatCouldNotStartAfterItsColleagueLeftTakesTheStageWithIt")
                .at(PIPELINE + "ConsumerMembership", "unlink")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit(
                        "join-does-not-gate",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#consumersComeAndGoWhileAllRuns")
                .at(PIPELINE + "ConsumerMembership", "link")
                .call(RING_INTERNAL + "GatingSequences", "add")
                .becomes(new Nothing());
    }

    private void leaving() {
        jcstress("leave-upstream-does-not-gate", Kind.STEP_REMOVED, "ringbuffer.LeaveAgainstClaimTest")
                .at(PIPELINE + "ConsumerDeclarations", "gate")
                .call(RING_INTERNAL + "GatingSequences", "add")
                .becomes(new Nothing());
        jcstress("leave-still-gates", Kind.STEP_REMOVED, "ringbuffer.LeaveAgainstClaimTest")
                .at(PIPELINE + "ConsumerMembership", "ungate")
                .call(RING_INTERNAL + "GatingSequences", "remove")
                .becomes(new Constant(1));
        junit(
                        "leave-finds-the-lock-taken",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.RemovalTest#thoseThatLeaveOneAfterAnotherLeaveAtOnceThoughAProducerFindsNoRoom")
                .at(PIPELINE + "ConsumerMembership", "takeOutRefused")
                .call("java/util/List", "contains")
                .becomes(new Constant(1));
        junit(
                        "join-refused-not-taken-out",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.NoMemoryChangesTest#whatFindsNoMemoryCanBeDoneAgain")
                .at(PIPELINE + "ConsumerMembership", "takeOutRefused")
                .call("java/util/List", "contains")
                .becomes(new Constant(0));
        jcstress("leave-inside-a-batch", Kind.GATE_IGNORED, "ringbuffer.LeaveWhileItRunsTest")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isAtRest")
                .becomes(new Constant(1));
        jcstress("rewire-not-asked", Kind.STEP_REMOVED, "ringbuffer.LeaveAgainstRewireTest")
                .at(PIPELINE + "ConsumerRegistry$NewUpstreams", "tell")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "ask")
                .becomes(new Nothing());
        jcstress("take-over-fence", Kind.FENCE_REMOVED, "ringbuffer.TakeOverAgainstRemovalTest")
                .at(PIPELINE + "ConsumerControl", "runBy")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        junit("leave-worker-gated-twice", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.ChangingGraphTest")
                .at(PIPELINE + "ConsumerDeclarations", "gate")
                .call(RING_INTERNAL + "GatingSequences", "contains")
                .becomes(new Constant(0));
        junit(
                        "leave-never-run-stays",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ChangingGraphTest#aConsumerThatNobodyEverRanCanBeTakenOut")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isUntouched")
                .becomes(new Constant(0));
        junit(
                        "leave-halted-on-a-living-thread-stays",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RemovalTest#oneThatWasHaltedLeavesThoughTheThreadThatRanItLivesOn")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isEnded")
                .becomes(new Constant(0));
        junit(
                        "graph-walks-each-way",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ChangingGraphTest#aGraphOfManyLayersStartsAndTakesJoiners")
                .at(PIPELINE + "ConsumerRegistry", "withUpstream")
                .call("java/util/Set", "add")
                .becomes(new Constant(1));
        junit("leave-signals-kept", Kind.REFERENCE_KEPT, "ringbuffer.pipeline.ChangingGraphTest")
                .at(PIPELINE + "SignalWiring", "disconnect")
                .call("io/sluice/core/SignalGroup", "remove")
                .becomes(new Nothing());
        junit("leave-signals-of-one-thread-kept", Kind.REFERENCE_KEPT, "ringbuffer.pipeline.ChangingGraphTest")
                .at(PIPELINE + "SignalWiring", "unlessFollowed")
                .call("io/sluice/core/SignalGroup", "remove")
                .becomes(new Nothing());
        jcstress("leave-told-as-an-end", Kind.RECHECK_REMOVED, "ringbuffer.WaitingPublisherLeaveTest")
                .at(PIPELINE + "PipelineConsumers", "checkNoneEnded")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "hasLeft")
                .becomes(new Constant(0));
        jcstress("resume-wakes-nobody", Kind.STEP_REMOVED, "ringbuffer.ResumeAgainstParkTest")
                .at(PIPELINE + "ConsumerNode", "resume")
                .call(RING_INTERNAL + "FollowedRing", "wakeAll")
                .becomes(new Nothing());
        junit(
                        "leave-inside-a-batch-threads",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.JoinLeaveTest#aConsumerInsideItsHandlerFinishesItsBatchAndLeaves")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isAtRest")
                .becomes(new Constant(1));
        junit(
                        "leave-still-gates-threads",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#aConsumerLeavesFromItsOwnHandlerAndOneWhoseThreadDiedIsTakenOut")
                .at(PIPELINE + "ConsumerMembership", "ungate")
                .call(RING_INTERNAL + "GatingSequences", "remove")
                .becomes(new Constant(1));
        junit("pause-not-kept", Kind.WRONG_BRANCH, "ringbuffer.pipeline.JoinLeaveTest#aConsumerOnAThreadRestsAndGoesOn")
                .at(PIPELINE + "AbstractLoop", "handleControl")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "park")
                .becomes(new Constant(1));
        junit(
                        "resume-wakes-nobody-threads",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#aConsumerOnAThreadRestsAndGoesOn")
                .at(PIPELINE + "ConsumerNode", "resume")
                .call(RING_INTERNAL + "FollowedRing", "wakeAll")
                .becomes(new Nothing());
    }

    private void accesses() {
        pinned("control-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "ConsumerControl", "control")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("rest-fence-beside-cas", Kind.FENCE_REMOVED)
                .at(PIPELINE + "ConsumerControl", "isAtRest")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        pinned("upstream-release-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "ConsumerNode", "follow")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }
}
