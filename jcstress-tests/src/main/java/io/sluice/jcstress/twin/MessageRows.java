package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import io.sluice.jcstress.twin.Change.ThenProgress;
import java.util.Locale;
import org.objectweb.asm.Opcodes;

/** The rows that break rings of messages, where they have code of their own. */
final class MessageRows extends Rows {
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String TEST = "ringbuffer.pipeline.MessageRingTest#";
    private static final String MODEL = "ringbuffer.pipeline.MessageModelTest#everyCaseFollowsTheModel";

    private static final String CLAIMS = "ringbuffer.pipeline.MessageClaimMeetingsTest#";

    private static final String STAMPS = "ringbuffer.MessageStampsTest#";

    /** The static one of two methods. */
    private static final String LIVE = "live(Lio/sluice/ringbuffer/Messages;Lio/sluice/ringbuffer/SlotMarks;JJ)J";

    private static final String FINISHES = "ringbuffer.pipeline.MessageFinishTest#";

    private static final String SHEDDING = "ringbuffer.pipeline.MessageSheddingTest#";

    private static final String MEETINGS = "ringbuffer.pipeline.MessageMeetingFeaturesTest#";

    MessageRows() {
        publications();
        claims();
        loops();
        meetings();
        wakes();
        keysAndFinishes();
        drops();
    }

    private void publications() {
        for (int nth = 1; nth <= 3; nth++) {
            junit(
                            "message-stamps-inner-" + nth,
                            Kind.STEP_REMOVED,
                            STAMPS + "aPublicationStampsAllItsSequencesAndNoOther")
                    .at(RING + "MessageStamps", "stampAll")
                    .call(RING_INTERNAL + "MessageStamps", "fill")
                    .number(nth, 3)
                    .becomes(new Nothing());
        }
        junit(
                        "message-stamp-of-old",
                        Kind.RECHECK_REMOVED,
                        STAMPS + "aSequenceStaysPublishedHoweverManyLapsAreClaimedBehindIt")
                .at(RING + "MessageStamps", "isStamped")
                .call(RING_INTERNAL + "MessageStamps", "isClaimedAgain")
                .becomes(new Constant(0));
        pinned("message-stamp-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "MessageStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("message-stamp-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "MessageStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("message-stamp-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "MessageStamps", "isFirst")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        pinned("message-stamp-acquire-opaque", Kind.TO_OPAQUE)
                .at(RING + "MessageStamps", "isFirst")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("message-run-fence", Kind.FENCE_REMOVED)
                .at(RING + "MessageStamps", "available")
                .call(HANDLE, "acquireFence")
                .becomes(new Nothing());
        junit("message-run-beyond", Kind.OFF_BY_ONE, STAMPS + "aConsumerSeesAllUpToTheFirstOpenClaimAndNoFurther")
                .at(RING + "MessageStamps", "available")
                .call("java/lang/Long", "numberOfTrailingZeros")
                .becomes(new Constant(56));
        pinned("message-walk-fence", Kind.FENCE_REMOVED)
                .at(RING + "ObjectRing", "behind")
                .call(HANDLE, "acquireFence")
                .becomes(new Nothing());
        jcstress("message-early", Kind.PUBLISHED_EARLY, "ringbuffer.MessagePublicationTest.Multi")
                .at(RING + "MessageProducer", "publishCopy")
                .call(RING_INTERNAL + "MessageProducer", "copy")
                .becomes(new AtReturn());
        junit(
                        "message-publish-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.MessageThreadsTest#aParkedConsumerIsWoken")
                .at(RING + "MessageMultiProducer", "publishClaimed")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
    }

    private void claims() {
        jcstress("message-claim-cas", Kind.CAS_TO_SET, "ringbuffer.MessageClaimTest")
                .at(RING + "MessageMultiProducer", "claimFast")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("message-commit-cas", Kind.CAS_TO_SET, "ringbuffer.MessageAbortForOwnerTest.Multi")
                .at(RING + "OpenMessage", "takeIfOpen")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("message-claim-room", Kind.GATE_IGNORED, "ringbuffer.MessageWrapTest.Multi")
                .at(RING + "MessageMultiProducer", "claimFast")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        for (String kind : new String[] {"Single", "Multi"}) {
            String name = kind.toLowerCase(Locale.ROOT);
            jcstress("message-padding-unwritten-" + name, Kind.STEP_REMOVED, "ringbuffer.MessageWrapTest." + kind)
                    .at(RING + "Message" + kind + "Producer", "begun")
                    .call(RING_INTERNAL + "Messages", "pad")
                    .becomes(new Nothing());
            jcstress("message-abort-unpadded-" + name, Kind.STEP_REMOVED, "ringbuffer.MessageAbortTest." + kind)
                    .at(RING + "Message" + kind + "Producer", "abortClaimed")
                    .call(RING_INTERNAL + "Messages", "pad")
                    .becomes(new Nothing());
        }
        junit("message-crosses-the-end", Kind.OFF_BY_ONE, TEST + "aMessageThatWouldCrossTheEndBeginsAtTheStart")
                .at(RING + "Messages", "padding")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
        junit(
                        "message-walk-over-payload",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.MessageLooksTest#whatConsumersPassMeanwhileIsNotCounted")
                .at(RING + "ObjectRing", "behind")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit(
                        "message-aborted-by-another",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MessageContractTest#anotherThreadIsRefused")
                .at(RING + "MessageProducer", "abort")
                .call(RING_INTERNAL + "MessageClaims", "ownedByCaller")
                .becomes(new Constant(1));
        junit("message-second-claim-taken", Kind.RECHECK_REMOVED, TEST + "badInputIsNamedAndClaimsNothing")
                .at(RING + "MessageMultiProducer", "blockFast")
                .call(RING_INTERNAL + "MessageMultiProducer", "checkNoOpenClaim")
                .becomes(new Nothing());
        junit(
                        "message-failed-copy-stays-open",
                        Kind.STEP_REMOVED,
                        TEST + "aBufferThatFailsWhileItIsCopiedLeavesNothingOpen")
                .at(RING + "MessageProducer", "copy")
                .call(RING_INTERNAL + "MessageClaims", "abortCopied")
                .becomes(new Nothing());
    }

    private void loops() {
        jcstress("message-shedding-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.MessageShedTest.Single")
                .at(PIPELINE + "MessageLoop", "handle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .number(1, 2)
                .becomes(new ThenProgress());
        jcstress("message-poller-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.MessageWrapTest.Single")
                .at(PIPELINE + "EventPoller", "deliverMessages")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        junit("message-padding-delivered", Kind.WRONG_BRANCH, MODEL)
                .at(PIPELINE + "MessageLoop", LIVE)
                .call(RING_INTERNAL + "Messages", "type")
                .becomes(new Constant(1));
        junit("message-commit-unseen", Kind.STEP_REMOVED, TEST + "whatWasCommittedIsSeenWithinTheBatch")
                .at(PIPELINE + "MessageLoop", "handle")
                .call(PIPELINE_INTERNAL + "MessageLoop", "publishProgress")
                .becomes(new Nothing());
        junit("message-abort-not-soon-again", Kind.STEP_REMOVED, TEST + "aControlledHandlerSaysHowToGoOn")
                .at(PIPELINE + "MessageLoop", "batch")
                .call(PIPELINE_INTERNAL + "MessageLoop", "tryAgainSoon")
                .becomes(new Nothing());
    }

    /** Where two features meet. */
    private void meetings() {
        for (String kind : new String[] {"Single", "Multi"}) {
            junit(
                            "message-old-report-aborts-" + kind.toLowerCase(Locale.ROOT),
                            Kind.RECHECK_REMOVED,
                            MEETINGS + "anOldReportAbortsNoLaterClaim")
                    .at(RING + "Message" + kind + "Producer", "abortForOwner")
                    .jump(Opcodes.IFGT)
                    .becomes(new NeverJump());
        }
        junit(
                        "message-refused-claim-taken",
                        Kind.RECHECK_REMOVED,
                        MEETINGS + "whatARefusedClaimReturnedIsNeitherCommittedNorAborted")
                .at(RING + "OpenMessage", "takeIfOpen")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit(
                        "message-report-of-two-owners",
                        Kind.RECHECK_REMOVED,
                        MEETINGS + "aReportNamesTheClaimOfOneOwnerAndNotTheNeighboursToo")
                .at(RING + "MessageMultiRing", "isOpenClaimOf")
                .call(RING_INTERNAL + "MultiProducer", "seemsToHold")
                .becomes(new Constant(1));
        for (String kind : new String[] {"Single", "Multi"}) {
            junit(
                            "message-closed-claim-committed-" + kind.toLowerCase(Locale.ROOT),
                            Kind.STEP_REMOVED,
                            "ringbuffer.AbandonedClaimTest#aProducerOfMessagesThatWasClosedInItsOwnersSteadHoldsNoClaim")
                    .at(RING + "Message" + kind + "Producer", "close")
                    .call(RING_INTERNAL + "OpenMessage", "forget")
                    .becomes(new Nothing());
        }
        junit(
                        "message-failed-commit-stays-taken",
                        Kind.STEP_REMOVED,
                        CLAIMS + "aMessageWhoseCommitFailedCanBeAbortedInItsOwnersStead")
                .at(RING + "MessageProducer", "commit")
                .call(RING_INTERNAL + "OpenMessage", "opened")
                .becomes(new Nothing());
        for (String form : new String[] {"offerParts", "offerAll"}) {
            for (int nth = 1; nth <= 2; nth++) {
                junit(
                                "message-changed-" + form.toLowerCase(Locale.ROOT) + (nth == 1 ? "-grows" : "-shrinks"),
                                Kind.RECHECK_REMOVED,
                                CLAIMS + "aBufferWhoseCapacityChangesWhileItIsOfferedPublishesNothing")
                        .at(RING + "MessageProducer", form)
                        .call(RING_INTERNAL + "MessageProducer", "checkFits")
                        .number(nth, 2)
                        .becomes(new Nothing());
            }
        }
        junit(
                        "message-wait-of-few",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MessageWaitTest#aBatchCountsByItsLengthUnlessItIsSmall")
                .at(PIPELINE + "MessageLoop", "weight")
                .jump(Opcodes.IF_ICMPLT)
                .becomes(new NeverJump());
        junit(
                        "message-wait-of-empty",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MessageWaitTest#aBatchCountsByItsLengthUnlessItIsSmall")
                .at(PIPELINE + "MessageLoop", "weight")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit(
                        "message-walk-stands-still",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.MessageLooksTest#aGateWithinARecordLetsNoLookGoOnForEver")
                .at(RING + "ObjectRing", "behind")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit("message-one-time-out-batch", Kind.STEP_REMOVED, MEETINGS + "aTimeOutComesOnceInEachIdleTime")
                .at(PIPELINE + "MessageLoop", "batch")
                .call(PIPELINE_INTERNAL + "MessageLoop", "onBatchDone")
                .becomes(new Nothing());
        junit(
                        "message-attempts-kept-by-abort",
                        Kind.STEP_REMOVED,
                        MEETINGS + "aFailureThatIsOverDoesNotCountForTheNextBatchThoughItsMessageWasNotTaken")
                .at(PIPELINE + "MessageLoop", "batch")
                .call(PIPELINE_INTERNAL + "MessageLoop", "forgetAttemptsBut")
                .becomes(new Nothing());
        junit("message-one-time-out-handleone", Kind.STEP_REMOVED, MEETINGS + "aTimeOutComesOnceInEachIdleTime")
                .at(PIPELINE + "AbstractLoop", "finishShared")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "onBatchDone")
                .becomes(new Nothing());
        junit(
                        "message-worker-looks-beyond",
                        Kind.RECHECK_REMOVED,
                        MEETINGS + "aWorkerThatFollowsThePublicationsLooksAtOneMessageAtATime")
                .at(PIPELINE + "ConsumerNode", "barrier")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit(
                        "message-rewind-of-nothing-begins-a-batch",
                        Kind.WRONG_BRANCH,
                        TEST + "aRewindBehindTheCommitOfAllMessagesBeginsNoBatch")
                .at(PIPELINE + "MessageLoop", "handle")
                .jump(Opcodes.IFGT)
                .number(2, 2)
                .becomes(new NeverJump());
        junit("message-worker-rests-never", Kind.RECHECK_REMOVED, MEETINGS + "aWorkerPausesBetweenTwoMessages")
                .at(PIPELINE + "MessageLoop", "share")
                .call(PIPELINE_INTERNAL + "MessageLoop", "canRun")
                .becomes(new Constant(1));
    }

    /** Waiting threads that are not woken. */
    private void wakes() {
        for (String kind : new String[] {"Single", "Multi"}) {
            junit(
                            "message-abort-wakes-nobody-" + kind.toLowerCase(Locale.ROOT),
                            Kind.STEP_REMOVED,
                            MEETINGS + "anAbortInTheOwnersSteadWakesWhoIsParked")
                    .at(RING + "Message" + kind + "Producer", "padLost")
                    .call(RING_INTERNAL + "WakeUps", "signal")
                    .becomes(new Nothing());
        }
        junit(
                        "message-worker-wakes-nobody",
                        Kind.STEP_REMOVED,
                        MEETINGS + "whoFollowsWorkersIsWokenByTheWorkerThatMovesTheStage")
                .at(PIPELINE + "AbstractLoop", "finishShared")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit("message-commit-wakes-nobody", Kind.STEP_REMOVED, MEETINGS + "aCommitWithinABatchWakesWhoFollows")
                .at(PIPELINE + "MessageLoop", "publishProgress")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit("message-joiner-unwoken", Kind.STEP_REMOVED, MEETINGS + "whoJoinsBehindAConsumerIsWokenByIt")
                .at(PIPELINE + "AbstractLoop", "settle")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "takeSettings")
                .becomes(new Nothing());
    }

    private void keysAndFinishes() {
        junit(
                        "message-key-that-failed-not-asked-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.MessagePartitionTest#whatTheKeyThrowsGoesToThePolicyWithItsMessage")
                .at(PIPELINE + "MessageLoop", "readKeys")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new NeverJump());
        junit(
                        "message-keys-beyond-their-record",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.MessagePartitionTest#aBatchOfShortMessagesIsNoLongerThanItsKeysAreKept")
                .at(PIPELINE + "MessageLoop", "longestBatch")
                .jump(Opcodes.IFNONNULL)
                .becomes(new NeverJump());
        junit("message-finished-delivered", Kind.RECHECK_REMOVED, FINISHES + "noFollowerOfAnyKindGetsWhatIsFinished")
                .at(PIPELINE + "MessageLoop", LIVE)
                .call(RING_INTERNAL + "SlotMarks", "isSkipped")
                .becomes(new Constant(0));
        junit("message-finished-polled", Kind.RECHECK_REMOVED, FINISHES + "theLastMessageThatIsNotFinishedEndsTheBatch")
                .at(PIPELINE + "EventPoller", "deliverMessages")
                .call(RING_INTERNAL + "SlotMarks", "anyFrom")
                .becomes(new Constant(0));
        junit(
                        "message-finished-within-a-record",
                        Kind.RECHECK_REMOVED,
                        FINISHES + "aSequenceAtWhichNoMessageOfTheBatchBeginsIsRefused")
                .at(PIPELINE + "ConsumerNode", "finish")
                .call(PIPELINE_INTERNAL + "MessageRingRules", "checkBegins")
                .becomes(new Nothing());
    }

    private void drops() {
        junit(
                        "message-request-without-padding",
                        Kind.OFF_BY_ONE,
                        SHEDDING + "aConsumerDropsTheRecordsThatAPublisherNeedsTheRoomOf")
                .at(RING + "OldestDropper", "makeRoom")
                .jump(Opcodes.IFNONNULL)
                .becomes(new NeverJump());
        junit(
                        "message-lost-room-counts-as-refusal",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.MessageDropWaitTest#whoLosesTheRoomToOthersAgainAndAgainWaitsNoLongerThanItsTime")
                .at(RING + "DroppingMessageProducer$Oldest", "offer")
                .call(RING_INTERNAL + "MessageProducer", "offerIfRoom")
                .number(2, 2)
                .becomes(new CallInstead("offer"));
        junit(
                        "message-shed-by-a-poller-not-told",
                        Kind.STEP_REMOVED,
                        SHEDDING + "overManyLapsEachConsumerHandlesOrDropsEachMessageOnce")
                .at(PIPELINE + "EventPoller", "deliverMessages")
                .call(RING_INTERNAL + "ShedHandler", "onShed")
                .becomes(new Nothing());
        junit(
                        "message-worker-drops-beyond-its-record",
                        Kind.RECHECK_REMOVED,
                        SHEDDING + "whatAConsumerDropsItMayFinishForThoseBehindIt")
                .at(PIPELINE + "MessageLoop", "handleUnusual")
                .jump(Opcodes.IFNONNULL)
                .number(2, 2)
                .becomes(new NeverJump());
        junit(
                        "message-drop-beyond-the-keys",
                        Kind.GATE_IGNORED,
                        SHEDDING + "aDropIsNotCutAtTheLimitOfABatchUnlessKeysAreToBeKept")
                .at(PIPELINE + "MessageLoop", "handleUnusual")
                .jump(Opcodes.IFNONNULL)
                .number(1, 2)
                .becomes(new NeverJump());
        junit(
                        "message-drop-puts-owed-time-out-off",
                        Kind.STEP_REMOVED,
                        SHEDDING + "batchesThatAreDroppedPutOffNothingThatAHandlerOwes")
                .at(PIPELINE + "MessageLoop", "handleUnusual")
                .call(PIPELINE_INTERNAL + "MessageLoop", "passesOver")
                .becomes(new Constant(1));
        junit(
                        "message-cut-by-a-past-request",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MessageBatchCutTest#aBatchEndsBeforeTheNextMessageThatIsToBeDropped")
                .at(PIPELINE + "MessageLoop", "handle")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit(
                        "message-behind-the-cut-finished",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.MessageBatchCutTest#nothingBehindTheCutCanBeFinished")
                .at(PIPELINE + "MessageLoop", "handle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .number(2, 2)
                .becomes(new Nothing());
    }
}
