package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import org.objectweb.asm.Opcodes;

/** The rows that break rings of bytes, where they have code of their own. */
final class BytesRows extends Rows {
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";
    private static final String TEST = "ringbuffer.pipeline.ByteSlotsTest#";

    BytesRows() {
        publications();
        slots();
    }

    private void publications() {
        pinned("slot-stamp-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(RING + "SlotStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned("slot-stamp-release-opaque", Kind.TO_OPAQUE)
                .at(RING + "SlotStamps", "stamp")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("slot-stamp-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(RING + "SlotStamps", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        pinned("slot-stamp-acquire-opaque", Kind.TO_OPAQUE)
                .at(RING + "SlotStamps", "available")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        junit("slot-stamps-not-filled", Kind.PUBLISHED_EARLY, "ringbuffer.CursorTest")
                .at(RING + "SlotStamps", "<init>")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new AlwaysJump());
        junit("slot-last-is-born-published", Kind.OFF_BY_ONE, TEST + "anEmptyRingHandsOutNothingHoweverFewSlotsItHas")
                .at(RING + "SlotStamps", "<init>")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPGE));
        junit(
                        "slot-last-of-a-range-not-published",
                        Kind.OFF_BY_ONE,
                        TEST + "handlersTranslatorsAndClaimsSeeTheSameSlots")
                .at(RING + "StampingProducer", "store")
                .jump(Opcodes.IFGT)
                .becomes(new OpcodeInstead(Opcodes.IFGE));
        junit("slot-cursor-of-what-is-overwritten", Kind.WRONG_BRANCH, "ringbuffer.CursorTest")
                .at(RING + "StampedSingleRing", "highestPublished")
                .plain(Opcodes.LSUB)
                .number(1, 2)
                .becomes(new OpcodeInstead(Opcodes.LADD));
        junit("slot-publication-not-known", Kind.STEP_REMOVED, TEST + "producersFollowEachOtherOnARingForOneAtATime")
                .at(RING + "StampedSingleRing", "newProducer")
                .call(SEQUENCE, "setRelease")
                .becomes(new Nothing());
    }

    private void slots() {
        junit("slot-offset-without-wrap", Kind.WRONG_BRANCH, TEST + "handlersTranslatorsAndClaimsSeeTheSameSlots")
                .at(RING + "ByteSlots", "offset")
                .plain(Opcodes.IAND)
                .becomes(new OpcodeInstead(Opcodes.IOR));
        junit(
                        "slot-length-one-too-long",
                        Kind.OFF_BY_ONE,
                        TEST + "aSlotHasItsStampBesideItAndAPayloadOfUpTo56BytesNeverLeavesTheLineOfItsStamp")
                .at(RING + "ByteSlots", "strideOf")
                .jump(Opcodes.IF_ICMPGT)
                .becomes(new AlwaysJump());
        junit("slots-beyond-one-buffer", Kind.RECHECK_REMOVED, TEST + "moreBytesThanOneBufferHolds")
                .at(RING + "ByteSlots", "of")
                .jump(Opcodes.IFLE)
                .becomes(new AlwaysJump());
        junit(
                        "slots-not-aligned",
                        Kind.STEP_REMOVED,
                        TEST + "aSlotHasItsStampBesideItAndAPayloadOfUpTo56BytesNeverLeavesTheLineOfItsStamp")
                .at(RING + "ByteSlots", "<init>")
                .jump(Opcodes.IFNE)
                .becomes(new Change.NeverJump());
        junit("slot-cleared-ahead-of-the-retained", Kind.OFF_BY_ONE, TEST + "aClearerEmptiesNothingThatIsRetained")
                .at(RING + "pipeline.EventLoop", "handle")
                .plain(Opcodes.LSUB)
                .number(5, 8)
                .becomes(new OpcodeInstead(Opcodes.LADD));
        junit(
                        "slot-late-stamp-seen",
                        Kind.WRONG_BRANCH,
                        "ringbuffer.CursorTest#theCursorOfARingWithoutConsumersStopsBeforeAnOpenClaim")
                .at(RING + "SlotStamps", "isStamped")
                .jump(Opcodes.IFLT)
                .becomes(new Change.NeverJump());
    }
}
