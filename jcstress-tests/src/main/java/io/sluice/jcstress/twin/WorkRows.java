package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.ThenProgress;
import org.objectweb.asm.Opcodes;

/** The rows that break the sharing of events by workers, their division by key, and their early end. */
final class WorkRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    WorkRows() {
        jcstress("work-take-cas", Kind.CAS_TO_SET, "ringbuffer.WorkSharingTest")
                .at(PIPELINE + "WorkerPoolState", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("work-mark-release", Kind.VOLATILE_TO_RELEASE, "ringbuffer.WorkSharingTest")
                .at(PIPELINE + "WorkerPoolState", "mark")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setRelease"));
        jcstress("work-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.WorkHandOverTest")
                .at(PIPELINE + "EventLoop", "handle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .number(1, 2)
                .becomes(new ThenProgress());
        jcstress("work-signal-left-out", Kind.STEP_REMOVED, "ringbuffer.WorkAgainstParkTest")
                .at(PIPELINE + "AbstractLoop", "finishShared")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        lincheck("work-take-cas-lincheck", Kind.CAS_TO_SET, "WorkerPoolStateLincheckTest")
                .at(PIPELINE + "WorkerPoolState", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit(
                        "work-take-cas-threads",
                        Kind.CAS_TO_SET,
                        "ringbuffer.pipeline.WorkerPoolThreadsTest#workersComeAndGoWhileProducersPublish")
                .at(PIPELINE + "WorkerPoolState", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit(
                        "work-signal-left-out-threads",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.WorkerPoolThreadsTest#noWakeUpIsLost")
                .at(PIPELINE + "AbstractLoop", "finishShared")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit(
                        "work-stage-not-failed",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.WorkerPoolTest#aJoinedWorkerIsWaitedForByThoseWhoFollowWhenTheRingFails")
                .at(PIPELINE + "LoopFailures", "failRing")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "failStage")
                .becomes(new Nothing());
        junit(
                        "gap-kept-behind-another",
                        Kind.STEP_REMOVED,
                        "ringbuffer.GapTimeTest#aConsumerThatIsPutBehindAnotherOneIsDueForNoLook")
                .at(PIPELINE + "LoopTimeouts", "checkStalledClaim")
                .call("io/sluice/ringbuffer/StalledClaimDetector", "forget")
                .becomes(new Nothing());
        junit(
                        "work-stage-not-failed-cut-off",
                        Kind.STEP_REMOVED,
                        "ringbuffer.WorkerOnAFailedRingTest#nobodyGoesOnBehindAWorkerWhoseHaltWasCutOff")
                .at(PIPELINE + "ConsumerNode", "failStage")
                .call(PIPELINE_INTERNAL + "ConsumerNode$Owner", "forEachConsumer")
                .becomes(new Nothing());
        junit("partition-of-others", Kind.GATE_IGNORED, "ringbuffer.pipeline.PartitionTest#manyKeysOnThreads")
                .at(PIPELINE + "EventLoop", "readKeys")
                .call(PIPELINE_INTERNAL + "Partition", "isOwn")
                .becomes(new Constant(1));
        junit("finish-mark-missing", Kind.STEP_REMOVED, "ringbuffer.pipeline.FinishedEventTest#onThreads")
                .at(PIPELINE + "ConsumerNode", "finish")
                .call(RING_INTERNAL + "SlotMarks", "mark")
                .becomes(new Nothing());
        junit(
                        "finish-outside-an-event",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.FinishedEventTest#aWorkerFinishesNothingOutsideItsEvents")
                .at(PIPELINE + "ConsumerNode", "finish")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "checkInBatch")
                .becomes(new Nothing());
        junit("finished-forgotten-with-who-left", Kind.STEP_REMOVED, "ringbuffer.pipeline.FinishedEventTest")
                .at(PIPELINE + "ConsumerNode", "finishedBefore")
                .jump(Opcodes.IFNONNULL)
                .becomes(new NeverJump());
        junit("finished-not-known-to-a-joiner", Kind.STEP_REMOVED, "ringbuffer.pipeline.FinishedEventTest")
                .at(PIPELINE + "ConsumerNode", "finishedByUpstream")
                .jump(Opcodes.IFNULL)
                .number(3, 3)
                .becomes(new AlwaysJump());
        jcstress("work-progress-cas", Kind.CAS_TO_SET, "ringbuffer.WorkProgressTest")
                .at(PIPELINE + "WorkerPoolState", "move")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        lincheck("work-progress-cas-lincheck", Kind.CAS_TO_SET, "WorkerPoolStateLincheckTest#progressNeverGoesBack")
                .at(PIPELINE + "WorkerPoolState", "move")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        lincheck(
                        "work-beaten-mover-looks-no-more",
                        Kind.RECHECK_REMOVED,
                        "WorkerPoolStateLincheckTest#ofTwoWorkersThatFinishAtOnceTheOneThatIsBeatenLooksAgain")
                .at(PIPELINE + "WorkerPoolState", "move")
                .jump(Opcodes.IFEQ)
                .becomes(new NeverJump());
        pinned("work-mark-read-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(PIPELINE + "WorkerPoolState", "move")
                .call(HANDLE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
        pinned("work-progress-read-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(PIPELINE + "WorkerPoolState", "move")
                .call(SEQUENCE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
    }
}
