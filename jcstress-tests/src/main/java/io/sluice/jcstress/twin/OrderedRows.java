package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import org.objectweb.asm.Opcodes;

/** What is broken in the module ordered-scheduler. */
final class OrderedRows extends Rows {
    private static final String BUFFER = "io.sluice.ordered.OrderBuffer";
    private static final String ADMISSION = "io.sluice.ordered.Admission";
    private static final String SCHEDULER = "io.sluice.ordered.OrderedScheduler";

    OrderedRows() {
        turns();
        tickets();
        turnsAndEnds();
    }

    private void turns() {
        lincheck("ordered-cas", Kind.CAS_TO_SET, "OrderedSchedulerLincheckTest")
                .at(BUFFER, "casWord")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void tickets() {
        lincheck("ordered-ticket-cas", Kind.CAS_TO_SET, "OrderedSchedulerLincheckTest")
                .at(ADMISSION, "tryIssue")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void turnsAndEnds() {
        lincheck("ordered-filling-passed", Kind.WRONG_BRANCH, "OrderedSchedulerLincheckTest")
                .at(BUFFER, "leave(IJILjava/lang/Object;)I")
                .call("io/sluice/ordered/OrderBuffer", "casWord")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("ordered-item-kept", Kind.REFERENCE_KEPT, "ordered.OrderBufferTest")
                .at(BUFFER, "take")
                .plain(Opcodes.AASTORE)
                .becomes(new Nothing());
        junit(
                        "ordered-window-one-more",
                        Kind.OFF_BY_ONE,
                        "ordered.OrderedSchedulerTest#theWindowBoundsWhatIsOutstandingAndOpensWithTheHead")
                .at(ADMISSION, "hasRoom")
                .jump(Opcodes.IFGE)
                .number(2, 2)
                .becomes(new OpcodeInstead(Opcodes.IFGT));
        junit(
                        "ordered-interrupt-swallowed",
                        Kind.INTERRUPT_LOST,
                        "ordered.OrderedSchedulerTest#anInterruptedHandlerKeepsTheThreadsFlag")
                .at(SCHEDULER, "recover")
                .call("java/lang/Thread", "interrupt")
                .becomes(new Nothing());
        junit(
                        "ordered-error-goes-on",
                        Kind.WRONG_BRANCH,
                        "ordered.OrderedSchedulerTest#anErrorHaltsWhateverThePolicySays")
                .at(SCHEDULER, "recover")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "ordered-slots-not-freed",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#runsInOrderWhateverTheOrderOfCompletion")
                .at(SCHEDULER, "drain(JILjava/lang/Object;)V")
                .call("io/sluice/ordered/OrderBuffer", "free")
                .becomes(new Nothing());
        junit(
                        "ordered-takers-not-woken",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerConcurrencyTest#aParkedTakerIsWokenByClose")
                .at(ADMISSION, "wakeAtEnd")
                .call("io/sluice/ordered/Admission", "wakeAll")
                .becomes(new Nothing());
        junit(
                        "ordered-self-deadlock-unseen",
                        Kind.RECHECK_REMOVED,
                        "ordered.OrderedSchedulerTest#refusesToWaitForATicketThatOnlyTheCallerCouldGrant")
                .at(SCHEDULER, "refuseSelfDeadlock")
                .call("io/sluice/ordered/OrderBuffer", "isDrainer")
                .becomes(new Constant(0));
        junit(
                        "ordered-discards-untold",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#closeFromInsideTheHandlerDiscardsTheRestWhenItReturns")
                .at(SCHEDULER, "discardBehind")
                .call("io/sluice/ordered/OrderedScheduler", "discardSlot")
                .becomes(new Nothing());
        junit(
                        "ordered-turn-taken-twice",
                        Kind.CAS_TO_SET,
                        "ordered.OrderedSchedulerConcurrencyTest#ofTwoCompletionsOfOneTicketExactlyOneIsAccepted")
                .at(BUFFER, "takeTurn")
                .call("io/sluice/ordered/OrderBuffer", "casWord")
                .becomes(new Constant(1));
        junit(
                        "ordered-turn-from-another-taken-twice",
                        Kind.CAS_TO_SET,
                        "ordered.OrderedSchedulerConcurrencyTest#ofTwoCompletionsOfOneTicketExactlyOneIsAccepted")
                .at(BUFFER, "takeTurnFromAnother")
                .call("io/sluice/ordered/OrderBuffer", "casWord")
                .becomes(new Constant(1));
        junit("ordered-id-left-behind", Kind.STEP_REMOVED, "ordered.OrderBufferTest")
                .at(BUFFER, "passTurn")
                .call("io/sluice/ordered/OrderBuffer", "letGo")
                .becomes(new Nothing());
        junit(
                        "ordered-hand-over-keeps-id",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#closeTakesBackAHandOverThatNobodyRuns")
                .at(SCHEDULER, "handOver")
                .call("io/sluice/ordered/OrderBuffer", "letGo")
                .becomes(new Nothing());
        junit(
                        "ordered-refused-hand-over-loses-id",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#afterAHandOverTooTheDrainerRefusesToWaitForItself")
                .at(SCHEDULER, "handOver")
                .call("io/sluice/ordered/OrderBuffer", "hold")
                .becomes(new Nothing());
        junit(
                        "ordered-resumed-without-id",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#afterAHandOverTooTheDrainerRefusesToWaitForItself")
                .at(SCHEDULER, "resume")
                .call("io/sluice/ordered/OrderBuffer", "hold")
                .becomes(new Nothing());
        junit(
                        "ordered-end-unannounced",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap")
                .at(SCHEDULER, "close")
                .call("io/sluice/ordered/Admission", "announceEnd")
                .becomes(new Nothing());
        junit(
                        "ordered-halt-unannounced",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap")
                .at(SCHEDULER, "halt")
                .call("io/sluice/ordered/Admission", "announceEnd")
                .becomes(new Nothing());
        junit(
                        "ordered-turn-not-taken-back",
                        Kind.RECHECK_REMOVED,
                        "ordered.OrderedSchedulerTest#anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap")
                .at(SCHEDULER, "passed")
                .call("io/sluice/ordered/OrderBuffer", "tryTakeTurn")
                .becomes(new Constant(0));
    }
}
