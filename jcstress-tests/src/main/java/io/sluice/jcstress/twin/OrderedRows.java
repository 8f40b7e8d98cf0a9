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
    private static final String SCHEDULER_INTERNAL = "io/sluice/ordered/OrderedScheduler";

    OrderedRows() {
        turns();
        tickets();
        turnsAndEnds();
        stagesLanesAndReports();
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
                .at(ADMISSION, "isHeldUpBy")
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
                .at(SCHEDULER, "endTickets")
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

    /** What a user of several stages, of lanes, of executors, or of a policy that retries would see. */
    private void stagesLanesAndReports() {
        String product = "ordered.OrderedProductTest#randomProgramsDoWhatTheOracleDoes";
        String ends = "ordered.StagesEndTogetherTest";
        junit("ordered-halt-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SCHEDULER, "failUpTo")
                .call(SCHEDULER_INTERNAL, "failAlong")
                .becomes(new Constant(1));
        junit("ordered-halt-of-later-stage-untold-product", Kind.STEP_REMOVED, product)
                .at(SCHEDULER, "failUpTo")
                .call(SCHEDULER_INTERNAL, "failAlong")
                .becomes(new Constant(1));
        junit("ordered-close-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SCHEDULER, "close")
                .call(SCHEDULER_INTERNAL, "drainAll")
                .becomes(new Nothing());
        junit("ordered-close-of-later-stage-untold-product", Kind.STEP_REMOVED, product)
                .at(SCHEDULER, "close")
                .call(SCHEDULER_INTERNAL, "drainAll")
                .becomes(new Nothing());
        junit("ordered-drain-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SCHEDULER, "drain(J)Z")
                .call(SCHEDULER_INTERNAL, "drainAll")
                .becomes(new Nothing());
        junit("ordered-self-deadlock-unseen-product", Kind.RECHECK_REMOVED, product)
                .at(ADMISSION, "isHeldUpBy")
                .call("io/sluice/ordered/OrderBuffer", "isDrainer")
                .becomes(new Constant(0));
        junit("ordered-refused-although-it-has-room", Kind.WRONG_BRANCH, product)
                .at(ADMISSION, "isHeldUpBy")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit(
                        "ordered-self-deadlock-looked-for-once",
                        Kind.RECHECK_REMOVED,
                        "ordered.StagesEndTogetherTest#whoDeliversALaterStageIsRefusedOnceItWouldWaitForItself")
                .at(SCHEDULER, "await")
                .call(SCHEDULER_INTERNAL, "refuseSelfDeadlock")
                .number(2, 2)
                .becomes(new Nothing());
        junit("ordered-retry-without-end", Kind.RECHECK_REMOVED, "ordered.OrderedSchedulerTest#closeEndsAnEndlessRetry")
                .at(SCHEDULER, "recover")
                .call(SCHEDULER_INTERNAL, "hasEnded")
                .becomes(new Constant(0));
        junit("ordered-retry-without-end-product", Kind.RECHECK_REMOVED, product)
                .at(SCHEDULER, "recover")
                .call(SCHEDULER_INTERNAL, "hasEnded")
                .becomes(new Constant(0));
        junit(
                        "ordered-lanes-numbered-alike",
                        Kind.GATE_IGNORED,
                        "ordered.OrderedSchedulerTest#aTicketCompletedOnTheWrongLaneIsRefused")
                .at("io.sluice.ordered.KeyedLanes", "<init>")
                .plain(Opcodes.LMUL)
                .becomes(new OpcodeInstead(Opcodes.LDIV));
        junit("ordered-lanes-numbered-alike-product", Kind.GATE_IGNORED, product)
                .at("io.sluice.ordered.KeyedLanes", "<init>")
                .plain(Opcodes.LMUL)
                .becomes(new OpcodeInstead(Opcodes.LDIV));
        junit("ordered-role-thought-back", Kind.CAS_TO_SET, "ordered.OrderedSchedulerTest")
                .at("io.sluice.ordered.HandOver", "give")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("ordered-unchecked-turn-taken-back", Kind.RECHECK_REMOVED, "ordered.OrderedSchedulerTest")
                .at(SCHEDULER, "passed")
                .call(SCHEDULER_INTERNAL, "mayTakeBack")
                .becomes(new Constant(1));
        junit("ordered-failure-unreported", Kind.STEP_REMOVED, "ordered.ReportTest")
                .at(SCHEDULER, "halt")
                .call(SCHEDULER_INTERNAL, "report")
                .becomes(new Nothing());
        junit("ordered-failure-reported-twice", Kind.WRONG_BRANCH, ends)
                .at(SCHEDULER, "halt")
                .call(SCHEDULER_INTERNAL, "isHandedOn")
                .becomes(new Constant(0));
        junit("ordered-broken-role-kept", Kind.STEP_REMOVED, "ordered.OrderedSchedulerTest")
                .at(SCHEDULER, "abandon")
                .call("io/sluice/ordered/OrderBuffer", "letGo")
                .becomes(new Nothing());
        junit("ordered-broken-role-not-offered", Kind.STEP_REMOVED, "ordered.OrderedSchedulerTest")
                .at(SCHEDULER, "abandon")
                .call(HANDLE, "setRelease")
                .becomes(new Nothing());
        junit("ordered-input-waits-for-itself", Kind.RECHECK_REMOVED, ends)
                .at("io.sluice.ordered.GetProcessPush", "lock")
                .call(SCHEDULER_INTERNAL, "isDelivering")
                .becomes(new Constant(0));
        junit(
                        "ordered-late-look-leaves-its-mark",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerConcurrencyTest#ofExpiryAndCompletionExactlyOneWins")
                .at(SCHEDULER, "expire")
                .call("io/sluice/ordered/TicketClock", "unmarkExpired")
                .becomes(new Nothing());
        junit("ordered-taker-sleeps-over-a-limit", Kind.STEP_REMOVED, "ordered.LaterStageTimeLimitTest")
                .at(SCHEDULER, "await")
                .call("java/lang/Math", "min")
                .becomes(new Constant(Long.MAX_VALUE));
        junit("ordered-late-look-marks-over", Kind.CAS_TO_SET, "ordered.TicketClockTest")
                .at("io.sluice.ordered.TicketClock", "markExpired")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        lincheck("map-ordered-close-missed", Kind.CAS_TO_SET, "MapOrderedLincheckTest")
                .at("io.sluice.ordered.MapOrdered", "map")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }
}
