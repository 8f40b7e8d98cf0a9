package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import org.objectweb.asm.Opcodes;

/** The rows that break the module batching, but for its journal. */
final class BatchingRows extends Rows {
    private static final String PACKAGE = "io.sluice.batching.";
    private static final String INTERNAL = "io/sluice/batching/";
    private static final String BUILDER = PACKAGE + "BatchBuilder";
    private static final String HANDLER_TEST = "batching.BatchingHandlerTest#";
    private static final String BATCHER_TEST = "batching.BatcherTest#";
    private static final String SINKS_TEST = "batching.SinksTest#";

    BatchingRows() {
        waiting();
        ends();
        failures();
        headers();
        handler();
        sinks();
        statistics();
        composites();
        closing();
        shared();
    }

    /** Several makers of batches, over one sink. */
    private void shared() {
        junit(
                        "batch-number-of-another-batch",
                        Kind.STEP_REMOVED,
                        "batching.SharedSinkTest#batchesOfDifferentHandlersHaveDifferentNumbers")
                .at(PACKAGE + "Batch", "begin")
                .call("java/util/concurrent/atomic/AtomicLong", "incrementAndGet")
                .becomes(new Constant(1));
        junit(
                        "composite-positions-of-the-batch-before",
                        Kind.STEP_REMOVED,
                        "batching.SharedSinkTest#anotherBatchIsOfferedFromItsStartThoughOneWasGivenUp")
                .at(PACKAGE + "Batch", "begin")
                .call("java/util/IdentityHashMap", "forEach")
                .becomes(new Nothing());
        junit(
                        "composite-positions-forgotten",
                        Kind.WRONG_BRANCH,
                        "batching.SharedSinkTest#aBatchThatIsOfferedAgainBehindAnothersIsSentToNobodyTwice")
                .at(PACKAGE + "CompositeSink", "send")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
    }

    private void waiting() {
        junit(
                        "batch-idle-that-nobody-signals",
                        Kind.STEP_REMOVED,
                        HANDLER_TEST + "anIdleStrategyThatNobodySignalsIsRefused")
                .at(
                        PACKAGE + "BatchingConfig",
                        "sinkIdle(Lorg/agrona/concurrent/IdleStrategy;J)Lio/sluice/batching/BatchingConfig;")
                .call("io/sluice/core/IdleStrategies", "checkWakesByItself")
                .becomes(new Nothing());
        junit(
                        "batch-rewind-of-a-failed-send-unseen",
                        Kind.STEP_REMOVED,
                        HANDLER_TEST + "whatANewConnectionHasNotGotIsNamedAndCountedThoughAnotherSinkFails")
                .at(BUILDER, "noteTaken")
                .call(INTERNAL + "Batch", "consumeRewound")
                .becomes(new Constant(0));
        junit("batch-trickle-timed-out", Kind.STEP_REMOVED, HANDLER_TEST + "aSinkThatTricklesIsNotTimedOut")
                .at(BUILDER, "offer")
                .plain(Opcodes.ICONST_0)
                .number(3, 6)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "batch-wait-without-end",
                        Kind.WRONG_BRANCH,
                        HANDLER_TEST + "aSinkThatStopsAfterATrickleIsTimedOutFromItsLastByteOn")
                .at(BUILDER, "offer")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit("batch-rewind-unseen", Kind.STEP_REMOVED, HANDLER_TEST + "rewindsWithoutProgressAreTimedOut")
                .at(BUILDER, "offer")
                .call(INTERNAL + "Batch", "consumeRewound")
                .becomes(new Constant(0));
        junit("batch-interrupt-unseen", Kind.INTERRUPT_LOST, HANDLER_TEST + "anInterruptEndsTheWaitAndStaysSet")
                .at(BUILDER, "offer")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Constant(0));
        junit("batch-interrupt-cleared", Kind.INTERRUPT_LOST, HANDLER_TEST + "anInterruptEndsTheWaitAndStaysSet")
                .at(BUILDER, "offer")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Change.FlagCleared());
    }

    private void ends() {
        junit("composite-end-of-the-batch-before", Kind.STEP_REMOVED, "batching.EndAfterAFailedEndTest")
                .at(PACKAGE + "CompositeSink", "noteTaken")
                .plain(Opcodes.ICONST_0)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "composite-second-failed-end-untold",
                        Kind.STEP_REMOVED,
                        "batching.EndAfterAFailedEndTest#whereSeveralEndsFailEachIsSeenAndTriedAgain")
                .at(PACKAGE + "CompositeSink", "first")
                .call("java/lang/Throwable", "addSuppressed")
                .becomes(new Nothing());
        junit("batch-end-forgotten", Kind.STEP_REMOVED, HANDLER_TEST + "theEndOfTheBatchIsOwedUntilItSucceeds")
                .at(BUILDER, "flush")
                .call(INTERNAL + "BatchSink", "endOfBatch")
                .becomes(new Nothing());
        junit("batch-end-discarded", Kind.STEP_REMOVED, HANDLER_TEST + "whatWasTakenBeforeADiscardIsStillEnded")
                .at(BUILDER, "discardPending")
                .plain(Opcodes.IOR)
                .becomes(new OpcodeInstead(Opcodes.IAND));
        junit("batch-part-not-ended", Kind.WRONG_BRANCH, HANDLER_TEST + "whatWasTakenBeforeADiscardIsStillEnded")
                .at(BUILDER, "discardPending")
                .jump(Opcodes.IFLE)
                .becomes(new AlwaysJump());
        junit("batch-nothing-ended", Kind.WRONG_BRANCH, HANDLER_TEST + "whatWasTakenBeforeADiscardIsStillEnded")
                .at(BUILDER, "discardPending")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit("batcher-end-skipped", Kind.STEP_REMOVED, BATCHER_TEST + "skippingAFailedSendStillEndsWhatWasTakenBefore")
                .at(PACKAGE + "Batcher", "onFailure")
                .call(INTERNAL + "BatchBuilder", "owesEnd")
                .becomes(new Constant(0));
        junit(
                        "batcher-skipped-end-in-each-round",
                        Kind.WRONG_BRANCH,
                        BATCHER_TEST + "aSkippedEndIsTriedAgainWithTheNextBatchAndNotInEveryIdleRound")
                .at(PACKAGE + "Batcher", "onFailure")
                .call(INTERNAL + "BatchBuilder", "pendingMessages")
                .becomes(new Constant(1));
    }

    private void failures() {
        junit(
                        "batcher-attempts-go-on-behind-a-skip",
                        Kind.STEP_REMOVED,
                        BATCHER_TEST + "theAttemptsOfAnElementBeginAtOneAlsoBehindOneThatWasSkipped")
                .at(PACKAGE + "Batcher", "onFailure")
                .plain(Opcodes.ICONST_0)
                .number(1, 3)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "batch-sink-not-told-of-a-failed-end",
                        Kind.STEP_REMOVED,
                        HANDLER_TEST + "theSinkHearsOfTheEndThoughMessagesAreLeft")
                .at(PACKAGE + "BatchingHandler", "onShutdown")
                .call("java/io/Closeable", "close")
                .number(2, 2)
                .becomes(new Nothing());
    }

    private void headers() {
        junit(
                        "batch-full-without-header",
                        Kind.RECHECK_REMOVED,
                        HANDLER_TEST + "aHeaderThatFailsOnABatchFullByCountIsMadeAgainAndNothingIsLost")
                .at(BUILDER, "add")
                .call(INTERNAL + "BatchBuilder", "isFull")
                .number(1, 2)
                .becomes(new Constant(0));
        junit(
                        "batcher-header-not-retried",
                        Kind.WRONG_BRANCH,
                        BATCHER_TEST + "aBatcherWhoseHeaderFailsTakesNothingMoreFromItsSource")
                .at(BUILDER, "needsRetry")
                .jump(Opcodes.IFNE)
                .number(2, 3)
                .becomes(new NeverJump());
        junit("batch-header-left-out", Kind.STEP_REMOVED, HANDLER_TEST + "theHeaderIsWrittenOnceForEachBatch")
                .at(BUILDER, "encodeHeader")
                .call(INTERNAL + "HeaderEncoder", "encode")
                .becomes(new Nothing());
    }

    private void handler() {
        junit("batch-redelivered-twice", Kind.WRONG_BRANCH, HANDLER_TEST + "aRewindDoesNotSendAgainWhatWasTaken")
                .at(PACKAGE + "BatchingHandler", "onEvent")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit("batch-full-kept", Kind.STEP_REMOVED, HANDLER_TEST + "aFullBatchGoesOutAtOnce")
                .at(PACKAGE + "BatchingHandler", "onEvent")
                .call(INTERNAL + "BatchBuilder", "sendFull")
                .becomes(new Nothing());
    }

    private void sinks() {
        junit(
                        "datagram-report-uncounted",
                        Kind.STEP_REMOVED,
                        SINKS_TEST + "reportsWithoutEndLoseADatagramAndFailNothing")
                .at(PACKAGE + "DatagramSink", "send")
                .call("io/sluice/core/OpaqueCounters", "add")
                .becomes(new Nothing());
        junit(
                        "datagram-given-up-at-once",
                        Kind.WRONG_BRANCH,
                        SINKS_TEST + "reportsWithoutEndLoseADatagramAndFailNothing")
                .at(PACKAGE + "DatagramSink", "send")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new NeverJump());
        junit("composite-ends-twice", Kind.WRONG_BRANCH, SINKS_TEST + "aCompositeSendsToAllAndToNoneTwice")
                .at(PACKAGE + "CompositeSink", "end")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit("stream-batch-not-anew", Kind.WRONG_BRANCH, SINKS_TEST + "aNewConnectionGoesOnAtAMessageOrAtTheBatch")
                .at(PACKAGE + "StreamSink", "restartPosition")
                .jump(Opcodes.IF_ACMPEQ)
                .becomes(new NeverJump());
        junit("stream-half-message-lost", Kind.OFF_BY_ONE, SINKS_TEST + "aNewConnectionGoesOnAtAMessageOrAtTheBatch")
                .at(PACKAGE + "Batch", "messagesUpTo")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new NeverJump());
    }

    private void statistics() {
        junit("batch-statistics-left-out", Kind.STEP_REMOVED, "batching.BatchStatisticsTest")
                .at(BUILDER, "send")
                .call(INTERNAL + "BatchStatistics", "onBatch")
                .becomes(new Nothing());
        junit("batch-full-not-counted", Kind.STEP_REMOVED, "batching.BatchStatisticsTest")
                .at(PACKAGE + "BatchStatistics", "onBatch")
                .call("io/sluice/core/OpaqueCounters", "add")
                .number(4, 4)
                .becomes(new Nothing());
    }

    private void composites() {
        junit(
                        "composite-idle-untold-behind-a-failure",
                        Kind.STEP_REMOVED,
                        "batching.LullTest#aJournalForcesInTimeThoughTheSinkBesideItIsTriedAgainAndAgain")
                .at(PACKAGE + "CompositeSink", "send")
                .call(INTERNAL + "CompositeSink", "tellDue")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "composite-idle-untold-behind-a-refusal",
                        Kind.STEP_REMOVED,
                        "batching.LullTest#aJournalForcesInTimeThoughTheSinkBesideItIsTriedAgainAndAgain")
                .at(PACKAGE + "CompositeSink", "send")
                .call(INTERNAL + "CompositeSink", "tellDue")
                .number(2, 2)
                .becomes(new Nothing());
        junit(
                        "composite-idle-untold-within",
                        Kind.STEP_REMOVED,
                        "batching.LullTest#aJournalForcesInTimeThoughTheSinkBesideItIsTriedAgainAndAgain")
                .at(PACKAGE + "CompositeSink", "tellDue")
                .call(INTERNAL + "CompositeSink", "tellDue")
                .becomes(new Nothing());
        junit(
                        "composite-idle-untold-at-its-end",
                        Kind.STEP_REMOVED,
                        "batching.LullTest#aJournalForcesInTimeThoughTheSinkBesideItIsTriedAgainAndAgain")
                .at(PACKAGE + "CompositeSink", "end")
                .call(INTERNAL + "BatchSink", "onIdle")
                .becomes(new Nothing());
        junit(
                        "composite-part-not-ended",
                        Kind.WRONG_BRANCH,
                        "batching.journal.JournalSinkTest#whatIsHandedOnIsForcedThoughAFeedBesideTheJournalIsDownAndEachBatchIsGivenUp")
                .at(BUILDER, "discardPending")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "composite-within-a-composite-not-ended",
                        Kind.WRONG_BRANCH,
                        "batching.EndAfterAFailedEndTest#aJournalAmongSinksThatAreOneOfSeveralIsToldOfTheEndToo")
                .at(PACKAGE + "CompositeSink", "noteTaken")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
    }

    private void closing() {
        junit(
                        "batch-changed-from-within",
                        Kind.RECHECK_REMOVED,
                        "batching.CalledFromWithinTest#aHandlerThatIsCalledFromWithinSendsEachMessageOnceAndLosesNone")
                .at(BUILDER, "checkOutside")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "batcher-closed-from-within",
                        Kind.RECHECK_REMOVED,
                        "batching.CalledFromWithinTest#aBatcherIsNotClosedFromWithin")
                .at(PACKAGE + "Batcher", "onClose")
                .call(INTERNAL + "BatchBuilder", "checkOutside")
                .becomes(new Nothing());
        junit(
                        "batcher-close-loses-an-element",
                        Kind.STEP_REMOVED,
                        "batching.BatcherCloseTest#anElementThatDidNotFitBehindWhatAFailingSinkLeftGoesOutWhenTheBatcherIsClosed")
                .at(PACKAGE + "Batcher", "onClose")
                .call(INTERNAL + "Batcher", "addHeld")
                .becomes(new Nothing());
        junit(
                        "batcher-close-names-no-element",
                        Kind.WRONG_BRANCH,
                        "batching.BatcherCloseTest#anElementThatCannotBeEncodedIsNamedWhenTheBatcherIsClosedAndThoseBeforeItGoOut")
                .at(PACKAGE + "Batcher", "onClose")
                .jump(Opcodes.IFNONNULL)
                .number(2, 2)
                .becomes(new NeverJump());
        junit(
                        "stream-failed-reconnection-untold",
                        Kind.STEP_REMOVED,
                        SINKS_TEST + "aReconnectionThatFailsDoesNotHideWhyTheConnectionBroke")
                .at(PACKAGE + "StreamSink", "send")
                .call("java/io/IOException", "addSuppressed")
                .becomes(new Nothing());
    }
}
