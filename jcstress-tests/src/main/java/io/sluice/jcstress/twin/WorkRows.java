package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.ThenProgress;

/** What is broken where events are shared by workers, divided by key, or finished early. */
final class WorkRows extends Rows {
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    WorkRows() {
        jcstress("work-take-cas", Kind.CAS_TO_SET, "ringbuffer.WorkSharingTest")
                .at(RING + "WorkSharing", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("work-mark-release", Kind.VOLATILE_TO_RELEASE, "ringbuffer.WorkSharingTest")
                .at(RING + "WorkSharing", "finish")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setRelease"));
        jcstress("work-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.WorkHandOverTest")
                .at(RING + "WorkLoop", "handles")
                .call(RING_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        jcstress("work-signal-left-out", Kind.STEP_REMOVED, "ringbuffer.WorkAgainstParkTest")
                .at(RING + "WorkLoop", "handles")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        lincheck("work-take-cas-lincheck", Kind.CAS_TO_SET, "WorkSharingLincheckTest")
                .at(RING + "WorkSharing", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit(
                        "work-take-cas-threads",
                        Kind.CAS_TO_SET,
                        "ringbuffer.WorkerPoolThreadsTest#workersComeAndGoWhileProducersPublish")
                .at(RING + "WorkSharing", "take")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit("work-signal-left-out-threads", Kind.STEP_REMOVED, "ringbuffer.WorkerPoolThreadsTest#noWakeUpIsLost")
                .at(RING + "WorkLoop", "handles")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit(
                        "work-stage-not-failed",
                        Kind.STEP_REMOVED,
                        "ringbuffer.WorkerPoolTest#aJoinedWorkerIsWaitedForByThoseWhoFollowWhenTheRingFails")
                .at(RING + "WorkLoop", "handles")
                .call(RING_INTERNAL + "ConsumerNode", "failStage")
                .becomes(new Nothing());
        junit("partition-of-others", Kind.GATE_IGNORED, "ringbuffer.PartitionTest#manyKeysOnThreads")
                .at(RING + "PartitionLoop", "batch")
                .call(RING_INTERNAL + "Partition", "isOwn")
                .becomes(new Constant(1));
        junit("finish-mark-missing", Kind.STEP_REMOVED, "ringbuffer.FinishedEventTest#onThreads")
                .at(RING + "ConsumerNode", "finish")
                .call(RING_INTERNAL + "AbortMarks", "mark")
                .becomes(new Nothing());
        pinned("work-progress-cas", Kind.CAS_TO_SET)
                .at(RING + "WorkSharing", "finish")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        pinned("work-mark-read-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(RING + "WorkSharing", "finish")
                .call(HANDLE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
        pinned("work-progress-read-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(RING + "WorkSharing", "finish")
                .call(SEQUENCE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
    }
}
