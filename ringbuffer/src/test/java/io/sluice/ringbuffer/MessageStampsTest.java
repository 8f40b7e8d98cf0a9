package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Sequence;
import io.sluice.core.bytes.SafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stamp of a message is a byte: after 256 laps of the ring it looks the same. */
class MessageStampsTest {
    private static final int UNITS = 32;

    private final Sequence claims = new Sequence(0);
    private final MessageStamps stamps = new MessageStamps(Messages.ofBytes(8 * UNITS, true), claims);

    private void claimedUpTo(long sequence) {
        claims.setRelease(ClaimWord.open(sequence + 1));
    }

    /** At sequence 2 of a lap a message begins in the first lap, and not again for 255 laps. Then one is claimed, and is open. */
    @Test
    void aConsumerDoesNotTakeTheStampOf256LapsAgoForThatOfAnOpenMessage() {
        RingBuffer<Messages> ring = RingBuffer.messages(8 * UNITS).build();
        Sequence consumer = new Sequence();
        ring.addGating(consumer::getAcquire);
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer bytes = SafeBuffer.allocate(32);
        long end = -1;
        for (int lap = 0; lap < 256; lap++) {
            int units = lap == 0 ? 2 : 3;
            for (int at = 0; at + units <= UNITS; at += units) {
                assertThat(producer.offer(1, bytes, 0, 8 * (units - 1))).isEqualTo(end + 1);
                end += units;
                consumer.setRelease(end);
            }
            if (lap > 0) {
                assertThat(producer.offer(1, bytes, 0, 8)).isEqualTo(end + 1);
                end += 2;
                consumer.setRelease(end);
            }
        }
        assertThat(end + 1).isEqualTo(256L * UNITS);
        assertThat(producer.offer(1, bytes, 0, 8)).isEqualTo(end + 1);
        assertThat(producer.tryClaim(1, 8)).isEqualTo(end + 3);
        assertThat(((MessageMultiRing) ring).publicationBarrier().available(end + 1))
                .isEqualTo(end + 2);
        assertThat(ring.leftover().openClaims()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 129, 255, 256, 257, 1L << 40})
    void aSequenceStaysPublishedHoweverManyLapsAreClaimedBehindIt(long laps) {
        claimedUpTo(1);
        stamps.stampAll(0, 1);
        long later = laps * UNITS;
        if (laps > 1) {
            claimedUpTo(later - 1);
            stamps.stampAll(later - UNITS, later - 1);
        }
        claimedUpTo(later + 3);
        stamps.stampAll(later, later + 1);
        assertThat(stamps.isStamped(0)).isTrue();
        assertThat(stamps.isStamped(1)).isTrue();
        assertThat(stamps.isStamped(later)).isTrue();
        assertThat(stamps.isStamped(later + 2)).as("it is open").isFalse();
        assertThat(stamps.isFirst(later + UNITS)).as("of the next lap").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "1, 7", "0, 7", "0, 8", "1, 8", "3, 19", "5, 31", "0, 31", "30, 33", "31, 32", "20, 45"
    })
    void aPublicationStampsAllItsSequencesAndNoOther(long lo, long hi) {
        claimedUpTo(hi + UNITS - 1);
        for (long sequence = 0; sequence < UNITS; sequence++) {
            assertThat(stamps.isFirst(sequence)).isFalse();
        }
        stamps.stampAll(lo, hi);
        for (long sequence = Math.max(0, hi - UNITS + 1); sequence <= hi; sequence++) {
            assertThat(stamps.isFirst(sequence)).as("at %d", sequence).isEqualTo(sequence >= lo);
        }
    }
}
