package io.sluice.testing;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The program of a test that makes up its steps as it goes: a step is a number, and all that it does follows from the
 * {@link #random(int) random numbers of that step}. So a step that is left out does not change what the others draw.
 *
 * @param seed the source of the setting
 * @param steps the numbers of the steps, in rising order
 */
public record SeededProgram(long seed, List<Integer> steps) implements RandomProgram<SeededProgram> {
    /**
     * Creates a program.
     *
     * @param seed the source of the setting
     * @param steps the numbers of the steps, in rising order
     */
    public SeededProgram {
        steps = List.copyOf(steps);
    }

    /**
     * The whole program of a seed.
     *
     * @param seed any number
     * @param length how many steps it has, 0 or more
     * @return the program
     */
    public static SeededProgram of(long seed, int length) {
        return new SeededProgram(seed, IntStream.range(0, length).boxed().toList());
    }

    /**
     * Gives the random numbers of the setting.
     *
     * @return new ones, the same for each program of this seed
     */
    public SplittableRandom random() {
        return new SplittableRandom(seed);
    }

    /**
     * Gives the random numbers of a step. The numbers of two steps have nothing in common; neither have those of two seeds.
     *
     * @param step its number; any other number, such as -1, is good for what comes before or behind all steps
     * @return new ones, the same whatever other steps there are
     */
    public SplittableRandom random(int step) {
        // two odd multipliers, neither of which is SplittableRandom's own increment:
        // that would give shifted copies of one stream
        return new SplittableRandom(seed * 0xD1342543DE82EF95L ^ (step + 2L) * 0x2545F4914F6CDD1DL);
    }

    @Override
    public int size() {
        return steps.size();
    }

    @Override
    public SeededProgram keep(List<Integer> kept) {
        return new SeededProgram(seed, kept.stream().map(steps::get).toList());
    }
}
