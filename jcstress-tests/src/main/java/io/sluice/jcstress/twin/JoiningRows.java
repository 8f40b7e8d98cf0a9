package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** The rows that break the joining, leaving and resting of consumers. */
final class JoiningRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    JoiningRows() {
        joining();
        leaving();
        leftAndClosed();
        overtaken();
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
                .at(PIPELINE + "AbstractLoop", "settle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "signalDownstream")
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
                .call("java/util/List", "contains")
                .number(3, 3)
                .becomes(new Constant(1));
        junit(
                        "join-refused-cuts-off-who-is-behind",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RefusedJoinTest#whoJoinedBehindOneThatCouldNotStartFollowsItsUpstream")
                .at(PIPELINE + "ConsumerMembership", "unlink")
                .call("java/util/List", "contains")
                .number(3, 3)
                .becomes(new Constant(0));
        junit(
                        "join-refused-worker-drops-upstream",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ChangingGraphTest#aWorkerThatCouldNotStartAfterItsColleagueLeftTakesTheStageWithIt")
                .at(PIPELINE + "ConsumerMembership", "joinWorkers")
                .plain(Opcodes.ICONST_0)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "join-does-not-gate",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#consumersComeAndGoWhileAllRuns")
                .at(PIPELINE + "ConsumerMembership", "link")
                .call(RING_INTERNAL + "GatingSequences", "add")
                .becomes(new Nothing());
    }

    private void leftAndClosed() {
        junit(
                        "worker-marks-forgotten-with-the-worker",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.FinishedEventTest#whoJoinsBehindWorkersPassesOverWhatAWorkerFinishedThatHasLeftSince")
                .at(PIPELINE + "ConsumerNode", "allowFinishing")
                .call("java/util/List", "add")
                .becomes(new Constant(1));
        junit(
                        "leavers-handler-not-awaited",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.LeavingTest#aHandlerJoinsAgainOnlyBehindItsOnShutdown")
                .at(PIPELINE + "ConsumerMembership", "lock")
                .call(PIPELINE_INTERNAL + "ConsumerRegistry", "awaitHandler")
                .becomes(new Nothing());
        junit(
                        "leaver-not-remembered",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.LeavingTest#aHandlerJoinsAgainOnlyBehindItsOnShutdown")
                .at(PIPELINE + "ConsumerMembership", "unlink")
                .call(PIPELINE_INTERNAL + "ConsumerRegistry", "leaves")
                .becomes(new Nothing());
        junit(
                        "leaver-of-a-dead-thread-remembered",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.LeavingTest#aHandlerWhoseThreadHasDiedJoinsAgain")
                .at(PIPELINE + "ConsumerRegistry", "isOver")
                .call("java/lang/Thread", "isAlive")
                .becomes(new Constant(1));
        junit(
                        "leaver-that-waits-for-itself",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.LeavingTest#aHandlerWhoseProcessorIsNotClosedIsRefused")
                .at(PIPELINE + "ConsumerRegistry", "awaitHandler")
                .call(PIPELINE_INTERNAL + "ConsumerRegistry", "checkClosedByAnother")
                .becomes(new Nothing());
        junit(
                        "leaver-begins",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.LeavingTest#oneThatHasLeftBeforeItBeganHearsOfNothing")
                .at(PIPELINE + "AbstractLoop", "onStart")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "isToLeave")
                .becomes(new Constant(0));
        junit(
                        "closed-one-stays",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.LeavingTest#oneThatIsClosedBeforeItsNextCallLeaves")
                .at(PIPELINE + "AbstractLoop", "onClose")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "leaveClosed")
                .becomes(new Nothing());
        junit(
                        "closed-one-stays-behind-a-join",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.LeavingTest#oneThatIsClosedWhileAnotherJoinsLeavesBehindTheJoin")
                .at(PIPELINE + "ConsumerMembership", "wakeBehind")
                .call(PIPELINE_INTERNAL + "ConsumerMembership", "takeOutClosed")
                .becomes(new Nothing());
        junit(
                        "closed-with-an-event-in-hand",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.CutOffWorkersTest#aWorkerThatIsClosedWithAnEventInHandFailsTheRing")
                .at(PIPELINE + "AbstractLoop", "onClose")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "endInHand")
                .becomes(new Nothing());
        jcstress("closed-fence", Kind.FENCE_REMOVED, "ringbuffer.OnCloseAgainstLeaveTest")
                .at(PIPELINE + "ConsumerControl", "markClosed")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
    }

    private void overtaken() {
        junit(
                        "translator-closes-single-untold",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.CloseWithinTranslatorTest#theCallerIsToldThatItsEventIsAborted")
                .at(RING + "SingleProducer", "publishClaimed")
                .call(RING_INTERNAL + "SingleProducer", "isClosed")
                .becomes(new Constant(0));
        junit(
                        "translator-closes-multi-untold",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.CloseWithinTranslatorTest#theCallerIsToldThatItsEventIsAborted")
                .at(RING + "MultiProducer", "mindMiscount")
                .call(RING_INTERNAL + "MultiProducer", "isClosed")
                .becomes(new Constant(0));
        junit(
                        "translator-closes-and-aborts-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.CloseWithinTranslatorTest#whoIsOvertakenAndThrowsHarmsNothing")
                .at(RING + "AbstractProducer", "abortAfter")
                .call(RING_INTERNAL + "AbstractProducer", "isClosed")
                .becomes(new Constant(0));
        junit(
                        "overtaken-one-knows-nothing",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.OvertakenProducerTest#whereNobodyHasEverGated")
                .at(RING + "MultiProducer", "refreshLimit")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit(
                        "overtaken-one-is-not-told",
                        Kind.STEP_REMOVED,
                        "ringbuffer.OvertakenProducerTest#whereTheLastConsumerHasLeftMeanwhile")
                .at(RING + "MultiProducerRing", "nobodyGates")
                .call(RING_INTERNAL + "MultiProducer", "publishBy")
                .becomes(new Nothing());
        junit(
                        "overtaken-stamp-goes-back",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.OvertakenProducerTest#whereNobodyHasEverGated")
                .at(RING + "ArrayStamps", "stampForward")
                .jump(Opcodes.IFLE)
                .becomes(new OpcodeInstead(Opcodes.IFEQ));
        junit(
                        "overtaken-stamp-of-bytes-goes-back",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.OvertakenProducerTest#whereNobodyHasEverGated")
                .at(RING + "SlotStamps", "stampForward")
                .jump(Opcodes.IFGE)
                .becomes(new OpcodeInstead(Opcodes.IFEQ));
        String settled = "ringbuffer.OvertakenAndSettledTest#";
        junit(
                        "overtaken-and-settled-stays-on-record",
                        Kind.STEP_REMOVED,
                        settled + "whatIsPublishedTwiceOnceItIsOvertakenIsRefused")
                .at(RING + "MultiProducer", "settledBesideOthers")
                .call(RING_INTERNAL + "OpenClaims", "remove")
                .becomes(new Nothing());
        junit(
                        "overtaken-and-settled-counts-as-open",
                        Kind.GATE_IGNORED,
                        settled + "whatATranslatorHasPublishedIsNotPublishedAgainOnceItIsOvertaken")
                .at(RING + "MultiProducer", "isStillOpen")
                .call(RING_INTERNAL + "MultiProducer", "isClaimed")
                .becomes(new Constant(1));
        junit(
                        "overtaken-is-forgotten",
                        Kind.WRONG_BRANCH,
                        settled + "whatIsOvertakenIsPublishedHoweverManyClaimsAreOpen")
                .at(RING + "MultiProducer", "keepLast")
                .call(RING_INTERNAL + "GatingSequences", "size")
                .becomes(new Constant(1));
        junit(
                        "overtaken-counts-beyond-the-close",
                        Kind.STEP_REMOVED,
                        settled + "whoseTranslatorClosesItIsToldSoAlsoWithAnOvertakenClaim")
                .at(RING + "MultiProducer", "close")
                .plain(Opcodes.LCONST_0)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.LCONST_1));
        junit(
                        "overtaken-message-holds-the-cursor",
                        Kind.GATE_IGNORED,
                        settled + "whatHoldsTheCursorOfARingOfMessagesIsFound")
                .at(RING + "MessageMultiRing", "openNow")
                .call(RING_INTERNAL + "Stamps", "isStamped")
                .becomes(new Constant(0));
        String place = settled + "aMessageThatIsOvertakenTakesNothingFromThoseThatHaveItsPlace";
        junit("overtaken-message-stamps-back", Kind.STEP_REMOVED, place)
                .at(RING + "MessageMultiProducer", "stampAll")
                .call(RING_INTERNAL + "MessageStamps", "stampAllForward")
                .becomes(new CallInstead("stampAll"));
        junit("overtaken-message-is-padded", Kind.GATE_IGNORED, place)
                .at(RING + "MessageMultiProducer", "isOvertaken")
                .call(RING_INTERNAL + "MessageStamps", "isStamped")
                .becomes(new Constant(0));
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
                        "ringbuffer.JoinThatIsCutOffTest#oneThatThereIsNoMemoryToTakeOutIsTakenOutByWhoFindsNoRoom")
                .at(PIPELINE + "ConsumerMembership", "takeOutRefused")
                .call("java/util/List", "contains")
                .becomes(new Constant(0));
        junit(
                        "leave-followers-let-loose",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FollowersOfALeaverTest#whoFollowedALeaverFollowsTheOneThatHadJoinedBeforeIt")
                .at(PIPELINE + "ConsumerRegistry$NewUpstreams", "remove")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "leave-taken-for-a-refused-join",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FollowersOfALeaverTest#whoFollowedALeaverFollowsTheOneThatHadJoinedBeforeIt")
                .at(PIPELINE + "ConsumerMembership", "tryUnlink")
                .plain(Opcodes.ICONST_1)
                .number(2, 3)
                .becomes(new OpcodeInstead(Opcodes.ICONST_0));
        junit(
                        "leave-followers-not-signalled",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.FollowersOfALeaverTest#whoFollowedALeaverIsWokenByTheOneThatHadJoinedBeforeIt")
                .at(PIPELINE + "ConsumerMembership", "unlink")
                .call(PIPELINE_INTERNAL + "SignalWiring", "connect")
                .becomes(new Nothing());
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
        pinned("change-fence-beside-unlock", Kind.FENCE_REMOVED)
                .at(PIPELINE + "ConsumerMembership", "takeOutClosed")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        pinned("upstream-release-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "ConsumerNode", "follow")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }
}
