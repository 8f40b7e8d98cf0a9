package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenAdd;
import io.sluice.jcstress.twin.Change.ReadThenExchange;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import org.objectweb.asm.Opcodes;

/** The rows that break the buffer that rings of bytes, records and counters lie in. */
final class BufferRows extends Rows {
    private static final String BYTES = "io.sluice.core.bytes.";
    private static final String INTERNAL = "io/sluice/core/bytes/";
    private static final String BUFFER = BYTES + "SafeBuffer";
    private static final String TEST = "core.bytes.SafeBufferTest#";
    private static final String SAME_AS_AGRONA = "core.bytes.SameAsAgronaTest#randomCallsDoTheSame";

    BufferRows() {
        claims();
        modes("Long");
        modes("Int");
        fences();
        updates();
        checks();
    }

    private void claims() {
        jcstress("buffer-acquire-blind", Kind.GATE_IGNORED, "core.BufferReleaseTest")
                .at(BUFFER, "getLongAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new Constant(3)); // what the writer releases
        jcstress("buffer-volatile", Kind.VOLATILE_TO_RELEASE, "core.BufferVolatileTest.Longs")
                .at(BUFFER, "putLongVolatile")
                .call(HANDLE, "setVolatile")
                .becomes(new CallInstead("setRelease"));
        jcstress("buffer-byte-fence", Kind.FENCE_REMOVED, "core.BufferVolatileTest.Bytes")
                .at(BUFFER, "putByteVolatile")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
        jcstress("buffer-compare-and-set-long", Kind.CAS_TO_SET, "core.BufferCompareAndSetTest.Longs")
                .at(BUFFER, "compareAndSetLong")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("buffer-compare-and-set-int", Kind.CAS_TO_SET, "core.BufferCompareAndSetTest.Ints")
                .at(BUFFER, "compareAndSetInt")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("buffer-get-and-add-long", Kind.ADD_SPLIT, "core.BufferGetAndAddTest.Longs")
                .at(BUFFER, "getAndAddLong")
                .call(HANDLE, "getAndAdd")
                .becomes(new ReadThenAdd());
        jcstress("buffer-get-and-add-int", Kind.ADD_SPLIT, "core.BufferGetAndAddTest.Ints")
                .at(BUFFER, "getAndAddInt")
                .call(HANDLE, "getAndAdd")
                .becomes(new ReadThenAdd());
    }

    /** x86 orders plain moves as release and acquire do, and no compiler here moves them across an access to a buffer. */
    private void modes(String type) {
        String name = "buffer-" + type.toLowerCase(java.util.Locale.ROOT);
        pinned(name + "-release-plain", Kind.RELEASE_TO_PLAIN)
                .at(BUFFER, "put" + type + "Release")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("set"));
        pinned(name + "-release-opaque", Kind.TO_OPAQUE)
                .at(BUFFER, "put" + type + "Release")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned(name + "-acquire-plain", Kind.ACQUIRE_TO_PLAIN)
                .at(BUFFER, "get" + type + "Acquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("get"));
        pinned(name + "-acquire-opaque", Kind.TO_OPAQUE)
                .at(BUFFER, "get" + type + "Acquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
    }

    private void fences() {
        pinned("buffer-byte-release-fence", Kind.FENCE_REMOVED)
                .at(BUFFER, "putByteVolatile")
                .call(HANDLE, "releaseFence")
                .becomes(new Nothing());
        pinned("buffer-byte-acquire-fence", Kind.FENCE_REMOVED)
                .at(BUFFER, "getByteVolatile")
                .call(HANDLE, "acquireFence")
                .becomes(new Nothing());
        pinned("buffer-byte-read-fence", Kind.FENCE_REMOVED)
                .at(BUFFER, "getByteVolatile")
                .call(HANDLE, "fullFence")
                .becomes(new Nothing());
    }

    private void updates() {
        junit("buffer-add-release-long", Kind.ADD_SPLIT, TEST + "twoThreadsLoseNoUpdate")
                .at(BUFFER, "addLongRelease")
                .call(HANDLE, "getAndAddRelease")
                .becomes(new ReadThenAdd());
        junit("buffer-add-release-int", Kind.ADD_SPLIT, TEST + "twoThreadsLoseNoUpdate")
                .at(BUFFER, "addIntRelease")
                .call(HANDLE, "getAndAddRelease")
                .becomes(new ReadThenAdd());
        jcstress("buffer-get-and-set-long", Kind.EXCHANGE_SPLIT, "core.BufferGetAndSetTest.Longs")
                .at(BUFFER, "getAndSetLong")
                .call(HANDLE, "getAndSet")
                .becomes(new ReadThenExchange());
        jcstress("buffer-get-and-set-int", Kind.EXCHANGE_SPLIT, "core.BufferGetAndSetTest.Ints")
                .at(BUFFER, "getAndSetInt")
                .call(HANDLE, "getAndSet")
                .becomes(new ReadThenExchange());
        junit("buffer-compare-and-exchange-blind", Kind.CAS_TO_SET, SAME_AS_AGRONA)
                .at(BUFFER, "compareAndExchangeLong")
                .call(HANDLE, "compareAndExchange")
                .becomes(new Constant(0));
    }

    private void checks() {
        junit("buffer-open-after-close", Kind.STEP_REMOVED, TEST + "afterTheEndEachAccessIsRefused")
                .at(BUFFER, "close")
                .call(INTERNAL + "SafeBuffer", "drop")
                .becomes(new Nothing());
        junit("buffer-nothing-read-after-close", Kind.RECHECK_REMOVED, TEST + "afterTheEndEachAccessIsRefused")
                .at(BYTES + "ViewedBytes", "boundsCheck")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("buffer-over-a-closed-one", Kind.RECHECK_REMOVED, TEST + "nothingIsOverAClosedBuffer")
                .at(BYTES + "ViewedBytes", "wrap(Lorg/agrona/DirectBuffer;II)V")
                .call(INTERNAL + "ViewedBytes", "checkOpen")
                .becomes(new Nothing());
        junit("buffer-owner-wrapped", Kind.RECHECK_REMOVED, TEST + "whatOwnsItsMemoryIsNotWrapped")
                .at(BYTES + "ViewedBytes", "take")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("buffer-end-unchecked", Kind.WRONG_BRANCH, TEST + "accessOutsideSaysWhereTheEndsAre")
                .at(BYTES + "ViewedBytes", "boundsCheck")
                .jump(Opcodes.IF_ICMPLE)
                .becomes(new AlwaysJump());
        junit("buffer-misaligned-unnamed", Kind.WRONG_BRANCH, TEST + "atomicAccessIsAligned")
                .at(BYTES + "ViewedBytes", "refused")
                .jump(Opcodes.IFNE)
                .number(2, 2)
                .becomes(new NeverJump());
        junit("buffer-filled-one-too-far", Kind.OFF_BY_ONE, SAME_AS_AGRONA)
                .at(BYTES + "PlainBytes", "setMemory")
                .jump(Opcodes.IF_ICMPGE)
                .number(1, 2)
                .becomes(new OpcodeInstead(Opcodes.IF_ICMPGT));
    }
}
