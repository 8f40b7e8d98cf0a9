package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SequenceView;
import io.sluice.core.bytes.SafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The last consumer leaves while somebody looks at the ring. Here it leaves within the look at it. */
@Timeout(60)
class LastConsumerLeavesTest {
    private static final int MOST_LOOKS = 12;

    private enum Kind {
        OBJECTS(false),
        BYTES(false),
        TRACKED(false),
        MESSAGES(false),
        SINGLE_OBJECTS(true),
        SINGLE_BYTES(true),
        SINGLE_TRACKED(true),
        SINGLE_MESSAGES(true);

        private final boolean single;

        Kind(boolean single) {
            this.single = single;
        }

        private boolean is(String what) {
            return name().endsWith(what);
        }

        RingBuffer<?> ring() {
            RingBufferBuilder<?> builder = is("MESSAGES")
                    ? RingBufferBuilder.messages(512)
                    : Words.ring(is("BYTES"), 1).capacity(8);
            if (is("TRACKED")) {
                builder.trackClaims();
            }
            return (single ? builder.singleProducer() : builder).build();
        }

        /** Publishes three events, and leaves a claim open behind them. */
        void publishAndClaim(RingBuffer<?> ring) {
            if (is("MESSAGES")) {
                @SuppressWarnings("unchecked") // by its kind
                MessageProducer producer = MessageProducer.of((RingBuffer<Messages>) ring);
                for (int i = 0; i < 3; i++) {
                    assertThat(producer.offer(1, SafeBuffer.allocate(8), 0, 8)).isNotNegative();
                }
                assertThat(producer.tryClaim(1, 8)).isNotNegative();
            } else {
                Producer<?> producer = ring.producer();
                for (int i = 0; i < 3; i++) {
                    producer.publish(producer.next());
                }
                producer.next();
            }
        }
    }

    /** A consumer of the program's own that has finished the first event, and leaves when it is looked at so many times. */
    private static final class Leaver implements SequenceView {
        private final RingBuffer<?> ring;
        private final long at;
        private int looks;

        Leaver(RingBuffer<?> ring, long at) {
            this.ring = ring;
            this.at = at;
            ring.addGating(this);
        }

        @Override
        public long get() {
            if (looks > 0 && --looks == 0) {
                ring.removeGating(this);
            }
            return at;
        }
    }

    private static Leaver withAnOpenClaim(Kind kind, RingBuffer<?> ring) {
        Leaver leaver = new Leaver(ring, kind.is("MESSAGES") ? 1 : 0); // a short message takes two sequences
        kind.publishAndClaim(ring);
        return leaver;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theOpenClaimIsCountedThoughTheLastConsumerLeavesMeanwhile(Kind kind) {
        int open = kind.is("MESSAGES") ? 2 : 1;
        for (int looks = 1; looks <= MOST_LOOKS; looks++) {
            RingBuffer<?> ring = kind.ring();
            Leaver leaver = withAnOpenClaim(kind, ring);
            assertThat(ring.leftover().openClaims()).isEqualTo(open);
            leaver.looks = looks;
            Ring.Leftover left = ring.drain(0);
            assertThat(left.openClaims()).as("it leaves at look %d", looks).isEqualTo(open);
            assertThat(left.isNone()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theCursorStandsBeforeTheOpenClaimThoughTheLastConsumerLeavesMeanwhile(Kind kind) {
        for (int looks = 1; looks <= MOST_LOOKS; looks++) {
            RingBuffer<?> ring = kind.ring();
            Leaver leaver = withAnOpenClaim(kind, ring);
            long published = ring.cursor().get();
            assertThat(published).isEqualTo(kind.is("MESSAGES") ? 5 : 2);
            leaver.looks = looks;
            assertThat(ring.cursor().get()).as("it leaves at look %d", looks).isEqualTo(published);
        }
    }
}
