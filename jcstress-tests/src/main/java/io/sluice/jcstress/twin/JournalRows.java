package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import org.objectweb.asm.Opcodes;

/** The rows that break the journal. */
final class JournalRows extends Rows {
    private static final String PACKAGE = "io.sluice.batching.journal.";
    private static final String JOURNAL = PACKAGE + "Journal";
    private static final String READER = PACKAGE + "JournalReader";
    private static final String INTERNAL = "io/sluice/batching/journal/";
    private static final String APPENDER = PACKAGE + "RecordAppender";
    private static final String WRITER = PACKAGE + "SegmentWriter";
    private static final String FILES = PACKAGE + "SegmentFiles";
    private static final String RECOVERY = PACKAGE + "TailRecovery";
    private static final String SPARE = PACKAGE + "SpareSegment";
    private static final String LOCK = PACKAGE + "FolderLock";
    private static final String CRASH = "batching.journal.CrashExplorerTest";
    private static final String SEGMENTS = "batching.journal.JournalSegmentsTest#";
    private static final String LOCKS = "batching.journal.JournalLockTest#";
    private static final String TIMED = "batching.journal.JournalTest#timedDurabilityForcesWhenTheIntervalIsOver";
    private static final String LULL = "batching.LullTest#";
    private static final String FULL = "batching.journal.FullDiskTest#";
    private static final String STORAGE = INTERNAL + "Storage";
    private static final String FILE = INTERNAL + "Storage$SegmentFile";

    JournalRows() {
        crashes();
        segments();
        damage();
        locks();
        times();
        fullDisk();
        sink();
    }

    private void fullDisk() {
        junit(
                        "journal-allocation-tried-at-once",
                        Kind.STEP_REMOVED,
                        FULL + "callsThatAreRepeatedAtOnceWriteNothingMore")
                .at(FILES, "checkMayTry")
                .call(INTERNAL + "SegmentFiles", "nanosToTry")
                .becomes(new Constant(0));
        junit("journal-full-disk-makes-a-busy-lull", Kind.STEP_REMOVED, FULL + "aBatcherOnAFullDiskIsIdleInALull")
                .at(APPENDER, "nanosToForce")
                .call(INTERNAL + "SegmentFiles", "nanosToTry")
                .becomes(new Constant(0));
        junit(
                        "journal-full-disk-puts-off-what-fits",
                        Kind.WRONG_BRANCH,
                        FULL + "whatFitsIsForcedInTimeThoughALongRecordFindsNoRoom")
                .at(APPENDER, "nanosToForce")
                .jump(Opcodes.IF_ICMPGE)
                .becomes(new AlwaysJump());
    }

    private void sink() {
        junit(
                        "journal-sink-appends-again",
                        Kind.WRONG_BRANCH,
                        "batching.journal.JournalSinkTest#whenTheDiskIsFullNothingIsAppendedTwice")
                .at(PACKAGE + "JournalSink", "send")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new NeverJump());
        junit(
                        "journal-first-sequence-without-bound",
                        Kind.RECHECK_REMOVED,
                        "batching.journal.JournalTest#aFirstSequenceThatLeavesNoRoomForOthersIsRefused")
                .at(PACKAGE + "JournalConfig", "firstSequence")
                .call("io/sluice/core/check/Check", "inRange")
                .becomes(new Nothing());
    }

    private void crashes() {
        junit("journal-epoch-not-written-again", Kind.STEP_REMOVED, CRASH)
                .at(RECOVERY, "recoverLast")
                .call(INTERNAL + "TailRecovery", "writeAgain")
                .becomes(new Nothing());
        junit("journal-epoch-before-not-written-again", Kind.STEP_REMOVED, CRASH)
                .at(RECOVERY, "isUnfinishedRoll")
                .call(INTERNAL + "TailRecovery", "writeAgain")
                .becomes(new Nothing());
        junit("journal-written-again-not-forced", Kind.STEP_REMOVED, CRASH)
                .at(RECOVERY, "writeAgain")
                .call(FILE, "force")
                .becomes(new Nothing());
        junit("journal-blank-of-a-failed-opening-trusted", Kind.RECHECK_REMOVED, CRASH)
                .at(RECOVERY, "blankTail")
                .call(STORAGE, "exists")
                .becomes(new Constant(0));
        junit("journal-blank-as-far-as-seen", Kind.WRONG_BRANCH, "batching.journal.FailedRepairTest")
                .at(RECOVERY, "blankTail")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "journal-closing-mark-overlooked",
                        Kind.RECHECK_REMOVED,
                        "batching.journal.DamageTest#aBitFlipInTheLastBatchOfAClosedJournalIsNoTornTailWhereThatBatchHasFilledItsSegment")
                .at(RECOVERY, "isUnfinishedRoll")
                .jump(Opcodes.IFEQ)
                .number(3, 3)
                .becomes(new AlwaysJump());
        junit(
                        "journal-dropped-before-a-look",
                        Kind.RECHECK_REMOVED,
                        "batching.journal.DamageTest#aDamagedJournalIsLeftAloneThoughItsLastSegmentIsEmpty")
                .at(RECOVERY, "isUnfinishedRoll")
                .call(INTERNAL + "TailRecovery", "checkUndamaged")
                .becomes(new Nothing());
        junit(
                        "journal-made-folder-not-forced",
                        Kind.STEP_REMOVED,
                        "batching.journal.FailingFolderTest#aFolderThatIsMadeIsForcedIntoTheOnesAboveIt")
                .at(PACKAGE + "DiskStorage", "createFolder")
                .call(INTERNAL + "DiskStorage", "forceFolder")
                .becomes(new Nothing());
        junit(
                        "journal-tail-not-blanked",
                        Kind.STEP_REMOVED,
                        "batching.journal.JournalTest#aTornTailIsReportedOrRepairedAsAsked")
                .at(RECOVERY, "blankTail")
                .call(INTERNAL + "TailRecovery", "blank")
                .becomes(new Nothing());
        junit("journal-acknowledged-without-force", Kind.STEP_REMOVED, CRASH)
                .at(WRITER, "force")
                .call(FILE, "force")
                .number(2, 2)
                .becomes(new Nothing());
        junit("journal-mapping-acknowledged-without-force", Kind.STEP_REMOVED, CRASH)
                .at(WRITER, "force")
                .call(FILE, "force")
                .number(1, 2)
                .becomes(new Nothing());
        junit("journal-header-not-forced", Kind.STEP_REMOVED, CRASH)
                .at(FILES, "create")
                .call(FILE, "force")
                .becomes(new Nothing());
        junit("journal-folder-not-forced", Kind.STEP_REMOVED, CRASH)
                .at(FILES, "create")
                .call(STORAGE, "forceFolder")
                .becomes(new Nothing());
        junit("journal-spare-not-forced", Kind.STEP_REMOVED, CRASH)
                .at(SPARE, "prepareStep")
                .call(FILE, "force")
                .becomes(new Nothing());
        junit("journal-spare-in-one-go-not-forced", Kind.STEP_REMOVED, CRASH)
                .at(SPARE, "prepareWhole")
                .call(FILE, "force")
                .becomes(new Nothing());
    }

    private void segments() {
        junit(
                        "journal-prepares-nothing",
                        Kind.STEP_REMOVED,
                        SEGMENTS + "acrossAHundredRollsNoAppendFillsOrForcesANewSegment")
                .at(JOURNAL, "endOfBatch")
                .call(INTERNAL + "RecordAppender", "prepareNext")
                .becomes(new Constant(0));
        junit(
                        "journal-prepares-from-the-start",
                        Kind.WRONG_BRANCH,
                        SEGMENTS + "eachBatchPreparesInProportionToWhatItAppended")
                .at(FILES, "prepareNext")
                .plain(Opcodes.IDIV)
                .becomes(new OpcodeInstead(Opcodes.IREM));
        junit(
                        "journal-spare-of-another-size",
                        Kind.RECHECK_REMOVED,
                        SEGMENTS + "aSpareOfAnotherSizeDoesNotKeepTheRightOneFromBeingMade")
                .at(SPARE, "lookForReadyFile")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit("journal-too-long-by-position", Kind.OFF_BY_ONE, SEGMENTS + "tooLongARecordIsRefusedWhereverItWouldStand")
                .at(JOURNAL, "append")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
        junit("journal-longest-refused", Kind.OFF_BY_ONE, SEGMENTS + "tooLongARecordIsRefusedWhereverItWouldStand")
                .at(JOURNAL, "append")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPLT));
        junit("journal-pad-to-the-very-end", Kind.OFF_BY_ONE, "batching.journal.JournalTest")
                .at(APPENDER, "sealEpoch")
                .jump(Opcodes.IF_ICMPLT)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPLE));
        junit("journal-close-drops-a-batch", Kind.WRONG_BRANCH, SEGMENTS + "closingOnAFullDiskKeepsABatchThatFits")
                .at(APPENDER, "forceIfThereIsRoom")
                .jump(Opcodes.IF_ACMPEQ)
                .becomes(new NeverJump());
        junit("journal-retired-unnoticed", Kind.RECHECK_REMOVED, SEGMENTS + "aReaderInASegmentThatIsUsedAgainIsToldSo")
                .at(READER, "moveToNextRecord")
                .call(INTERNAL + "SegmentCursor", "isStillThisSegment")
                .becomes(new Constant(1));
        junit(
                        "journal-end-not-checked",
                        Kind.RECHECK_REMOVED,
                        SEGMENTS + "theEndIsCheckedAgainAtTheSameOffsetOfTheNextSegmentAndWhenTheJournalHasGrown")
                .at(READER, "reasonForDamage")
                .call(INTERNAL + "SegmentCursor", "evidenceOfDamage")
                .becomes(new Constant(-1));
    }

    private void damage() {
        junit(
                        "journal-missing-segment-taken-for-the-end",
                        Kind.WRONG_BRANCH,
                        SEGMENTS + "aSegmentThatIsMissingStaysMissingHoweverOftenTheReaderIsAsked")
                .at(READER, "moveToNextSegment")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new AlwaysJump());
        junit(
                        "journal-failed-move-taken-for-the-end",
                        Kind.RECHECK_REMOVED,
                        SEGMENTS + "aMoveToTheNextSegmentThatFailedIsTriedAgain")
                .at(READER, "moveToNextRecord")
                .call(INTERNAL + "SegmentCursor", "isFinished")
                .becomes(new Constant(0));
        junit(
                        "journal-window-as-long-as-a-damaged-length",
                        Kind.RECHECK_REMOVED,
                        "batching.journal.DamageTest#aBitFlipInALengthTakesNoMemory")
                .at(PACKAGE + "SegmentCursor", "fillWithFrame")
                .call(INTERNAL + "SegmentCursor", "isIntactInFile")
                .becomes(new Constant(1));
    }

    private void locks() {
        junit(
                        "journal-lock-opened-again",
                        Kind.RECHECK_REMOVED,
                        LOCKS + "aRefusedSecondOpenInThisProcessLeavesTheOthersLockedOut")
                .at(LOCK, "tryLock")
                .call("java/util/Set", "contains")
                .number(1, 2)
                .becomes(new Constant(0))
                .at(LOCK, "tryLock")
                .call("java/util/Set", "contains")
                .number(1, 1)
                .becomes(new Constant(0))
                .at(LOCK, "tryLock")
                .plain(Opcodes.ICONST_0)
                .number(5, 5)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit(
                        "journal-lock-of-another-copy-closed",
                        Kind.WRONG_BRANCH,
                        LOCKS + "aCopyOfTheLibraryInAnotherClassLoaderDoesNotReleaseTheLock")
                .at(LOCK, "tryLock")
                .plain(Opcodes.ICONST_0)
                .number(5, 5)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit("journal-lock-linked", Kind.RECHECK_REMOVED, LOCKS + "anotherSpellingOfTheFolderIsTheSameJournal")
                .at(LOCK, "tryLock")
                .call("java/util/Set", "contains")
                .number(2, 2)
                .becomes(new Constant(0))
                .at(LOCK, "tryLock")
                .plain(Opcodes.ICONST_0)
                .number(5, 5)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        junit("journal-lock-kept", Kind.STEP_REMOVED, LOCKS + "aRefusedSecondOpenInThisProcessLeavesTheOthersLockedOut")
                .at(LOCK, "close")
                .call("java/nio/channels/FileChannel", "close")
                .becomes(new Nothing());
        junit(
                        "journal-lock-without-key-kept",
                        Kind.STEP_REMOVED,
                        "batching.journal.FailingFolderTest#aLockWhoseKeyCannotBeReadIsGivenBack")
                .at(LOCK, "tryLock")
                .call("java/nio/channels/FileChannel", "close")
                .number(4, 4) // where an exception leaves
                .becomes(new Nothing());
    }

    private void times() {
        junit("journal-interval-not-begun-again", Kind.STEP_REMOVED, TIMED)
                .at(APPENDER, "forceEpoch")
                .call("org/agrona/concurrent/NanoClock", "nanoTime")
                .becomes(new Constant(0));
        junit("journal-interval-one-late", Kind.OFF_BY_ONE, TIMED)
                .at(JOURNAL, "maintain")
                .jump(Opcodes.IFGT)
                .becomes(new OpcodeInstead(Opcodes.IFGE));
        junit("handler-not-asked-in-a-lull", Kind.STEP_REMOVED, LULL + "ofTwoSinksTheOneThatOwesAForceIsCalled")
                .at("io.sluice.ringbuffer.pipeline.LoopTimeouts", "checkTimeout")
                .call("io/sluice/ringbuffer/pipeline/LoopTimeouts", "askHandler")
                .becomes(new Nothing());
        junit(
                        "handler-not-told-at-its-end",
                        Kind.STEP_REMOVED,
                        LULL + "aRingThatIsClosedLeavesNothingUnforcedThoughTheJournalStaysOpen")
                .at("io.sluice.batching.BatchingHandler", "onShutdown")
                .call("java/io/Closeable", "close")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "journal-time-not-kept",
                        Kind.STEP_REMOVED,
                        "batching.journal.TimeAtTheEndsTest#behindTheLastRecordItsTimeStays")
                .at(READER, "next")
                .call(INTERNAL + "SegmentCursor", "timestamp")
                .becomes(new Constant(-1));
    }
}
