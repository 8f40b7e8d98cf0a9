package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is marked, among the sequences that a ring holds at one time, beside a set. */
@Timeout(60)
class SlotMarksTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64, 512})
    void exactlyWhatWasMarkedIsPassedOver(int capacity) {
        for (long begin : new long[] {0, 5, 1L << 40, (1L << 52) - 100, Long.MAX_VALUE / 2}) {
            SplittableRandom random = new SplittableRandom(capacity + begin);
            SlotMarks marks = new SlotMarks(capacity);
            Set<Long> expected = new HashSet<>();
            long gate = begin; // the sequences from here on are in use
            long highest = -1;
            for (int i = 0; i < 400; i++) {
                long lo = gate + random.nextInt(capacity);
                long hi = Math.min(lo + random.nextInt(3), gate + capacity - 1);
                marks.mark(lo, hi);
                for (long sequence = lo; sequence <= hi; sequence++) {
                    expected.add(sequence);
                }
                highest = Math.max(highest, hi);
                for (long sequence = gate; sequence < gate + capacity; sequence++) {
                    assertThat(marks.isSkipped(sequence))
                            .as("%s, capacity %s, in use from %s", sequence, capacity, gate)
                            .isEqualTo(expected.contains(sequence));
                }
                long last = highest | 15; // of its sixteen
                assertThat(marks.anyFrom(last)).isTrue();
                assertThat(marks.anyFrom(last + 1)).isFalse();
                gate += random.nextInt(capacity + 1);
                if (random.nextInt(20) == 0) {
                    gate += random.nextInt(5 * capacity); // a time without aborts
                }
            }
        }
    }

    @Test
    void marksOfSeveralThreadsSideBySideAreAllThere() throws Exception {
        int capacity = 1 << 18;
        SlotMarks marks = new SlotMarks(capacity);
        Rings.Caller[] callers = new Rings.Caller[4];
        for (int i = 0; i < callers.length; i++) {
            int first = i;
            callers[i] = new Rings.Caller(() -> {
                for (long sequence = first; sequence < capacity; sequence += callers.length) {
                    marks.mark(sequence, sequence);
                }
            });
        }
        for (Rings.Caller caller : callers) {
            assertThat(caller.result()).isNull();
        }
        for (long sequence = 0; sequence < capacity; sequence++) {
            assertThat(marks.isSkipped(sequence)).as("%s", sequence).isTrue();
        }
    }
}
