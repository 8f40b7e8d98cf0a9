package io.sluice.ringbuffer.product;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The shortest programs that showed a defect, each named after what a user saw. */
@Timeout(60)
class ShrunkProgramsTest {
    private static void follows(String program) throws InterruptedException {
        ProductTest.programs(met -> {}).run("-Dio.sluice.product.text='" + program + "'", Program.parsed(program));
    }

    @Test
    void aSlowConsumerIsNotOverwrittenAfterALeaverWhoseFollowerIsAhead() throws Exception {
        follows(
                "4 0 false false false false 0 300798; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 20 0 0 0; START 0 0 0 0 0;"
                        + " PUBLISH 0 0 0 0 0; EVENT 0 3433 1227 1981 0; RUN 0 0 0 0 0; REMOVE 0 0 0 0 0; RUN 1513 941 0 0 0;"
                        + " JOIN 0 2782 0 647 0; EVENT 0 0 0 0 0; EVENT 0 0 0 0 0; REMOVE 262 0 0 0 0; EVENT 0 0 0 0 0");
    }

    @Test
    void whatASlowConsumerHasNotHandledIsCountedAfterALeaverWhoseFollowerIsAhead() throws Exception {
        follows(
                "1 0 true false false false 0 305917; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 5 0 0 0;"
                        + " START 0 0 0 0 0; CLAIM 0 0 0 0 0; CLAIM 0 0 0 0 0; RUN 834 0 0 0 0; PUBLISH 0 0 0 0 0; JOIN 0 0 0 1817 0;"
                        + " JOIN 0 436 0 1193 0; RUN 97 0 0 0 0; REMOVE 3595 0 0 0 0; RUN 902 0 0 0 0; REMOVE 3097 1727 0 0 0;"
                        + " RUN 577 325 0 0 0");
    }

    @Test
    void aLookForAnAbandonedClaimFindsTheOneThatClaimedByTryNextUpTo() throws Exception {
        follows("1 0 false true false false 0 101; EVENT 0 0 0 0 0; CLAIM 0 0 2295 0 0; WATCH 0 0 0 0 0");
    }

    @Test
    void theOwnerThatClaimedByTryNextUpToIsKnownOnceItsThreadHasEnded() throws Exception {
        follows("1 0 false false false false 0 518; PUBLISH 0 0 0 0 0; CLAIM 0 0 3575 0 59; WATCH 0 0 0 0 0");
    }

    @Test
    void aClaimByTryNextUpToIsAbortedOnceItsThreadHasEnded() throws Exception {
        follows("1 0 true false false false 0 735; PUBLISH 0 0 0 0 0; CLAIM 0 0 355 0 63; WATCH 0 1931 0 0 0");
    }

    @Test
    void drainCountsAProducerThatLivesAndHasClaimedByTryNextUpTo() throws Exception {
        follows("1 0 true false false false 0 1843; CLAIM 0 0 0 0 0; CLAIM 0 0 2687 0 46; DRAIN 0 0 0 0 0");
    }

    @Test
    void aPollerPassesOverWhatWasFinishedAlsoIfTheFinisherHasLeftBeforeItsFirstPoll() throws Exception {
        follows(
                "1 0 true false false false 0 102; DECLARE 0 0 0 0 0; DECLARE 0 0 0 0 0; DECLARE 0 0 0 647 0; START 0 0 0 0 0;"
                        + " RUN 0 0 0 0 0; REMOVE 0 0 0 0 0; ARM 3613 2995 0 2478 0; REMOVE 0 1810 0 0 0; RUN 0 529 0 0 0;"
                        + " RUN 0 1793 0 0 0; JOIN 1121 3085 0 0 0; PUBLISH 0 0 0 0 0; EVENT 0 0 0 0 0; RUN 0 2303 0 0 0;"
                        + " REMOVE 0 1190 0 0 0");
    }

    @Test
    void aWorkerFinishesNothingFromItsStart() throws Exception {
        follows("1 0 true false false false 0 2343; DECLARE 6 0 0 952 0; START 0 0 0 0 0; ARM 0 2166 797 0 0");
    }

    @Test
    void aWorkerFinishesNothingFromItsTimeOut() throws Exception {
        follows("1 0 false false false false 0 1921; DECLARE 6 0 2696 1563 0; START 0 0 0 0 0; PUBLISH 0 0 0 0 0;"
                + " ARM 422 1970 1574 0 0; CLAIM 0 0 0 0 0");
    }

    @Test
    void aJoinWhoseExtendsBatchThrowsHasNotJoined() throws Exception {
        follows("1 0 false false false false 0 39; DECLARE 0 0 0 0 0; START 0 0 0 0 0; RUN 0 0 0 0 0; JOIN 42 0 0 0 0");
    }

    @Test
    void whoAwaitsARingThatHasFailedIsToldWhy() throws Exception {
        follows("1 0 true false false false 0 205; DECLARE 3518 0 2125 0 0; CLEAR 0 0 0 0 0; START 0 0 0 0 0;"
                + " EVENT 0 0 0 0 0; ARM 3646 0 0 0 0; EVENT 0 0 0 0 0; RUN 691 0 0 0 0; AWAIT 0 0 0 0 0");
    }

    @Test
    void whoAwaitsARingThatHasFailedIsToldWhyAlsoWhileOthersGoOn() throws Exception {
        follows(
                "1 0 true false false false 0 205; DECLARE 0 0 0 0 0; DECLARE 3518 0 2125 0 0; START 0 0 0 0 0; EVENT 0 0 0 0 0;"
                        + " ARM 3646 0 0 0 0; RUN 0 0 0 0 0; EVENT 0 0 0 0 0; RUN 691 0 0 0 0; AWAIT 0 0 0 0 0");
    }

    @Test
    void dropOldestDoesNotWaitForAConsumerThatHasEnded() throws Exception {
        follows("1 0 true true true false 0 53; DECLARE 0 0 0 0 0; START 0 0 0 0 0; CLAIM 0 0 0 0 0; CLAIM 0 0 0 0 0;"
                + " WATCH 0 585 0 0 0; DROP 0 1931 1445 0 0; HALT 0 0 0 0 0; RUN 0 0 0 0 0; DROP 0 0 0 0 0");
    }

    @Test
    void aClosedProducerClaimsNoMoreAlsoNotBehindTryNextUpTo() throws Exception {
        follows("1 0 false false false false 0 3723; CLAIM 0 0 0 0 0; DROP 0 0 0 0 0; CLOSE_PRODUCER 0 0 0 0 0;"
                + " CLAIM 0 0 3316 3423 0; DROP 0 0 0 735 0");
    }

    @Test
    void aClosedProducerOfMessagesCommitsNoMoreWhatItsCloseHasAborted() throws Exception {
        follows("4 0 true true false false 0 413 messages; WRAP 0 0 0 0 0; CLAIM 0 0 0 0 0; CLOSE_PRODUCER 0 0 0 0 0;"
                + " PUBLISH 0 0 0 3711 0");
    }
}
