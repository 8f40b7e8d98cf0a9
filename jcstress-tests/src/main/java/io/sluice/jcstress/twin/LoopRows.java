package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.SecondArgument;
import java.util.List;
import org.objectweb.asm.Opcodes;

/** The rows that break the one event loop, its failures, the start and end of consumers, and the watchdog. */
final class LoopRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String WATCHDOG = "io.sluice.ringbuffer.monitor.Watchdog";
    private static final String IDLE_TIME_TEST = "ringbuffer.pipeline.IdleTimeTest#";
    private static final String HOLD_TEST = "aJoinPutsOffNoTimeOutAndTheThreadNeedNotComeBackMeanwhile";
    private static final String POLICY_TEST = "ringbuffer.pipeline.FailurePolicyTest#";
    private static final String WATCHDOG_TEST = "ringbuffer.monitor.WatchdogTest#";

    LoopRows() {
        loop();
        timeouts();
        failedTimeouts();
        keys();
        failures();
        comingAndGoing();
        ends();
        watchdog();
    }

    private void loop() {
        junit(
                        "extended-beyond-its-limit",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.pipeline.ExtendedBatchTest#aBatchEndsWhenThereIsNoMore")
                .at(PIPELINE + "EventLoop", "extended")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        junit(
                        "extended-beyond-what-may-be-finished",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ExtendedBatchTest#anEventByWhichTheBatchHasGrownMayBeFinishedAndIsProgress")
                .at(PIPELINE + "EventLoop", "extended")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new Nothing());
        junit("worker-rewinds", Kind.WRONG_BRANCH, "ringbuffer.pipeline.WorkerPoolTest")
                .at(PIPELINE + "LoopFailures", "permitted")
                .jump(Opcodes.IFNONNULL)
                .becomes(new NeverJump());
        junit(
                        "clearer-rewinds",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ClearingTest#aClearerThatIsToRewindTriesItsEventAgain")
                .at(PIPELINE + "EventLoop", "permitted")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("idle-time-goes-on-over-a-pause", Kind.STEP_REMOVED, IDLE_TIME_TEST + "theTimeBeginsAgainBehindAPause")
                .at(PIPELINE + "AbstractLoop", "park")
                .plain(Opcodes.ICONST_0)
                .number(2, 3)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "back-off-not-switched-off",
                        Kind.WRONG_BRANCH,
                        "core.PollBackOffTest#aRunnerWithoutBackOffAsksNoAgentHowLongToWait")
                .at("io.sluice.core.Runner", "single")
                .jump(Opcodes.IFNONNULL)
                .becomes(new AlwaysJump());
    }

    private void timeouts() {
        junit("paused-handler-not-asked", Kind.STEP_REMOVED, IDLE_TIME_TEST + "noPausePutsOffWhatAHandlerOwes")
                .at(PIPELINE + "AbstractLoop", "park")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "checkHandlerDeadline")
                .becomes(new Nothing());
        junit("paused-handler-asked-each-time", Kind.WRONG_BRANCH, IDLE_TIME_TEST + "noPausePutsOffWhatAHandlerOwes")
                .at(PIPELINE + "LoopTimeouts", "askHandler")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "message-abort-without-time-outs",
                        Kind.STEP_REMOVED,
                        IDLE_TIME_TEST + "whatAHandlerOwesComesInTimeWhileItTakesNoMessage")
                .at(PIPELINE + "MessageLoop", "batch")
                .call(PIPELINE_INTERNAL + "MessageLoop", "checkHandlerDeadline")
                .becomes(new Nothing());
        junit(
                        "undone-due-behind-another",
                        Kind.STEP_REMOVED,
                        IDLE_TIME_TEST + "whatAHandlerHasLeftUndoneIsNotDueOnceItsConsumerIsPutBehindAnotherOne")
                .at(PIPELINE + "AbstractLoop", "onEmptyPoll")
                .plain(Opcodes.ICONST_0)
                .number(1, 2)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "failed-ring-without-time-outs",
                        Kind.WRONG_BRANCH,
                        IDLE_TIME_TEST + "aTimeOutComesOnARingThatHasFailedToo")
                .at(PIPELINE + "AbstractLoop", "onEmptyPoll")
                .jump(Opcodes.IFEQ)
                .number(1, 3)
                .becomes(new NeverJump())
                .jump(Opcodes.IFGE)
                .number(1, 1)
                .becomes(new AlwaysJump());
        junit(
                        "handlers-time-out-parked-over",
                        Kind.WRONG_BRANCH,
                        IDLE_TIME_TEST + "aThreadComesBackForTheEarlierOfItsTwoTimeOuts")
                .at(PIPELINE + "LoopTimeouts", "deadline")
                .jump(Opcodes.IFGE)
                .number(1, 2)
                .becomes(new AlwaysJump());
        junit(
                        "consumers-time-out-parked-over",
                        Kind.WRONG_BRANCH,
                        IDLE_TIME_TEST + "aThreadComesBackForTheEarlierOfItsTwoTimeOuts")
                .at(PIPELINE + "LoopTimeouts", "deadline")
                .jump(Opcodes.IFGE)
                .number(1, 2)
                .becomes(new NeverJump());
        junit("join-puts-time-out-off", Kind.WRONG_BRANCH, IDLE_TIME_TEST + HOLD_TEST)
                .at(PIPELINE + "AbstractLoop", "park")
                .jump(Opcodes.IF_ICMPEQ)
                .becomes(new NeverJump());
        junit("held-consumer-comes-back", Kind.WRONG_BRANCH, IDLE_TIME_TEST + HOLD_TEST)
                .at(PIPELINE + "LoopTimeouts", "deadline")
                .jump(Opcodes.IFEQ)
                .number(1, 6)
                .becomes(new AlwaysJump());
        junit(
                        "others-events-put-owed-time-out-off",
                        Kind.WRONG_BRANCH,
                        IDLE_TIME_TEST + "batchesOfWhichAHandlerGetsNothingPutOffNothingThatItOwes")
                .at(PIPELINE + "AbstractLoop", "onBatchDone")
                .plain(Opcodes.IAND)
                .becomes(new OpcodeInstead(Opcodes.IXOR));
        junit(
                        "aborted-messages-put-owed-time-out-off",
                        Kind.WRONG_BRANCH,
                        IDLE_TIME_TEST + "messagesThatWereAbortedPutOffNothingThatAHandlerOwes")
                .at(PIPELINE + "AbstractLoop", "onBatchDone")
                .plain(Opcodes.IAND)
                .becomes(new OpcodeInstead(Opcodes.IXOR));
    }

    private void failedTimeouts() {
        junit(
                        "time-out-attempts-not-counted",
                        Kind.STEP_REMOVED,
                        POLICY_TEST + "aTimeOutThatAlwaysFailsIsTriedAsOftenAsThePolicySaysAndThenHalts")
                .at(PIPELINE + "LoopFailures", "decideIdle")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit(
                        "time-out-attempts-kept-behind-a-return",
                        Kind.STEP_REMOVED,
                        POLICY_TEST + "theAttemptsOfATimeOutStartAgainOnceItReturnsAndWithProgress")
                .at(PIPELINE + "LoopFailures", "idleCallReturned")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        for (String test : List.of(
                "aTimeOutThatFailsIsToldAgainUnlessItIsSkipped",
                "aQuestionAboutATimeOutThatFailsIsAskedAgainUnlessItIsSkipped")) {
            junit(
                            "retry-acts-as-skip-" + (test.startsWith("aTimeOut") ? "time-out" : "question"),
                            Kind.WRONG_BRANCH,
                            POLICY_TEST + test)
                    .at(PIPELINE + "LoopFailures", "decideIdle")
                    .jump(Opcodes.IF_ACMPEQ)
                    .becomes(new AlwaysJump());
        }
    }

    private void keys() {
        junit("own-event-passed-over-on-the-way-back", Kind.WRONG_BRANCH, "ringbuffer.pipeline.PartitionTest")
                .at(PIPELINE + "PartitionEvents", "next")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit(
                        "own-event-of-another-part",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.PartitionTest#eachHandlerGetsItsKeysInOrder")
                .at(PIPELINE + "PartitionEvents", "note")
                .jump(Opcodes.IFEQ)
                .becomes(new NeverJump());
        junit(
                        "key-that-failed-not-asked-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.PartitionTest#whatTheKeyFunctionThrowsGoesToThePolicyWithItsEvent")
                .at(PIPELINE + "EventLoop", "readKeys")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new NeverJump());
    }

    private void failures() {
        junit(
                        "halt-in-a-time-out-goes-on",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FailurePolicyTest#aFailureInATimeOutGoesToThePolicy")
                .at(PIPELINE + "LoopFailures", "decideIdle")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new AlwaysJump());
        junit(
                        "attempts-kept-behind-their-batch",
                        Kind.STEP_REMOVED,
                        POLICY_TEST + "whatFailedAtTheEndOfABatchIsNoAttemptOfTheNextOne")
                .at(PIPELINE + "AbstractLoop", "onBatchDone")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "forgetAttempts")
                .becomes(new Nothing());
        junit(
                        "leaver-ends-and-stays",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RemovalTest#oneThatLeavesWhileItsEventFailsGivesTheEventUp")
                .at(PIPELINE + "LoopFailures", "failed")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isHalted")
                .becomes(new Constant(1));
    }

    private void comingAndGoing() {
        junit(
                        "dead-leaver-stays",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.RemovalTest#oneWhoseThreadHasEndedLeavesWithTheChangeThatItsRemovalMet")
                .at(PIPELINE + "ConsumerControl", "isLeftBehind")
                .call(PIPELINE_INTERNAL + "ConsumerControl", "isAtRest")
                .becomes(new Constant(0));
        junit(
                        "dead-leaver-holds-a-producer-up",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.RemovalTest#oneWhoseThreadEndsBehindAPutOffRemovalIsTakenOutForAProducerThatWaits")
                .at(PIPELINE + "PipelineConsumers", "takeOutIfRefused")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isLeftBehind")
                .becomes(new Constant(0));
        junit(
                        "join-settings-not-looked-at-again",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.BadInputTest#whatIsSetOnlyBehindJoin")
                .at(PIPELINE + "Join", "join")
                .call(PIPELINE_INTERNAL + "Join", "checkMayJoin")
                .becomes(new Nothing());
        junit(
                        "monitor-keeps-leavers",
                        Kind.STEP_REMOVED,
                        "ringbuffer.monitor.RingMonitorTest#aMonitorKeepsNoConsumerThatHasLeft")
                .at("io.sluice.ringbuffer.monitor.RingMonitor", "sample")
                .call("java/util/Arrays", "fill")
                .becomes(new Nothing());
        junit(
                        "join-now-as-any",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.JoinLeaveTest#aJoinerFromNowGetsNothingThatIsPublishedAlready")
                .at(PIPELINE + "ConsumerMembership", "join")
                .jump(Opcodes.IFNE)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit(
                        "removal-said-too-soon",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.JoinLeaveTest#aConsumerInsideItsHandlerFinishesItsBatchAndLeaves")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "hasLeft")
                .number(4, 4)
                .becomes(new Constant(1));
        junit(
                        "removal-never-said-to-be-later",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.RemovalTest#oneThatIsInsideItsHandlerWhenTheRingClosesNeverLeaves")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .jump(Opcodes.IF_ACMPNE)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit(
                        "removal-awaits-itself",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.RemovalTest#oneThatLeavesWhileItsEventFailsGivesTheEventUp")
                .at(PIPELINE + "ConsumerMembership", "remove")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isInOwnHandler")
                .becomes(new Constant(0));
    }

    private void ends() {
        junit("close-limit-ignored", Kind.STEP_REMOVED, "ringbuffer.EndsTest")
                .at(RING + "ObjectRing", "close")
                .call("io/sluice/core/check/Check", "nanos")
                .becomes(new Constant(0));
        junit(
                        "close-limit-endless",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FailureReportTest#closeNamesAHandlerThatDoesNotReturn")
                .at(PIPELINE + "PipelineThreads", "awaitEnd")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit(
                        "close-handler-that-runs-forgotten",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.FailureReportTest#closeReportsAHandlerThatIsAllThatIsLeft")
                .at(RING + "Ring$Leftover", "isNone")
                .call("java/util/List", "isEmpty")
                .becomes(new Constant(1));
    }

    private void watchdog() {
        junit(
                        "dump-says-that-all-have-stood",
                        Kind.WRONG_BRANCH,
                        WATCHDOG_TEST + "aDumpDoesNotSayOfAConsumerThatMovesThatItHasStoodStill")
                .at("io.sluice.ringbuffer.monitor.RingMonitor", "stoodSince")
                .jump(Opcodes.IFNE)
                .number(1, 2)
                .becomes(new NeverJump());
        junit("watchdog-impatient", Kind.WRONG_BRANCH, WATCHDOG_TEST + "aStandstillIsSaidOnceAndAgainAfterProgress")
                .at(WATCHDOG, "look")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit(
                        "watchdog-repeats-itself",
                        Kind.WRONG_BRANCH,
                        WATCHDOG_TEST + "aStandstillIsSaidOnceAndAgainAfterProgress")
                .at(WATCHDOG, "look")
                .jump(Opcodes.IFNE)
                .number(2, 2)
                .becomes(new NeverJump());
        junit(
                        "watchdog-misses-progress",
                        Kind.WRONG_BRANCH,
                        WATCHDOG_TEST + "aSlowRingDoesNotStandStillButOneOfWhichOneConsumerStandsDoes")
                .at(WATCHDOG, "look")
                .jump(Opcodes.IFEQ)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit("watchdog-misses-rest", Kind.WRONG_BRANCH, WATCHDOG_TEST + "aRingWithoutWorkDoesNotStandStill")
                .at(WATCHDOG, "look")
                .jump(Opcodes.IFGT)
                .becomes(new AlwaysJump());
        junit(
                        "watchdog-misses-waiting-producers",
                        Kind.GATE_IGNORED,
                        WATCHDOG_TEST + "aProducerThatWaitsBehindAnOpenClaimIsWork")
                .at(WATCHDOG, "see")
                .call("io/sluice/ringbuffer/ProducerCounters", "isWaiting")
                .becomes(new Constant(0));
        junit(
                        "watchdog-beside-another",
                        Kind.STEP_REMOVED,
                        WATCHDOG_TEST + "aRingHasOneWatchdogAndItsThreadEndsWithTheLast")
                .at(WATCHDOG, "start")
                .call("java/util/List", "forEach")
                .becomes(new Nothing());
        junit(
                        "watchdog-outlives-its-ring",
                        Kind.REFERENCE_KEPT,
                        WATCHDOG_TEST + "aSecondRingOfOneNameHasANumberAndTheEndTakesTheBeans")
                .at(WATCHDOG, "watch")
                .call("io/sluice/ringbuffer/monitor/Watchdog", "close")
                .becomes(new Nothing());
        junit(
                        "watchdog-says-each-look-that-failed",
                        Kind.WRONG_BRANCH,
                        WATCHDOG_TEST + "aRingThatFailsToBeLookedAtDoesNotKeepOthersFromBeingWatched")
                .at(WATCHDOG, "lookOrSay")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
    }
}
