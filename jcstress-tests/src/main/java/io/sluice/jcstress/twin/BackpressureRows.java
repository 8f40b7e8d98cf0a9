package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** The rows that break the module backpressure. */
final class BackpressureRows extends Rows {
    private static final String LIMITER = "io.sluice.backpressure.rate.MultiWriterLimiter";
    private static final String COUNT = "io.sluice.backpressure.rate.TakenAndStock";
    private static final String CHANGES = "LimiterLincheckTest#changesOfRateLoseAndGiveNothing";
    private static final String CONTROLLER = "io.sluice.backpressure.nak.NakController";
    private static final String FINDER = "io.sluice.backpressure.nak.RateFinder";
    private static final String FILTER = "io.sluice.backpressure.nak.NakFilter";
    private static final String NAKS = "backpressure.nak.NakControllerTest#";
    private static final String SUPPRESSION = "io.sluice.backpressure.nak.NakSuppression";
    private static final String SILENCE = "backpressure.nak.NakSuppressionTest#";
    private static final String MONITOR = "io.sluice.backpressure.nak.FillMonitor";
    private static final String FILL = "backpressure.nak.FillMonitorTest#";
    private static final String GATE = "io.sluice.backpressure.admission.AdmissionGate";
    private static final String GATE_TEST = "backpressure.admission.AdmissionGateTest#";
    private static final String SINGLE = "io.sluice.backpressure.rate.SingleWriterLimiter";

    BackpressureRows() {
        limiter();
        naks();
        whatCounts();
        suppression();
        monitor();
        publishers();
        gate();
        bounds();
        stepsBack();
    }

    private void limiter() {
        jcstress("limiter-grant", Kind.CAS_TO_SET, "backpressure.LimiterGrantTest")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new ReadThenSet());
        jcstress("limiter-stock", Kind.ADD_SPLIT, "backpressure.LimiterGrantTest")
                .at(LIMITER, "isOneGranted")
                .call(HANDLE, "getAndAdd")
                .becomes(new ReadThenAdd());
        lincheck("limiter-cas", Kind.CAS_TO_SET, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new ReadThenSet());
        jcstress("limiter-several-of-the-stock", Kind.CAS_TO_SET, "backpressure.LimiterSeveralTest")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(1, 2)
                .becomes(new ReadThenSet());
        junit(
                        "limiter-cas-after-the-clock",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.RateLimiterTest#whatIsTakenWhileTheClockIsReadIsNotGrantedAgain")
                .at(LIMITER, "isGranted")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(1));
        junit(
                        "limiter-those-in-vain-counted-for-ever",
                        Kind.WRONG_BRANCH,
                        "backpressure.rate.RateLimiterTest#thoseWhoComeInVainTakeNothing")
                .at(COUNT, "isFarBelow")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
        junit(
                        "limiter-debt-of-those-in-vain",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.RateLimiterTest#thoseWhoComeInVainTakeNothing")
                .at(COUNT, "inStock")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit(
                        "limiter-credit-not-renewed",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(LIMITER, "isGranted")
                .call("io/sluice/backpressure/rate/MultiWriterLimiter$RateLine", "earned")
                .becomes(new Constant(0));
    }

    private void naks() {
        jcstress("nak-upgrade", Kind.STEP_REMOVED, "backpressure.NakUpgradeTest")
                .at(FINDER, "isStronger")
                .call("io/sluice/backpressure/nak/Nak", "level")
                .number(1, 2)
                .becomes(new Constant(0))
                .call("io/sluice/backpressure/nak/Nak", "level")
                .number(1, 1)
                .becomes(new Constant(0));
        junit(
                        "nak-epoch-by-the-window",
                        Kind.WRONG_BRANCH,
                        NAKS + "naksOfAnEpochAtStepsLongerThanTheWindowDoNotCompound")
                .at(FINDER, "isEpochOver")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit("nak-no-further-epoch", Kind.WRONG_BRANCH, NAKS + "naksOfAnEpochAtStepsLongerThanTheWindowDoNotCompound")
                .at(FINDER, "isEpochOver")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit("nak-silence-not-put-off", Kind.WRONG_BRANCH, NAKS + "eachNakPutsTheSilenceOff")
                .at(FINDER, "isSilent")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit("nak-pause-ended-by-another", Kind.GATE_IGNORED, NAKS + "nobodyElseEndsThePauseOfAFullReceiver")
                .at(FINDER, "onNak")
                .call("io/sluice/backpressure/nak/ReceiverTable", "isAnotherFull")
                .becomes(new Constant(0));
        junit("nak-full-and-left-behind", Kind.STEP_REMOVED, NAKS + "nobodyElseEndsThePauseOfAFullReceiver")
                .at(CONTROLLER, "leaveBehind")
                .call("io/sluice/backpressure/nak/ReceiverTable", "forgetLevel")
                .becomes(new Nothing());
        junit("nak-full-for-ever", Kind.WRONG_BRANCH, NAKS + "nobodyElseEndsThePauseOfAFullReceiver")
                .at("io.sluice.backpressure.nak.ReceiverTable", "isAnotherFull")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit(
                        "nak-level-of-windows-before",
                        Kind.WRONG_BRANCH,
                        NAKS + "aStrongerNakUpgradesWithinAWindowThoughOneWasFullLongBefore")
                .at(FINDER, "onNak")
                .jump(Opcodes.IFEQ)
                .number(5, 8)
                .becomes(new AlwaysJump());
        junit("nak-flood-unbounded", Kind.WRONG_BRANCH, NAKS + "aFloodIsLookedAtInPortions")
                .at(CONTROLLER, "doWork")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
    }

    private void whatCounts() {
        junit(
                        "nak-session-unchecked",
                        Kind.WRONG_BRANCH,
                        NAKS + "aSenderThatStartsAgainIgnoresTheNaksOfTheSessionBefore")
                .at(FILTER, "accepts")
                .jump(Opcodes.IFEQ)
                .number(1, 3)
                .becomes(new AlwaysJump());
        junit(
                        "nak-ahead-heeded",
                        Kind.RECHECK_REMOVED,
                        NAKS + "aReceiverThatHasHandledMoreThanWasSentIsCountedAndChangesNothing")
                .at(FILTER, "accepts")
                .call("io/sluice/backpressure/nak/NakFilter", "isAhead")
                .number(1, 2)
                .becomes(new Constant(0));
        junit("nak-left-behind-heeded", Kind.GATE_IGNORED, NAKS + "unknownAndLeftBehindReceiversAreIgnored")
                .at(FILTER, "accepts")
                .call("io/sluice/backpressure/nak/NakFilter", "isLeftBehind")
                .becomes(new Constant(0));
        junit("nak-positions-unchecked", Kind.STEP_REMOVED, NAKS + "positionsAreCheckedToTheMessage")
                .at(FILTER, "accepts")
                .call("io/sluice/backpressure/nak/NakFilter", "isAhead")
                .number(1, 2)
                .becomes(new Constant(0));
        junit("nak-position-not-read-again", Kind.RECHECK_REMOVED, NAKS + "aMessageSentWhileTheControllerWorksIsNoLie")
                .at(FILTER, "accepts")
                .call("io/sluice/backpressure/nak/NakFilter", "isAhead")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("nak-arrived-unchecked", Kind.WRONG_BRANCH, NAKS + "positionsAreCheckedToTheMessage")
                .at(FILTER, "isAhead")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        junit("nak-arrived-one-short", Kind.OFF_BY_ONE, NAKS + "positionsAreCheckedToTheMessage")
                .at(FILTER, "isAhead")
                .jump(Opcodes.IFGT)
                .becomes(new OpcodeInstead(Opcodes.IFGE));
        junit("nak-handled-one-short", Kind.OFF_BY_ONE, NAKS + "positionsAreCheckedToTheMessage")
                .at(FILTER, "isAhead")
                .jump(Opcodes.IFLE)
                .becomes(new OpcodeInstead(Opcodes.IFLT));
        junit("nak-others-messages-refused", Kind.WRONG_BRANCH, NAKS + "positionsAreCheckedToTheMessage")
                .at(FILTER, "isAhead")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new NeverJump());
        junit(
                        "nak-others-arrivals-refused",
                        Kind.GATE_IGNORED,
                        "backpressure.nak.RingFillTest#naksKeepSeveralPublishersFromAFullRingThatTheyShare")
                .at(FILTER, "isAhead")
                .call("io/sluice/backpressure/nak/Nak", "senders")
                .becomes(new Constant(1));
        junit("nak-no-echo", Kind.STEP_REMOVED, NAKS + "whatDoesNotCountIsSentBackWhereReceiversHearEachOther")
                .at(CONTROLLER, "onNak")
                .call("io/sluice/backpressure/nak/NakTransport", "send")
                .becomes(new Constant(1));
        junit("nak-echo-heeded", Kind.WRONG_BRANCH, NAKS + "echoesAreNotHeeded")
                .at(CONTROLLER, "onNak")
                .call("io/sluice/backpressure/nak/Nak", "isEcho")
                .becomes(new Constant(0));
        junit(
                        "nak-version-before-truncated",
                        Kind.ORDER_SWAPPED,
                        "backpressure.nak.NakTest#aNakOfTheVersionBeforeIsToldByItsVersion")
                .at("io.sluice.backpressure.nak.Nak", "decode")
                .jump(Opcodes.IF_ICMPEQ)
                .number(2, 3)
                .becomes(new AlwaysJump());
    }

    private void suppression() {
        junit("nak-silenced-by-the-ignored", Kind.GATE_IGNORED, SILENCE + "aReceiverThatWasLeftBehindSilencesNobody")
                .at(SUPPRESSION, "onOverheard")
                .call("io/sluice/backpressure/nak/NakSuppression", "isIgnored")
                .becomes(new Constant(0));
        junit("nak-silenced-not-freed", Kind.STEP_REMOVED, SILENCE + "aReceiverThatWasLeftBehindSilencesNobody")
                .at(SUPPRESSION, "onEcho")
                .call("io/sluice/backpressure/nak/NakSuppression", "startBackOff")
                .becomes(new Nothing());
        junit(
                        "nak-ignored-still-heard",
                        Kind.STEP_REMOVED,
                        SILENCE + "whatWasHeardOfAReceiverCountsNoMoreOnceItIsKnownToBeIgnored")
                .at(SUPPRESSION, "onEcho")
                .plain(Opcodes.ICONST_0)
                .number(1, 2)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "watch-gone-is-back-at-the-same-moment",
                        Kind.OFF_BY_ONE,
                        "backpressure.nak.ReceiverWatchTest#aSignOfTheSameMomentAsTheFarewellDoesNotBringItBack")
                .at("io.sluice.backpressure.nak.ReceiverWatch", "heard")
                .jump(Opcodes.IFGT)
                .becomes(new OpcodeInstead(Opcodes.IFGE));
        junit("nak-freed-by-anybodys-echo", Kind.WRONG_BRANCH, SILENCE + "anEchoConcernsItsReceiverOnly")
                .at(SUPPRESSION, "onEcho")
                .jump(Opcodes.IFNE)
                .number(3, 3)
                .becomes(new NeverJump());
        junit(
                        "nak-time-of-an-echo-not-kept",
                        Kind.STEP_REMOVED,
                        SILENCE + "eachEchoStartsTheTimeInWhichItsReceiverSilencesNobodyAgain")
                .at(SUPPRESSION, "rememberIgnored")
                .plain(Opcodes.LASTORE)
                .number(2, 2)
                .becomes(new Nothing());
        junit("nak-silenced-by-another-session", Kind.WRONG_BRANCH, SILENCE + "aNakOfAnotherSessionSilencesNobody")
                .at(SUPPRESSION, "onOverheard")
                .jump(Opcodes.IFNE)
                .number(3, 3)
                .becomes(new NeverJump());
        junit("nak-heard-in-another-session", Kind.WRONG_BRANCH, SILENCE + "aNakOfAnotherSessionSilencesNobody")
                .at(SUPPRESSION, "send")
                .jump(Opcodes.IFNE)
                .number(2, 4)
                .becomes(new NeverJump());
        junit("nak-heard-for-ever", Kind.WRONG_BRANCH, SILENCE + "whatIsHeardSilencesForOneBackOffAndThenNoMore")
                .at(SUPPRESSION, "send")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
        junit("nak-of-any-age-revived", Kind.RECHECK_REMOVED, SILENCE + "anEchoRevivesNothingThatIsNoLongerTrue")
                .at(SUPPRESSION, "onEcho")
                .call("io/sluice/backpressure/nak/NakSuppression", "isFresh")
                .becomes(new Constant(1));
        junit(
                        "nak-refused-and-said-late",
                        Kind.RECHECK_REMOVED,
                        SILENCE + "whatTheTransportRefusesForLongIsNotSaidAnyMore")
                .at(SUPPRESSION, "poll")
                .call("io/sluice/backpressure/nak/NakSuppression", "isFresh")
                .becomes(new Constant(1));
    }

    private void monitor() {
        junit(
                        "fill-of-what-is-retained",
                        Kind.WRONG_BRANCH,
                        "backpressure.nak.RingFillTest#aRingThatRetainsEventsIsFullWhereProducersWait")
                .at("io.sluice.backpressure.nak.FillSource", "of")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "fill-of-one-that-has-left",
                        Kind.RECHECK_REMOVED,
                        "backpressure.nak.RingFillTest#aConsumerThatHasLeftStopsNoSenderAnyMore")
                .at("io.sluice.backpressure.nak.FillSource$1", "gates")
                .call("io/sluice/ringbuffer/GatingSequences", "contains")
                .becomes(new Constant(1));
        junit("fill-refresh-never-due", Kind.WRONG_BRANCH, FILL + "refreshWhileAboveAcrossAWrappingClock")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFGE)
                .number(2, 2)
                .becomes(new NeverJump());
        junit("fill-refresh-always-due", Kind.WRONG_BRANCH, FILL + "aNewLevelPutsTheRefreshOff")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFGE)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit(
                        "fill-higher-level-forgotten",
                        Kind.STEP_REMOVED,
                        FILL + "aRefreshAtALowerLevelDoesNotMakeTheHigherOneNewsAgain")
                .at(MONITOR, "poll")
                .call("java/lang/Math", "max")
                .number(2, 2)
                .becomes(new SecondArgument());
        junit("fill-level-no-news", Kind.WRONG_BRANCH, FILL + "eachLevelAtOnceAndOnce")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFNE)
                .number(2, 3)
                .becomes(new NeverJump());
        junit("fill-session-no-news", Kind.WRONG_BRANCH, FILL + "aNewSessionHearsTheLevelAtOnce")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFEQ)
                .number(1, 1)
                .becomes(new AlwaysJump());
        junit("fill-clock-stepped-back", Kind.WRONG_BRANCH, FILL + "aClockThatStepsBackDoesNotSilenceIt")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFLT)
                .number(2, 2)
                .becomes(new NeverJump());
        junit("fill-hysteresis-ignored", Kind.WRONG_BRANCH, FILL + "hysteresisKeepsAWaveringFillFromSpeaking")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFGE)
                .number(1, 2)
                .becomes(new NeverJump());
        junit("fill-full-unsaid", Kind.WRONG_BRANCH, FILL + "aFullQueueIsSaidThoughTheLevelsOfOnesOwnEndBelow")
                .at(MONITOR, "withFull")
                .jump(Opcodes.IF_ICMPGE)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit("fill-refused-is-said", Kind.WRONG_BRANCH, FILL + "aRefusedNakIsTriedAgain")
                .at(MONITOR, "poll")
                .jump(Opcodes.IFNE)
                .number(3, 3)
                .becomes(new AlwaysJump());
    }

    private void publishers() {
        junit(
                        "paced-batch-sent-from-within",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.PacedPublisherTest"
                                + "#aSenderThatPublishesToItsOwnPublisherIsRefusedAndNothingGoesTwice")
                .at("io.sluice.backpressure.rate.PacedPublisher", "checkNotSending")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "paced-used-while-it-waits",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.PacedPublisherTest"
                                + "#anIdleStrategyThatUsesThePublisherThatWaitsIsRefusedAndTheLimitHolds")
                .at("io.sluice.backpressure.rate.PacedPublisher", "checkNotWaiting")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "flow-removed-poller-unseen",
                        Kind.RECHECK_REMOVED,
                        "backpressure.flow.RingFlowPublisherTest#aPollerThatWasRemovedIsAnErrorAndNotSilence")
                .at("io.sluice.backpressure.flow.RingFlowPublisher", "endIfDrained")
                .call("io/sluice/ringbuffer/GatingSequences", "contains")
                .becomes(new Constant(1));
        junit(
                        "flow-aborted-claim-keeps-open",
                        Kind.WRONG_BRANCH,
                        "backpressure.flow.RingFlowPublisherTest#aClaimThatWasAbortedBehindTheLastEventKeepsNoStreamFromItsEnd")
                .at("io.sluice.ringbuffer.ObjectRing", "unhandledFrom")
                .call("io/sluice/ringbuffer/ObjectRing", "isDue")
                .becomes(new Constant(1));
    }

    private void gate() {
        junit(
                        "gate-below-the-threads",
                        Kind.GATE_IGNORED,
                        GATE_TEST + "noThreadIsKeptIdleWhenTheServiceHasBecomeSlowerThanTheBudget")
                .at(GATE, "boundOf")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
        junit(
                        "gate-takes-a-hopeless-budget",
                        Kind.RECHECK_REMOVED,
                        GATE_TEST + "aBudgetThatNoRequestCanKeepIsRefusedWhenTheGateIsBuilt")
                .at(GATE + "$Builder", "<init>")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
        junit("gate-one-too-many", Kind.OFF_BY_ONE, GATE_TEST + "refusesWithAReasonAndATimeWhenFull")
                .at(GATE, "tryEnter")
                .jump(Opcodes.IFLT)
                .number(1, 2)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit("gate-percentile-without-the-lock", Kind.CAS_TO_SET, GATE_TEST + "aMonitorSeesTheMedianWhileThreadsLeave")
                .at(GATE, "serviceNanosAtPercentile")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit("gate-place-of-a-throw-kept", Kind.STEP_REMOVED, GATE_TEST + "aHandlerThatThrowsTakesNoPlace")
                .at(GATE, "tryEnter")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("gate-exit-of-nobody", Kind.STEP_REMOVED, GATE_TEST + "badNumbersAreRefused")
                .at(GATE, "exit()V")
                .call(HANDLE, "getAndAdd")
                .number(2, 2)
                .becomes(new Nothing());
        junit("gate-mark-again", Kind.CAS_TO_SET, GATE_TEST + "aMarkIsReportedOnlyWhenTheReportOfTheOtherIsOver")
                .at(GATE, "report")
                .call(HANDLE, "compareAndSet")
                .number(1, 3)
                .becomes(new Constant(1));
        junit(
                        "gate-mark-not-given-back",
                        Kind.STEP_REMOVED,
                        GATE_TEST + "aMarkIsReportedOnlyWhenTheReportOfTheOtherIsOver")
                .at(GATE, "report")
                .call(HANDLE, "compareAndSet")
                .number(2, 3)
                .becomes(new Constant(1));
        junit("gate-every-one-sampled", Kind.WRONG_BRANCH, GATE_TEST + "onlyEveryKthIsSampled")
                .at(GATE, "exit(J)V")
                .jump(Opcodes.IF_ICMPGE)
                .becomes(new AlwaysJump());
        junit("gate-interrupted-at-once", Kind.WRONG_BRANCH, GATE_TEST + "waitsForSoLong")
                .at(GATE, "enter")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Constant(1));
        junit(
                        "gate-idle-that-nobody-signals",
                        Kind.STEP_REMOVED,
                        GATE_TEST + "anIdleStrategyThatNobodySignalsIsRefusedAndTakesNoPlace")
                .at(GATE, "enter")
                .call("io/sluice/core/IdleStrategies", "checkWakesByItself")
                .becomes(new Nothing());
        junit(
                        "limiter-idle-that-nobody-signals",
                        Kind.STEP_REMOVED,
                        "backpressure.rate.RateLimiterTest#anIdleStrategyThatNobodySignalsIsRefusedBeforeAnyPermitIsTaken")
                .at("io.sluice.backpressure.rate.LimiterBase", "checkWakesByItself")
                .call("io/sluice/core/IdleStrategies", "checkWakesByItself")
                .becomes(new Nothing());
        junit(
                        "publisher-idle-that-nobody-signals",
                        Kind.STEP_REMOVED,
                        "backpressure.rate.PacedPublisherTest#anIdleStrategyThatNobodySignalsIsRefused")
                .at("io.sluice.backpressure.rate.PacedPublisher", "<init>")
                .call("io/sluice/backpressure/rate/LimiterBase", "checkWakesByItself")
                .becomes(new Nothing());
    }

    private void bounds() {
        junit(
                        "limiter-stock-unbounded",
                        Kind.WRONG_BRANCH,
                        "backpressure.rate.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(LIMITER, "afterGrant")
                .call("io/sluice/backpressure/rate/MultiWriterLimiter", "excess")
                .becomes(new Constant(0));
        lincheck("limiter-one-short", Kind.OFF_BY_ONE, "LimiterLincheckTest#acquiresAreAtomic")
                .at(LIMITER, "isGranted")
                .jump(Opcodes.IFLT)
                .number(3, 3)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit(
                        "limiter-clock-steps-back",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.RateLimiterTest#stepsBackGrantNothingAndStallAtMostASecond")
                .at(LIMITER, "isGranted")
                .call("io/sluice/backpressure/rate/MultiWriterLimiter", "hasSteppedBack")
                .becomes(new Constant(0));
        junit("limiter-line-cas", Kind.CAS_TO_SET, "backpressure.rate.RateLimiterTest#changesOfRateLoseAndGiveNothing")
                .at(LIMITER, "replaceLine")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit(
                        "limiter-credit-not-forgotten",
                        Kind.STEP_REMOVED,
                        "backpressure.rate.RateLimiterTest#whatManyChangesOfRateHaveEarnedIsGrantedUpToTheBurst")
                .at(LIMITER, "continueLine")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        lincheck("limiter-restart-unnoticed", Kind.STEP_REMOVED, CHANGES)
                .at(LIMITER, "restartLine")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit(
                        "single-limiter-stock-unbounded",
                        Kind.WRONG_BRANCH,
                        "backpressure.rate.RateLimiterTest#neverMoreThanTheBurstAfterAnyIdleTime")
                .at(SINGLE, "refill")
                .jump(Opcodes.IFLE)
                .number(2, 2)
                .becomes(new AlwaysJump());
    }

    private void stepsBack() {
        junit(
                        "single-limiter-rate-begins-before-the-last",
                        Kind.WRONG_BRANCH,
                        "backpressure.rate.RateLimiterTest#stepsBackAndChangesOfRateEarnNoMomentTwice")
                .at(SINGLE, "changeOver")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit(
                        "limiter-rate-begins-before-the-last",
                        Kind.WRONG_BRANCH,
                        "backpressure.rate.RateLimiterTest#stepsBackAndChangesOfRateEarnNoMomentTwice")
                .at(LIMITER, "continueLine")
                .jump(Opcodes.IFGT)
                .becomes(new AlwaysJump());
        junit(
                        "single-limiter-step-back-not-waited-for",
                        Kind.STEP_REMOVED,
                        "backpressure.rate.RateLimiterTest#nanosUntilIsExactAfterAStepBack")
                .at(SINGLE, "nanosUntil")
                .call("java/lang/Math", "max")
                .number(2, 2)
                .becomes(new Constant(0));
        junit(
                        "limiter-step-back-waited-for-whole",
                        Kind.RECHECK_REMOVED,
                        "backpressure.rate.RateLimiterTest#nanosUntilIsExactAfterAStepBack")
                .at(LIMITER, "nanosUntil")
                .call("io/sluice/backpressure/rate/MultiWriterLimiter", "hasSteppedBack")
                .becomes(new Constant(0));
    }
}
