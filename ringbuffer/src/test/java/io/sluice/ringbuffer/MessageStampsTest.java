package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Sequence;
import io.sluice.core.bytes.SafeBuffer;
import java.util.ArrayList;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
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
        RingBuffer<Messages> ring = RingBufferBuilder.messages(8 * UNITS).build();
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

    /** A record whose publication has begun, and not ended, is open, however far its own stamps are written. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 12", "5, 12", "8, 16", "24, 31", "30, 31", "30, 37"})
    void innerStampsAloneSayNothing(long lo, long hi) {
        long from = Math.max(0, hi + 8 - UNITS + 1); // all before is passed
        claimedUpTo(hi + 8);
        if (lo > 0) {
            stamps.stampAll(0, lo - 1);
        }
        for (long sequence = lo + 1; sequence <= hi; sequence++) {
            stamps.stamp(sequence);
        }
        stamps.stampAll(hi + 1, hi + 8);
        assertThat(new MessageStamps.Barrier(stamps).available(from)).isEqualTo(lo - 1);
        stamps.stamp(lo);
        assertThat(new MessageStamps.Barrier(stamps).available(from)).isEqualTo(hi + 8);
    }

    /**
     * Claims of all lengths, across the end of the buffer too as aborted ones, published in any order for more than 256 laps. A consumer
     * follows, and at each step one that has just joined behind it.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aConsumerSeesAllUpToTheFirstOpenClaimAndNoFurther(long seed) {
        Random random = new Random(seed);
        NavigableMap<Long, Long> open = new TreeMap<>(); // first and last of each open claim
        NavigableMap<Long, Long> published = new TreeMap<>(); // of those that nobody has passed
        MessageStamps.Barrier consumer = new MessageStamps.Barrier(stamps);
        long claimed = -1;
        long passed = -1;
        int stopped = 0;
        while (claimed < 260L * UNITS) {
            int most = (int) Math.min(UNITS / 4, passed + UNITS - claimed);
            if (most > 0 && random.nextInt(3) > 0) {
                long hi = claimed + 1 + random.nextInt(most);
                open.put(claimed + 1, hi);
                claimed = hi;
                claimedUpTo(claimed);
            } else if (!open.isEmpty()) {
                Long lo = new ArrayList<>(open.keySet()).get(random.nextInt(open.size()));
                long hi = open.remove(lo);
                stamps.stampAll(lo, hi);
                published.put(lo, hi);
            }
            long expected = open.isEmpty() ? claimed : open.firstKey() - 1;
            long next = passed + 1;
            assertThat(new MessageStamps.Barrier(stamps).available(next)).isEqualTo(expected);
            if (expected >= next && random.nextInt(4) == 0) {
                long seen = consumer.available(next);
                assertThat(seen).isBetween(published.get(next), expected);
                while (passed < seen && random.nextInt(8) > 0) {
                    passed = published.remove(passed + 1);
                }
                stopped += passed < seen ? 1 : 0;
            }
        }
        assertThat(stopped).as("batches that were cut").isPositive();
    }
}
