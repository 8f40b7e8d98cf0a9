package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.FlagCleared;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenExchange;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import io.sluice.jcstress.twin.Change.SignalFirst;
import io.sluice.jcstress.twin.Change.StampFirst;
import io.sluice.jcstress.twin.Change.ThenCursor;
import io.sluice.jcstress.twin.Change.ThenProgress;
import java.util.List;
import java.util.Locale;
import org.objectweb.asm.Opcodes;

/** The rows that break the module ringbuffer, and those that break core and are noticed by tests of ringbuffer. */
final class RingbufferRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String SPECIALIZE = "io.sluice.ringbuffer.specialize.";
    private static final String SPECIALIZE_INTERNAL = "io/sluice/ringbuffer/specialize/";
    private static final String CORE = "io.sluice.core.";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String CONFLATION = "io.sluice.core.conflation.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    RingbufferRows() {
        claims();
        publications();
        progress();
        ends();
        owners();
        signals();
        room();
        safePublications();
        loops();
        failures();
        lives();
        conflation();
        looks();
        waits();
    }

    private void conflation() {
        jcstress("conflation-offer-exchange", Kind.EXCHANGE_SPLIT, "ringbuffer.ConflationNewestTest")
                .at(CONFLATION + "LatestByKey", "offer")
                .call(HANDLE, "getAndSet")
                .becomes(new ReadThenExchange());
        jcstress("conflation-drain-exchange", Kind.EXCHANGE_SPLIT, "ringbuffer.ConflationNewestTest")
                .at(CONFLATION + "LatestByKey", "drain")
                .call(HANDLE, "getAndSet")
                .becomes(new ReadThenExchange());
        jcstress("conflation-queue-addition", Kind.ADD_SPLIT, "ringbuffer.ConflationQueueTest")
                .at(CONFLATION + "LatestByKey", "offer")
                .call(SEQUENCE, "getAndAdd")
                .becomes(new ReadThenAdd());
        junit(
                        "conflation-queue-too-short",
                        Kind.OFF_BY_ONE,
                        "core.conflation.LatestByKeyTest#allKeysMayBePendingAtOnce")
                .at(CONFLATION + "LatestByKey", "<init>")
                .plain(Opcodes.ICONST_2)
                .becomes(new OpcodeInstead(Opcodes.ICONST_1));
        pinned("conflation-key-opaque", Kind.TO_OPAQUE)
                .at(CONFLATION + "LatestByKey", "offer")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }

    private void claims() {
        jcstress("single-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextTest.Single")
                .at(RING + "SingleProducer", "isGranted")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        jcstress("gating-minimum", Kind.GATE_IGNORED, "ringbuffer.TryNextTest.Single")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        jcstress("multi-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextTest.Multi")
                .at(RING + "MultiProducer", "claim")
                .jump(Opcodes.IFLE)
                .number(1, 2)
                .becomes(new AlwaysJump());
        jcstress("multi-claim-up-to-tried-once", Kind.RECHECK_REMOVED, "ringbuffer.ClaimUpToTest")
                .at(RING + "MultiProducer", "tryNextUpTo")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        jcstress("multi-claim-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("multi-claim-at-once-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claimFast")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void publications() {
        pinned("cursor-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "SingleProducer", "store")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        pinned("cursor-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "Barriers$BehindOne", "available")
                .call(SEQUENCE, "getAcquire")
                .becomes(new CallInstead("getPlain"));
        pinned("stamp-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "ArrayStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("stamp-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "ArrayStamps", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        jcstress("cursor-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationTest.Single")
                .at(RING + "SingleProducer", "grant")
                .call(HANDLE, "setOpaque")
                .becomes(new ThenCursor());
        jcstress("stamp-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationTest.Multi")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new StampFirst());
        jcstress("stamp-without-lap", Kind.STEP_REMOVED, "ringbuffer.WrapTest.MultiTwo")
                .at(RING + "ArrayStamps", "stamp")
                .call(RING_INTERNAL + "ArrayStamps", "lap")
                .becomes(new Constant(0));
        jcstress("abort-mark-late-single", Kind.ORDER_SWAPPED, "ringbuffer.AbortTest.Single")
                .at(RING + "AbstractProducer", "abortClaimed")
                .call(RING_INTERNAL + "SlotMarks", "mark")
                .becomes(new AtReturn());
        jcstress("abort-mark-late-multi", Kind.ORDER_SWAPPED, "ringbuffer.AbortTest.Multi")
                .at(RING + "AbstractProducer", "abortClaimed")
                .call(RING_INTERNAL + "SlotMarks", "mark")
                .becomes(new AtReturn());
        pinned("cursor-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "store")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "ArrayStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-acquire-opaque", Kind.TO_OPAQUE)
                .at(RING + "ArrayStamps", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void progress() {
        jcstress("poller-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.WrapTest.SingleOne")
                .at(PIPELINE + "EventPoller", "deliverSlots")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        jcstress("loop-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.BarrierOneTest")
                .at(PIPELINE + "EventLoop", "batch")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        pinned("loop-progress-plain", Kind.RELEASE_TO_PLAIN)
                .at(PIPELINE + "EventLoop", "finished")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        jcstress("barrier-last-only", Kind.GATE_IGNORED, "ringbuffer.BarrierTwoTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        pinned("loop-progress-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "EventLoop", "finished")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("poller-progress-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "EventPoller", "publishProgress")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("gating-list-opaque", Kind.TO_OPAQUE)
                .at(RING + "GatingSequences", "listAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void ends() {
        jcstress("single-wait-recheck", Kind.RECHECK_REMOVED, "ringbuffer.WaitingPublisherCloseTest.Single")
                .at(RING + "SingleProducer", "claim")
                .call(RING_INTERNAL + "SingleProducer", "refused")
                .number(3, 3)
                .becomes(new Constant(0));
        jcstress("single-close-unseen", Kind.RECHECK_REMOVED, "ringbuffer.CloseAgainstClaimTest.Single")
                .at(RING + "SingleProducer", "isGranted")
                .call("io/sluice/core/LifeCycle", "isRunning")
                .becomes(new Constant(1));
        jcstress("multi-close-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherCloseTest.Multi")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-fail-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherFailTest.Multi")
                .at(RING + "ObjectRing", "fail")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-drain-cas", Kind.CAS_TO_SET, "ringbuffer.DrainTest.Multi")
                .at(RING + "MultiProducerRing", "closeClaims")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("drain-owner-late", Kind.STEP_REMOVED, "ringbuffer.DrainTest.Single")
                .at(RING + "SingleProducer", "claim")
                .call(RING_INTERNAL + "SingleProducer", "bindOwner")
                .becomes(new Nothing());
        pinned("drain-owner-fence", Kind.FENCE_REMOVED) // the compare-and-set is a fence on x86-64
                .at(RING + "AbstractProducer", "bindOwner")
                .call(HANDLE, "compareAndSet")
                .becomes(new CallInstead("weakCompareAndSetPlain"))
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("loop-halt-unseen", Kind.RECHECK_REMOVED, "ringbuffer.HaltAgainstWorkTest")
                .at(PIPELINE + "AbstractLoop", "canRun")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "control")
                .becomes(new Constant(0));
        jcstress("loop-end-recheck", Kind.RECHECK_REMOVED, "ringbuffer.FailureBehindALoopTest")
                .at(PIPELINE + "AbstractLoop", "onEmptyPoll")
                .call("io/sluice/core/SequenceBarrier", "available")
                .becomes(new Constant(-1));
        jcstress("poller-end-recheck", Kind.RECHECK_REMOVED, "ringbuffer.FailurePropagationTest")
                .at(PIPELINE + "EventPoller", "available")
                .call("io/sluice/core/SequenceBarrier", "available")
                .number(2, 2)
                .becomes(new Constant(-1));
        pinned("consumer-end-opaque", Kind.TO_OPAQUE)
                .at(PIPELINE + "ConsumerControl", "markEnded")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("acknowledged-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "refused")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }

    private void signals() {
        jcstress("signal-before-publication", Kind.ORDER_SWAPPED, "ringbuffer.PublishAgainstTimedParkTest")
                .at(RING + "SingleProducer", "store")
                .call(SEQUENCE, "setRelease")
                .becomes(new SignalFirst());
        jcstress("close-wakes-nobody", Kind.STEP_REMOVED, "ringbuffer.CloseAgainstParkTest")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "wakeAll")
                .becomes(new Nothing());
    }

    /** A producer belongs to the first thread that claims. */
    private void owners() {
        jcstress("owner-bound-by-two", Kind.CAS_TO_SET, "ringbuffer.ProducerOwnerTest")
                .at(RING + "AbstractProducer", "bindOwner")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        junit("claim-waits-where-the-last-one-ended", Kind.STEP_REMOVED, "ringbuffer.SecondWaitTest")
                .at(RING + "AbstractProducer", "stallEnded")
                .call("org/agrona/concurrent/IdleStrategy", "reset")
                .becomes(new Nothing());
        junit("ranges-rewired-in-silence", Kind.STEP_REMOVED, "ringbuffer.JoinBehindRangesTest")
                .at(PIPELINE + "AbstractLoop", "settle")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "signalDownstream")
                .becomes(new Nothing());
        junit("partition-batch-beyond-its-memory", Kind.OFF_BY_ONE, "ringbuffer.LongPartitionBatchTest")
                .at(PIPELINE + "AbstractLoop", "takeSettings")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        junit("worker-retries-on-a-failed-ring", Kind.RECHECK_REMOVED, "ringbuffer.WorkerOnAFailedRingTest")
                .at(PIPELINE + "LoopFailures", "workerGivesUp")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new AlwaysJump());
        junit("shedding-unseen-within-a-batch", Kind.RECHECK_REMOVED, "ringbuffer.RoomWithinABatchTest")
                .at(PIPELINE + "EventLoop", "handle")
                .call(RING_INTERNAL + "DropOldestRequest", "asked")
                .becomes(new Constant(-1));
        junit(
                        "closed-producer-contends",
                        Kind.STEP_REMOVED,
                        "ringbuffer.EndedProducersTest#producersWhoseThreadsHaveEndedAreNotCountedAsOpen")
                .at(RING + "MultiProducerRing", "forget")
                .call(HANDLE, "setOpaque")
                .becomes(new Nothing());
        junit("owner-unbound-by-a-new-limit", Kind.STEP_REMOVED, "ringbuffer.ClaimFormsTest")
                .at(RING + "AbstractProducer", "newLimit")
                .call(RING_INTERNAL + "AbstractProducer", "bindOwner")
                .becomes(new Nothing());
        junit("owner-unchecked-single-claim", Kind.RECHECK_REMOVED, "ringbuffer.ClaimFormsTest")
                .at(RING + "AbstractProducer", "bindOwner")
                .call(RING_INTERNAL + "AbstractProducer", "checkOwner")
                .becomes(new Nothing())
                .at(RING + "SingleProducer", "claim")
                .call(RING_INTERNAL + "SingleProducer", "checkOwner")
                .becomes(new Nothing());
        junit("owner-unchecked-multi-claim", Kind.RECHECK_REMOVED, "ringbuffer.ClaimFormsTest")
                .at(RING + "AbstractProducer", "bindOwner")
                .call(RING_INTERNAL + "AbstractProducer", "checkOwner")
                .becomes(new Nothing())
                .at(RING + "MultiProducer", "claim")
                .call(RING_INTERNAL + "MultiProducer", "checkOwner")
                .becomes(new Nothing());
        for (String kind : List.of("Single", "Multi")) {
            String producer = kind + "Producer";
            junit(
                            "owner-unchecked-abort-" + kind.toLowerCase(Locale.ROOT),
                            Kind.RECHECK_REMOVED,
                            "ringbuffer.ClaimFormsTest")
                    .at(RING + producer, "abort")
                    .call(RING_INTERNAL + producer, "checkOwner")
                    .becomes(new Nothing());
        }
        for (String kind : List.of("Single", "Multi")) {
            String producer = kind + "Producer";
            junit(
                            "owner-unchecked-close-" + kind.toLowerCase(Locale.ROOT),
                            Kind.RECHECK_REMOVED,
                            "ringbuffer.ClaimFormsTest")
                    .at(RING + producer, "close")
                    .call(RING_INTERNAL + producer, "checkMayClose")
                    .becomes(new Nothing());
        }
        junit(
                        "dump-forgets-the-retained",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.monitor.RingMonitorTest#whatAStallOfARingThatRetainsEventsWaitsForIsNamed")
                .at(RING + "monitor.RingDump", "producer")
                .call(RING_INTERNAL + "FollowedRing", "window")
                .becomes(new Constant(8)); // the capacity there
        junit(
                        "unnamed-rings-alike",
                        Kind.STEP_REMOVED,
                        "ringbuffer.monitor.RingMonitorTest#ringsWithoutANameGetOneEach")
                .at(RING + "ObjectRing", "<init>")
                .call("java/util/concurrent/atomic/AtomicLong", "incrementAndGet")
                .becomes(new Constant(1));
        junit(
                        "watch-given-back-by-anybody",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.monitor.RingMonitorTest#everyWaitingProducerIsSeenThoughOneTookOverFromAnEndedThread")
                .at(RING + "AllProducerCounters", "leave")
                .call(RING_INTERNAL + "ProducerCounters", "isUsedBy")
                .becomes(new Constant(1));
        junit(
                        "watch-never-given-back",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.monitor.RingMonitorTest#theWatchOfAClosedProducerServesTheNext")
                .at(RING + "AllProducerCounters", "leave")
                .call(RING_INTERNAL + "ProducerCounters", "isUsedBy")
                .becomes(new Constant(0));
    }

    private void room() {
        junit(
                        "single-full-one-early",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.pipeline.BadInputTest#publishingBeforeTheStartIsAllowedUpToTheCapacity")
                .at(RING + "AbstractProducer", "newLimit")
                .plain(Opcodes.LADD)
                .becomes(new OpcodeInstead(Opcodes.LSUB));
        junit("multi-full-one-early", Kind.OFF_BY_ONE, "ringbuffer.ClaimsTest")
                .at(RING + "MultiProducer", "claim")
                .jump(Opcodes.IFLE)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.IFLT));
        junit("multi-claim-one-short", Kind.OFF_BY_ONE, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(RING + "MultiProducer", "lastOf")
                .plain(Opcodes.LSUB)
                .becomes(new OpcodeInstead(Opcodes.LADD));
        junit(
                        "single-claim-up-to-one",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.pipeline.ConsumersTest#tryNextUpToTakesWhatThereIs")
                .at(RING + "SingleProducer", "tryNextUpTo")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        junit("count-one-refused", Kind.OFF_BY_ONE, "ringbuffer.ClaimsTest")
                .at(RING + "AbstractProducer", "checkCount")
                .jump(Opcodes.IF_ICMPLT)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPLE));
        junit(
                        "count-above-capacity-allowed",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.BadInputTest#aClaimOfTooFewOrTooMany")
                .at(RING + "AbstractProducer", "checkCount")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
        junit(
                        "claim-interrupt-unseen",
                        Kind.INTERRUPT_LOST,
                        "ringbuffer.ClaimLimitsTest#aWaitingClaimCanBeInterruptedAndKeepsTheFlag")
                .at(RING + "AbstractProducer", "waitOnce")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Constant(0));
        junit(
                        "claim-interrupt-flag-lost",
                        Kind.INTERRUPT_LOST,
                        "ringbuffer.ClaimLimitsTest#aWaitingClaimCanBeInterruptedAndKeepsTheFlag")
                .at(RING + "AbstractProducer", "waitOnce")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new FlagCleared());
        junit("claim-waits-for-ever", Kind.WRONG_BRANCH, "ringbuffer.ClaimLimitsTest#aClaimHasATimeLimit")
                .at(RING + "AbstractProducer", "waitOnce")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit(
                        "claim-waits-for-itself",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.SelfDeadlockTest#noSelfDeadlockGoesUndetected")
                .at(RING + "AbstractProducer", "checkNotInVain")
                .call(RING_INTERNAL + "Followers", "checkNotRunBy")
                .becomes(new Nothing());
        junit(
                        "claim-waits-for-its-own-claim",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.SelfDeadlockTest#noSelfDeadlockGoesUndetected")
                .at(RING + "AbstractProducer", "checkNotInVain")
                .jump(Opcodes.IFLT)
                .becomes(new AlwaysJump());
        junit(
                        "claim-waits-for-the-dead",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#aWaitForAConsumerThatHasEndedIsRefusedWhileTheRingRuns")
                .at(RING + "AbstractProducer", "checkNotInVain")
                .call(RING_INTERNAL + "Followers", "checkNoneEnded")
                .becomes(new Nothing());
        junit(
                        "publish-order-unchecked",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.BadInputTest#publishingWhatIsNotClaimedOrNotNext")
                .at(RING + "SingleProducer", "publish(JJ)V")
                .call(RING_INTERNAL + "SingleProducer", "checkNextInOrder")
                .becomes(new Nothing());
        junit(
                        "publish-behind-an-abort-cut-off",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.FailedProducerCallsTest#whatIsPublishedBehindAnAbortThatWasCutOffBehindItsMarksIsHandled")
                .at(RING + "SingleProducer", "publish(JJ)V")
                .jump(Opcodes.IFEQ)
                .number(1, 2)
                .becomes(new NeverJump());
        junit(
                        "publish-claim-unchecked",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.BadInputTest#publishingWhatIsNotClaimedWithManyProducers")
                .at(RING + "MultiProducer", "publish(JJ)V")
                .call(RING_INTERNAL + "MultiProducer", "checkOpen")
                .becomes(new Nothing());
        junit(
                        "publish-one-claim-unchecked",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.BadInputTest#publishingWhatIsNotClaimedWithManyProducers")
                .at(RING + "MultiProducer", "publish(J)V")
                .call(RING_INTERNAL + "MultiProducer", "checkOpen")
                .becomes(new Nothing());
        junit(
                        "earlier-claims-forgotten",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ClaimRangesTest#aRangeOverTwoAdjacentClaimsIsPublishedByBothKinds")
                .at(RING + "MultiProducer", "keepLast")
                .call(RING_INTERNAL + "OpenClaims", "add")
                .becomes(new Nothing());
        String waits = "ringbuffer.FailedProducerCallsTest#aWaitWhoseIdleStrategyFailsAtItsEndLeavesNoClaimOpen";
        junit("multi-failed-wait-keeps-its-claim", Kind.STEP_REMOVED, waits)
                .at(RING + "MultiProducer", "endWait")
                .call(RING_INTERNAL + "MultiProducer", "abortAfter")
                .becomes(new Nothing());
        junit("multi-wait-never-ends", Kind.STEP_REMOVED, waits)
                .at(RING + "MultiProducer", "endWait")
                .call(RING_INTERNAL + "MultiProducer", "stallEnded")
                .becomes(new Nothing());
        String closed =
                "ringbuffer.ProducerWithinItsIdleStrategyTest#whoClaimsByAProducerThatIsClosedAtTheEndOfItsWaitIsToldSo";
        junit("multi-closed-at-the-end-of-a-wait", Kind.RECHECK_REMOVED, closed)
                .at(RING + "MultiProducer", "endWait")
                .call(RING_INTERNAL + "MultiProducer", "isClosed")
                .becomes(new Constant(0));
        junit("single-closed-at-the-end-of-a-wait", Kind.RECHECK_REMOVED, closed)
                .at(RING + "SingleProducer", "claim")
                .call(RING_INTERNAL + "SingleProducer", "refused")
                .number(2, 3)
                .becomes(new Constant(0));
        junit(
                        "closed-within-its-wait-goes-on-waiting",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ProducerWithinItsIdleStrategyTest#aProducerThatIsClosedWithinItsWaitDoesNotCountAsWaitingAnyMore")
                .at(RING + "AllProducerCounters", "leave")
                .call(RING_INTERNAL + "ProducerCounters", "stallEnds")
                .becomes(new Nothing());
        String besideAnother =
                "ringbuffer.OvertakenAndSettledTest#aMessageThatIsClaimedInAWaitIsNotLostToTheClaimThatWaited";
        junit("message-single-granted-beside-another", Kind.RECHECK_REMOVED, besideAnother)
                .at(RING + "MessageSingleProducer", "checkWaitedFor")
                .call(RING_INTERNAL + "MessageSingleProducer", "checkNoOpenClaim")
                .becomes(new Nothing());
        junit("message-multi-granted-beside-another", Kind.RECHECK_REMOVED, besideAnother)
                .at(RING + "MultiProducer", "claim")
                .call(RING_INTERNAL + "MultiProducer", "checkWaitedFor")
                .becomes(new Nothing());
        junit(
                        "event-granted-behind-an-open-claim",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.OvertakenAndSettledTest#anEventIsNotPublishedBehindAClaimThatTheIdleStrategyOfItsWaitHasLeftOpen")
                .at(RING + "SingleProducer", "claim")
                .call(RING_INTERNAL + "SingleProducer", "checkWaitedFor")
                .becomes(new Nothing());
        usedWithin();
        junit(
                        "claim-wait-outlives-the-ring",
                        Kind.STEP_REMOVED,
                        "ringbuffer.FailedProducerCallsTest#nobodyIsSaidToWaitOnceTheEndOfTheRingHasEndedTheWait")
                .at(RING + "AbstractProducer", "claimSlowNoInline")
                .call(RING_INTERNAL + "AbstractProducer", "stallEnded")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "multi-cut-off-publication-lost",
                        Kind.STEP_REMOVED,
                        "ringbuffer.FailedProducerCallsTest#aPublicationThatTheEndOfTheStackCutsOffIsNotLost")
                .at(RING + "MultiProducer", "publishClaimed")
                .plain(Opcodes.LADD)
                .number(4, 4)
                .becomes(new OpcodeInstead(Opcodes.LAND));
        junit(
                        "claims-record-grows",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ClaimRangesTest#claimsAlwaysInFlightKeepABoundedRecord")
                .at(RING + "OpenClaims", "makeRoom")
                .call(RING_INTERNAL + "OpenClaims", "forgetBelow")
                .becomes(new Nothing());
    }

    private void safePublications() {
        junit(
                        "translator-failure-no-abort",
                        Kind.STEP_REMOVED,
                        "ringbuffer.TranslatorTest#aTranslatorThatThrowsPublishesNothing")
                .at(RING + "AbstractProducer", "abortAfter")
                .call(RING_INTERNAL + "AbstractProducer", "abortStillOpen")
                .becomes(new Nothing());
        junit(
                        "translator-failure-published",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.TranslatorTest#aTranslatorThatThrowsPublishesNothing")
                .at(RING + "AbstractProducer", "abortAfter")
                .call(RING_INTERNAL + "AbstractProducer", "abortStillOpen")
                .becomes(new CallInstead("publishClaimed"));
        junit(
                        "single-close-leaves-claims",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#closingAProducerAbortsItsOpenClaims")
                .at(RING + "SingleProducer", "close")
                .call(RING_INTERNAL + "SingleProducer", "abortClaimed")
                .becomes(new Nothing());
        junit(
                        "multi-close-leaves-claims",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#closingAProducerAbortsItsOpenClaims")
                .at(RING + "MultiProducer", "close")
                .call(RING_INTERNAL + "OpenClaims", "forEach")
                .becomes(new Nothing());
        junit(
                        "abort-mark-missing",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#endOfBatchIsOnTheLastLiveEventWhereverSlotsAreAborted")
                .at(RING + "SlotMarks", "mark")
                .call(SEQUENCE, "raiseTo")
                .becomes(new Nothing());
        junit("abort-mark-off-by-one", Kind.OFF_BY_ONE, "ringbuffer.SlotMarksTest#exactlyWhatWasMarkedIsPassedOver")
                .at(RING + "SlotMarks", "anyFrom")
                .jump(Opcodes.IFLT)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit("abort-mark-of-another-lap", Kind.WRONG_BRANCH, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(RING + "SlotMarks", "isSkipped")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit("stamp-of-this-lap-unseen", Kind.OFF_BY_ONE, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(RING + "ArrayStamps", "isStamped")
                .jump(Opcodes.IFLT)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit(
                        "cursor-one-ahead",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.CursorTest#theCursorOfARingWithoutConsumersStopsBeforeAnOpenClaim")
                .at(RING + "Stamps", "highestStamped")
                .plain(Opcodes.LSUB)
                .becomes(new OpcodeInstead(Opcodes.LADD));
        junit(
                        "single-publish-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ConsumersInSightTest#dependentsParkAndAreWokenByTheirUpstream")
                .at(RING + "SingleProducer", "publishClaimed")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit(
                        "multi-publish-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ConsumersInSightTest#dependentsParkAndAreWokenByTheirUpstream")
                .at(RING + "MultiProducer", "publishClaimed")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
    }

    private void loops() {
        junit(
                        "progress-within-a-batch-comes-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ProgressWithinABatchTest#whatProgressHasGivenAwayDoesNotComeAgainWhateverTheHandlerReturns")
                .at(PIPELINE + "BatchLoop", "batch")
                .call("java/lang/Math", "max")
                .number(2, 2)
                .becomes(new CallInstead("min"));
        junit(
                        "message-left-in-turn-forgets-its-attempts",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.MessageMeetingFeaturesTest#aMessageThatFailsAndIsLeftInTurnIsNotTriedForEver")
                .at(PIPELINE + "LoopFailures", "forgetAttemptsBut")
                .jump(Opcodes.IFEQ)
                .becomes(new NeverJump());
        junit(
                        "idle-of-a-neighbour-no-longer-woken",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.RemovalTest#oneWhoseFormerNeighbourOnItsThreadHasLeftIsStillWoken")
                .at(PIPELINE + "SignalWiring", "disconnect")
                .call("java/util/stream/Stream", "noneMatch")
                .becomes(new Constant(1));
        junit(
                        "threads-inherit-daemon",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#whatADaemonStartsIsNoDaemon")
                .at("io.sluice.ringbuffer.pipeline.PipelineSettings", "newThread")
                .call("java/lang/Thread", "setDaemon")
                .becomes(new Nothing());
        junit("loop-yields-to-contenders", Kind.WRONG_BRANCH, "ringbuffer.pipeline.ConsumersTest")
                .at(PIPELINE + "AbstractLoop", "yieldsBeforeWaiting")
                .call(RING_INTERNAL + "FollowedRing", "producersContend")
                .becomes(new Constant(0));
        junit("loop-batch-beyond-publication", Kind.GATE_IGNORED, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(PIPELINE + "EventLoop", "batch")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        junit(
                        "loop-batch-one-longer",
                        Kind.OFF_BY_ONE,
                        "ringbuffer.pipeline.ConsumersTest#batchesAreCutAtAQuarterOfTheRingAndAtTheLimit")
                .at(PIPELINE + "EventLoop", "batch")
                .plain(Opcodes.LSUB)
                .number(2, 5)
                .becomes(new OpcodeInstead(Opcodes.LADD));
        junit(
                        "loop-end-of-batch-on-an-aborted-one",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#endOfBatchIsOnTheLastLiveEventWhereverSlotsAreAborted")
                .at(PIPELINE + "EventLoop", "lastDue")
                .call(RING_INTERNAL + "SlotMarks", "isSkipped")
                .becomes(new Constant(0));
        junit(
                        "loop-aborted-delivered",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#endOfBatchIsOnTheLastLiveEventWhereverSlotsAreAborted")
                .at(PIPELINE + "EventLoop", "due")
                .call(RING_INTERNAL + "SlotMarks", "isSkipped")
                .becomes(new Constant(0));
        junit("loop-no-batch-end", Kind.STEP_REMOVED, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(PIPELINE + "EventLoop", "batch")
                .call(PIPELINE_INTERNAL + "EventHandler", "onBatchEnd")
                .becomes(new Nothing());
        junit(
                        "loop-progress-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.ConsumersInSightTest#dependentsParkAndAreWokenByTheirUpstream")
                .at(PIPELINE + "EventLoop", "finished")
                .call("io/sluice/core/SignalGroup", "signal")
                .becomes(new Nothing());
        junit("loop-no-progress", Kind.STEP_REMOVED, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(PIPELINE + "EventLoop", "finished")
                .call(SEQUENCE, "setRelease")
                .becomes(new Nothing());
        junit(
                        "batch-loop-aborted-delivered",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#aBatchHandlerGetsLiveRangesAndMayReturnEarly")
                .at(PIPELINE + "BatchLoop", "lastOfLive")
                .call(RING_INTERNAL + "SlotMarks", "isSkipped")
                .becomes(new Constant(0));
        junit(
                        "batch-loop-starts-at-an-aborted-one",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#aBatchHandlerGetsLiveRangesAndMayReturnEarly")
                .at(PIPELINE + "BatchLoop", "due")
                .call(RING_INTERNAL + "SlotMarks", "isSkipped")
                .becomes(new Constant(0));
        junit(
                        "batch-loop-progress-lowered",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.HandlerContractTest#progressAheadOfWhatABatchHandlerReturnsStands")
                .at(PIPELINE + "BatchLoop", "batch")
                .call("java/lang/Math", "max")
                .number(2, 2)
                .becomes(new CallInstead("min"));
        junit(
                        "batch-loop-not-tried-again",
                        Kind.STEP_REMOVED,
                        "ringbuffer.HandlerContractTest#aBatchHandlerThatFinishedNothingIsCalledAgainThoughNobodySignals")
                .at(PIPELINE + "BatchLoop", "finished")
                .call(PIPELINE_INTERNAL + "BatchLoop", "tryAgainSoon")
                .becomes(new Nothing());
        junit(
                        "poller-no-progress",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#aPollerHandsOverUpToTheLimitAndTheFailedEventAgain")
                .at(PIPELINE + "EventPoller", "deliverSlots")
                .call(PIPELINE_INTERNAL + "EventPoller", "publishProgress")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "poller-no-progress-at-a-failure",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#aPollerHandsOverUpToTheLimitAndTheFailedEventAgain")
                .at(PIPELINE + "EventPoller", "deliverSlots")
                .call(PIPELINE_INTERNAL + "EventPoller", "publishProgress")
                .number(2, 2)
                .becomes(new Nothing());
        junit(
                        "batch-size-of-the-whole-ring",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#batchesAreCutAtAQuarterOfTheRingAndAtTheLimit")
                .at(PIPELINE + "ConsumerNode", "batchSize")
                .plain(Opcodes.LDIV)
                .becomes(new OpcodeInstead(Opcodes.LMUL));
        junit(
                        "batch-size-ignores-its-limit",
                        Kind.GATE_IGNORED,
                        "ringbuffer.pipeline.ConsumersTest#batchesAreCutAtAQuarterOfTheRingAndAtTheLimit")
                .at(PIPELINE + "ConsumerNode", "batchSize")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        junit(
                        "progress-unbounded",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.FailurePolicyTest#progressIsBoundedAndOnlyFromWithinTheHandler")
                .at(PIPELINE + "ConsumerNode", "progress")
                .call("io/sluice/core/check/Check", "inRange")
                .becomes(new Nothing());
        junit("stamp-barrier-forgets", Kind.STEP_REMOVED, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(RING + "StampBarrier", "available")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
        junit("barrier-of-several-reads-once", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.RandomGraphModelTest")
                .at(RING + "Barriers$BehindAll", "available")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
    }

    private void failures() {
        junit("error-goes-on", Kind.WRONG_BRANCH, "ringbuffer.pipeline.FailurePolicyTest#anErrorAlwaysHalts")
                .at(PIPELINE + "LoopFailures", "decide")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "attempts-uncounted",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FailurePolicyTest#retriesAreBoundedAndThenHaltOrSkip")
                .at(PIPELINE + "LoopFailures", "failed")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit("failure-untold", Kind.STEP_REMOVED, "ringbuffer.ReleasedPublishersTest#aHandlerThatThrowsIsVisible")
                .at(PIPELINE + "LoopFailures", "failRing")
                .call(RING_INTERNAL + "FollowedRing", "fail")
                .becomes(new Nothing());
        junit("failure-unrecorded", Kind.STEP_REMOVED, "ringbuffer.ReleasedPublishersTest#aHandlerThatThrowsIsVisible")
                .at(PIPELINE + "LoopFailures", "failRing")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "failed")
                .becomes(new Nothing());
        junit(
                        "failure-goes-on",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.FailurePolicyTest#haltEndsSiblingsAtTheCursorAndDependentsAtTheLastFinishedBatch")
                .at(PIPELINE + "LoopFailures", "failRing")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "end")
                .becomes(new Nothing());
        junit("failure-unreported", Kind.STEP_REMOVED, "ringbuffer.pipeline.FailureReportTest")
                .at(PIPELINE + "LoopFailures", "failRing")
                .call(PIPELINE_INTERNAL + "LoopFailures", "tell")
                .becomes(new Nothing());
        junit("failure-at-shutdown-unreported", Kind.STEP_REMOVED, "ringbuffer.pipeline.FailureReportTest")
                .at(PIPELINE + "AbstractLoop", "onClose")
                .call(PIPELINE_INTERNAL + "AbstractLoop", "tell")
                .number(1, 2)
                .becomes(new Nothing());
        junit(
                        "failure-noted-late",
                        Kind.STEP_REMOVED,
                        "ringbuffer.pipeline.NoMemoryTest#withNoStackLeftTheEventIsNotHandedOverAgain")
                .at(PIPELINE + "EventLoop", "batch")
                .plain(Opcodes.ICONST_1)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.ICONST_0));
        junit("failure-unrehearsed", Kind.STEP_REMOVED, "ringbuffer.pipeline.NoMemoryTest")
                .at(PIPELINE + "Pipeline", "on")
                .call(PIPELINE_INTERNAL + "FailurePathWarmUp", "done")
                .becomes(new Nothing());
        junit("thread-failure-unreported", Kind.STEP_REMOVED, "ringbuffer.pipeline.FailureReportTest")
                .at(PIPELINE + "PipelineThreads", "failThread")
                .call(PIPELINE_INTERNAL + "FailureReports", "failed")
                .becomes(new Constant(1));
        junit("leftover-unreported", Kind.STEP_REMOVED, "ringbuffer.pipeline.FailureReportTest")
                .at(PIPELINE + "PipelineConsumers", "closed")
                .call(PIPELINE_INTERNAL + "FailureReports", "left")
                .becomes(new Nothing());
        junit("drain-of-a-failed-ring-returns", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.FailureReportTest")
                .at(RING + "ObjectRing", "drain")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit("await-waits-for-the-paused", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.MeetingFeaturesTest")
                .at(PIPELINE + "PipelineThreads", "noConsumerRuns")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "isPaused")
                .becomes(new Constant(0));
        junit("await-waits-for-nobody", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.MeetingFeaturesTest")
                .at(PIPELINE + "PipelineThreads", "noConsumerRuns")
                .call("java/lang/Thread", "isAlive")
                .becomes(new Constant(1));
        junit(
                        "poll-within-poll",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MeetingFeaturesTest#aPollFromWithinAPollIsRefusedAndNothingIsHandedOverTwice")
                .at(PIPELINE + "EventPoller", "poll")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "checkNotInHandler")
                .becomes(new Nothing());
        junit(
                        "work-within-work",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MeetingFeaturesTest#aProcessorWorkedFromWithinItsHandlerIsRefused")
                .at(PIPELINE + "AbstractLoop", "canRun")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "checkNotInHandler")
                .number(2, 2)
                .becomes(new Nothing());
        junit(
                        "join-shares-an-idle",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MeetingFeaturesTest#aJoinIsRefusedTheIdleStrategyOfAnotherThread")
                .at(PIPELINE + "ConsumerMembership", "join")
                .call(PIPELINE_INTERNAL + "ConsumerRegistry", "checkIdleFree")
                .becomes(new Nothing());
        junit(
                        "join-of-a-worker-shares-an-idle",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.MeetingFeaturesTest#aJoinIsRefusedTheIdleStrategyOfAnotherThread")
                .at(PIPELINE + "ConsumerMembership", "joinWorkers")
                .call(PIPELINE_INTERNAL + "ConsumerRegistry", "checkIdleFree")
                .becomes(new Nothing());
        junit("join-half-way-gates", Kind.STEP_REMOVED, "ringbuffer.pipeline.MeetingFeaturesTest")
                .at(PIPELINE + "Join", "processor(J)Lio/sluice/ringbuffer/pipeline/EventProcessor;")
                .call(PIPELINE_INTERNAL + "Join", "undo")
                .becomes(new Nothing());
        junit("join-of-a-thread-half-way-gates", Kind.STEP_REMOVED, "ringbuffer.pipeline.MeetingFeaturesTest")
                .at(PIPELINE + "Join", "run")
                .call(PIPELINE_INTERNAL + "Join", "undo")
                .becomes(new Nothing());
        junit("copies-for-whom-they-outlive", Kind.GATE_IGNORED, "ringbuffer.pipeline.UnloadTest")
                .at(SPECIALIZE + "HiddenClassSpecializer", "make")
                .call(SPECIALIZE_INTERNAL + "HiddenClassSpecializer", "keepsUs")
                .becomes(new Constant(1));
        junit("first-cause-overwritten", Kind.CAS_TO_SET, "ringbuffer.pipeline.FailurePolicyTest")
                .at(PIPELINE + "ConsumerNode", "failed")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        junit(
                        "dependents-stop-at-once",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.FailurePolicyTest#haltEndsSiblingsAtTheCursorAndDependentsAtTheLastFinishedBatch")
                .at(PIPELINE + "AbstractLoop", "onEmptyPoll")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "upstreamEnded")
                .becomes(new Constant(0));
        junit("endless-retry", Kind.RECHECK_REMOVED, "ringbuffer.pipeline.FailurePolicyTest#haltEndsAnEndlessRetry")
                .at(PIPELINE + "LoopFailures", "givesUp")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "control")
                .becomes(new Constant(0));
        junit(
                        "rewind-beyond-own-progress",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FailurePolicyTest#rewindGoesBackNoFurtherThanTheHandlersOwnProgress")
                .at(PIPELINE + "EventLoop", "handle")
                .call(SEQUENCE, "getPlain")
                .number(2, 2)
                .becomes(new Constant(-1));
    }

    private void lives() {
        junit("drain-claims-untold", Kind.STEP_REMOVED, "ringbuffer.EndsTest")
                .at(RING + "ObjectRing", "drain")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        lincheck(
                        "drain-claims-untold-lincheck",
                        Kind.STEP_REMOVED,
                        "LifeCycleLincheckTest#theClaimsOfManyProducersEndAtOneMoment")
                .at(RING + "ObjectRing", "drain")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        lincheck("multi-claim-cas-lincheck", Kind.CAS_TO_SET, "RingLincheckTest")
                .at(RING + "MultiProducer", "claimFast")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        lincheck(
                        "single-drain-not-exact-lincheck",
                        Kind.RECHECK_REMOVED,
                        "LifeCycleLincheckTest#drainOfOneProducerIsExactOnceItIsQuiescent")
                .at(RING + "SingleProducerRing", "openProducers")
                .call(RING_INTERNAL + "SingleProducer", "isQuiescent")
                .becomes(new Constant(1));
        junit(
                        "drain-forgets-producers",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.EndsTest#drainTellsOfASingleProducerThatMayStillClaim")
                .at(RING + "ObjectRing", "leftover")
                .call(RING_INTERNAL + "ObjectRing", "openProducers")
                .becomes(new Constant(0));
        junit(
                        "drain-forgets-open-claims",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.pipeline.ConsumersTest#closingAProducerAbortsItsOpenClaims")
                .at(RING + "ObjectRing", "leftover")
                .call(RING_INTERNAL + "ObjectRing", "isPublished")
                .becomes(new Constant(1));
        junit("drain-interrupt-unseen", Kind.INTERRUPT_LOST, "ringbuffer.EndsTest")
                .at(RING + "ObjectRing", "drain")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Constant(0));
        junit(
                        "close-halts-nobody",
                        Kind.STEP_REMOVED,
                        "ringbuffer.EndOrdersTest#nothingPublishedIsLostInAnyOrderOfStartPublishDrainAndClose")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "Followers", "halt")
                .becomes(new Nothing());
        junit("close-does-not-wait", Kind.STEP_REMOVED, "ringbuffer.EndsTest")
                .at(PIPELINE + "PipelineThreads", "awaitEnd")
                .call("java/lang/Thread", "isAlive")
                .becomes(new Constant(0));
        junit(
                        "close-from-a-handler",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.HandlerContractTest#closeAndDrainFromAnyHandlerMethodAreRefused")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "Followers", "checkMayWait")
                .becomes(new Nothing());
        junit("claim-close-one-try", Kind.WRONG_BRANCH, "ringbuffer.EndsTest")
                .at(RING + "MultiProducerRing", "closeClaims")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new Constant(1));
        junit("gating-remove-wrong", Kind.WRONG_BRANCH, "ringbuffer.EndsTest")
                .at(RING + "GatingSequences", "remove")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new NeverJump());
    }

    private void looks() {
        junit(
                        "drain-looks-once",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.LastConsumerLeavesTest#theOpenClaimIsCountedThoughTheLastConsumerLeavesMeanwhile")
                .at(RING + "ObjectRing", "leftover")
                .call(RING_INTERNAL + "GatingSequences", "size")
                .becomes(new Constant(1));
        junit(
                        "cursor-far-below-zero",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.LastConsumerLeavesTest#theCursorStandsBeforeTheOpenClaimThoughTheLastConsumerLeavesMeanwhile")
                .at(RING + "StampedSingleRing", "highestPublished")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit(
                        "failure-without-its-method",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.FailureReportTest#aFailureWhereThereIsNoEventIsReportedToo")
                .at(PIPELINE + "ConsumerNode", "failedWhere")
                .jump(Opcodes.IFNONNULL)
                .becomes(new NeverJump());
        junit(
                        "counters-update-throws",
                        Kind.RECHECK_REMOVED,
                        "ringbuffer.counters.CountersFileTest#whoJoinsAFullFileWaitsForTheRoomOfWhoHasLeft")
                .at(RING + "counters.CountersFile$Entry", "noRoom")
                .call("java/util/List", "contains")
                .becomes(new Constant(0));
        junit(
                        "counters-room-not-looked-for",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.counters.CountersFileTest#whoJoinsAFullFileWaitsForTheRoomOfWhoHasLeft")
                .at(RING + "counters.CountersFile", "allocate([IZIILjava/lang/String;Ljava/lang/String;)Z")
                .jump(Opcodes.IF_ICMPGE)
                .number(2, 3)
                .becomes(new AlwaysJump());
        String unreadable =
                "ringbuffer.counters.CountersFileTest#aRingThatCannotBeReadDoesNotKeepTheOthersFromBeingWritten";
        junit("counters-unreadable-ring-untold", Kind.STEP_REMOVED, unreadable)
                .at(RING + "counters.CountersFile", "update")
                .call("io/sluice/ringbuffer/counters/CountersFile$Entry", "tell")
                .becomes(new Nothing());
        junit("counters-unreadable-ring-told-each-time", Kind.WRONG_BRANCH, unreadable)
                .at(RING + "counters.CountersFile$Entry", "tell")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
    }

    /** A translator, a buffer or an idle strategy uses the producer that has called it. */
    private void usedWithin() {
        String translators = "ringbuffer.UseWithinTranslatorTest#";
        junit(
                        "filled-stored-behind-later-claims",
                        Kind.WRONG_BRANCH,
                        translators + "whatItPublishesBehindItsOwnIsNotTakenBack")
                .at(RING + "SingleProducer", "publishFilled")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "multi-filled-not-looked-at",
                        Kind.RECHECK_REMOVED,
                        translators + "anEarlierClaimOfManyProducersStaysItsOwn")
                .at(RING + "MultiProducer", "publishFilled")
                .call(RING_INTERNAL + "MultiProducer", "checkNotUsedWithin")
                .becomes(new Nothing());
        junit(
                        "closed-unused-not-bound",
                        Kind.STEP_REMOVED,
                        "ringbuffer.UnboundCloseTest#aFirstClaimOfTheOneProducerFindsItClosed")
                .at(RING + "AbstractProducer", "checkMayClose")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(0));
        String offered = "ringbuffer.OfferedBufferTest#noMessageThatOthersHavePublishedMeanwhileIsWrittenOver";
        junit("offered-written-over-another", Kind.RECHECK_REMOVED, offered)
                .at(RING + "MessageProducer", "put")
                .call(RING_INTERNAL + "MessageClaims", "checkOpenUpTo")
                .becomes(new Nothing());
        junit("offered-address-written-over-another", Kind.RECHECK_REMOVED, offered)
                .at(RING + "MessageProducer", "putByItsOwnCalls")
                .call(RING_INTERNAL + "MessageClaims", "checkOpenUpTo")
                .number(1, 2)
                .becomes(new Nothing());
        junit("offered-header-written-over-another", Kind.RECHECK_REMOVED, offered)
                .at(RING + "MessageProducer", "offerAll")
                .call(RING_INTERNAL + "MessageClaims", "checkOpenUpTo")
                .becomes(new Nothing());
        junit(
                        "message-time-limit-begins-again",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.ProducerWithinItsIdleStrategyTest#aMessageThatBeginsElsewhereBehindItsWaitKeepsToItsTimeLimit")
                .at(RING + "MessageSingleProducer", "blockSlow")
                .jump(Opcodes.IFEQ)
                .number(4, 4)
                .becomes(new AlwaysJump());
        junit(
                        "overtaken-claim-not-known",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.OvertakenProducerTest#whatIsOvertakenIsSettledLikeAnyOther")
                .at(RING + "MultiProducer", "checkOpen")
                .call(RING_INTERNAL + "MultiProducer", "isOvertaken")
                .becomes(new Constant(0));
        junit(
                        "drain-refused-behind-aborts",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.DrainBehindAbortsTest#whoHasOnlyAbortedClaimsBeforeItMayWaitForOthers")
                .at(PIPELINE + "PipelineConsumers", "checkNotAwaitedBy(Ljava/lang/Thread;Ljava/lang/String;JZ)V")
                .jump(Opcodes.IFEQ)
                .number(3, 3)
                .becomes(new AlwaysJump());
    }

    private void waits() {
        junit(
                        "await-refused-for-later-events",
                        Kind.GATE_IGNORED,
                        "ringbuffer.SelfDeadlockTest#whoHasFinishedAnEventAwaitsTheOthersThoughItIsBehind")
                .at(PIPELINE + "PipelineConsumers", "checkNotAwaitedBy(Ljava/lang/Thread;Ljava/lang/String;JZ)V")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        junit(
                        "claim-refused-for-one-that-left-room",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.pipeline.ConsumersTest#aWaitForALivingConsumerIsNotRefusedThoughAFurtherOneHasEnded")
                .at(PIPELINE + "PipelineConsumers", "checkNoneEnded")
                .jump(Opcodes.IFGE)
                .becomes(new NeverJump());
    }
}
