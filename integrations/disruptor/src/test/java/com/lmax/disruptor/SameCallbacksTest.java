package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import program.SteppedProgram;

/**
 * Random programs run on this library and on the Disruptor's jar, in two class loaders, and each writes down what it sees: the two
 * logs are the same, line by line. {@code -Dsluice.seed=N} takes another seed, {@code -Dsluice.disruptor.programs=N} another number
 * of programs.
 */
@Tag("once")
class SameCallbacksTest {
    private static final int PROGRAMS = Integer.getInteger("sluice.disruptor.programs", 1_000);
    private static final int STEPS = 60;

    @Test
    void aProgramSeesTheSameOnThisLibraryAndOnTheDisruptor() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("SameCallbacksTest: -Dsluice.seed=" + seed);
        var theirs = Peer.theirsWith(SteppedProgram.class)
                .loadClass(SteppedProgram.class.getName())
                .getMethod("run", long.class, int.class);
        SplittableRandom random = new SplittableRandom(seed);
        long lines = 0;
        for (int i = 0; i < PROGRAMS; i++) {
            long programSeed = random.nextLong();
            @SuppressWarnings("unchecked")
            List<String> expected = (List<String>) theirs.invoke(null, programSeed, STEPS);
            List<String> actual = SteppedProgram.run(programSeed, STEPS);
            lines += expected.size();
            if (!actual.equals(expected)) {
                assertThat(window(actual, expected))
                        .as("-Dsluice.seed=" + seed + ", program " + i + " with seed " + programSeed)
                        .isEqualTo(window(expected, actual));
            }
        }
        assertThat(lines).as("what the programs saw").isGreaterThan(PROGRAMS * (long) STEPS);
    }

    /** The lines of a log around the first one that differs from the other. */
    private static List<String> window(List<String> log, List<String> other) {
        int at = 0;
        while (at < Math.min(log.size(), other.size()) && log.get(at).equals(other.get(at))) {
            at++;
        }
        return new ArrayList<>(log.subList(Math.max(0, at - 12), Math.min(log.size(), at + 6)));
    }
}
