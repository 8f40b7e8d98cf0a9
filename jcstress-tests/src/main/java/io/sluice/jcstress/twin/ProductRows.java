package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.AlwaysJump;
import io.sluice.jcstress.twin.Change.Constant;
import io.sluice.jcstress.twin.Change.Nothing;
import org.objectweb.asm.Opcodes;

/** Defects that the product test of the ring has found, put back: each by the program that showed it, see ShrunkProgramsTest. */
final class ProductRows extends Rows {
    private static final String PIPELINE = "io.sluice.ringbuffer.pipeline.";
    private static final String PIPELINE_INTERNAL = "io/sluice/ringbuffer/pipeline/";
    private static final String RING = "io.sluice.ringbuffer.";
    private static final String RING_INTERNAL = "io/sluice/ringbuffer/";
    private static final String SHRUNK = "ringbuffer.product.ShrunkProgramsTest#";

    ProductRows() {
        graph();
        producers();
        ends();
    }

    private void graph() {
        junit(
                        "product-leaver-lets-the-slow-go",
                        Kind.GATE_IGNORED,
                        SHRUNK + "aSlowConsumerIsNotOverwrittenAfterALeaverWhoseFollowerIsAhead")
                .at(PIPELINE + "ConsumerDeclarations", "gate")
                .call(RING_INTERNAL + "GatingSequences", "contains")
                .becomes(new Constant(1));
        junit(
                        "product-finished-forgotten",
                        Kind.STEP_REMOVED,
                        SHRUNK + "aPollerPassesOverWhatWasFinishedAlsoIfTheFinisherHasLeftBeforeItsFirstPoll")
                .at(PIPELINE + "ConsumerMembership", "join")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "fixFinishedBefore")
                .becomes(new Nothing());
        junit("product-finish-outside-an-event", Kind.RECHECK_REMOVED, SHRUNK + "aWorkerFinishesNothingFromItsStart")
                .at(PIPELINE + "ConsumerNode", "finish")
                .call(PIPELINE_INTERNAL + "ConsumerNode", "checkInBatch")
                .becomes(new Nothing());
        junit("product-failed-join-stays", Kind.STEP_REMOVED, SHRUNK + "aJoinWhoseExtendsBatchThrowsHasNotJoined")
                .at(PIPELINE + "Join", "processor(J)Lio/sluice/ringbuffer/pipeline/EventProcessor;")
                .call(PIPELINE_INTERNAL + "Join", "undo")
                .becomes(new Nothing());
    }

    private void producers() {
        junit(
                        "product-owner-unbound",
                        Kind.STEP_REMOVED,
                        SHRUNK + "aLookForAnAbandonedClaimFindsTheOneThatClaimedByTryNextUpTo")
                .at(RING + "AbstractProducer", "newLimit")
                .call(RING_INTERNAL + "AbstractProducer", "bindOwner")
                .becomes(new Nothing());
        junit(
                        "product-drop-oldest-waits-in-vain",
                        Kind.RECHECK_REMOVED,
                        SHRUNK + "dropOldestDoesNotWaitForAConsumerThatHasEnded")
                .at(RING + "OldestDropper", "makeRoom")
                .call(RING_INTERNAL + "AbstractProducer", "checkNotInVain")
                .becomes(new Nothing());
        junit(
                        "product-closed-producer-finds-room",
                        Kind.RECHECK_REMOVED,
                        SHRUNK + "aClosedProducerClaimsNoMoreAlsoNotBehindTryNextUpTo")
                .at(RING + "MultiProducer", "refreshLimit")
                .call(RING_INTERNAL + "MultiProducer", "isClosed")
                .becomes(new Constant(0));
    }

    private void ends() {
        junit(
                        "product-await-is-late-for-nobody",
                        Kind.WRONG_BRANCH,
                        SHRUNK + "whoAwaitsARingThatHasFailedIsToldWhyAlsoWhileOthersGoOn")
                .at(PIPELINE + "Pipeline", "awaitFinished")
                .jump(Opcodes.IFEQ)
                .number(2, 3)
                .becomes(new AlwaysJump());
    }
}
