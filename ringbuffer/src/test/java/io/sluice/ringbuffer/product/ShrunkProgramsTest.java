package io.sluice.ringbuffer.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.RandomPrograms;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The shortest programs that showed a defect, each named after what a user saw. */
@Timeout(60)
class ShrunkProgramsTest {
    /** Runs a program beside the model, which says what each step has to answer; the answers, in the order of the steps. */
    private static ListAssert<String> follows(String program) throws InterruptedException {
        List<String> answers = new CopyOnWriteArrayList<>();
        RandomPrograms.of(seed -> Program.parsed(program), one -> {
                    answers.clear();
                    World world = new World(one, answers);
                    world.run();
                    return world.steps;
                })
                .limit(Duration.ofSeconds(30))
                .run("-Dio.sluice.product.text='" + program + "'", Program.parsed(program));
        return assertThat(answers.stream().map(String::strip).toList());
    }

    @Test
    void aSlowConsumerIsNotOverwrittenAfterALeaverWhoseFollowerIsAhead() throws Exception {
        follows(
                        "4 0 false false false false 0 300798; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 20 0 0 0; START 0 0 0 0 0;"
                                + " PUBLISH 0 0 0 0 0; EVENT 0 3433 1227 1981 0; RUN 0 0 0 0 0; REMOVE 0 0 0 0 0; RUN 1513 941 0 0 0;"
                                + " JOIN 0 2782 0 647 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; REMOVE 262 0 0 0 0; EVENT 0 0 0 0 0")
                .contains("c2.remove(0): LEFT", "producer0.tryPublishEvent: FULL");
    }

    @Test
    void whatASlowConsumerHasNotHandledIsCountedAfterALeaverWhoseFollowerIsAhead() throws Exception {
        follows(
                        "1 0 true false false false 0 305917; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 5 0 0 0;"
                                + " START 0 0 0 0 0; CLAIM 0 0 0 0 0; CLAIM 0 0 0 0 0; RUN 834 0 0 0 0; PUBLISH 0 0 0 0 0; JOIN 0 0 0 1817 0;"
                                + " JOIN 0 436 0 1193 0; RUN 97 0 0 0 0; REMOVE 3595 0 0 0 0; RUN 902 0 0 0 0; REMOVE 3097 1727 0 0 0;"
                                + " RUN 577 325 0 0 0")
                .contains("c3.remove(0): LEFT", "run c0: 1, at 0");
    }

    @Test
    void aLookForAnAbandonedClaimFindsTheOneThatClaimedByTryNextUpTo() throws Exception {
        follows("1 0 false true false false 0 101; EVENT 0 0 0 0 0; CLAIM 0 0 2295 0 0; WATCH 0 0 0 0 0")
                .anyMatch(answer -> answer.startsWith("look: ring ") && answer.contains("sequence 0 claimed by "));
    }

    @Test
    void theOwnerThatClaimedByTryNextUpToIsKnownOnceItsThreadHasEnded() throws Exception {
        follows("1 0 false false false false 0 518; PUBLISH 0 0 0 0 0; CLAIM 0 0 3575 0 59; WATCH 0 0 0 0 0")
                .anyMatch(answer -> answer.contains("sequence 0 claimed by product-ends (TERMINATED)"));
    }

    @Test
    void aClaimByTryNextUpToIsAbortedOnceItsThreadHasEnded() throws Exception {
        follows("1 0 true false false false 0 735; PUBLISH 0 0 0 0 0; CLAIM 0 0 355 0 63; WATCH 0 1931 0 0 0")
                .contains("abort on its behalf: 1");
    }

    @Test
    void drainCountsAProducerThatLivesAndHasClaimedByTryNextUpTo() throws Exception {
        follows("1 0 true false false false 0 1843; CLAIM 0 0 0 0 0; CLAIM 0 0 2687 0 46; DRAIN 0 0 0 0 0")
                .contains("drain(0): Leftover[unhandled=0, openClaims=1, openProducers=1, slowest=, running=[]]");
    }

    @Test
    void aPollerPassesOverWhatWasFinishedAlsoIfTheFinisherHasLeftBeforeItsFirstPoll() throws Exception {
        follows(
                        "1 0 true false false false 0 102; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 0 0 647 0; START 0 0 0 0 0;"
                                + " RUN 0 0 0 0 0; REMOVE 0 0 0 0 0; ARM 3613 2995 0 2478 0; REMOVE 0 1810 0 0 0; RUN 0 529 0 0 0;"
                                + " RUN 0 1793 0 0 0; JOIN 1121 3085 0 0 0; PUBLISH 0 0 0 0 0; EVENT 0 0 0 0 0; RUN 0 2303 0 0 0;"
                                + " REMOVE 0 1190 0 0 0")
                .contains("c2.finish(0): done", "c2.remove(0): LEFT", "poll(4) p3: 1, at 0");
    }

    @Test
    void whoJoinsBehindWorkersPassesOverWhatAWorkerFinishedThatHasLeft() throws Exception {
        follows(
                        "4 2 true false false false 0 1; DECLARE 6 0 1 512 0; START 0 0 0 0 0; ARM 0 46 0 3 0; PUBLISH 0 0 0 0 0;"
                                + " EVENT 0 0 0 0 0; RUN 0 0 0 0 0; RUN 1 0 0 0 0; REMOVE 0 0 0 0 0; JOIN 0 1 0 3 0; RUN 1 1 0 0 0")
                .contains("w0.finish(0): done", "w0.remove(0): LEFT", "join c2 after [w1] from 0: joined from 0");
    }

    @Test
    void aWorkerFinishesNothingFromItsStart() throws Exception {
        follows("1 0 true false false false 0 2343; DECLARE 6 0 0 952 0; START 0 0 0 0 0; ARM 0 2166 797 0 0")
                .anyMatch(answer -> answer.contains("finish(-1) must be called within an event or a batch"));
    }

    @Test
    void aWorkerFinishesNothingFromItsTimeOut() throws Exception {
        follows("1 0 false false false false 0 1921; DECLARE 6 0 2696 1563 0; START 0 0 0 0 0; PUBLISH 0 0 0 0 0;"
                        + " ARM 422 1970 1574 0 0; CLAIM 0 0 0 0 0")
                .anyMatch(answer -> answer.contains("finish(0) must be called within an event or a batch"));
    }

    @Test
    void aJoinWhoseExtendsBatchThrowsHasNotJoined() throws Exception {
        follows("1 0 false false false false 0 39; DECLARE 0 0 0 0 0; START 0 0 0 0 0; RUN 0 0 0 0 0; JOIN 42 0 0 0 0")
                .contains("its extendsBatch throws: nothing has joined");
    }

    @Test
    void whoAwaitsARingThatHasFailedIsToldWhy() throws Exception {
        follows("1 0 true false false false 0 205; DECLARE 3518 0 2125 0 0; CLEAR 0 0 0 0 0; START 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; ARM 3646 0 0 0 0; EVENT 0 0 0 0 0; RUN 691 0 0 0 0; AWAIT 0 0 0 0 0")
                .anyMatch(answer -> answer.startsWith("awaitHandled(1, 0 ns): ") && answer.contains(" has failed: "));
    }

    @Test
    void whoAwaitsARingThatHasFailedIsToldWhyAlsoWhileOthersGoOn() throws Exception {
        follows(
                        "1 0 true false false false 0 205; DECLARE 0 0 0 0 0; DECLARE 3518 0 2125 0 0; START 0 0 0 0 0; EVENT 0 0 0 0 0;"
                                + " ARM 3646 0 0 0 0; RUN 0 0 0 0 0; EVENT 0 0 0 0 0; RUN 691 0 0 0 0; AWAIT 0 0 0 0 0")
                .anyMatch(answer -> answer.startsWith("awaitHandled(1, 0 ns): ") && answer.contains(" has failed: "));
    }

    @Test
    void dropOldestDoesNotWaitForAConsumerThatHasEnded() throws Exception {
        follows("1 0 true true true false 0 53; DECLARE 0 0 0 0 0; START 0 0 0 0 0; CLAIM 0 0 0 0 0; CLAIM 0 0 0 0 0;"
                        + " WATCH 0 585 0 0 0; DROP 0 1931 1445 0 0; HALT 0 0 0 0 0; RUN 0 0 0 0 0; DROP 0 0 0 0 0")
                .anyMatch(answer -> answer.startsWith("producer0.publishEvent, dropping the oldest: ")
                        && answer.contains("consumer c0 has ended"));
    }

    @Test
    void aClosedProducerClaimsNoMoreAlsoNotBehindTryNextUpTo() throws Exception {
        follows("1 0 false false false false 0 3723; CLAIM 0 0 0 0 0; DROP 0 0 0 0 0; CLOSE_PRODUCER 0 0 0 0 0;"
                        + " CLAIM 0 0 3316 3423 0; DROP 0 0 0 735 0")
                .contains("producer0.tryNextUpTo(1): CLOSED", "producer0.publishEvent, dropping the newest: CLOSED");
    }

    @Test
    void aClosedProducerOfMessagesCommitsNoMoreWhatItsCloseHasAborted() throws Exception {
        follows("4 0 true true false false 0 413 messages; WRAP 0 0 0 0 0; CLAIM 0 0 0 0 0; CLOSE_PRODUCER 0 0 0 0 0;"
                        + " PUBLISH 0 0 0 3711 0")
                .contains("producer0.tryClaim: 0", "producer0.close()");
    }

    @Test
    void aHandlerThatFailsAndThenInItsOnShutdownIsReportedTwice() throws Exception {
        follows(
                        "1 0 false false false false 0 3556752477620714377; DECLARE 0 0 0 0 0; START 2577 0 0 0 0; ARM 0 0 0 0 0;"
                                + " ARM 0 0 495 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0")
                .anyMatch(answer -> answer.contains("in SHUTDOWN of c0"));
    }

    @Test
    void aDrainEndsThoughTheGateThatItLooksAtIsRemovedMeanwhile() throws Exception {
        follows(
                        "4 0 false false false false 1 1323912219737719097; DECLARE 43 2310 320 2049 10; DECLARE 1145 3812 1710 3779 10;"
                                + " GATE 1395 1201 384 2935 2; START 2963 3827 172 501 34; DROP 1326 660 993 3270 62;"
                                + " EVENT 291 2734 2604 3114 51; RUN 3907 2057 602 4022 9; DRAIN 2458 3202 1979 3473 48;"
                                + " DROP 2253 1631 1360 995 34; GATE 1800 1103 3567 910 57; RUN 2959 3159 524 3078 4")
                .contains("[other thread] remove gate0: true");
    }

    @Test
    void aDrainWaitsForOthersWhereOnlyAbortedClaimsAreBeforeItsOwnConsumer() throws Exception {
        follows("2 0 false false true true 2 -2584062183902016060 bytes; DECLARE 6 71 1915 2699 2;"
                        + " START 3477 2409 1937 174 56; RUN 3890 1891 682 1473 22; JOIN 488 1225 1546 848 0;"
                        + " RUN 4068 3505 598 969 18; AWAIT 285 1191 3506 2667 41; DROP 3581 3313 1366 3965 19;"
                        + " EVENT 698 3835 1514 2765 54; WATCHDOG 3782 3251 1614 1307 57; LATEST 209 123 2976 3921 28;"
                        + " CLAIM 2236 1634 209 1466 4; PAUSE 434 1031 3800 3276 52; DRAIN 3517 1941 3955 808 10")
                .anyMatch(answer -> answer.startsWith("drain(1000): Leftover"));
    }

    @Test
    void whatATranslatorPublishesItselfAndBehindItIsNotTakenBack() throws Exception {
        follows("1 0 true false false false 0 -1440697926270443156; DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 950 0 0 683 0;"
                        + " DROP 0 0 0 0 0")
                .anyMatch(answer -> answer.contains("publish and abort must be called outside"));
    }

    @Test
    void whatIsOvertakenIsPublishedLikeAnyOther() throws Exception {
        follows("1 0 false false false false 0 5633953369137516927; EVENT 0 0 0 0 0; CLAIM 0 0 0 0 0; EVENT 0 0 0 0 0;"
                        + " PUBLISH 0 0 0 0 0")
                .contains("producer0.publish(0, 0)");
    }

    @Test
    void aProducerThatIsClosedAtTheEndOfItsWaitIsGrantedNothing() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            follows("1 0 " + single + " false false false 0 3520529991662068843; DECLARE 0 0 0 0 0; START 0 0 0 0 0;"
                            + " EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; CLAIM 0 0 4 3837 0; RUN 0 0 0 0 0")
                    .anyMatch(answer -> answer.startsWith("producer0.next(1), waiting,: ")
                            && answer.contains("this producer is closed"));
        }
    }

    @Test
    void whatAProducerPublishesInItsWaitIsNotClaimedOnceMore() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            follows("2 0 " + single
                            + " false false false 0 429; DECLARE 4 0 0 0 0; START 0 0 0 0 0; PRODUCER 0 0 0 0 0;"
                            + " EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; CLAIM 0 33 4 497 0; RUN 0 1 0 0 44; EVENT 0 0 0 0 0;"
                            + " RUN 0 1 0 0 44; RUN 0 1 0 0 44")
                    .contains("producer0.tryPublishEvent: 2", "producer0.next(2), waiting,: 4");
        }
    }

    // Of mutants of the loop of messages: random programs seldom need the room of several while a handler works.

    @Test
    void aBatchOfMessagesEndsBeforeThoseThatALongerOneNeedsTheRoomOf() throws Exception {
        follows("16 0 true false true false 0 2 messages; DECLARE 0 0 0 0 0; START 0 0 0 0 0; PRODUCER 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; ARM 0 33 0 0 0; DROP 0 3029 0 0 0; DROP 0 0 0 0 0;"
                        + " DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 2619 1516 0 0; DROP 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; RUN 0 0 0 0 0; DROP 0 0 123 0 0")
                .contains("producer0.offer of 30, dropping the oldest: TIMED_OUT", "run c0: 1, at 0");
    }

    @Test
    void aPartThatRewindsABatchWhichEndedEarlyLosesNoMessageBehindIt() throws Exception {
        follows("16 0 true false true false 0 244 messages; DECLARE 7 0 2629 0 0; START 0 0 0 0 0; PRODUCER 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; DROP 0 2065 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 3946 2336 0 0;"
                        + " EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; RUN 3671 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; RUN 0 0 0 0 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0;"
                        + " DROP 0 0 0 0 0; ARM 0 40 0 0 0; EVENT 0 0 0 0 0; DROP 0 0 111 0 0; EVENT 0 0 0 0 0; ARM 0 22 13 0 0;"
                        + " RUN 0 0 0 0 0; RUN 0 0 0 0 0; DROP 0 0 111 0 0")
                .contains("in BATCH_END of k0: Arm[where=BATCH_END, deed=REWIND, parameter=0]", "run k0: 1, at 6");
    }

    @Test
    void aLongerMessageHasTheOldestDroppedForItsPaddingToo() throws Exception {
        follows("16 0 true false true false 0 7 messages; DECLARE 0 0 0 0 0; START 0 0 0 0 0; PRODUCER 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; DROP 0 1317 0 0 0; DROP 0 0 0 0 0; EVENT 0 2526 2619 0 0; EVENT 0 0 0 0 0;"
                        + " DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 0 0 0;"
                        + " EVENT 0 0 0 0 0; DROP 0 0 0 0 0; DROP 0 0 111 0 0")
                .contains("producer0.offer of 27, dropping the oldest: TIMED_OUT", "run c0: 3, at 2");
    }
}
