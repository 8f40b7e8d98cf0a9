package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.ReadThenSet;
import org.objectweb.asm.Opcodes;

/** The rows that break the module ordered-scheduler. */
final class OrderedRows extends Rows {
    private static final String BUFFER = "io.sluice.ordered.OrderBuffer";
    private static final String ADMISSION = "io.sluice.ordered.Admission";
    private static final String DELIVERY = "io.sluice.ordered.Delivery";
    private static final String FAILURES = "io.sluice.ordered.FailureHandling";
    private static final String SHUTDOWN = "io.sluice.ordered.Shutdown";
    private static final String BUFFER_INTERNAL = "io/sluice/ordered/OrderBuffer";
    private static final String DELIVERY_INTERNAL = "io/sluice/ordered/Delivery";
    private static final String FAILURES_INTERNAL = "io/sluice/ordered/FailureHandling";
    private static final String SHUTDOWN_INTERNAL = "io/sluice/ordered/Shutdown";

    OrderedRows() {
        turns();
        tickets();
        turnsAndEnds();
        stagesLanesAndReports();
        whoWaitsForItself();
        brokenCloses();
        secondComers();
        shortWaits();
        theStacksEnd();
    }

    private void theStacksEnd() {
        junit("map-at-the-stacks-end", Kind.STEP_REMOVED, "ordered.CutOffTicketsTest#whatIsCutOffHoldsUpNobody")
                .at("io.sluice.ordered.MapOrdered", "map")
                .call("io/sluice/ordered/StackRoom", "ask")
                .becomes(new Nothing());
        junit("execute-at-the-stacks-end", Kind.STEP_REMOVED, "ordered.CutOffTicketsTest#whatIsCutOffHoldsUpNobody")
                .at("io.sluice.ordered.GetProcessPush", "one")
                .call("io/sluice/ordered/StackRoom", "ask")
                .becomes(new Nothing());
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
                .call(BUFFER_INTERNAL, "casWord")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("ordered-item-kept", Kind.REFERENCE_KEPT, "ordered.OrderBufferTest")
                .at(BUFFER, "takeItem")
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
                .at(ADMISSION, "giveInterruptBack")
                .call("java/lang/Thread", "interrupt")
                .becomes(new Nothing());
        junit(
                        "ordered-restored-interrupt-ends-each-call",
                        Kind.RECHECK_REMOVED,
                        "ordered.InterruptedHandlerTest#oneInterruptEndsOneCallAlsoOfAHandlerThatRestoresTheFlag")
                .at(ADMISSION, "keepInterrupt")
                .call("java/lang/Thread", "isInterrupted")
                .becomes(new Constant(0));
        junit(
                        "ordered-error-goes-on",
                        Kind.WRONG_BRANCH,
                        "ordered.OrderedSchedulerTest#anErrorHaltsWhateverThePolicySays")
                .at(FAILURES, "handle")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "ordered-slots-not-freed",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#runsInOrderWhateverTheOrderOfCompletion")
                .at(DELIVERY, "deliverInTurn")
                .call(BUFFER_INTERNAL, "freeSlot")
                .becomes(new Nothing());
        junit(
                        "ordered-takers-not-woken",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerConcurrencyTest#aParkedTakerIsWokenByClose")
                .at(ADMISSION, "wakeTakersAtEnd")
                .call("io/sluice/ordered/Admission", "wakeTakers")
                .becomes(new Nothing());
        junit(
                        "ordered-drain-wakes-nobody",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerConcurrencyTest#aParkedTakerIsWokenByADrain")
                .at(SHUTDOWN, "beginDrain")
                .call("io/sluice/ordered/Admission", "wakeTakersAtEnd")
                .becomes(new Nothing());
        junit(
                        "ordered-drain-looks-in-no-stage",
                        Kind.RECHECK_REMOVED,
                        "ordered.LaterStageTimeLimitTest#aDrainOfALaterStageFailsATicketThatWasLostInTheFirst")
                .at(SHUTDOWN, "drain")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit(
                        "ordered-lanes-closed-one-by-one",
                        Kind.STEP_REMOVED,
                        "ordered.StagesEndTogetherTest#aHandlerThatWaitsForATicketOfALaterLaneHoldsUpNoEndOfTheLanes")
                .at("io.sluice.ordered.KeyedLanes", "lambda$close$")
                .call(SHUTDOWN_INTERNAL, "beginClose")
                .becomes(new Nothing());
        junit(
                        "ordered-lanes-drained-one-by-one",
                        Kind.STEP_REMOVED,
                        "ordered.StagesEndTogetherTest#noLaneIssuesTicketsWhileADrainWaitsForTheFirst")
                .at("io.sluice.ordered.KeyedLanes", "lambda$drain$")
                .call(SHUTDOWN_INTERNAL, "beginDrain")
                .becomes(new Nothing());
        junit(
                        "ordered-self-deadlock-unseen",
                        Kind.RECHECK_REMOVED,
                        "ordered.OrderedSchedulerTest#refusesToWaitForATicketThatOnlyTheCallerCouldGrant")
                .at(ADMISSION, "isHeldUpBy")
                .call(BUFFER_INTERNAL, "isDrainer")
                .becomes(new Constant(0));
        junit(
                        "ordered-discards-untold",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#closeFromInsideTheHandlerDiscardsTheRestWhenItReturns")
                .at(SHUTDOWN, "discardBehind")
                .call(SHUTDOWN_INTERNAL, "discardSlot")
                .becomes(new Nothing());
        junit("ordered-turn-taken-twice", Kind.CAS_TO_SET, "ordered.OrderBufferTest#aTurnThatWasTakenIsRefused")
                .at(BUFFER, "takeTurn")
                .call(BUFFER_INTERNAL, "casWord")
                .becomes(new Constant(1));
        junit(
                        "ordered-turn-from-another-taken-twice",
                        Kind.CAS_TO_SET,
                        "ordered.OrderBufferTest#aTurnThatWasTakenIsRefused")
                .at(BUFFER, "takeTurnFromAnother")
                .call(BUFFER_INTERNAL, "casWord")
                .becomes(new Constant(1));
        junit("ordered-id-left-behind", Kind.STEP_REMOVED, "ordered.OrderBufferTest")
                .at(BUFFER, "passTurn")
                .call(BUFFER_INTERNAL, "resignAsDrainer")
                .becomes(new Nothing());
        junit(
                        "ordered-hand-over-keeps-id",
                        Kind.STEP_REMOVED,
                        "ordered.BrokenCloseTest#whoHasGivenTheRoleAwayIsNotTakenForOneThatDelivers")
                .at(DELIVERY, "handOver")
                .call(BUFFER_INTERNAL, "resignAsDrainer")
                .becomes(new Nothing());
        junit(
                        "ordered-refused-hand-over-loses-id",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#afterAHandOverTooTheDrainerRefusesToWaitForItself")
                .at(DELIVERY, "handOver")
                .call(BUFFER_INTERNAL, "becomeDrainer")
                .becomes(new Nothing());
        junit(
                        "ordered-resumed-without-id",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#afterAHandOverTooTheDrainerRefusesToWaitForItself")
                .at(DELIVERY, "resume")
                .call(BUFFER_INTERNAL, "becomeDrainer")
                .becomes(new Nothing());
        junit(
                        "ordered-end-unannounced",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap")
                .at(SHUTDOWN, "endTickets")
                .call("io/sluice/ordered/Admission", "announceEnd")
                .becomes(new Nothing());
        junit(
                        "ordered-turn-not-taken-back",
                        Kind.RECHECK_REMOVED,
                        "ordered.OrderedSchedulerTest#anEndInsideTheHandlerDiscardsWhatWaitsBehindAGap")
                .at(SHUTDOWN, "takeTurnBack")
                .call(BUFFER_INTERNAL, "tryTakeTurn")
                .becomes(new Constant(0));
    }

    /** Defects that a user of several stages, of lanes, of executors, or of a policy that retries would see. */
    private void stagesLanesAndReports() {
        junit(
                        "stage-cause-lost",
                        Kind.STEP_REMOVED,
                        "ordered.RefusedEarlyTest#whatAStageFailsWithIsReportedAfterTheEndToo")
                .at("io.sluice.ordered.OrderedScheduler", "lambda$completeFrom$")
                .jump(Opcodes.IFNONNULL)
                .number(3, 3)
                .becomes(new NeverJump());
        String product = "ordered.OrderedProductTest#randomProgramsDoWhatTheOracleDoes";
        String ends = "ordered.StagesEndTogetherTest";
        junit("ordered-halt-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SHUTDOWN, "failUpTo")
                .call(SHUTDOWN_INTERNAL, "failWithOtherStage")
                .becomes(new Constant(1));
        junit("ordered-halt-of-later-stage-untold-product", Kind.STEP_REMOVED, product)
                .at(SHUTDOWN, "failUpTo")
                .call(SHUTDOWN_INTERNAL, "failWithOtherStage")
                .becomes(new Constant(1));
        junit("ordered-close-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SHUTDOWN, "beginClose")
                .call(SHUTDOWN_INTERNAL, "drainAllStages")
                .becomes(new Nothing());
        junit("ordered-close-of-later-stage-untold-product", Kind.STEP_REMOVED, product)
                .at(SHUTDOWN, "beginClose")
                .call(SHUTDOWN_INTERNAL, "drainAllStages")
                .becomes(new Nothing());
        junit("ordered-drain-of-later-stage-untold", Kind.STEP_REMOVED, ends)
                .at(SHUTDOWN, "beginDrain")
                .call(SHUTDOWN_INTERNAL, "drainAllStages")
                .becomes(new Nothing());
        junit("ordered-self-deadlock-unseen-product", Kind.RECHECK_REMOVED, product)
                .at(ADMISSION, "isHeldUpBy")
                .call(BUFFER_INTERNAL, "isDrainer")
                .becomes(new Constant(0));
        junit("ordered-refused-although-it-has-room", Kind.WRONG_BRANCH, product)
                .at(ADMISSION, "isHeldUpBy")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit(
                        "ordered-age-goes-on-in-a-lull",
                        Kind.WRONG_BRANCH,
                        "ordered.OrderedSchedulerTest#theHeadHasNoAgeByLooksWhileNothingIsOutstanding")
                .at("io.sluice.ordered.Inspection", "ageByLooks")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "ordered-self-deadlock-looked-for-once",
                        Kind.RECHECK_REMOVED,
                        "ordered.StagesEndTogetherTest#whoDeliversALaterStageIsRefusedOnceItWouldWaitForItself")
                .at("io.sluice.ordered.TicketDispenser", "await")
                .call("io/sluice/ordered/TicketDispenser", "refuseSelfDeadlock")
                .number(2, 2)
                .becomes(new Nothing());
        junit(
                        "ordered-outcome-lost-at-a-retry",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerTest#aTicketThatFailedIsStillOneWhenItsHandlerSucceedsAtARetry")
                .at(FAILURES, "handle")
                .call(FAILURES_INTERNAL, "recordOutcome")
                .becomes(new Nothing());
        junit("ordered-retry-without-end", Kind.RECHECK_REMOVED, "ordered.OrderedSchedulerTest#closeEndsAnEndlessRetry")
                .at(FAILURES, "handle")
                .call(DELIVERY_INTERNAL, "hasEnded")
                .becomes(new Constant(0));
        junit("ordered-retry-without-end-product", Kind.RECHECK_REMOVED, product)
                .at(FAILURES, "handle")
                .call(DELIVERY_INTERNAL, "hasEnded")
                .becomes(new Constant(0));
        junit(
                        "ordered-lanes-numbered-alike",
                        Kind.GATE_IGNORED,
                        "ordered.OrderedSchedulerTest#aTicketCompletedOnTheWrongLaneIsRefused")
                .at("io.sluice.ordered.OrderedSchedulerBuilder", "buildLane")
                .plain(Opcodes.LMUL)
                .becomes(new OpcodeInstead(Opcodes.LDIV));
        junit("ordered-lanes-numbered-alike-product", Kind.GATE_IGNORED, product)
                .at("io.sluice.ordered.OrderedSchedulerBuilder", "buildLane")
                .plain(Opcodes.LMUL)
                .becomes(new OpcodeInstead(Opcodes.LDIV));
        junit("ordered-role-thought-back", Kind.CAS_TO_SET, "ordered.OrderedSchedulerTest")
                .at("io.sluice.ordered.HandOver", "give")
                .call(HANDLE, "compareAndSet")
                .number(2, 2)
                .becomes(new Constant(1));
        junit("ordered-unchecked-turn-taken-back", Kind.RECHECK_REMOVED, "ordered.OrderedSchedulerTest")
                .at(SHUTDOWN, "takeTurnBack")
                .call(SHUTDOWN_INTERNAL, "mayTakeTurnBack")
                .becomes(new Constant(1));
        junit("ordered-failure-unreported", Kind.STEP_REMOVED, "ordered.ReportTest")
                .at(SHUTDOWN, "halt")
                .call(FAILURES_INTERNAL, "report")
                .becomes(new Nothing());
        junit("ordered-failure-reported-twice", Kind.WRONG_BRANCH, ends)
                .at(SHUTDOWN, "halt")
                .call(SHUTDOWN_INTERNAL, "isReportedByEarlierStage")
                .becomes(new Constant(0));
        junit(
                        "ordered-broken-role-kept",
                        Kind.STEP_REMOVED,
                        "ordered.BrokenCloseTest#whoHasGivenTheRoleAwayIsNotTakenForOneThatDelivers")
                .at(SHUTDOWN, "abandon")
                .call(BUFFER_INTERNAL, "resignAsDrainer")
                .becomes(new Nothing());
        junit("ordered-broken-role-not-offered", Kind.STEP_REMOVED, "ordered.OrderedSchedulerTest")
                .at(SHUTDOWN, "abandon")
                .call(HANDLE, "setRelease")
                .becomes(new Nothing());
        junit(
                        "ordered-role-left-to-a-busy-pool",
                        Kind.STEP_REMOVED,
                        "ordered.BusyExecutorTest#whatIsFinishedIsPushedThoughTheSourceIsQuietAndKeepsAllThreadsOfThePool")
                .at("io.sluice.ordered.GetProcessPush", "helpExecutor")
                .call(DELIVERY_INTERNAL, "needsHelp")
                .becomes(new Constant(0));
        junit(
                        "ordered-handle-of-another-lane-unsaid",
                        Kind.WRONG_BRANCH,
                        "ordered.OrderedSchedulerTest#aHandleOnATicketOfAnotherLaneIsRefusedWhenItIsClosed")
                .at("io.sluice.ordered.Ticket", "close")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new AlwaysJump());
        junit("ordered-input-waits-for-itself", Kind.RECHECK_REMOVED, ends)
                .at("io.sluice.ordered.GetProcessPush", "lock")
                .call("io/sluice/ordered/OrderedScheduler", "isDelivering")
                .becomes(new Constant(0));
        junit(
                        "ordered-late-look-leaves-its-mark",
                        Kind.STEP_REMOVED,
                        "ordered.OrderedSchedulerConcurrencyTest#ofExpiryAndCompletionExactlyOneWins")
                .at("io.sluice.ordered.TimeLimit", "expire")
                .call("io/sluice/ordered/TicketClock", "unmarkExpired")
                .becomes(new Nothing());
        junit("ordered-taker-sleeps-over-a-limit", Kind.STEP_REMOVED, "ordered.LaterStageTimeLimitTest")
                .at("io.sluice.ordered.TicketDispenser", "parkAtMost")
                .call("java/lang/Math", "min")
                .becomes(new Constant(Long.MAX_VALUE));
        junit("ordered-late-look-marks-over", Kind.CAS_TO_SET, "ordered.TicketClockTest")
                .at("io.sluice.ordered.TicketClock", "markExpired")
                .call(HANDLE, "compareAndSet")
                .becomes(new Constant(1));
        String mapped = "ordered.MapOrderedProductTest";
        junit("map-ordered-waiting-not-cancelled", Kind.STEP_REMOVED, mapped)
                .at("io.sluice.ordered.MapOrdered", "end")
                .call("io/sluice/ordered/MapOrdered", "cancel")
                .becomes(new Constant(0));
        junit("map-ordered-cancelled-called", Kind.RECHECK_REMOVED, mapped)
                .at("io.sluice.ordered.MapOrdered", "work")
                .call("java/util/concurrent/CompletableFuture", "isDone")
                .becomes(new Constant(0));
        lincheck("map-ordered-close-missed", Kind.CAS_TO_SET, "MapOrderedLincheckTest")
                .at("io.sluice.ordered.MapOrdered", "map")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    /** A wait that is over goes on in the stead of an executor that has had its time. */
    private void shortWaits() {
        String time = "ordered.ExecutorsTimeTest";
        junit("ordered-helps-before-its-time", Kind.WRONG_BRANCH, time)
                .at("io.sluice.ordered.HandOver", "isUnderWayFor")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit(
                        "ordered-helps-before-its-time-product",
                        Kind.WRONG_BRANCH,
                        "ordered.OrderedProductTest#randomProgramsDoWhatTheOracleDoes")
                .at("io.sluice.ordered.HandOver", "isUnderWayFor")
                .jump(Opcodes.IFLT)
                .becomes(new NeverJump());
        junit("ordered-hand-over-without-its-time", Kind.STEP_REMOVED, time)
                .at("io.sluice.ordered.HandOver", "give")
                .call("org/agrona/concurrent/NanoClock", "nanoTime")
                .becomes(new Constant(0));
        junit("ordered-short-wait-never-helps", Kind.STEP_REMOVED, "ordered.BusyExecutorTest")
                .at("io.sluice.ordered.TicketDispenser", "helpAtLast")
                .call(DELIVERY_INTERNAL, "helpOnAfter")
                .becomes(new Constant(0));
        junit("ordered-short-wait-fails-no-overdue-ticket", Kind.STEP_REMOVED, "ordered.LaterStageTimeLimitTest")
                .at("io.sluice.ordered.TicketDispenser", "helpAtLast")
                .call("io/sluice/ordered/TicketDispenser", "expireOverdue")
                .becomes(new Constant(0));
        junit(
                        "ordered-attempts-beyond-an-int",
                        Kind.OFF_BY_ONE,
                        "ordered.OrderedSchedulerTest#theAttemptBehindTheMostThatAnIntCountsIsThatAgain")
                .at(FAILURES, "after")
                .call("java/lang/Math", "min")
                .becomes(new Constant(Integer.MAX_VALUE));
        junit(
                        "map-ordered-told-without-a-cause",
                        Kind.WRONG_BRANCH,
                        "ordered.MapOrderedTest#aFailureThatComesBehindACloseFromInsideADeliveryIsLogged")
                .at("io.sluice.ordered.MapOrdered", "end")
                .jump(Opcodes.IFNULL)
                .becomes(new NeverJump());
        junit("map-ordered-told-twice", Kind.STEP_REMOVED, "ordered.MapOrderedTest")
                .at("io.sluice.ordered.MapOrdered", "discard")
                .call("io/sluice/ordered/MapOrdered$Telling", "tell")
                .becomes(new Constant(0));
        junit("map-ordered-told-by-another-thread", Kind.RECHECK_REMOVED, "ordered.MapOrderedTest")
                .at("io.sluice.ordered.MapOrdered$Telling", "tell")
                .call("java/lang/Boolean", "booleanValue")
                .becomes(new Constant(0));
    }

    private void whoWaitsForItself() {
        junit(
                        "ordered-drain-waits-for-its-own-stage-before",
                        Kind.RECHECK_REMOVED,
                        "ordered.StagesEndTogetherTest#whoDeliversAnEarlierStageIsRefusedTheDrainOfALaterOne")
                .at(SHUTDOWN, "drain")
                .call(SHUTDOWN_INTERNAL, "waitsForItself")
                .becomes(new Constant(0));
        junit(
                        "ordered-interrupt-of-a-close-forgotten",
                        Kind.STEP_REMOVED,
                        "ordered.InterruptedHandlerTest#aCloseThatIsInterruptedWhileItWaitsForAHandlerKeepsTheFlag")
                .at(SHUTDOWN, "close")
                .plain(Opcodes.IOR)
                .becomes(new OpcodeInstead(Opcodes.IAND));
        junit(
                        "ordered-closers-wait-in-a-circle",
                        Kind.RECHECK_REMOVED,
                        "ordered.StagesEndTogetherTest#twoWhoEndEachOthersStageFromInsideTheirHandlersComeBack")
                .at(SHUTDOWN, "waitsForItself")
                .call(BUFFER_INTERNAL, "drainer")
                .becomes(new Constant(0));
    }

    /** A close that breaks in its midst. */
    private void brokenCloses() {
        String anothers = "ordered.BrokenCloseTest#aCloseThatFindsAnItemGoneLeavesTheRestToAnother";
        junit("ordered-broken-close-keeps-role", Kind.STEP_REMOVED, anothers)
                .at(SHUTDOWN, "discardAsDrainer")
                .call(HANDLE, "setRelease")
                .becomes(new Nothing());
        junit(
                        "ordered-broken-close-keeps-id",
                        Kind.STEP_REMOVED,
                        "ordered.BrokenCloseTest#aThreadWhoseCloseBrokeIsNotTakenForOneThatDelivers")
                .at(SHUTDOWN, "discardAsDrainer")
                .call(BUFFER_INTERNAL, "resignAsDrainer")
                .becomes(new Nothing());
        junit("ordered-item-gone-breaks-each-close", Kind.RECHECK_REMOVED, anothers)
                .at(SHUTDOWN, "discardSlot")
                .call(BUFFER_INTERNAL, "hasItem")
                .becomes(new Constant(1));
        junit("ordered-broken-drainer-loses-the-next-item", Kind.RECHECK_REMOVED, anothers)
                .at(SHUTDOWN, "discardAsDrainer")
                .call(BUFFER_INTERNAL, "hasItem")
                .becomes(new Constant(0));
    }

    private void secondComers() {
        junit(
                        "map-ordered-second-outcome-cancels",
                        Kind.WRONG_BRANCH,
                        "ordered.MapOrderedTest#aRefusalAfterTheTaskWasRunChangesNothing")
                .at("io.sluice.ordered.MapOrdered", "finish")
                .jump(Opcodes.IF_ACMPEQ)
                .becomes(new NeverJump());
        junit(
                        "ordered-second-look-fails-it-too",
                        Kind.WRONG_BRANCH,
                        "ordered.TicketClockTest#ofTwoLooksTheSecondLeavesATicketToTheOneThatHasMarkedIt")
                .at("io.sluice.ordered.TimeLimit", "failOverdue")
                .jump(Opcodes.IFEQ)
                .number(2, 5)
                .becomes(new NeverJump());
    }
}
