package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.SecondArgument;
import io.sluice.jcstress.twin.Change.SignalFirst;
import io.sluice.jcstress.twin.Change.StampFirst;
import io.sluice.jcstress.twin.Change.ThenCursor;
import io.sluice.jcstress.twin.Change.ThenProgress;
import org.objectweb.asm.Opcodes;

/** What is broken in the module ringbuffer, and what its tests notice of core. */
final class RingbufferRows extends Rows {
    private static final String CORE = "io.sluice.core.";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";

    RingbufferRows() {
        claims();
        publications();
        progress();
        ends();
        signals();
    }

    private void claims() {
        jcstress("single-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextSingleTest")
                .at(RING + "SingleProducer", "isGranted")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        jcstress("gating-minimum", Kind.GATE_IGNORED, "ringbuffer.TryNextSingleTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new CallInstead("max"));
        jcstress("multi-claim-room", Kind.GATE_IGNORED, "ringbuffer.TryNextMultiTest")
                .at(RING + "MultiProducer", "claim")
                .jump(Opcodes.IFLE)
                .number(1, 2)
                .becomes(new AlwaysJump());
        jcstress("multi-claim-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("multi-claim-at-once-cas", Kind.CAS_TO_SET, "ringbuffer.MultiClaimTest")
                .at(RING + "MultiProducer", "claimAtOnce")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void publications() {
        pinned("cursor-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        pinned("cursor-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "Barriers$BehindOne", "available")
                .call(SEQUENCE, "getAcquire")
                .becomes(new CallInstead("getPlain"));
        pinned("stamp-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "MultiProducerRing", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("stamp-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "MultiProducerRing", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        jcstress("cursor-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationSingleTest")
                .at(RING + "SingleProducer", "grant")
                .call(HANDLE, "setOpaque")
                .becomes(new ThenCursor());
        jcstress("stamp-early", Kind.PUBLISHED_EARLY, "ringbuffer.SlotPublicationMultiTest")
                .at(RING + "MultiProducer", "claim")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new StampFirst());
        jcstress("stamp-without-lap", Kind.STEP_REMOVED, "ringbuffer.WrapMultiTwoTest")
                .at(RING + "MultiProducerRing", "stamp")
                .call(RING_INTERNAL + "MultiProducerRing", "lap")
                .becomes(new Constant(0));
        jcstress("abort-mark-late-single", Kind.ORDER_SWAPPED, "ringbuffer.AbortSingleTest")
                .at(RING + "SingleProducer", "abortClaimed")
                .call(RING_INTERNAL + "AbortMarks", "mark")
                .becomes(new AtReturn());
        jcstress("abort-mark-late-multi", Kind.ORDER_SWAPPED, "ringbuffer.AbortMultiTest")
                .at(RING + "MultiProducer", "abortClaimed")
                .call(RING_INTERNAL + "AbortMarks", "mark")
                .becomes(new AtReturn());
        pinned("cursor-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "MultiProducerRing", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("stamp-acquire-opaque", Kind.TO_OPAQUE)
                .at(RING + "MultiProducerRing", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void progress() {
        jcstress("poller-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.WrapSingleOneTest")
                .at(RING + "EventPoller", "poll")
                .call(RING_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        jcstress("loop-progress-early", Kind.PROGRESS_EARLY, "ringbuffer.BarrierOneTest")
                .at(RING + "EventLoop", "batch")
                .call(RING_INTERNAL + "ConsumerNode", "enterBatch")
                .becomes(new ThenProgress());
        pinned("loop-progress-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "EventLoop", "batch")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setPlain"));
        jcstress("barrier-last-only", Kind.GATE_IGNORED, "ringbuffer.BarrierTwoTest")
                .at(CORE + "Sequences", "minimum")
                .call("java/lang/Math", "min")
                .becomes(new SecondArgument());
        pinned("loop-progress-opaque", Kind.TO_OPAQUE)
                .at(RING + "EventLoop", "batch")
                .call(SEQUENCE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("poller-progress-opaque", Kind.TO_OPAQUE)
                .at(RING + "EventPoller", "poll")
                .call(SEQUENCE, "setRelease")
                .number(1, 2)
                .becomes(new CallInstead("setOpaque"));
        pinned("gating-list-opaque", Kind.TO_OPAQUE)
                .at(RING + "Gating", "listAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void ends() {
        jcstress("single-wait-recheck", Kind.RECHECK_REMOVED, "ringbuffer.WaitingPublisherCloseSingleTest")
                .at(RING + "SingleProducer", "awaitRoom")
                .call(RING_INTERNAL + "SingleProducer", "refused")
                .number(2, 2)
                .becomes(new Constant(0));
        jcstress("single-close-unseen", Kind.RECHECK_REMOVED, "ringbuffer.CloseAgainstClaimSingleTest")
                .at(RING + "SingleProducer", "isGranted")
                .call("io/sluice/core/LifeCycle", "isRunning")
                .becomes(new Constant(1));
        jcstress("multi-close-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherCloseMultiTest")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-fail-untold", Kind.STEP_REMOVED, "ringbuffer.WaitingPublisherFailMultiTest")
                .at(RING + "ObjectRing", "fail")
                .call(RING_INTERNAL + "ObjectRing", "closeClaims")
                .becomes(new Nothing());
        jcstress("multi-drain-cas", Kind.CAS_TO_SET, "ringbuffer.DrainMultiTest")
                .at(RING + "MultiProducerRing", "closeClaims")
                .call(SEQUENCE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("drain-owner-fence", Kind.FENCE_REMOVED, "ringbuffer.DrainSingleTest")
                .at(RING + "AbstractProducer", "bindOwner")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setOpaque"))
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("loop-halt-unseen", Kind.RECHECK_REMOVED, "ringbuffer.HaltAgainstWorkTest")
                .at(RING + "AbstractLoop", "goesOn")
                .call(RING_INTERNAL + "ConsumerNode", "isHalted")
                .becomes(new Constant(0));
        jcstress("poller-end-recheck", Kind.RECHECK_REMOVED, "ringbuffer.FailurePropagationTest")
                .at(RING + "EventPoller", "poll")
                .call("io/sluice/core/SequenceBarrier", "available")
                .number(2, 2)
                .becomes(new Constant(-1));
        pinned("consumer-end-opaque", Kind.TO_OPAQUE)
                .at(RING + "ConsumerNode", "end")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("acknowledged-opaque", Kind.TO_OPAQUE)
                .at(RING + "SingleProducer", "refused")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }

    private void signals() {
        jcstress("signal-before-publication", Kind.ORDER_SWAPPED, "ringbuffer.PublishAgainstTimedParkTest")
                .at(RING + "SingleProducer", "publishClaimed")
                .call(SEQUENCE, "setRelease")
                .becomes(new SignalFirst());
        jcstress("close-wakes-nobody", Kind.STEP_REMOVED, "ringbuffer.CloseAgainstParkTest")
                .at(RING + "ObjectRing", "close")
                .call(RING_INTERNAL + "ObjectRing", "wakeAll")
                .becomes(new Nothing());
    }
}
