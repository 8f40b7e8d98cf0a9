package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.AtReturn;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.NeverJump;
import io.sluice.jcstress.twin.Change.Nothing;
import io.sluice.jcstress.twin.Change.OpcodeInstead;
import io.sluice.jcstress.twin.Change.SecondArgument;
import org.objectweb.asm.Opcodes;

/** The rows that break the bridge to Aeron. */
final class AeronRows extends Rows {
    private static final String PACKAGE = "io.sluice.aeron.";
    private static final String INTERNAL = "io/sluice/aeron/";
    private static final String SENDER = PACKAGE + "AeronSender";
    private static final String RECEIVER = PACKAGE + "AeronReceiver";
    private static final String LINK = INTERNAL + "AeronLink";
    private static final String ANSWERS = "aeron.SenderAnswersTest#";
    private static final String RECEIVED = "aeron.ReceiverTest#";
    private static final String HOLES = RECEIVED + "aHoleThatTheNextReplayHasTooIsToldOnceOfEachReplay";
    private static final String SESSIONS = "aeron.SessionsTest#";
    private static final String DUE =
            SESSIONS + "aSessionIdThatComesAgainWithTheNumberThatIsDueIsToldBeforeItsFirstMessage";
    private static final String NAKS = "aeron.NaksTest#";
    private static final String FAILS = NAKS + "naksAndSignsOfLifeGoOnWhileTheRingBehindTheReceiverFailsEachMessage";

    AeronRows() {
        sender();
        skipped();
        publications();
        receiver();
        ring();
        gaps();
        naks();
        sessions();
    }

    private void sender() {
        junit(
                        "aeron-failure-before-progress",
                        Kind.WRONG_BRANCH,
                        ANSWERS + "anErrorOfTheEncoderFailsTheRingBehindWhatWasSent")
                .at(SENDER, "onBatch")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "aeron-policy-asked-while-it-opens",
                        Kind.RECHECK_REMOVED,
                        ANSWERS + "whileThePublicationOpensEventsWaitWhateverThePolicy")
                .at(SENDER, "continueSending")
                .call(LINK, "isConnected")
                .becomes(new Constant(0));
        junit(
                        "aeron-lost-driver-unseen",
                        Kind.RECHECK_REMOVED,
                        ANSWERS + "aLinkThatIsClosedBeforeThePublicationIsOpenFailsTheRingWhateverThePolicy")
                .at(SENDER, "continueSending")
                .call(LINK, "isConnected")
                .becomes(new Constant(1));
        junit(
                        "aeron-closed-link-opens-again",
                        Kind.RECHECK_REMOVED,
                        ANSWERS + "aClosedLinkFailsTheRingWhateverThePolicy")
                .at(SENDER, "ended")
                .call(LINK, "isClosed")
                .becomes(new Constant(0));
        junit(
                        "aeron-number-lost",
                        Kind.STEP_REMOVED,
                        ANSWERS + "notConnectedMayDropAndALateSubscriberKnowsWhereItBegins")
                .at(PACKAGE + "FrameWriter", "claimed")
                .call(INTERNAL + "FrameWriter", "reserved")
                .becomes(new Constant(0));
        junit(
                        "aeron-rest-of-a-claim-is-a-message",
                        Kind.STEP_REMOVED,
                        "aeron.FrameGroupsTest#whatIsLeftOfAClaimIsAPadding")
                .at(PACKAGE + "FrameGroup", "commit")
                .call("org/agrona/MutableDirectBuffer", "putShort")
                .becomes(new Nothing());
    }

    private void skipped() {
        junit(
                        "aeron-message-passed-over-unsent",
                        Kind.WRONG_BRANCH,
                        "aeron.MessageAnswersTest#backPressureLetsMessagesWait")
                .at(PACKAGE + "MessagesOut", "onMessage")
                .jump(Opcodes.IFGT)
                .becomes(new NeverJump());
        junit(
                        "aeron-unencodable-counted-before-it-is-told",
                        Kind.ORDER_SWAPPED,
                        ANSWERS + "whoIsToldOfAnEventThatCannotBeEncodedMayThrowAndItTakesOneNumber")
                .at(SENDER, "isSkipped")
                .call("org/agrona/ErrorHandler", "onError")
                .becomes(new AtReturn());
    }

    private void publications() {
        junit(
                        "aeron-session-forgotten",
                        Kind.STEP_REMOVED,
                        ANSWERS + "aPublicationThatEndedIsOpenedAgainAndNumbersGoOn")
                .at(SENDER, "opened")
                .call(INTERNAL + "SenderSessions", "add")
                .becomes(new Nothing());
        junit("aeron-opened-after-close", Kind.RECHECK_REMOVED, "aeron.SenderPairsTest#theRingIsClosed")
                .at(SENDER, "opened")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit("aeron-same-position-again", Kind.STEP_REMOVED, ANSWERS + "behindTheLastPositionANewSessionGoesOn")
                .at(SENDER, "ended")
                .call(INTERNAL + "PublicationOpener", "again")
                .becomes(new Nothing());
    }

    private void receiver() {
        junit(
                        "aeron-message-before-its-session",
                        Kind.STEP_REMOVED,
                        SESSIONS + "aSessionIdThatComesAgainBetweenTwoPollsIsThatOfANewSession")
                .at(RECEIVER, "told")
                .call(INTERNAL + "AeronReceiver", "tellChanges")
                .becomes(new Constant(0));
        junit(
                        "aeron-repeated-handed-on",
                        Kind.WRONG_BRANCH,
                        RECEIVED + "aSenderThatStartsAgainGoesOnExactlyOnceBehindAReceiverOfOneSender")
                .at(RECEIVER, "irregular")
                .jump(Opcodes.IFGE)
                .becomes(new AlwaysJump());
        junit("aeron-fragments-kept", Kind.REFERENCE_KEPT, RECEIVED + "whatCameOfAMessageIsForgottenWithItsSession")
                .at(PACKAGE + "HeardStream", "went")
                .call(INTERNAL + "HeardStream", "forgetFragments")
                .becomes(new Constant(0));
        junit(
                        "aeron-bad-message-published",
                        Kind.WRONG_BRANCH,
                        RECEIVED + "whatTheDecoderCannotUnderstandIsToldCountedAndPassedOver")
                .at(PACKAGE + "RingSink", "put")
                .jump(Opcodes.IFEQ)
                .number(2, 2)
                .becomes(new NeverJump());
    }

    private void ring() {
        junit(
                        "aeron-failed-ring-is-a-bad-message",
                        Kind.WRONG_BRANCH,
                        RECEIVED + "whatTheProducerOfTheRingThrowsReachesTheCallerAndLosesNoMessage")
                .at(RECEIVER, "handOver")
                .jump(Opcodes.IFEQ)
                .number(1, 2)
                .becomes(new AlwaysJump());
    }

    private void gaps() {
        junit("aeron-gap-told-at-each-look", Kind.WRONG_BRANCH, RECEIVED + "aGapIsToldOnceWhileItIsBeingFilled")
                .at(RECEIVER, "irregular")
                .jump(Opcodes.IFLE)
                .becomes(new NeverJump());
        junit(
                        "aeron-gap-not-told-again-behind-its-replay",
                        Kind.STEP_REMOVED,
                        RECEIVED + "whatIsLeftOfAGapIsToldOnceAgain")
                .at(RECEIVER, "onChange")
                .jump(Opcodes.IFNE)
                .becomes(new AlwaysJump());
        junit("aeron-hole-in-a-replay-not-told", Kind.WRONG_BRANCH, HOLES)
                .at(RECEIVER, "irregular")
                .jump(Opcodes.IF_ACMPNE)
                .becomes(new AlwaysJump());
        junit(
                        "aeron-hole-told-at-each-look",
                        Kind.WRONG_BRANCH,
                        RECEIVED + "aHoleIsNotToldAgainWhileTheNextReplayFillsIt")
                .at(RECEIVER, "irregular")
                .jump(Opcodes.IFEQ)
                .number(2, 3)
                .becomes(new NeverJump());
        junit("aeron-hole-not-told-again", Kind.STEP_REMOVED, RECEIVED + "aHoleIsToldAgainWhenAnotherReplayGoes")
                .at(RECEIVER, "tellAgain")
                .call(INTERNAL + "HeardStream", "tellHolesAgain")
                .becomes(new Nothing());
        junit(
                        "aeron-rest-of-a-gap-not-told-again",
                        Kind.STEP_REMOVED,
                        RECEIVED + "whatIsLeftOfAHoleThatIsGivenUpInPartIsToldOnceAgain")
                .at(RECEIVER, "acceptGap")
                .call(INTERNAL + "AeronReceiver", "tellAgain")
                .becomes(new Nothing());
        junit("aeron-hole-hides-its-gap", Kind.STEP_REMOVED, HOLES)
                .at(RECEIVER, "irregular")
                .call("java/lang/Math", "max")
                .becomes(new SecondArgument());
    }

    private void naks() {
        junit("aeron-naks-end-with-the-ring", Kind.STEP_REMOVED, FAILS)
                .at(RECEIVER, "doWork")
                .call("io/sluice/core/check/Failures", "after")
                .becomes(new Nothing());
        junit("aeron-no-farewell", Kind.STEP_REMOVED, NAKS + "aReceiverThatIsClosedSaysFarewellAndIsNotMissed")
                .at("io.sluice.backpressure.nak.LifeSigns", "farewell")
                .call("io/sluice/backpressure/nak/LifeSigns", "isSent")
                .becomes(new Constant(0));
        junit(
                        "aeron-nak-about-another-sender",
                        Kind.RECHECK_REMOVED,
                        NAKS + "aNakAboutOneOfTheSendersSessionsArrivesWithSessionZero")
                .at(PACKAGE + "AeronNakTransport", "onFragment")
                .call(INTERNAL + "AeronSender", "hasSession")
                .becomes(new Constant(1));
        junit("aeron-session-stays", Kind.WRONG_BRANCH, NAKS + "positionsAreThoseOfTheSessionThatWasHeardLast")
                .at(PACKAGE + "RingSink", "tookIn")
                .jump(Opcodes.IF_ICMPNE)
                .becomes(new NeverJump());
    }

    private void sessions() {
        junit(
                        "aeron-gap-before-the-older-session",
                        Kind.GATE_IGNORED,
                        SESSIONS + "aReceiverThatPollsSeldomReadsTheOlderSessionFirst")
                .at(RECEIVER, "irregular")
                .call(INTERNAL + "HeardStream", "mayBringBefore")
                .becomes(new Constant(0));
        junit(
                        "aeron-old-session-id-goes-on",
                        Kind.RECHECK_REMOVED,
                        SESSIONS + "aSenderThatStartsAgainWithItsSessionIdIsHeardFromItsFirstMessageOn")
                .at(PACKAGE + "HeardStream", "came")
                .call(INTERNAL + "HeardSession", "isOf")
                .becomes(new Constant(1));
        junit(
                        "aeron-session-that-comes-back-where-it-left-is-new",
                        Kind.OFF_BY_ONE,
                        SESSIONS + "aSessionByUdpThatIsOutOfReachForAWhileGoesOnAndItsGapIsTold")
                .at(PACKAGE + "HeardSession", "isOf")
                .jump(Opcodes.IFLT)
                .becomes(new OpcodeInstead(Opcodes.IFLE));
        junit(
                        "aeron-old-session-id-between-two-polls",
                        Kind.STEP_REMOVED,
                        SESSIONS + "aSessionIdThatComesAgainBetweenTwoPollsIsThatOfANewSession")
                .at(RECEIVER, "poll")
                .call(INTERNAL + "HeardStream", "beginPoll")
                .becomes(new Nothing());
        junit("aeron-other-image-of-the-session-heard-last", Kind.RECHECK_REMOVED, DUE)
                .at(PACKAGE + "HeardStream", "heard")
                .jump(Opcodes.IF_ACMPEQ)
                .number(1, 2)
                .becomes(new AlwaysJump());
        junit("aeron-other-image-of-a-session-heard-before", Kind.RECHECK_REMOVED, DUE)
                .at(PACKAGE + "HeardStream", "heard")
                .jump(Opcodes.IF_ACMPEQ)
                .number(2, 2)
                .becomes(new AlwaysJump());
        junit(
                        "aeron-quiet-from-the-start-on",
                        Kind.STEP_REMOVED,
                        "aeron.HeardSessionTest#aSessionThatMovesIsNotQuietHoweverLongItIsLookedAt")
                .at(PACKAGE + "HeardSession", "isQuiet")
                .jump(Opcodes.IFEQ)
                .becomes(new AlwaysJump());
        junit(
                        "aeron-position-of-the-sender-before",
                        Kind.WRONG_BRANCH,
                        NAKS + "positionsBeginAgainWithASenderThatHasTheSessionIdOfTheOneBefore")
                .at(PACKAGE + "RingSink", "tookIn")
                .jump(Opcodes.IFGT)
                .becomes(new AlwaysJump());
        junit(
                        "aeron-ended-sink-asked-again",
                        Kind.RECHECK_REMOVED,
                        SESSIONS + "aReceiverThatHasEndedTellsNoFirstMessageOfAnotherSessionOfTheSamePoll")
                .at(RECEIVER, "onFragment")
                .jump(Opcodes.IFNE)
                .becomes(new NeverJump());
        junit(
                        "aeron-failed-sink-asked-again",
                        Kind.RECHECK_REMOVED,
                        SESSIONS
                                + "aSinkThatHasThrownIsNotAskedForAnotherSessionOfTheSamePollAndItsFirstFailureIsThrown")
                .at(RECEIVER, "onFragment")
                .jump(Opcodes.IFNULL)
                .becomes(new AlwaysJump());
        junit(
                        "aeron-no-message-dropped",
                        Kind.RECHECK_REMOVED,
                        ANSWERS + "eventsWithoutAMessageAreNotDroppedWhileTheDriverIsLost")
                .at(SENDER, "isUnconnected")
                .call(INTERNAL + "FrameWriter", "isNone")
                .becomes(new Constant(0));
    }
}
