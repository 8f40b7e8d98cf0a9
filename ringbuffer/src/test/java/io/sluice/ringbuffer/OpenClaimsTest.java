package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The record of open claims against a set of sequences. */
class OpenClaimsTest {
    private final OpenClaims claims = new OpenClaims();

    @Test
    void adjacentRangesAreJoinedAndOthersAreNot() {
        claims.add(3, 5);
        claims.add(6, 6);
        claims.add(8, 9);
        assertThat(claims.ranges()).isEqualTo(2);
        assertThat(claims).hasToString("3 to 6, 8 to 9");
        assertThat(claims.lowest()).isEqualTo(3);
        assertThat(claims.isEmpty()).isFalse();
        claims.clear();
        assertThat(claims.isEmpty()).isTrue();
        assertThat(claims.ranges()).isZero();
        assertThat(claims).hasToString("");
    }

    @Test
    void aRangeIsContainedIfItLiesInOne() {
        claims.add(3, 5);
        claims.add(7, 9);
        assertThat(claims.contains(3, 5)).isTrue();
        assertThat(claims.contains(4, 4)).isTrue();
        assertThat(claims.contains(7, 9)).isTrue();
        assertThat(claims.contains(2, 3)).isFalse();
        assertThat(claims.contains(5, 6)).isFalse();
        assertThat(claims.contains(4, 8)).isFalse();
        assertThat(claims.contains(9, 10)).isFalse();
    }

    @Test
    void isFullBeforeItGrows() {
        for (long i = 0; i < 4; i++) {
            assertThat(claims.isFull()).isFalse();
            claims.add(i * 2, i * 2);
        }
        assertThat(claims.isFull()).isTrue();
        claims.add(100, 101);
        assertThat(claims.isFull()).isFalse();
        assertThat(claims.ranges()).isEqualTo(5);
        assertThat(claims).hasToString("0 to 0, 2 to 2, 4 to 4, 6 to 6, 100 to 101");
    }

    @Test
    void forgettingCutsARangeInTwoAndKeepsWhatLiesAtTheBound() {
        claims.add(0, 1);
        claims.add(3, 6);
        claims.add(8, 8);
        claims.forgetBelow(5);
        assertThat(claims).hasToString("5 to 6, 8 to 8");
        claims.forgetBelow(6);
        assertThat(claims).hasToString("6 to 6, 8 to 8");
        claims.forgetBelow(8);
        assertThat(claims).hasToString("8 to 8");
        claims.forgetBelow(9);
        assertThat(claims.isEmpty()).isTrue();
    }

    @Test
    void isTheSetOfItsSequences() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, 60), program -> {
                    isTheSetOfItsSequences(program);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 12_000)
                .run();
    }

    private static void isTheSetOfItsSequences(SeededProgram program) {
        OpenClaims tested = new OpenClaims();
        TreeSet<Long> set = new TreeSet<>();
        long next = 0;
        for (int step : program.steps()) {
            SplittableRandom random = program.random(step);
            next += random.nextInt(3);
            long hi = next + random.nextInt(4);
            tested.add(next, hi);
            for (long sequence = next; sequence <= hi; sequence++) {
                set.add(sequence);
            }
            next = hi + 1;
            if (random.nextInt(5) == 0) {
                long lowest = next - random.nextInt(12);
                tested.forgetBelow(lowest);
                set.headSet(lowest).clear();
            }
            TreeSet<Long> kept = new TreeSet<>();
            tested.forEach((lo, top) -> {
                for (long sequence = lo; sequence <= top; sequence++) {
                    kept.add(sequence);
                }
            });
            assertThat(kept).as("step %d", step).isEqualTo(set);
            assertThat(tested.isEmpty()).as("step %d", step).isEqualTo(set.isEmpty());
        }
    }
}
