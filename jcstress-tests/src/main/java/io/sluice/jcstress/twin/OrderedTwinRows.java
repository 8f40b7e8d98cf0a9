package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.CallInstead;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import io.sluice.jcstress.twin.Change.TurnFirst;
import org.objectweb.asm.Opcodes;

/** The twins of the ordered scheduler's tests. */
final class OrderedTwinRows extends Rows {
    private static final String BUFFER = "io.sluice.ordered.OrderBuffer";
    private static final String ADMISSION = "io.sluice.ordered.Admission";
    private static final String DELIVERY = "io.sluice.ordered.Delivery";
    private static final String FAILURES = "io.sluice.ordered.FailureHandling";
    private static final String BUFFER_INTERNAL = "io/sluice/ordered/OrderBuffer";
    private static final String DELIVERY_INTERNAL = "io/sluice/ordered/Delivery";

    OrderedTwinRows() {
        turns();
        deliveries();
        tickets();
        ends();
        accesses();
    }

    private void turns() {
        jcstress("ordered-word-cas", Kind.CAS_TO_SET, "ordered.TwoTicketsTest")
                .at(BUFFER, "casWord")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("ordered-filling-recheck", Kind.RECHECK_REMOVED, "ordered.TwoTicketsTest")
                .at(BUFFER, "leave(IJILjava/lang/Object;)I")
                .call(BUFFER_INTERNAL, "wordAcquire")
                .number(2, 2)
                .becomes(new Constant(0));
        jcstress("ordered-turn-by-store", Kind.CAS_TO_SET, "ordered.DuplicateTest")
                .at(BUFFER, "takeTurn")
                .jump(Opcodes.IFEQ)
                .number(1, 4)
                .becomes(new NeverJump());
        jcstress("ordered-former-drainer", Kind.RECHECK_REMOVED, "ordered.FormerDrainerTest")
                .at(BUFFER, "takeTurn")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        jcstress("ordered-id-not-taken-back", Kind.STEP_REMOVED, "ordered.DrainerGoesOnTest")
                .at(BUFFER, "passTurn")
                .call(BUFFER_INTERNAL, "becomeDrainer")
                .becomes(new Nothing());
        jcstress("ordered-hand-over-cas", Kind.CAS_TO_SET, "ordered.HandOverTest")
                .at("io.sluice.ordered.HandOver", "take")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void deliveries() {
        jcstress("ordered-turn-early", Kind.ORDER_SWAPPED, "ordered.VisibilityTest")
                .at(DELIVERY, "deliverInTurn")
                .call(DELIVERY_INTERNAL, "deliver")
                .becomes(new TurnFirst());
        jcstress("ordered-room-before-slot", Kind.ORDER_SWAPPED, "ordered.WrapTest.One")
                .at(BUFFER, "freeSlot")
                .call(BUFFER_INTERNAL, "wordRelease")
                .becomes(new AtReturn());
        jcstress("ordered-failure-dropped", Kind.STEP_REMOVED, "ordered.ThrowTest")
                .at(DELIVERY, "deliver")
                .call("io/sluice/ordered/FailureHandling", "handle")
                .becomes(new Nothing());
        jcstress("ordered-stage-untold", Kind.STEP_REMOVED, "ordered.StagesTest")
                .at(FAILURES, "recordOutcome")
                .call(DELIVERY_INTERNAL, "tryTrash")
                .becomes(new Constant(1));
    }

    private void tickets() {
        jcstress("ordered-claim-cas", Kind.CAS_TO_SET, "ordered.AdmissionTest")
                .at(ADMISSION, "tryIssue")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
        jcstress("ordered-claim-room", Kind.GATE_IGNORED, "ordered.AdmissionTest")
                .at(ADMISSION, "tryIssue")
                .call("io/sluice/ordered/Admission", "hasRoom")
                .number(2, 2)
                .becomes(new Constant(1));
        jcstress("ordered-close-wakes-nobody", Kind.STEP_REMOVED, "ordered.CloseAgainstParkTest")
                .at(ADMISSION, "wakeTakersAtEnd")
                .call("io/sluice/ordered/Admission", "wakeTakers")
                .becomes(new Nothing());
        jcstress("ordered-wakes-nobody", Kind.STEP_REMOVED, "ordered.ParkTest")
                .at(ADMISSION, "isAwaited")
                .call(HANDLE, "getVolatile")
                .becomes(new Constant(0));
    }

    private void ends() {
        jcstress("ordered-kill-untold", Kind.STEP_REMOVED, "ordered.CloseTest")
                .at(BUFFER, "tryMarkDead")
                .call(BUFFER_INTERNAL, "casWord")
                .becomes(new Constant(1));
    }

    /** Defects that x86 does not show, where every compare-and-set is a fence. */
    private void accesses() {
        pinned("ordered-turn-plain", Kind.RELEASE_TO_PLAIN)
                .at(BUFFER, "casWord")
                .call(HANDLE, "compareAndSet")
                .becomes(new CallInstead("weakCompareAndSetPlain"));
        pinned("ordered-word-release-opaque", Kind.TO_OPAQUE)
                .at(BUFFER, "wordRelease")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("ordered-word-acquire-opaque", Kind.TO_OPAQUE)
                .at(BUFFER, "wordAcquire")
                .call(HANDLE, "getAcquire")
                .becomes(new CallInstead("getOpaque"));
        pinned("ordered-tail-opaque", Kind.TO_OPAQUE)
                .at(BUFFER, "freeSlot")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("ordered-limit-opaque", Kind.TO_OPAQUE)
                .at(ADMISSION, "hasRoom")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
        pinned("ordered-waiting-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(ADMISSION, "isAwaited")
                .call(HANDLE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
        pinned("ordered-blocking-turn-acquire", Kind.VOLATILE_TO_RELEASE)
                .at(BUFFER, "hasTurnVolatile")
                .call(HANDLE, "getVolatile")
                .becomes(new CallInstead("getAcquire"));
        pinned("ordered-hand-over-opaque", Kind.TO_OPAQUE)
                .at("io.sluice.ordered.HandOver", "give")
                .call(HANDLE, "setRelease")
                .becomes(new CallInstead("setOpaque"));
    }
}
