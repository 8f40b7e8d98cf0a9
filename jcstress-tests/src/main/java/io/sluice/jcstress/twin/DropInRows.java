package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Row.Layer;
import java.util.Locale;
import org.objectweb.asm.Opcodes;

/** The rows that break the drop-in for the Disruptor, version 4. Version 3 is made of the same sources. */
final class DropInRows extends Rows {
    private static final String FACE = "com.lmax.disruptor.";
    private static final String FACE_INTERNAL = "com/lmax/disruptor/";
    private static final String RUN_STATE = FACE + "RunState";
    private static final String BARRIER = FACE_INTERNAL + "SequenceBarrier";

    DropInRows() {
        for (String kind : new String[] {"Single", "Multi"}) {
            row(
                            "dropin-waits-for-room-in-silence-" + kind.toLowerCase(Locale.ROOT),
                            Kind.STEP_REMOVED,
                            "CutOffPublicationTest#whoWaitsForRoomWakesTheConsumer")
                    .at(FACE + kind + "ProducerSequencer", "awaitRoom")
                    .call(FACE_INTERNAL + kind + "ProducerSequencer", "signalNowAndThen")
                    .becomes(new Nothing());
        }
        row("dropin-run-cas", Kind.CAS_TO_SET, "RunStateTest#oneOfTwoThreadsGetsTheRun")
                .at(RUN_STATE, "tryBegin")
                .call(HANDLE, "compareAndSet")
                .number(1, 2)
                .becomes(new ReadThenSet());
        row("dropin-halt-taken-cas", Kind.CAS_TO_SET, "RunStateTest#oneOfTwoThreadsGetsTheHalt")
                .at(RUN_STATE, "tryBegin")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new ReadThenSet());
        row("dropin-halt-cas", Kind.CAS_TO_SET, "RunStateTest#aHaltThatMeetsTheEndOfARunLeavesNoRunBehind")
                .at(RUN_STATE, "halt")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        row("dropin-halt-tried-once", Kind.RECHECK_REMOVED, "RunStateTest#aHaltThatMeetsTheBeginOfARunHaltsIt")
                .at(RUN_STATE, "halt")
                .jump(Opcodes.IFEQ)
                .becomes(new NeverJump());
        row("dropin-halt-look-again", Kind.RECHECK_REMOVED, "RunStateTest#aHaltBeforeTheAlertIsClearedIsAlertedAgain")
                .at(RUN_STATE, "tryBegin")
                .call(HANDLE, "getVolatile")
                .becomes(new Constant(1));
        row("dropin-alert-again", Kind.STEP_REMOVED, "RunStateTest#whoWaitsForTheEndOfAHaltedRunAlertsItAgain")
                .at(RUN_STATE, "begin")
                .call(FACE_INTERNAL + "RunState", "alert")
                .becomes(new Nothing());
        row("dropin-alert-kept", Kind.STEP_REMOVED, "RunStateTest#aRunClearsTheAlertOfARunBefore")
                .at(RUN_STATE, "tryBegin")
                .call(BARRIER, "clearAlert")
                .becomes(new Nothing());
        row("dropin-halt-without-alert", Kind.STEP_REMOVED, "RunStateTest#whoHearsAHaltSeesIt")
                .at(RUN_STATE, "halt")
                .call(FACE_INTERNAL + "RunState", "alert")
                .becomes(new Nothing());
        row(
                        "dropin-halts-before-a-wait",
                        Kind.WRONG_BRANCH,
                        "RunStateTest#haltsThatCameBeforeARunBeganToWaitDoNotEndIt")
                .at(RUN_STATE, "begin")
                .call(FACE_INTERNAL + "RunState", "halts")
                .number(1, 2)
                .becomes(new Constant(0));
        row("dropin-halt-within-a-wait", Kind.RECHECK_REMOVED, "RunStateTest#aHaltThatComesWhileARunWaitsEndsThatRun")
                .at(RUN_STATE, "begin")
                .jump(Opcodes.IF_ICMPEQ)
                .becomes(new AlwaysJump());
        row(
                        "dropin-halts-counted-once",
                        Kind.STEP_REMOVED,
                        "RunStateTest#aHaltThatMeetsTheChangeFromAHaltedRunToTheNextEndsThat")
                .at(RUN_STATE, "halt")
                .plain(Opcodes.IADD)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.IOR));
        row(
                        "dropin-end-changes-the-count",
                        Kind.CAS_TO_SET,
                        "RunStateTest#haltsThatCameBeforeARunBeganToWaitDoNotEndIt")
                .at(RUN_STATE, "end")
                .call(HANDLE, "getAndBitwiseAnd")
                .becomes(new CallInstead("set"));
        row("dropin-count-stops-a-run", Kind.WRONG_BRANCH, "RunStateTest#aRunBeginsAndIsHaltedThoughHaltsWereCounted")
                .at(RUN_STATE, "tryBegin")
                .call(FACE_INTERNAL + "RunState", "halts")
                .becomes(new Constant(0));
        row("dropin-count-stops-a-halt", Kind.WRONG_BRANCH, "RunStateTest#aRunBeginsAndIsHaltedThoughHaltsWereCounted")
                .at(RUN_STATE, "haltRun")
                .call(FACE_INTERNAL + "RunState", "halts")
                .becomes(new Constant(0));
        row(
                        "dropin-waiting-run-not-begun",
                        Kind.STEP_REMOVED,
                        "RunStateTest#runsAreCountedWhenTheyBeginToWaitAndWhenTheyEnd")
                .at(RUN_STATE, "begin")
                .call("java/util/concurrent/atomic/AtomicInteger", "incrementAndGet")
                .number(1, 2)
                .becomes(new Constant(0));
        row(
                        "dropin-refused-run-not-ended",
                        Kind.STEP_REMOVED,
                        "RunStateTest#runsAreCountedWhenTheyBeginToWaitAndWhenTheyEnd")
                .at(RUN_STATE, "begin")
                .call("java/util/concurrent/atomic/AtomicInteger", "incrementAndGet")
                .number(2, 2)
                .becomes(new Constant(0));
        row("dropin-halt-heard-by-all", Kind.WRONG_BRANCH, "SharedBarrierTest#aHaltIsHeardByOne")
                .at(RUN_STATE, "alert")
                .call(FACE_INTERNAL + "ProcessingSequenceBarrier", "alertOfHalt")
                .becomes(new CallInstead("alert"));
        row("dropin-deaf-to-its-own-halt", Kind.RECHECK_REMOVED, "SharedBarrierTest#aHaltIsHeardByOne")
                .at(FACE + "ProcessingSequenceBarrier", "isAlerted")
                .call(FACE_INTERNAL + "RunState", "wasHalted")
                .becomes(new Constant(0));
        row("dropin-halt-without-signal", Kind.STEP_REMOVED, "SharedBarrierTest#aHaltWakesOneThatSleeps")
                .at(FACE + "ProcessingSequenceBarrier", "alertOfHalt")
                .call(FACE_INTERNAL + "WaitStrategy", "signalAllWhenBlocking")
                .becomes(new Nothing());
        row("dropin-halt-over-an-alert", Kind.CAS_TO_SET, "RunStateTest#anAlertOfTheProgramThatMeetsAHaltIsHeardByAll")
                .at(FACE + "ProcessingSequenceBarrier", "alertOfHalt")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        row("dropin-alert-without-signal", Kind.STEP_REMOVED, "WaitStrategiesTest#anAlertEndsAWait")
                .at(FACE + "ProcessingSequenceBarrier", "alert")
                .call(FACE_INTERNAL + "WaitStrategy", "signalAllWhenBlocking")
                .becomes(new Nothing());
        row(
                        "dropin-sleeper-given-back-as-it-is",
                        Kind.STEP_REMOVED,
                        "SleepersTest#whoSleepsAfterOneThatWasAlertedBetweenItsAnnouncementAndItsSleepIsWoken")
                .at(FACE + "Sleepers", "giveBack")
                .call("io/sluice/core/SignalledIdle", "reset")
                .becomes(new Nothing());
        row("dropin-sleeper-deaf-to-alerts", Kind.RECHECK_REMOVED, "WaitStrategiesTest#anAlertEndsAWait")
                .at(FACE + "Sleepers", "sleep")
                .call(BARRIER, "checkAlert")
                .becomes(new Nothing());
        row(
                        "dropin-publish-without-signal",
                        Kind.STEP_REMOVED,
                        "WaitStrategiesTest#anEventThatGoesToAndFroIsNeverMissed")
                .at(FACE + "SingleProducerSequencer", "publish(J)V")
                .call(FACE_INTERNAL + "SingleProducerSequencer", "signalConsumers")
                .becomes(new Nothing());
        row(
                        "dropin-claim-cas",
                        Kind.CAS_TO_SET,
                        "WaitStrategiesTest#consumersThatFollowOneAnotherSeeAllEventsOfSeveralProducersInOrder")
                .at(FACE + "Sequence", "compareAndSet")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        row(
                        "dropin-waits-for-the-dead",
                        Kind.RECHECK_REMOVED,
                        "ShutdownTest#nobodyWaitsForWhatOnlyADeadConsumerCouldPassOn")
                .at(FACE + "dsl.ConsumerRepository", "look")
                .call(FACE_INTERNAL + "dsl/Consumer", "isAtWork")
                .becomes(new Constant(1));
        row(
                        "dropin-start-not-waited-for",
                        Kind.WRONG_BRANCH,
                        "ShutdownTest#aShutdownDuringTheStartWaitsForConsumersThatHaveNoThreadYet")
                .at(FACE + "dsl.Graph", "shutdown(JLjava/util/concurrent/TimeUnit;)V")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new AlwaysJump());
        row(
                        "dropin-shutdown-waits-for-threads",
                        Kind.STEP_REMOVED,
                        "ShutdownTest#nobodyWaitsForAThreadThatGoesOnAfterItsConsumerHasDied")
                .at(RUN_STATE, "end")
                .call("java/util/concurrent/atomic/AtomicInteger", "incrementAndGet")
                .becomes(new Constant(0));
        row(
                        "dropin-joiner-written-over",
                        Kind.GATE_IGNORED,
                        "JoinersTest#whoJoinsWhileTheOneProducerHasClaimsOpenGetsTheirEvents")
                .at(FACE + "SingleProducerSequencer", "roomUpTo")
                .call(FACE_INTERNAL + "Sequence", "get")
                .becomes(new Constant(Long.MAX_VALUE));
        row(
                        "dropin-waiting-not-counted",
                        Kind.STEP_REMOVED,
                        "WaitingProducersTest#aShutdownHandlesTheEventOfAProducerThatWaitsForRoom")
                .at(FACE + "MultiProducerSequencer", "hasWaitingProducer")
                .call(FACE_INTERNAL + "Sequence", "get")
                .becomes(new Constant(0));
        row(
                        "dropin-one-waiting-not-told",
                        Kind.STEP_REMOVED,
                        "WaitingProducersTest#aShutdownHandlesWhatAProducerFillsAfterItHasWaitedForRoom")
                .at(FACE + "SingleProducerSequencer", "awaitRoom")
                .call(FACE_INTERNAL + "Sequence", "set")
                .becomes(new Nothing());
        row(
                        "dropin-one-waited-for-for-ever",
                        Kind.OFF_BY_ONE,
                        "WaitingProducersTest#aShutdownDoesNotWaitForAProducerThatHasPublishedWhatItWaitedFor")
                .at(FACE + "SingleProducerSequencer", "hasWaitingProducer")
                .jump(Opcodes.IFGT)
                .becomes(new OpcodeInstead(Opcodes.IFGE));
        row(
                        "dropin-waits-for-the-dead-with-a-producer",
                        Kind.RECHECK_REMOVED,
                        "WaitingProducersTest#aShutdownDoesNotWaitForAProducerToWhomOnlyADeadConsumerCouldGiveRoom")
                .at(FACE + "dsl.ConsumerRepository", "look")
                .call(FACE_INTERNAL + "RingBuffer", "getMinimumGatingSequence")
                .becomes(new Constant(Long.MAX_VALUE));
        row(
                        "dropin-any-dead-gives-no-room",
                        Kind.WRONG_BRANCH,
                        "WaitingProducersTest#aShutdownWaitsForAGateOutsideTheGraphThoughAConsumerFurtherOnHasDied")
                .at(FACE + "dsl.ConsumerRepository", "lambda$mayGetRoom$")
                .jump(Opcodes.IFNE)
                .becomes(new OpcodeInstead(Opcodes.IFLT));
        row(
                        "dropin-room-not-looked-at",
                        Kind.RECHECK_REMOVED,
                        "WaitingProducersTest#aShutdownWaitsForAProducerThatIsToFindRoomThoughAConsumerHasDied")
                .at(FACE + "dsl.ConsumerRepository", "hasMoved")
                .jump(Opcodes.IFLE)
                .becomes(new AlwaysJump());
        row(
                        "dropin-handlers-event-not-looked-for",
                        Kind.RECHECK_REMOVED,
                        "WaitingProducersTest#aShutdownHandlesWhatIsPublishedWhileItLooks")
                .at(FACE + "dsl.ConsumerRepository", "look")
                .jump(Opcodes.IFEQ)
                .number(10, 11)
                .becomes(new AlwaysJump());
        row(
                        "dropin-waiting-run-not-counted",
                        Kind.STEP_REMOVED,
                        "ShutdownBesideOthersTest#aRunThatWaitsForTheEndOfAHaltedOneIsWaitedForAtEachMoment")
                .at(FACE + "dsl.Consumer", "isToEnd")
                .call("java/util/function/BooleanSupplier", "getAsBoolean")
                .becomes(new Constant(0));
        row(
                        "dropin-line-passed",
                        Kind.GATE_IGNORED,
                        "WaitingProducersTest#nobodyElseGetsTheRoomThatAWaitingClaimOfSeveralNeeds")
                .at(FACE + "MultiProducerSequencer", "roomUpTo")
                .call(FACE_INTERNAL + "Sequence", "get")
                .number(2, 2)
                .becomes(new Constant(0));
        row(
                        "dropin-line-never-left",
                        Kind.STEP_REMOVED,
                        "WaitingProducersTest#aHandlerGetsRoomThoughAClaimOfSeveralWaitsForThatHandler")
                .at(FACE + "MultiProducerSequencer", "awaitRoom")
                .call(FACE_INTERNAL + "Sequence", "set")
                .number(3, 4)
                .becomes(new Nothing());
        jcstress("dropin-room-fence", Kind.FENCE_REMOVED, "dropin.JoinAgainstRoomTest")
                .at(FACE + "SingleProducerSequencer", "roomUpTo")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("dropin-join-second-look", Kind.RECHECK_REMOVED, "dropin.JoinAgainstRoomTest")
                .at(FACE + "AbstractSequencer", "addGatingSequences")
                .call(FACE_INTERNAL + "Sequence", "set")
                .number(2, 2)
                .becomes(new Nothing());
    }

    private Draft row(String name, Kind kind, String test) {
        return new Draft(name, kind, Layer.JUNIT, FACE + test);
    }
}
