package io.sluice.jcstress;

import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Claims that are aborted on their living owner's behalf, on rings that track claims, under Lincheck: an owner that claims,
 * publishes and aborts, another thread that looks for its claim and aborts it, and a consumer, in every interleaving that it
 * finds. Of a publication and an abort one wins, the owner is told which; what was aborted is not delivered; what was published
 * is, whatever a late owner writes.
 *
 * <p>The ring for many producers has one here. With two, an abort is not atomic with the claims: one that stands between its
 * compare-and-set and its name has no known owner yet, though a later claim of somebody else has returned; it is to be looked
 * at again. That is said in the Javadoc of {@code AbandonedClaim}, and the model Recovery has it.
 */
@Tag("once")
@Tag("any-jdk")
class RecoveryLincheckTest {
    private static final long NOTHING = -1;
    private static final long DONE = 0;
    private static final long LATE = -2;
    private static final int CAPACITY = 2;

    @Test
    void ofPublicationAndAbortOneWinsWithOneProducer() {
        Interleavings.check(OneProducer.class, OwnedClaims.class, 3, 4, 900);
    }

    @Test
    void ofPublicationAndAbortOneWinsOnARingForManyProducers() {
        Interleavings.check(ManyProducers.class, OwnedClaims.class, 3, 4, 900);
    }

    /** What both share: a ring of two slots, its one producer, a watch, and a consumer that is polled. */
    public abstract static class Recovered {
        private final Producer<long[]> producer;
        private final EventPoller<long[]> poller;
        private final StalledClaimDetector watch;
        private long open = NOTHING;
        private long polled;

        Recovered(boolean single) {
            RingBufferBuilder<long[]> builder =
                    RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY).trackClaims();
            RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
            poller = Pipeline.on(ring).poller("poller");
            producer = ring.producer();
            watch = StalledClaimDetector.of(ring);
        }

        @Operation(nonParallelGroup = "owner")
        public long claim() {
            if (open >= 0) {
                return NOTHING;
            }
            open = producer.tryNext(1);
            return open;
        }

        @Operation(nonParallelGroup = "owner")
        public long publish(@Param(gen = IntGen.class, conf = "1:3") int value) {
            if (open < 0) {
                return NOTHING;
            }
            try {
                producer.get(open)[0] = value;
                producer.publish(open, open);
                return DONE;
            } catch (ClaimAbortedException e) {
                return LATE;
            } finally {
                open = NOTHING;
            }
        }

        @Operation(nonParallelGroup = "owner")
        public void abort() {
            if (open >= 0) {
                producer.abort(open, open);
                open = NOTHING;
            }
        }

        /** Which sequence it aborted. */
        @Operation(nonParallelGroup = "other")
        public long recover() {
            AbandonedClaim claim = watch.look(0);
            if (claim == null || !claim.isOwnerKnown() || claim.abort() == 0) {
                return NOTHING;
            }
            return claim.lowest();
        }

        @Operation(nonParallelGroup = "consumer")
        public long poll() throws Exception {
            polled = NOTHING;
            poller.poll((event, sequence, endOfBatch) -> polled = event[0], 1);
            return polled;
        }
    }

    /** On a ring for one producer. */
    public static class OneProducer extends Recovered {
        public OneProducer() {
            super(true);
        }
    }

    /** On a ring for many producers. */
    public static class ManyProducers extends Recovered {
        public ManyProducers() {
            super(false);
        }
    }

    /**
     * What is promised: one open claim at a time, published or aborted once; the owner of a claim that was aborted on its behalf
     * is told so when it publishes, and not when it aborts; a poll that finds an aborted one goes past it and brings nothing.
     */
    public static class OwnedClaims {
        private static final long ABORTED = -3;

        private final ArrayDeque<Long> queue = new ArrayDeque<>();
        private long claimed;
        private long open = NOTHING;
        private boolean lost;

        public long claim() {
            if (open >= 0) {
                return NOTHING;
            }
            int held = queue.size();
            if (held == CAPACITY) {
                return Producer.FULL;
            }
            open = claimed++;
            lost = false;
            return open;
        }

        public long publish(int value) {
            if (open < 0) {
                return NOTHING;
            }
            open = NOTHING;
            if (lost) {
                return LATE;
            }
            queue.add((long) value);
            return DONE;
        }

        public void abort() {
            if (open >= 0) {
                open = NOTHING;
                if (!lost) {
                    queue.add(ABORTED);
                }
            }
        }

        public long recover() {
            if (open < 0 || lost) {
                return NOTHING;
            }
            lost = true;
            queue.add(ABORTED);
            return open;
        }

        public long poll() {
            Long value = queue.poll();
            return value == null || value == ABORTED ? NOTHING : value;
        }
    }
}
