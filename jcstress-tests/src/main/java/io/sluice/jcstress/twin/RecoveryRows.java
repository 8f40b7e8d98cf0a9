package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.ThenProgress;
import java.util.Locale;
import org.objectweb.asm.Opcodes;

/** The rows that break the module ringbuffer where claims are recovered, and events shed and cleared. */
final class RecoveryRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";
    private static final String OWED_WAKE_UPS =
            "ringbuffer.OwedWakeUpsTest#whoWaitsForAConsumerMakesUpForAWakeUpThatWasCutOff";
    private static final String CUT_OFF_WAKE_UPS = "ringbuffer.CutOffWakeUpsTest#whoComesNextWakesTheConsumer";

    RecoveryRows() {
        aborts();
        shedding();
        clearing();
        losses();
        pastRequests();
        owedSignals();
    }

    private void aborts() {
        jcstress("tracked-multi-cas", Kind.CAS_TO_SET, "ringbuffer.AbortForOwnerTest.Multi")
                .at(RING + "TrackedStamps", "takeIfOpen")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("tracked-single-publish-cas", Kind.CAS_TO_SET, "ringbuffer.AbortForOwnerTest.Single")
                .at(RING + "TrackedCursor", "publishIfOpen")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("tracked-multi-abort-unmarked", Kind.STEP_REMOVED, "ringbuffer.AbortTest.TrackedMulti")
                .at(RING + "TrackedStamps", "finish")
                .call(RING_INTERNAL + "SlotMarks", "mark")
                .becomes(new Nothing());
        jcstress("tracked-single-abort-unmarked", Kind.STEP_REMOVED, "ringbuffer.AbortTest.TrackedSingle")
                .at(RING + "TrackedCursor", "finishAbort")
                .call(RING_INTERNAL + "SlotMarks", "mark")
                .becomes(new Nothing());
        jcstress("tracked-multi-no-orphan", Kind.STEP_REMOVED, "ringbuffer.AbortForOwnerTest.Multi")
                .at(RING + "TrackedStamps", "finish")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit(
                        "tracked-get-unchecked",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.AbandonedClaimTest#onARingThatTracksClaimsTheLateOwnerGetsAnExceptionAndHarmsNobody")
                .at(RING + "TrackedMultiProducer", "slot")
                .call(RING_INTERNAL + "TrackedStamps", "isOpen")
                .becomes(new Constant(1));
        junit(
                        "losses-not-counted",
                        Kind.STEP_REMOVED,
                        "ringbuffer.AbandonedClaimTest#aRingFullOfLostClaimsIsNotTakenForOneFullOfOpenClaims")
                .at(RING + "TrackedSingleProducer", "lowestOpen")
                .call(RING_INTERNAL + "TrackedSingleProducer", "learnOfLosses")
                .becomes(new Nothing());
        junit(
                        "living-owner-aborted",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.AbandonedClaimTest#whileTheOwnerLivesTheAbortIsRefusedAndSaysWhy")
                .at(RING + "AbandonedClaim", "abort")
                .call(RING_INTERNAL + "ClaimOwner", "hasEnded")
                .becomes(new Constant(1));
        junit(
                        "unknown-owner-for-good",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.AbandonedClaimTest#aKeptClaimWhoseOwnerWasNotKnownIsAbortedOnceTheOwnerHasEnded")
                .at(RING + "AbandonedClaim", "abort")
                .jump(Opcodes.IFNONNULL)
                .number(1, 2)
                .becomes(new AlwaysJump());
        junit(
                        "kept-claim-open-for-good",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.AbandonedClaimTest#aKeptClaimThatWasPublishedMeanwhileAbortsNothing")
                .at(RING + "WatchedClaims", "stillOpenAt")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit(
                        "no-room-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.AbandonedClaimOnAFullRingTest#aParkedConsumerIsToldOfAClaimThatLeavesNobodyRoom")
                .at(RING + "AbstractProducer", "waitForRoom")
                .call(RING_INTERNAL + "ObjectRing", "noRoom")
                .becomes(new Nothing());
        junit(
                        "gap-told-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.AbandonedClaimTest#aClaimIsToldOnceAndAFailingHandlerFailsTheRing")
                .at(RING + "StalledClaimDetector", "dueClaim")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit(
                        "gap-look-put-off-for-good",
                        Kind.STEP_REMOVED,
                        "ringbuffer.AbandonedClaimTest#aConsumerWokenRightAfterALookLooksAgainBeforeItParksForGood")
                .at(RING + "StalledClaimDetector", "due")
                .jump(Opcodes.IFEQ)
                .number(1, 2)
                .becomes(new AlwaysJump());
        pinned("swap-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "ReplaceableSlots", "event")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
    }

    private void shedding() {
        jcstress("shedding-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.ShedAgainstHandleTest")
                .at(PIPELINE + "EventLoop", "handle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .number(1, 2)
                .becomes(new ThenProgress());
        junit(
                        "shedding-never-asked",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.SheddingTest#aPollerDropsTheOldestThatAPublisherNeedsRoomFor")
                .at(RING + "OldestDropper", "makeRoom")
                .call(RING_INTERNAL + "DropOldestRequest", "ask")
                .becomes(new Nothing());
        junit(
                        "shedding-asked-by-a-closed-producer",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.SheddingTest#aProducerThatItsIdleStrategyClosesDropsNothing")
                .at(RING + "OldestDropper", "makeRoom")
                .call(RING_INTERNAL + "AbstractProducer", "isClosed")
                .becomes(new Constant(0));
        junit(
                        "shedding-waits-in-vain",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.SheddingTest#aWaitForAnOpenClaimOfItsOwnIsRefusedBeforeAnythingIsDropped")
                .at(RING + "OldestDropper", "makeRoom")
                .call(RING_INTERNAL + "AbstractProducer", "checkNotInVain")
                .becomes(new Nothing());
        junit(
                        "shed-not-told",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.SheddingTest#eachEventIsHandledOrShedOnceByEachConsumer")
                .at(PIPELINE + "AbstractLoop", "shed")
                .call(RING_INTERNAL + "ShedHandler", "onShed")
                .becomes(new Nothing());
        junit(
                        "shedding-beyond-available",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.SheddingTest#whoFollowsDropsWhatItsUpstreamHasDropped")
                .at(PIPELINE + "AbstractLoop", "dropLimit")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
    }

    private void clearing() {
        jcstress("clearing-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.ClearAgainstReuseTest")
                .at(PIPELINE + "EventLoop", "batch")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        junit(
                        "clearing-follows-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ClearingTest#aPayloadIsUnreachableAfterItsLastConsumer")
                .at(PIPELINE + "PipelineThreads", "followLeaves")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "follow")
                .becomes(new Nothing());
        junit(
                        "clearing-ahead-of-handlers",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.ClearingTest#nobodySeesAnEmptyEventAndNoClaimAFullOne")
                .at(PIPELINE + "PipelineThreads", "followLeaves")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "follow")
                .becomes(new Nothing());
        junit(
                        "clearing-misses-joiners",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ClearingTest#itFollowsWhoJoinsAndWhoIsLeft")
                .at(PIPELINE + "ConsumerMembership", "withClearing")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
    }

    private void losses() {
        junit(
                        "tracked-claim-behind-an-abort-lost",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.ClaimBehindAnAbortTest#aClaimBehindTheOneThatIsBeingAbortedIsItsOwnersStill")
                .at(RING + "TrackedSingleProducer", "slot")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        junit(
                        "tracked-ended-producer-kept",
                        Kind.STEP_REMOVED,
                        "ringbuffer.EndedProducersTest#endedProducersWhoseClaimsWereAbortedInTheirSteadAreForgotten")
                .at(RING + "TrackedMultiProducer", "openClaimCount")
                .call(RING_INTERNAL + "TrackedMultiProducer", "learnOfLosses")
                .becomes(new Nothing());
    }

    /** The end of the stack cuts a publication off behind its release: the next thread sends the signal that it owes. */
    private void owedSignals() {
        leftToNobody("wait-for-room", "AbstractProducer", "waitForRoom", "WakeUps", "settle");
        leftToNobody("leftover", "ObjectRing", "leftover", "WakeUps", "settle");
        leftToNobody("close", "AbstractProducer", "markClosed", "WakeUps", "settle");
        leftToNobody("refusal", "AbstractProducer", "badRange", "AbstractProducer", "settleWakeUp");
        leftToNobody("drop", "OldestDropper", "makeRoom", "WakeUps", "settle");
        leftToNobody("await", "pipeline.Pipeline", "awaitFinished", "FollowedRing", "settleWakeUps");
        for (String wait :
                new String[] {"HeldConsumers hold", "ConsumerMembership remove", "PipelineThreads awaitEnd"}) {
            String method = wait.substring(wait.indexOf(' ') + 1);
            junit("owed-wake-up-not-sent-by-" + method.toLowerCase(Locale.ROOT), Kind.STEP_REMOVED, OWED_WAKE_UPS)
                    .at(PIPELINE + wait.substring(0, wait.indexOf(' ')), method)
                    .call(RING_INTERNAL + "FollowedRing", "settleWakeUps")
                    .becomes(new Nothing());
        }
        junit("failure-cut-off-for-good", Kind.STEP_REMOVED, "ringbuffer.CutOffFailureTest#theNextCallEndsTheClaims")
                .at(RING + "ObjectRing", "fail")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        cutOffFollowers("loop-signal", "AbstractLoop", "canRun", "AbstractLoop", "settle", 1);
        cutOffFollowers("poller-signal", "EventPoller", "available", "EventPoller", "settle", 1);
        cutOffFollowers("loop-end", "LoopFailures", "failRing", "LoopFailures", "end", 1);
        cutOffFollowers("poller-end", "EventPoller", "available", "EventPoller", "end", 2);
        notOwed("single", "SingleProducer", 1);
        notOwed("multi", "MultiProducer", 2);
        notOwed("tracked-single", "TrackedSingleProducer", 3);
        notOwed("tracked-multi", "TrackedMultiProducer", 1);
    }

    private void cutOffFollowers(String what, String owner, String method, String calls, String called, int times) {
        junit(what + "-cut-off-for-good", Kind.STEP_REMOVED, "ringbuffer.pipeline.CutOffFollowersTest")
                .at(PIPELINE + owner, method)
                .call(PIPELINE_INTERNAL + calls, called)
                .number(1, times)
                .becomes(new Nothing());
    }

    private void leftToNobody(String where, String owner, String method, String calls, String called) {
        junit("owed-signal-not-sent-by-" + where, Kind.STEP_REMOVED, CUT_OFF_WAKE_UPS)
                .at(RING + owner, method)
                .call(RING_INTERNAL + calls, called)
                .becomes(new Nothing());
    }

    /** The last 1 that a publication stores, into the mark, is a zero. */
    private void notOwed(String ring, String owner, int ones) {
        junit("signal-not-owed-" + ring, Kind.STEP_REMOVED, CUT_OFF_WAKE_UPS)
                .at(RING + owner, "publishClaimed")
                .plain(Opcodes.ICONST_1)
                .number(ones, ones)
                .becomes(new OpcodeInstead(Opcodes.ICONST_0));
    }

    private void pastRequests() {
        junit(
                        "shedding-past-request-heeded-by-a-joiner",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RequestsToDropTest#whoJoinsBehindAPastRequestHandlesWhatTheRingRetains")
                .at(PIPELINE + "ConsumerNode", "barrier")
                .call("java/util/List", "isEmpty")
                .becomes(new Constant(0));
        junit(
                        "shedding-past-request-unheard-behind-others",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RequestsToDropTest#whoJoinsBehindAConsumerDropsWhatThatOneHasDropped")
                .at(PIPELINE + "ConsumerNode", "barrier")
                .call("java/util/List", "isEmpty")
                .becomes(new Constant(1));
    }
}
